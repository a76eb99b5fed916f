/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_QUEUES_H
#define BW_CLI_QUEUES_H

/* The common declarations of breakwater queues. */

#include "base/vec.h"
#include "cli/look/gpu.h"
#include "pm4/aql_look.h"

enum { BW_QUEUES_MES = 3 /* the micro engine of the scheduler, mes_v11_0.c of Linux 6.12 */ };

/* A hardware queue that is mapped, and its descriptor. */
struct bw_queues_mapped {
	struct bw_kmd_bank bank;
	uint64_t mqd; /* bw_queues_mqd_address() */
};

/* A hardware queue of AQL packets. */
struct bw_queues_aql {
	char name[40];
	unsigned vmid;
	struct bw_kmd_bank bank;
	struct bw_aql_ring ring;
};

struct bw_queues {
	struct bw_look look;
	bool all, mqd, kfd;
	struct BW_VEC(struct bw_queues_mapped) mapped; /* owned */
	struct BW_VEC(struct bw_queues_aql) aql;       /* owned */
};

/* The address of a descriptor, without its sign extension and other bits of the register. */
static inline uint64_t bw_queues_mqd_address(uint64_t address)
{
	return address & 0xfffffffffffcull;
}

/* The descriptor of a queue of graphics or compute. */
struct bw_queues_mqd {
	const char *queue; /* the queue's name */
	/* registers of the hardware queue with which it is compared, or NULL */
	const struct bw_kmd_bank *bank;
	uint64_t address; /* its address in VMID 0 */
	bool is_graphics;
};
/* Shows a descriptor as notes below the last row of t, and appends an object to list. */
void bw_queues_note_mqd(struct bw_queues *c, const struct bw_gpu *g,
			const struct bw_queues_mqd *mqd, struct bw_table *t, json_t *list);
/* Shows user queues; prints nothing if there are none. */
struct bw_error *bw_queues_show_users(struct bw_queues *c, const struct bw_gpu *g,
				      json_t *mqds) BW_MUST_CHECK;
/* Shows the AQL queues: where each stands, and why; with c->kfd also the packets that they have.
 * Prints nothing if there are none. */
struct bw_error *bw_queues_show_aql(struct bw_queues *c, const struct bw_gpu *g) BW_MUST_CHECK;
struct bw_error *bw_queues_show_sdma(struct bw_queues *c, const struct bw_gpu *g) BW_MUST_CHECK;
struct bw_error *bw_queues_show_status(struct bw_queues *c, const struct bw_gpu *g) BW_MUST_CHECK;
void bw_queues_show_rings(struct bw_queues *c, const struct bw_gpu *g);
void bw_queues_show_kfd(struct bw_queues *c, const struct bw_gpu *g);

#endif
