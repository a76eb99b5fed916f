/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_STENCIL_H
#define BW_VGPU_EXEC_STENCIL_H

/* The pieces of machine code that compiled blocks are made of (stencils.c), found by what they
 * do. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is put into a hole; the comment at the top of stencils.c has their meanings. */
enum bw_hole_kind {
	BW_HOLE_D,
	BW_HOLE_DH,
	BW_HOLE_A,
	BW_HOLE_AH,
	BW_HOLE_B,
	BW_HOLE_BH,
	BW_HOLE_C,
	BW_HOLE_CH,
	BW_HOLE_M,
	BW_HOLE_N,
	BW_HOLE_EXEC,
	BW_HOLE_LANE0,
	BW_HOLE_T,
	BW_HOLE_F,
	BW_HOLE_COUNT,
	BW_HOLE_KEEP,
	BW_HOLE_FLIP,
	BW_HOLE_VALUES, /* so many are values; the others are places beside the code */
	BW_HOLE_CONT = BW_HOLE_VALUES,
	BW_HOLE_SKIP, /* after the call that follows the stencil */
	BW_HOLE_MASKED,
	BW_HOLE_KONST,
	BW_HOLE_ORIGINAL,
	BW_HOLE_DATA,
};

/* 32 bits at `at` become the value, or the distance of the place from there, plus addend. */
struct bw_hole {
	uint16_t at;
	uint8_t what; /* enum bw_hole_kind */
	bool is_relative;
	int32_t addend;
};

struct bw_stencil {
	const uint8_t *code;
	const struct bw_hole *hole;
	unsigned size_b, n_holes;
};

/* What holds a block together. */
enum bw_block_part {
	BW_PART_ENTER_32,
	BW_PART_ENTER_64,
	BW_PART_LEAVE,
	BW_PART_LANES,
	BW_PART_SPREAD_S32,
	BW_PART_SPREAD_S64,
	BW_PART_SPREAD_K32,
	BW_PART_SPREAD_K64,
	BW_PART_SIGN_V,
	BW_PART_SIGN_X,
	BW_PART_CALL,
	BW_PART_BRANCH_SCC0_32,
	BW_PART_BRANCH_SCC1_32,
	BW_PART_BRANCH_VCCZ_32,
	BW_PART_BRANCH_VCCNZ_32,
	BW_PART_BRANCH_EXECZ_32,
	BW_PART_BRANCH_EXECNZ_32,
	BW_PART_BRANCH_VCCZ_64,
	BW_PART_BRANCH_VCCNZ_64,
	BW_PART_BRANCH_EXECZ_64,
	BW_PART_BRANCH_EXECNZ_64,
};

/* Forms of the sources of a lane-wise row. */
enum bw_src_form { BW_SRC_FORM_V, BW_SRC_FORM_S, BW_SRC_FORM_K, BW_SRC_FORM_X, BW_SRC_FORM_P };

/* Forms of the address of a memory instruction: V in VGPRs or, of scalar loads, a pair of SGPRs or
 * a descriptor; S: and in an SGPR, or a pair of them. Of buffers V is an offset, and S an index. */
enum bw_memory_form { BW_MEMORY_FORM_V, BW_MEMORY_FORM_S };

struct bw_map_row;
struct bw_scalar_row;

/* Whether this machine can use stencils: they were built, and it has AVX2. */
bool bw_stencils_usable(void);
/* False: there is none, and the instruction is interpreted. Sources 1 and 2 are V, X or P; those
 * that a row does not have are V. Of compares the masked one serves all lanes as well. */
bool bw_stencil_row(const struct bw_map_row *row, const enum bw_src_form form[3], bool masked,
		    struct bw_stencil *out);
/* form: of bw_rec. */
bool bw_stencil_scalar(const struct bw_scalar_row *row, unsigned form, struct bw_stencil *out);
bool bw_stencil_has_memory(unsigned op);
/* lanes: 32 or 64; of scalar loads 32, for all lanes. */
bool bw_stencil_memory(unsigned op, enum bw_memory_form form, unsigned lanes, bool masked,
		       struct bw_stencil *out);
struct bw_stencil bw_stencil_part(enum bw_block_part part);
/* Constants of stencils: a copy lies at most 2 GB from the code, at a multiple of 64 bytes. */
const void *bw_stencil_data(size_t *out_size_b);

#endif
