/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_FLOW_H
#define BW_DEBUG_FRAMES_FLOW_H

/* What the code of a function has done to the registers of its caller when it gets to an address:
 * found by executing it symbolically, along every path that leads there. Pure: code in, facts out.
 *
 * The conventions are those of clang-19's code (doc/hardware/code-objects.md 9): a call leaves the
 * return address in a pair of SGPRs, s32 is the stack pointer and grows upwards, s33 the frame
 * pointer, and EXEC is the same before and after a call. The code is checked for all of these but
 * the link register: a value is known from the instructions that made it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "isa/inst.h"

enum bw_sym_kind {
	BW_SYM_UNKNOWN,
	/* the value of SGPR `reg` at the function's entry; s32 has a kind of its own: */
	BW_SYM_ENTRY,
	BW_SYM_BASE,	 /* s32 at the entry + value */
	BW_SYM_EXEC,	 /* dword `reg` of EXEC at the function's entry */
	BW_SYM_NOT_EXEC, /* like EXEC, with all bits inverted */
	BW_SYM_CODE,	 /* low dword of the address `value` in the image */
	BW_SYM_CONST,	 /* the constant `value` */
	/* for each lane, its dword of scratch at value; reg: enum bw_sym_slot_flag */
	BW_SYM_SLOT,
};
enum bw_sym_slot_flag {
	BW_SLOT_BASE = 1, /* value is relative to the base (s32 at the entry) */
	BW_SLOT_WIDE = 2, /* the low half of a value of 64 bits */
};
struct bw_sym {
	uint8_t kind, reg;
	uint32_t value;
};

/* A dword of one lane: in a VGPR, or in scratch if the VGPR was stored there. */
struct bw_sym_lane {
	bool in_scratch;
	uint8_t lane;
	uint16_t vgpr;	/* !in_scratch */
	int32_t offset; /* in_scratch: offset from the base */
	struct bw_sym sym;
};

/* Sets of lanes, by the value of EXEC at the function's entry. */
enum { BW_LANES_ACTIVE = 1, BW_LANES_INACTIVE = 2, BW_LANES_ALL = 3 };

/* Where a VGPR of the caller was stored. */
struct bw_sym_slot {
	int32_t offset; /* offset from the base */
	uint16_t vgpr;
	uint8_t lanes; /* the lanes for which it was stored */
};

/* AccVGPRs are VGPRs from 256 on, as in isa/written.h. */
enum {
	BW_SYM_LANES = 160,
	BW_SYM_SLOTS = 96,
	BW_SYM_SGPRS = 128,
	BW_SYM_VGPRS = 32,
	BW_SYM_ALL_VGPRS = 512,
};
struct bw_sym_state {
	struct bw_sym sgpr[BW_SYM_SGPRS]; /* indexed by operand code, with VCC and EXEC */
	/* the first VGPRs in active lanes: BASE, CONST or SLOT */
	struct bw_sym first_vgpr[BW_SYM_VGPRS];
	/* for each VGPR, the lanes in which it has its value of the entry */
	uint8_t vgpr[BW_SYM_ALL_VGPRS];
	uint16_t n_lanes, n_slots;
	struct bw_sym_lane lane[BW_SYM_LANES];
	struct bw_sym_slot slot[BW_SYM_SLOTS];
};

/* What a call does to the caller's registers. */
struct bw_sym_effect {
	bool returns;			/* false: only the calling convention is known of it */
	uint64_t keeps_sgpr[2];		/* a bit for each SGPR */
	uint8_t vgpr[BW_SYM_ALL_VGPRS]; /* for each VGPR, the lanes that it keeps */
	bool keeps_exec, keeps_s32;	/* s33 has its bit in keeps_sgpr */
	unsigned link;			/* first SGPR of the return address */
};

struct bw_flow_code {
	enum bw_isa_gen gen;
	const uint8_t *image;
	size_t image_b;
	unsigned lanes;
};

/* The instructions that can be reached: a bit for each dword from the entry on. */
struct bw_flow_reached {
	uint8_t *bits; /* owned */
	size_t n_dwords;
};

struct bw_walk {
	/* the function in the image is [entry, end); end may be the image's end */
	uint64_t entry, end;
	/* the targets of its calls and tail calls, as far as they are known, each once */
	struct bw_flow_targets BW_VEC(uint64_t) targets;
	struct bw_flow_reached reached;
	struct bw_sym_effect effect;
	bool has_state;		   /* `at` can be reached, so that `state` is set */
	struct bw_sym_state state; /* the state before the instruction at `at` */
};

/* The effects of functions that were looked at, by address. */
struct bw_flow_entry {
	uint64_t entry;
	bool busy; /* it is being looked at, so a call of it is a recursion */
	struct bw_sym_effect effect;
};
struct bw_flow_effects BW_VEC(struct bw_flow_entry *);
void bw_flow_effects_free(struct bw_flow_effects *e);

/* Finds the state at `at` of the function at entry (UINT64_MAX: only its effect). The caller frees
 * out with bw_walk_fini, also on failure. The only error is lack of memory; code that is too large
 * or damaged has no state. */
struct bw_error *bw_walk_run(const struct bw_flow_code *code, struct bw_flow_effects *cache,
			     uint64_t at, struct bw_walk *out) BW_MUST_CHECK;
void bw_walk_fini(struct bw_walk *f);
/* Whether `at` can be reached from entry, so that bw_walk_run finds a state there. */
bool bw_flow_reaches(const struct bw_flow_reached *r, uint64_t entry, uint64_t at);

/* sym_exec.c */
void bw_sym_start(struct bw_sym_state *s);
/* Executes an instruction symbolically. pc: its address in the image. Calls are left to
 * bw_sym_call. */
void bw_sym_execute(struct bw_sym_state *s, const struct bw_inst *inst, uint64_t pc,
		    unsigned lanes);
/* The value of source operand i, or of its high dword. */
struct bw_sym bw_sym_source(const struct bw_sym_state *s, const struct bw_inst *inst, unsigned i,
			    unsigned dword);
/* How many dwords scratch_load_b32 to b128, or the stores, move; 0: another instruction. */
unsigned bw_sym_moved_dwords(unsigned op, bool *out_store);
/* sym_vgprs.c: the effect of the instruction on the first VGPRs. s is the state before the
 * instruction. */
void bw_sym_first_vgprs(struct bw_sym_state *s, const struct bw_inst *inst, unsigned lanes);
/* Applies the effect of a called function, apart from its link register. */
void bw_sym_callee(struct bw_sym_state *s, const struct bw_sym_effect *e, unsigned lanes);
/* Applies a call that returns to `pc`, with the return address in `link`. */
void bw_sym_call(struct bw_sym_state *s, const struct bw_sym_effect *e, unsigned link, uint64_t pc,
		 unsigned lanes);
/* Keeps only facts on which both states agree. True: s has changed. */
bool bw_sym_join(struct bw_sym_state *s, const struct bw_sym_state *other);
/* The effect of a function of which only clang-19's calling convention is known. */
void bw_sym_convention(struct bw_sym_effect *out);

#endif
