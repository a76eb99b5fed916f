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

/* The events that a capture can be for, and those that complete any capture: the trigger is over,
 * an order. */
enum {
	BW_COLLECT_HANG = 1,
	BW_COLLECT_FAULT = 2,
	BW_COLLECT_CRASH = 4,
	BW_COLLECT_SPAN = 8,
	BW_COLLECT_ORDER = 16
};

struct bw_collect_options {
	const char *socket; /* where agents connect; made here; NULL: those of bw_collect_add */
	int stop_fd;	    /* to be read: it ends like the program; -1: none */
	uint32_t wait_ms;   /* bw_capture_go */
	bool has_ring;	    /* only the last submissions are kept, in memory until the end */
	bool sees_all;	    /* memory is looked at after each submission, with a ring, too */
	struct bw_capture_ring_limits limits;
	struct bw_capture_trigger trigger;
	const char *file; /* the file's name for those who give orders */
};
/* w: borrowed. */
struct bw_error *bw_collect_open(struct bw_capture_writer *w, const struct bw_collect_options *o,
				 struct bw_collect **out) BW_MUST_CHECK;
/* A connection to a process, which is taken. */
struct bw_error *bw_collect_add(struct bw_collect *c, int fd) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_collect_close(struct bw_collect *c);
/* Takes what comes until the program has ended or has begun to exit, and what is there
 * then; or until one of `until` (BW_COLLECT_*, but CRASH) has happened, which it says in `out`. The
 * first error of the file's; connections end with it, so that the program runs on uncaptured. */
struct bw_error *bw_collect_run(struct bw_collect *c, struct bw_followed *p, unsigned until,
				unsigned *out) BW_MUST_CHECK;
/* Writes the ring, where there is one, and ends the file. From then on programs are told that they
 * are not captured. */
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
