/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CAPTURE_H
#define BW_CLI_CAPTURE_H

/* The parts of `breakwater capture`: what collects the records of a program's processes
 * (capture_collect.c), its options (capture_options.c), and what shows a capture
 * (capture_show.c). */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/ring.h"
#include "capture/writer.h"
#include "cli/capture_orders.h"
#include "cli/capture_trigger.h"
#include "cli/follow.h"
#include "cli/subcommands.h"
#include "cli/swap.h"

struct bw_collect; /* records of several processes on their way into one file */

/* What a capture can be for; and what else completes one: the trigger takes no more, an order. */
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
	bool sees_all;	    /* memory is looked at behind each submission, with a ring, too */
	struct bw_capture_ring_limits limits;
	struct bw_capture_trigger trigger;
	const char *file; /* what it writes, for those who give orders */
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
struct bw_error *bw_collect_run(struct bw_collect *c, const struct bw_followed *p, unsigned until,
				unsigned *out) BW_MUST_CHECK;
/* Writes the ring, where there is one, and ends the file. From then on programs are told that they
 * are not captured. */
struct bw_error *bw_collect_finish(struct bw_collect *c) BW_MUST_CHECK;
/* All that the programs have made, also those that the trigger did not take; and those of them that
 * are in the file. */
uint32_t bw_collect_submissions(const struct bw_collect *c);
uint32_t bw_collect_written(const struct bw_collect *c);
uint32_t bw_collect_processes(const struct bw_collect *c);
/* Submissions that failed with a page fault; those that failed otherwise or did not end. */
uint32_t bw_collect_faults(const struct bw_collect *c);
uint32_t bw_collect_hangs(const struct bw_collect *c);

/* ---- capture_options.c ---- */

struct bw_capture_options {
	const char *gpu, *output;
	bool json, help;
	unsigned on;		 /* BW_COLLECT_*, 0: the capture is kept in any case */
	uint64_t wait_s, pid;	 /* pid 0: a program */
	bool has_ring, sees_all; /* bw_collect_options */
	struct bw_capture_ring_limits limits;
	struct bw_capture_trigger trigger;
	struct bw_cli_vgpu_options vgpu;
	struct bw_swap_options swaps;
	char **program; /* borrowed from argv */
};
/* The caller ends the options' swaps, after an error, too. */
struct bw_error *bw_capture_options_parse(int argc, char **argv,
					  struct bw_capture_options *out) BW_MUST_CHECK;
extern const char bw_capture_usage[];

/* ---- capture_show.c ---- */

/* argv[0] is "info", "list" or "show". */
int bw_main_capture_show(int argc, char **argv);

#endif
