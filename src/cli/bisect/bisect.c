/* SPDX-License-Identifier: MIT */
/* breakwater bisect: the first submission of a capture with which its replay is bad, and in it the
 * first dispatch or packet. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bisect/show.h"
#include "cli/bisect/stomp.h"
#include "cli/look/look.h"
#include "cli/subcommands.h"
#include "session/prepare.h"

struct command {
	struct bw_look look;
	struct bw_bisect bisect;
	struct bw_bisect_shown shown;
	const char *smallest; /* file for the smallest capture; NULL: none is wanted */
};

static const char usage[] =
	"Usage: breakwater bisect [OPTIONS] FILE\n"
	"       breakwater bisect --stomp [OPTIONS] -- PROGRAM | FILE   (--stomp --help)\n"
	"\n"
	"Finds the first submission of a capture with which its replay is bad, and in it the first dispatch, or where no\n"
	"dispatch does it the first packet. Without an option bad is what fails or hangs. Exit status: 0 when it was\n"
	"found, 1 where nothing is bad.\n";

static struct bw_error *take_override(void *command, const char *option, const char *value)
{
	struct bw_bisect *b = &((struct command *)command)->bisect;
	char *end;
	unsigned long long n = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || !n || n > UINT32_MAX || (*end != '=' && *end != '.'))
		return bw_errorf(BW_E_INVALID, "--override wants N=FILE, not \"%s\"", value);
	return bw_vec_push(&b->overrides, ((struct bw_bisect_override){value, (uint32_t)n}));
}

static struct bw_error *take_shader(void *command, const char *option, const char *value)
{
	return bw_vec_push(&((struct command *)command)->bisect.shaders, value);
}

static struct bw_error *take_timeout(void *command, const char *option, const char *value)
{
	uint64_t n;
	((struct command *)command)->bisect.timeout = value;
	return bw_look_number(option, value, &n);
}

static struct bw_error *take_command(void *command, const char *option, const char *value)
{
	return bw_bisect_set_command(&((struct command *)command)->bisect, value);
}

static struct bw_error *take_buffer(void *command, const char *option, const char *value)
{
	return bw_bisect_add_buffer(&((struct command *)command)->bisect, value);
}

static const struct bw_option bad_rows[] = {
	{"--hang", NULL, "a submission that does not end", BW_FLAG(struct command, bisect.hang)},
	{"--fault", NULL, "a submission that ends with a page fault",
	 BW_FLAG(struct command, bisect.fault)},
	{"--differs", NULL, "memory that is not as captured, and whatever fails or hangs",
	 BW_FLAG(struct command, bisect.differs)},
	{"--bad", "COMMAND",
	 "what this command for sh says of each try: 0 good, 1 to 127 bad, 125 skip; others stop",
	 BW_CALL(take_command)},
	{"--buffer", "BUFFER",
	 "with --bad: the command gets its memory, too (by its number or an address in it)",
	 BW_CALL(take_buffer)},
	{0},
};
static const struct bw_option rows[] = {
	{"--override", "N[.IB]=FILE",
	 "submission N as FILE has it, as in replay: what is still bad then?",
	 BW_CALL(take_override)},
	{"--shader", "WHICH=FILE", "a shader as FILE has it, likewise", BW_CALL(take_shader)},
	{"--stomp", NULL,
	 "what is read unset instead: with registers or new buffers filled (--stomp --help)",
	 BW_SHOWN},
	{"--smallest", "FILE",
	 "then write the smallest capture that still shows it: only the submissions, dispatches, buffers "
	 "and pages that it takes",
	 BW_TEXT(struct command, smallest)},
	{"--tries", "COUNT", "at most so many replays for it (default 200)",
	 BW_U32(struct command, bisect.smallest_tries, 0, INT32_MAX)},
	BW_LOOK_GPU,
	{"--timeout", "SECONDS",
	 "how long a submission may run before it counts as hanging (default 10)",
	 BW_CALL(take_timeout)},
	BW_LOOK_END,
};

