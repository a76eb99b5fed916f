/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"

enum { ESCAPE = 'a' - 0x60 /* Ctrl-A, as in QEMU */ };

struct session {
	struct bw_machine *m;
	const struct bw_guest_options *o;
	const struct bw_str *plan;
	struct bw_klog log;  /* the kernel's */
	struct bw_klog said; /* by QEMU and the GPU's process */
	struct bw_klog told; /* by process 1, for FAILED */
	/* the frame that is being received */
	struct bw_guest_frame frame;
	char payload[BW_GUEST_FRAME_MAX];
	size_t frame_b; /* bytes of both that are here */

	struct bw_str unsent; /* frames, or a part of one, that the guest has no room for yet */
	size_t in_flight_b;   /* input that the command has not taken */
	bool on_tty, planned, started, in_ended, done, quiet, escaped;
	struct termios tty;
	bool tty_changed;
	int64_t heard_ms; /* when the guest last said something */
	int status;
};

int64_t bw_guest_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- errors with the guest's own words ---- */

static struct bw_error *fail_with(const struct session *s, const struct bw_klog *log,
				  enum bw_error_code code, const char *text)
{
	_cleanup_(bw_str_free) struct bw_str lines = {0};
	/* With --verbose the user has seen the lines already. */
	if (!s->o->verbose || log == &s->told)
		bw_klog_show(log, &lines);
	return bw_errorf(code, "%s%s%s", text, lines.len ? ". Its log:" : "", bw_str_text(&lines));
}

/* The machine is gone, and the command's status did not come. */
static struct bw_error *ended_early(const struct session *s)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	if (s->log.reason) {
		bw_str_add(&text, "the guest's kernel went down: ");
		bw_str_add_printable(&text, s->log.reason, "");
		return fail_with(s, &s->log, BW_E_GONE, bw_str_text(&text));
	}
	bw_str_add(&text, s->log.n ? "the guest ended before its command" : "QEMU did not start");
	return fail_with(s, s->said.n ? &s->said : &s->log, BW_E_GONE, bw_str_text(&text));
}

static struct bw_error *gpu_ended(const struct session *s)
{
	return fail_with(s, &s->said, BW_E_GONE,
			 "the virtual GPU's process ended while the guest ran");
}

static struct bw_error *is_silent(const struct session *s)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	bw_str_addf(
		&text,
		"the guest has said nothing for %u s (--silence SECONDS allows more); it was %s",
		s->o->silence_s, s->started ? "running its command" : "booting");
	return fail_with(s, &s->log, BW_E_TIMEOUT, bw_str_text(&text));
}

/* ---- sending ---- */

/* Sends as much as the guest takes now, which may be nothing. */
static struct bw_error *send_unsent(struct session *s)
{
	while (s->unsent.len) {
		ssize_t n = send(s->m->port, s->unsent.data, s->unsent.len,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return NULL;
		if (n < 0 && errno != EINTR)
			return ended_early(s);
		bw_vec_remove_n(&s->unsent, 0, n > 0 ? (size_t)n : 0);
	}
	return NULL;
}

static struct bw_error *send_frame(struct session *s, enum bw_guest_frame_type type,
				   const void *data, size_t size_b)
{
	const struct bw_guest_frame f = {type, (uint32_t)size_b};
	bw_str_addn(&s->unsent, (const char *)&f, sizeof(f));
	bw_str_addn(&s->unsent, data, size_b);
	return s->unsent.failed ? bw_error_nomem() : send_unsent(s);
}

static struct bw_error *send_size(struct session *s)
{
	struct winsize w;
	if (!s->on_tty || !s->started || s->unsent.len || ioctl(STDIN_FILENO, TIOCGWINSZ, &w))
		return NULL;
	const unsigned short size[] = {w.ws_row, w.ws_col};
	return send_frame(s, BW_GUEST_SIZE, size, sizeof(size));
}

/* Ctrl-A x ends the guest, Ctrl-A Ctrl-A is one Ctrl-A. */
static size_t take_escapes(struct session *s, char *buf, size_t n)
{
	size_t to = 0;
	for (size_t i = 0; i < n; i++) {
		if (s->escaped && buf[i] == 'x') {
			s->done = true;
			s->status = SIGINT;
			return 0;
		}
		if (!s->escaped && buf[i] == ESCAPE) {
			s->escaped = true;
			continue;
		}
		s->escaped = false;
		buf[to++] = buf[i];
	}
	return to;
}

static struct bw_error *carry_input(struct session *s)
{
	char buf[BW_GUEST_WINDOW];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf) - s->in_flight_b);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	if (n <= 0) {
		s->in_ended = true;
		return send_frame(s, BW_GUEST_IN_END, NULL, 0);
	}
	size_t len = s->on_tty ? take_escapes(s, buf, (size_t)n) : (size_t)n;
	s->in_flight_b += len;
	return len ? send_frame(s, BW_GUEST_IN, buf, len) : NULL;
}

