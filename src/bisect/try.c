/* SPDX-License-Identifier: MIT */
/* One try of a bisection: a replay in a process of its own, on a virtual GPU of its own, so that
 * what hangs does not stand in the way of the next; and whether it is bad. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/string_list.h"
#include "base/util.h"
#include "bisect/bisect.h"

/* ---- Running a replay ---- */

static struct bw_error *read_all(int fd, struct bw_str *out)
{
	char buf[4096];
	off_t at = 0;
	for (ssize_t n; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		bw_str_addn(out, buf, (size_t)n);
	return out->failed ? bw_error_nomem() : NULL;
}

/* Runs the program with these words; its output and errors as text, and its exit status as shells
 * have it. */
static struct bw_error *run_program(const char *program, char *const *words,
				    struct bw_str *out_text, struct bw_str *out_errors,
				    int *out_status)
{
	_cleanup_close_ int out_fd = bw_memfd("output"), err_fd = bw_memfd("errors");
	int status = 0;
	if (out_fd < 0 || err_fd < 0)
		return bw_error_errno(errno, "memfd_create");
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* the main thread has forked */
		if (dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0)
			execv(program, words);
		_exit(127);
	}
	if (pid < 0)
		return bw_error_errno(errno, "cannot start a replay");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*out_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	BW_TRY(read_all(out_fd, out_text));
	return read_all(err_fd, out_errors);
}

/* The last line of what a failed replay has said, without "breakwater: " and the stop. */
static struct bw_error *said(const char *errors)
{
	_cleanup_free_ char *copy = strdup(errors);
	char *last = copy;
	for (char *line = copy, *rest = copy; copy && (line = strsep(&rest, "\n"));)
		if (*line)
			last = line;
	if (!last || !*last)
		return bw_errorf(BW_E_STATE, "the replay has ended and printed nothing");
	if (bw_starts_with(last, "breakwater: "))
		last += strlen("breakwater: ");
	size_t n = strlen(last);
	return bw_errorf(BW_E_STATE, "%.*s", (int)(n && last[n - 1] == '.' ? n - 1 : n), last);
}

/* ---- Its words ---- */

static struct bw_error *add_limit(struct bw_strings *w, const struct bw_bisect_part *part)
{
	char text[48];
	if (part->limit == BW_BISECT_WHOLE)
		return NULL;
	BW_TRY(bw_strings_add(w, part->limit == BW_BISECT_PACKETS ? "--packets" : "--dispatches"));
	snprintf(text, sizeof(text), "%u:%u", part->last, part->n);
	return bw_strings_add(w, text);
}

static struct bw_error *add_dumps(struct bw_strings *w, const struct bw_bisect *b,
				  const struct bw_bisect_part *part)
{
	char path[4096], text[4096 + 64];
	bw_vec_each(&b->buffers, one) {
		if (!bw_bisect_buffer_path(b, one, path, sizeof(path)))
			return bw_errorf(BW_E_INVALID, "the folder for temporary files has a name "
						       "that is too long");
		/* what the last try has left is not this one's */
		unlink(path);
		snprintf(text, sizeof(text), "%u:%s=%s", part->last, one->text, path);
		BW_TRY(bw_strings_add(w, "--dump"));
		BW_TRY(bw_strings_add(w, text));
	}
	return NULL;
}

/* Overrides of submissions that do not run are refused. */
static struct bw_error *add_edits(struct bw_strings *w, const struct bw_bisect *b,
				  const struct bw_bisect_part *part)
{
	bw_vec_each(&b->overrides, o) {
		if (o->number < part->first || o->number > part->last)
			continue;
		BW_TRY(bw_strings_add(w, "--override"));
		BW_TRY(bw_strings_add(w, o->value));
	}
	bw_vec_each(&b->shaders, one) {
		BW_TRY(bw_strings_add(w, "--shader"));
		BW_TRY(bw_strings_add(w, *one));
	}
	return NULL;
}

static struct bw_error *make_words(const struct bw_bisect *b, const struct bw_bisect_part *part,
				   struct bw_strings *w)
{
	char first[24], last[24];
	snprintf(first, sizeof(first), "%u", part->first);
	snprintf(last, sizeof(last), "%u", part->last);
	const char *const start[] = {"breakwater", "replay", "--json", "--timeout",
				     b->timeout,   "--last", last};
	for (size_t i = 0; i < BW_ARRAY_SIZE(start); i++)
		BW_TRY(bw_strings_add(w, start[i]));
	if (part->first) {
		BW_TRY(bw_strings_add(w, "--first"));
		BW_TRY(bw_strings_add(w, first));
	}
	if (b->gpu) {
		BW_TRY(bw_strings_add(w, "--gpu"));
		BW_TRY(bw_strings_add(w, b->gpu));
	}
	if (b->differs && part->limit == BW_BISECT_WHOLE)
		BW_TRY(bw_strings_add(w, "--check"));
	BW_TRY(add_limit(w, part));
	if (b->command)
		BW_TRY(add_dumps(w, b, part));
	BW_TRY(add_edits(w, b, part));
	BW_TRY(bw_strings_add(w, b->file));
	return bw_strings_add(w, NULL);
}

