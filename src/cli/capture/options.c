/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "cli/capture/capture.h"
#include "cli/capture/orders.h"

enum { DEFAULT_WAIT_S = 10, WAIT_MAX_S = 24 * 3600, LAST_MAX_S = 24 * 3600 };
#define DEFAULT_RING_B (1ull << 30)

static const char usage[] =
	"Usage: breakwater capture [OPTIONS] -o FILE -- PROGRAM ARGUMENTS...\n"
	"       breakwater capture [OPTIONS] -o FILE --pid PID\n"
	"       breakwater capture --trigger N|all|off|frame [FILE]\n"
	"       breakwater capture --write [FILE]\n"
	"       breakwater capture info FILE [--json]\n"
	"       breakwater capture list FILE [--json]\n"
	"       breakwater capture show FILE NUMBER [--json]\n"
	"\n"
	"Runs PROGRAM and writes what it submits to the GPU to FILE (*.bwc): every submission of every process and\n"
	"ring, with all buffers that are mapped in its address space before and after it. \"breakwater replay FILE\"\n"
	"runs them again. The exit status is that of PROGRAM. info says what a capture holds, list shows its\n"
	"submissions, show one of them with its command buffers, dispatches and memory.\n";

static struct bw_error *take_on(void *options, const char *option, const char *text)
{
	struct bw_capture_options *o = options;
	/* the bits of BW_COLLECT_* in their order */
	static const char *const names[] = {"hang", "fault", "crash"};
	unsigned on = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n = strcspn(at, ","), i = 0;
		while (i < BW_ARRAY_SIZE(names) &&
		       (strlen(names[i]) != n || strncmp(at, names[i], n) != 0))
			i++;
		if (i == BW_ARRAY_SIZE(names))
			return bw_errorf(BW_E_INVALID,
					 "--on wants hang, fault or crash, or several with commas "
					 "between, not \"%s\"",
					 text);
		on |= 1u << i;
	}
	o->on = on;
	return NULL;
}

/* A number, and a letter after it or none ('\0'). */
static bool split_number(const char *text, const char *letters, uint64_t *out, char *out_letter)
{
	char number[24];
	size_t n = strlen(text);
	if (!n || n >= sizeof(number))
		return false;
	memcpy(number, text, n + 1);
	*out_letter = strchr(letters, number[n - 1]) ? number[n - 1] : '\0';
	if (*out_letter)
		number[n - 1] = '\0';
	return bw_parse_u64(number, out);
}

static struct bw_error *take_last(void *options, const char *option, const char *text)
{
	struct bw_capture_options *o = options;
	uint64_t n;
	char letter;
	if (!split_number(text, "s", &n, &letter) || !n ||
	    n > (letter ? (uint64_t)LAST_MAX_S : UINT32_MAX))
		return bw_errorf(BW_E_INVALID,
				 "--last wants a number of submissions, or seconds as in \"5s\", "
				 "not \"%s\"",
				 text);
	o->has_ring = true;
	if (letter)
		o->limits.time_ns = n * 1000000000;
	else
		o->limits.submissions = n;
	return NULL;
}

static struct bw_error *take_ring_size(void *options, const char *option, const char *text)
{
	struct bw_capture_options *o = options;
	static const char letters[] = "KMG";
	uint64_t n;
	char letter;
	unsigned shift = 0;
	if (split_number(text, letters, &n, &letter) && n) {
		shift = letter ? 10 * (unsigned)(strchr(letters, letter) - letters + 1) : 0;
		if (n <= UINT64_MAX >> shift) {
			o->limits.size_b = n << shift;
			return NULL;
		}
	}
	return bw_errorf(BW_E_INVALID, "--ring-size wants a size such as 512M, not \"%s\"", text);
}

#define OPTIONS struct bw_capture_options

