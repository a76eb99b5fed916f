/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_WAIT_LIMITS_H
#define BW_AGENT_GPU_WAIT_LIMITS_H

/* Finite waits of the program. Time in which the debugger holds a submission does not count: a
 * fence that cannot signal because the debugger holds its submission must not look like a hang.
 * (The virtual GPU leaves out time in which waves are stopped; on hardware it counts, see
 * doc/install.md.) */

#include "agent/agent.h"

bool bw_wait_is_one(uint32_t cmd);
/* Does the call, if it is a wait with a limit; false: it is something else. */
bool bw_wait_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg, int *out_result);

#endif
