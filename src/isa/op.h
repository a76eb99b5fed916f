/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_OP_H
#define BW_ISA_OP_H

/* Properties of opcodes from data/isa, apart from their encodings. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/gens.h" /* generated: enum bw_isa_gen { BW_ISA_GFX11, ... } */

/* An opcode is a number of the generated enum bw_op { BW_OP_ILLEGAL, BW_OP_V_ADD_F32, ...
 * BW_OP_COUNT } in isa/ops.h. Only files that name opcodes include that: they are compiled again
 * when one is added. */

/* clang-format off */
enum bw_fmt {
	BW_FMT_ILLEGAL,
	BW_FMT_SOP1, BW_FMT_SOP2, BW_FMT_SOPC, BW_FMT_SOPK, BW_FMT_SOPP, BW_FMT_SMEM,
	BW_FMT_VOP1, BW_FMT_VOP2, BW_FMT_VOPC, BW_FMT_VOP3, BW_FMT_VOP3SD, BW_FMT_VOP3P, BW_FMT_MAI,
	BW_FMT_VOPD, BW_FMT_VINTERP, BW_FMT_LDSDIR, BW_FMT_DS,
	BW_FMT_FLAT, BW_FMT_GLOBAL, BW_FMT_SCRATCH,
	BW_FMT_MUBUF, BW_FMT_MTBUF, BW_FMT_MIMG, BW_FMT_EXP,
	BW_FMT_COUNT,
};

enum bw_op_class { BW_CLASS_MAP, BW_CLASS_CMP, BW_CLASS_SCALAR, BW_CLASS_MEM, BW_CLASS_WAVE, BW_CLASS_CTRL };

/* The places where control can go after an instruction. */
enum bw_flow {
	BW_FLOW_NEXT,        /* pc + size */
	BW_FLOW_BRANCH,      /* always to target */
	BW_FLOW_COND_BRANCH, /* to target or next */
	BW_FLOW_CALL,        /* s_call_b64: target, link register in dst */
	BW_FLOW_INDIRECT,    /* s_setpc, s_swappc, s_rfe: target in src[0] */
	BW_FLOW_GETPC,       /* continues with the next instruction, but its result depends on the PC */
	BW_FLOW_END,         /* s_endpgm and kin */
	BW_FLOW_TRAP,        /* s_trap */
	BW_FLOW_STACK,       /* s_cbranch_g_fork, s_cbranch_i_fork, s_cbranch_join: to where EXEC and a stack of branches say */
};

enum bw_op_flag {
	/* Memory, LDS and GDS: each has one of the first three; ds_bvh_stack loads and stores. Exports and
	 * what only asks something about an image have none. */
	BW_OPF_LOAD = 1 << 0,
	BW_OPF_STORE = 1 << 1,
	BW_OPF_ATOMIC = 1 << 2,         /* reads and writes in one, with or without a result */
	BW_OPF_TO_LDS = 1 << 3,         /* loaded data go to LDS */
	BW_OPF_ADDTID = 1 << 4,         /* the lane's number makes the address, no VGPR does */
	BW_OPF_TWO_ADDRESSES = 1 << 5,
	BW_OPF_INVALIDATE = 1 << 6,     /* empties a cache */
	/* ALU */
	BW_OPF_TRANS = 1 << 7,          /* the transcendental unit's */
	BW_OPF_PERMLANE = 1 << 8,
	BW_OPF_KEEPS_DST = 1 << 9,      /* its dst: operand is not an input of a computation: the part that is not written remains, or moves elsewhere */
	/* Modifiers that some form of it can have. */
	BW_OPF_DPP = 1 << 10, BW_OPF_CLAMP = 1 << 11, BW_OPF_OMOD = 1 << 12, BW_OPF_NEG = 1 << 13 /* and abs */,
	BW_OPF_OP_SEL = 1 << 14,
};

enum bw_operand_type {
	BW_OPERAND_NONE,
	BW_OPERAND_BITS, BW_OPERAND_UINT, BW_OPERAND_INT, BW_OPERAND_FLOAT, BW_OPERAND_BFLOAT,
	BW_OPERAND_IU,       /* integers, signed where neg says so */
	BW_OPERAND_ADDRESS,
	BW_OPERAND_MASK,     /* of lanes: 32 or 64 bits */
	BW_OPERAND_IMM,      /* a field is the value */
	BW_OPERAND_LITERAL,
	BW_OPERAND_BUFFER, BW_OPERAND_IMAGE, BW_OPERAND_SAMPLER, BW_OPERAND_BVH, /* descriptors */
	BW_OPERAND_VADDR,    /* address VGPRs, their number depends on other fields */
	BW_OPERAND_TEXEL, BW_OPERAND_FORMAT, BW_OPERAND_EXPORT, BW_OPERAND_ATTR,
};

