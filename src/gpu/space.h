/* SPDX-License-Identifier: MIT */
#ifndef BW_GPU_SPACE_H
#define BW_GPU_SPACE_H

/* An address space of a living GPU by the byte: its page tables, of which what was read last is
 * kept, and the memory that they lead to. One thread. */

#include "gpu/gpu.h"

enum { BW_GPU_PAGE_B = 4096 };

struct bw_gpu_space {
	struct bw_gpuvm_context context;
	struct bw_gpu_memory memory; /* its kmd is borrowed */
	/* blocks of table memory that were read last: entries are asked for one by one */
	struct {
		bool is_valid, is_system;
		uint64_t address;
		uint8_t bytes[BW_GPU_PAGE_B];
	} cache[8];
	unsigned next_cached;
};

/* Reads the registers of a VMID of a hub. out: zero, or one that looked at another VMID.
 * out_regs: what was read; may be NULL. */
struct bw_error *bw_gpu_space_open(struct bw_kmd *kmd, const struct bw_gpuvm_part *part,
				   enum bw_gpuvm_hub hub, unsigned vmid, struct bw_gpu_space *out,
				   struct bw_gpuvm_regs *out_regs) BW_MUST_CHECK;
/* Accepts one that could not be opened. */
void bw_gpu_space_close(struct bw_gpu_space *s);
/* A bw_gpuvm_read_fn; cookie: a struct bw_gpu_space. */
bool bw_gpu_space_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry);
/* Bytes that could be read, up to the first that cannot. */
size_t bw_gpu_space_read(struct bw_gpu_space *s, uint64_t va, void *out, size_t size_b);

#endif
