/* SPDX-License-Identifier: MIT */
/* breakwater bisect --stomp: the register, the new buffer or the memory of a wave whose stale value
 * a program reads. Each try runs the program with some of them filled (exec --stomp-registers,
 * --stomp-memory); it is bad where its status or its output is not that of a run without, or where
 * it does not end. */
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
#include "cli/bisect/stomp.h"
#include "cli/cli.h"
#include "cli/subcommands.h"
#include "inject/stomp.h"
#include "inject/stomp_memory.h"
#include "wire/vgpu_proto.h"

struct search {
	struct bw_bisect_stomp_options o;
	struct bw_out *out;
	char **program; /* of a capture its replay */
	unsigned n_tries;
};

/* The result of a run. */
struct shown {
	int status; /* of wait() */
	bool timed_out;
	struct bw_str text, errors;
};

/* The status of exec for a program that is not there. */
enum { NOT_STARTED = 127 };

/* The things that can be filled: a register, a new buffer, or something that waves start with. */
enum kind { REGISTER, BUFFER, WAVES };
struct item {
	enum kind kind;
	/* the register's address in dwords; the buffer's number in its process; a bit of enum
	 * bw_vgpu_stomp_what */
	uint32_t number;
	uint64_t size_b; /* of a buffer */
	bool is_vram;
};
struct items BW_VEC(struct item);

/* Whose waves: from the first submission (from 1), and in it from the first dispatch (from 0), to
 * the last. */
struct span {
	uint32_t submission, last_submission, dispatch, last_dispatch;
};
static const struct span everywhere = {1, UINT32_MAX, 0, UINT32_MAX};

static void shown_fini(struct shown *s)
{
	bw_str_free(&s->text);
	bw_str_free(&s->errors);
}

static void add_name(const struct item *i, struct bw_str *out)
{
	if (i->kind == BUFFER)
		bw_str_addf(out, "buffer %u", i->number);
	else
		bw_str_add(out, i->kind == WAVES ? bw_stomp_what_name(i->number)
						 : bw_stomp_name(i->number));
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

/* Items as the value of an option: registers, or (memory) all others. False: there are none. */
static bool list_items(const struct item *items, size_t n, bool memory, struct bw_str *out)
{
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if ((items[i].kind != REGISTER) != memory)
			continue;
		bw_str_add(out, any ? "," : "");
		if (items[i].kind == WAVES)
			bw_str_add(out, bw_stomp_what_name(items[i].number));
		else
			bw_str_addf(out, memory ? "%u" : "0x%x", items[i].number);
		any = true;
	}
	return any;
}

/* Like list_items, for the places of waves. */
static bool list_span(const struct span *at, struct bw_str *out)
{
	if (!memcmp(at, &everywhere, sizeof(*at)))
		return false;
	bw_str_addf(out, "--at=%u-%u", at->submission, at->last_submission);
	if (at->dispatch || at->last_dispatch != UINT32_MAX)
		bw_str_addf(out, ",%u-%u", at->dispatch, at->last_dispatch);
	return true;
}

/* Runs once with these items filled; for waves, only those at that place. If memory is filled at
 * all, each run reports which buffers there were; the last number stands for none. */
static struct bw_error *run_once(struct search *s, const struct item *items, size_t n_items,
				 const struct span *at_waves, struct shown *out)
{
	_cleanup_close_ int text = bw_memfd("output"), errors = bw_memfd("errors");
	_cleanup_(bw_str_free) struct bw_str registers = {0}, memory = {0}, where = {0};
	size_t n = 0, at = 0;
	while (s->program[n])
		n++;
	_cleanup_free_ char **words = calloc(n + 8, sizeof(*words));
	bw_str_add(&registers, "--stomp-registers=");
	bool has_registers = list_items(items, n_items, false, &registers);
	bw_str_add(&memory, "--stomp-memory=");
	if (!list_items(items, n_items, true, &memory))
		bw_str_addf(&memory, "%u", UINT32_MAX);
	bool has_span = list_span(at_waves, &where);
	if (!words || text < 0 || errors < 0 || registers.failed || memory.failed || where.failed)
		return bw_error_nomem();
	words[at++] = (char *)"breakwater";
	words[at++] = (char *)"exec";
	words[at++] = (char *)"--json";
	if (has_registers)
		words[at++] = registers.data;
	else if (s->o.registers)
		words[at++] = (char *)"--breadcrumbs";
	if (s->o.memory)
		words[at++] = memory.data;
	if (has_span)
		words[at++] = where.data;
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
	if (pid < 0)
		return bw_error_errno(e, "cannot start a run");
	setpgid(pid, pid);
	BW_TRY(wait_for(pid, s->o.timeout_s, out));
	read_all(text, &out->text);
	read_all(errors, &out->errors);
	return NULL;
}

