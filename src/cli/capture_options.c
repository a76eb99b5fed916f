/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "cli/capture.h"

enum { DEFAULT_WAIT_S = 10, WAIT_MAX_S = 24 * 3600, LAST_MAX_S = 24 * 3600 };
#define DEFAULT_RING_B (1ull << 30)

const char bw_capture_usage[] =
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
	"submissions, show one of them with its command buffers, dispatches and memory.\n"
	"\n"
	"Options:\n"
	"  -o, --output FILE   the capture; it is usable while it grows, and when it was cut off\n"
	"  --pid PID           a process that runs already, started by \"breakwater exec\": from its next submission\n"
	"                      until it ends, or Ctrl-C\n"
	"  --gpu GPU           virtual[:navi31], an index, or a PCI address\n"
	"  --wait SECONDS      how long each submission is waited for (default 10): of one that runs longer, the\n"
	"                      capture does not hold what it has changed\n"
	"  --on WHAT           keep FILE only where that has happened, of hang, fault and crash, with commas between\n"
	"  --last N|SECONDSs   keep only the last N submissions, or those of the last seconds (--last 5s), in memory;\n"
	"                      they are written when what --on names happens, and otherwise at the end\n"
	"  --ring-size SIZE    with --last: memory that they may take (64K, 512M, 2G; default 1G)\n"
	"  --every-result      with --last: hold what each submission has changed, which is slower, and exactly N of\n"
	"                      them; otherwise memory is looked at after some, and the file begins after one of those\n"
	"  --wait-trigger      capture nothing until \"breakwater capture --trigger N\" in another terminal asks for the\n"
	"                      next N submissions (all: from now on; off; frame: the next one)\n"
	"  --from-label NAME   begin with the submission in which a dispatch has that label or pipeline (patterns: *)\n"
	"  --to-label NAME     end with the submission that has that one\n"
	"  --frame N           only what is submitted for frame N, from present N-1 of the program to present N\n"
	"  --shader WHICH=FILE, --save-shaders FOLDER  as in \"breakwater exec\": the capture has what was replaced\n"
	"  --deterministic     the virtual GPU runs on one thread, in a fixed order\n"
	"  --json              at the end, on standard error, what was captured\n"
	"  -h, --help\n"
	"\n"
	"Submissions of a captured program run one after the other, which takes time: doc/capture.md.\n";

static struct bw_error *take_output(struct bw_capture_options *o, const char *text)
{
	o->output = text;
	return NULL;
}

static struct bw_error *take_gpu(struct bw_capture_options *o, const char *text)
{
	o->gpu = text;
	return NULL;
}

static struct bw_error *take_wait(struct bw_capture_options *o, const char *text)
{
	if (!bw_parse_u64(text, &o->wait_s) || !o->wait_s || o->wait_s > WAIT_MAX_S)
		return bw_errorf(BW_E_INVALID, "--wait wants seconds, from 1 to %u, not \"%s\"",
				 WAIT_MAX_S, text);
	return NULL;
}

static struct bw_error *take_on(struct bw_capture_options *o, const char *text)
{
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

static struct bw_error *take_last(struct bw_capture_options *o, const char *text)
{
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

static struct bw_error *take_ring_size(struct bw_capture_options *o, const char *text)
{
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

static struct bw_error *take_from_label(struct bw_capture_options *o, const char *text)
{
	o->trigger.from_label = text;
	return NULL;
}

static struct bw_error *take_to_label(struct bw_capture_options *o, const char *text)
{
	o->trigger.to_label = text;
	return NULL;
}

static struct bw_error *take_pid(struct bw_capture_options *o, const char *text)
{
	if (!bw_parse_u64(text, &o->pid) || !o->pid || o->pid > INT32_MAX)
		return bw_errorf(BW_E_INVALID, "--pid wants the number of a process, not \"%s\"",
				 text);
	return NULL;
}

static struct bw_error *take_frame(struct bw_capture_options *o, const char *text)
{
	uint64_t n;
	if (!bw_parse_u64(text, &n) || !n || n > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "--frame wants a number from 1 on, not \"%s\"",
				 text);
	o->trigger.frame = (uint32_t)n;
	return NULL;
}

static const struct {
	const char *name;
	struct bw_error *(*take)(struct bw_capture_options *o, const char *text);
} with_value[] = {{"-o", take_output},
		  {"--output", take_output},
		  {"--gpu", take_gpu},
		  {"--wait", take_wait},
		  {"--on", take_on},
		  {"--last", take_last},
		  {"--ring-size", take_ring_size},
		  {"--from-label", take_from_label},
		  {"--to-label", take_to_label},
		  {"--frame", take_frame},
		  {"--pid", take_pid}};

/* out_taken: whether it is one of these, as "--option VALUE" or "--option=VALUE". */
static struct bw_error *take_with_value(struct bw_capture_options *o, int argc, char **argv, int *i,
					bool *out_taken)
{
	const char *word = argv[*i];
	for (size_t k = 0; k < BW_ARRAY_SIZE(with_value); k++) {
		size_t n = strlen(with_value[k].name);
		if (strncmp(word, with_value[k].name, n) != 0 || (word[n] && word[n] != '='))
			continue;
		*out_taken = true;
		if (word[n])
			return with_value[k].take(o, word + n + 1);
		if (*i + 1 == argc)
			return bw_errorf(BW_E_INVALID, "%s needs a value", word);
		return with_value[k].take(o, argv[++*i]);
	}
	return NULL;
}

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
	int i = 1;
	*o = (struct bw_capture_options){.wait_s = DEFAULT_WAIT_S};
	for (; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i];
		bool taken = false;
		int used;
		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		BW_TRY(take_with_value(o, argc, argv, &i, &taken));
		if (taken)
			continue;
		BW_TRY(bw_swap_option_take(argv + i, &o->swaps, &used));
		if (used) {
			i += used - 1;
			continue;
		}
		if (!strcmp(word, "--wait-trigger"))
			o->trigger.waits = true;
		else if (!strcmp(word, "--every-result"))
			o->sees_all = true;
		else if (!strcmp(word, "--json"))
			o->json = true;
		else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			o->help = true;
		else if (strcmp(word, "--deterministic") || !bw_vgpu_option_take(word, &o->vgpu))
			return bw_errorf(BW_E_INVALID,
					 "\"breakwater capture\" has no option %s (see --help)",
					 word);
	}
	o->program = &argv[i];
	if (o->help)
		return NULL;
	BW_TRY(check(o, i < argc));
	if (!o->limits.size_b)
		o->limits.size_b = DEFAULT_RING_B;
	return NULL;
}
