/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_VERSION_H
#define BW_SESSION_VERSION_H

/* Of Breakwater: the one in meson.build, MAJOR.MINOR.PATCH. */
const char *bw_version(void);

#endif
