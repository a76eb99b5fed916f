/* SPDX-License-Identifier: MIT */
#include "cli/bisect_stomp.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "cli/subcommands.h"
#include "session/prepare.h"
#include "inject/stomp_memory.h"
#include "wire/vgpu_proto.h"

const char bw_bisect_stomp_usage[] =
	"Usage: breakwater bisect --stomp [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater bisect --stomp [OPTIONS] FILE.bwc\n"
	"\n"
	"Finds what PROGRAM reads without having set it: it runs with registers filled that a driver must set\n"
	"(breakwater exec --stomp-registers), or with new buffers and with LDS, scratch, VGPRs and SGPRs of new waves\n"
	"filled (--stomp-memory), with fewer and fewer of them, and is bad where its exit status or output changes, or\n"
	"where it does not end. Of waves the first dispatch is found that reads them. Of a capture the program is its\n"
	"replay, with --check, whose buffers and scratch are not filled. Exit status: 0 when something was found, 1 where nothing\n"
	"is bad.\n"
	"\n"
	"Options:\n"
	"  --stomp-registers[=RANGE]  these registers, as in exec (default: all, and no memory)\n"
	"  --stomp-memory[=RANGE]   these new buffers, and lds, scratch, vgprs, sgprs, as in exec; registers, too, where\n"
	"                           --stomp-registers is there\n"
	"  --timeout SECONDS        how long a run may take (default 60)\n"
	"  --json                   for programs\n"
	"  -h, --help\n";

/* The option at argv[*i]; one with a value moves *i to it. */
static struct bw_error *take_option(int argc, char **argv, int *i,
				    struct bw_bisect_stomp_options *o)
{
	const char *word = argv[*i];
	if (!strcmp(word, "--stomp-registers"))
		o->registers = true;
	else if (!strcmp(word, "--stomp-memory"))
		o->memory = true;
	else if (bw_starts_with(word, "--stomp-registers=")) {
		o->registers = true;
		o->range = word + strlen("--stomp-registers=");
	} else if (bw_starts_with(word, "--stomp-memory=")) {
		o->memory = true;
		o->memory_range = word + strlen("--stomp-memory=");
	} else if (!strcmp(word, "--json"))
		o->json = true;
	else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		o->help = true;
	else if (!strcmp(word, "--timeout") && *i + 1 < argc) {
		word = argv[++*i];
		if (!bw_parse_u64(word, &o->timeout_s) || !o->timeout_s || o->timeout_s > 86400)
			return bw_errorf(BW_E_INVALID, "--timeout wants seconds, not \"%s\"", word);
	} else if (strcmp(word, "--stomp") != 0)
		return bw_errorf(BW_E_INVALID,
				 "\"breakwater bisect --stomp\" has no option %s (see --help)",
				 word);
	return NULL;
}

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
	int i = 1;
	*o = (struct bw_bisect_stomp_options){.timeout_s = 60};
	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (argv[i][0] == '-')
			BW_TRY(take_option(argc, argv, &i, o));
		else if (!o->capture && bw_is_capture(argv[i]))
			o->capture = argv[i];
		else
			return bw_errorf(BW_E_INVALID,
					 "\"bisect --stomp\" wants one capture (*.bwc), or a "
					 "program after --, not %s",
					 argv[i]);
	}
	o->registers |= !o->memory;
	o->program = argv + i + (i < argc);
	if (o->help)
		return NULL;
	if (!o->capture == !*o->program)
		return bw_errorf(BW_E_INVALID,
				 "\"bisect --stomp\" wants a capture, or a program after -- (see "
				 "--help)");
	return check_memory(o);
}
