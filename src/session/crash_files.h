/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_CRASH_FILES_H
#define BW_SESSION_CRASH_FILES_H

/* Files and folders of crashes, read for src/crash: by `breakwater crash`, by reports, and by
 * sessions, which open one at the prompt. */

#include "base/error.h"
#include "crash/crash.h"

/* Each a file, a folder with files, or "-". BW_E_NOT_FOUND: there is nothing of a crash in them.
 * The caller calls bw_crash_free, also after an error. */
struct bw_error *bw_read_crash(const char *const *paths, size_t n,
			       struct bw_crash *out) BW_MUST_CHECK;
/* Whether `breakwater run` takes it as one: a folder, a file that begins as a devcoredump, or one
 * called .log. */
bool bw_is_crash(const char *path);

#endif
