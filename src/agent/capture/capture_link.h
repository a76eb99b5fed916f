/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CAPTURE_CAPTURE_LINK_H
#define BW_AGENT_CAPTURE_CAPTURE_LINK_H

/* The connection to `breakwater capture` (wire/capture_proto.h). All but bw_capture_link_take are
 * called with the lock, which is held from begin to end of a submission, across the calls to the
 * GPU: what is captured runs one after the other. */

#include <stdbool.h>

#include "capture/capture.h"
#include "wire/capture_proto.h"

/* The connection of a capture that has come to the running program: bw_channel_take. */
void bw_capture_link_take(int fd);

void bw_capture_link_lock(void);
void bw_capture_link_unlock(void);
/* Connects, the first time; false: nothing is captured. */
bool bw_capture_link_open(void);
bool bw_capture_link_is_open(void);
/* The connection's number, from 1. Data sent on an earlier connection are not part of this one's
 * capture. */
uint32_t bw_capture_link_number(void);
/* Whether the program may have made submissions before it. */
bool bw_capture_link_is_late(void);
/* The connection is of no use any more; the program runs on. */
void bw_capture_link_end(const struct bw_error *err);
/* bw_capture_go */
uint32_t bw_capture_link_wait_ms(void);
uint64_t bw_capture_link_unseen_max_b(void);
/* out: the page's number on this connection. */
struct bw_error *bw_capture_link_page(const void *page, uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_capture_link_record(enum bw_capture_msg type, const void *fixed, size_t fixed_b,
					const struct bw_capture_bytes *bytes) BW_MUST_CHECK;
uint64_t bw_capture_now_ns(void); /* the machine's time, which a debugger does not stop */
/* Something happened that the capture may be for: what was sent is to be read now. */
struct bw_error *bw_capture_link_drain(void) BW_MUST_CHECK;
/* Whether the submission is captured, of which the dispatches are known. */
struct bw_error *bw_capture_link_ask(const struct bw_capture_submission *s, uint32_t frame,
				     bool *out_take) BW_MUST_CHECK;

#endif