/* The purpose of an operand, or another special property of it. */
enum bw_operand_use {
	BW_USE_NONE,
	BW_USE_VCC, BW_USE_EXEC,           /* implied, not encoded */
	BW_USE_ADDR,                       /* DS: encoded in the field ADDR, and not only an address of memory */
	BW_USE_SOFFSET, BW_USE_MIP, BW_USE_MSG, BW_USE_TRAPID, BW_USE_REL, BW_USE_HWREG,
	BW_USE_IMM,                        /* SIMM16 is the value */
	BW_USE_LANE, BW_USE_LANE_X4,       /* number of a lane, times 4 */
	BW_USE_SCALAR, BW_USE_SEL_LO, BW_USE_SEL_HI, /* any scalar source, no VGPR */
	BW_USE_SGPR, BW_USE_VGPR, BW_USE_ACC, /* registers only; the last: AccVGPRs */
	BW_USE_NEW_CMP,                    /* the new value, then the one to compare with */
	BW_USE_ADDEND, BW_USE_FACTOR,
};

struct bw_operand {
	uint8_t type;          /* enum bw_operand_type */
	uint8_t use;           /* enum bw_operand_use */
	uint8_t n;             /* elements */
	uint16_t bits;         /* of all elements; 0: depends on the wave size or on other fields */
	bool is_packed;        /* several elements in a register, computed with one by one */
	bool is_matrix;        /* n VGPRs of a matrix; C and D take half as many in wave64 */
	bool is_dst;           /* sources: the destination is read, too; it is not an operand of its own */
	bool is_optional;      /* there only when other fields say so (GLC, SVE, SADDR) */
	bool is_low, is_high;  /* this half of the register */
};

enum { BW_OP_MAX_DST = 2, BW_OP_MAX_SRC = 4 };

/* Strings are static. */
struct bw_op_info {
	const char *name;        /* "v_add_f32" */
	enum bw_fmt fmt;         /* the shortest format it exists in */
	enum bw_op_class class;
	enum bw_flow flow;
	uint16_t same;           /* VOPD halves: the instruction that computes the same; others: itself */
	uint32_t flags;          /* enum bw_op_flag */
	uint8_t n_dst, n_src;
	struct bw_operand dst[BW_OP_MAX_DST], src[BW_OP_MAX_SRC];
	struct bw_operand mem;   /* element moved, BW_OPERAND_NONE if none */
};
/* clang-format on */

const struct bw_op_info *bw_isa_op_info(unsigned op);
const char *bw_isa_fmt_name(enum bw_fmt fmt);
/* BW_OP_ILLEGAL when there is none of that name. */
unsigned bw_isa_op_by_name(const char *name);
/* The name that the generation's assembler has for it, without _e32 and the like. On gfx942 it is
 * "global_store_dword" for the opcode that is global_store_b32 in its row (bw_isa_op_by_name): rows
 * have the names of gfx11. Static. */
const char *bw_isa_op_name(enum bw_isa_gen gen, unsigned op);
/* "gfx11" */
const char *bw_isa_gen_name(enum bw_isa_gen gen);
/* False: data/isa does not have it. */
bool bw_isa_gen_by_name(const char *name, enum bw_isa_gen *out);

/* 32-bit registers of an operand of a wave with so many lanes, at least 1. is_c: of a matrix C or
 * D. */
unsigned bw_operand_n_regs(const struct bw_operand *operand, unsigned lanes, bool is_c);

/* Whether the generation has the opcode. */
bool bw_isa_has_op(enum bw_isa_gen gen, unsigned op);

/* Every encoding of an opcode: the formats it exists in and its number there. */
struct bw_op_encoding {
	enum bw_fmt fmt;
	uint16_t opcode;
	bool is_y;		/* VOPD: the number in the Y half's field */
	uint16_t reads, writes; /* enum bw_implicit */
};
/* Fills at most max of out; returns how many there are. */
size_t bw_isa_op_encodings(enum bw_isa_gen gen, unsigned op, struct bw_op_encoding *out,
			   size_t max);

#endif
