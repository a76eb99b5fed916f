/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_STRICT_PRIV_H
#define BW_VGPU_EXEC_STRICT_PRIV_H

/* The inside of strict mode. An instruction goes through these steps:
 *
 *     effects.c   what it reads and writes, found out once when it is decoded
 *     index.c     the same where M0 decides about it
 *     wait.c      counters, and results that have not arrived
 *     defined.c   which lanes of which registers were never written
 *     hazard.c    pairs of instructions
 *     cache.c     stale lines
 *     strict.c           the order of all that, around the instruction's own handler
 *
 * A wave's state is used by the thread that runs the wave. */

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu/device/exec/core/apertures.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/strict/strict.h"

enum { BW_STRICT_VGPRS = 256, BW_STRICT_SGPRS = 128 };

/* The content of registers that were never written. As an address it is not canonical, as a float
 * not a number. The low byte of a VGPR's is its number: scratch that has it holds a spilled
 * register (defined.c). */
enum {
	BW_POISON_VGPR = 0xffbad000,
	BW_POISON_SGPR = 0xffba5000,
	BW_POISON_LDS = 0xffb1d500,
	BW_POISON_SCRATCH = 0xffb5c500,
};

enum bw_half { BW_HALF_BOTH, BW_HALF_LO, BW_HALF_HI };

/* The use that an instruction makes of a register. */
enum bw_role {
	BW_ROLE_VALUE, /* an operand of the ALU */
	BW_ROLE_ALL,   /* the same, in all lanes whatever EXEC says */
	BW_ROLE_ADDR,
	BW_ROLE_DATA, /* goes to memory */
};

struct bw_vregs {
	uint8_t first, n;
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

/* An instruction of a strict executor: the record's handler is bw_h_strict, this has the rest. */
struct bw_strict_op {
	bw_handler *fn;
	struct bw_inst inst;
	const struct bw_op_info *info;
	uint8_t n_words;
	uint32_t word[3];
	struct bw_effects e;
	uint8_t flows[2]; /* enum bw_flows; of the Y half */
	bool indexed;	  /* bw_effects_index has to be asked each time */
};

/* The way that "never written" passes from sources to results. */
enum bw_flows {
	BW_FLOWS_ANY,	  /* any source that is wholly undefined makes the result so */
	BW_FLOWS_ALL,	  /* all sources must be: logic, permutations of bytes, packing */
	BW_FLOWS_COPY,	  /* v_mov_b32 and the like: half by half */
	BW_FLOWS_SELECT,  /* v_cndmask: that of the chosen source */
	BW_FLOWS_DEFINED, /* the result counts as written */
	BW_FLOWS_SWAP,
	BW_FLOWS_READLANE,
	BW_FLOWS_WRITELANE,
};

/* ---- a wave ---- */

/* A memory instruction that is under way. */
struct bw_pending {
	struct bw_pending *next;
	enum bw_unit unit;
	bool in_vm, in_lgkm; /* counted there and not known to be complete */
	uint8_t vm_type;
	struct bw_vregs dst[1];
	uint8_t n_dst; /* 0 or 1 */
	uint8_t sdst, n_sdst;
	uint64_t lanes;
	uint64_t undef; /* lanes whose result was never written */
	uint64_t pc;
	const char *name;
	uint32_t value[]; /* n registers of all lanes; or scalar dwords */
};

struct bw_trap_shadow;

/* Positions are numbers of VALU instructions issued by the wave before; a register's is that of the
 * write plus one, 0: none. */
enum { BW_EXEC_WRITES = 8 };
struct bw_hazards {
	uint64_t n_valu, n_trans;
	/* last write by the transcendental unit */
	uint64_t trans_at[BW_STRICT_VGPRS], trans_n[BW_STRICT_VGPRS];
	uint64_t valu_at[BW_STRICT_VGPRS];	  /* last write by the VALU */
	uint64_t exec_at[BW_EXEC_WRITES], n_exec; /* last writes of EXEC by the SALU */
	uint64_t fence;				  /* last wait for VALU results */
	bool after_cmpx;
	uint8_t wmma_first, wmma_n; /* destination of the WMMA just before */
	struct bw_sregs mask_read, mask_written;
};

struct bw_strict_wave {
	struct bw_strict_wave *next; /* all of them, to be freed */
	struct bw_strict *s;
	struct bw_strict_caches *caches;
	unsigned sa, cu;
	uint64_t code_va;
	bool fresh;			/* scratch is yet to be poisoned */
	bool reported[BW_STRICT_KINDS]; /* by the current instruction */

