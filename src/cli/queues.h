/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_QUEUES_H
#define BW_CLI_QUEUES_H

/* breakwater queues: what its parts share. */

#include "cli/look_gpu.h"

enum { BW_QUEUES_MES = 3 /* the micro engine of the scheduler, mes_v11_0.c of Linux 6.12 */ };

struct bw_queues {
	struct bw_look look;
	bool all, mqd, kfd;
};

/* The descriptor at an address of VMID 0, as notes below the last row and as an object. */
void bw_queues_note_mqd(struct bw_queues *c, const struct bw_look_gpu *g,
			const struct bw_kmd_bank *bank, uint64_t address, struct bw_table *t,
			json_t *list);
struct bw_error *bw_queues_show_sdma(struct bw_queues *c,
				     const struct bw_look_gpu *g) BW_MUST_CHECK;
struct bw_error *bw_queues_show_status(struct bw_queues *c,
				       const struct bw_look_gpu *g) BW_MUST_CHECK;
void bw_queues_show_rings(struct bw_queues *c, const struct bw_look_gpu *g);
void bw_queues_show_kfd(struct bw_queues *c, const struct bw_look_gpu *g);

#endif
