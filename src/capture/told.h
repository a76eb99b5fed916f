/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_TOLD_H
#define BW_CAPTURE_TOLD_H

/* What a replay tells the agent in its process, where there is one: what the program of the capture
 * called its dispatches, and what their pipelines were made of. By functions that the agent's
 * library exports, and that the replay asks the dynamic linker for. */

#include "capture/pipeline.h"

struct bw_told_dispatch {
	const struct bw_capture_dispatch *dispatch;
	const struct bw_capture_pipeline *made_of; /* NULL: not known */
};

/* The calling thread is about to make the submission with these dispatches; end: it has. */
typedef void bw_told_begin_fn(const struct bw_told_dispatch *all, size_t n);
typedef void bw_told_end_fn(void);
#define BW_TOLD_BEGIN "bw_agent_told_begin"
#define BW_TOLD_END "bw_agent_told_end"

#endif
