/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_FLOW_H
#define BW_DEBUG_FRAMES_FLOW_H

/* What the code of a function has done to the registers of its caller when it gets to an address:
 * found by executing it symbolically, along every path that leads there. Pure: code in, facts out.
 *
 * The conventions are those of clang-19's code (doc/hardware/code-objects.md 9): a call leaves the
 * return address in a pair of SGPRs, s32 is the stack pointer and grows upwards, s33 the frame
 * pointer, and EXEC is the same before and after a call. All of them but the link register are
 * checked: a value is what the instructions made it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "isa/inst.h"

enum bw_sym_kind {
	BW_SYM_UNKNOWN,
	BW_SYM_ENTRY,	 /* what SGPR `reg` was at the function's entry; but of s32: */
	BW_SYM_BASE,	 /* s32 at the entry + value */
	BW_SYM_EXEC,	 /* dword `reg` of EXEC at the entry */
	BW_SYM_NOT_EXEC, /* the same with all bits inverted */
	BW_SYM_CODE,	 /* low dword of an address in the image: value */
	BW_SYM_CONST,	 /* value */
	/* each lane's dword of scratch at value; reg: enum bw_sym_slot_flag */
	BW_SYM_SLOT,
};
enum bw_sym_slot_flag {
	BW_SLOT_BASE = 1, /* value is relative to the base */
	BW_SLOT_WIDE = 2, /* it is the low half of 64 bits */
};
struct bw_sym {
	uint8_t kind, reg;
	uint32_t value;
};

/* A dword of a lane: of a VGPR, or of scratch where it was stored from one. */
struct bw_sym_lane {
	bool in_scratch;
	uint8_t lane;
	uint16_t vgpr;	/* !in_scratch */
	int32_t offset; /* in_scratch: from the base */
	struct bw_sym sym;
};

/* Lanes by what EXEC was at the function's entry. */
enum { BW_LANES_ACTIVE = 1, BW_LANES_INACTIVE = 2, BW_LANES_ALL = 3 };

/* Where a VGPR of the caller was stored. */
struct bw_sym_slot {
	int32_t offset; /* from the base */
	uint16_t vgpr;
	uint8_t lanes; /* for which it is there */
};

enum { BW_SYM_LANES = 160, BW_SYM_SLOTS = 96, BW_SYM_SGPRS = 128, BW_SYM_VGPRS = 32 };
struct bw_sym_state {
	struct bw_sym sgpr[BW_SYM_SGPRS]; /* by operand code: VCC and EXEC as well */
	/* the first VGPRs in the lanes that are active: BASE, CONST or SLOT */
	struct bw_sym first_vgpr[BW_SYM_VGPRS];
	uint8_t vgpr[256]; /* lanes in which it is as it was at the entry */
	uint16_t n_lanes, n_slots;
	struct bw_sym_lane lane[BW_SYM_LANES];
	struct bw_sym_slot slot[BW_SYM_SLOTS];
};

/* What a call does to the caller's registers. */
struct bw_sym_effect {
	bool returns;		    /* false: nothing known of it but the convention */
	uint64_t keeps_sgpr[2];	    /* a bit each */
	uint8_t vgpr[256];	    /* lanes that it keeps */
	bool keeps_exec, keeps_s32; /* s33 is in keeps_sgpr */
	unsigned link;		    /* first SGPR of the return address */
};

struct bw_flow_code {
	enum bw_isa_gen gen;
	const uint8_t *image;
	size_t image_b;
	unsigned lanes;
};

/* Which instructions can be reached: a bit for each dword from the entry on. */
struct bw_flow_reached {
	uint8_t *bits; /* owned */
	size_t n_dwords;
};

struct bw_walk {
	/* the function, in the image: [entry, end); end may be that of the image */
	uint64_t entry, end;
	/* of its calls and tail calls that are known, each once */
	struct bw_flow_targets BW_VEC(uint64_t) targets;
	struct bw_flow_reached reached;
	struct bw_sym_effect effect;
	bool has_state;		   /* `at` can be reached */
	struct bw_sym_state state; /* before the instruction at `at` */
};

/* Effects of functions that have been looked at, by address. */
struct bw_flow_entry {
	uint64_t entry;
	bool busy; /* it is being looked at: it calls itself */
	struct bw_sym_effect effect;
};
struct bw_flow_effects BW_VEC(struct bw_flow_entry *);
void bw_flow_effects_free(struct bw_flow_effects *e);

/* The state at `at` of the function at entry; UINT64_MAX: only its effect. out is the caller's, to
 * be given back by bw_walk_fini, also on failure. Fails without memory only: what is too large or
 * damaged has no state. */
struct bw_error *bw_walk_run(const struct bw_flow_code *code, struct bw_flow_effects *cache,
			     uint64_t at, struct bw_walk *out) BW_MUST_CHECK;
void bw_walk_fini(struct bw_walk *f);
/* Whether `at` can be reached: whether bw_walk_run has a state there. */
bool bw_flow_reaches(const struct bw_flow_reached *r, uint64_t entry, uint64_t at);

/* sym_exec.c */
void bw_sym_start(struct bw_sym_state *s);
/* pc: of the instruction, in the image. Calls are not executed here. */
void bw_sym_execute(struct bw_sym_state *s, const struct bw_inst *inst, uint64_t pc,
		    unsigned lanes);
/* Source operand i, or its high dword. */
struct bw_sym bw_sym_source(const struct bw_sym_state *s, const struct bw_inst *inst, unsigned i,
			    unsigned dword);
/* Dwords moved by scratch_load_b32 to b128; 0: something else. */
unsigned bw_sym_moved_dwords(unsigned op, bool *out_store);
/* sym_vgprs.c: what the instruction leaves in the first VGPRs; s is as it is before it. */
void bw_sym_first_vgprs(struct bw_sym_state *s, const struct bw_inst *inst, unsigned lanes);
/* What a function does that is called, apart from the register of the return address. */
void bw_sym_callee(struct bw_sym_state *s, const struct bw_sym_effect *e, unsigned lanes);
/* A call returns to `pc` with its address in `link`. */
void bw_sym_call(struct bw_sym_state *s, const struct bw_sym_effect *e, unsigned link, uint64_t pc,
		 unsigned lanes);
/* Keeps what both agree on. True: s has changed. */
bool bw_sym_join(struct bw_sym_state *s, const struct bw_sym_state *other);
/* The convention of clang-19 for functions that nothing else is known of. */
void bw_sym_convention(struct bw_sym_effect *out);

#endif
