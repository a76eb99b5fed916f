/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_RANDOM_PROGRAMS_H
#define BW_TEST_RANDOM_PROGRAMS_H

/* Random programs for test_compile.c: rows, memory instructions and branches. */

#include <string.h>

#include "base/util.h"
#include "isa/asm.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

enum {
	VGPRS = 10,
	SGPRS = 20,
	/* for addresses, which only memory instructions use: a pair of VGPRs, offsets, places in
	 * LDS, indices; pairs of SGPRs, an offset */
	V_PAIR = VGPRS,
	V_OFFSET = V_PAIR + 2,
	V_LDS,
	V_INDEX,
	VGPRS_SEEN = V_INDEX + 1,
	S_BASE = 24,
	S_FAR = 26,
	S_OFFSET = 28,
	S_DESC = 32, /* a buffer's */
	MOST = 40,
	MOST_EXECUTED = 600,
	/* what memory instructions reach: pages of data, the last of which is not mapped */
	DATA_PAGES = 3,
	LDS_B = 2048,
};

struct random {
	uint64_t state;
};

static uint32_t next(struct random *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 16);
}

static uint32_t below(struct random *r, uint32_t n)
{
	return next(r) % n;
}

static bool one_in(struct random *r, uint32_t n)
{
	return below(r, n) == 0;
}

/* ---- programs ---- */

struct program {
	uint32_t word[3 * MOST];
	unsigned n_words;
	unsigned start[MOST]; /* of instructions */
	unsigned n;
	unsigned lanes;
};

static uint16_t random_sgpr(struct random *r)
{
	static const uint16_t special[] = {BW_SRC_VCC_LO, BW_SRC_VCC_HI, BW_SRC_M0,
					   BW_SRC_NULL,	  BW_SRC_TTMP0,	 BW_SRC_EXEC_LO,
					   BW_SRC_EXEC_HI};
	return one_in(r, 5) ? special[below(r, BW_ARRAY_SIZE(special))] : (uint16_t)below(r, SGPRS);
}

static uint16_t random_src(struct random *r, bool vector)
{
	if (vector && !one_in(r, 3))
		return (uint16_t)(BW_SRC_VGPR0 + below(r, VGPRS));
	switch (below(r, 6)) {
	case 0:
		return (uint16_t)(BW_SRC_INT_0 + below(r, 65));
	case 1:
		return (uint16_t)(BW_SRC_HALF + below(r, 9));
	case 2:
		return BW_SRC_LITERAL;
	case 3:
		return one_in(r, 4) ? BW_SRC_SCC : (uint16_t)(BW_SRC_INT_64 + below(r, 17));
	default:
		return random_sgpr(r);
	}
}

static uint16_t random_op(struct random *r, enum bw_sem_kind kind)
{
	for (;;) {
		unsigned op = below(r, BW_OP_COUNT);
		if (bw_exec_sem(op)->kind == kind)
			return (uint16_t)op;
	}
}

/* A load, a store or an atomic, by the registers for addresses. */
static size_t random_access(struct random *r, uint32_t word[3])
{
	static const char *const starts[] = {
		"global_", "global_load_",  "global_load_b", "global_store_", "ds_",
		"ds_load", "ds_store",	    "s_load_",	     "s_load_",	      "s_buffer_load_",
		"buffer_", "buffer_load_b", "buffer_load_u", "buffer_load_i", "buffer_store_b"};
	const char *start = starts[below(r, BW_ARRAY_SIZE(starts))];
	struct bw_inst inst = {.op = random_op(r, BW_SEM_MEM)};
	const struct bw_op_info *info = bw_isa_op_info(inst.op);
	while (strncmp(info->name, start, strlen(start)) != 0 || strstr(info->name, "gs_reg")) {
		inst.op = random_op(r, BW_SEM_MEM);
		info = bw_isa_op_info(inst.op);
	}
	bool is_atomic = info->flags & BW_OPF_ATOMIC;
	inst.imm = one_in(r, 2) ? 0 : (int32_t)below(r, 64) * 4;
	if (info->fmt == BW_FMT_SMEM) {
		inst.dst = (uint16_t)(below(r, SGPRS - 16) & ~3u);
		bool is_buffer = strncmp(info->name, "s_buffer", 8) == 0;
		inst.saddr = is_buffer ? S_DESC : one_in(r, 16) ? S_FAR : S_BASE;
		inst.soffset = one_in(r, 2) ? S_OFFSET : BW_SRC_NULL;
	} else if (info->fmt == BW_FMT_DS) {
		inst.vaddr = V_LDS;
		inst.offset0 = (uint8_t)inst.imm;
		inst.offset1 = info->flags & BW_OPF_TWO_ADDRESSES ? (uint8_t)next(r) : 0;
		inst.imm = inst.offset0 | inst.offset1 << 8;
		if (is_atomic ? (bool)strstr(info->name, "_rtn_") : info->flags & BW_OPF_LOAD)
			inst.dst = (uint16_t)below(r, VGPRS);
		if (info->flags & BW_OPF_TWO_ADDRESSES && info->flags & BW_OPF_STORE)
			inst.vdata2 = (uint16_t)below(r, VGPRS);
	} else if (info->fmt == BW_FMT_MUBUF) {
		static const uint16_t soffsets[] = {BW_SRC_NULL, BW_SRC_INT_0, BW_SRC_INT_0 + 20,
						    S_OFFSET, BW_SRC_HALF};
		inst.offen = !one_in(r, 4);
		inst.idxen = inst.offen ? one_in(r, 8) : one_in(r, 2);
		inst.vaddr = inst.idxen ? V_INDEX : V_OFFSET;
		inst.srsrc = S_DESC;
		inst.saddr = (uint8_t)soffsets[below(r, BW_ARRAY_SIZE(soffsets))];
		inst.glc = is_atomic && one_in(r, 2);
		inst.tfe = one_in(r, 16) && info->flags & BW_OPF_LOAD && !is_atomic;
		inst.vdata = (uint16_t)below(r, VGPRS);
	} else {
		bool has_saddr = one_in(r, 2);
		inst.vaddr = has_saddr ? V_OFFSET : V_PAIR;
		inst.saddr = !has_saddr ? BW_SRC_NULL : one_in(r, 16) ? S_FAR : S_BASE;
		inst.glc = is_atomic && one_in(r, 2);
		if (inst.glc || info->flags & BW_OPF_LOAD)
			inst.dst = (uint16_t)below(r, VGPRS);
	}
	if (is_atomic || info->flags & BW_OPF_STORE)
		inst.vdata = (uint16_t)below(r, VGPRS);
	size_t n = bw_isa_encode(BW_ISA_GFX11, &inst, word);
	struct bw_inst back;
	return n && bw_isa_decode(BW_ISA_GFX11, word, n, &back) ? n : 0;
}

