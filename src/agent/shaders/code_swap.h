/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_SHADERS_CODE_SWAP_H
#define BW_AGENT_SHADERS_CODE_SWAP_H

/* Machine code in the place of a shader's (breakwater exec --shader WHICH=FILE.s): before a
 * submission is made, the agent writes instructions over the beginning of the old code that lead to
 * the new one (swap/code.h), which lies in memory of the agent's own; and where that needs more
 * VGPRs or LDS, the values of COMPUTE_PGM_RSRC1 and 2 in the program's command stream. Any thread
 * may call. */

#include "agent/agent.h"
#include "agent/names/names.h"

/* Whether code of shaders is replaced or saved. */
bool bw_code_swap_is_on(void);
/* The addresses at which a submission's streams set RSRC1 and RSRC2 of a dispatch; 0: they do
 * not. */
struct bw_code_place {
	uint64_t rsrc1_va, rsrc2_va;
};
struct bw_code_places BW_VEC(struct bw_code_place);
/* The dispatches of a submission that is about to be made, with their pipelines, and as many
 * places. Changes RSRC1 and 2 in them, too. */
void bw_code_swap(struct bw_agent_file *f, struct bw_agent_dispatches *dispatches,
		  const struct bw_code_places *places);
/* The file is closed. */
void bw_code_swap_forget(struct bw_agent_file *f);
void bw_code_swap_fork_child(void);

#endif
