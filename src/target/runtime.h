/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_RUNTIME_H
#define BW_TARGET_RUNTIME_H

/* What a program's runtime (ROCm's) has made, as far as it or the kernel tells. */

#include <stdint.h>

/* A code object in the program's GPU memory. */
struct bw_target_loaded {
	uint64_t base; /* where its address 0 lies */
	char uri[1016];
};

/* An AQL queue of the program. Its ring has n_slots packets of 64 bytes; the two indices are words
 * of 64 bits in GPU memory, and count packets from the queue's start. */
struct bw_target_queue {
	uint32_t number; /* as in the events of its dispatches */
	uint32_t space;
	uint32_t id; /* the kernel's */
	uint32_t n_slots;
	uint64_t ring_va, read_va, write_va;
	uint64_t passed; /* packets before this index have been given to the GPU */
};

#endif
