/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_PRIV_H
#define BW_VGPU_EXEC_CHECK_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu/device/exec/check/bounds.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/findings_priv.h"
#include "vgpu/device/exec/check/jobs.h"
#include "vgpu/device/exec/check/shadow.h"
#include "vgpu/device/exec/check/sync.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/device/exec/core/touch.h"
#include "vgpu/device/exec/memory/span.h"

/* The last plain loads of a wave: the instruction's place (0: none), and its first location. */
enum { BW_CHECK_LOADS = 4 };
/* sync.c */
struct bw_sync_wave {
	uint64_t live;	 /* lanes at its launch */
	uint64_t absent; /* lanes that were not active at a barrier, and have done nothing since */
	unsigned n_barriers;
	bool has_stored, has_ended;	    /* stored: since its last barrier */
	struct bw_check_side barrier, last; /* its last barrier, its last store */
	struct bw_check_side skipped;	    /* the barrier of `absent` */
};

struct bw_check_wave {
	struct bw_sync_wave sync;
	struct bw_check_load {
		uint64_t location;
		uint16_t place;
	} load[BW_CHECK_LOADS];
	uint8_t next_load;
	const struct bw_check_at *at; /* the instruction that it executes; NULL: none */
	struct bw_check_known known;
	uint64_t hidden; /* lanes: bw_check_hide_lanes */
};

struct bw_check_group {
	struct bw_check_group *next;
	struct bw_check_dispatch *dispatch;
	struct bw_order_group *order; /* NULL: races are not looked for */
	/* The number of its first wave as a writer, of the numbers' era. */
	uint32_t writer, writers_era;
	unsigned n_waves;
	uint32_t id[3];		     /* of a draw: bw_check_draw.place */
	bool is_killed;		     /* a wave of it was ended from outside */
	struct bw_check_wave wave[]; /* by index */
};

struct bw_check_dispatch {
	struct bw_check_dispatch *next;
	struct bw_check *check;
	uint64_t number; /* from 1 */
	struct bw_order order;
	struct bw_check_group *groups;
	uint64_t code_va, space;
	uint32_t user_data[16];
	struct bw_check_draw draw;
	uint8_t vmid, lanes;
	uint64_t stretch; /* bw_check_launch */
	uint32_t lds_b;	  /* that a workgroup uses; 0: not known, or bounds are not checked */
	bool has_sibling; /* one of its stretch, or of another queue, may be in no order with it */
	struct bw_check_job job;
	uint64_t *after; /* of the job, while it runs; NULL: not known */
	struct bw_check_meetings met;
	bool is_explicit;	     /* bw_check_is_explicit */
	_Atomic uint64_t barrier[8]; /* sync.c: places; bit 0: there is a way around it */
	uint32_t first, era;	     /* writers.c: number of the stretch's first writer */
};

/* A memory instruction of the code, numbered from 1. */
struct bw_check_place {
	uint64_t pc, code_va;
	uint32_t word[3];
	uint8_t n_words, vmid;
	enum bw_check_access access;
	const char *name;
	/* A load whose value a compare-and-swap of the same wave compares: where a GPU has no
	 * atomic operation of that kind, compilers make a loop that begins with a plain load. What
	 * it reads may be old. */
	bool is_for_swap;
	bool is_swap, is_scalar; /* a compare-and-swap; a scalar load */
};

/* The instruction that is being executed. */
struct bw_check_step {
	struct bw_check_dispatch *dispatch;
	struct bw_order_wave *wave;  /* NULL: races are not looked for */
	struct bw_check_wave *loads; /* of the wave */
	uint16_t place;		     /* 0: there are too many */
	struct bw_shadow_page *page; /* the last one that it has touched; NULL: none */
	uintptr_t page_number;
	bool is_coherent;   /* a load of an atomic variable */
	bool has_stored;    /* to memory, by a plain store */
	bool has_new;	    /* races */
	const uint8_t *lds; /* of the group; NULL: it has none */
	size_t lds_b;
};

/* Rounds of draws are numbered apart from dispatches, whose numbers are told. */
#define BW_CHECK_ROUNDS (1ull << 48)
enum {
	BW_CHECK_PLACE_SLOTS = 1 << 15,
	BW_CHECK_SPACES = 16,
};

