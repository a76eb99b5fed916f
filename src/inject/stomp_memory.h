/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_STOMP_MEMORY_H
#define BW_INJECT_STOMP_MEMORY_H

/* exec --stomp-memory: chooses the new buffers that are filled with a bad value, and the state of
 * starting waves that is; and reports what was filled. The program's agent fills buffers
 * (wire/stomp_files.h), the virtual GPU the rest. One thread. */

#include "base/folder.h"
#include "base/vec.h"
#include "ui/out.h"
#include "wire/stomp_files.h"

struct bw_stomp_ranges BW_VEC(struct bw_stomp_range);
struct bw_stomp_choice {
	struct bw_stomp_ranges buffers;
	struct bw_stomp_waves waves;
	bool names_waves; /* the user has named them: a GPU that cannot fill them is an error */
};

/* ranges: numbers of buffers, from 1, FIRST-LAST, and "lds", "scratch", "vgprs", "sgprs", several
 * with commas; NULL: all. except: those that are left out, in the same form; NULL: none. Waves of
 * all submissions. BW_E_INVALID: a word is none of these. The caller ends the choice, also after an
 * error. */
struct bw_error *bw_stomp_choose(const char *ranges, const char *except,
				 struct bw_stomp_choice *out) BW_MUST_CHECK;
void bw_stomp_choice_fini(struct bw_stomp_choice *c);
/* The word for one bit of enum bw_vgpu_stomp_what: "lds". */
const char *bw_stomp_what_name(uint32_t bit);

/* Writes the choice into the folder, which is made if need be and stays the caller's. is_virtual:
 * the GPU can fill the state of starting waves; otherwise BW_E_UNSUPPORTED if the user has chosen
 * such state by name. */
struct bw_error *bw_stomp_memory_begin(const struct bw_stomp_choice *c, bool is_virtual,
				       struct bw_folder *folder) BW_MUST_CHECK;
/* Reports how many buffers were filled (as JSON, each of them), and which state of waves. */
struct bw_error *bw_stomp_memory_report(const struct bw_folder *folder, bool is_virtual,
					struct bw_out *o) BW_MUST_CHECK;

#endif
