/* SPDX-License-Identifier: MIT */
#ifndef BW_RECORD_COLLECT_H
#define BW_RECORD_COLLECT_H

/* Collects the records that a program's processes make of their submissions, into a capture. One
 * thread. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/ring.h"
#include "capture/writer.h"
#include "kmd/follow.h"
#include "record/trigger.h"

struct bw_collect; /* records of several processes on their way into one file */

/* The events for which a capture can be kept, and those that complete any capture: the trigger has
 * taken all, or an order has come. */
enum {
	BW_COLLECT_HANG = 1,
	BW_COLLECT_FAULT = 2,
	BW_COLLECT_CRASH = 4,
	BW_COLLECT_SPAN = 8,
	BW_COLLECT_ORDER = 16
};

struct bw_collect_options {
	/* where agents connect, which becomes the collector's; -1: only the connections of
	 * bw_collect_add */
	int listening;
	/* a descriptor that becomes readable when the capture has to end; -1: none */
	int stop_fd;
	uint32_t wait_ms; /* bw_capture_go */
	bool has_ring;	  /* only the last submissions are kept, in memory until the end */
	bool sees_all;	  /* memory is read after each submission, also with a ring */
	struct bw_capture_ring_limits limits;
	struct bw_capture_trigger trigger;
	const char *file; /* the file's name, for those who give orders */
};
/* Opens a collector that writes to w, which is borrowed. */
struct bw_error *bw_collect_open(struct bw_capture_writer *w, const struct bw_collect_options *o,
				 struct bw_collect **out) BW_MUST_CHECK;
/* Adds a connection to a process; the collector owns fd. */
struct bw_error *bw_collect_add(struct bw_collect *c, int fd) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_collect_close(struct bw_collect *c);
/* Handles records until the program has ended or begun to exit, and those that have come by then;
 * or until one of `until` (BW_COLLECT_*, not CRASH) has happened: *out says which. Returns the
 * first error of the file; all connections are closed then, and the program runs on without being
 * captured. */
struct bw_error *bw_collect_run(struct bw_collect *c, struct bw_followed *p, unsigned until,
				unsigned *out) BW_MUST_CHECK;
/* Writes the ring, if there is one, and completes the file. From then on, programs are told that
 * they are not captured. */
struct bw_error *bw_collect_finish(struct bw_collect *c) BW_MUST_CHECK;
/* The number of submissions that the programs have made, including those that the trigger did not
 * take; and of those in the file. */
uint32_t bw_collect_submissions(const struct bw_collect *c);
uint32_t bw_collect_written(const struct bw_collect *c);
uint32_t bw_collect_processes(const struct bw_collect *c);
/* Submissions that failed with a page fault; those that failed otherwise or did not end. */
uint32_t bw_collect_faults(const struct bw_collect *c);
uint32_t bw_collect_hangs(const struct bw_collect *c);

#endif
