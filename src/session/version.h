/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_VERSION_H
#define BW_SESSION_VERSION_H

/* The version of Breakwater, MAJOR.MINOR.PATCH, from meson.build. */
const char *bw_version(void);

#endif
