/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_FOLLOW_H
#define BW_KMD_FOLLOW_H

/* Following a program to its end: the one loop of exec, replay, capture and breadcrumbs. Meanwhile
 * it tells when the program waits for a GPU that others fill. One thread. */

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"
#include "kmd/kmd.h"

struct bw_followed {
	pid_t pid;	    /* 0: not known */
	int pidfd;	    /* readable at its end; -1: none */
	struct bw_kmd *kmd; /* NULL: nobody is told of waits */
	/* gets a sentence without its end */
	void (*tell_wait)(const char *text);
	struct bw_kmd_wait_watch waits; /* the reported waits, from one call to the next */
};

struct bw_follow {
	struct bw_followed *program;
	uint64_t slice_ns; /* how long one `take` waits */
	/* Waits for one thing, at most for `limit`, and takes it. out_quiet: nothing came.
	 * io_ended: the program has ended; becomes true when `take` finds that. */
	struct bw_error *(*take)(void *cookie, const struct timespec *limit, bool *out_quiet,
				 bool *io_ended);
	bool (*is_over)(void *cookie); /* nothing more is wanted; NULL: everything is */
	void (*look)(void *cookie);    /* now and then, while nothing comes; NULL: none */
	void *cookie;
};

/* Takes what comes until the program has ended, or has begun to exit (the kernel may keep one that
 * was killed until its jobs have ended), and what it has sent before; for what others send who run
 * on, that is two seconds later at the latest. out_ended: so it was; false: is_over(). */
struct bw_error *bw_follow_program(const struct bw_follow *f, bool *out_ended) BW_MUST_CHECK;

#endif