/* ---- receiving ---- */

static struct bw_error *write_out(int fd, const char *data, size_t size_b)
{
	for (size_t done = 0; done < size_b;) {
		ssize_t n = write(fd, data + done, size_b - done);
		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = {fd, POLLOUT, 0};
			poll(&p, 1, -1);
		} else if (n < 0 && errno != EINTR) {
			return bw_error_errno(errno, "the command's output cannot be written");
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return NULL;
}

static void clear_progress(const struct session *s)
{
	if (!s->quiet)
		fputs("\r\033[K", stderr);
}

static void make_tty_raw(struct session *s)
{
	struct termios raw;
	if (!s->on_tty || tcgetattr(STDIN_FILENO, &s->tty))
		return;
	raw = s->tty;
	cfmakeraw(&raw);
	s->tty_changed = !tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static struct bw_error *failed(const struct session *s, const char *reason)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	bw_str_add_printable(&text, reason, "");
	return fail_with(s, &s->told, BW_E_STATE, bw_str_text(&text));
}

static struct bw_error *take_frame(struct session *s)
{
	const size_t size_b = s->frame.size;
	char text[2000];
	uint32_t word = 0;
	snprintf(text, sizeof(text), "%.*s", (int)size_b, s->payload);
	if (size_b >= sizeof(word))
		memcpy(&word, s->payload, sizeof(word));
	switch ((int)s->frame.type) {
	case BW_GUEST_HELLO:
		if (s->planned)
			return bw_errorf(BW_E_INVALID, "the guest asked for its plan twice");
		s->planned = true;
		return send_frame(s, BW_GUEST_PLAN, s->plan->data, s->plan->len);
	case BW_GUEST_STARTED:
		if (s->started)
			return bw_errorf(BW_E_INVALID, "the guest started its command twice");
		clear_progress(s);
		s->started = true;
		*s->m->started_ms = bw_guest_now_ms();
		make_tty_raw(s);
		return NULL;
	case BW_GUEST_TAKEN:
		s->in_flight_b -= word < s->in_flight_b ? word : s->in_flight_b;
		return NULL;
	case BW_GUEST_OUT:
		return write_out(STDOUT_FILENO, s->payload, size_b);
	case BW_GUEST_ERR:
		return write_out(STDERR_FILENO, s->payload, size_b);
	case BW_GUEST_STATUS:
		s->done = true;
		s->status = (int)word;
		return NULL;
	case BW_GUEST_LOG:
		bw_klog_add_line(&s->told, text);
		return NULL;
	case BW_GUEST_FAILED:
		return failed(s, text);
	default:
		return NULL;
	}
}

/* Reads what there is of one frame. */
static struct bw_error *receive(struct session *s)
{
	const size_t head_b = sizeof(s->frame);
	bool in_head = s->frame_b < head_b;
	char *to = in_head ? (char *)&s->frame + s->frame_b : s->payload + (s->frame_b - head_b);
	size_t want = in_head ? head_b - s->frame_b : head_b + s->frame.size - s->frame_b;
	ssize_t n = read(s->m->port, to, want);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	if (n <= 0)
		return ended_early(s);
	s->frame_b += (size_t)n;
	s->heard_ms = bw_guest_now_ms();
	if (s->frame_b >= head_b && s->frame.size > BW_GUEST_FRAME_MAX)
		return bw_errorf(BW_E_INVALID, "the guest sent a frame of %u bytes", s->frame.size);
	if (s->frame_b < head_b || s->frame_b < head_b + s->frame.size)
		return NULL;
	s->frame_b = 0;
	return take_frame(s);
}

/* The rest of what a descriptor has, when its writer has gone. */
static void drain(int fd, struct bw_klog *log)
{
	char buf[4096];
	ssize_t n;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bw_klog_add(log, buf, (size_t)n);
	if (log->part.len)
		bw_klog_add(log, "\n", 1);
}

static bool carry_log(int fd, struct bw_klog *log)
{
	char buf[4096];
	ssize_t n = read(fd, buf, sizeof(buf));
	if (n > 0)
		bw_klog_add(log, buf, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* ---- signals ---- */

static struct bw_error *take_signal(struct session *s, int signals)
{
	struct signalfd_siginfo info;
	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return NULL;
	int nr = (int)info.ssi_signo;
	if (nr == SIGWINCH)
		return send_size(s);
	if (nr != SIGCHLD) {
		s->done = true;
		s->status = nr; /* as if it had ended the command */
		return NULL;
	}
	if (waitpid(s->m->qemu, NULL, WNOHANG) == s->m->qemu) {
		s->m->qemu = 0;
		/* Nothing more to do: the guest's last messages are read first; then the port
		 * ends. */
	}
	if (s->m->gpu > 0 && s->m->qemu && waitpid(s->m->gpu, NULL, WNOHANG) == s->m->gpu) {
		s->m->gpu = 0;
		drain(s->m->words, &s->said);
		return gpu_ended(s);
	}
	return NULL;
}

/* ---- the loop ---- */

static struct bw_error *step(struct session *s, int signals)
{
	bool takes_input =
		s->started && !s->in_ended && !s->unsent.len && s->in_flight_b < BW_GUEST_WINDOW;
	struct pollfd p[] = {{s->m->port, (short)(POLLIN | (s->unsent.len ? POLLOUT : 0)), 0},
			     {signals, POLLIN, 0},
			     {s->m->serial, POLLIN, 0},
			     {s->m->words, POLLIN, 0},
			     {takes_input ? STDIN_FILENO : -1, POLLIN, 0}};
	if (poll(p, BW_ARRAY_SIZE(p), 1000) < 0)
		return NULL;
	if (p[3].revents && !carry_log(s->m->words, &s->said)) {
		close(s->m->words);
		s->m->words = -1;
	}
	if (p[2].revents) {
		s->heard_ms = bw_guest_now_ms();
		if (!carry_log(s->m->serial, &s->log)) {
			close(s->m->serial);
			s->m->serial = -1;
		}
	}
	if (p[0].revents & POLLOUT)
		BW_TRY(send_unsent(s));
	if (p[0].revents & ~POLLOUT) {
		if (!s->m->qemu || p[0].revents & POLLHUP) {
			drain(s->m->serial, &s->log);
			drain(s->m->words, &s->said);
		}
		BW_TRY(receive(s));
	}
	if (p[1].revents)
		BW_TRY(take_signal(s, signals));
	if (p[4].revents && !s->done)
		BW_TRY(carry_input(s));
	int64_t limit_ms = (int64_t)s->o->silence_s * 1000;
	if (limit_ms && !s->o->gdb && !s->done && bw_guest_now_ms() - s->heard_ms > limit_ms)
		return is_silent(s);
	return NULL;
}

struct bw_error *bw_guest_session(struct bw_machine *m, const struct bw_guest_options *o,
				  const struct bw_str *plan, int *out_status)
{
	struct session *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	*s = (struct session){.m = m, .o = o, .plan = plan, .heard_ms = bw_guest_now_ms()};
	s->on_tty = isatty(0) && isatty(1) && isatty(2);
	s->quiet = !isatty(2) || o->verbose || o->no_progress;
	s->log.echo = s->said.echo = o->verbose;
	if (!s->quiet)
		fprintf(stderr, "Booting the guest%s (Ctrl-C ends it) ...",
			m->has_kvm ? "" : "; its kernel needs about 20 s");
	struct bw_error *err = NULL;
	while (!err && !s->done)
		err = step(s, m->signals);
	if (!s->started)
		clear_progress(s);
	if (s->tty_changed)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &s->tty);
	if (!err)
		*out_status = s->status;
	bw_klog_free(&s->log);
	bw_klog_free(&s->said);
	bw_klog_free(&s->told);
	bw_str_free(&s->unsent);
	free(s);
	return err;
}
