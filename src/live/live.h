/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_LIVE_H
#define BW_LIVE_LIVE_H

/* A target on a GPU at work: the kernel interface (src/kmd) on one side, the agent inside the
 * program (wire/agent_proto.h) on the other, and between them the debug area that waves and
 * debugger share. */

#include <sys/types.h>

#include "kmd/kmd.h"
#include "target/target.h"

struct bw_live_options {
	struct bw_kmd *kmd; /* the GPU; borrowed, must outlive the target */
	/* The program: argv[0] is looked up in PATH. NULL: one that runs already, `pid`, started by
	 * `breakwater exec`; it is let run when the target is closed. */
	char *const *argv;
	pid_t pid;
	/* More settings for its environment, NAME=VALUE, NULL-terminated; may be NULL. The GPU's
	 * own and BREAKWATER_DEBUGGER are added by this module. */
	const char *const *env;
	/* It stays in our process group, as a program that is not debugged. */
	bool same_group;
	/* Files for its standard input, output and error; -1: ours. */
	int in_fd, out_fd, err_fd;
};

/* Starts the program under the debugger. What it submits to the GPU is held until release().
 * Processes that it starts are debugged with it, each when it opens the GPU. */
struct bw_error *bw_live_start(const struct bw_live_options *options,
			       struct bw_target **out) BW_MUST_CHECK;
/* Of the program started; for messages. */
pid_t bw_live_pid(const struct bw_target *t);
/* One more process, started by `breakwater exec`; an event PROGRAM says when it is there. */
struct bw_error *bw_live_attach_to(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
/* Attached to, what the process submits next is not held, and a debugger that comes later can stop
 * even the waves that run then: its trap handler is in place, asleep. The registers stay as they
 * are until the process has ended or the target is closed. */
struct bw_error *bw_live_make_ready(struct bw_target *t, pid_t pid) BW_MUST_CHECK;
/* Of the process, attached to just now: whether waves that run already can be stopped; and how many
 * run that cannot be. */
bool bw_live_was_ready(struct bw_target *t, pid_t pid);
uint32_t bw_live_untrappable(struct bw_target *t, pid_t pid);
/* A Ctrl-C that was for something that is over by now is not for the next wait. */
void bw_live_forget_interrupt(struct bw_target *t);
/* Processes that the program starts are sent away: each goes on by itself, and can be attached
 * to. */
void bw_live_send_away(struct bw_target *t, bool on);

#endif
