/* SPDX-License-Identifier: MIT */
#ifndef BW_GPU_OPENED_H
#define BW_GPU_OPENED_H

/* A living GPU that is looked at: its registers by name in any of its blocks, and its graphics
 * block held on meanwhile. The commands that need no session (src/cli) and the reading of waves
 * (src/scan) share it. One thread. */

#include "gpu/gpu.h"

enum { BW_GPU_N_BLOCKS = 7, BW_GPU_VMIDS = 16 };

struct bw_gpu {
	struct bw_kmd *kmd;
	bool is_borrowed;	    /* kmd is */
	struct bw_kmd_file *gfxoff; /* NULL: the GPU has none, or no access */
	bool is_held;		    /* GFXOFF is */
	struct bw_gpuvm_part part;
	struct bw_gpu_block block[BW_GPU_N_BLOCKS]; /* those that it has, gc first */
	size_t n_blocks;
};

/* Takes kmd, which close() closes, and finds the blocks; GFXOFF is not touched. */
struct bw_error *bw_gpu_take(struct bw_kmd *kmd, struct bw_gpu *out) BW_MUST_CHECK;
/* The same of a kmd that stays its owner's. */
struct bw_error *bw_gpu_borrow(struct bw_kmd *kmd, struct bw_gpu *out) BW_MUST_CHECK;
/* Holds GFXOFF off until close(), where that is possible. */
void bw_gpu_hold(struct bw_gpu *g);
/* Allows GFXOFF again, where it is held. */
void bw_gpu_allow(struct bw_gpu *g);
/* Accepts one that could not be opened. */
void bw_gpu_close(struct bw_gpu *g);

/* The part that a GPU is, by its discovery table. */
struct bw_error *bw_gpu_part_of(struct bw_kmd *kmd, struct bw_gpuvm_part *out) BW_MUST_CHECK;

/* The register of that name, in the first block that has it, and its address. */
bool bw_gpu_find(const struct bw_gpu *g, const char *name, struct bw_reg *out_reg,
		 uint32_t *out_addr_dw);
/* Reads it. bank: NULL for none. BW_E_NOT_FOUND: there is no such register on this GPU. */
struct bw_error *bw_gpu_read(const struct bw_gpu *g, const struct bw_kmd_bank *bank,
			     const char *name, uint32_t *out_value) BW_MUST_CHECK;

/* PASIDs by VMID, 0 where there is none: the table in the interrupt block
 * (doc/hardware/kernel-interface.md 1). */
struct bw_error *bw_gpu_pasids(struct bw_kmd *kmd, bool is_mm,
			       uint32_t out[BW_GPU_VMIDS]) BW_MUST_CHECK;
/* The process that a VMID belongs to now. False: none, or not known. */
bool bw_gpu_process_of(struct bw_kmd *kmd, unsigned vmid, struct bw_kmd_client *out);

#endif
