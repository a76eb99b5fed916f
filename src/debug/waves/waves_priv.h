/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_WAVES_PRIV_H
#define BW_DEBUG_WAVES_PRIV_H

/* Waves: what is known of each, their registers and memory, and what their instructions access. */

#include "debug/debug_priv.h"
#include "debug/registers.h"
#include "debug/waves.h"
#include "isa/inst.h"

/* One for each slot of the device. */
struct bw_wave_record {
	struct bw_wave_info info; /* number 0: not yet given */
	struct bw_target_wave hw;
	bool known;	  /* info's identity is that of the slot's present or last wave */
	bool stopped;	  /* and looked at: hw is fresh */
	bool reported;	  /* its reasons have been reported or were not of interest */
	bool untested;	  /* at a breakpoint whose condition it was not asked about: Ctrl-C came */
	uint64_t stop_pc; /* PC when it stopped: only there breakpoints are stepped over */
	/* the displaced instruction it was resumed into; 0: none */
	uint64_t displaced_va, displaced_copy;
	uint8_t displaced_size_b;
	uint8_t skip_b; /* bytes of an s_trap that has been reported */
	/* At a breakpoint: how many inlined functions begin at its PC that it is not shown in,
	 * since the breakpoint names one around them. */
	unsigned not_entered;
	uint32_t hidden_excp; /* exceptions that were not reported: enabled by us alone */
	/* The register with EXCP_EN as in the slot: hw.state has it without what we asked for. */
	uint32_t raw_enables;
};

/* A cache of memory, used while the conditions of many waves are evaluated. */
enum { BW_MEM_LINE_B = 256, BW_MEM_LINES = 32 };
struct bw_mem_line {
	bool valid;
	uint64_t va;
	uint8_t data[BW_MEM_LINE_B];
};

struct bw_waves {
	struct bw_wave_record *slots; /* target->facts.n_slots */
	struct bw_u32_vec stopped;    /* slots of stopped waves, in the order of wave numbers */
	uint32_t unstoppable;	      /* how many could not be stopped */
	struct BW_VEC(struct bw_wave_info) list; /* the array that bw_debug_waves returned */
	bool list_valid;
	uint32_t last_number;  /* given to a wave */
	uint32_t focus_slot;   /* UINT32_MAX: none */
	uint32_t focus_number; /* of the wave that has the focus, also while it runs */
	unsigned focus_lane;
	/* exceptions that they trap for because we want it (breakpoints/exceptions.c): now, and at
	 * any time in this run of the program */
	uint32_t excp, excp_ever;
	bool lines_wanted;
	struct bw_mem_line lines[BW_MEM_LINES];
	/* The wave whose breakpoint is examined, and how many of the inlined functions that begin
	 * there it has not entered (breakpoints/entered.c); else NULL. */
	const struct bw_wave_record *tested;
	unsigned tested_level;
};
void bw_waves_fini(struct bw_waves *waves);
/* Drops those of one run of the program. */
void bw_waves_forget(struct bw_debug *d);
/* Drops those that have ended with an address space. */
void bw_waves_forget_space(struct bw_debug *d, uint32_t space);
/* All run, or end. */
void bw_waves_run(struct bw_debug *d);
static inline struct bw_wave_record *bw_stopped_wave(const struct bw_debug *d, size_t i)
{
	return &d->waves->slots[d->waves->stopped.data[i]];
}

/* The lowest active lane, 0 where none is. */
static inline unsigned bw_wave_first_active(const struct bw_wave_record *w)
{
	return w->info.exec ? (unsigned)__builtin_ctzll(w->info.exec) : 0;
}

/* fault.c */
/* Bytes of scratch memory that one lane has; 0: its dispatch is not known. */
uint32_t bw_debug_scratch_lane_b(struct bw_debug *d, const struct bw_wave_record *w);

/* waves.c */
struct bw_wave_record *bw_debug_focus_priv(struct bw_debug *d);
/* The first stopped wave gets the focus, where there is one. */
void bw_debug_focus_first(struct bw_debug *d);
struct bw_error *bw_debug_need_focus(struct bw_debug *d, struct bw_wave_record **out) BW_MUST_CHECK;
struct bw_wave_record *bw_debug_wave_priv(struct bw_debug *d, uint32_t number);
/* The number of a wave, given on first use. */
uint32_t bw_debug_wave_number(struct bw_debug *d, struct bw_wave_record *w);
/* Stopped waves are looked up by number: to be called when one has got another. */
void bw_debug_sort_stopped(struct bw_debug *d);
void bw_debug_waves_changed(struct bw_debug *d);

/* whole_wave.c: after EXEC or the PC has changed: info.exec and info.whole_wave. */
void bw_wave_find_lanes(struct bw_debug *d, struct bw_wave_record *w);

/* wave_regs.c */
struct bw_error *bw_wave_reg_read(struct bw_debug *d, struct bw_wave_record *w,
				  struct bw_wave_reg r, uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_wave_reg_write(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_wave_reg r, uint64_t value) BW_MUST_CHECK;

/* memory.c: between begin and end, memory is read once and cached. The waves whose conditions are
 * evaluated then must have stopped before. */
void bw_mem_lines_begin(struct bw_debug *d);
void bw_mem_lines_end(struct bw_debug *d);
/* Where something lies in memory. */
struct bw_wave_mem {
	struct bw_wave_record *wave; /* global memory needs none: NULL */
	unsigned lane;		     /* private memory */
	enum bw_space space;
	uint64_t addr; /* or the offset in its space */
};
struct bw_error *bw_wave_mem_read(struct bw_debug *d, const struct bw_wave_mem *m, void *out,
				  size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_wave_mem_write(struct bw_debug *d, const struct bw_wave_mem *m,
				   const void *data, size_t size_b) BW_MUST_CHECK;

/* access.c */
/* What the memory instruction at pc accesses with the registers the wave has now. */
struct bw_access_image {
	uint64_t base;
	unsigned type; /* of bw_image_type_name */
	uint32_t dim[3];
	bool has_texels;
	uint32_t texel[64][3]; /* x, y, slice of each lane */
};
struct bw_wave_access {
	struct bw_inst inst;
	bool is_memory; /* false: no memory instruction, and nothing else is filled in */
	bool is_write, is_atomic, is_scalar;
	bool has_addresses; /* false: a format whose addresses are not worked out here */
	bool address_lost;  /* once executed, it has overwritten what its addresses were made of */
	uint32_t size_b;    /* bytes of one lane */
	/* it lies within so many from its address: more than size_b in tiled images */
	uint32_t span_b;
	bool is_image;
	struct bw_access_image image;
	uint64_t lanes; /* that access memory; scalar: 1 */
	uint64_t addr[64];
	enum bw_space space[64];
};
struct bw_error *bw_access_of(struct bw_debug *d, struct bw_wave_record *w, uint64_t pc,
			      struct bw_wave_access *out) BW_MUST_CHECK;

/* Whether a flat address lies in the aperture of LDS or scratch; its low 32 bits are the offset
 * there then. */
bool bw_access_aperture(uint64_t va, enum bw_space *out_space);

/* access_image.c: the same of MIMG instructions, for bw_access_of. */
struct bw_error *bw_image_access(struct bw_debug *d, struct bw_wave_record *w,
				 const struct bw_op_info *info,
				 struct bw_wave_access *out) BW_MUST_CHECK;

#endif