/* What became of --shader: the replay's lines about it, once, for the first try runs all that the
 * others do. */
static void say_shaders(struct bw_bisect *b, const char *errors)
{
	if (!b->shaders.len || b->has_said_shaders)
		return;
	b->has_said_shaders = true;
	for (const char *line = errors; *line;) {
		size_t n = strcspn(line, "\n");
		_cleanup_free_ char *copy =
			bw_starts_with(line, "--shader ") ? strndup(line, n) : NULL;
		if (copy)
			b->listener.says(b->listener.cookie, copy);
		line += n + (line[n] == '\n');
	}
}

static int64_t count_of(const json_t *answer, const char *key)
{
	return json_integer_value(json_object_get(answer, key));
}

/* Once: what is missing of a damaged capture can look like what is searched for. */
static void say_damage(struct bw_bisect *b, const json_t *answer)
{
	int64_t skipped_b = count_of(answer, "damaged_bytes"),
		records = count_of(answer, "lost_records"), pages = count_of(answer, "lost_pages");
	char line[200];
	if (b->is_damaged || !(skipped_b || records || pages))
		return;
	b->is_damaged = true;
	snprintf(line, sizeof(line),
		 "The capture is damaged (%" PRId64 " bytes skipped, %" PRId64
		 " records and %" PRId64 " pages missing): what is found can come from that.",
		 skipped_b, records, pages);
	b->listener.says(b->listener.cookie, line);
}

/* A replay in which nothing ran, or was compared where that was asked for, says nothing: a capture
 * can be damaged so. */
static bool says_nothing(const struct bw_bisect *b, const struct bw_bisect_part *part,
			 const json_t *answer)
{
	bool is_checked = b->differs && part->limit == BW_BISECT_WHOLE;
	return !json_object_get(answer, "broke") &&
	       (!count_of(answer, "submissions") || (is_checked && !count_of(answer, "checked")));
}

/* The answer of the replay, a new reference. */
static struct bw_error *replay(struct bw_bisect *b, const struct bw_bisect_part *part, json_t **out,
			       int *out_status)
{
	struct bw_strings words = {0};
	struct bw_str text = {0}, errors = {0};
	struct bw_error *err = make_words(b, part, &words);
	b->n_tries++;
	if (!err)
		err = run_program(b->breakwater, words.data, &text, &errors, out_status);
	json_t *answer = err ? NULL : json_loads(bw_str_text(&text), JSON_DISABLE_EOF_CHECK, NULL);
	if (!err && !json_is_boolean(json_object_get(answer, "same"))) {
		json_decref(answer);
		err = said(bw_str_text(&errors));
	} else if (!err && b->n_tries == 1 && says_nothing(b, part, answer)) {
		json_decref(answer);
		err = said(bw_str_text(&errors));
	} else if (!err) {
		*out = answer;
		say_shaders(b, bw_str_text(&errors));
		say_damage(b, answer);
	}
	bw_strings_free(&words);
	bw_str_free(&text);
	bw_str_free(&errors);
	return err;
}

/* ---- Judging it ---- */

/* Whether a failure of this kind is what is looked for. */
static bool is_wanted(const struct bw_bisect *b, const char *kind)
{
	if (b->differs || (!b->command && !b->hang && !b->fault))
		return true;
	return (b->hang && !strcmp(kind, "hang")) || (b->fault && !strcmp(kind, "fault"));
}

struct bw_error *bw_bisect_try(struct bw_bisect *b, const struct bw_bisect_part *part,
			       struct bw_bisect_outcome *out)
{
	int status = 0;
	*out = (struct bw_bisect_outcome){.number = part->last};
	BW_TRY(replay(b, part, &out->answer, &status));
	const json_t *broke = json_object_get(out->answer, "broke");
	const json_t *differs = json_object_get(out->answer, "differs_after");
	const char *how = json_string_value(json_object_get(out->answer, "how"));
	const char *kind = json_string_value(json_object_get(out->answer, "kind"));
	out->failed = broke;
	out->differs = differs;
	if (broke || differs)
		out->number = (uint32_t)json_integer_value(broke ? broke : differs);
	snprintf(out->how, sizeof(out->how), "%s",
		 how	   ? how
		 : differs ? "leaves other memory than in the capture"
			   : "was done");
	if ((broke && is_wanted(b, kind ? kind : "")) || differs) {
		out->verdict = BW_BISECT_BAD;
		return NULL;
	}
	if (says_nothing(b, part, out->answer)) {
		out->verdict = BW_BISECT_SKIP;
		return NULL;
	}
	struct bw_error *err = b->command ? bw_bisect_run_command(b, part, status, out) : NULL;
	if (err) {
		json_decref(out->answer);
		out->answer = NULL;
	}
	return err;
}
