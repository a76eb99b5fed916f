/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_OPEN_H
#define BW_TARGET_OPEN_H

/* What is to be debugged, and who opens a target for it. */

#include "target/target.h"

struct bw_crash;
struct bw_kmd;

enum bw_target_source_kind {
	BW_SOURCE_PROGRAM, /* one that is started */
	/* one that runs already, and is detached from when the target is closed */
	BW_SOURCE_PROCESS,
	BW_SOURCE_CRASH, /* what a GPU has left behind */
	BW_SOURCE_WAVES, /* the waves that are on a GPU, which are looked at */
	BW_SOURCE_COUNT,
};

struct bw_target_source {
	enum bw_target_source_kind kind;
	struct bw_kmd *kmd;	      /* the GPU; borrowed, must outlive the target */
	const struct bw_crash *crash; /* CRASH: as read; borrowed, must outlive the target */
	uint32_t gc;		      /* CRASH: what the user says; 0: what the files say */
	pid_t pid;  /* PROCESS: started by `breakwater exec`; WAVES: whose, 0: of all */
	bool halts; /* WAVES: they are halted until the target is closed */

	/* PROGRAM: argv[0] is looked up in PATH. What it submits to the GPU is held until
	 * bw_target_release. Processes that it starts are debugged with it, each when it opens the
	 * GPU. */
	char *const *argv;
	/* More settings for its environment, NAME=VALUE, NULL-terminated; may be NULL. What the GPU
	 * and the target need is added to them. */
	const char *const *env;
	/* It stays in our process group, as a program that is not debugged. */
	bool same_group;
	/* Files for its standard input, output and error; -1: ours. */
	int in_fd, out_fd, err_fd;
};

/* Each kind of target has one; which is for what source, the command line's table says
 * (src/cli/targets.c). */
typedef struct bw_error *bw_target_open_fn(const struct bw_target_source *source,
					   struct bw_target **out);

#endif
