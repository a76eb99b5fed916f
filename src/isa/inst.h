/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_INST_H
#define BW_ISA_INST_H

/* One decoded instruction: the fields of its encoding, named, with nothing interpreted. The tables
 * come from data/isa. Pure: bytes in, struct out, and back.
 *
 * An opcode that exists in a compact and in a 64-bit form is one bw_op with the same operands in
 * both: what the compact form implies is filled in (see src, sdst and dst). Operands that name
 * several SGPRs have their low bits cleared as the hardware does (s5 of a 64-bit operand is s4), so
 * that the whole run lies within 0..127. Runs of VGPRs end at v255 at the latest, except where
 * their length depends on the wave size (WMMA C and D) or on the image (MIMG). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/op.h"

/* clang-format off */
/* Operand codes, as in the 9-bit SRC fields of gfx11; 7- and 8-bit fields use the same numbers. They are
 * canonical: what a generation numbers otherwise (M0 is 124 in words of gfx942) has these here. Reserved codes
 * make an instruction illegal, except 239, 251, 252 and (32-bit vector sources) 254, which the manual
 * reserves and LLVM 19 decodes (POPS_EXITING_WAVE_ID, VCCZ, EXECZ, LDS_DIRECT): they pass.
 * Lane masks: a source is 0..125, a destination 0..127; in wave64 the pair begins at code & ~1. */
enum {
	BW_SRC_FLAT_SCRATCH_LO = 102, BW_SRC_XNACK_MASK_LO = 104, /* gfx942: what is s102 to s105 elsewhere */
	BW_SRC_VCC_LO = 106, BW_SRC_VCC_HI = 107,
	BW_SRC_TTMP0 = 108, BW_SRC_NULL = 124, BW_SRC_M0 = 125,
	BW_SRC_EXEC_LO = 126, BW_SRC_EXEC_HI = 127,
	BW_SRC_INT_0 = 128, BW_SRC_INT_64 = 192, BW_SRC_INT_NEG_16 = 208, BW_SRC_SHARED_BASE = 235, BW_SRC_SHARED_LIMIT, BW_SRC_PRIVATE_BASE,
	BW_SRC_PRIVATE_LIMIT, BW_SRC_HALF = 240, BW_SRC_INV_2PI = 248,
	BW_SRC_SCC = 253, BW_SRC_LITERAL = 255,
	BW_SRC_VGPR0 = 256,
	BW_SRC_ACC0 = 512, /* gfx942: AccVGPRs */
};

/* The bit of bw_inst.op_sel for the destination's half. */
enum { BW_OP_SEL_DST = 1 << 3 };

enum bw_dpp { BW_DPP_NONE, BW_DPP_8, BW_DPP_16 };

/* Parts of a register. */
enum bw_sdwa_sel { BW_SDWA_BYTE_0, BW_SDWA_BYTE_1, BW_SDWA_BYTE_2, BW_SDWA_BYTE_3, BW_SDWA_WORD_0, BW_SDWA_WORD_1, BW_SDWA_DWORD };
/* What becomes of the rest of the destination: zeros, the sign of the part, or what it was. */
enum bw_sdwa_unused { BW_SDWA_PAD, BW_SDWA_SEXT, BW_SDWA_PRESERVE };

/* Registers that an instruction reads or writes without a field that names them. */
enum bw_implicit {
	BW_IMPLICIT_SCC = 1 << 0,
	BW_IMPLICIT_VCC = 1 << 1,
	BW_IMPLICIT_EXEC = 1 << 2,
	BW_IMPLICIT_M0 = 1 << 3,
	BW_IMPLICIT_FLAT_SCR = 1 << 4,
	BW_IMPLICIT_MODE = 1 << 5,
	BW_IMPLICIT_STATUS = 1 << 6,
	BW_IMPLICIT_PC = 1 << 7,    /* its value is read or written: jumps, s_getpc. Advancing it does not count */
	BW_IMPLICIT_TTMP0 = 1 << 8, BW_IMPLICIT_TTMP1 = 1 << 9,
	BW_IMPLICIT_HWREG = 1 << 10, /* s_getreg, s_setreg: the one that the immediate names */
};

struct bw_inst {
	uint16_t op;       /* enum bw_op (isa/ops.h) */
	enum bw_fmt fmt;
	uint16_t opcode;   /* number within the format */
	uint8_t size_b;    /* 4, 8 or 12; 4 when illegal */
	uint8_t n_src;     /* of src[] */
	bool has_literal;
	uint16_t reads, writes; /* enum bw_implicit, of both halves of a VOPD. Of this form: compact v_cndmask
	                    * reads VCC, the 64-bit form only where src[2] says so. Registers that src, sdst and dst imply (see there) are in both places */
	bool padded;       /* bits that it does not use are not 0: LLVM does not decode it, the hardware does
	                    * not look (ISA manual). Nothing here comes from them */
	uint32_t literal;

