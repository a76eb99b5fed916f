/* SPDX-License-Identifier: MIT */
/* breakwater report: a page for a browser, of files of a crash, of the first stop of a kernel or a
 * program, or of what a process does now. */
#include "cli/report.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "session/crash_files.h"
#include "cli/subcommands.h"
#include "session/prepare.h"
#include "compile/compile.h"

static const char usage[] =
	"Usage: breakwater report -o FILE CRASHFILE|FOLDER|-...\n"
	"       breakwater report -o FILE [OPTIONS] KERNEL [KERNEL OPTIONS]\n"
	"       breakwater report -o FILE [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater report -o FILE --pid PID\n"
	"\n"
	"Writes one HTML file with no references to others, which can be sent to someone: what a crash has left\n"
	"behind (as \"breakwater crash\" reads it); the first fault, hang or break of a kernel or a program, which\n"
	"is run under the debugger and killed there; or the waves of a process that \"breakwater exec\" has\n"
	"started, which is resumed.\n";

struct report_command {
	const char *path, *hang, *pid;
	struct BW_VEC(const char *) breaks;
	struct BW_VEC(char *) words; /* the others, as argv of `run`; ends with NULL */
	bool json, help, has_program;
};

/* ---- Options ---- */

static struct bw_error *take_break(void *report, const char *option, const char *value)
{
	return bw_vec_push(&((struct report_command *)report)->breaks, value);
}

#define REPORT struct report_command

static const struct bw_option rows[] = {
	{"-o", "FILE", "the page", BW_TEXT(REPORT, path)},
	{"--break", "WHERE",
	 "stops there, too: a function, FILE:LINE, *ADDRESS, with a condition (\"if ...\")",
	 BW_CALL(take_break)},
	{"--hang", "SECONDS", "a dispatch that runs longer hangs (10); off: none does",
	 BW_TEXT(REPORT, hang)},
	{"--pid", "PID", "a process that runs", BW_TEXT(REPORT, pid)},
	{"--json", NULL, "every answer as one line of JSON", BW_FLAG(REPORT, json)},
	BW_ROW_HELP(REPORT, help),
	{0},
};

const struct bw_command_line bw_line_report = {
	.name = "breakwater report",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.after =
		"Other options are those of \"breakwater run\".\n"
		"\n"
		"Exit status: 0 when a break was met or the process was resumed, or the files are read; 3 for a fault or\n"
		"a hang; that of the program where it ended without any, and no page is written then.\n",
};

static struct bw_error *parse(struct report_command *r, int argc, char **argv)
{
	static char run[] = "run";
	bool taken = true;
	BW_TRY(bw_vec_push(&r->words, run));
	for (int i = 1; argv[i];) {
		r->has_program |= !strcmp(argv[i], "--");
		if (!r->has_program)
			BW_TRY(bw_command_line_take(&bw_line_report, r, argc, argv, &i, &taken));
		if (r->has_program || !taken)
			BW_TRY(bw_vec_push(&r->words, argv[i++]));
		if (r->help)
			return NULL;
	}
	if (!r->path)
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater report\" needs the page to write: -o FILE (see --help)");
	if (r->words.len == 1 && !r->pid)
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater report\" needs files of a crash, a kernel, a program "
			"after --, or --pid PID (see --help)");
	if (r->pid && (r->words.len > 1 || r->breaks.len || r->hang))
		return bw_errorf(
			BW_E_INVALID,
			"--pid %s takes the process as it is: only -o can be given with it",
			r->pid);
	uint64_t pid;
	if (r->pid && (!bw_parse_u64(r->pid, &pid) || !pid || pid > INT32_MAX))
		return bw_errorf(BW_E_INVALID,
				 "--pid takes the number of a process that \"breakwater exec\" "
				 "started, not \"%s\"",
				 r->pid);
	return bw_vec_push(&r->words, NULL);
}

/* ---- Answers: with --json, each belongs to a request ---- */

static struct bw_error *execute(struct bw_cli *c, const char *line)
{
	return bw_out_is_json(c->out) ? bw_cli_request(c, line) : bw_cli_execute(c, line);
}

static void begin_answer(struct bw_cli *c)
{
	if (bw_out_is_json(c->out))
		bw_out_begin_request(c->out, json_integer(++c->n_requests));
	bw_out_begin(c->out, "command", "report");
}

static struct bw_error *end_answer(struct bw_cli *c, struct bw_error *err)
{
	if (err)
		bw_out_drop(c->out);
	else
		bw_out_end(c->out);
	if (bw_out_is_json(c->out)) {
		bw_out_end_request(c->out, err);
		c->error_reported = err;
	}
	return err;
}

/* ---- Files ---- */

/* Everything that is no kernel, shader or capture is taken for what a crash has left behind. */
static bool is_crash(const struct report_command *r)
{
	for (size_t i = 1; r->words.data[i]; i++) {
		const char *word = r->words.data[i];
		if (bw_is_kernel(word) || bw_is_shader(word) || bw_is_capture(word) ||
		    (word[0] == '-' && word[1]))
			return false;
	}
	return !r->has_program && !r->pid;
}

