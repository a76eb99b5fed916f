// SPDX-License-Identifier: MIT
/* Inlined functions around an address, and those that begin right there. */
#include "debug/code/code_priv.h"
#include "sym/frames.h"

bool bw_code_function(struct bw_debug *d, uint64_t pc, unsigned i, struct bw_frame_info *out)
{
	struct bw_load *l = bw_debug_load_at(d, pc);
	return l && l->module->lines && bw_lines_frame(l->module->lines, pc - l->base, i, out);
}

unsigned bw_code_beginning_in(const struct bw_lines *lines, uint64_t addr)
{
	struct bw_frame_info f;
	unsigned n = 0;
	while (bw_lines_frame(lines, addr, n, &f) && f.is_inlined && f.entry == addr)
		n++;
	return n;
}

unsigned bw_code_beginning(struct bw_debug *d, uint64_t pc)
{
	struct bw_load *l = bw_debug_load_at(d, pc);
	return l && l->module->lines ? bw_code_beginning_in(l->module->lines, pc - l->base) : 0;
}
