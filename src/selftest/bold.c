/* SPDX-License-Identifier: MIT */
/* The steps with a watchpoint, and with a debugger that leaves or is killed. */
#include "selftest/selftest_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "debug/breaks.h"
#include "debug/waves.h"
#include "wire/agent_proto.h"

static const struct bw_selftest_launch store = {
	.kernel = "store", .vgprs = 8, .sgprs = 16, .groups = 1, .buffer = "zeros:32:u32"};

enum { LAST_VALUE = 0x88, WORD = 5, STEP = 0x11 };

/* ---- watch ---- */

static struct bw_error *watch_word(struct bw_selftest_program *p)
{
	struct bw_debug *d = p->session.debug;
	struct bw_stop stop;
	uint64_t va;
	uint32_t number, word;
	char text[80];
	BW_TRY(bw_selftest_to_mark(p, &stop));
	BW_TRY(bw_selftest_buffer_va(p, stop.wave, &va));
	va += WORD * 4;
	snprintf(text, sizeof(text), "*(unsigned int *)0x%" PRIx64, va);
	BW_TRY(bw_debug_watch(d, text, BW_BREAK_WATCH, &number));
	bw_selftest_value(p->w, "watched word", "0x%" PRIx64 ", register %d", va,
			  bw_debug_breakpoint(d, number)->watch_register);
	for (uint32_t i = 1; i <= 2; i++) {
		BW_TRY(bw_debug_continue(d));
		BW_TRY(bw_selftest_await(
			p, BW_REASON_WATCHPOINT,
			"The watchpoint was not hit although the kernel has written the word (TCP_WATCH has no effect, or waves do not trap for it)",
			&stop));
		const struct bw_wave_info *w = bw_debug_focus(d);
		BW_TRY(bw_debug_read(d, BW_SPACE_GLOBAL, va, &word, sizeof(word)));
		bw_selftest_value(p->w, "watch hit",
				  "value 0x%x, PC 0x%" PRIx64 ", cause 0x%" PRIx64, word,
				  w ? w->pc : 0, w ? w->cause_pc : 0);
		if (word != i * STEP)
			return bw_errorf(BW_E_STATE,
					 "The word is 0x%x at hit %u of the watchpoint, not 0x%x",
					 word, i, i * STEP);
	}
	BW_TRY(bw_debug_break_delete(d, number));
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_check_words(p, 32, LAST_VALUE);
}

struct bw_error *bw_selftest_step_watch(void *work)
{
	return bw_selftest_with(work, &store, watch_word);
}

/* ---- detach, kill ---- */

/* Waits for the end of a program that nobody debugs any more. */
static struct bw_error *await_end(struct bw_selftest_work *w, pid_t pid)
{
	int status = 0;
	bw_selftest_doing(w, "waiting for the end of the program that is not debugged any more");
	while (waitpid(pid, &status, 0) < 0) {
		if (errno == EINTR)
			continue;
		/* the session has taken its status */
		while (errno == ECHILD && !kill(pid, 0))
			usleep(10000);
		return NULL;
	}
	return WIFEXITED(status) && !WEXITSTATUS(status)
		       ? NULL
		       : bw_errorf(BW_E_STATE, "The program has ended by %s %d",
				   WIFSIGNALED(status) ? "signal" : "status",
				   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Stops a wave at a breakpoint that stays in the code. */
static struct bw_error *stop_one(struct bw_selftest_work *w, struct bw_selftest_program *p)
{
	struct bw_stop stop;
	uint32_t number;
	BW_TRY(bw_selftest_debug(w, &store, p));
	BW_TRY(bw_selftest_break(p, &number));
	return bw_selftest_await(p, BW_REASON_BREAKPOINT, "The breakpoint was not hit", &stop);
}

struct bw_error *bw_selftest_step_detach(void *work)
{
	struct bw_selftest_work *w = work;
	struct bw_selftest_program p;
	struct bw_error *err = stop_one(w, &p);
	if (!err) {
		pid_t pid = bw_debug_target(p.session.debug)->program;
		bw_selftest_doing(w, "detaching");
		bw_debug_detach(p.session.debug);
		err = await_end(w, pid);
	}
	if (!err)
		err = bw_selftest_check_words(&p, 32, LAST_VALUE);
	bw_selftest_close(&p);
	return err;
}

/* The debugger that will be killed: tells the program's number and waits. */
static void be_killed(struct bw_selftest_work *w, int fd)
{
	struct bw_selftest_program p;
	setenv(BW_AGENT_OWNED_ENV, "0", 1); /* it runs on when we are gone */
	struct bw_error *err = stop_one(w, &p);
	pid_t pid = 0;
	if (err)
		snprintf(w->r->why, sizeof(w->r->why), "%s", err->message);
	else
		pid = bw_debug_target(p.session.debug)->program;
	if (write(fd, &pid, sizeof(pid)) == sizeof(pid) && pid)
		pause();
	_exit(1);
}

struct bw_error *bw_selftest_step_kill(void *work)
{
	struct bw_selftest_work *w = work;
	int fd[2];
	pid_t program = 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* the program becomes our child */
	if (pipe(fd))
		return bw_error_errno(errno, "cannot make a pipe");
	pid_t debugger = fork();
	if (debugger < 0)
		return bw_error_errno(errno, "cannot start a process");
	if (!debugger) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd[0]);
		be_killed(w, fd[1]);
	}
	close(fd[1]);
	bool has_stopped = read(fd[0], &program, sizeof(program)) == sizeof(program) && program;
	close(fd[0]);
	bw_selftest_doing(w, "killing the debugger");
	kill(debugger, SIGKILL);
	waitpid(debugger, NULL, 0);
	if (!has_stopped)
		return bw_errorf(BW_E_STATE, "%s",
				 w->r->why[0] ? w->r->why : "The debugger has ended early");
	BW_TRY(await_end(w, program));
	struct bw_selftest_program p = {.w = w, .kernel = bw_selftest_kernel(store.kernel)};
	snprintf(p.dump, sizeof(p.dump), "%s/%s.out", w->folder, store.kernel);
	return bw_selftest_check_words(&p, 32, LAST_VALUE);
}
