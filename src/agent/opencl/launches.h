/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_OPENCL_LAUNCHES_H
#define BW_AGENT_OPENCL_LAUNCHES_H

/* Kernels that the program's OpenCL has made, what their arguments are, and launches that were
 * asked for and have not been seen in a submission. A driver makes dispatch packets of launches
 * later, on a thread of its own, and puts packets of its own between them (copies, fills). A packet
 * is that of a launch where the groups are those of the launch, and the block of arguments that the
 * packet's user SGPRs point to holds its arguments (launch_layout.h). Any thread may call. */

#include <stdbool.h>

#include "agent/agent.h"
#include "agent/names/names.h"
#include "agent/opencl/launch_layout.h"

/* The kernel has these arguments, none of which is set; copies all. A kernel of that handle is
 * replaced, as the driver uses handles again. Returns the id of its object; 0: no memory. */
uint32_t bw_launches_kernel(uint64_t handle, const char *name, const struct bw_launch_arg *args,
			    uint32_t n_args);
/* The kernel `to` is a copy of `from`, with what is set. */
void bw_launches_clone(uint64_t from, uint64_t to);
/* The kind of the argument; BW_LAUNCH_OPAQUE if kernel or argument is not known. */
enum bw_launch_kind bw_launches_arg_kind(uint64_t kernel, uint32_t index);
/* The argument has this value now: its bytes, or a buffer's address. NULL: not known. */
void bw_launches_set(uint64_t kernel, uint32_t index, const void *value, size_t size_b);

struct bw_launch_grid {
	uint32_t n_dims;
	uint64_t global[3];
	uint64_t local[3]; /* 0: the driver chooses */
};
/* The program asks for a launch on that queue. */
void bw_launches_add(uint64_t queue, uint64_t kernel, const struct bw_launch_grid *grid);
/* Fills in kernel and arguments of those packets of a submission of the file that are launches'. */
void bw_launches_match(struct bw_agent_file *f, struct bw_agent_dispatches *dispatches,
		       struct bw_names_blob *blob);
/* To be called in a forked child. */
void bw_launches_fork_child(void);

#endif
