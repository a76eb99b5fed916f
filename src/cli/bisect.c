/* SPDX-License-Identifier: MIT */
/* breakwater bisect: the first submission of a capture, and in it the first dispatch, with which
 * its replay fails. Each try is a replay of its own (breakwater replay), on a virtual GPU of its
 * own: what hangs does not stand in the way of the next. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/util.h"
#include "capture/reader.h"
#include "cli/cli.h"
#include "cli/look.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater bisect [OPTIONS] FILE\n"
	"       breakwater bisect --stomp [OPTIONS] -- PROGRAM | FILE   (--stomp --help)\n"
	"\n"
	"Finds the first submission of a capture that fails, hangs or differs when it is replayed, and the first\n"
	"dispatch in it without which it does not fail or hang. Exit status: 0 when it was found, 1 where nothing fails.\n"
	"\n"
	"Options:\n"
	"  --differs              memory that is not as captured counts, too; its dispatch is not looked for\n"
	"  --gpu GPU              virtual[:navi31], an index, or a PCI address\n"
	"  --timeout SECONDS      how long a submission may run before it counts as hanging (default 10)\n"
	"  --json                 for programs\n"
	"  -h, --help\n";

struct bisect {
	struct bw_look look;
	const char *file, *timeout;
	bool differs;
	unsigned n_tries;
};

static struct bw_error *take(void *cookie, const char *option, const char *value, int *out_used)
{
	struct bisect *b = cookie;
	uint64_t n;
	*out_used = 1;
	if (!strcmp(option, "--differs")) {
		b->differs = true;
		return NULL;
	}
	if (strcmp(option, "--timeout") != 0) {
		*out_used = 0;
		return NULL;
	}
	*out_used = 2;
	b->timeout = value;
	return bw_look_number(option, value, &n);
}

/* ---- One try ---- */

