/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_VERSION_H
#define BW_SESSION_VERSION_H

/* Breakwater's: "0.1.0". */
const char *bw_version(void);

#endif
