/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_SWAP_PRIV_H
#define BW_INJECT_SWAP_PRIV_H

/* The inside of swap.h. */

#include "base/str.h"
#include "inject/swap.h"

struct bw_swaps {
	struct bw_folder *folder;   /* with the rules; borrowed */
	struct bw_swap_rules rules; /* the rules, to be written */
	const char *words[BW_SWAP_RULES_MAX], *files[BW_SWAP_RULES_MAX]; /* borrowed */
	const char *save;						 /* borrowed; NULL */
};

struct bw_swap_events BW_VEC(struct bw_swap_said);

/* swap_build.c. The code in .text of an assembly file. */
struct bw_swap_assembled {
	uint8_t *bytes; /* owned by the user of the struct */
	size_t size_b;
	uint32_t vgprs, lds_b; /* registers and bytes that it uses, or says it needs */
};
struct bw_error *bw_swap_assemble(const char *file, bool is_wave64,
				  struct bw_swap_assembled *out) BW_MUST_CHECK;

/* swap_compile.c. Has the rule's SPIR-V compiled for each pipeline of the capture that it matches,
 * and fills in its variants. For a pipeline with invalid data, the variant has the reason. */
struct bw_error *bw_swap_compile(const struct bw_swap_replay *of, struct bw_swap_rules *r,
				 struct bw_swap_rule *rule) BW_MUST_CHECK;

/* swap_show.c. The best name for a shader in a report. */
const char *bw_swap_name(const struct bw_swap_said *e);
/* swap_save.c. Writes SPIR-V and code into the folder s->save; counts the files. `said` gets a line
 * for each shader whose code cannot be written as text. */
struct bw_error *bw_swaps_save(const struct bw_swaps *s, const struct bw_swap_events *events,
			       struct bw_str *said, unsigned *out_n) BW_MUST_CHECK;

#endif
