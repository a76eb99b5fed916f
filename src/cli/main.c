/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/file.h"
#include "cli/subcommands.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"
#include "session/version.h"

static int main_help(int argc, char **argv);

/* clang-format off */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} subcommands[] = {
	{"run", bw_main_run, "debug a kernel: breakwater run saxpy.s --grid 256 --group 64 --arg ..."},
	{"exec", bw_main_exec, "run a program on the GPU chosen, not debugged: breakwater exec -- PROGRAM"},
	{"vgpu", bw_main_vgpu, "the virtual GPU by itself: breakwater vgpu serve"},
	{"attach", bw_main_attach, "debug a program that runs already: breakwater attach PID"},
	{"dap", bw_main_dap, "a debug adapter for editors, which speak the Debug Adapter Protocol"},
	{"capture", bw_main_capture, "what a program submits, with its memory, as a file: breakwater capture -o FILE -- PROGRAM"},
	{"replay", bw_main_replay, "the submissions of a capture, run again: breakwater replay FILE.bwc"},
	{"bisect", bw_main_bisect, "the submission and dispatch of a capture that fails or hangs: breakwater bisect FILE.bwc"},
	{"decompile", bw_main_decompile, "a submission of a capture as C: breakwater decompile FILE.bwc -s 3 > edit.c"},
	{"umr", bw_main_umr, "registers, waves and rings as the tool umr shows them, of the GPU chosen"},
	{"crash", bw_main_crash, "what a hang was: kernel logs, devcoredumps, hang reports of RADV"},
	{"report", bw_main_report, "a crash, a stop or a running program as one HTML file: breakwater report -o FILE ..."},
	{"fault", bw_main_fault, "what a page fault says: a status word, lines of dmesg, a file, or the GPU's registers"},
	{"device", bw_main_device, "what GPU this is, and what you may do with it"},
	{"vm", bw_main_vm, "page tables: walks, what is mapped, layouts, entries"},
	{"mem", bw_main_mem, "memory of the GPU: read, written, filled, dumped, searched, compared, disassembled"},
	{"waves", bw_main_waves, "the waves on the GPU: places, states, PCs, registers"},
	{"queues", bw_main_queues, "the queues of the GPU: hardware queues, copy engines, rings, fences"},
	{"regs", bw_main_regs, "registers: found, decoded, read, written"},
	{"pm4", bw_main_pm4, "a command stream as packets, from a file or GPU memory"},
	{"ring", bw_main_ring, "a ring of the driver as packets"},
	{"doctor", bw_main_doctor, "what this machine allows, and how to get the rest"},
	{"help", main_help, "this list"},
};
/* clang-format on */

static int main_help(int argc, char **argv)
{
	printf("Breakwater debugs AMD GPUs. It works on the virtual GPU that comes with it, too.\n\n");
	for (size_t i = 0; i < BW_ARRAY_SIZE(subcommands); i++)
		printf("  breakwater %-6s  %s\n", subcommands[i].name, subcommands[i].help);
	printf("\n\"breakwater COMMAND --help\" says more; the manual is breakwater(1).\n");
	return 0;
}

static int unknown(const char *word)
{
	const char *names[BW_ARRAY_SIZE(subcommands)];
	size_t near;
	for (size_t i = 0; i < BW_ARRAY_SIZE(subcommands); i++)
		names[i] = subcommands[i].name;
	fprintf(stderr, "breakwater: there is no command \"%s\"", word);
	if (bw_nearest(word, names, BW_ARRAY_SIZE(names), &near, 1))
		fprintf(stderr, "; did you mean \"%s\"? (breakwater help lists them)\n",
			names[near]);
	else
		fprintf(stderr, "; breakwater help lists them.\n");
	return BW_EXIT_USAGE;
}

/* Output that could not be written is an error, as when the disk is full; except where the reader
 * has closed the pipe. */
static int check_output(int status)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (poll(&p, 1, 0) <= 0 || !(p.revents & POLLERR))
		fprintf(stderr,
			"breakwater: not all of the output could be written to standard output. Is the disk full?\n");
	return status ? status : BW_EXIT_OUTPUT;
}

int main(int argc, char **argv)
{
	bw_file_limit_is_error();
	/* Under this name programs on the virtual GPU find it (other.c). */
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	if (argc && !strcmp(slash ? slash + 1 : argv[0], "umr"))
		return bw_main_umr(argc, argv);
	if (argc < 2) {
		main_help(argc, argv);
		return BW_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return main_help(argc, argv);
	if (!strcmp(argv[1], "--version")) {
		printf("breakwater %s\n", bw_version());
		return 0;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[1], subcommands[i].name))
			return check_output(subcommands[i].run(argc - 1, argv + 1));
	return unknown(argv[1]);
}