	uint8_t vm, lgkm, vs;
	struct bw_pending *first, **last;
	uint64_t v_pending[BW_STRICT_VGPRS]; /* lanes */
	struct bw_sregs s_pending;

	uint64_t undef[2][BW_STRICT_VGPRS]; /* low and high halves: lanes that were never written */
	struct bw_sregs s_undef;

	struct bw_hazards hazards;

	bool in_trap;
	struct bw_trap_shadow *trap;

	/* a load that a cache answers */
	uint64_t spin_pc, spin_va;
	uint32_t spins;
};

/* The instruction being executed. */
struct bw_strict_step {
	struct bw_exec *x;
	struct bw_wave *w;
	struct bw_strict_wave *sw;
	const struct bw_strict_op *op;
	uint64_t pc, exec;
	bool goes_back; /* it was a jump to an earlier address */
};

struct bw_strict_wave *bw_strict_wave_of(struct bw_strict *s, struct bw_wave *w);
void bw_strict_report(struct bw_strict_step *t, enum bw_strict_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void bw_strict_add(struct bw_strict *s, const struct bw_strict_finding *f);
bool bw_strict_traces(const struct bw_strict *s);
/* Mixes one instruction into the trace; is_access: the words say what it read or wrote in
 * memory. */
void bw_strict_trace_add(struct bw_strict *s, const uint64_t *words, size_t n, bool is_access);

void bw_effects_of(const struct bw_inst *inst, const struct bw_rec *rec,
		   const struct bw_rec_ctx *ctx, struct bw_effects *out);
enum bw_flows bw_flows_of(const struct bw_inst *inst, bool of_y);
bool bw_effects_are_indexed(unsigned op);
/* Puts what M0 chooses into the effects, and into the scalar operands, of a copy. */
void bw_effects_index(struct bw_strict_op *op, const struct bw_wave *w);

/* "s4", "vcc_lo", "ttmp3": in out, which is returned. */
const char *bw_sreg_name(unsigned code, char out[16]);

/* Wraps the record that has just been built. */
void bw_strict_wrap(struct bw_exec *x, struct bw_code_page *page, struct bw_rec *rec,
		    const struct bw_inst *inst);

/* wait.c */
void bw_wait_before(struct bw_strict_step *t); /* s_waitcnt and checks */
/* values that the instruction is about to overwrite */
struct bw_pending *bw_wait_hold(struct bw_strict_step *t);
void bw_wait_issue(struct bw_strict_step *t, struct bw_pending *p, bool executed);

/* defined.c */
void bw_defined_check(struct bw_strict_step *t);
void bw_defined_after(struct bw_strict_step *t);
void bw_defined_written(struct bw_strict_wave *sw, unsigned reg, enum bw_half half, uint64_t lanes,
			uint64_t undef);
/* Data of scratch stores: lanes that were never written become poison for the store. */
struct bw_spill {
	unsigned n;
	struct bw_spilled {
		uint8_t reg, lane;
		uint32_t value;
	} kept[64 * 4];
};
void bw_defined_spill(struct bw_strict_step *t, struct bw_spill *s);
void bw_defined_unspill(struct bw_strict_step *t, const struct bw_spill *s);
void bw_defined_enter_trap(struct bw_strict_wave *sw, const struct bw_wave *w);
void bw_defined_leave_trap(struct bw_strict_wave *sw, const struct bw_wave *w);

/* hazard.c */
void bw_hazard_check(struct bw_strict_step *t);
void bw_hazard_after(struct bw_strict_step *t);

/* cache.c: what a load is to read through in place of the wave's TLB, or NULL; and what an
 * instruction that has been executed does to the caches. */
struct bw_tlb *bw_cache_before(struct bw_strict_step *t);
void bw_cache_after(struct bw_strict_step *t);

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
