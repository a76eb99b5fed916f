/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_H
#define BW_VGPU_EXEC_CHECK_H

/* The checker: races between the waves of a dispatch, and between the lanes of an instruction. One
 * bw_check belongs to a device. Parts:
 *
 *     order.c     which accesses are ordered: clocks of waves (pure)
 *     shadow.c    the last accesses of each dword of memory (pure)
 *     rows.c      memory instructions of an executor with a checker, chosen when code is decoded
 *     check.c     dispatches, groups, instructions: what is given to the two above
 *     findings.c  findings, each once for a pair of instructions
 *     sync.c      barriers that not all reach
 *
 * A memory instruction and all that follows from it is one step under a lock, so the order in which
 * waves meet at atomics is that in which the checker sees them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/device/exec/core/rec.h"
#include "vgpu/device/exec/core/wave.h"

struct bw_check;
struct bw_check_dispatch;

enum bw_check_access { BW_CHECK_LOAD, BW_CHECK_STORE, BW_CHECK_ATOMIC, BW_CHECK_BARRIER };

/* One side of a race, or a place of another finding. */
struct bw_check_side {
	enum bw_check_access access;
	uint64_t pc, code_va; /* code_va: where the wave started; pc 0: the place is not known */
	uint32_t word[3];
	uint8_t n_words;
	const char *name; /* of the instruction; static */
	uint32_t group[3];
	uint16_t wave; /* in the group */
	uint8_t lane;
};

enum bw_check_relation {
	BW_CHECK_LANES,	 /* two lanes of one instruction */
	BW_CHECK_WAVES,	 /* two waves of a workgroup */
	BW_CHECK_GROUPS, /* two workgroups */
};

struct bw_check_finding {
	enum bw_check_relation relation;
	bool is_lds;
	uint8_t vmid, lanes;
	uint64_t count;
	uint64_t va; /* LDS: offset in the group's; 0: not known */
	uint32_t size_b;
	/* the pointer below va in the kernel's arguments: where it is; has_pointer: there is one */
	bool has_pointer;
	uint8_t pointer_sgpr;	 /* user SGPR that points to the arguments */
	uint32_t pointer_offset; /* in these */
	uint64_t pointer;
	struct bw_check_side first, second; /* in the order in which they happened */
};

struct bw_check *bw_check_create(unsigned what);
void bw_check_destroy(struct bw_check *c);

/* Called once for each new finding, from a worker thread. */
typedef void bw_check_listener(void *cookie, size_t number, const struct bw_check_finding *f);
void bw_check_listen(struct bw_check *c, bw_check_listener *fn, void *cookie);
/* Findings in the order in which they were first made, at most max of them; returns how many there
 * are. */
size_t bw_check_findings(struct bw_check *c, struct bw_check_finding *out, size_t max);
const char *bw_check_relation_name(enum bw_check_relation relation);
const char *bw_check_access_name(enum bw_check_access access);

/* A workgroup starts: wg->check is set. *dispatch: of its dispatch, NULL before the first group. */
struct bw_check_launch {
	uint64_t code_va;
	uint64_t space;		   /* the root of the page tables, as the registers have it */
	const uint32_t *user_data; /* 16 */
	unsigned lanes;
	uint8_t vmid;
	bool is_restored; /* from a context save: what it has done is not known any more */
};
void bw_check_group_begin(struct bw_check *c, struct bw_check_dispatch **dispatch,
			  const struct bw_check_launch *launch, struct bw_workgroup *wg);
/* Its waves that have not ended have all reached a barrier. */
void bw_check_barrier(struct bw_workgroup *wg);
/* The dispatch has ended; NULL: nothing happens. */
void bw_check_dispatch_end(struct bw_check_dispatch *d);

/* The row to be used for a memory instruction of an executor with a checker. */
const struct bw_mem_row *bw_check_row(const struct bw_mem_row *row, unsigned op);

#endif