/* bounds.c */
enum { BW_CHECK_PROGRAMS = 64, BW_CHECK_LEAKS_MAX = 256, BW_CHECK_KERNELS = 16 };
struct bw_bounds {
	pthread_mutex_t lock;
	struct bw_extents extents;
	_Atomic uint64_t generation;	  /* of the extents; 0: there have been none */
	char *program[BW_CHECK_PROGRAMS]; /* paths; owned */
	struct bw_leak leak[BW_CHECK_LEAKS_MAX];
	size_t n_leaks;
	struct bw_bounds_kernel { /* a ring */
		uint64_t space, va;
		uint32_t lds_b;
	} kernel[BW_CHECK_KERNELS];
	unsigned next_kernel;
};

/* writers.c; under the checker's lock */
struct bw_writers {
	struct bw_shadow shadow;
	struct bw_writers_run *run; /* a ring; first_kept is the oldest one's index, and so on */
	size_t n_runs, first_kept, max_runs;
	uint32_t next; /* number of the next writer */
	uint32_t era;  /* how often numbers have begun anew */
	struct bw_writers_place *place;
	uint16_t *place_index; /* by hash */
	unsigned n_places;
	struct bw_shadow_page *page; /* the last one that was written to; NULL: none */
	uintptr_t page_number;
	/* the last ones: how many dispatches, and the number of the first writer */
	struct bw_writers_stretch {
		uint64_t number;
		uint32_t n, first, era;
	} stretch[64];
	unsigned next_stretch;
	/* what the current instruction stores, until it has done so */
	struct bw_touch pending[64 * BW_MEM_MAX_PIECES];
	unsigned n_pending;
	struct bw_writers_lanes *lanes[1 << 12]; /* of the last waves of draws, by number */
};

/* reads.c; under the checker's lock */
struct bw_reads {
	struct bw_shadow shadow;
	struct bw_check_dispatch *ended[32];
	unsigned n_ended;
	uint64_t n_waves; /* of these */
};

struct bw_check {
	unsigned what; /* enum bw_check_what */
	enum bw_isa_gen gen;
	struct bw_findings found;
	struct bw_bounds bounds;
	struct bw_init *init; /* NULL: not checked (init.h) */
	pthread_mutex_t lock;
	struct bw_shadow shadow;
	struct bw_writers writers;
	struct bw_jobs jobs;
	struct bw_reads reads;
	uint64_t explicit_space[BW_CHECK_SPACES]; /* a ring */
	unsigned next_explicit;
	struct bw_check_dispatch *dispatches;
	uint64_t n_dispatches, n_rounds; /* rounds: of draws */
	struct bw_check_place *place;
	uint16_t *place_index; /* by hash; BW_CHECK_PLACE_SLOTS */
	unsigned n_places;
	struct bw_check_step step;
};

/* check.c. An instruction of a wave begins; false: it is not checked, and does not end. */
struct bw_check_at {
	uint64_t pc;
	const uint32_t *word;
	unsigned n_words;
	enum bw_check_access access;
	unsigned op; /* enum bw_op */
	bool is_coherent;
};
/* rows.c. What an instruction of memory does there. */
struct bw_op_info;
enum bw_check_access bw_check_access_of(const struct bw_op_info *info);
/* The group of a wave whose instructions are followed; NULL: the trap handler's are not. */
struct bw_check_group *bw_check_followed(const struct bw_wave *w);
/* The side of a wave that executes an instruction. */
struct bw_check_side bw_check_side_of(const struct bw_check_dispatch *d, const struct bw_wave *w,
				      const struct bw_check_at *at, unsigned lane);
struct bw_check_side bw_check_side_of_transfer(enum bw_transfer transfer);
/* That of an access that a dispatch has made: the place's number, the wave's serial, the lane. */
struct bw_check_side bw_check_side_of_past(const struct bw_check *c,
					   const struct bw_check_dispatch *d, unsigned place,
					   uint32_t wave, unsigned lane);
/* The programs of that address space use Vulkan. */
bool bw_check_is_explicit_space(const struct bw_check *c, uint64_t space);
bool bw_check_begin(struct bw_check *c, struct bw_wave *w, const struct bw_check_at *at);
/* is_done: it has not faulted. */
void bw_check_end(struct bw_check *c, struct bw_wave *w, const struct bw_check_at *at,
		  bool is_done);
/* The bytes of a touch in the dword of its byte at_b: how many; out_mask has their bits. */
static inline unsigned bw_check_in_dword(const struct bw_touch *t, unsigned at_b, uint8_t *out_mask)
{
	unsigned first = (unsigned)((uintptr_t)(t->host + at_b) % 4);
	unsigned n = t->size_b - at_b < 4 - first ? t->size_b - at_b : 4 - first;
	*out_mask = (uint8_t)(((1u << n) - 1) << first);
	return n;
}
/* Within an instruction: an acquire of device scope; something orders waves that cannot be
 * followed. */
