/* SPDX-License-Identifier: MIT */
/* `breakwater dap`: what the server in src/dap needs of the command line. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memfd.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "session/crash_files.h"
#include "cli/python.h"
#include "session/prepare.h"
#include "cli/subcommands.h"
#include "compile/compile.h"
#include "dap/dap.h"
#include "dap/port.h"
#include "dap/token.h"
#include "debug/expressions.h"

static const char usage[] =
	"Usage: breakwater dap [--port PORT [--token-file FILE]]\n"
	"\n"
	"A debug adapter: editors that speak the Debug Adapter Protocol debug kernels, shaders and programs\n"
	"through it. One session, on standard input and output, or with --port on a port of 127.0.0.1 (0: any),\n"
	"which is said on standard error. The editor's \"launch\" and \"attach\" say what is debugged; on a port they\n"
	"have to carry the \"token\" that is printed with it.\n";

/* A file in memory that others write at its end, and we read once. */
struct sink {
	int fd;
	off_t read;
};

struct host {
	struct bw_cli cli;
	struct bw_cli_editor editor;
	struct sink console;   /* what commands print, and the programs that they start */
	struct sink output[2]; /* of the program that is debugged */
	FILE *console_file;
	struct bw_dap *server;
	struct bw_run_options options; /* its words are the server's, until the script has run */
	bool is_open;		       /* or could not be */
	bool has_reported;	       /* what --strict and the like show, for the last program */
};

static struct bw_error *open_sink(struct sink *s, const char *name)
{
	s->fd = bw_memfd(name);
	if (s->fd < 0 || fcntl(s->fd, F_SETFL, O_APPEND))
		return bw_error_errno(errno, "cannot keep output");
	return NULL;
}

static size_t take_kept(struct sink *s, char *out, size_t max)
{
	ssize_t got = s->fd < 0 ? 0 : pread(s->fd, out, max, s->read);
	if (got <= 0)
		return 0;
	/* what was read takes no memory any more */
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s->read, got);
	s->read += got;
	return (size_t)got;
}

/* ---- What the server calls ---- */

