/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_FILE_H
#define BW_BASE_FILE_H

/* Files that a user asks for. What cannot be written whole, as on a full disk, is removed, so that
 * nobody takes a half for it. */

#include <stdio.h>

#include "base/error.h"

/* mode: of fopen; a file that is appended to ("ab...") is as it was after an error, which names the
 * file and the reason. */
struct bw_error *bw_file_write(const char *path, const char *mode, const void *data,
			       size_t size_b) BW_MUST_CHECK;
/* Removes a file after an error in writing it, but no device, pipe or socket. Keeps errno. */
void bw_file_remove_half(const char *path);
/* A limit of the size of files (ulimit -f) is an error of the call, too, and ends neither this
 * process nor those that it starts without a word. Once, at the start. */
void bw_file_limit_is_error(void);

#endif
