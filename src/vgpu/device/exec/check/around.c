/* SPDX-License-Identifier: MIT */
/* Whether lanes can go around a barrier. Compilers need not make lanes active again before a
 * barrier, which does not ask for them: ACO leaves that out where other lanes are made active right
 * after it. So in shaders, lanes that are not active at a barrier are missing only if the code has
 * a way around it for lanes: a branch on EXEC over it, a loop around it that ends by one, or a
 * branch on EXEC out of such a loop. */
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/check_priv.h"

enum { BRANCHES_MAX = 512, CODE_MAX_DW = 1 << 15 };

struct branches {
	struct branch {
		uint64_t at, to;
		bool is_of_lanes; /* on EXEC */
	} b[BRANCHES_MAX];
	unsigned n;
};

static unsigned words_at(struct bw_wave *w, uint64_t pc, uint32_t out[3])
{
	unsigned n = 0;
	for (; n < 3; n++) {
		struct bw_vm_fault no_matter = {0};
		const uint8_t *host = bw_tlb_lookup_unwatched(
			w->tlb, pc + 4 * n, (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE),
			&no_matter);
		if (!host)
			break;
		memcpy(&out[n], host, sizeof(out[n]));
	}
	return n;
}

/* From the kernel's first instruction to what is not code. False: the barrier is not on the way, or
 * there are too many. */
static bool find(enum bw_isa_gen gen, struct bw_wave *w, uint64_t code_va, uint64_t barrier,
		 struct branches *out)
{
	bool has_passed = false;
	uint32_t word[3];
	struct bw_inst in;
	out->n = 0;
	for (uint64_t pc = code_va; pc < code_va + CODE_MAX_DW * 4ull; pc += in.size_b) {
		unsigned n = words_at(w, pc, word);
		if (!n || !bw_isa_decode(gen, word, n, &in) || in.op == BW_OP_S_CODE_END)
			break;
		has_passed |= pc == barrier;
		enum bw_flow flow = bw_isa_op_info(in.op)->flow;
		if (flow != BW_FLOW_BRANCH && flow != BW_FLOW_COND_BRANCH)
			continue;
		if (out->n == BRANCHES_MAX)
			return false;
		out->b[out->n++] = (struct branch){pc, pc + 4 + (uint64_t)((int64_t)in.imm * 4),
						   in.op == BW_OP_S_CBRANCH_EXECZ ||
							   in.op == BW_OP_S_CBRANCH_EXECNZ};
	}
	return has_passed;
}

/* A loop from `to` to `at`, which lanes leave by a branch in it. */
static bool is_left_by_lanes(const struct branches *all, const struct branch *loop)
{
	for (unsigned i = 0; i < all->n; i++) {
		const struct branch *b = &all->b[i];
		if (b->is_of_lanes && b->at >= loop->to && b->at <= loop->at && b->to > loop->at)
			return true;
	}
	return false;
}

bool bw_sync_has_way_around(enum bw_isa_gen gen, struct bw_wave *w, uint64_t code_va,
			    uint64_t barrier)
{
	struct branches all;
	if (!find(gen, w, code_va, barrier, &all))
		return true;
	for (unsigned i = 0; i < all.n; i++) {
		const struct branch *b = &all.b[i];
		bool is_over = b->at < barrier && b->to > barrier;
		bool is_loop = b->at > barrier && b->to <= barrier;
		if (b->is_of_lanes ? is_over || is_loop : is_loop && is_left_by_lanes(&all, b))
			return true;
	}
	return false;
}
