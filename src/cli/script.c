/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/python.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

struct bw_error *bw_cli_execute_scripted(struct bw_cli *c, const char *line)
{
	bw_session_begin_command(c->session);
	bool request = bw_out_is_json(c->out) && !bw_out_in_request(c->out);
	struct bw_error *err = request ? bw_cli_request(c, line) : bw_cli_execute(c, line);
	/* A step after the last wave has ended is no mistake in the script, nor is a look at a
	 * program that is just ending: it is reported, and the script continues. */
	if (err && (err->code == BW_E_STATE || err->code == BW_E_GONE)) {
		if (!request)
			bw_out_error(c->out, err);
		bw_error_free(err);
		return NULL;
	}
	return err;
}

/* ---- Lines ---- */

enum { LINE_MAX_B = 1 << 20 }; /* longer lines are no commands, but binary files or devices */

struct lines {
	int fd;
	char *data;	/* owned: what has been read */
	size_t at, end; /* of it is left */
	size_t cap;
	bool ended;
};

/* The buffer of standard input, which several scripts may read in turn. */
static struct lines standard_input = {.fd = STDIN_FILENO};

static void lines_close(struct lines *l)
{
	if (l->fd == STDIN_FILENO)
		return;
	if (l->fd >= 0)
		close(l->fd);
	free(l->data);
}

/* A Ctrl-C during the wait for the next line of a pipe does not end the input: it is handled when
 * the line has come, by its command. A signal that ends the session ends the wait at any moment,
 * too. */
static bool await_input(struct bw_cli *c, int fd)
{
	static const int ends[] = {SIGTERM, SIGHUP, SIGALRM};
	sigset_t blocked, before, during;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	for (size_t i = 0; i < BW_ARRAY_SIZE(ends); i++)
		sigaddset(&blocked, ends[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	during = before;
	sigaddset(&during, SIGINT);
	bool ready = !c->quit && ppoll(&p, 1, NULL, &during) > 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ready;
}

static struct bw_error *read_more(struct bw_cli *c, struct lines *l, unsigned interrupts)
{
	enum { CHUNK_B = 1 << 16 };
	if (l->at) {
		memmove(l->data, l->data + l->at, l->end - l->at);
		l->end -= l->at;
		l->at = 0;
	}
	if (l->end > LINE_MAX_B)
		return bw_errorf(BW_E_INVALID,
				 "a line is longer than %d bytes: this is not a file of commands",
				 LINE_MAX_B);
	if (l->cap - l->end < CHUNK_B + 1) {
		char *grown = realloc(l->data, l->end + CHUNK_B + 1);
		if (!grown)
			return bw_error_nomem();
		l->data = grown;
		l->cap = l->end + CHUNK_B + 1;
	}
	ssize_t n;
	do {
		if (l->fd == STDIN_FILENO ? c->quit : interrupts != bw_session_interrupts())
			return NULL;
		if (l->fd == STDIN_FILENO && !await_input(c, l->fd))
			n = -EAGAIN;
		else
			n = read(l->fd, l->data + l->end, CHUNK_B);
	} while (n < 0 && (n == -EAGAIN || errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return bw_error_errno(errno, "reading commands");
	l->ended = n == 0;
	l->end += (size_t)n;
	return NULL;
}

/* NULL in *out: there are no more, or it was interrupted. */
static struct bw_error *next_line(struct bw_cli *c, struct lines *l, unsigned interrupts,
				  char **out)
{
	*out = NULL;
	for (size_t seen = 0;;) {
		size_t n = l->end - l->at;
		char *start = l->data ? l->data + l->at : NULL;
		char *newline = n > seen ? memchr(start + seen, '\n', n - seen) : NULL;
		if (newline || (l->ended && n)) {
			size_t len = newline ? (size_t)(newline - start) : n;
			if (memchr(start, 0, len))
				return bw_errorf(
					BW_E_INVALID,
					"a line has a byte of 0 in it: this is not a file of commands");
			start[len] = '\0';
			l->at += len + (newline != NULL);
			*out = start;
			return NULL;
		}
		if (l->ended || (c->quit && l->fd == STDIN_FILENO))
			return NULL;
		seen = n;
		BW_TRY(read_more(c, l, interrupts));
		if (interrupts != bw_session_interrupts() && l->fd != STDIN_FILENO)
			return NULL;
	}
}

/* ---- Scripts ---- */

/* A command may run other lines of the same input: its line is copied. */
static struct bw_error *execute_copy(struct bw_cli *c, const char *line)
{
	_cleanup_free_ char *copy = strdup(line);
	return copy ? bw_cli_execute_scripted(c, copy) : bw_error_nomem();
}

/* Names the line, once where a file runs itself. */
static struct bw_error *in_line(struct bw_error *err, const char *path, unsigned number)
{
	_cleanup_free_ char *place = NULL;
	if (asprintf(&place, "%s:%u: ", path, number) >= 0 && bw_starts_with(err->message, place))
		return err;
	return bw_error_wrap(err, "%s:%u", path, number);
}

/* Ctrl-C that stops a program is the command's; any other ends the file. */
static struct bw_error *run_opened(struct bw_cli *c, struct lines *l, const char *path)
{
	unsigned number = 0;
	while (!c->quit) {
		char *line;
		unsigned stops = c->stops, interrupts = bw_session_interrupts();
		struct bw_error *err = next_line(c, l, interrupts, &line);
		number++;
		if (!err && line)
			err = execute_copy(c, line);
		if (!err && interrupts != bw_session_interrupts() && stops == c->stops)
			err = bw_errorf(BW_E_INVALID, "Quit: interrupted");
		if (err)
			return in_line(err, path, number);
		if (!line)
			break;
	}
	return bw_error_wrap(bw_cli_end_blocks(c), "%s", path);
}

static struct bw_error *run_standard_input(struct bw_cli *c)
{
	while (!c->quit) {
		char *line;
		BW_TRY(bw_debug_hold_time(c->debug));
		BW_TRY(next_line(c, &standard_input, 0, &line));
		if (!line)
			break;
		struct bw_error *err = execute_copy(c, line);
		/* The client has got the error, and decides what follows. */
		if (err && !bw_out_is_json(c->out))
			return err;
		bw_error_free(err);
	}
	return NULL;
}

struct bw_error *bw_cli_run_file(struct bw_cli *c, const char *path)
{
	if (!strcmp(path, "-"))
		return run_standard_input(c);
	if (bw_cli_is_python(path))
		return bw_cli_run_python(c, path);
	struct lines l = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (l.fd < 0 && errno == EINTR)
		return bw_errorf(BW_E_INVALID, "%s: Quit: interrupted", path);
	if (l.fd < 0)
		return bw_error_errno(errno, "cannot read the commands in %s", path);
	struct bw_error *err = run_opened(c, &l, path);
	lines_close(&l);
	return err;
}

bool bw_cli_commands_on_stdin(void)
{
	enum { MOMENT_MS = 250 };
	struct stat st;
	if (isatty(STDIN_FILENO) || fstat(STDIN_FILENO, &st))
		return false;
	if (S_ISREG(st.st_mode))
		return st.st_size > lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return false;
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	return poll(&p, 1, MOMENT_MS) > 0 && p.revents & POLLIN;
}
