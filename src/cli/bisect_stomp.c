/* SPDX-License-Identifier: MIT */
/* breakwater bisect --stomp: the register whose stale value a program reads. Each try runs the
 * program with some registers filled (exec --stomp-registers); it is bad where its status or its
 * output is not that of a run without, or where it does not end. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/str.h"
#include "base/util.h"
#include "capture/reader.h"
#include "cli/cli.h"
#include "cli/stomp.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater bisect --stomp [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater bisect --stomp [OPTIONS] FILE.bwc\n"
	"\n"
	"Finds the register whose stale value PROGRAM reads: it runs with registers filled that a driver must set\n"
	"(breakwater exec --stomp-registers), with fewer and fewer of them, and is bad where its exit status or output\n"
	"changes, or where it does not end. Of a capture the program is its replay, with --check. Exit status: 0 when\n"
	"a register was found, 1 where nothing is bad.\n"
	"\n"
	"Options:\n"
	"  --stomp-registers=RANGE  only these, as in exec\n"
	"  --timeout SECONDS        how long a run may take (default 60)\n"
	"  --json                   for programs\n"
	"  -h, --help\n";

struct search {
	struct bw_out *out;
	const char *range;
	uint64_t timeout_s;
	bool json, help;
	char **program;
	unsigned n_tries;
};

/* What a run has shown. */
struct shown {
	int status; /* of wait() */
	bool timed_out;
	struct bw_str text;
};

static struct bw_error *wait_for(pid_t pid, uint64_t timeout_s, struct shown *out)
{
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	int r = 0;
	if (pidfd >= 0)
		do
			r = poll(&p, 1, (int)(timeout_s * 1000));
		while (r < 0 && errno == EINTR);
	out->timed_out = r == 0;
	if (r <= 0)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &out->status, 0) < 0 && errno == EINTR)
		;
	return pidfd < 0 ? bw_error_errno(errno, "pidfd_open") : NULL;
}

/* One run; registers: NULL: none is filled. */
static struct bw_error *run_once(struct search *s, const char *registers, struct shown *out)
{
	_cleanup_close_ int text = bw_memfd("output"), nothing = bw_memfd("errors");
	_cleanup_free_ char *option = NULL;
	size_t n = 0;
	char buf[4096];
	while (s->program[n])
		n++;
	_cleanup_free_ char **words = calloc(n + 5, sizeof(*words));
	if (!words || text < 0 || nothing < 0 ||
	    asprintf(&option, "--stomp-registers=%s", registers ? registers : "") < 0)
		return bw_error_nomem();
	words[0] = (char *)"breakwater";
	words[1] = (char *)"exec";
	words[2] = registers ? option : (char *)"--breadcrumbs";
	words[3] = (char *)"--";
	memcpy(words + 4, s->program, n * sizeof(*words));
	s->n_tries++;
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		if (dup2(text, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0)
			execv("/proc/self/exe", words);
		_exit(127);
	}
	if (pid < 0)
		return bw_error_errno(errno, "cannot start a run");
	setpgid(pid, pid);
	BW_TRY(wait_for(pid, s->timeout_s, out));
	off_t at = 0;
	for (ssize_t got; (got = pread(text, buf, sizeof(buf), at)) > 0; at += got)
		bw_str_addn(&out->text, buf, (size_t)got);
	return NULL;
}

static struct bw_error *is_bad(struct search *s, const struct shown *good,
			       const struct bw_crumbs_poke *pokes, size_t n, bool *out)
{
	struct bw_str list = {0};
	struct shown now = {0};
	for (size_t i = 0; i < n; i++)
		bw_str_addf(&list, "%s0x%x", i ? "," : "", pokes[i].addr_dw);
	struct bw_error *err = run_once(s, bw_str_text(&list), &now);
	*out = !err &&
	       (now.timed_out || now.status != good->status || now.text.len != good->text.len ||
		(now.text.len && memcmp(now.text.data, good->text.data, now.text.len) != 0));
	if (!err)
		bw_out_line(s->out, "%s%s%s filled: %s", bw_stomp_name(pokes[0].addr_dw),
			    n > 1 ? " to " : "", n > 1 ? bw_stomp_name(pokes[n - 1].addr_dw) : "",
			    *out ? "bad" : "good");
	bw_out_flush(s->out);
	bw_str_free(&list);
	bw_str_free(&now.text);
	return err;
}