const struct bw_command_line bw_line_bisect = {
	.name = "breakwater bisect",
	.usage = usage,
	.groups = {{"What is bad:", bad_rows}, {"Options:", rows}},
	.after =
		"In COMMAND {buffer:4} is a file with the memory of buffer 4 as the try has left it, and {submission},\n"
		"{dispatches}, {packets} and {status} say what was run and with which exit status of the replay. The same is in\n"
		"the environment: BREAKWATER_BUFFER_4, BREAKWATER_SUBMISSION and so on.\n"
		"\n"
		"    breakwater bisect bug.bwc --bad 'cmp {buffer:4} good.bin'\n",
	.word = bw_look_take_word,
	.next = &bw_line_bisect_stomp,
};

/* ---- All of it ---- */

static struct bw_error *search(struct command *c, struct bw_capture_reader *r)
{
	struct bw_bisect *b = &c->bisect;
	struct bw_bisect_found f;
	struct bw_capture_submission s = {0};
	struct bw_bisect_smallest smallest;
	struct bw_error *err = bw_bisect_search(b, r, &f, &s);
	bw_bisect_clear(&c->shown);
	if (!err)
		err = bw_bisect_show(c->look.out, b, r, &f, &s);
	if (!err && f.number && c->smallest) {
		err = bw_bisect_smallest(b, r, &f, &s, c->smallest, &smallest);
		bw_bisect_clear(&c->shown);
		if (!err)
			bw_bisect_show_smallest(c->look.out, c->smallest, &smallest);
	}
	bw_out_int(c->look.out, "tries", b->n_tries);
	c->look.status = err || f.number ? 0 : 1;
	bw_capture_submission_fini(&s);
	return err;
}

static struct bw_error *check(const struct command *c)
{
	const struct bw_bisect *b = &c->bisect;
	struct stat file, other;
	if (c->look.n_words != 1)
		return bw_errorf(BW_E_INVALID, "bisect wants one capture (see --help)");
	if (b->buffers.len && !b->command)
		return bw_errorf(BW_E_INVALID, "--buffer is for the command of --bad");
	if (b->command && b->differs)
		return bw_errorf(BW_E_INVALID, "--bad and --differs: one of them");
	if (c->smallest && (b->overrides.len || b->shaders.len))
		return bw_errorf(BW_E_INVALID, "--smallest is for the capture as it is, without "
					       "--override and --shader");
	if (c->smallest && !stat(c->look.words[0], &file) && !stat(c->smallest, &other) &&
	    file.st_dev == other.st_dev && file.st_ino == other.st_ino)
		return bw_errorf(BW_E_INVALID, "--smallest %s is the capture itself", c->smallest);
	return NULL;
}

static struct bw_error *run_bisect(struct bw_look *l)
{
	struct command *c = l->cookie;
	struct bw_bisect *b = &c->bisect;
	struct bw_capture_reader *r;
	size_t n;
	BW_TRY(check(c));
	b->file = l->words[0];
	b->gpu = bw_capture_gpu(b->file, l->gpu);
	BW_TRY(bw_capture_reader_open(b->file, &r));
	bw_capture_reader_entries(r, &n);
	struct bw_error *err = n ? bw_folder_make(BW_FOLDER_RUN, &b->folder)
				 : bw_errorf(BW_E_INVALID, "%s holds no submission", b->file);
	b->listener = bw_bisect_show_on(&c->shown, l->out);
	bw_out_begin(l->out, "command", "bisect");
	if (!err)
		err = search(c, r);
	if (err)
		bw_out_drop(l->out);
	else
		bw_out_end(l->out);
	bw_folder_remove(&b->folder);
	bw_capture_reader_close(r);
	return err;
}

int bw_main_bisect(int argc, char **argv)
{
	struct command c = {.bisect = {.breakwater = "/proc/self/exe",
				       .timeout = "10",
				       .smallest_tries = 200,
				       .folder = BW_FOLDER_INIT}};
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--stomp"))
			return bw_main_bisect_stomp(argc, argv);
	c.look.cookie = &c;
	int status = bw_look_main(&c.look, &bw_line_bisect, argc, argv, run_bisect);
	bw_bisect_fini(&c.bisect);
	return status;
}