static bool differs(const struct shown *now, const struct shown *good)
{
	return now->timed_out || now->status != good->status || now->text.len != good->text.len ||
	       (now->text.len && memcmp(now->text.data, good->text.data, now->text.len) != 0);
}

static struct bw_error *is_bad(struct search *s, const struct shown *good, const struct item *items,
			       size_t n, bool *out)
{
	struct shown now = {0};
	struct bw_str names = {0};
	struct bw_error *err = run_once(s, items, n, &everywhere, &now);
	*out = !err && differs(&now, good);
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

/* ---- Where waves read it ---- */

struct place {
	uint32_t submission; /* 0: not known */
	int64_t dispatch;    /* -1: not known */
};

struct located {
	struct search *s;
	const struct shown *good;
	const struct item *item;
	struct span at;
};

static struct bw_error *is_bad_at(const struct located *l, bool *out)
{
	const struct span *at = &l->at;
	struct shown now = {0};
	struct bw_str where = {0};
	struct bw_error *err = run_once(l->s, l->item, 1, at, &now);
	*out = !err && differs(&now, l->good);
	if (at->submission != at->last_submission)
		bw_str_addf(&where, "submissions %u to %u", at->submission, at->last_submission);
	else if (at->submission == UINT32_MAX)
		bw_str_add(&where, "no submission");
	else
		bw_str_addf(&where, "submission %u", at->submission);
	if (at->last_dispatch != UINT32_MAX)
		bw_str_addf(&where, ", dispatches %u to %u", at->dispatch, at->last_dispatch);
	if (!err)
		bw_out_line(l->s->out, "%s filled in %s: %s", bw_stomp_what_name(l->item->number),
			    bw_str_text(&where), *out ? "bad" : "good");
	bw_out_flush(l->s->out);
	bw_str_free(&where);
	shown_fini(&now);
	return err;
}

/* The smallest *last from low to high for which the run is bad with waves filled up to it: a member
 * of l->at. With high it is bad. */
static struct bw_error *first_bad(const struct located *l, uint32_t *last, uint32_t low,
				  uint32_t high)
{
	while (low < high) {
		bool bad;
		*last = low + (high - low) / 2;
		BW_TRY(is_bad_at(l, &bad));
		if (bad)
			high = *last;
		else
			low = *last + 1;
	}
	*last = low;
	return NULL;
}

/* Which dispatch of a submission, of which nobody has said how many it has. */
static struct bw_error *find_dispatch(struct located *l, struct place *out)
{
	enum { DISPATCHES_MAX = 1 << 20 };
	bool bad;
	l->at = (struct span){out->submission, out->submission, 0, UINT32_MAX};
	BW_TRY(is_bad_at(l, &bad));
	if (!bad)
		return NULL; /* it takes several submissions */
	l->at.last_dispatch = 0;
	for (uint32_t low = 0; low < DISPATCHES_MAX; l->at.last_dispatch = 2 * low) {
		BW_TRY(is_bad_at(l, &bad));
		if (!bad) {
			low = l->at.last_dispatch + 1;
			continue;
		}
		BW_TRY(first_bad(l, &l->at.last_dispatch, low, l->at.last_dispatch));
		out->dispatch = l->at.last_dispatch;
		return NULL;
	}
	return NULL;
}

/* The first submission, and its first dispatch. */
static struct bw_error *find_place(struct search *s, const struct shown *good,
				   const struct item *item, uint32_t n_submissions,
				   struct place *out)
{
	struct located l = {s, good, item, everywhere};
	bool bad = false;
	/* scratch memory is 0 then, and not what an earlier wave has left there */
	l.at.submission = UINT32_MAX;
	if (item->number == BW_VGPU_STOMP_SCRATCH)
		BW_TRY(is_bad_at(&l, &bad));
	if (bad)
		return NULL;
	l.at = everywhere;
	BW_TRY(first_bad(&l, &l.at.last_submission, 1, n_submissions));
	out->submission = l.at.last_submission;
	return find_dispatch(&l, out);
}

/* ---- The answer ---- */

static const char *const kind_names[] = {"register", "buffer", "memory of waves"};

static void show_waves(struct search *s, const struct item *i, const struct place *p)
{
	struct bw_str where = {0};
	if (p->submission)
		bw_str_addf(&where, ", first in submission %u", p->submission);
	if (p->dispatch >= 0)
		bw_str_addf(&where, ", in its dispatch %lld (the first is 0)",
			    (long long)p->dispatch);
	bw_out_line(s->out, "  %s%s", bw_stomp_what_name(i->number), bw_str_text(&where));
	bw_str_free(&where);
}

static void show(struct search *s, const struct item *items, size_t n, const struct place *place)
{
	json_t *registers = json_array(), *buffers = json_array(), *waves = json_array();
	enum kind kind = n ? items[0].kind : REGISTER;
	bw_out_bool(s->out, "found", n);
	bw_out_int(s->out, "tries", s->n_tries);
	if (!n)
		bw_out_line(s->out, "Nothing is read that the program has not set.");
	else if (n == 1)
		bw_out_line(s->out, "This %s is read without being set:", kind_names[kind]);
	else
		bw_out_line(s->out, "Of these %s%s several are, together, read without being set:",
			    items[n - 1].kind == kind ? kind_names[kind] : "thing",
			    items[n - 1].kind == WAVES && kind == WAVES ? "" : "s");
	for (size_t i = 0; i < n; i++) {
		if (items[i].kind == BUFFER) {
			bw_out_line(s->out, "  buffer %u (%llu bytes, %s)", items[i].number,
				    (unsigned long long)items[i].size_b,
				    items[i].is_vram ? "VRAM" : "GTT");
			json_array_append_new(buffers, json_integer(items[i].number));
		} else if (items[i].kind == WAVES) {
			show_waves(s, &items[i], place);
			json_array_append_new(waves,
					      json_string(bw_stomp_what_name(items[i].number)));
		} else {
			const char *name = bw_stomp_name(items[i].number);
			bw_out_line(s->out, "  %s (0x%x)", name, items[i].number);
			json_array_append_new(registers, json_string(name));
		}
	}
	bw_out_json(s->out, "registers", registers);
	bw_out_json(s->out, "buffers", buffers);
	bw_out_json(s->out, "waves", waves);
	if (place->submission)
		bw_out_int(s->out, "submission", place->submission);
	if (place->dispatch >= 0)
		bw_out_int(s->out, "dispatch", place->dispatch);
}

/* ---- What there is to fill ---- */

static struct bw_error *add_registers(const struct search *s, struct items *out)
{
	struct bw_stomp_set set = {0};
	struct bw_error *err = bw_stomp_make(s->o.range, NULL, &set);
	for (size_t i = 0; !err && i < set.len; i++)
		err = bw_vec_push(out, ((struct item){.number = set.data[i].addr_dw}));
	bw_vec_free(&set);
	return err;
}

static bool has_buffer(const struct items *items, uint32_t number)
{
	bw_vec_each(items, i)
		if (i->kind == BUFFER && i->number == number)
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

static struct bw_error *add_buffers(const json_t *list, const struct bw_stomp_choice *c,
				    struct items *out)
{
	json_t *b;
	size_t i;
	json_array_foreach((json_t *)list, i, b)
	{
		struct item one = {
			.kind = BUFFER,
			.number = (uint32_t)json_integer_value(json_object_get(b, "number")),
			.size_b = (uint64_t)json_integer_value(json_object_get(b, "bytes")),
			.is_vram = json_is_true(json_object_get(b, "vram"))};
		if (is_in(&c->buffers, one.number) && !has_buffer(out, one.number) &&
		    out->len < BW_STOMP_RANGES_MAX)
			BW_TRY(bw_vec_push(out, one));
	}
	return NULL;
}

/* Buffers and waves, by the event "stomped", which a run has printed on a line of its own. */
static struct bw_error *add_memory(const struct search *s, const char *said, struct items *out,
				   uint32_t *out_submissions)
{
	struct bw_stomp_choice c = {0};
	struct bw_error *err = bw_stomp_choose(s->o.memory_range, NULL, &c);
	const char *line = strstr(said, "{\"type\":\"event\",\"event\":\"stomped\"");
	json_t *event = line ? json_loadb(line, strcspn(line, "\n"), 0, NULL) : NULL;
	if (!err && !event)
		err = bw_errorf(BW_E_STATE,
				"the program's run does not say which buffers it makes");
	/* what is named is asked for in any case: exec says where it cannot be */
	bool fills = c.names_waves || json_is_true(json_object_get(event, "fills_waves"));
	/* waves first: scratch memory lies in a buffer, too */
	uint32_t what = c.waves.what & ~(s->o.capture ? (uint32_t)BW_VGPU_STOMP_SCRATCH : 0u);
	for (uint32_t bit = 1; !err && fills && bit < BW_VGPU_STOMP_ALL; bit <<= 1)
		if (what & bit)
			err = bw_vec_push(out, ((struct item){.kind = WAVES, .number = bit}));
	if (!err && !s->o.capture)
		err = add_buffers(json_object_get(event, "buffers"), &c, out);
	if (!err)
		*out_submissions =
			(uint32_t)json_integer_value(json_object_get(event, "submissions"));
	json_decref(event);
	bw_stomp_choice_fini(&c);
	return err;
}

/* The run to compare with has to be one: exec and the replay say on standard error why not. */
static struct bw_error *check_good(const struct search *s, const struct shown *good)
{
	static const char begin[] = "breakwater: ";
	if (good->timed_out)
		return bw_errorf(BW_E_STATE, "the program does not end within %llu s as it is",
				 (unsigned long long)s->o.timeout_s);
	if (!WIFEXITED(good->status) ||
	    WEXITSTATUS(good->status) != (s->o.capture ? BW_EXIT_USAGE : NOT_STARTED))
		return NULL;
	const char *said = strstr(bw_str_text(&good->errors), begin);
	said = said ? said + strlen(begin) : "there is no run to compare with";
	size_t len = strcspn(said, "\n");
	return bw_errorf(BW_E_INVALID, "%.*s", (int)(len && said[len - 1] == '.' ? len - 1 : len),
			 said);
}

static struct bw_error *search(struct search *s, int *out_status)
{
	struct items items = {0};
	struct shown good = {0};
	struct place place = {.dispatch = -1};
	uint32_t n_submissions = 0;
	bool bad = false;
	struct bw_error *err = s->o.registers ? add_registers(s, &items) : NULL;
	if (!err)
		err = run_once(s, NULL, 0, &everywhere, &good);
	if (!err)
		err = check_good(s, &good);
	if (!err && s->o.memory)
		err = add_memory(s, bw_str_text(&good.errors), &items, &n_submissions);
	const struct item *left = items.data;
	size_t n = items.len;
	bw_out_begin(s->out, "command", "bisect stomp");
	if (!err && n)
		err = is_bad(s, &good, left, n, &bad);
	if (!err && bad)
		err = halve(s, &good, &left, &n);
	if (!err && bad && n == 1 && left->kind == WAVES && n_submissions)
		err = find_place(s, &good, left, n_submissions, &place);
	if (err) {
		bw_out_drop(s->out);
	} else {
		show(s, left, bad ? n : 0, &place);
		bw_out_end(s->out);
	}
	*out_status = bad ? 0 : 1;
	shown_fini(&good);
	bw_vec_free(&items);
	return err;
}

int bw_main_bisect_stomp(int argc, char **argv)
{
	struct search s = {0};
	int status = BW_EXIT_USAGE;
	_cleanup_free_ char *replay = NULL;
	struct bw_error *err = bw_bisect_stomp_parse(argc, argv, &s.o);
	if (!err && s.o.help) {
		bw_command_line_print_help(&bw_line_bisect_stomp);
		return 0;
	}
	char *words[] = {NULL, (char *)"--check", (char *)(uintptr_t)s.o.capture, NULL};
	s.program = s.o.program;
	if (!err && s.o.capture) {
		err = bw_kmd_find_part("breakwater-replay", &replay);
		words[0] = replay;
		s.program = words;
	}
	if (!err)
		err = bw_out_create(stdout, s.o.json, &s.out);
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
