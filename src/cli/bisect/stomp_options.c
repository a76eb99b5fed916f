/* SPDX-License-Identifier: MIT */
#include "cli/bisect/stomp.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "cli/subcommands.h"
#include "session/prepare.h"
#include "inject/stomp_memory.h"
#include "wire/vgpu_proto.h"

static const char usage[] =
	"Usage: breakwater bisect --stomp [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater bisect --stomp [OPTIONS] FILE.bwc\n"
	"\n"
	"Finds what PROGRAM reads without having set it: it runs with registers filled that a driver must set\n"
	"(breakwater exec --stomp-registers), or with new buffers and with LDS, scratch, VGPRs and SGPRs of new waves\n"
	"filled (--stomp-memory), with fewer and fewer of them, and is bad where its exit status or output changes, or\n"
	"where it does not end. Of waves the first dispatch is found that reads them. Of a capture the program is its\n"
	"replay, with --check, whose buffers and scratch are not filled. Exit status: 0 when something was found, 1 where nothing\n"
	"is bad.\n";

static const struct bw_option rows[] = {
	{"--stomp", NULL, "what this is", BW_FLAG(struct bw_bisect_stomp_options, stomp)},
	{"--stomp-registers", "[=RANGE]",
	 "these registers, as in exec (default: all, and no memory)",
	 BW_TEXT(struct bw_bisect_stomp_options, range),
	 BW_HAS(struct bw_bisect_stomp_options, registers)},
	{"--stomp-memory", "[=RANGE]",
	 "these new buffers, and lds, scratch, vgprs, sgprs, as in exec; registers, too, where "
	 "--stomp-registers is there",
	 BW_TEXT(struct bw_bisect_stomp_options, memory_range),
	 BW_HAS(struct bw_bisect_stomp_options, memory)},
	{"--timeout", "SECONDS", "how long a run may take (default 60)",
	 BW_U64(struct bw_bisect_stomp_options, timeout_s, 1, 86400), .wants = "seconds"},
	BW_ROW_JSON(struct bw_bisect_stomp_options, json),
	BW_ROW_HELP(struct bw_bisect_stomp_options, help),
	{0},
};

static struct bw_error *take_word(void *options, const char *word)
{
	struct bw_bisect_stomp_options *o = options;
	if (o->capture || !bw_is_capture(word))
		return bw_errorf(BW_E_INVALID,
				 "\"bisect --stomp\" wants one capture (*.bwc), or a "
				 "program after --, not %s",
				 word);
	o->capture = word;
	return NULL;
}

const struct bw_command_line bw_line_bisect_stomp = {
	.name = "breakwater bisect --stomp",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = take_word,
};

static struct bw_error *check_memory(const struct bw_bisect_stomp_options *o)
{
	struct bw_stomp_choice c = {0};
	struct bw_error *err = o->memory ? bw_stomp_choose(o->memory_range, NULL, &c) : NULL;
	if (!err && o->capture && o->memory_range &&
	    (c.buffers.len || c.waves.what & BW_VGPU_STOMP_SCRATCH))
		err = bw_errorf(
			BW_E_INVALID,
			"--stomp-memory fills lds, vgprs and sgprs in a replay; the memory of "
			"buffers, in which scratch is, must be that of the capture for --check");
	bw_stomp_choice_fini(&c);
	return err;
}

struct bw_error *bw_bisect_stomp_parse(int argc, char **argv, struct bw_bisect_stomp_options *o)
{
	int rest;
	*o = (struct bw_bisect_stomp_options){.timeout_s = 60};
	BW_TRY(bw_command_line_parse(&bw_line_bisect_stomp, o, argc, argv, &rest));
	o->registers |= !o->memory;
	o->program = argv + rest;
	if (o->help)
		return NULL;
	if (!o->capture == !*o->program)
		return bw_errorf(BW_E_INVALID,
				 "\"bisect --stomp\" wants a capture, or a program after -- (see "
				 "--help)");
	return check_memory(o);
}
