/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_STOMP_MEMORY_H
#define BW_INJECT_STOMP_MEMORY_H

/* exec --stomp-memory: which new buffers are filled with a bad value, what of a starting wave, and
 * what became of them. The program's agent fills buffers (wire/stomp_files.h), the virtual GPU the
 * rest. One thread. */

#include "base/vec.h"
#include "ui/out.h"
#include "wire/stomp_files.h"

struct bw_stomp_ranges BW_VEC(struct bw_stomp_range);
struct bw_stomp_choice {
	struct bw_stomp_ranges buffers;
	struct bw_stomp_waves waves;
	bool names_waves; /* by a word of the user's: a GPU that cannot is an error */
};

/* ranges: numbers of buffers, from 1, FIRST-LAST, and "lds", "scratch", "vgprs", "sgprs", several
 * with commas; NULL: all. except: the same, those that are left out; NULL: none. Waves of all
 * submissions. BW_E_INVALID: a word is none of these. The caller ends the choice, also after an
 * error. */
struct bw_error *bw_stomp_choose(const char *ranges, const char *except,
				 struct bw_stomp_choice *out) BW_MUST_CHECK;
void bw_stomp_choice_fini(struct bw_stomp_choice *c);
/* "lds" of one bit of enum bw_vgpu_stomp_what. */
const char *bw_stomp_what_name(uint32_t bit);

struct bw_stomp_memory;
/* The folder with the choice; programs that are started from here on have it in their environment.
 * is_virtual: the GPU fills what waves start with; BW_E_UNSUPPORTED where that was chosen by name,
 * and it does not. */
struct bw_error *bw_stomp_memory_begin(const struct bw_stomp_choice *c, bool is_virtual,
				       struct bw_stomp_memory **out) BW_MUST_CHECK;
/* Says how many buffers were filled, as JSON each of them, and what of waves. */
struct bw_error *bw_stomp_memory_report(const struct bw_stomp_memory *s,
					struct bw_out *o) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_stomp_memory_end(struct bw_stomp_memory *s);

#endif
