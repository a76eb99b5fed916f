/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_FINDING_H
#define BW_VGPU_EXEC_CHECK_FINDING_H

/* Findings of the checker, of all kinds, in one list (findings.c). There is one for each place, or
 * pair of places, of a kind; later ones are counted. Any thread may call. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/device/exec/check/extents.h"
#include "vgpu/device/exec/core/limits.h"

struct bw_check;

enum bw_check_kind { BW_FOUND_RACE, BW_FOUND_BOUNDS, BW_FOUND_INIT, BW_FOUND_SYNC, BW_FOUND_KINDS };

enum bw_check_access {
	BW_CHECK_LOAD,
	BW_CHECK_STORE,
	BW_CHECK_ATOMIC,
	BW_CHECK_BARRIER,
	BW_CHECK_SHUFFLE, /* from lane to lane */
	/* of packets, which have no place in code */
	BW_CHECK_COPY,
	BW_CHECK_FILL,
	BW_CHECK_WRITE,
};

/* One side of a race, or a place of another finding. */
enum { BW_CHECK_LANE_B = 24 };
struct bw_check_side {
	enum bw_check_access access;
	uint64_t pc, code_va; /* code_va: where the wave started; pc 0: the place is not known */
	uint32_t word[3];
	uint8_t n_words;
	const char *name; /* of the instruction; static */
	uint32_t group[3];
	uint16_t wave; /* in the group */
	uint8_t lane;
	uint32_t dispatch;	       /* the so many-th of the GPU; 0: not known */
	uint32_t draw;		       /* the same, of draws; 0: it is a dispatch */
	char lane_is[BW_CHECK_LANE_B]; /* of a draw: "pixel 3,4", or "" */
};

/* The pointer at or below an address that the kernel's arguments have, and where in them. */
struct bw_check_pointer {
	bool is_known;
	uint8_t sgpr;	 /* user SGPR that points to the arguments */
	uint32_t offset; /* in these */
	uint64_t value;
};

enum bw_check_relation {
	BW_CHECK_LANES,	     /* two lanes of one instruction */
	BW_CHECK_WAVES,	     /* two waves of a workgroup */
	BW_CHECK_GROUPS,     /* two workgroups */
	BW_CHECK_DISPATCHES, /* two dispatches of a queue, which nothing between them orders */
	BW_CHECK_TRANSFER,   /* the same where one or both are copies, fills or writes by packets */
	BW_CHECK_QUEUES,     /* dispatches or transfers of two queues */
};
struct bw_race_facts {
	enum bw_check_relation relation;
	bool is_lds;
	uint64_t va; /* LDS: offset in the group's; 0: not known */
	uint32_t size_b;
	/* It is told only when its dispatch ends, since a compare-and-swap may follow the load: the
	 * load's place, 0: it is told. is_new: made by the current instruction. */
	uint16_t untold_load;
	uint64_t dispatch;
	bool is_new;
};

struct bw_bounds_facts {
	struct bw_outside what; /* of the first access */
	uint64_t more_lanes;	/* others of the same wave in the first instruction */
	/* of the allocation, as in bw_extent */
	char name[BW_EXTENT_NAME_B];
	bool is_freed;
	uint64_t made[BW_EXTENT_CALLERS], freed[BW_EXTENT_CALLERS];
	const char *program;
};

/* The use of an undefined value that matters, and where it comes from. */
enum bw_init_use { BW_INIT_BRANCH, BW_INIT_ADDRESS, BW_INIT_STORE };
enum bw_init_memory {
	BW_INIT_REGISTER,
	BW_INIT_IN_LDS,
	BW_INIT_IN_SCRATCH,
	BW_INIT_IN_LANE, /* a lane that was not active when another one asked it for a value */
};
struct bw_init_facts {
	enum bw_init_use use;
	enum bw_init_memory memory;
	char reg[16]; /* "v5", or "" */
	uint32_t va;  /* in LDS, or in the lane's scratch; the lane */
	uint8_t size_b;
};

enum bw_sync_kind { BW_SYNC_LANES, BW_SYNC_ENDED, BW_SYNC_PLACES };
struct bw_sync_facts {
	enum bw_sync_kind kind;
	uint64_t missing; /* BW_SYNC_LANES: the lanes */
};

struct bw_check_finding {
	enum bw_check_kind kind;
	uint64_t number; /* from 1, in the order in which they were told; 0: it is not told yet */
	uint64_t count;
	uint8_t vmid, lanes;
	struct bw_check_pointer pointer; /* of a race, of an access out of bounds */
	/* race: in the order in which they happened. bounds: first alone. init: the use, and the
	 * load (pc 0: a register that nobody has written). sync: the barrier and the wave there;
	 * the next access of a lane that is missing, the last store of the wave that has ended, or
	 * the other barrier. */
	struct bw_check_side first, second;
	union {
		struct bw_race_facts race;
		struct bw_bounds_facts bounds;
		struct bw_init_facts init;
		struct bw_sync_facts sync;
	};
};

/* Called once for each new finding, from a worker thread. nth: of its kind, from 1. */
typedef void bw_check_listener(void *cookie, size_t nth, const struct bw_check_finding *f);
void bw_check_listen(struct bw_check *c, bw_check_listener *fn, void *cookie);
/* Those that are told, at most max of them; returns how many there are. */
size_t bw_check_findings(struct bw_check *c, struct bw_check_finding *out, size_t max);
/* Waves that make a finding enter the trap handler from now on, where they have one. */
void bw_check_stop_waves(struct bw_check *c);

const char *bw_check_kind_name(enum bw_check_kind kind);
const char *bw_check_relation_name(enum bw_check_relation relation);
const char *bw_check_access_name(enum bw_check_access access);
const char *bw_outside_name(enum bw_outside_of of);
const char *bw_init_use_name(enum bw_init_use use);
const char *bw_init_memory_name(enum bw_init_memory memory);
const char *bw_sync_kind_name(enum bw_sync_kind kind);

#endif
