/* SPDX-License-Identifier: MIT */
/* Programs on a GPU whose waves cannot be stopped: they run to their end, without a target. */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/program.h"
#include "base/util.h"
#include "wire/agent_proto.h"
#include "base/ip_version.h"

void bw_session_look_at_gpu(struct bw_session *s)
{
	struct bw_kmd_ip gc;
	_cleanup_error_ struct bw_error *unknown = bw_kmd_ip(s->kmd, "GC", &gc);
	if (unknown) /* whoever opens it says more */
		return;
	uint32_t version = BW_IP_VERSION(gc.major, gc.minor, gc.revision);
	bw_arch_gfx_name(version, s->gfx, sizeof(s->gfx));
	const struct bw_arch *arch = bw_arch_of_code(version);
	s->runs_through = !arch || (!arch->has_wgps && bw_kmd_has_xccs(s->kmd));
}

struct bw_error *bw_session_need_stops(const struct bw_session *s)
{
	if (!s->runs_through)
		return NULL;
	return bw_errorf(
		BW_E_UNSUPPORTED,
		"Waves of this %s cannot be stopped: Breakwater has no trap handler for it, or it has "
		"several graphics units (XCCs). \"run\" runs the program to its end",
		s->gfx);
}

/* In the child. The settings of the GPU stand before those of ours. */
static _Noreturn void become_program(const struct bw_session *s, int status_fd)
{
	const int out = s->keeps_output ? s->kept_fd : s->output_fd[0], err = s->output_fd[1];
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	const char *const *env = bw_kmd_program_env(s->kmd);
	for (; env && *env; env++)
		putenv((char *)(uintptr_t)*env);
	if (s->program.is_kernel) /* the launcher does not recommend a debugger */
		putenv((char *)(uintptr_t)BW_AGENT_OWNED_ENV "=1");
	if ((out < 0 || dup2(out, 1) >= 0) && (err < 0 || dup2(err, 2) >= 0))
		execvp(s->program.argv[0], s->program.argv);
	int e = errno;
	ssize_t n = write(status_fd, &e, sizeof(e));
	_exit(n == (ssize_t)sizeof(e) ? BW_EXIT_NOT_FOUND : BW_EXIT_CANNOT_RUN);
}

static struct bw_error *start(const struct bw_session *s, pid_t *out_pid)
{
	int status[2], e = 0;
	if (pipe2(status, O_CLOEXEC))
		return bw_error_errno(errno, "pipe");
	pid_t pid = fork();
	if (pid == 0)
		become_program(s, status[1]);
	e = pid < 0 ? errno : 0;
	close(status[1]);
	if (pid > 0 && read(status[0], &e, sizeof(e)) == (ssize_t)sizeof(e))
		waitpid(pid, NULL, 0);
	close(status[0]);
	if (e)
		return bw_program_not_run(s->program.argv[0], e);
	*out_pid = pid;
	return NULL;
}

/* Shows what the program prints meanwhile. A session that is told to end, or Ctrl-C, ends it. */
static void await_end(struct bw_session *s, pid_t pid, int *out_status)
{
	enum { SLICE_MS = 100 };
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	unsigned interrupts = bw_session_interrupts();
	struct pollfd end = {pidfd, POLLIN, 0};
	while (pidfd >= 0 && poll(&end, 1, SLICE_MS) <= 0) {
		if (s->ended_by || bw_session_interrupts() != interrupts)
			kill(pid, SIGKILL);
		bw_session_show_output(s, false);
	}
	while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	bw_session_show_output(s, true);
}

struct bw_error *bw_session_run_through(struct bw_session *s)
{
	pid_t pid = -1;
	int status = 0;
	if (!s->program.argv)
		return bw_errorf(BW_E_STATE, "There is no program to start");
	if (s->keeps_output)
		BW_TRY(bw_session_keep_output(s));
	bw_out_flush(s->out);
	BW_TRY(start(s, &pid));
	await_end(s, pid, &status);
	s->exit_status_known = true;
	s->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	bw_out_begin(s->out, "event", "exit");
	bw_out_str(s->out, "reason", "exited");
	bw_out_int(s->out, WIFEXITED(status) ? "status" : "signal",
		   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	if (WIFSIGNALED(status))
		bw_out_line(s->out, "[The program was ended by signal %d, %s]", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else if (s->exit_status)
		bw_out_line(s->out, "[The program exited with status %d]", s->exit_status);
	bw_out_end(s->out);
	return NULL;
}
