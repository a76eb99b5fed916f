/* SPDX-License-Identifier: MIT */
/* The user's command of a bisection: what it is told, and what its exit status means. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "bisect/bisect.h"

enum { BUFFERS_MAX = 64, SKIP = 125, STOP_FROM = 128, WORD_MAX_B = 40 };
#define BUFFER "buffer:"

struct bw_error *bw_bisect_add_buffer(struct bw_bisect *b, const char *text)
{
	struct bw_bisect_buffer one = {0};
	if (!isdigit((unsigned char)*text) || strlen(text) >= sizeof(one.text) ||
	    !bw_parse_u64(text, &one.what))
		return bw_errorf(BW_E_INVALID,
				 "a buffer is its number in \"breakwater capture show\", or an "
				 "address in it, not \"%s\"",
				 text);
	bw_vec_each(&b->buffers, known)
		if (!strcmp(known->text, text))
			return NULL;
	if (b->buffers.len == BUFFERS_MAX)
		return bw_errorf(BW_E_INVALID, "a command gets %d buffers at most", BUFFERS_MAX);
	snprintf(one.text, sizeof(one.text), "%s", text);
	return bw_vec_push(&b->buffers, one);
}

bool bw_bisect_buffer_path(const struct bw_bisect *b, const struct bw_bisect_buffer *buffer,
			   char *out, size_t room)
{
	int n = snprintf(out, room, "%s/buffer-%s", b->folder.path, buffer->text);
	return n > 0 && (size_t)n < room;
}

/* ---- Placeholders ---- */

/* {WORD}, as far as its brace; 0: this is none. "${...}" is the shell's. */
static size_t placeholder(const char *command, const char *at, char *out, size_t room)
{
	size_t n = *at == '{' ? strcspn(at + 1, "{} \t\n'\"") : 0;
	if (!n || at[n + 1] != '}' || n >= room || (at > command && at[-1] == '$'))
		return 0;
	snprintf(out, room, "%.*s", (int)n, at + 1);
	return n + 2;
}

struct bw_error *bw_bisect_set_command(struct bw_bisect *b, const char *command)
{
	char word[WORD_MAX_B];
	size_t n;
	if (!*command)
		return bw_errorf(BW_E_INVALID, "--bad wants a command");
	b->command = command;
	for (const char *at = command; *at; at += n ? n : 1) {
		n = placeholder(command, at, word, sizeof(word));
		if (n && bw_starts_with(word, BUFFER))
			BW_TRY(bw_bisect_add_buffer(b, word + strlen(BUFFER)));
	}
	return NULL;
}

/* What the command is told, by name. */
struct facts {
	char submission[24], dispatches[24], packets[24], status[24];
	const char *how;
};

static struct facts facts_of(const struct bw_bisect_part *part, int status,
			     const struct bw_bisect_outcome *out)
{
	struct facts f = {.dispatches = "all", .packets = "all", .how = out->how};
	snprintf(f.submission, sizeof(f.submission), "%" PRIu32, out->number);
	snprintf(f.status, sizeof(f.status), "%d", status);
	if (part->limit == BW_BISECT_DISPATCHES)
		snprintf(f.dispatches, sizeof(f.dispatches), "%" PRIu32, part->n);
	if (part->limit == BW_BISECT_PACKETS)
		snprintf(f.packets, sizeof(f.packets), "%" PRIu32, part->n);
	return f;
}

static void expand(const struct bw_bisect *b, const struct facts *f, struct bw_str *out)
{
	char word[WORD_MAX_B], path[4096];
	size_t n;
	for (const char *at = b->command; *at; at += n) {
		const char *value = NULL;
		n = placeholder(b->command, at, word, sizeof(word));
		if (n && !strcmp(word, "submission"))
			value = f->submission;
		else if (n && !strcmp(word, "dispatches"))
			value = f->dispatches;
		else if (n && !strcmp(word, "packets"))
			value = f->packets;
		else if (n && !strcmp(word, "status"))
			value = f->status;
		bw_vec_each(&b->buffers, one)
			if (n && bw_starts_with(word, BUFFER) &&
			    !strcmp(word + strlen(BUFFER), one->text) &&
			    bw_bisect_buffer_path(b, one, path, sizeof(path)))
				value = path;
		if (!value)
			n = 1;
		bw_str_addn(out, value ? value : at, value ? strlen(value) : 1);
	}
}

static void set_environment(const struct bw_bisect *b, const struct facts *f)
{
	char name[64], path[4096];
	setenv("BREAKWATER_CAPTURE", b->file, 1);
	setenv("BREAKWATER_SUBMISSION", f->submission, 1);
	setenv("BREAKWATER_DISPATCHES", f->dispatches, 1);
	setenv("BREAKWATER_PACKETS", f->packets, 1);
	setenv("BREAKWATER_STATUS", f->status, 1);
	setenv("BREAKWATER_HOW", f->how, 1);
	bw_vec_each(&b->buffers, one) {
		snprintf(name, sizeof(name), "BREAKWATER_BUFFER_%s", one->text);
		if (bw_bisect_buffer_path(b, one, path, sizeof(path)))
			setenv(name, path, 1);
	}
}

/* ---- Running it ---- */

static struct bw_error *run_shell(const struct bw_bisect *b, const char *text,
				  const struct facts *f, int *out_status)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		int nothing = open("/dev/null", O_RDONLY);
		set_environment(b, f);
		/* standard output is the bisection's own */
		if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
		    dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
			execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		_exit(STOP_FROM);
	}
	if (pid < 0)
		return bw_error_errno(errno, "cannot start the command of --bad");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*out_status = WIFEXITED(status) ? WEXITSTATUS(status) : STOP_FROM + WTERMSIG(status);
	return NULL;
}

struct bw_error *bw_bisect_run_command(struct bw_bisect *b, const struct bw_bisect_part *part,
				       int status, struct bw_bisect_outcome *out)
{
	const struct facts f = facts_of(part, status, out);
	struct bw_str text = {0};
	int said = 0;
	b->listener.runs_command(b->listener.cookie);
	expand(b, &f, &text);
	struct bw_error *err =
		text.failed ? bw_error_nomem() : run_shell(b, bw_str_text(&text), &f, &said);
	bw_str_free(&text);
	BW_TRY(err);
	b->is_stopped = said >= STOP_FROM;
	if (b->is_stopped)
		return bw_errorf(BW_E_STATE,
				 "the command of --bad ended with status %d, which ends the "
				 "bisection (0 is good, 125 skips, 1 to 127 are bad)",
				 said);
	out->verdict = !said ? BW_BISECT_GOOD : said == SKIP ? BW_BISECT_SKIP : BW_BISECT_BAD;
	if (out->verdict == BW_BISECT_BAD && !out->failed)
		snprintf(out->how, sizeof(out->how),
			 "leaves what the command calls bad (exit status %d)", said);
	return NULL;
}
