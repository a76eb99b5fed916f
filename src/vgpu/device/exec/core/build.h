/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_BUILD_H
#define BW_VGPU_EXEC_BUILD_H

/* Making records. */

#include "vgpu/device/exec/core/exec_priv.h"

struct bw_build {
	struct bw_exec *x;
	struct bw_code_page *page;
	struct bw_rec *rec;
	const struct bw_inst *inst;
};

/* VOPD: both halves with their operands as if they were instructions of their own. */
struct bw_dual {
	struct bw_inst inst, inst_y;
	struct bw_rec y;
};

/* DPP: for each lane of a half, the lane that it reads; see dpp.c. */
struct bw_dpp_lanes {
	struct bw_inst inst; /* that of the record */
	uint8_t from[BW_LANES];
	uint32_t in_range;  /* lanes that have a source */
	uint32_t enable[2]; /* row and bank masks, for each half */
	/* gfx942, in place of the first two: lanes of a wave64 read any other one */
	bool is_far;
	uint8_t far_from[2 * BW_LANES];
	uint64_t far_in_range;
};

/* Fills the record of an undecoded place. */
void bw_decode(struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x);
/* gfx942: AccVGPRs become the VGPRs that they are. */
void bw_build_acc(struct bw_inst *inst, unsigned accum_offset);
unsigned bw_type_bits(enum bw_row_type t);
/* Whether NEG and ABS apply to it. */
bool bw_type_is_float(enum bw_row_type t);
/* The host's float mode for a row. */
uint32_t bw_row_mxcsr(const struct bw_map_row *row, const struct bw_fmode *m);
/* A mask result goes to a scalar register or pair, unless that is NULL or hidden. */
void bw_write_mask(struct bw_wave *w, unsigned code, uint64_t mask);

/* Finds the place of a scalar operand. False: the code is illegal. */
bool bw_build_scalar_src(struct bw_build *b, unsigned slot, unsigned code, enum bw_row_type t);
/* False: a TTMP without privilege, the write is to be dropped. */
bool bw_build_scalar_dst(struct bw_build *b, unsigned code, enum bw_row_type t);
/* The value of an operand code that does not name a register for this kind of wave. */
bool bw_constant(const struct bw_exec *x, const struct bw_inst *inst, unsigned code,
		 enum bw_row_type t, const struct bw_rec_ctx *ctx, uint64_t *out);
/* The active lanes of a half that may write (result), and those that read something (out_valid):
 * rules 239 to 245. */
uint32_t bw_dpp_masks(const struct bw_dpp_lanes *d, unsigned half, uint32_t exec,
		      uint32_t *out_valid);
/* The same with the EXEC of the wave. */
uint32_t bw_dpp_far_masks(const struct bw_dpp_lanes *d, unsigned half, uint64_t exec,
			  uint32_t *out_valid);
void bw_dpp_prepare(struct bw_code_page *page, const struct bw_inst *inst, struct bw_rec *rec);

/* SDWA: the parts of source i that an instruction takes, for the lanes of a half, and a lane's
 * result put into a part of the destination. A constant may have from_bits of 16. */
void bw_sdwa_take(const struct bw_inst *inst, unsigned i, const void *from, unsigned from_bits,
		  void *out, unsigned bits);
uint32_t bw_sdwa_put(const struct bw_inst *inst, uint32_t old, uint32_t result);
/* The part of one value of source i. */
uint32_t bw_sdwa_part(const struct bw_inst *inst, unsigned i, uint32_t v);

#endif
