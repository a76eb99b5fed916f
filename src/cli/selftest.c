/* SPDX-License-Identifier: MIT */
/* breakwater selftest: whether Breakwater works on a GPU, in steps from harmless to bold. */
#include <stdio.h>

#include "base/cleanup.h"
#include "cli/subcommands.h"
#include "selftest/selftest.h"
#include "session/session.h"

struct selftest_command {
	struct bw_selftest_options o;
	bool json, help;
};

static const char usage[] =
	"Usage: breakwater selftest [--gpu GPU] [--from STEP] [--up-to STEP] [--dry-run] [--json] [-o FILE]\n"
	"\n"
	"Tests on a GPU what Breakwater needs, in steps from harmless to bold. Says before each step what it "
	"will do and what could happen, stops at the first step that fails, and writes a report to send to "
	"the developers. Registers and code are restored after each step. The last step asks what is only "
	"inferred of the GPU: each inference holds, or does not, or is unknown; all three are a result.\n"
	"Exit status: 0 if all steps have passed, 1 if one has not.\n";

static const struct bw_option rows[] = {
	BW_ROW_GPU(struct selftest_command, o.gpu),
	{"--from", "STEP", "the first step to run after access",
	 BW_TEXT(struct selftest_command, o.from)},
	{"--up-to", "STEP", "the last step to run (--dry-run lists them)",
	 BW_TEXT(struct selftest_command, o.up_to)},
	{"--dry-run", NULL, "says what each step would do, and opens no GPU",
	 BW_FLAG(struct selftest_command, o.dry_run)},
	{"-o, --output", "FILE", "the report; default: breakwater-selftest.txt",
	 BW_TEXT(struct selftest_command, o.report_path)},
	{"--limit", "SECONDS",
	 "how long a step may take until it counts as hung; default: 120, and 90 for an inference",
	 BW_U32(struct selftest_command, o.limit_s, 1, 3600), .wants = "seconds"},
	BW_ROW_JSON(struct selftest_command, json),
	BW_ROW_HELP(struct selftest_command, help),
	{0},
};

const struct bw_command_line bw_line_selftest = {
	.name = "breakwater selftest",
	.usage = usage,
	.groups = {{"Options:", rows}},
};

int bw_main_selftest(int argc, char **argv)
{
	struct selftest_command c = {.o = {.report_path = "breakwater-selftest.txt"}};
	struct bw_out *out = NULL;
	bool passed = false;
	_cleanup_error_ struct bw_error *err =
		bw_command_line_parse(&bw_line_selftest, &c, argc, argv, NULL);
	if (!err && c.help) {
		bw_command_line_print_help(&bw_line_selftest);
		return 0;
	}
	if (!err)
		err = bw_out_create(stdout, c.json, &out);
	c.o.out = out;
	if (!err)
		err = bw_selftest_run(&c.o, &passed);
	if (out)
		bw_out_flush(out);
	bw_out_destroy(out);
	if (err) {
		fprintf(stderr, "breakwater: %s.\n", err->message);
		return BW_EXIT_USAGE;
	}
	return passed ? 0 : 1;
}
