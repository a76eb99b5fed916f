/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_LINES_H
#define BW_BASE_LINES_H

#include <stddef.h>

#include "base/error.h"

/* Calls fn for each line of a file ("-": standard input), without its newline, numbered from 1. A
 * line longer than BW_LINE_B comes in pieces, which have one number. Reads regular files and pipes
 * alike and keeps one buffer. */
enum { BW_LINE_B = 64 * 1024 };
struct bw_error *bw_read_lines(const char *path,
			       void (*fn)(void *cookie, const char *text, size_t n,
					  unsigned number),
			       void *cookie) BW_MUST_CHECK;

#endif