/* Halves the set as long as one half alone is bad. */
static struct bw_error *halve(struct search *s, const struct shown *good,
			      const struct bw_crumbs_poke **pokes, size_t *n)
{
	while (*n > 1) {
		size_t half = *n / 2;
		bool bad;
		BW_TRY(is_bad(s, good, *pokes, half, &bad));
		if (bad) {
			*n = half;
			continue;
		}
		BW_TRY(is_bad(s, good, *pokes + half, *n - half, &bad));
		if (!bad)
			return NULL; /* it takes some of both */
		*pokes += half;
		*n -= half;
	}
	return NULL;
}

static void show(struct search *s, const struct bw_crumbs_poke *pokes, size_t n)
{
	json_t *list = json_array();
	bw_out_bool(s->out, "found", n);
	bw_out_int(s->out, "tries", s->n_tries);
	if (!n)
		bw_out_line(s->out, "Nothing is read that the program has not set.");
	else
		bw_out_line(s->out, "%s read%s without being set:",
			    n == 1 ? "This register is"
				   : "Of these registers several are, together,",
			    "");
	for (size_t i = 0; i < n; i++) {
		bw_out_line(s->out, "  %s (0x%x)", bw_stomp_name(pokes[i].addr_dw),
			    pokes[i].addr_dw);
		json_array_append_new(list, json_string(bw_stomp_name(pokes[i].addr_dw)));
	}
	bw_out_json(s->out, "registers", list);
}

static struct bw_error *search(struct search *s, int *out_status)
{
	struct bw_stomp_set set = {0};
	struct shown good = {0};
	bool bad = false;
	struct bw_error *err = bw_stomp_make(s->range, NULL, &set);
	if (!err)
		err = run_once(s, NULL, &good);
	if (!err && good.timed_out)
		err = bw_errorf(BW_E_STATE, "the program does not end within %llu s as it is",
				(unsigned long long)s->timeout_s);
	const struct bw_crumbs_poke *pokes = set.data;
	size_t n = set.len;
	bw_out_begin(s->out, "command", "bisect stomp");
	if (!err)
		err = is_bad(s, &good, pokes, n, &bad);
	if (!err && bad)
		err = halve(s, &good, &pokes, &n);
	if (err) {
		bw_out_drop(s->out);
	} else {
		show(s, pokes, bad ? n : 0);
		bw_out_end(s->out);
	}
	*out_status = bad ? 0 : 1;
	bw_str_free(&good.text);
	bw_vec_free(&set);
	return err;
}

static struct bw_error *parse(int argc, char **argv, struct search *s)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (bw_starts_with(argv[i], "--stomp-registers="))
			s->range = argv[i] + strlen("--stomp-registers=");
		else if (!strcmp(argv[i], "--json"))
			s->json = true;
		else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			s->help = true;
		else if (!strcmp(argv[i], "--timeout") && i + 1 < argc) {
			if (!bw_parse_u64(argv[++i], &s->timeout_s) || !s->timeout_s ||
			    s->timeout_s > 86400)
				return bw_errorf(BW_E_INVALID,
						 "--timeout wants seconds, not \"%s\"", argv[i]);
		} else if (strcmp(argv[i], "--stomp") != 0)
			return bw_errorf(BW_E_INVALID,
					 "\"breakwater bisect --stomp\" has no option %s "
					 "(see --help)",
					 argv[i]);
	}
	s->program = argv + i;
	if (!s->help && i >= argc)
		return bw_errorf(BW_E_INVALID,
				 "bisect --stomp wants a program or a capture (see --help)");
	return NULL;
}

int bw_main_bisect_stomp(int argc, char **argv)
{
	struct search s = {.timeout_s = 60};
	int status = BW_EXIT_USAGE;
	_cleanup_free_ char *replay = NULL;
	struct bw_error *err = parse(argc, argv, &s);
	if (!err && s.help) {
		fputs(usage, stdout);
		return 0;
	}
	char *words[] = {NULL, (char *)"--check", err ? NULL : s.program[0], NULL};
	if (!err && !s.program[1] && bw_cli_is_capture(s.program[0])) {
		err = bw_kmd_find_part("breakwater-replay", &replay);
		words[0] = replay;
		s.program = words;
	}
	if (!err)
		err = bw_out_create(stdout, s.json, &s.out);
	if (!err)
		err = search(&s, &status);
	bw_out_destroy(s.out);
	if (err) {
		fprintf(stderr, "breakwater: %s.\n", err->message);
		bw_error_free(err);
		return BW_EXIT_USAGE;
	}
	return status;
}
