/* SPDX-License-Identifier: MIT */
#include "cli/pass_on.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "kmd/follow.h"

static volatile sig_atomic_t owner;	 /* our process */
static volatile sig_atomic_t program;	 /* the program's process; 0: it does not run */
static volatile sig_atomic_t came_early; /* a signal that came before it was started */

static void pass_on(int sig)
{
	int saved = errno;
	if (getpid() != owner) { /* the child, which has not become the program yet */
		signal(sig, SIG_DFL);
		raise(sig);
	} else if (program) {
		kill(program, sig);
	} else {
		came_early = sig;
	}
	errno = saved;
}

void bw_pass_on_begin(void)
{
	static const int signals[] = {SIGTERM, SIGHUP};
	owner = getpid();
	for (size_t i = 0; i < BW_ARRAY_SIZE(signals); i++) {
		const struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
		struct sigaction before;
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

void bw_pass_on_to(pid_t pid)
{
	program = pid;
	if (came_early)
		kill(pid, came_early);
	signal(SIGINT, SIG_IGN);
}

void bw_pass_on_tell_wait(const char *text)
{
	fprintf(stderr, "breakwater: %s.\n", text);
}

static struct bw_error *take_end(void *cookie, const struct timespec *limit, bool *out_quiet,
				 bool *io_ended)
{
	const struct bw_followed *p = cookie;
	struct pollfd end = {p->pidfd, POLLIN, 0};
	int r = ppoll(&end, 1, limit, NULL);
	*out_quiet = r <= 0 || *io_ended;
	*io_ended |= r > 0;
	return r < 0 && errno != EINTR ? bw_error_errno(errno, "poll") : NULL;
}

/* Whether it has ended, and is a zombie. False: it does not come to its end. */
static struct bw_error *await_end(pid_t pid, struct bw_kmd *kmd, bool *out_ended)
{
	enum { SLICE_NS = 200 * 1000 * 1000, KEPT_MS = 15000 };
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct bw_followed p = {
		.pid = pid, .pidfd = pidfd, .kmd = kmd, .tell_wait = bw_pass_on_tell_wait};
	const struct bw_follow f = {
		.program = &p, .slice_ns = SLICE_NS, .take = take_end, .cookie = &p};
	bool none;
	*out_ended = true;
	if (pidfd < 0)
		return NULL;
	BW_TRY(bw_follow_program(&f, &none));
	struct pollfd end = {pidfd, POLLIN, 0};
	int r;
	do
		r = poll(&end, 1, KEPT_MS);
	while (r < 0 && errno == EINTR);
	*out_ended = r != 0;
	return NULL;
}

struct bw_error *bw_pass_on_wait(pid_t pid, struct bw_kmd *kmd, int *out_status)
{
	/* it stays a zombie until nothing is sent to it any more */
	bool has_ended;
	struct bw_error *err = await_end(pid, kmd, &has_ended);
	program = 0;
	if (!err && !has_ended)
		return bw_errorf(
			BW_E_STATE,
			"process %d was ended, but Linux keeps it until its job on the GPU has "
			"ended, as amdgpu's parameters lockup_timeout and gpu_recovery have it",
			(int)pid);
	while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	return err;
}
