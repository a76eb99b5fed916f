/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_STRICT_PRIV_H
#define BW_VGPU_EXEC_STRICT_PRIV_H

/* The inside of strict mode. An instruction goes through these steps:
 *
 *     effects.c      what it reads and writes, found out once when it is decoded
 *     index.c        the same where M0 decides about it
 *     outstanding.c  counters, and results that have not arrived
 *     defined.c      which lanes of which registers were never written
 *     hazard.c       pairs of instructions, of gfx11; of gfx942: hazard9.c
 *     cache.c        stale lines
 *     strict.c       the order of all that, around the instruction's own handler
 *
 * A wave's state is used by the thread that runs the wave. */

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu/device/exec/core/apertures.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/strict/effects.h"
#include "vgpu/device/exec/strict/strict.h"

/* The content of registers that were never written. As an address it is not canonical, as a float
 * not a number. The low bits of a VGPR's are its number: scratch that has it holds a spilled
 * register (defined.c). */
enum {
	BW_POISON_VGPR = 0xffbad000,
	BW_POISON_SGPR = 0xffba5000,
	BW_POISON_LDS = 0xffb1d500,
	BW_POISON_SCRATCH = 0xffb5c500,
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
struct bw_strict_step;
struct bw_strict_wave;

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

/* gfx942's: positions are numbers of wait states, "at" is that after the instruction; 0: none. */
enum bw_hazard9_kind { BW_HAZARD9_VALU, BW_HAZARD9_TRANS, BW_HAZARD9_PART, BW_HAZARD9_MATRIX };
struct bw_hazards9 {
	uint64_t now;
	uint64_t fence; /* what is not after this counts no more */
	bool in_trap;
	struct bw_hazard9_vgpr {
		uint64_t at;		  /* written by the VALU */
		uint64_t c_at, stored_at; /* read by a matrix instruction as C; by a wide store */
		uint16_t op, first;	  /* first, n: all that the same instruction wrote */
		uint8_t n, kind, c_passes;
	} v[BW_STRICT_VGPRS];
	struct bw_hazard9_sgpr {
		uint64_t at; /* written by the VALU */
		uint16_t op;
	} s[BW_STRICT_SGPRS];
	uint64_t m0_at, f64_at, setreg_at[64];
};

/* What a generation has otherwise. */
struct bw_waitcnt {
	unsigned vm, lgkm;
};
struct bw_strict_gen {
	struct bw_waitcnt (*waitcnt)(uint32_t simm16); /* of s_waitcnt */
	uint8_t vm_max, lgkm_max;
	/* Stores count with the loads in VMcnt, not in VScnt. FLAT operations keep the order of
	 * both counters. */
	bool stores_in_vm, orders_flat;
	uint32_t (*ib_sts)(const struct bw_strict_wave *sw);
	bool fills_flat_scratch; /* s102 to s105 are not free, the launch fills them */
	bool has_gl1;
	bool (*is_uncached)(const struct bw_inst *in); /* a vector load that goes past the caches */
	const char *load_past;			       /* ... in words */
	void (*hazard_check)(struct bw_strict_step *t);
	void (*hazard_after)(struct bw_strict_step *t);
};
/* state.c */
const struct bw_strict_gen *bw_strict_gen(const struct bw_strict *s);

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

	union {
		struct bw_hazards hazards;
		struct bw_hazards9 hazards9;
	};

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

enum bw_flows bw_flows_of(const struct bw_inst *inst, bool of_y);

/* "s4", "vcc_lo", "ttmp3": in out, which is returned. */
const char *bw_sreg_name(unsigned code, char out[16]);
/* "v3", and "a3" of what the wave has as AccVGPRs. */
const char *bw_vreg_name(const struct bw_wave *w, unsigned reg, char out[16]);

/* Wraps the record that has just been built. */
void bw_strict_wrap(struct bw_exec *x, struct bw_code_page *page, struct bw_rec *rec,
		    const struct bw_inst *inst);

/* outstanding.c */
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
		uint16_t reg;
		uint8_t lane;
		uint32_t value;
	} kept[64 * 4];
};
void bw_defined_spill(struct bw_strict_step *t, struct bw_spill *s);
void bw_defined_unspill(struct bw_strict_step *t, const struct bw_spill *s);
void bw_defined_enter_trap(struct bw_strict_wave *sw, const struct bw_wave *w);
void bw_defined_leave_trap(struct bw_strict_wave *sw, const struct bw_wave *w);

/* hazard.c, hazard9.c */
void bw_hazard_check(struct bw_strict_step *t);
void bw_hazard_after(struct bw_strict_step *t);
void bw_hazard9_check(struct bw_strict_step *t);
void bw_hazard9_after(struct bw_strict_step *t);

/* cache.c: what a load is to read through in place of the wave's TLB, or NULL; and what an
 * instruction that has been executed does to the caches. */
struct bw_tlb *bw_cache_before(struct bw_strict_step *t);
void bw_cache_after(struct bw_strict_step *t);

#endif
