/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_FENCES_H
#define BW_AGENT_GPU_FENCES_H

/* The ends of submissions: a thread waits for the fence of each one that a debugger is told about,
 * or whose waves may need what is attached. When the program exits, those that have ended by then
 * are reported first. Any thread may call. */

#include <amdgpu_drm.h>

#include "agent/agent.h"

struct bw_attach_left;

/* Waits for the fence that `in` names. job: dropped when it has signalled, NULL: nothing. number:
 * the submission whose end is then reported, 0: none. Where a debugger is connected now, a failure
 * is reported in either case. */
void bw_fence_wait(struct bw_agent_file *f, const struct drm_amdgpu_wait_cs_in *in,
		   struct bw_attach_left *job, uint32_t number);
/* Like bw_fence_wait, for a fence that is perhaps waited for already, on behalf of a debugger that
 * has left: then its end is reported under the new number. */
void bw_fence_wait_again(struct bw_agent_file *f, const struct drm_amdgpu_wait_cs_in *in,
			 uint32_t number);

/* After a wait of the program: reports those that have failed, and waits until the debugger resumes
 * the program from them, so that it does not end what the debugger's user has come to see. */
void bw_fence_settle(void);

void bw_fence_fork_prepare(void);
void bw_fence_fork_parent(void);
void bw_fence_fork_child(void);

#endif
