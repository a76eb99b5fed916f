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
#include "base/wait.h"

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

static bool is_of_program(void *cookie, pid_t pid)
{
	return bw_process_descends(pid, *(pid_t *)cookie);
}

/* Whether it has ended, and is a zombie. False: it does not come to its end. */
static bool await_end(pid_t pid, struct bw_kmd *kmd)
{
	enum { SLICE_MS = 200, KEPT_MS = 15000 };
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = {pidfd, POLLIN, 0};
	struct bw_kmd_wait_watch waits = {0};
	for (int kept_ms = 0; pidfd >= 0 && kept_ms < KEPT_MS;) {
		char text[256];
		if (poll(&end, 1, SLICE_MS) > 0)
			return true;
		if (bw_kmd_watch_waits(kmd, &waits, is_of_program, &pid, text, sizeof(text)))
			fprintf(stderr, "breakwater: %s.\n", text);
		kept_ms = bw_process_is_ending(pid) ? kept_ms + SLICE_MS : 0;
	}
	return pidfd < 0;
}

struct bw_error *bw_pass_on_wait(pid_t pid, struct bw_kmd *kmd, int *out_status)
{
	/* it stays a zombie until nothing is sent to it any more */
	bool has_ended = await_end(pid, kmd);
	program = 0;
	if (!has_ended)
		return bw_errorf(
			BW_E_STATE,
			"process %d was ended, but Linux keeps it until its job on the GPU has "
			"ended, for which amdgpu's lockup_timeout and gpu_recovery are",
			(int)pid);
	while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	return NULL;
}
