/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_VERDICT_H
#define BW_TARGET_VERDICT_H

/* What is known of an address: what the page tables say, and the entries that say so; what the GPU
 * recorded of a fault; what is mapped, or was. Plain values. */

#include <stdbool.h>
#include <stdint.h>

enum bw_verdict_kind {
	BW_VERDICT_UNKNOWN, /* could not look: text says why */
	BW_VERDICT_UNMAPPED,
	BW_VERDICT_NOT_CANONICAL, /* no address: bits 63:47 differ */
	BW_VERDICT_MAPPED,	  /* readable, writable, executable say for what */
};
/* An entry of a page table that the walk has read. */
struct bw_walk_step {
	uint8_t level; /* as gpuvm.h names levels */
	bool is_directory, is_system;
	bool is_unreadable; /* value is not known */
	uint64_t address;   /* of the entry: VRAM offset or bus address */
	uint64_t index, value;
};
enum { BW_WALK_STEPS = 10 };
struct bw_verdict {
	enum bw_verdict_kind kind;
	bool readable, writable, executable;
	uint64_t page_va,
		page_size_b; /* of the leaf; of the hole where UNMAPPED and known, else 0 */
	uint64_t pa;
	bool is_system; /* in system memory, else VRAM */
	char text[160]; /* "not mapped: PDE0 entry 0x1f5 at level 1 is not valid" */
	/* The entries read, from the root on; the last one decided. None where a target has only a
	 * verdict. */
	uint8_t n_steps, gen; /* gen: enum bw_gpuvm_gen */
	struct bw_walk_step step[BW_WALK_STEPS];
};

struct bw_target_fault {
	bool present;
	uint64_t va;	 /* only its page is known */
	uint32_t status; /* VM_L2_PROTECTION_FAULT_STATUS */
	uint32_t vmhub;
};

/* Memory that the program had, and has freed. */
struct bw_target_freed {
	uint64_t va, size_b; /* size_b 0: nothing that is known */
	/* the call that freed it: in the executable file of a process, at an address as that file
	 * has them; pid 0: not known */
	int pid;
	uint64_t by;
};

struct bw_target_map {
	uint64_t va, size_b;
	uint32_t flags;	  /* AMDGPU_VM_PAGE_*: 2 readable, 4 writable, 8 executable */
	uint32_t domains; /* 2 GTT, 4 VRAM */
};

#endif
