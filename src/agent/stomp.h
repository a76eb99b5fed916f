/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_STOMP_H
#define BW_AGENT_STOMP_H

/* New buffers of the program are filled with a bad value before it sees them (breakwater exec
 * --stomp-memory): what reads them before it has written them then does not find zeros. Any thread
 * may call. */

#include <amdgpu_drm.h>

#include "agent/agent.h"

/* The program has made this buffer; in: as it has asked for it. */
void bw_stomp_new_buffer(struct bw_agent_file *f, const struct drm_amdgpu_gem_create_in *in,
			 uint32_t handle);
void bw_stomp_fork_child(void);

#endif
