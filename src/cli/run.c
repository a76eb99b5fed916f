/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/rocm.h"
#include "cli/subcommands.h"
#include "cli/tui.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/util.h"
#include "base/wait.h"
#include "base/vec.h"
#include "session/crash_files.h"
#include "cli/python.h"
#include "session/run_options.h"
#include "compile/compile.h"
#include "debug/source.h"
#include "launch/options.h"
#include "launch/plan.h"

struct bw_error *bw_cli_run_script(struct bw_cli *c, const struct bw_run_options *o,
				   bool has_prompt)
{
	bw_vec_each(&o->script, item) {
		if (c->quit)
			break;
		struct bw_error *err = item->kind == BW_SCRIPT_FILE
					       ? bw_cli_run_file(c, item->text)
					       : bw_cli_execute_scripted(c, item->text);
		if (!has_prompt || bw_out_is_json(c->out))
			BW_TRY(err);
		else if (err)
			bw_out_error(c->out, err);
		bw_error_free(err);
	}
	return NULL;
}

/* The session from its start to its end. */
static struct bw_error *run_session(struct bw_cli *c, const struct bw_run_options *o)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !o->batch;
	bool piped = !o->script.len && !o->batch && !o->interactive && bw_cli_commands_on_stdin();
	BW_TRY(bw_cli_run_script(c, o, terminal || o->interactive));
	if (c->quit)
		return NULL;
	if (piped)
		return bw_cli_run_file(c, "-");
	/* Commands of standard input come after those given as options, as in gdb. */
	if (o->script.len && !o->batch && !o->interactive && !isatty(STDIN_FILENO))
		return bw_cli_run_file(c, "-");
	if (o->script.len && !terminal && !o->interactive)
		return NULL;
	if (!o->script.len && !o->interactive && !o->attach && !c->session->crash) {
		c->plain = true;
		BW_TRY(bw_cmd_run(c, ""));
		/* The program or the session has ended: nothing is left to ask. */
		if (c->quit || bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM)
			return NULL;
		if (bw_session_interrupts() && !terminal && !o->interactive)
			c->session->exit_status = BW_EXIT_SIGNAL + SIGINT;
	}
	if (terminal || o->interactive) {
		c->plain = false;
		bw_cli_interact(c);
	}
	return NULL;
}

/* Exit status of a session that was told to end. */
static void say_what_ended_it(struct bw_cli *c)
{
	if (!c->session->ended_by)
		return;
	c->session->exit_status = c->session->ended_by == SIGALRM
					  ? BW_EXIT_TIMEOUT
					  : BW_EXIT_SIGNAL + c->session->ended_by;
	struct bw_error *err = bw_session_what_ended(c->session);
	if (err)
		bw_out_error(c->out, err);
	bw_error_free(err);
}

static void end_session(struct bw_cli *c, struct bw_error *err)
{
	if (err) { /* a script that fails ends at once */
		if (!c->error_reported)
			bw_out_error(c->out, err);
		bw_error_free(err);
		c->quit = true;
	}
	bw_cli_leave(c);
	if (err)
		c->session->exit_status = BW_EXIT_USAGE;
	else
		say_what_ended_it(c);
}

static struct bw_error *run_given(struct bw_cli *c, struct bw_run_options *o,
				  struct bw_rocm_words *words, int argc, char **argv)
{
	BW_TRY(bw_run_options_parse(o, argc, argv));
	if (o->help) {
		bw_command_line_print_help(o->attach ? &bw_line_attach : &bw_line_run);
		return NULL;
	}
	BW_TRY(bw_cli_begin(c, stdout, o->json));
	if (o->has_rocm)
		BW_TRY(bw_cli_add_rocm(words, &o->program));
	bw_terminal_begin(c);
	bw_cli_begin_json(c);
	c->is_batch = o->batch;
	BW_TRY(bw_session_open(c->session, o));
	if (o->tui)
		BW_TRY(bw_cli_tui_enable(c));
	struct bw_error *err = run_session(c, o);
	bw_cli_tui_leave(c);
	bool has_reports = !err && !c->session->crash;
	end_session(c, err);
	if (!has_reports)
		return NULL;
	return bw_session_report(c->session, o);
}

static int main_with(int argc, char **argv, bool attach)
{
	struct bw_cli c;
	struct bw_run_options o = {.attach = attach};
	bw_cli_init(&c);
	c.confirm = true;
	struct bw_rocm_words words = {0};
	struct bw_error *err = run_given(&c, &o, &words, argc, argv);
	if (err)
		bw_cli_fail(&c, err);
	bw_cli_end_python();
	int status = c.session->exit_status;
	bw_cli_fini(&c);
	bw_run_options_fini(&o);
	bw_vec_free(&words);
	return status;
}

int bw_main_run(int argc, char **argv)
{
	return main_with(argc, argv, false);
}

int bw_main_attach(int argc, char **argv)
{
	return main_with(argc, argv, true);
}