static const struct bw_option rows[] = {
	{"-o, --output", "FILE",
	 "the capture; it is usable while it grows, and when it was cut off",
	 BW_TEXT(OPTIONS, output)},
	{"--pid", "PID",
	 "a process that runs already, started by \"breakwater exec\": from its next submission until it "
	 "ends, or Ctrl-C",
	 BW_U64(OPTIONS, pid, 1, INT32_MAX), .wants = "the number of a process"},
	BW_ROW_GPU(OPTIONS, gpu),
	{"--wait", "SECONDS",
	 "how long each submission is waited for (default 10): of one that runs longer, the capture does "
	 "not hold what it has changed",
	 BW_U64(OPTIONS, wait_s, 1, WAIT_MAX_S), .wants = "seconds, from 1 to 86400"},
	{"--on", "WHAT",
	 "keep FILE only where that has happened, of hang, fault and crash, with commas between",
	 BW_CALL(take_on)},
	{"--last", "N|SECONDSs",
	 "keep only the last N submissions, or those of the last seconds (--last 5s), in memory; they are "
	 "written when what --on names happens, and otherwise at the end",
	 BW_CALL(take_last), BW_HAS(OPTIONS, has_ring)},
	{"--ring-size", "SIZE",
	 "with --last: memory that they may take (64K, 512M, 2G; default 1G)",
	 BW_CALL(take_ring_size)},
	{"--every-result", NULL,
	 "with --last: hold what each submission has changed, which is slower, and exactly N of them; "
	 "otherwise memory is looked at after some, and the file begins after one of those",
	 BW_FLAG(OPTIONS, sees_all)},
	{"--wait-trigger", NULL,
	 "capture nothing until \"breakwater capture --trigger N\" in another terminal asks for the next N "
	 "submissions (all: from now on; off; frame: the next one)",
	 BW_FLAG(OPTIONS, trigger.waits)},
	{"--from-label", "NAME",
	 "begin with the submission in which a dispatch has that label or pipeline (patterns: *)",
	 BW_TEXT(OPTIONS, trigger.from_label)},
	{"--to-label", "NAME", "end with the submission that has that one",
	 BW_TEXT(OPTIONS, trigger.to_label)},
	{"--frame", "N",
	 "only what is submitted for frame N, from present N-1 of the program to present N",
	 BW_U32(OPTIONS, trigger.frame, 1, UINT32_MAX)},
	{"-O0", NULL,
	 "shaders of Vulkan note their lines and local variables, for \"breakwater run FILE\"",
	 BW_FLAG(OPTIONS, shaders.notes)},
	{0},
};
static const struct bw_option last_rows[] = {
	{"--deterministic", NULL, BW_DETERMINISTIC_HELP, BW_FLAG(OPTIONS, vgpu.deterministic)},
	{"--json", NULL, "at the end, on standard error, what was captured",
	 BW_FLAG(OPTIONS, json)},
	BW_ROW_HELP(OPTIONS, help),
	{0},
};

const struct bw_command_line bw_line_capture = {
	.name = "breakwater capture",
	.usage = usage,
	.groups = {{"Options:", rows},
		   {NULL, bw_swap_rows, offsetof(OPTIONS, swaps)},
		   {NULL, last_rows}},
	.after =
		"Submissions of a captured program run one after the other, which takes time: doc/capture.md.\n",
	.next = &bw_line_capture_order,
};

/* Options that only make sense with others. */
static struct bw_error *check(const struct bw_capture_options *o, bool has_program)
{
	if (!o->output)
		return bw_errorf(BW_E_INVALID, "\"breakwater capture\" needs a file: breakwater "
					       "capture -o FILE -- PROGRAM");
	if (o->pid && has_program)
		return bw_errorf(
			BW_E_INVALID,
			"--pid captures a process that runs already: it cannot be given together with a program");
	if (o->pid && (o->swaps.words.len || o->swaps.save))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "--shader and --save-shaders are for a program that is started: "
				 "one that runs has made its shaders already");
	if (o->pid && o->shaders.notes)
		return bw_errorf(BW_E_UNSUPPORTED, "-O0 is for a program that is started: one that "
						   "runs has made its shaders already");
	if (o->pid && o->on & BW_COLLECT_CRASH)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"only the process that started a program is told how it ended: \"--on crash\" needs a program");
	if (!has_program && !o->pid)
		return bw_errorf(BW_E_INVALID, "\"breakwater capture\" needs a program: breakwater "
					       "capture -o FILE -- PROGRAM");
	if (o->limits.size_b && !o->has_ring)
		return bw_errorf(BW_E_INVALID,
				 "--ring-size needs --last: it is the size of what --last keeps");
	if (o->sees_all && !o->has_ring)
		return bw_errorf(BW_E_INVALID, "--every-result needs --last: without that, each "
					       "submission has its result");
	const struct bw_capture_trigger *t = &o->trigger;
	if (t->waits + (t->from_label || t->to_label) + !!t->frame > 1)
		return bw_errorf(BW_E_INVALID, "--wait-trigger, --frame and labels each say which "
					       "submissions are captured: choose one");
	return NULL;
}

struct bw_error *bw_capture_options_parse(int argc, char **argv, struct bw_capture_options *o)
{
	int rest;
	*o = (struct bw_capture_options){.wait_s = DEFAULT_WAIT_S};
	BW_TRY(bw_command_line_parse(&bw_line_capture, o, argc, argv, &rest));
	o->program = &argv[rest];
	if (o->help)
		return NULL;
	BW_TRY(check(o, rest < argc));
	if (!o->limits.size_b)
		o->limits.size_b = DEFAULT_RING_B;
	return NULL;
}
