/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_WAITS_H
#define BW_AGENT_WAITS_H

/* Finite waits of the program. Time in which the debugger holds a submission does not count: a
 * fence that cannot signal because a person is thinking must not look like a hang. (Time in which
 * waves are stopped is the virtual GPU's to leave out; on hardware it counts, see README.) */

#include "agent/agent.h"

/* Does the call, if it is a wait with a limit; false: it is something else. */
bool bw_wait_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg, int *out_result);

#endif
