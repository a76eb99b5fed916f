/* SPDX-License-Identifier: MIT */
#include "guest/init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* The command while it runs. On a terminal `in` and `out` are two descriptors of its master side,
 * and err is -1. */
struct running {
	pid_t pid;
	int in, out, err; /* -1: closed */
	char pending[BW_GUEST_WINDOW];
	size_t pending_from, pending_to;
	bool ended, in_ends;
	int status;
};

enum { NEAR, FAR };

static void must_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC) < 0)
		die(false, "in the guest, there is no pipe: %s", strerror(errno));
}

/* Runs in the new process; never returns. */
static void become(const struct command *c, int in, int out, int err)
{
	setsid();
	if (c->on_tty)
		ioctl(in, TIOCSCTTY, 0);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (chdir(c->folder)) {
		fprintf(stderr, "breakwater: the guest cannot enter the folder %s: %s\n", c->folder,
			strerror(errno));
		_exit(126);
	}
	environ = c->env;
	execvp(c->argv[0], c->argv);
	int why = errno;
	fprintf(stderr, "breakwater: the guest cannot run %s: %s\n", c->argv[0], strerror(why));
	_exit(why == ENOENT ? 127 : 126);
}

static void start_on_tty(const struct command *c, struct running *r)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];
	if (master < 0 || unlockpt(master) || ptsname_r(master, name, sizeof(name)))
		die(false, "in the guest, there is no terminal: %s", strerror(errno));
	int tty = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct winsize size = {.ws_row = c->rows, .ws_col = c->columns};
	ioctl(tty, TIOCSWINSZ, &size);
	r->pid = fork();
	if (r->pid == 0)
		become(c, tty, tty, tty);
	close(tty);
	r->in = master;
	r->out = fcntl(master, F_DUPFD_CLOEXEC, 0);
	r->err = -1;
}

static void start_on_pipes(const struct command *c, struct running *r)
{
	int in[2], out[2], err[2];
	must_pipe(in);
	must_pipe(out);
	must_pipe(err);
	r->pid = fork();
	if (r->pid == 0)
		become(c, in[NEAR], out[FAR], err[FAR]);
	close(in[NEAR]);
	close(out[FAR]);
	close(err[FAR]);
	r->in = in[FAR];
	r->out = out[NEAR];
	r->err = err[NEAR];
}

static void close_in(struct running *r)
{
	if (r->in >= 0)
		close(r->in);
	r->in = -1;
}

static void drop_pending(struct running *r)
{
	uint32_t n = (uint32_t)(r->pending_to - r->pending_from);
	r->pending_from = r->pending_to = 0;
	if (n)
		port_send(BW_GUEST_TAKEN, &n, sizeof(n));
}

static void give_input(struct running *r)
{
	ssize_t n = write(r->in, r->pending + r->pending_from, r->pending_to - r->pending_from);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		close_in(r);
		drop_pending(r);
	}
	if (n > 0) {
		uint32_t taken = (uint32_t)n;
		r->pending_from += (size_t)n;
		port_send(BW_GUEST_TAKEN, &taken, sizeof(taken));
	}
	if (r->pending_from < r->pending_to)
		return;
	r->pending_from = r->pending_to = 0;
	if (r->in_ends && r->err >= 0) /* a terminal's end is a byte, which the host sends */
		close_in(r);
}

static void take_frame(struct running *r)
{
	char *data;
	size_t size_b;
	uint32_t signal_nr;
	unsigned short size[2];
	switch ((int)port_next(&data, &size_b)) {
	case BW_GUEST_IN:
		memmove(r->pending, r->pending + r->pending_from, r->pending_to - r->pending_from);
		r->pending_to -= r->pending_from;
		r->pending_from = 0;
		if (size_b > sizeof(r->pending) - r->pending_to)
			die(false, "the host sent more input than agreed");
		memcpy(r->pending + r->pending_to, data, size_b);
		r->pending_to += size_b;
		if (r->in < 0)
			drop_pending(r);
		break;
	case BW_GUEST_IN_END:
		r->in_ends = true;
		if (r->in >= 0 && r->pending_from == r->pending_to)
			give_input(r);
		break;
	case BW_GUEST_SIGNAL:
		if (size_b == sizeof(signal_nr)) {
			memcpy(&signal_nr, data, sizeof(signal_nr));
			kill(-r->pid, (int)signal_nr);
		}
		break;
	case BW_GUEST_SIZE:
		if (size_b == sizeof(size) && r->in >= 0) {
			memcpy(size, data, sizeof(size));
			struct winsize w = {.ws_row = size[0], .ws_col = size[1]};
			ioctl(r->in, TIOCSWINSZ, &w);
		}
		break;
	default:
		break;
	}
}

/* Whether there may be more. */
static bool carry(int *fd, enum bw_guest_frame_type type)
{
	static char buf[BW_GUEST_FRAME_MAX];
	ssize_t n = read(*fd, buf, sizeof(buf));
	if (n > 0)
		port_send(type, buf, (size_t)n);
	if (n > 0 || (n < 0 && errno == EINTR))
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	close(*fd);
	*fd = -1;
	return false;
}

/* Process 1 is the parent of all orphans. */
static void reap(struct running *r)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		if (pid == r->pid) {
			r->ended = true;
			r->status = status;
		}
}

static void loop(struct running *r, int signals)
{
	while (!r->ended) {
		bool gives = r->in >= 0 && r->pending_from < r->pending_to;
		struct pollfd p[] = {{port_fd(), POLLIN, 0},
				     {signals, POLLIN, 0},
				     {r->out, POLLIN, 0},
				     {r->err, POLLIN, 0},
				     {gives ? r->in : -1, POLLOUT, 0}};
		struct signalfd_siginfo info;
		int n = poll(p, sizeof(p) / sizeof(p[0]), BW_GUEST_ALIVE_S * 1000);
		if (n == 0)
			port_send(BW_GUEST_ALIVE, NULL, 0);
		if (n <= 0)
			continue;
		if (p[0].revents & POLLIN)
			take_frame(r);
		if (p[2].revents)
			carry(&r->out, BW_GUEST_OUT);
		if (p[3].revents)
			carry(&r->err, BW_GUEST_ERR);
		if (p[4].revents && r->in >= 0)
			give_input(r);
		if (p[1].revents && read(signals, &info, sizeof(info)) > 0)
			reap(r);
	}
}

static int block_child_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		die(false, "in the guest, signalfd fails: %s", strerror(errno));
	return fd;
}

void run_command(const struct command *c)
{
	static struct running r;
	int signals = block_child_signals();
	if (c->on_tty)
		start_on_tty(c, &r);
	else
		start_on_pipes(c, &r);
	if (r.pid < 0)
		die(false, "in the guest, no process can be started: %s", strerror(errno));
	const int fds[] = {r.in, r.out, r.err};
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
	port_send(BW_GUEST_STARTED, NULL, 0);
	loop(&r, signals);
	/* Read the rest of the command's pipes; processes that it has started may continue to
	 * write. */
	while (r.out >= 0 && carry(&r.out, BW_GUEST_OUT))
		;
	while (r.err >= 0 && carry(&r.err, BW_GUEST_ERR))
		;
	sync();
	uint32_t status = (uint32_t)r.status;
	port_send(BW_GUEST_STATUS, &status, sizeof(status));
	for (;;)
		pause();
}