	uint16_t dst;      /* vector formats: VGPR number; scalar formats: SGPR code 0..127, also of what an SMEM
	                    * store stores. v_readlane,
	                    * v_readfirstlane and v_cmp: SGPR code (compact v_cmp: VCC_LO; v_cmpx in
	                    * either form: EXEC_LO). v_cmpx of gfx942 has the dst of v_cmp; `writes` has EXEC */
	uint16_t sdst;     /* VOP3SD: mask destination, SGPR code; VOP2 v_add_co_ci_u32 and kin: VCC_LO */
	uint16_t src[3];   /* operand codes; VGPRs are 256 + n in every format, VSRC1 included. SMEM: none.
	                    * SOPK: none (dst is read where the opcode says so). 255 means `literal`, also
	                    * for K of fmaak (src[2]) and fmamk (src[1]): all are src0 * src1 + src2.
	                    * Compact v_cndmask and v_add_co_ci: src[2] is VCC_LO. s_sendmsg_rtn: the message id, which is not an operand code */
	int32_t imm;       /* SIMM16 sign-extended; memory formats: byte offset, signed where the format
	                    * says so; DS: OFFSET1:OFFSET0 as 16 bits */

	/* modifiers of the vector ALU */
	uint8_t abs, neg;          /* bit i for src[i]; VOP3P: neg is the low half */
	uint8_t neg_hi;            /* VOP3P */
	uint8_t op_sel;            /* bit i for src[i], BW_OP_SEL_DST; compact 16-bit formats: high
	                    * halves folded in here too */
	uint8_t op_sel_hi;         /* VOP3P, 3 bits */
	uint8_t omod;              /* 0 none, 1 x2, 2 x4, 3 /2 */
	bool clamp;

	enum bw_dpp dpp;           /* src[0] is then the VGPR of the DPP dword */
	uint16_t dpp_ctrl;         /* DPP16: 9 bits */
	uint32_t dpp8_sel;         /* DPP8: 24 bits, 3 a lane */
	uint8_t row_mask, bank_mask;
	bool bound_ctrl, fi;       /* gfx942: no fi */

	bool sdwa;                 /* gfx942: parts of registers are operands. src[0] and src[1] are any source but a literal */
	uint8_t src_sel[2], dst_sel; /* enum bw_sdwa_sel; dst_sel: not of compares */
	uint8_t sext;              /* bit i: the part of src[i] is signed */
	uint8_t dst_unused;        /* enum bw_sdwa_unused */

	uint8_t cbsz, abid, blgp;  /* MAI */

	/* memory formats */
	uint8_t vaddr;             /* VGPR numbers: ADDR, */
	uint16_t vdata, vdata2;    /* DATA (DATA0), DATA1. dst is VDST */
	uint8_t saddr;             /* SGPR code: FLAT family SADDR, SMEM SBASE (already x2), MUBUF SOFFSET
	                            * (8-bit operand code), 124 = none */
	uint8_t soffset;           /* SMEM SOFFSET code; 124 = none */
	uint8_t srsrc, ssamp;      /* first SGPR (already x4) */
	/* gfx942: SC0, NT and SC1 are glc, slc and dlc; tbuf_format is DFMT in 4 bits and NFMT above them */
	bool glc, slc, dlc, gds, sve, tfe, lwe, offen, idxen, r128, a16, d16, unrm;
	bool acc;                  /* gfx942: the data are in AccVGPRs; vector formats: dst is */
	uint8_t offset0, offset1;  /* DS two-address forms */
	uint8_t dmask, dim, tbuf_format;
	uint8_t n_nsa, nsa[5];     /* MIMG: address VGPRs after the first */

	/* EXP, VINTERP, LDSDIR */
	uint8_t exp_en, exp_target, exp_src[4];
	bool exp_done, exp_row;
	uint8_t wait;              /* VINTERP WAIT_EXP, LDSDIR WAIT_VDST */
	uint8_t attr, attr_chan;   /* LDSDIR */

	/* VOPD: the fields above are the X half, these the Y half */
	uint16_t op_y;
	uint16_t dst_y, src_y[3];  /* fmac and friends read dst */
	uint16_t opcode_y;
	uint8_t n_src_y;
};
/* clang-format on */

/* Decodes the instruction at words[0]. n_dw: how many dwords may be read (1 to 3 are enough).
 * Returns false when the words are not an instruction of the generation, or when it does not fit in
 * n_dw; out_inst then says BW_OP_ILLEGAL, 4 bytes, and carries fmt and opcode as far as they could
 * be told. */
bool bw_isa_decode(enum bw_isa_gen gen, const uint32_t *words, size_t n_dw,
		   struct bw_inst *out_inst);
/* Like bw_isa_decode, at an offset of code as bytes: as many dwords are read as there are. */
bool bw_isa_decode_at(enum bw_isa_gen gen, const void *code, uint64_t size_b, uint64_t at,
		      struct bw_inst *out_inst);

/* Clears the bits of a decoded instruction that make it `padded`, as far as they are fields that
 * its opcode does not use (the DPP dword's modifiers stay). */
void bw_isa_drop_unused(enum bw_isa_gen gen, const struct bw_inst *inst, uint32_t *words);

/* The opposite of bw_isa_decode: the words that decode to inst. Fields that follow from the others
 * are ignored: opcode, opcode_y, size_b, n_src, n_src_y, reads, writes, padded. fmt may be
 * BW_FMT_ILLEGAL: the shortest format that can encode it. Unused bits are 0. Returns the number of
 * dwords, 1 to 3, or 0: there is no such instruction, or it cannot have what inst has (out is
 * undefined then). */
size_t bw_isa_encode(enum bw_isa_gen gen, const struct bw_inst *inst, uint32_t out[3]);

/* The places where control can go after the instruction at pc (for stepping). */
enum bw_flow bw_isa_flow(const struct bw_inst *inst, uint64_t pc, uint64_t *out_target);

#endif
