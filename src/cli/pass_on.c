/* SPDX-License-Identifier: MIT */
#include "cli/pass_on.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"

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

void bw_pass_on_wait(pid_t pid, int *out_status)
{
	/* it stays a zombie until nothing is sent to it any more */
	while (waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	program = 0;
	while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
}
