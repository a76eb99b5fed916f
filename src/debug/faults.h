/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FAULTS_H
#define BW_DEBUG_FAULTS_H

/* What a memory violation was about. */

#include "debug/debug.h"
#include "gpuvm/gpuvm.h"

/* Explains a memory violation: the instruction at the PC is decoded, the address of each active
 * lane computed from the saved registers, and the page tables are walked. */
struct bw_fault_info {
	bool has_instruction; /* false: the PC does not name a memory instruction */
	bool is_write, is_atomic, is_scalar, is_fetch;
	enum bw_space space;
	uint32_t access_size_b; /* bytes of one lane */
	int first_lane;		/* first lane whose access fails, -1 when none was found */
	uint64_t fault_lanes;	/* all of them */
	uint64_t addr; /* of the first failing lane; without one the fault register's page */
	bool has_addr;
	struct bw_verdict verdict;
	bool has_status; /* the GPU's own record (GPUVM_FAULT) */
	struct bw_target_fault record;
	/* The buffer of the program that lies nearest (number 0: none is near): addr is near_b
	 * bytes into it, past its last byte, or before its first. */
	enum bw_near { BW_NEAR_INSIDE, BW_NEAR_PAST, BW_NEAR_BEFORE } near;
	uint32_t near_buffer;
	uint64_t near_b, near_va, near_size_b;
	char near_name[64]; /* "" for none */
	bool near_is_image;
	/* Image instructions. Where addresses are known, texel is that of first_lane: at addr, or
	 * (block_b) somewhere in the block of the layout at block_va, of which addr is not
	 * there. */
	bool is_image;
	uint64_t image_va, block_va;
	const char *image_type; /* "2D" */
	uint32_t image_dim[3], texel[3], block_b;
	char image_name[64]; /* "" for none */
};
struct bw_error *bw_debug_fault(struct bw_debug *d, uint32_t wave,
				struct bw_fault_info *out) BW_MUST_CHECK;

#endif
