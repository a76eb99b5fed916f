/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_ABSTRACT_NAME_H
#define BW_WIRE_ABSTRACT_NAME_H

/* Names of sockets without a file (unix(7), abstract). Any process of any user may take any of
 * them, so a name proves nothing, and that somebody else has one costs nothing but a longer one. */

/* Binds an unbound AF_UNIX socket to the prefix and our pid; where that is taken, to the same with
 * a random suffix. 0, or -1 and errno. */
int bw_abstract_name_bind(int fd, const char *prefix);

#endif
