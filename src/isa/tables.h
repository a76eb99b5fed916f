/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_TABLES_H
#define BW_ISA_TABLES_H

/* The shape of the tables that tools/gen-isa.py makes of data/isa/gfx11.enc. Private to isa/. */

#include <stdint.h>

#include "isa/inst.h"

/* What an operand of a row may be. */
/* clang-format off */
enum bw_operand_kind {
	BW_OPD_NONE,
	BW_OPD_SSRC,         /* scalar source: SGPR code, constant, literal */
	BW_OPD_SREG,         /* SGPR code only */
	BW_OPD_SDATA,        /* SMEM destination: a run of SGPRs, no M0, no EXEC */
	BW_OPD_SDST,         /* SGPR code in an 8-bit VGPR field */
	BW_OPD_VSRC,         /* any vector source */
	BW_OPD_VGPR,
	BW_OPD_MASK,         /* lane mask in SGPRs */
	BW_OPD_MATC,         /* matrix C: VGPRs or an inline constant */
	BW_OPD_INTERP,       /* VINTERP: VGPR, SGPR or inline constant */
	BW_OPD_IMM,          /* the field itself is the value */
	BW_OPD_LIT,          /* the literal, without a field */
	BW_OPD_IMPLIED_VCC,
	BW_OPD_IMPLIED_EXEC,
};

enum {
	BW_ROW_DPP = 1,        /* DPP forms exist */
	BW_ROW_SDST = 2,       /* second destination, a lane mask */
	BW_ROW_DST_IF_GLC = 4, /* the destination is written only with GLC */
	BW_ROW_LITERAL = 8,    /* always followed by a literal that is no operand (SOPK) */
	BW_ROW_SAMPLER = 16,
	BW_ROW_DPP_VGPR1 = 32,  /* with DPP src1 must be a VGPR */
};

struct bw_isa_row {
	uint16_t op;
	uint8_t fmt, n_src;
	uint8_t kind[3], n_reg[3];   /* sources; n_reg counts 32-bit registers */
	uint8_t dst_kind, dst_n_reg;
	uint8_t half;                /* compact formats: bit i: src i is 16 bits wide; bit 3: dst */
	uint8_t neg;                 /* bit i: src i can have neg and abs (by the DPP dword of compact forms) */
	uint8_t addr_n_reg, data_n_reg, data1_n_reg;
	uint8_t rsrc_n_reg;          /* SMEM SBASE, SRSRC: SGPRs; 0: not read */
	uint8_t fixed;               /* index into bw_isa_fixed */
	uint8_t flags;               /* BW_ROW_* */
	uint16_t reads, writes;      /* enum bw_implicit */
};
/* clang-format on */

struct bw_isa_head {
	uint32_t mask, value; /* first dword */
	uint8_t fmt, next;
};

struct bw_isa_fixed {
	uint64_t mask, value;
	uint64_t unused; /* bits that are ignored */
};

struct bw_isa_space {
	const uint16_t *rows; /* opcode -> index into bw_isa_rows, 0 none */
	unsigned n;
};

extern const uint8_t bw_isa_first_head[512];
extern const struct bw_isa_head bw_isa_heads[];
extern const struct bw_isa_fixed bw_isa_fixed[];
extern const struct bw_isa_row bw_isa_rows[];
extern const struct bw_isa_space bw_isa_spaces[BW_FMT_COUNT];
extern const struct bw_isa_space bw_isa_space_vopd_y;
extern const struct bw_op_info bw_isa_infos[BW_OP_COUNT];

#endif
