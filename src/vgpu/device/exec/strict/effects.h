/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_EFFECTS_H
#define BW_VGPU_EXEC_EFFECTS_H

/* The registers that an instruction reads and writes, found out once when it is decoded
 * (effects.c), or each time where M0 decides about them (index.c). */

#include "vgpu/device/exec/core/exec_priv.h"

enum { BW_STRICT_VGPRS = 512, BW_STRICT_SGPRS = 128 };

enum bw_half { BW_HALF_BOTH, BW_HALF_LO, BW_HALF_HI };

/* The use that an instruction makes of a register. */
enum bw_role {
	BW_ROLE_VALUE, /* an operand of the ALU */
	BW_ROLE_ALL,   /* the same, in all lanes whatever EXEC says */
	BW_ROLE_ADDR,
	BW_ROLE_DATA, /* goes to memory */
};

struct bw_vregs {
	uint16_t first; /* AccVGPRs have the numbers of the VGPRs that they are */
	uint8_t n;
	uint8_t half; /* enum bw_half */
	uint8_t role; /* enum bw_role */
	uint8_t src;  /* which source of the instruction */
};

struct bw_sregs {
	uint64_t bit[2]; /* by operand code, 0 to 127 */
};

enum bw_unit {
	BW_UNIT_SALU,
	BW_UNIT_VALU,
	BW_UNIT_SMEM,
	BW_UNIT_VMEM, /* buffers, images, global, scratch */
	BW_UNIT_FLAT, /* either that or LDS */
	BW_UNIT_DS,
	BW_UNIT_OTHER,
};

enum bw_access_kind {
	BW_KIND_NONE,
	BW_KIND_LOAD,
	BW_KIND_STORE, /* and atomics without return */
	BW_KIND_ATOMIC_RTN,
};

enum { BW_EFFECTS_READS = 12, BW_EFFECTS_WRITES = 3 };

/* The registers that an instruction reads and writes. */
struct bw_effects {
	enum bw_unit unit;
	enum bw_access_kind access;
	uint8_t n_reads, n_writes;
	bool trans;		      /* v_exp, v_rcp and their like */
	bool writes_exec, reads_mask; /* a VALU's lane mask, in mask_reg */
	bool literal, scalar_operand; /* VALU: an SGPR that a field names, VCC or a literal */
	uint8_t mask_reg;	      /* operand code */
	uint8_t size_b;		      /* of the element, or of all dwords of a scalar load */
	uint8_t lgkm;		      /* how much it adds to LGKMcnt */
	uint8_t x_reads;	      /* VOPD: how many of read[] are the X half's */
	uint8_t sdw[3];		      /* SALU: registers of each source */
	uint8_t vm_type; /* of loads that count in VMcnt: 0 plain, 1 with a sampler, 2 ray */
	struct bw_vregs read[BW_EFFECTS_READS];
	struct bw_vregs write[BW_EFFECTS_WRITES];
	struct bw_sregs sread, swrite;
	struct bw_sregs saddr; /* registers of sread that are part of an address */
	struct bw_sregs data;  /* registers that are numbers, not masks or descriptors */
};

void bw_effects_of(const struct bw_inst *inst, const struct bw_rec *rec,
		   const struct bw_rec_ctx *ctx, struct bw_effects *out);
/* Whether bw_effects_index has to be asked each time. */
bool bw_effects_are_indexed(unsigned op);
/* Puts what M0 chooses into the effects, and into the scalar operands, of copies. */
void bw_effects_index(struct bw_inst *inst, struct bw_effects *e, const struct bw_wave *w);
/* The same between s_set_gpr_idx_on and _off of gfx942 (core/indexed.c). */
void bw_effects_index9(const struct bw_op_info *info, struct bw_effects *e,
		       const struct bw_wave *w);

static inline bool bw_sregs_has(const struct bw_sregs *s, unsigned code)
{
	return s->bit[code >> 6] >> (code & 63) & 1;
}

static inline void bw_sregs_add(struct bw_sregs *s, unsigned code, unsigned n)
{
	for (unsigned i = 0; i < n && code + i < BW_STRICT_SGPRS; i++)
		s->bit[(code + i) >> 6] |= 1ull << ((code + i) & 63);
}

static inline void bw_sregs_remove(struct bw_sregs *s, const struct bw_sregs *what)
{
	s->bit[0] &= ~what->bit[0];
	s->bit[1] &= ~what->bit[1];
}

static inline bool bw_sregs_overlap(const struct bw_sregs *a, const struct bw_sregs *b)
{
	return (a->bit[0] & b->bit[0]) || (a->bit[1] & b->bit[1]);
}

static inline unsigned bw_sregs_first(const struct bw_sregs *a, const struct bw_sregs *b)
{
	uint64_t lo = a->bit[0] & b->bit[0];
	return lo ? (unsigned)__builtin_ctzll(lo)
		  : 64 + (unsigned)__builtin_ctzll(a->bit[1] & b->bit[1]);
}

#endif
