/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CAPTURE_CAPTURE_H
#define BW_AGENT_CAPTURE_CAPTURE_H

/* Captures of what the program submits (breakwater capture): before each submission all memory that
 * is mapped in its address space is compared with what was sent of it, and what has changed is
 * sent; then again when the submission has ended, for which the call waits. So the program's
 * submissions run one after the other, in the order in which they are captured. */

#include <amdgpu_drm.h>

#include "agent/agent.h"
#include "agent/names/names.h"
#include "capture/capture.h"

/* The code object in which the kernel of all dispatches of a call is; see names/loaded_kernel.h. */
struct bw_loaded_kernel;

/* A submission that is about to be made. */
struct bw_capture_call {
	struct bw_agent_file *file;
	const struct drm_amdgpu_cs_in *in;
	const struct drm_amdgpu_cs_chunk *chunks; /* in->num_chunks */
	bool is_copied;				  /* bw_chunk_read */
	const struct bw_agent_dispatches *dispatches;
	const struct bw_names_blob *blob;
	uint32_t frame;
	/* of an AQL queue: its number, which takes the place of the ring's */
	bool is_aql;
	uint32_t queue;
	const struct bw_loaded_kernel *kernel; /* NULL: none that is known */
};

/* Whether the program is captured at all; cheap. */
bool bw_agent_captures(void);
/* True: what there is before it was sent, and bw_agent_capture_end must be called by this thread.
 * Until then no other thread's submission is made. */
bool bw_agent_capture_begin(const struct bw_capture_call *c);
/* r: what the call has returned. wait: names its fence when that is 0. */
void bw_agent_capture_end(struct bw_agent_file *f, int r, const struct drm_amdgpu_wait_cs_in *wait);
/* For one whose end is not a fence: the time for which to wait, and how it has ended. */
uint32_t bw_agent_capture_wait_ms(void);
void bw_agent_capture_ended(struct bw_agent_file *f, const struct bw_capture_result *how);
/* Work that is not captured may have changed memory since the last submission. */
void bw_agent_capture_unsettle(struct bw_agent_file *f);
/* A call of the program that waits for the submission whose end the capture has just waited for:
 * answers it as the kernel would, whom nobody has to ask again. False: it is none. */
bool bw_agent_capture_answers(const struct bw_agent_file *f, uint32_t cmd, void *arg);
/* The file is closed. */
void bw_agent_capture_forget(struct bw_agent_file *f);
void bw_agent_capture_fork_child(void);

#endif