void bw_check_fence(struct bw_check *c);
/* Between instructions: the wave has waited for its stores. */
void bw_check_waited(struct bw_check *c, struct bw_wave *w);
void bw_check_give_up(struct bw_check *c);

/* findings.c. A finding of the wave, which may be NULL: it is counted if it is known, else kept and
 * told. True: it is new. */
bool bw_check_found(struct bw_check *c, struct bw_wave *w, const struct bw_check_finding *f);
/* The first half of that: it is known, and counted. */
bool bw_check_is_known(struct bw_check *c, const struct bw_check_finding *f);
/* races.c. The kernel's argument that points to target, or below. */
void bw_check_find_pointer(const struct bw_check_dispatch *d, struct bw_wave *w, uint64_t target,
			   struct bw_check_pointer *out);
/* The current instruction is complete: adds to its findings what has to be looked up in memory,
 * and tells them. */
void bw_check_finish_new(struct bw_check *c, struct bw_wave *w);
/* A race of the current instruction's access with a past one. */
struct bw_check_race {
	const struct bw_shadow_past *past;
	bool past_is_load;
	const struct bw_touch *touch;
	enum bw_check_access access;
	unsigned offset_b, size_b; /* of the conflict, from the touch's first byte */
};
void bw_check_report(struct bw_check *c, struct bw_wave *w, const struct bw_check_race *r);
/* The current instruction touches what another dispatch, or a packet, has touched: `then`. part: of
 * a touch. */
void bw_check_dispatches_race(struct bw_check *c, struct bw_wave *w, const struct bw_check_at *at,
			      enum bw_check_relation relation, const struct bw_check_side *then,
			      const struct bw_touch *part);
/* A packet does so at va. vmid, lanes: of `then`. */
struct bw_packet_race {
	enum bw_check_relation relation;
	struct bw_check_side then;
	enum bw_transfer transfer;
	uint64_t va;
	uint8_t vmid, lanes;
};
void bw_check_packet_race(struct bw_check *c, const struct bw_packet_race *r);
/* That load turns out to be for a compare-and-swap: its findings are none. */
void bw_check_withdraw(struct bw_check *c, uint16_t load);
/* That dispatch has ended: tells what was not told of its loads. */
void bw_check_tell(struct bw_check *c, uint64_t dispatch);

/* writers.c. A workgroup starts; the current instruction stores there, and has done so. */
bool bw_writers_init(struct bw_writers *x);
void bw_writers_fini(struct bw_writers *x);
bool bw_writers_are_noted(const struct bw_check *c);
/* A dispatch begins: has_sibling and what belongs to it. */
void bw_writers_dispatch(struct bw_check *c, struct bw_check_dispatch *d);
/* The current instruction of a dispatch with siblings touches memory: races with these. */
void bw_writers_compare(struct bw_check *c, struct bw_check_group *g, struct bw_wave *w,
			enum bw_touch_kind kind, const struct bw_touch *touches, unsigned n);
/* A wave of the dispatch acquires. */
void bw_writers_fence(struct bw_check_dispatch *d);
void bw_writers_group(struct bw_check *c, struct bw_check_group *g);
void bw_writers_pend(struct bw_check *c, const struct bw_touch *touches, unsigned n);
void bw_writers_flush(struct bw_check *c, struct bw_check_group *g, const struct bw_wave *w,
		      const struct bw_check_at *at);

/* sync.c. An access to memory or LDS; scratch is a lane's own, and compilers reach all lanes'. */
void bw_sync_touch(struct bw_check_group *g, struct bw_wave *w, enum bw_touch_kind kind,
		   const struct bw_touch *touches, unsigned n);

/* around.c: whether some lanes of the kernel may go around the barrier while others wait. */
bool bw_sync_has_way_around(enum bw_isa_gen gen, struct bw_wave *w, uint64_t code_va,
			    uint64_t barrier);

/* bounds.c. The group of a wave whose bounds are checked; NULL: they are not. */
struct bw_check_group *bw_bounds_group(const struct bw_wave *w);
/* How many bytes of LDS a workgroup of a kernel uses; 0: nobody has told. */
uint32_t bw_bounds_lds(struct bw_bounds *b, uint64_t space, uint64_t va);
/* An access to LDS. */
void bw_bounds_touch_lds(const struct bw_check_group *g, struct bw_wave *w, enum bw_touch_kind kind,
			 const struct bw_touch *touches, unsigned n);
/* An access outside; under the lock. e: of an allocation, or NULL. */
void bw_bounds_report(struct bw_check_group *g, struct bw_wave *w, const struct bw_outside *o,
		      const struct bw_extent *e);

#endif
