/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_INIT_PRIV_H
#define BW_VGPU_EXEC_CHECK_INIT_PRIV_H

#include "vgpu/device/exec/check/check_priv.h"
#include "vgpu/device/exec/check/init.h"
#include "vgpu/device/exec/check/undef.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/strict/effects.h"

/* Where an undefined value comes from: 0: nowhere; a register that nobody wrote; or a load, by the
 * number of its place. */
enum {
	BW_ORIGIN_VGPR0 = 1,
	BW_ORIGIN_SGPR0 = BW_ORIGIN_VGPR0 + BW_STRICT_VGPRS,
	BW_ORIGIN_SCC = BW_ORIGIN_SGPR0 + BW_STRICT_SGPRS,
	BW_ORIGIN_UNKNOWN,
	BW_ORIGIN_LOAD0 = 1024,
	BW_ORIGIN_LOADS = 8192,
};
typedef uint16_t bw_init_origin;

/* Memory that is the kernel's own: LDS, or the scratch of a wave with its lanes' bytes together.
 * Zeroed pages cost nothing, so bits are set where bytes are defined. */
struct bw_own_memory {
	uint8_t *defined;
	bw_init_origin *origin; /* of each dword: of undefined values that were stored */
	uint32_t size_b;
};

/* Undefined bits of a wave's registers. */
struct bw_init_wave {
	uint32_t s[BW_STRICT_SGPRS];
	bw_init_origin s_origin[BW_STRICT_SGPRS];
	bool scc;
	bw_init_origin scc_origin;
	uint64_t code_va;
	unsigned n_vgprs, lanes;
	uint32_t lane_scratch_b;
	bool v_any[BW_STRICT_VGPRS];
	struct bw_own_memory scratch; /* made when it is first used */
	bw_init_origin *v_origin;
	uint32_t v[]; /* VGPR n, lane l: v[n * lanes + l] */
};

struct bw_init_group {
	struct bw_init_group *next, **prev; /* of all */
	struct bw_check *check;
	struct bw_own_memory lds;
	uint64_t code_va;
	struct bw_init_wave *wave[32];
};

/* An ALU's operand. */
enum bw_init_source {
	BW_SOURCE_CONSTANT,
	BW_SOURCE_VGPR,
	BW_SOURCE_SGPR,
	BW_SOURCE_SCC,
	BW_SOURCE_MASK, /* the lane's bit of SGPRs */
};
struct bw_init_operand {
	uint8_t kind; /* enum bw_init_source */
	uint8_t n_regs;
	uint16_t reg;
	uint8_t shift, bits; /* the part of the register */
	uint16_t code;	     /* of a constant */
};

/* One of the two halves of VOPD, or the one of all others. */
struct bw_init_half {
	uint8_t rule; /* enum bw_undef_rule */
	uint8_t n_src, bits;
	bool cancels;
	struct bw_init_operand src[4];
	int16_t dst; /* VGPR; -1: none */
	uint8_t n_dst, dst_shift, dst_bits;
	int16_t mask; /* SGPR of a lane mask that it writes; -1: none */
	bool mask_is_condition;
};

enum bw_init_kind {
	BW_INIT_OTHER, /* all that it writes counts as defined */
	BW_INIT_VALU,
	BW_INIT_SALU,
	BW_INIT_LANE, /* v_readlane, v_readfirstlane, v_writelane */
	BW_INIT_SWAP,
	BW_INIT_LDS,
	BW_INIT_SCRATCH,
	BW_INIT_FLAT,
};

/* An instruction, decoded for this. */
struct bw_init_op {
	bw_handler *fn;
	struct bw_inst inst;
	const struct bw_op_info *info;
	struct bw_effects e;
	uint8_t kind; /* enum bw_init_kind */
	bool indexed;
	uint8_t n_halves;
	struct bw_init_half half[2];
	uint32_t word[3];
	uint8_t n_words;
	bw_init_origin origin; /* of what it loads; 0: not known yet */
	uint64_t origin_code_va;
};

struct bw_init_step {
	struct bw_exec *x;
	struct bw_wave *w;
	struct bw_init_group *g;
	struct bw_init_wave *iw;
	struct bw_init_op *op;
	const struct bw_rec *rec;
	uint64_t pc, exec;
};

static inline uint32_t *bw_init_v(struct bw_init_wave *iw, unsigned reg)
{
	return iw->v + (size_t)reg * iw->lanes;
}

static inline bw_init_origin *bw_init_v_origin(struct bw_init_wave *iw, unsigned reg)
{
	return iw->v_origin + (size_t)reg * iw->lanes;
}

/* init.c: the lanes of a register get undefined bits; of a part of it. */
void bw_init_set_lane(struct bw_init_wave *iw, unsigned reg, unsigned lane, uint32_t part,
		      uint32_t undef, bw_init_origin origin);
void bw_init_define(struct bw_init_wave *iw, unsigned reg, uint32_t part, uint64_t lanes);
bool bw_init_make_scratch(struct bw_init_wave *iw);
/* init.c: frees a group and its waves. */
void bw_init_free_group(struct bw_init_group *g);
void bw_init_define_results(struct bw_init_step *t);
void bw_init_set_sgpr(struct bw_init_wave *iw, unsigned code, uint32_t undef,
		      bw_init_origin origin);

/* init_decode.c */
void bw_init_prepare_alu(struct bw_init_op *op, const struct bw_rec_ctx *ctx);
/* Shifts the VGPRs of a copy of a VALU's instruction by M0. */
void bw_init_index_gfx9(struct bw_init_op *op, const struct bw_wave *w);
/* s_and_saveexec and its like. */
bool bw_init_has_exec_source(const struct bw_inst *in);

/* init_alu.c */
void bw_init_valu(struct bw_init_step *t);
void bw_init_salu(struct bw_init_step *t);
void bw_init_lane(struct bw_init_step *t);
void bw_init_swap(struct bw_init_step *t);

/* init_memory.c: addresses and data of any memory instruction; what LDS and scratch give. */
void bw_init_memory(struct bw_init_step *t);

/* strict/outstanding.c */
const char *bw_sreg_name(unsigned code, char out[16]);
const char *bw_vreg_name(const struct bw_wave *w, unsigned reg, char out[16]);

/* init_report.c */
void bw_init_add_group(struct bw_init_group *g);
void bw_init_remove_group(struct bw_init_group *g);
void bw_init_report(struct bw_init_step *t, enum bw_init_use use, unsigned lane,
		    bw_init_origin origin);
/* The origin of what this instruction loads from LDS or scratch, or takes from a lane. */
bw_init_origin bw_init_origin_of_load(struct bw_init_step *t, enum bw_init_memory memory,
				      uint32_t at);

#endif
