/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_TOLD_H
#define BW_CAPTURE_TOLD_H

/* What a replay tells the agent in its process, where there is one: what the program of the capture
 * called its dispatches, and what their pipelines were made of. By functions that the agent's
 * library exports, and that the replay asks the dynamic linker for. */

#include "capture/pipeline.h"

/* Its parts are borrowed for the call. */
struct bw_told_dispatch {
	const struct bw_capture_dispatch *dispatch;
	const struct bw_capture_pipeline *made_of; /* NULL: not known */
};

struct bw_told_submission {
	const struct bw_capture_submission *s;
	const struct bw_told_dispatch *dispatches;
	size_t n;
	const struct bw_capture_object *objects; /* of its address space */
	size_t n_objects;
};

/* The calling thread is about to make the submission; end: it has. */
typedef void bw_told_begin_fn(const struct bw_told_submission *told);
typedef void bw_told_end_fn(void);
#define BW_TOLD_BEGIN "bw_agent_told_begin"
#define BW_TOLD_END "bw_agent_told_end"

#endif
