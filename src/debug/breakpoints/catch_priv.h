/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_CATCH_PRIV_H
#define BW_DEBUG_CATCH_PRIV_H

/* Breakpoints on dispatches, from the inside: the words of "break on dispatch" (catch_words.c), the
 * dispatches that match them (catch.c), and what the user is told if none matches
 * (catch_tell.c). */

#include "debug/breakpoints/breakpoints_priv.h"

/* The properties that a dispatch must have. 0 and NULL: any value. */
struct bw_dispatch_filter {
	uint64_t nth; /* the nth of the matching dispatches; 0: each */
	/* matching dispatches since the breakpoint was set, or since the program started */
	uint64_t seen;
	uint32_t last; /* number of the last dispatch that was looked at */
	/* glob: kernel, pipeline, entry point, shader module, or the first digits of the hash */
	char *name;
	char *label; /* glob: a level of the label path, or all of it */
	uint32_t queue, frame, submission, number;
	uint32_t groups[3]; /* workgroups; 0: any */
	uint64_t grid[3];   /* work-items; 0: any */
};

/* catch.c */
bool bw_catch_name_fits(const char *pattern, const struct bw_dispatch_record *x);
bool bw_catch_object_fits(const char *pattern, const struct bw_target_object *p);
bool bw_catch_label_fits(const char *pattern, const struct bw_dispatch_record *x);
bool bw_catch_fits(const struct bw_dispatch_filter *f, const struct bw_dispatch_record *x);

/* catch_tell.c */
/* Called when b is new or enabled again: tells the user if b holds only from a later dispatch on,
 * and if nothing known has its name or label. */
void bw_catch_tell_new(struct bw_debug *d, const struct bw_break *b);
/* Called when a dispatch that was running when b was set has ended without a stop. */
void bw_catch_tell_passed(struct bw_debug *d, const struct bw_break *b, uint32_t dispatch);

#endif
