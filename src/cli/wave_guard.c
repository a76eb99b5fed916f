/* SPDX-License-Identifier: MIT */
/* Halted waves stay halted for ever, and the display with them. So a process of its own lets them
 * run on if this one is killed, as live/guard.c does for what the debugger changes. It opens the
 * GPU by itself, since a connection is no other process's to use. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/wave_scan.h"

static const char ARM = 'a', DISARM = 'd';

static void release_all(struct bw_look *l, bool holds_gfxoff)
{
	struct bw_gpu gpu = {0};
	struct bw_error *err = bw_look_gpu_open(l, &gpu);
	if (!err)
		err = bw_scan_halt_all(&gpu, false);
	/* that of the process that was killed; our own is taken back by close */
	if (gpu.gfxoff && holds_gfxoff) {
		const uint32_t allow = 1;
		size_t done;
		bw_error_free(bw_kmd_file_write(gpu.gfxoff, 0, &allow, sizeof(allow), &done));
	}
	bw_error_free(err); /* the GPU is gone, and its waves with it */
	bw_gpu_close(&gpu);
}

static void guard(struct bw_look *l, bool holds_gfxoff, int fd)
{
	char word = 0;
	bool is_armed = false;
	ssize_t n;
	setsid(); /* the terminal's Ctrl-C is not for it */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO); /* a reader of a pipe waits for all who can write */
	do {
		n = read(fd, &word, 1);
		if (n == 1)
			is_armed = word == ARM;
	} while (n == 1 || (n < 0 && errno == EINTR));
	if (is_armed)
		release_all(l, holds_gfxoff);
	_exit(0);
}

struct bw_error *bw_scan_guard_start(struct bw_look *l, bool holds_gfxoff,
				     struct bw_scan_guard *out)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return bw_error_errno(errno, "cannot make a socket");
	pid_t child = fork();
	if (child < 0) {
		struct bw_error *err = bw_error_errno(errno, "cannot start a process");
		close(pair[0]);
		close(pair[1]);
		return err;
	}
	if (!child) {
		close(pair[0]);
		guard(l, holds_gfxoff, pair[1]);
	}
	close(pair[1]);
	*out = (struct bw_scan_guard){.fd = pair[0], .child = child};
	return NULL;
}

static bool tell(struct bw_scan_guard *g, char word)
{
	return send(g->fd, &word, 1, MSG_NOSIGNAL) == 1;
}

struct bw_error *bw_scan_guard_arm(struct bw_scan_guard *g)
{
	return tell(g, ARM)
		       ? NULL
		       : bw_errorf(BW_E_SYSTEM, "the process that would let the waves run on is "
						"gone");
}

void bw_scan_guard_disarm(struct bw_scan_guard *g)
{
	tell(g, DISARM);
}

void bw_scan_guard_end(struct bw_scan_guard *g)
{
	if (g->fd < 0)
		return;
	close(g->fd);
	waitpid(g->child, NULL, 0);
	g->fd = -1;
}
