/* SPDX-License-Identifier: MIT */
/* breakwater bisect --stomp: the register or the new buffer whose stale value a program reads. Each
 * try runs the program with some of them filled (exec --stomp-registers, --stomp-memory); it is bad
 * where its status or its output is not that of a run without, or where it does not end. */
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
#include "cli/stomp_memory.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater bisect --stomp [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater bisect --stomp [OPTIONS] FILE.bwc\n"
	"\n"
	"Finds the register or buffer whose stale value PROGRAM reads: it runs with registers filled that a driver must\n"
	"set (breakwater exec --stomp-registers) or with new buffers filled (--stomp-memory), with fewer and fewer of\n"
	"them, and is bad where its exit status or output changes, or where it does not end. Of a capture the program\n"
	"is its replay, with --check, and registers alone are filled. Exit status: 0 when something was found, 1 where\n"
	"nothing is bad.\n"
	"\n"
	"Options:\n"
	"  --stomp-registers[=RANGE]  these registers, as in exec (default: all, and no memory)\n"
	"  --stomp-memory[=RANGE]   these new buffers, as in exec; registers, too, where --stomp-registers is there\n"
	"  --timeout SECONDS        how long a run may take (default 60)\n"
	"  --json                   for programs\n"
	"  -h, --help\n";

struct search {
	struct bw_out *out;
	const char *range, *memory_range; /* NULL: all */
	bool registers, memory;
	uint64_t timeout_s;
	bool json, help;
	char **program;
	unsigned n_tries;
};

/* What a run has shown. */
struct shown {
	int status; /* of wait() */
	bool timed_out;
	struct bw_str text, errors;
};

/* What can be filled: a register, or a new buffer. */
struct item {
	bool is_buffer;
	uint32_t number; /* the register's address in dwords; the buffer's number in its process */
	uint64_t size_b; /* of a buffer */
	bool is_vram;
};
struct items BW_VEC(struct item);

static void shown_fini(struct shown *s)
{
	bw_str_free(&s->text);
	bw_str_free(&s->errors);
}

static void add_name(const struct item *i, struct bw_str *out)
{
	if (i->is_buffer)
		bw_str_addf(out, "buffer %u", i->number);
	else
		bw_str_add(out, bw_stomp_name(i->number));
}

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

static void read_all(int fd, struct bw_str *out)
{
	char buf[4096];
	off_t at = 0;
	for (ssize_t got; (got = pread(fd, buf, sizeof(buf), at)) > 0; at += got)
		bw_str_addn(out, buf, (size_t)got);
}

/* Items of one kind as the value of an option; false: there are none. */
static bool list_items(const struct item *items, size_t n, bool buffers, struct bw_str *out)
{
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (items[i].is_buffer != buffers)
			continue;
		bw_str_addf(out, buffers ? "%s%u" : "%s0x%x", any ? "," : "", items[i].number);
		any = true;
	}
	return any;
}

/* One run with these items filled. Where memory is filled at all, each run says which buffers there
 * were: the last number stands for none. */
