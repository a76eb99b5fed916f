/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CAPTURE_H
#define BW_CLI_CAPTURE_H

/* The parts of `breakwater capture`: what collects the records of a program's processes
 * (capture_collect.c), and what shows a capture (capture_show.c). */

#include <sys/types.h>

#include "capture/writer.h"

struct bw_collect; /* records of several processes on their way into one file */

/* w: borrowed. socket: where agents connect; made here. wait_ms: bw_capture_go. */
struct bw_error *bw_collect_open(struct bw_capture_writer *w, const char *socket, uint32_t wait_ms,
				 struct bw_collect **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_collect_close(struct bw_collect *c);
/* Takes what comes until the process of pidfd has ended, and what is there then. The first error of
 * the file's; connections end with it, so that the program runs on uncaptured. */
struct bw_error *bw_collect_run(struct bw_collect *c, int pidfd) BW_MUST_CHECK;
uint32_t bw_collect_submissions(const struct bw_collect *c);
uint32_t bw_collect_processes(const struct bw_collect *c);
/* Submissions that failed with a page fault; those that failed otherwise or did not end. */
uint32_t bw_collect_faults(const struct bw_collect *c);
uint32_t bw_collect_hangs(const struct bw_collect *c);

/* argv[0] is "info", "list" or "show". */
int bw_main_capture_show(int argc, char **argv);

#endif
