/* SPDX-License-Identifier: MIT */
#ifndef BW_RECORD_TRIGGER_H
#define BW_RECORD_TRIGGER_H

/* Chooses the submissions that a capture takes: all, the next N after an order, one frame, or those
 * from one label to another. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_capture_trigger {
	/* The request. Names are patterns (fnmatch); NULL: none. */
	bool waits; /* the trigger waits for an order */
	const char *from_label, *to_label;
	uint32_t frame; /* 0: none */
	/* The current state. */
	bool is_on, is_over; /* over: no more submissions will be taken */
	uint64_t left;	     /* submissions still to take while it is on; 0: no limit */
	enum { BW_FRAME_NONE, BW_FRAME_AWAITED, BW_FRAME_TAKEN } next_frame;
	uint32_t pid, frame_now; /* of next_frame: 0 until a submission of a known frame comes */
};

/* A submission that a process is about to make. */
struct bw_capture_candidate {
	uint32_t pid;
	uint32_t frame; /* bw_capture_summary */
	/* labels and pipelines of its dispatches, each ended by a zero byte; the levels of a label
	 * have BW_AGENT_LABEL_SEPARATOR between them */
	const char *names;
	size_t names_b;
};

/* Whether the trigger needs to see candidates at all. */
bool bw_capture_trigger_asks(const struct bw_capture_trigger *t);
/* Called before the first submission. */
void bw_capture_trigger_begin(struct bw_capture_trigger *t);
bool bw_capture_trigger_take(struct bw_capture_trigger *t, const struct bw_capture_candidate *c);
/* Takes the next `count` submissions; -1: all until a further order; 0: none. */
void bw_capture_trigger_next(struct bw_capture_trigger *t, int64_t count);
/* Takes the next frame whose first submission is seen. */
void bw_capture_trigger_next_frame(struct bw_capture_trigger *t);

#endif
