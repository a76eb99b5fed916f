/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_CAPTURE_AREA_H
#define BW_WIRE_CAPTURE_AREA_H

/* Messages in memory that two processes share: one thread at a time writes (the agent), one reads
 * (`breakwater capture`), and neither makes a system call. Messages stay when their writer has
 * died. The reader is told by other means that there is something to read.
 *
 * The reader trusts nothing in the memory: places and lengths are checked, and a message is copied
 * out before anybody looks at it. The file cannot be shortened. */

#include <stdbool.h>
#include <stdint.h>

#include "wire/message.h"

/* There is room for the longest message. */
enum { BW_CAPTURE_AREA_B = 32 << 20 };

struct bw_capture_area {
	struct bw_capture_area_head *shared; /* NULL: there is none */
	uint64_t at;	/* bytes that this side has written, or read; never less */
	uint64_t limit; /* the reader's: how far it reads */
};

/* The header of a message. */
struct bw_capture_area_entry {
	uint32_t body_b;
	uint16_t type;
	uint16_t pad;
	uint64_t time_ns; /* when it was written, CLOCK_MONOTONIC */
};

/* The reader makes one. out_fd: for the writer, owned by the caller. */
struct bw_error *bw_capture_area_make(struct bw_capture_area *out, int *out_fd) BW_MUST_CHECK;
/* The writer's side of it; fd is borrowed. */
struct bw_error *bw_capture_area_map(int fd, struct bw_capture_area *out) BW_MUST_CHECK;
/* Accepts one that there is not, and leaves that. */
void bw_capture_area_unmap(struct bw_capture_area *a);

/* For the writer. False: there is no room yet, and nothing was written. */
bool bw_capture_area_put(struct bw_capture_area *a, uint16_t type, uint64_t time_ns,
			 const struct bw_msg_part *parts, size_t n_parts);
/* Whether the reader has said that it reads no more. */
bool bw_capture_area_is_over(const struct bw_capture_area *a);

/* For the reader. The calls below see the messages that are there now. */
void bw_capture_area_begin(struct bw_capture_area *a);
/* The next message's entry; false: there is none. BW_E_INVALID: the memory makes no sense. */
struct bw_error *bw_capture_area_peek(const struct bw_capture_area *a,
				      struct bw_capture_area_entry *out,
				      bool *out_has) BW_MUST_CHECK;
/* Takes the message with that entry. */
struct bw_error *bw_capture_area_take(struct bw_capture_area *a,
				      const struct bw_capture_area_entry *entry,
				      struct bw_msg *out) BW_MUST_CHECK;
void bw_capture_area_end(struct bw_capture_area *a);

#endif