static struct bw_error *run_once(struct search *s, const struct item *items, size_t n_items,
				 struct shown *out)
{
	_cleanup_close_ int text = bw_memfd("output"), errors = bw_memfd("errors");
	struct bw_str registers = {0}, buffers = {0};
	size_t n = 0, at = 0;
	while (s->program[n])
		n++;
	_cleanup_free_ char **words = calloc(n + 7, sizeof(*words));
	bw_str_add(&registers, "--stomp-registers=");
	bool has_registers = list_items(items, n_items, false, &registers);
	bw_str_add(&buffers, "--stomp-memory=");
	if (!list_items(items, n_items, true, &buffers))
		bw_str_addf(&buffers, "%u", UINT32_MAX);
	if (!words || text < 0 || errors < 0 || registers.failed || buffers.failed) {
		bw_str_free(&registers);
		bw_str_free(&buffers);
		return bw_error_nomem();
	}
	words[at++] = (char *)"breakwater";
	words[at++] = (char *)"exec";
	words[at++] = (char *)"--json";
	if (has_registers)
		words[at++] = registers.data;
	else if (s->registers)
		words[at++] = (char *)"--breadcrumbs";
	if (s->memory)
		words[at++] = buffers.data;
	words[at++] = (char *)"--";
	memcpy(words + at, s->program, n * sizeof(*words));
	s->n_tries++;
	pid_t pid = fork();
	int e = errno;
	if (pid == 0) {
		setpgid(0, 0);
		if (dup2(text, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0)
			execv("/proc/self/exe", words);
		_exit(127);
	}
	bw_str_free(&registers);
	bw_str_free(&buffers);
	if (pid < 0)
		return bw_error_errno(e, "cannot start a run");
	setpgid(pid, pid);
	BW_TRY(wait_for(pid, s->timeout_s, out));
	read_all(text, &out->text);
	read_all(errors, &out->errors);
	return NULL;
}

static struct bw_error *is_bad(struct search *s, const struct shown *good, const struct item *items,
			       size_t n, bool *out)
{
	struct shown now = {0};
	struct bw_str names = {0};
	struct bw_error *err = run_once(s, items, n, &now);
	*out = !err &&
	       (now.timed_out || now.status != good->status || now.text.len != good->text.len ||
		(now.text.len && memcmp(now.text.data, good->text.data, now.text.len) != 0));
	if (!err) {
		add_name(&items[0], &names);
		bw_str_add(&names, n > 1 ? " to " : "");
		if (n > 1)
			add_name(&items[n - 1], &names);
		bw_out_line(s->out, "%s filled: %s", bw_str_text(&names), *out ? "bad" : "good");
	}
	bw_out_flush(s->out);
	bw_str_free(&names);
	shown_fini(&now);
	return err;
}

/* Halves the set as long as one half alone is bad. */
static struct bw_error *halve(struct search *s, const struct shown *good, const struct item **items,
			      size_t *n)
{
	while (*n > 1) {
		size_t half = *n / 2;
		bool bad;
		BW_TRY(is_bad(s, good, *items, half, &bad));
		if (bad) {
			*n = half;
			continue;
		}
		BW_TRY(is_bad(s, good, *items + half, *n - half, &bad));
		if (!bad)
			return NULL; /* it takes some of both */
		*items += half;
		*n -= half;
	}
	return NULL;
}

static void show(struct search *s, const struct item *items, size_t n)
{
	json_t *registers = json_array(), *buffers = json_array();
	const char *kind = !n || !items[0].is_buffer ? "register" : "buffer";
	bw_out_bool(s->out, "found", n);
	bw_out_int(s->out, "tries", s->n_tries);
	if (!n)
		bw_out_line(s->out, "Nothing is read that the program has not set.");
	else if (n == 1)
		bw_out_line(s->out, "This %s is read without being set:", kind);
	else
		bw_out_line(s->out, "Of these %ss several are, together, read without being set:",
			    items[n - 1].is_buffer == items[0].is_buffer ? kind : "thing");
	for (size_t i = 0; i < n; i++) {
		if (items[i].is_buffer) {
			bw_out_line(s->out, "  buffer %u (%llu bytes, %s)", items[i].number,
				    (unsigned long long)items[i].size_b,
				    items[i].is_vram ? "VRAM" : "GTT");
			json_array_append_new(buffers, json_integer(items[i].number));
		} else {
			const char *name = bw_stomp_name(items[i].number);
			bw_out_line(s->out, "  %s (0x%x)", name, items[i].number);
			json_array_append_new(registers, json_string(name));
		}
	}
	bw_out_json(s->out, "registers", registers);
	bw_out_json(s->out, "buffers", buffers);
}

/* ---- What there is to fill ---- */

static struct bw_error *add_registers(const struct search *s, struct items *out)
{
	struct bw_stomp_set set = {0};
	struct bw_error *err = bw_stomp_make(s->range, NULL, &set);
	for (size_t i = 0; !err && i < set.len; i++)
		err = bw_vec_push(out, ((struct item){.number = set.data[i].addr_dw}));
	bw_vec_free(&set);
	return err;
}

static bool has_buffer(const struct items *items, uint32_t number)
{
	bw_vec_each(items, i)
		if (i->is_buffer && i->number == number)
			return true;
	return false;
}

static bool is_in(const struct bw_stomp_ranges *r, uint32_t number)
{
	bw_vec_each(r, one)
		if (number >= one->first && number <= one->last)
			return true;
	return false;
}

/* The buffers of the event "stomped", which a run has printed on a line of its own. */
static struct bw_error *add_buffers(const struct search *s, const char *said, struct items *out)
{
	struct bw_stomp_ranges ranges = {0};
	struct bw_error *err = bw_stomp_ranges_make(s->memory_range, NULL, &ranges);
	const char *line = strstr(said, "{\"type\":\"event\",\"event\":\"stomped\"");
	json_t *event = line ? json_loadb(line, strcspn(line, "\n"), 0, NULL) : NULL, *b;
	size_t i;
	if (!err && !event)
		err = bw_errorf(BW_E_STATE,
				"the program's run does not say which buffers it makes");
	json_array_foreach(json_object_get(event, "buffers"), i, b)
	{
		struct item one = {
			.is_buffer = true,
			.number = (uint32_t)json_integer_value(json_object_get(b, "number")),
			.size_b = (uint64_t)json_integer_value(json_object_get(b, "bytes")),
			.is_vram = json_is_true(json_object_get(b, "vram"))};
		if (!err && is_in(&ranges, one.number) && !has_buffer(out, one.number) &&
		    out->len < BW_STOMP_RANGES_MAX)
			err = bw_vec_push(out, one);
	}
	json_decref(event);
	bw_vec_free(&ranges);
	return err;
}

static struct bw_error *search(struct search *s, int *out_status)
{
	struct items items = {0};
	struct shown good = {0};
	bool bad = false;
	struct bw_error *err = s->registers ? add_registers(s, &items) : NULL;
	if (!err)
		err = run_once(s, NULL, 0, &good);
	if (!err && good.timed_out)
		err = bw_errorf(BW_E_STATE, "the program does not end within %llu s as it is",
				(unsigned long long)s->timeout_s);
	if (!err && s->memory)
		err = add_buffers(s, bw_str_text(&good.errors), &items);
	const struct item *left = items.data;
	size_t n = items.len;
	bw_out_begin(s->out, "command", "bisect stomp");
	if (!err && n)
		err = is_bad(s, &good, left, n, &bad);
	if (!err && bad)
		err = halve(s, &good, &left, &n);
	if (err) {
		bw_out_drop(s->out);
	} else {
		show(s, left, bad ? n : 0);
		bw_out_end(s->out);
	}
	*out_status = bad ? 0 : 1;
	shown_fini(&good);
	bw_vec_free(&items);
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
		if (!strcmp(argv[i], "--stomp-registers"))
			s->registers = true;
		else if (!strcmp(argv[i], "--stomp-memory"))
			s->memory = true;
		else if (bw_starts_with(argv[i], "--stomp-registers=")) {
			s->registers = true;
			s->range = argv[i] + strlen("--stomp-registers=");
		} else if (bw_starts_with(argv[i], "--stomp-memory=")) {
			s->memory = true;
			s->memory_range = argv[i] + strlen("--stomp-memory=");
		} else if (!strcmp(argv[i], "--json"))
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
	s->registers |= !s->memory;
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
	bool is_capture = !err && !s.program[1] && bw_cli_is_capture(s.program[0]);
	if (is_capture && s.memory)
		err = bw_errorf(
			BW_E_INVALID,
			"--stomp-memory is for programs: the memory of a replay is that of its "
			"capture");
	if (!err && is_capture) {
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
