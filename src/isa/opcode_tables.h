/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_OPCODE_TABLES_H
#define BW_ISA_OPCODE_TABLES_H

/* The shape of the tables that tools/gen-isa.py makes of data/isa. Private to isa/. */

#include <stdint.h>

#include "isa/inst.h"
#include "isa/ops.h"

/* The kind of operands that a row allows. */
/* clang-format off */
enum bw_operand_kind {
	BW_OPD_NONE,
	BW_OPD_SSRC,         /* scalar source: SGPR code, constant, literal */
	BW_OPD_SREG,         /* SGPR code only */
	BW_OPD_SDATA,        /* SMEM destination: a run of SGPRs, no M0, no EXEC */
	BW_OPD_SDST,         /* SGPR code in an 8-bit VGPR field */
	BW_OPD_VSRC,         /* any vector source */
	BW_OPD_VGPR,
	BW_OPD_ACC,          /* AccVGPR, in a field of VGPRs */
	BW_OPD_MASK,         /* lane mask in SGPRs */
	BW_OPD_MATC,         /* matrix C: VGPRs or an inline constant */
	BW_OPD_ACC_AB,       /* MAI: VGPRs or AccVGPRs, as a bit for each says */
	BW_OPD_ACC_C,        /* MAI: as the destination, or an inline constant */
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
	BW_ROW_LITERAL = 8,    /* always followed by a literal that is not an operand (SOPK) */
	BW_ROW_SAMPLER = 16,
	BW_ROW_DPP_VGPR1 = 32,  /* with DPP src1 must be a VGPR */
	BW_ROW_DPP9 = 64,      /* DPP forms exist, with the dword of gfx9 */
	BW_ROW_SDWA = 128,     /* SDWA forms exist */
	BW_ROW_SDWA_OMOD = 256,
	BW_ROW_SDWA_SRC = 512, /* SDWA forms have parts of sources only */
	BW_ROW_NO_LITERAL = 1024, /* no literal follows */
	BW_ROW_NEWBCAST = 4096, /* DPP controls have row_newbcast */
	BW_ROW_SDST_PAIR = 2048, /* the second destination is a pair of SGPRs */
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
	uint16_t flags;              /* BW_ROW_* */
	uint16_t reads, writes;      /* enum bw_implicit */
	uint16_t other;              /* a row of the same opcode, for words without the fixed bits of this one; 0: none */
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

/* The fields of one format. */
struct bw_isa_layout {
	/* Takes every field into the member of its name; source fields in their order. */
	void (*get)(const uint32_t *w, struct bw_inst *in);
	/* The opposite. False: one does not fit. */
	bool (*put)(const struct bw_inst *in, uint32_t *w);
	uint64_t mask, value; /* bits that are the same in all of the format */
	uint32_t op_mask;     /* the opcode: (first dword >> op_shift) & op_mask */
	uint8_t op_shift;
	uint8_t nsa_bit; /* MIMG: a dword with address VGPRs follows */
	uint8_t n_dw;	 /* without literal and the like; 0: this generation has no such format */
};

/* One encoding of an opcode. */
struct bw_isa_form {
	uint16_t row, opcode;
	bool is_y; /* VOPD: of the Y half */
};

/* What a generation's assembler calls an opcode. */
struct bw_isa_called {
	uint16_t op;
	const char *name;
};

/* The bits of the first dword from this one on tell all formats apart. */
enum { BW_ISA_HEAD_LO = 23 };

/* One generation. */
struct bw_isa_tables {
	const char *name;	   /* "gfx11" */
	const uint8_t *codes;	   /* [128], of operands: number in a field -> struct bw_inst */
	const uint16_t *numbers;   /* [256], the opposite; 0xffff: has none */
	const uint8_t *first_head; /* by the first dword >> BW_ISA_HEAD_LO; 0: none */
	const struct bw_isa_head
		*heads; /* most specific first; `next`: to try when it does not match */
	const struct bw_isa_space
		*spaces; /* of each format; after them that of the Y halves of VOPD */
	const struct bw_isa_layout *layouts;  /* of each format; VOPD: of the X half */
	const struct bw_isa_layout *layout_y; /* NULL: no VOPD */
	const struct bw_isa_form *forms;      /* by op, then by format; */
	const uint16_t *first_form;	    /* forms of op: first_form[op] to first_form[op + 1] */
	const struct bw_isa_called *called; /* by op; those with another name */
	unsigned n_called;
};

extern const struct bw_isa_fixed bw_isa_fixed[];
extern const struct bw_isa_row bw_isa_rows[];
extern const struct bw_isa_tables bw_isa_tables[BW_ISA_GEN_COUNT];
extern const struct bw_op_info bw_isa_infos[BW_OP_COUNT];

static inline const struct bw_isa_row *bw_isa_row(const struct bw_isa_space *space, unsigned opcode)
{
	unsigned row = opcode < space->n ? space->rows[opcode] : 0;
	return row ? &bw_isa_rows[row] : NULL;
}

/* Special codes of a SRC0 field: the next dword says what it is (doc/hardware/encodings.md 4). */
enum { BW_SRC_DPP8 = 233, BW_SRC_DPP8_FI = 234, BW_SRC_SDWA = 249, BW_SRC_DPP16 = 250 };

/* Compact forms of 16-bit operands: VGPR fields name high halves from here on. */
enum { BW_VGPR_HIGH_HALF = 128 };

#endif
