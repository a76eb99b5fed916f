/* SPDX-License-Identifier: MIT */
/* `breakwater dap`: the server in src/dap, whose debug console has the commands of the prompt. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/python.h"
#include "cli/subcommands.h"
#include "dap/dap.h"

static const char usage[] =
	"Usage: breakwater dap [--port PORT [--token-file FILE]]\n"
	"\n"
	"A debug adapter: editors that speak the Debug Adapter Protocol debug kernels, shaders and programs\n"
	"through it. One session, on standard input and output, or with --port on a port of 127.0.0.1 (0: any),\n"
	"which is said on standard error. The editor's \"launch\" and \"attach\" say what is debugged; on a port they\n"
	"have to carry the \"token\" that is printed with it.\n";

/* ---- The debug console ---- */

static struct bw_error *execute(void *cookie, const char *lines)
{
	return bw_cli_execute_lines(cookie, lines);
}

static struct bw_error *run_script(void *cookie, const struct bw_run_options *o)
{
	struct bw_cli *c = cookie;
	c->editor = BW_EDITOR_LETS_WAIT;
	struct bw_error *err = bw_cli_run_script(c, o, false);
	c->editor = BW_EDITOR_WAITS;
	return err;
}

static char **complete(void *cookie, const char *line, const char *word)
{
	return bw_cli_complete(cookie, line, word);
}

static void leave(void *cookie)
{
	bw_cli_leave(cookie);
}

static struct bw_error *serve(struct bw_cli *c, struct bw_dap *server,
			      const struct bw_dap_place *place)
{
	const struct bw_dap_console console = {c,	 execute,	 run_script,
					       complete, bw_cli_passing, leave};
	BW_TRY(bw_dap_connect(server, place));
	c->editor = BW_EDITOR_WAITS;
	BW_TRY(bw_cli_begin(c, bw_dap_console_file(server), false));
	return bw_dap_serve(server, c->session, &console);
}

/* ---- The command line ---- */

struct command {
	struct bw_dap_place place;
	bool help;
};

static const struct bw_option rows[] = {
	{"--port", "PORT", "listen there for one editor",
	 BW_U32(struct command, place.port, 0, UINT16_MAX), BW_HAS(struct command, place.has_port),
	 .wants = "a port, 0 to 65535"},
	{"--token-file", "FILE", "the token is the one in FILE, which is made where it is missing",
	 BW_TEXT(struct command, place.token_file)},
	BW_ROW_HELP(struct command, help),
	{0},
};

const struct bw_command_line bw_line_dap = {
	.name = "breakwater dap",
	.usage = usage,
	.groups = {{"Options:", rows}},
};

static struct bw_error *parse(int argc, char **argv, struct command *out)
{
	BW_TRY(bw_command_line_parse(&bw_line_dap, out, argc, argv, NULL));
	return out->place.token_file && !out->place.has_port
		       ? bw_errorf(BW_E_INVALID,
				   "--token-file is for --port: on standard input and output no "
				   "token is needed")
		       : NULL;
}

static int exit_status(const struct bw_session *s, struct bw_error *err)
{
	int status = err ? BW_EXIT_USAGE : 0;
	if (err) {
		fprintf(stderr, "breakwater: ");
		bw_out_printable(stderr, err->message);
		fprintf(stderr, ".\n");
		bw_error_free(err);
	}
	if (s->ended_by)
		return s->ended_by == SIGALRM ? BW_EXIT_TIMEOUT : BW_EXIT_SIGNAL + s->ended_by;
	return status;
}

int bw_main_dap(int argc, char **argv)
{
	struct bw_cli c;
	struct command command = {.help = false};
	struct bw_dap *server = NULL;
	bw_cli_init(&c);
	struct bw_error *err = parse(argc, argv, &command);
	if (!err && command.help) {
		bw_command_line_print_help(&bw_line_dap);
		return 0;
	}
	if (!err)
		err = bw_dap_create(&server);
	if (!err)
		err = serve(&c, server, &command.place);
	int status = exit_status(c.session, err);
	bw_cli_end_python();
	bw_cli_fini(&c);
	bw_dap_destroy(server);
	return status;
}
