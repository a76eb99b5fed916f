/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_STOMP_H
#define BW_AGENT_MEMORY_STOMP_H

/* New buffers of the program are filled with a bad value before it sees them (breakwater exec
 * --stomp-memory): what reads them before it has written them then does not find zeros. The same of
 * what waves start with, which the virtual GPU fills. Any thread may call. */

#include <amdgpu_drm.h>

#include "agent/agent.h"
#include "wire/vgpu_proto.h"

/* The program has made this buffer; in: as it has asked for it. */
void bw_stomp_new_buffer(struct bw_agent_file *f, const struct drm_amdgpu_gem_create_in *in,
			 uint32_t handle);
/* The program makes a submission. True: *out goes with it, as a chunk of its own. */
bool bw_stomp_submission(struct bw_vgpu_stomp *out);
void bw_stomp_fork_child(void);

#endif
