/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_OPENCL_LAUNCH_LAYOUT_H
#define BW_AGENT_OPENCL_LAUNCH_LAYOUT_H

/* The places of an OpenCL kernel's arguments in the block that the driver gives to the GPU: in
 * their order, each aligned, without those that the kernel does not use (doc/hardware/mesa.md 6).
 * The driver does not tell which ones are unused, so a place is accepted only where the block has
 * the argument's value. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bw_launch_kind {
	BW_LAUNCH_OPAQUE, /* image, sampler: not in the block */
	BW_LAUNCH_VALUE,
	BW_LAUNCH_BUFFER, /* the block has its address, 8 bytes */
	BW_LAUNCH_LOCAL,  /* its offset in LDS, 8 bytes, which the program is not told */
};
enum { BW_LAUNCH_ARGS_MAX = 64, BW_LAUNCH_BLOCK_MAX_B = 4096 };
#define BW_LAUNCH_NOWHERE UINT32_MAX

struct bw_launch_arg {
	char name[48], type[48]; /* "" where the program does not keep them */
	enum bw_launch_kind kind;
	bool is_known;	      /* value */
	uint32_t size_b;      /* in the block; 0: not set yet */
	const uint8_t *value; /* size_b bytes, where known */
};

/* False: the block is not that of a launch with these arguments, or holds none that could tell.
 * out_at: offset of each, BW_LAUNCH_NOWHERE for those that are not in the block or whose value is
 * not known. n_args is at most BW_LAUNCH_ARGS_MAX. */
bool bw_launch_layout(const struct bw_launch_arg *args, uint32_t n_args, const uint8_t *block,
		      size_t block_b, uint32_t *out_at);

#endif
