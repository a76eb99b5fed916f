/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CAPTURE_CAPTURED_H
#define BW_AGENT_CAPTURE_CAPTURED_H

/* Converts the agent's descriptions of dispatches and objects (names.h, launches.h) to those of
 * captures (capture/capture.h), and back in the process of a replay. */

#include "agent/names/descriptors.h"
#include "agent/names/names.h"
#include "capture/capture.h"

/* Copies the dispatch's arguments from the blob into the vectors of the submission, and writes
 * their places there to `out`. */
struct bw_error *bw_captured_note(const struct bw_agent_dispatch *d,
				  const struct bw_names_blob *blob, struct bw_capture_submission *s,
				  struct bw_capture_dispatch *out) BW_MUST_CHECK;
/* Buffers and images that live now. */
struct bw_error *bw_captured_note_objects(struct bw_capture_submission *s) BW_MUST_CHECK;

/* Gives the last dispatch of the command buffer these arguments (with bw_names_cmd_*). */
void bw_captured_bind(uint64_t cmd, const struct bw_capture_submission *s,
		      const struct bw_capture_dispatch *d);
void bw_captured_give(uint64_t cmd, const struct bw_capture_submission *s,
		      const struct bw_capture_dispatch *d);
/* Replaces all known buffers and images by these, which are of process pid. */
void bw_captured_objects(uint32_t pid, const struct bw_capture_object *all, size_t n);

#endif
