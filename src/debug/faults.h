/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FAULTS_H
#define BW_DEBUG_FAULTS_H

/* Explains memory violations. */

#include "debug/debug.h"
#include "gpuvm/gpuvm.h"
#include "sym/host_place.h"

/* Explains a memory violation: the instruction at the PC is decoded, the address of each active
 * lane computed from the saved registers, and the page tables are walked. */
struct bw_fault_info {
	bool has_instruction; /* false: the instruction at the PC does not access memory */
	bool is_write, is_atomic, is_scalar, is_fetch;
	enum bw_space space;
	uint32_t access_size_b; /* bytes that one lane accesses */
	int first_lane;		/* first lane whose access fails; -1: none was found */
	uint64_t fault_lanes;	/* all lanes whose accesses fail */
	/* address that first_lane accesses; without one, the page in the GPU's fault register */
	uint64_t addr;
	bool has_addr;
	struct bw_verdict verdict;
	bool has_status; /* the GPU's own record of the fault (GPUVM_FAULT) */
	struct bw_target_fault record;
	/* The nearest buffer of the program (number 0: none is near). addr is near_b bytes after
	 * its first byte, after its last byte, or before its first byte. */
	enum bw_near { BW_NEAR_INSIDE, BW_NEAR_PAST, BW_NEAR_BEFORE } near;
	uint32_t near_buffer;
	uint64_t near_b, near_va, near_size_b;
	char near_name[64]; /* "" for none */
	bool near_is_image;
	/* What the program had at addr, and has freed (size_b 0: nothing that is known), and where
	 * in its own code. Nothing is near then. */
	struct bw_target_freed freed;
	struct bw_host_place freed_in; /* "" and 0 for what is not known */
	/* Image instructions. If addresses are known, texel is that of first_lane. It is at addr,
	 * or (block_b > 0) somewhere in the layout's block of block_b bytes at block_va; addr is
	 * then the page in this block that the GPU's record names. */
	bool is_image;
	uint64_t image_va, block_va;
	const char *image_type; /* "2D" */
	uint32_t image_dim[3], texel[3], block_b;
	char image_name[64]; /* "" for none */
};
struct bw_error *bw_debug_fault(struct bw_debug *d, uint32_t wave,
				struct bw_fault_info *out) BW_MUST_CHECK;

#endif
