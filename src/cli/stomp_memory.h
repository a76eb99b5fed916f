/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_STOMP_MEMORY_H
#define BW_CLI_STOMP_MEMORY_H

/* exec --stomp-memory: which new buffers are filled with a bad value, and what became of them. The
 * program's agent does it (wire/stomp_files.h). One thread. */

#include "base/vec.h"
#include "ui/out.h"
#include "wire/stomp_files.h"

struct bw_stomp_ranges BW_VEC(struct bw_stomp_range);

/* ranges: numbers of buffers, from 1, FIRST-LAST, several with commas; NULL: all. except: the same,
 * those that are left out; NULL: none. BW_E_INVALID: a word is no number. The caller frees the
 * vector, also behind an error. */
struct bw_error *bw_stomp_ranges_make(const char *ranges, const char *except,
				      struct bw_stomp_ranges *out) BW_MUST_CHECK;

struct bw_stomp_memory;
/* The folder with the ranges; programs that are started from here on have it in their
 * environment. */
struct bw_error *bw_stomp_memory_begin(const struct bw_stomp_ranges *r,
				       struct bw_stomp_memory **out) BW_MUST_CHECK;
/* Says how many buffers were filled; as JSON each of them. */
struct bw_error *bw_stomp_memory_report(const struct bw_stomp_memory *s,
					struct bw_out *o) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_stomp_memory_end(struct bw_stomp_memory *s);

#endif
