/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_TOLD_H
#define BW_CAPTURE_TOLD_H

/* The interface from a replay to the agent in its process, if there is one: names of the captured
 * program's dispatches, and sources of their pipelines. The agent's library exports the functions;
 * the replay gets them from the dynamic linker. */

#include "capture/pipeline.h"

/* A dispatch; its parts are borrowed for the call. */
struct bw_told_dispatch {
	const struct bw_capture_dispatch *dispatch;
	const struct bw_capture_pipeline *made_of; /* NULL: not known */
	/* of a draw: that of its pixel shader */
	const struct bw_capture_pipeline *pixel_made_of;
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
