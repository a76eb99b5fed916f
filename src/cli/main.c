/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/subcommands.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"
#include "session/version.h"
#include "ui/table.h"

static int main_help(int argc, char **argv), unknown(const char *word);

static const struct bw_command_line line_help = {.name = "breakwater help",
						 .usage = "Usage: breakwater help [COMMAND]\n"};

#define BW_SUBCOMMAND(name, about) {#name, bw_main_##name, about, &bw_line_##name},
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
	const struct bw_command_line *line; /* the first of its forms */
} subcommands[] = {
#include "cli/subcommands.def"
	{"help", main_help, "this list", &line_help},
};
#undef BW_SUBCOMMAND

/* Prints the rows from which the build makes manual pages and completions. */
static int print_rows(void)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(subcommands); i++) {
		const char *const fields[] = {subcommands[i].name, subcommands[i].about};
		bw_print_row("subcommand", fields, BW_ARRAY_SIZE(fields));
		bw_command_line_rows(subcommands[i].line);
	}
	bw_help_rows();
	return 0;
}

static int main_help(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--rows"))
		return print_rows();
	if (argc > 1 && !strcmp(argv[1], "--facts")) {
		bw_facts_print(__start_bw_facts, __stop_bw_facts);
		return 0;
	}
	for (size_t i = 0; argc > 1 && i < BW_ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[1], subcommands[i].name) && subcommands[i].run != main_help)
			return subcommands[i].run(2, (char *[]){argv[1], (char[]){"--help"}, NULL});
	if (argc > 1 && argv[1][0] != '-' && strcmp(argv[1], "help") != 0)
		return unknown(argv[1]);
	printf("Breakwater debugs AMD GPUs. It works on the virtual GPU that comes with it, too.\n\n");
	for (size_t i = 0; i < BW_ARRAY_SIZE(subcommands); i++)
		printf("  breakwater %-6s  %s\n", subcommands[i].name, subcommands[i].about);
	printf("\n\"breakwater COMMAND --help\" says more; the manual is breakwater(1).\n");
	return 0;
}

static bool is_of_prompt(const char *word)
{
	size_t n;
	const struct bw_command *commands = bw_commands(&n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, commands[i].name))
			return true;
	return false;
}

/* The first word is not a command: gdb's users begin with an option, a program or a command of the
 * prompt. */
static int unknown(const char *word)
{
	const char *names[BW_ARRAY_SIZE(subcommands)];
	size_t near;
	struct stat st;
	if (word[0] == '-') {
		fprintf(stderr,
			"breakwater: option %s has to come after a command, as in \"breakwater run %s ...\" (breakwater help lists the commands)\n",
			word, word);
		return BW_EXIT_USAGE;
	}
	if (!stat(word, &st) && S_ISREG(st.st_mode)) {
		fprintf(stderr,
			"breakwater: \"%s\" is a file; to run and debug it: breakwater run %s%s\n",
			word, access(word, X_OK) ? "" : "-- ", word);
		return BW_EXIT_USAGE;
	}
	if (is_of_prompt(word)) {
		fprintf(stderr,
			"breakwater: \"%s\" is a command of the prompt; \"breakwater run -i\" with a kernel or a program has one (breakwater help lists the commands of the shell)\n",
			word);
		return BW_EXIT_USAGE;
	}
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
