/* SPDX-License-Identifier: MIT */
/* A step in a process of its own: its result is in shared memory, and a limit of time ends it. */
#include "selftest/selftest_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

enum { LOOK_EVERY_US = 20000, PROGRAM_ENDS_S = 15 };

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

void bw_selftest_catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction action = {.sa_handler = on_signal};
	for (size_t i = 0; i < BW_ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

void bw_selftest_value(struct bw_selftest_work *w, const char *name, const char *fmt, ...)
{
	struct bw_selftest_result *r = w->r;
	va_list args;
	if (r->n_values >= BW_SELFTEST_VALUES) {
		r->n_left_out++;
		return;
	}
	snprintf(r->values[r->n_values].name, sizeof(r->values[0].name), "%s", name);
	va_start(args, fmt);
	vsnprintf(r->values[r->n_values].text, sizeof(r->values[0].text), fmt, args);
	va_end(args);
	r->n_values++;
}

void bw_selftest_doing(struct bw_selftest_work *w, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(w->r->doing, sizeof(w->r->doing), fmt, args);
	va_end(args);
}

void bw_selftest_owns(struct bw_selftest_work *w, pid_t pid)
{
	for (size_t i = 0; i < BW_SELFTEST_PROGRAMS; i++) {
		if (w->r->programs[i] == pid)
			return;
		if (!w->r->programs[i]) {
			w->r->programs[i] = pid;
			return;
		}
	}
}

static void run(struct bw_error *(*fn)(void *work), struct bw_selftest_work *w, pid_t parent)
{
	static const int numbers[] = {SIGTERM, SIGHUP};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < BW_ARRAY_SIZE(numbers); i++)
		signal(numbers[i], SIG_DFL);
	signal(SIGINT, SIG_IGN); /* the parent ends this process */
	struct bw_error *err = fn(w);
	if (err)
		snprintf(w->r->why, sizeof(w->r->why), "%s", err->message);
	w->r->verdict = err ? BW_SELFTEST_FAILED : BW_SELFTEST_PASSED;
	fflush(NULL);
	_exit(0);
}

/* Children of a dead step become ours (PR_SET_CHILD_SUBREAPER): guards and programs. */
static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static bool lives(pid_t pid)
{
	reap();
	return pid && !kill(pid, 0);
}

/* A program whose debugger has been killed runs to its end. Those that have not ended after some
 * time stay in the list. */
static void await_programs(struct bw_selftest_result *r, uint32_t patience_s)
{
	for (size_t i = 0; i < BW_SELFTEST_PROGRAMS; i++) {
		pid_t pid = r->programs[i];
		for (unsigned us = 0; us < patience_s * 1000000u && lives(pid); us += LOOK_EVERY_US)
			usleep(LOOK_EVERY_US);
		if (!lives(pid))
			r->programs[i] = 0;
	}
}

void bw_selftest_end_programs(struct bw_selftest_result *r)
{
	for (size_t i = 0; i < BW_SELFTEST_PROGRAMS; i++) {
		pid_t pid = r->programs[i];
		/* of a step that has ended: it is our child, or gone, and the number another's */
		if (pid && waitpid(pid, NULL, WNOHANG) == 0)
			kill(pid, SIGKILL);
		r->programs[i] = 0;
	}
	usleep(LOOK_EVERY_US);
	reap();
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the end of the process says beyond the result that it has left. */
static void judge_end(struct bw_selftest_result *r, int status)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status) && r->verdict != BW_SELFTEST_RUNNING)
		return;
	r->verdict = BW_SELFTEST_FAILED;
	snprintf(r->why, sizeof(r->why), "The process of the step has ended by %s %d",
		 WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

struct bw_error *bw_selftest_child(struct bw_error *(*fn)(void *work), struct bw_selftest_work *w,
				   uint32_t limit_s)
{
	struct bw_selftest_result *r = w->r;
	double begin = now_s();
	pid_t parent = getpid();
	int status = 0;
	bool has_ended = false;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r->verdict = BW_SELFTEST_RUNNING;
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		return bw_error_errno(errno, "cannot start a process");
	if (!pid)
		run(fn, w, parent);
	while (!ended && now_s() - begin < limit_s && !has_ended) {
		has_ended = waitpid(pid, &status, WNOHANG) == pid;
		if (!has_ended)
			usleep(LOOK_EVERY_US);
	}
	if (has_ended) {
		judge_end(r, status);
	} else {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		r->verdict = ended ? BW_SELFTEST_INTERRUPTED : BW_SELFTEST_HUNG;
	}
	await_programs(r, BW_MIN(limit_s, (uint32_t)PROGRAM_ENDS_S));
	if (r->verdict != BW_SELFTEST_HUNG)
		bw_selftest_end_programs(r);
	r->seconds = now_s() - begin;
	return NULL;
}
