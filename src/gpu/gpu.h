/* SPDX-License-Identifier: MIT */
#ifndef BW_GPU_GPU_H
#define BW_GPU_GPU_H

/* What is read of a GPU by name, over the kernel interface: the registers of a block, those of an
 * address space, and its page tables. The debugger (src/live) and the commands that need no session
 * (src/cli) share it. One thread for each struct bw_kmd. */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gpuvm/fault.h"
#include "gpuvm/gpuvm.h"
#include "kmd/kmd.h"
#include "regs/regs.h"

/* The register table and the segments of a block. Owns nothing. */
struct bw_gpu_block {
	const struct bw_regs_block *block;
	struct bw_kmd_ip ip;
};
/* name: "gc", "mmhub", "osssys" as the register database has it. */
struct bw_error *bw_gpu_block_open(struct bw_kmd *kmd, const char *name,
				   struct bw_gpu_block *out) BW_MUST_CHECK;
/* The version of the block. */
uint32_t bw_gpu_block_version(const struct bw_gpu_block *b);
/* The address of a register, in dwords. BW_E_NOT_FOUND names the nearest names. */
struct bw_error *bw_gpu_block_address(const struct bw_gpu_block *b, const char *name,
				      uint32_t *out_addr_dw) BW_MUST_CHECK;

/* Reads the registers of one VMID of a hub, by the names of its generation. b: "gc" for the
 * graphics hub, "mmhub" for the memory hub. */
struct bw_error *bw_gpu_vm_regs(struct bw_kmd *kmd, const struct bw_gpu_block *b,
				enum bw_gpuvm_hub hub, unsigned vmid,
				struct bw_gpuvm_regs *out) BW_MUST_CHECK;

/* Memory that page tables lie in, or lead to: amdgpu_vram and amdgpu_iomem, each opened on its
 * first use. Zero but for kmd (borrowed) to begin with. */
struct bw_gpu_memory {
	struct bw_kmd *kmd;
	struct {
		struct bw_kmd_file *file;
		bool is_tried;
	} vram, iomem;
};
/* NULL: cannot be opened, which is tried once. */
struct bw_kmd_file *bw_gpu_memory_file(struct bw_gpu_memory *m, bool system);
/* Reads from a VRAM offset, or from a bus address when system. Returns the bytes read, 0 where
 * nothing can be read. */
size_t bw_gpu_memory_read(struct bw_gpu_memory *m, bool system, uint64_t address, void *out,
			  size_t size_b);
/* The same at any byte: amdgpu_vram takes whole dwords alone (doc/hardware/kernel-interface.md
 * 5.2). May read less than there is: of system memory the rest of a page at most. */
size_t bw_gpu_memory_bytes(struct bw_gpu_memory *m, bool system, uint64_t address, void *out,
			   size_t size_b);
/* A bw_gpuvm_read_fn; cookie: a struct bw_gpu_memory. */
bool bw_gpu_memory_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry);
void bw_gpu_memory_close(struct bw_gpu_memory *m);

#endif