/* Any row, of any format that it exists in. */
static size_t random_row(struct random *r, uint32_t word[3])
{
	static const enum bw_sem_kind kinds[] = {BW_SEM_MAP, BW_SEM_MAP, BW_SEM_MAP, BW_SEM_SCALAR,
						 BW_SEM_DUAL};
	enum bw_sem_kind kind = kinds[below(r, BW_ARRAY_SIZE(kinds))];
	struct bw_inst inst = {.op = random_op(r, kind)};
	const struct bw_op_info *info = bw_isa_op_info(inst.op);
	bool vector = kind != BW_SEM_SCALAR;
	bool to_scalar = !vector || info->class == BW_CLASS_CMP;
	if (info->n_dst || kind == BW_SEM_DUAL)
		inst.dst = to_scalar ? random_sgpr(r) : (uint16_t)below(r, VGPRS);
	if (vector && one_in(r, 2))
		inst.sdst = one_in(r, 2) ? BW_SRC_NULL : random_sgpr(r);
	inst.n_src = info->n_src;
	if (info->fmt == BW_FMT_SOPK)
		inst.imm = (int16_t)next(r);
	for (unsigned i = 0; i < info->n_src && i < BW_ARRAY_SIZE(inst.src) && !inst.imm; i++)
		inst.src[i] = random_src(r, vector);
	if (kind == BW_SEM_DUAL) {
		inst.fmt = BW_FMT_VOPD;
		inst.op_y = random_op(r, BW_SEM_DUAL);
		inst.dst_y = (uint16_t)((below(r, VGPRS) & ~1u) | (~inst.dst & 1u));
		info = bw_isa_op_info(inst.op_y);
		for (unsigned i = 0; i < info->n_src && i < BW_ARRAY_SIZE(inst.src_y); i++)
			inst.src_y[i] = i == 0 ? random_src(r, true)
					       : (uint16_t)(BW_SRC_VGPR0 + below(r, VGPRS));
	} else if (vector && one_in(r, 3)) {
		inst.neg = (uint8_t)below(r, 8);
		inst.abs = (uint8_t)below(r, 8);
	}
	for (unsigned i = 0; i < BW_ARRAY_SIZE(inst.src); i++)
		inst.has_literal |=
			inst.src[i] == BW_SRC_LITERAL || inst.src_y[i] == BW_SRC_LITERAL;
	if (inst.has_literal)
		inst.literal = one_in(r, 2) ? next(r) : 0x3f800000 + below(r, 1000);
	size_t n = bw_isa_encode(BW_ISA_GFX11, &inst, word);
	struct bw_inst back;
	return n && bw_isa_decode(BW_ISA_GFX11, word, n, &back) ? n : 0;
}

static size_t random_branch(struct random *r, uint32_t word[3])
{
	static const uint16_t ops[] = {BW_OP_S_CBRANCH_SCC0,  BW_OP_S_CBRANCH_SCC1,
				       BW_OP_S_CBRANCH_VCCZ,  BW_OP_S_CBRANCH_VCCNZ,
				       BW_OP_S_CBRANCH_EXECZ, BW_OP_S_CBRANCH_EXECNZ,
				       BW_OP_S_BRANCH,	      BW_OP_S_NOP};
	word[0] = bw_asm_word(BW_ISA_GFX11, ops[below(r, BW_ARRAY_SIZE(ops))], 0);
	return 1;
}

static void make_program(struct random *r, struct program *p, unsigned lanes)
{
	uint16_t branch_at[MOST];
	unsigned n_branches = 0, n = 1 + below(r, MOST - 1);
	*p = (struct program){.lanes = lanes};
	while (p->n < n) {
		uint32_t word[3];
		bool is_branch = one_in(r, 10);
		size_t size = is_branch	     ? random_branch(r, word)
			      : one_in(r, 4) ? random_access(r, word)
					     : random_row(r, word);
		if (!size)
			continue;
		if (is_branch)
			branch_at[n_branches++] = (uint16_t)p->n_words;
		p->start[p->n++] = p->n_words;
		memcpy(&p->word[p->n_words], word, size * sizeof(*word));
		p->n_words += (unsigned)size;
	}
	for (unsigned i = 0; i < n_branches; i++) {
		unsigned to = below(r, p->n + 1);
		int target = (int)(to == p->n ? p->n_words : p->start[to]);
		p->word[branch_at[i]] |= (uint16_t)(target - branch_at[i] - 1);
	}
}

#endif
