/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CAPTURE_CAPTURED_H
#define BW_AGENT_CAPTURE_CAPTURED_H

/* What the agent knows of dispatches and objects (names.h, launches.h), as captures have it
 * (capture/capture.h), and back in the process of a replay: each part in both directions. */

#include "agent/names/descriptors.h"
#include "agent/names/names.h"
#include "capture/capture.h"

/* What the dispatch was given, which lies in the blob, goes into the vectors of the submission, and
 * its places there into `out`. */
struct bw_error *bw_captured_note(const struct bw_agent_dispatch *d,
				  const struct bw_names_blob *blob, struct bw_capture_submission *s,
				  struct bw_capture_dispatch *out) BW_MUST_CHECK;
/* Buffers and images that live now. */
struct bw_error *bw_captured_note_objects(struct bw_capture_submission *s) BW_MUST_CHECK;

/* For bw_names_cmd_*: the dispatch, the last one of the command buffer, is given the same. */
void bw_captured_bind(uint64_t cmd, const struct bw_capture_submission *s,
		      const struct bw_capture_dispatch *d);
void bw_captured_give(uint64_t cmd, const struct bw_capture_submission *s,
		      const struct bw_capture_dispatch *d);
/* All buffers and images that are known are these, of that process. */
void bw_captured_objects(uint32_t pid, const struct bw_capture_object *all, size_t n);

#endif
