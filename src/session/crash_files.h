/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_CRASH_FILES_H
#define BW_SESSION_CRASH_FILES_H

/* Files and folders of crashes, read for src/crash: by `breakwater crash`, by reports, and by
 * sessions, which open one at the prompt. */

#include "base/error.h"
#include "crash/crash.h"

/* Reads paths: each is a file, a folder with files, or "-". BW_E_NOT_FOUND: nothing in them is
 * about a crash. The caller calls bw_crash_free, also after an error. */
struct bw_error *bw_read_crash(const char *const *paths, size_t n,
			       struct bw_crash *out) BW_MUST_CHECK;
/* Whether `breakwater run` reads the path as a crash: a folder, a file that begins like a
 * devcoredump, or a file named *.log. */
bool bw_is_crash(const char *path);

#endif