static struct bw_error *read_all(int fd, struct bw_str *out)
{
	char buf[4096];
	off_t at = 0;
	for (ssize_t n; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		bw_str_addn(out, buf, (size_t)n);
	return out->failed ? bw_error_nomem() : NULL;
}

/* Runs this program with other words; its output and errors as text, and its exit status. */
static struct bw_error *run_self(const char *const *words, struct bw_str *out_text,
				 struct bw_str *out_errors, int *out_status)
{
	_cleanup_close_ int out_fd = bw_memfd("output"), err_fd = bw_memfd("errors");
	int status = 0;
	if (out_fd < 0 || err_fd < 0)
		return bw_error_errno(errno, "memfd_create");
	pid_t pid = fork();
	if (pid == 0) {
		if (dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0)
			execv("/proc/self/exe", (char **)(uintptr_t)words);
		_exit(127);
	}
	if (pid < 0)
		return bw_error_errno(errno, "cannot start a replay");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*out_status = WIFEXITED(status) ? WEXITSTATUS(status) : BW_EXIT_SIGNAL + WTERMSIG(status);
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
		return bw_errorf(BW_E_STATE, "the replay has ended without a word");
	if (bw_starts_with(last, "breakwater: "))
		last += strlen("breakwater: ");
	size_t n = strlen(last);
	return bw_errorf(BW_E_STATE, "%.*s", (int)(n && last[n - 1] == '.' ? n - 1 : n), last);
}

/* What of the capture is run. */
struct part {
	uint32_t number; /* this submission alone; 0: all */
	uint32_t n_dispatches;
};

/* The answer of the replay, a new reference. */
static struct bw_error *replay(struct bisect *b, const struct part *part, json_t **out)
{
	char number[24], dispatches[48];
	const char *words[16] = {"breakwater", "replay", "--json", "--timeout", b->timeout};
	size_t n = 5;
	struct bw_str text = {0}, errors = {0};
	int status = 0;
	snprintf(number, sizeof(number), "%u", part->number);
	snprintf(dispatches, sizeof(dispatches), "%u:%u", part->number, part->n_dispatches);
	if (b->look.gpu) {
		words[n++] = "--gpu";
		words[n++] = b->look.gpu;
	}
	if (part->number) {
		const char *const more[] = {"--first", number,	       "--last",
					    number,    "--dispatches", dispatches};
		memcpy(words + n, more, sizeof(more));
		n += BW_ARRAY_SIZE(more);
	} else if (b->differs) {
		words[n++] = "--check";
	}
	words[n] = b->file;
	b->n_tries++;
	struct bw_error *err = run_self(words, &text, &errors, &status);
	json_t *answer = err ? NULL : json_loads(bw_str_text(&text), JSON_DISABLE_EOF_CHECK, NULL);
	if (!err && !json_is_boolean(json_object_get(answer, "same"))) {
		json_decref(answer);
		err = said(bw_str_text(&errors));
	} else if (!err) {
		*out = answer;
	}
	bw_str_free(&text);
	bw_str_free(&errors);
	return err;
}

/* ---- The search ---- */

struct found {
	uint32_t number;
	char how[200];
	bool differs;
	const char *where; /* "dispatch", "packets": without any dispatch, "submission" */
	size_t dispatch;
};

static struct bw_error *breaks_with(struct bisect *b, uint32_t number, size_t n_dispatches,
				    bool *out)
{
	const struct part part = {number, (uint32_t)n_dispatches};
	json_t *answer;
	BW_TRY(replay(b, &part, &answer));
	*out = json_object_get(answer, "broke") != NULL;
	json_decref(answer);
	bw_out_line(b->look.out, "The first %zu dispatches of submission %u: %s", n_dispatches,
		    number, *out ? "bad" : "good");
	bw_out_flush(b->look.out);
	return NULL;
}

/* The smallest number of dispatches with which it breaks; the last of them is the one. */
static struct bw_error *find_dispatch(struct bisect *b, const struct bw_capture_submission *s,
				      struct found *f)
{
	size_t good = 0, bad = s->dispatches.len;
	bool breaks;
	f->where = "submission";
	/* alone, with the memory that the capture has before it */
	BW_TRY(breaks_with(b, f->number, bad, &breaks));
	if (!breaks)
		return NULL;
	BW_TRY(breaks_with(b, f->number, 0, &breaks));
	f->where = breaks ? "packets" : "dispatch";
	while (!breaks && bad - good > 1) {
		size_t middle = good + (bad - good) / 2;
		bool middle_breaks;
		BW_TRY(breaks_with(b, f->number, middle, &middle_breaks));
		if (middle_breaks)
			bad = middle;
		else
			good = middle;
	}
	f->dispatch = bad - 1;
	return NULL;
}

static struct bw_error *find_submission(struct bisect *b, struct found *f)
{
	json_t *answer;
	BW_TRY(replay(b, &(struct part){0}, &answer));
	const json_t *broke = json_object_get(answer, "broke");
	const json_t *differs = json_object_get(answer, "differs_after");
	const char *how = json_string_value(json_object_get(answer, "how"));
	f->number = (uint32_t)json_integer_value(broke ? broke : differs);
	f->differs = differs;
	snprintf(f->how, sizeof(f->how), "%s",
		 how ? how : "leaves other memory than in the capture");
	json_decref(answer);
	return NULL;
}

static void show_dispatch(struct bw_out *o, const struct bw_capture_dispatch *d, size_t i)
{
	bw_out_line(o,
		    "Its dispatch %zu does it: packet 0x%" PRIx64 ", code 0x%" PRIx64 "%s%s%s%s.",
		    i, d->packet_va, d->code_va, *d->pipeline ? ", pipeline " : "", d->pipeline,
		    *d->label ? ", label " : "", d->label);
	bw_out_int(o, "dispatch", (int64_t)i);
	bw_out_hex(o, "packet", d->packet_va);
	bw_out_hex(o, "code", d->code_va);
	bw_out_str(o, "pipeline", d->pipeline);
	bw_out_str(o, "label", d->label);
}

static void show(struct bisect *b, const struct found *f, const struct bw_capture_submission *s)
{
	struct bw_out *o = b->look.out;
	bw_out_bool(o, "found", f->number);
	bw_out_int(o, "tries", b->n_tries);
	if (!f->number) {
		bw_out_line(o, "The replay does nothing wrong.");
		return;
	}
	bw_out_line(o, "Submission %u is the first that is bad: it %s.", f->number, f->how);
	bw_out_int(o, "number", f->number);
	bw_out_str(o, "how", f->how);
	bw_out_str(o, "where", f->where);
	if (!strcmp(f->where, "dispatch"))
		show_dispatch(o, &s->dispatches.data[f->dispatch], f->dispatch);
	else if (!strcmp(f->where, "packets"))
		bw_out_line(o, "It is bad without any of its %zu dispatches, too.",
			    s->dispatches.len);
	else if (!f->differs)
		bw_out_line(o,
			    "Alone, with the memory that the capture has before it, it is good.");
}

static struct bw_error *search(struct bisect *b, struct bw_capture_reader *r)
{
	struct found f = {.where = "submission"};
	struct bw_capture_submission s = {0};
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	struct bw_error *err = find_submission(b, &f);
	for (size_t i = 0; !err && f.number && i < n; i++) {
		if (e[i].summary.number != f.number)
			continue;
		err = bw_capture_reader_submission(r, &e[i], &s);
		if (!err && !f.differs && s.dispatches.len)
			err = find_dispatch(b, &s, &f);
		break;
	}
	if (!err)
		show(b, &f, &s);
	b->look.status = f.number ? 0 : 1;
	bw_capture_submission_fini(&s);
	return err;
}

static struct bw_error *run(struct bw_look *l)
{
	struct bisect *b = l->cookie;
	struct bw_capture_reader *r;
	if (l->n_words != 1)
		return bw_errorf(BW_E_INVALID, "bisect wants one capture (see --help)");
	b->file = l->words[0];
	BW_TRY(bw_capture_reader_open(b->file, &r));
	bw_out_begin(l->out, "command", "bisect");
	struct bw_error *err = search(b, r);
	if (err)
		bw_out_drop(l->out);
	else
		bw_out_end(l->out);
	bw_capture_reader_close(r);
	return err;
}

int bw_main_bisect(int argc, char **argv)
{
	struct bisect b = {.look = {.take = take}, .timeout = "10"};
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--stomp"))
			return bw_main_bisect_stomp(argc, argv);
	b.look.cookie = &b;
	return bw_look_main(&b.look, usage, argc, argv, run);
}