static struct bw_error *report_crash(struct report_command *r, struct bw_cli *c)
{
	struct bw_str verdict = {0};
	size_t size_b;
	c->session->crash = calloc(1, sizeof(*c->session->crash));
	if (!c->session->crash)
		return bw_error_nomem();
	BW_TRY(bw_read_crash((const char *const *)r->words.data + 1, r->words.len - 2,
			     c->session->crash));
	const struct bw_report report = {.crash = c->session->crash};
	BW_TRY(bw_cli_write_report(&report, r->path, &size_b));
	bw_crash_verdict(c->session->crash, NULL, &verdict);
	begin_answer(c);
	bw_out_text(c->out, bw_str_text(&verdict));
	bw_cli_say_report(c, r->path, size_b);
	bw_str_free(&verdict);
	return end_answer(c, NULL);
}

/* ---- Sessions ---- */

static struct bw_error *write_page(struct report_command *r, struct bw_cli *c)
{
	begin_answer(c);
	return end_answer(c, bw_cli_report(c, r->path));
}

static struct bw_error *set_up(struct report_command *r, struct bw_cli *c)
{
	struct bw_str line = {0};
	bw_str_addf(&line, "set break-on hang %s", r->hang ? r->hang : "10");
	struct bw_error *err = execute(c, bw_str_text(&line));
	bw_vec_each(&r->breaks, b) {
		bw_str_clear(&line);
		bw_str_addf(&line, "break %s", *b);
		if (!err)
			err = execute(c, bw_str_text(&line));
	}
	bw_str_free(&line);
	return err;
}

/* The kernel or program, up to its first stop. */
static struct bw_error *report_run(struct report_command *r, struct bw_cli *c)
{
	BW_TRY(bw_session_open_words(c->session, (int)r->words.len - 1, r->words.data, false,
				     "a report's"));
	BW_TRY(set_up(r, c));
	c->plain = true;
	BW_TRY(bw_cmd_run(c, ""));
	c->plain = false;
	if (bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM) {
		bw_out_line(c->out, "It ended without a fault, a hang or a break: there is nothing "
				    "to report.");
		return NULL;
	}
	BW_TRY(write_page(r, c));
	bool is_hang = c->session->last_stop.kind == BW_STOP_WAVES &&
		       c->session->last_stop.reasons == BW_REASON_INTERRUPT;
	if (bw_session_interrupts())
		c->session->exit_status = BW_EXIT_SIGNAL + SIGINT;
	else if (is_hang)
		c->session->exit_status = BW_EXIT_GPU;
	return NULL;
}

/* The waves of a process. Between two dispatches there are none: some are waited for, not long. */
static struct bw_error *report_process(struct report_command *r, struct bw_cli *c)
{
	enum { TRIES = 40, PIECE_MS = 50 };
	static char attach[] = "attach";
	char pid[32];
	char *argv[] = {attach, pid, NULL};
	struct bw_stop stop = c->session->last_stop;
	snprintf(pid, sizeof(pid), "%s", r->pid);
	BW_TRY(bw_session_open_words(c->session, 2, argv, true, "a report's"));
	for (int i = 0; i < TRIES && c->session->last_stop.kind != BW_STOP_WAVES && !c->quit; i++) {
		if (bw_debug_state(c->debug) == BW_DEBUG_STOPPED)
			BW_TRY(bw_debug_continue(c->debug));
		BW_TRY(bw_debug_wait(c->debug, i ? PIECE_MS : 0, &stop));
		if (stop.kind == BW_STOP_NONE)
			BW_TRY(bw_debug_stop(c->debug, &stop));
		if (stop.kind == BW_STOP_EXITED || stop.kind == BW_STOP_WAVES || i + 1 == TRIES)
			bw_session_stopped(c->session, &stop, false);
		if (stop.kind == BW_STOP_EXITED)
			return bw_errorf(BW_E_GONE, "process %s has ended", r->pid);
	}
	return write_page(r, c);
}

static struct bw_error *run_report(struct report_command *r, struct bw_cli *c, int argc,
				   char **argv)
{
	BW_TRY(parse(r, argc, argv));
	if (r->help) {
		bw_command_line_print_help(&bw_line_report);
		return NULL;
	}
	BW_TRY(bw_cli_begin(c, stdout, r->json));
	bw_terminal_begin(c);
	bw_cli_begin_json(c);
	c->is_batch = true;
	if (is_crash(r))
		return report_crash(r, c);
	struct bw_error *err = r->pid ? report_process(r, c) : report_run(r, c);
	int status = c->session->exit_status;
	if (c->debug)
		bw_cli_leave(c);
	/* killed by us: what it would have ended with is of no interest */
	if (!c->session->gpu_fault && !c->session->exit_status_known)
		c->session->exit_status = status;
	return err;
}

int bw_main_report(int argc, char **argv)
{
	struct report_command r = {0};
	struct bw_cli c;
	bw_cli_init(&c);
	struct bw_error *err = run_report(&r, &c, argc, argv);
	if (err)
		bw_cli_fail(&c, err);
	int status = c.session->exit_status;
	bw_cli_fini(&c);
	bw_vec_free(&r.breaks);
	bw_vec_free(&r.words);
	return status;
}
