/* SPDX-License-Identifier: MIT */
/* Any words, as code in GPU memory may be: the decoder must stay inside them, and what it returns
 * must be as its users take it. Needs bw_isa. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/inst.h"
#include "isa/ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

static void check(enum bw_isa_gen gen, const struct bw_inst *in, size_t n_dw, bool legal)
{
	assert(in->size_b == 4 || in->size_b == 8 || in->size_b == 12);
	assert(in->op < BW_OP_COUNT && in->op_y < BW_OP_COUNT && in->fmt < BW_FMT_COUNT);
	assert(legal == (in->op != BW_OP_ILLEGAL));
	if (!legal) {
		assert(in->size_b == 4);
		return;
	}
	assert(in->size_b <= 4 * n_dw);
	assert(in->n_src <= 3 && in->n_src_y <= 3 && in->n_nsa <= 5);
	for (unsigned i = 0; i < in->n_src; i++) {
		assert(in->src[i] < (gen == BW_ISA_GFX942 ? BW_SRC_ACC0 + 256 : BW_SRC_ACC0));
		assert(in->src[i] != BW_SRC_LITERAL || in->has_literal ||
		       in->op == BW_OP_S_SENDMSG_RTN_B32 || in->op == BW_OP_S_SENDMSG_RTN_B64 ||
		       in->op == BW_OP_S_SET_GPR_IDX_ON);
	}
	for (unsigned i = 0; i < in->n_src_y; i++)
		assert(in->src_y[i] < 512);
	assert(in->dst < 256 && in->sdst < 128 && in->dst_y < 256);
	assert(in->dpp == BW_DPP_NONE || (in->src[0] >= BW_SRC_VGPR0 && !in->has_literal));
	const struct bw_op_info *info = bw_isa_op_info(in->op);
	assert(bw_isa_op_by_name(info->name) == in->op);
	uint64_t target;
	bw_isa_flow(in, 0x1000, &target);
	/* What has been decoded has words, and they say the same. */
	uint32_t again[3];
	size_t n = bw_isa_encode(gen, in, again);
	struct bw_inst same;
	assert(n == in->size_b / 4);
	assert(bw_isa_decode(gen, again, n, &same) && !same.padded);
	same.padded = in->padded;
	assert(memcmp(&same, in, sizeof(same)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	static const enum bw_isa_gen gens[] = {BW_ISA_GFX11, BW_ISA_GFX942};
	/* A buffer of its own, so that a read past its end is seen. */
	size_t n_dw = size_b / 4;
	uint32_t *words = malloc(n_dw * 4 + 1);
	if (!words)
		return 0;
	memcpy(words, data, n_dw * 4);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(gens); i++)
		for (size_t at = 0; at <= n_dw;) {
			struct bw_inst in;
			bool legal = bw_isa_decode(gens[i], words + at, n_dw - at, &in);
			check(gens[i], &in, n_dw - at, legal);
			at += in.size_b / 4;
		}
	free(words);
	return 0;
}