/* Words of `breakwater run` that are about its terminal. */
static struct bw_error *check_options(const struct bw_run_options *o)
{
	const struct {
		bool is_there;
		const char *word, *why;
	} words[] = {
		{o->help, "--help", "\"help\" in the debug console has the commands"},
		{o->json, "--json", "an editor has its own protocol"},
		{o->tui, "--tui", "the editor is the screen"},
		{o->batch, "--batch", "the editor says when the session ends"},
		{o->interactive, "--interactive", "the debug console is the prompt"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (words[i].is_there)
			return bw_errorf(BW_E_UNSUPPORTED, "%s is not for an editor's session: %s",
					 words[i].word, words[i].why);
	return NULL;
}

static struct bw_error *host_open(void *cookie, char **argv, bool attach,
				  struct bw_debug **out_debug)
{
	struct host *h = cookie;
	int argc = 0;
	while (argv[argc])
		argc++;
	if (h->is_open)
		return bw_errorf(
			BW_E_STATE,
			"This session could not begin, and cannot be tried again: start a new session");
	h->is_open = true;
	h->options.attach = attach;
	BW_TRY(bw_run_options_parse(&h->options, argc, argv));
	BW_TRY(check_options(&h->options));
	BW_TRY(bw_session_open(h->cli.session, &h->options));
	*out_debug = h->cli.debug;
	return NULL;
}

static struct bw_error *host_run_script(void *cookie)
{
	struct host *h = cookie;
	h->editor.waits = true;
	struct bw_error *err = bw_cli_run_script(&h->cli, &h->options);
	h->editor.waits = false;
	return err;
}

/* In the debug console. Takes err; NULL: nothing. */
static void say(struct host *h, struct bw_error *err)
{
	if (err)
		bw_out_line(h->cli.out, "%s.", err->message);
	bw_error_free(err);
}

/* At the end of each program, and at that of the session where it comes first. */
static void show_reports(struct host *h)
{
	if (h->has_reported || h->cli.session->crash)
		return;
	h->has_reported = true;
	say(h, bw_session_report(h->cli.session, &h->options));
}

static bool host_is_kernel(void *cookie, const char *path)
{
	return bw_is_kernel(path) || bw_is_shader(path) || bw_is_crash(path);
}

static void leave(struct host *h, bool kill)
{
	if (bw_debug_state(h->cli.debug) == BW_DEBUG_NO_PROGRAM)
		return;
	/* bw_cli_leave kills what was started, and detaches from what was attached to. */
	if (!kill)
		bw_debug_detach(h->cli.debug);
	else if (h->cli.session->attached &&
		 bw_target_can(bw_debug_target(h->cli.debug), BW_CAP_PROCESSES))
		bw_error_free(bw_debug_kill(h->cli.debug));
	else
		bw_cli_leave(&h->cli);
}

static void host_close(void *cookie, bool kill)
{
	struct host *h = cookie;
	if (!h->cli.debug)
		return;
	leave(h, kill);
	show_reports(h);
	say(h, bw_session_what_ended(h->cli.session));
}

static struct bw_error *host_execute(void *cookie, const char *line)
{
	struct host *h = cookie;
	struct bw_error *err = NULL;
	_cleanup_free_ char *copy = strdup(line);
	if (!copy)
		return bw_error_nomem();
	bw_session_begin_command(h->cli.session);
	/* Several lines are a block, or commands one after the other. */
	for (char *rest = copy, *one; !err && !h->cli.quit && (one = strsep(&rest, "\n"));)
		err = bw_cli_execute(&h->cli, one);
	return err;
}

static struct bw_error *host_stopped(void *cookie, const struct bw_stop *stop, bool brief)
{
	struct host *h = cookie;
	bw_session_stopped(h->cli.session, stop, brief);
	return bw_cli_run_stop_commands(&h->cli);
}

static char **host_complete(void *cookie, const char *line, const char *word)
{
	struct host *h = cookie;
	return bw_cli_complete(&h->cli, line, word);
}

static char *host_take_text(void *cookie)
{
	enum { TEXT_MAX_B = 4 << 20 };
	struct host *h = cookie;
	char chunk[8192];
	struct bw_str text = {0};
	size_t got;
	bw_out_flush(h->cli.out);
	fflush(h->console_file);
	fflush(stdout);
	while (text.len < TEXT_MAX_B && (got = take_kept(&h->console, chunk, sizeof(chunk))) > 0)
		bw_str_addn(&text, chunk, got);
	if (text.len)
		return bw_str_take(&text);
	bw_str_free(&text);
	return NULL;
}

static size_t host_take_output(void *cookie, bool is_error, char *out, size_t max)
{
	struct host *h = cookie;
	return take_kept(&h->output[is_error], out, max);
}

static void host_passing(void *cookie, uint32_t breakpoint, uint32_t wave)
{
	struct host *h = cookie;
	bw_cli_passing(&h->cli, breakpoint, wave);
}

static int host_exit_status(void *cookie)
{
	const struct host *h = cookie;
	return h->cli.session->exit_status_known ? h->cli.session->exit_status : 0;
}

static bool host_wants_end(void *cookie)
{
	const struct host *h = cookie;
	return h->cli.quit;
}

static void on_stop(void *cookie, const struct bw_stop *stop)
{
	struct host *h = cookie;
	bool is_end = stop->kind == BW_STOP_EXITED;
	if (is_end)
		show_reports(h);
	h->has_reported &= is_end; /* a program that is started again has its own */
	bw_dap_note_stop(h->server, stop);
}

/* ---- The descriptors ---- */

/* Nothing reads or writes our standard input and output, which may be the protocol's: not the
 * program, and none that "shell" starts. */
static struct bw_error *free_standard_streams(struct host *h)
{
	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(h->console.fd, STDOUT_FILENO) < 0)
		return bw_error_errno(errno, "cannot keep standard input and output apart");
	return NULL;
}

/* Two descriptors, each the caller's. */
static struct bw_error *copy_streams(int in, int out, int *out_in, int *out_out)
{
	_cleanup_close_ int first = fcntl(in, F_DUPFD_CLOEXEC, 3);
	_cleanup_close_ int second = fcntl(out, F_DUPFD_CLOEXEC, 3);
	if (first < 0 || second < 0)
		return bw_error_errno(errno, "the connection with the editor is not open");
	*out_in = bw_take_fd(first);
	*out_out = bw_take_fd(second);
	return NULL;
}

/* What the command line says. */
struct command {
	uint32_t port;
	const char *token_file;
	bool has_port; /* else standard input and output */
	bool help;
};

static struct bw_error *wait_on_port(const struct command *c, int *out_editor,
				     struct bw_dap_begun *out_begun)
{
	uint16_t number;
	_cleanup_close_ int listener = -1;
	_cleanup_(bw_dap_token_fini) struct bw_dap_token token = BW_DAP_TOKEN_INIT;
	BW_TRY(bw_dap_token_make(c->token_file, &token));
	BW_TRY(bw_dap_port_open((uint16_t)c->port, &listener, &number));
	fprintf(stderr,
		"DAP server listening at: 127.0.0.1:%u\n"
		"The \"token\" that \"launch\" and \"attach\" need is in %s: %s\n",
		number, token.path, token.text);
	return bw_dap_port_accept(listener, token.text, out_editor, out_begun);
}

static struct bw_error *connect_editor(struct host *h, const struct command *c, int *out_in,
				       int *out_out, struct bw_dap_begun *out_begun)
{
	_cleanup_close_ int editor = -1;
	if (!c->has_port) {
		BW_TRY(copy_streams(STDIN_FILENO, STDOUT_FILENO, out_in, out_out));
	} else {
		BW_TRY(wait_on_port(c, &editor, out_begun));
		BW_TRY(copy_streams(editor, editor, out_in, out_out));
	}
	return free_standard_streams(h);
}

static struct bw_error *serve(struct host *h, const struct command *c)
{
	static const char *const names[] = {"output", "error"};
	const struct bw_dap_host functions = {.cookie = h,
					      .open = host_open,
					      .run_script = host_run_script,
					      .is_kernel = host_is_kernel,
					      .close = host_close,
					      .execute = host_execute,
					      .stopped = host_stopped,
					      .complete = host_complete,
					      .take_text = host_take_text,
					      .take_output = host_take_output,
					      .passing = host_passing,
					      .exit_status = host_exit_status,
					      .wants_end = host_wants_end};
	_cleanup_close_ int in = -1;
	_cleanup_close_ int out = -1;
	struct bw_dap_begun begun = {.data = NULL};
	BW_TRY(open_sink(&h->console, "console"));
	for (size_t i = 0; i < 2; i++)
		BW_TRY(open_sink(&h->output[i], names[i]));
	h->console_file = fdopen(fcntl(h->console.fd, F_DUPFD_CLOEXEC, 3), "a");
	if (!h->console_file)
		return bw_error_errno(errno, "cannot keep output");
	BW_TRY(connect_editor(h, c, &in, &out, &begun));
	signal(SIGPIPE, SIG_IGN);
	h->editor.stopped = on_stop;
	h->editor.cookie = h;
	h->cli.editor = &h->editor;
	struct bw_error *err = bw_cli_begin(&h->cli, h->console_file, false);
	for (size_t i = 0; i < 2; i++)
		h->cli.own.output_fd[i] = h->output[i].fd;
	if (!err)
		err = bw_dap_create(&functions, in, out, begun.data ? &begun : NULL, &h->server);
	free(begun.data);
	if (!err)
		err = bw_dap_serve(h->server);
	bw_dap_destroy(h->server);
	h->server = NULL;
	return err;
}

static const struct bw_option rows[] = {
	{"--port", "PORT", "listen there for one editor",
	 BW_U32(struct command, port, 0, UINT16_MAX), BW_HAS(struct command, has_port),
	 .wants = "a port, 0 to 65535"},
	{"--token-file", "FILE", "the token is the one in FILE, which is made where it is missing",
	 BW_TEXT(struct command, token_file)},
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
	return out->token_file && !out->has_port
		       ? bw_errorf(BW_E_INVALID,
				   "--token-file is for --port: on standard input and output no "
				   "token is needed")
		       : NULL;
}

int bw_main_dap(int argc, char **argv)
{
	struct command c = {0};
	struct host *h = calloc(1, sizeof(*h));
	struct bw_error *err = h ? parse(argc, argv, &c) : bw_error_nomem();
	if (!err && c.help) {
		bw_command_line_print_help(&bw_line_dap);
		free(h);
		return 0;
	}
	int status = 0;
	if (h) {
		bw_cli_init(&h->cli);
		h->console.fd = h->output[0].fd = h->output[1].fd = -1;
	}
	if (!err)
		err = serve(h, &c);
	if (err) {
		fprintf(stderr, "breakwater: ");
		bw_out_printable(stderr, err->message);
		fprintf(stderr, ".\n");
		bw_error_free(err);
		status = BW_EXIT_USAGE;
	}
	if (!h)
		return status;
	if (h->cli.session->ended_by)
		status = h->cli.session->ended_by == SIGALRM
				 ? BW_EXIT_TIMEOUT
				 : BW_EXIT_SIGNAL + h->cli.session->ended_by;
	bw_cli_end_python();
	bw_cli_fini(&h->cli);
	bw_run_options_fini(&h->options);
	if (h->console_file)
		fclose(h->console_file);
	for (size_t i = 0; i < 3; i++) {
		int fd = i < 2 ? h->output[i].fd : h->console.fd;
		if (fd >= 0)
			close(fd);
	}
	free(h);
	return status;
}
