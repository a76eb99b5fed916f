/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CLI_H
#define BW_CLI_CLI_H

/* The prompt: a session (src/session) with the commands that are typed in it, from a terminal, a
 * script, an editor's console or a program that calls our library. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/terminal.h"
#include "debug/waves.h"
#include "session/session.h"
#include "ui/out.h"
#include "target/call.h"
#include "ui/show.h"

struct bw_returned;
struct bw_cli_tui;

/* Whether an editor drives the session (dap.c), and who waits for stops then. */
enum bw_cli_editor {
	BW_EDITOR_NONE,
	BW_EDITOR_WAITS,     /* no command does, since requests are answered meanwhile */
	BW_EDITOR_LETS_WAIT, /* the commands of -ex and -x, as they do elsewhere */
};

struct bw_cli {
	/* `own`, or that of a program which calls our library. */
	struct bw_session *session;
	struct bw_session own;
	struct bw_debug *debug; /* the session's */
	struct bw_out *out;	/* the session's; owned with `own` */
	enum bw_cli_editor editor;

	struct bw_cli_tui *tui; /* owned; NULL: the terminal screen was never enabled */

	bool plain;		    /* neither commands nor a prompt so far */
	bool is_batch;		    /* --batch */
	bool confirm;		    /* quit asks */
	volatile sig_atomic_t quit; /* no further command is run; signal handlers set it, too */
	bool trace;		    /* set trace-commands on: commands are shown as they run */
	int64_t n_requests;	    /* --json: so far */
	bool error_reported;	    /* --json: the error of a request is in its end object */
	char *last_command;	    /* owned; what Enter repeats */

	/* where `x` and `list` continue */
	struct bw_print_format x_format;
	enum bw_space x_space;
	uint64_t x_next;
	char *list_file;
	unsigned list_first, list_next; /* what was shown last: [first, next) */
	unsigned backtrace_limit;	/* frames; 0: none */
	unsigned list_size;		/* lines of a list; 0: the usual number */
	/* commands of breakpoints, and user-defined commands (blocks.c) */
	struct bw_block *blocks;
	size_t n_blocks;
	struct bw_block *collecting; /* owned; lines up to "end" go here; NULL: they are run */
	unsigned collecting_depth;   /* of blocks in it that have not ended */
	uint32_t *collecting_for;    /* owned; the breakpoints whose commands they are */
	size_t n_collecting_for;
	/* the breakpoint whose commands are to run after this command */
	uint32_t stopped_at;
	const struct bw_returned *returned; /* by the function that "finish" has left; or NULL */
	bool in_stop_commands;
	/* commands -each-wave: number of waves that the list still runs for; until then no command
	 * resumes waves */
	size_t waves_left;
	bool wave_done;	     /* for one of the waves such a command was reached */
	unsigned stops;	     /* counts stops, without those of single steps */
	unsigned depth;	     /* nesting of commands that run other commands */
	unsigned max_rounds; /* of a loop; 0: no limit */
	bool confined;	     /* no command may start programs or touch files (fuzzing) */

	struct bw_terminal terminal;

	struct bw_display *displays; /* owned */
	size_t n_displays;
	uint32_t entry_breakpoint; /* of "set trap-on-entry" */
};

/* Runs one line. Errors have not been shown yet. */
struct bw_error *bw_cli_execute(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* Before anything that runs other lines: fails where these are nested too deeply; c->depth-- after
 * it. */
struct bw_error *bw_cli_deeper(struct bw_cli *c) BW_MUST_CHECK;

/* ---- begin.c: from nothing to a session, and back ---- */

/* The state of a command line that has no session yet: c->session is there, and empty. */
void bw_cli_init(struct bw_cli *c);
/* A session of its own, which is not open yet, and which says what happens to f (borrowed). */
struct bw_error *bw_cli_begin(struct bw_cli *c, FILE *f, bool json) BW_MUST_CHECK;
/* The prompt's commands in this session: it is told of stops, and callers of the library can run
 * commands in it. */
void bw_cli_join(struct bw_cli *c, struct bw_session *s);
/* Frees what the command line has, with a session of its own; c itself is the caller's. */
void bw_cli_fini(struct bw_cli *c);

/* library.c: what callers of the library have of a command line, which is the cookie. */
extern const struct bw_session_commands bw_cli_as_commands;

/* ---- stops.c ---- */

/* What a command line adds to the stops of a session; it is the cookie. */
struct bw_session_hooks bw_cli_hooks(struct bw_cli *c);
/* Waits for the next stop and shows it; for an editor, which waits itself, nothing. */
struct bw_error *bw_cli_wait_and_show(struct bw_cli *c) BW_MUST_CHECK;
/* A stop of "finish": what the function returned stands before the displays, as in gdb. */
void bw_cli_finished(struct bw_cli *c, const struct bw_stop *s, const struct bw_returned *r);

/* ---- leave.c ---- */

/* Leaves the program (bw_session_leave), and says so where it was killed. */
void bw_cli_leave(struct bw_cli *c);
/* Tells the error that ends the command and frees it; the exit status says that it was one. */
void bw_cli_fail(struct bw_cli *c, struct bw_error *err);
/* "QUESTION(y or n) ": asks at a terminal. Without one the answer is yes, and this is said, as in
 * gdb. After "set confirm off" it is yes without a question. */
bool bw_cli_ask(struct bw_cli *c, const char *question);
/* Asks the user whether to quit while a program is debugged; true without a question where there is
 * nothing to lose, or the session is not interactive. */
bool bw_cli_may_leave(struct bw_cli *c);
/* ---- json_requests.c: --json ---- */

/* The first object of a session. */
void bw_cli_begin_json(struct bw_cli *c);
/* Runs one line of input as a request; its error has been shown. */
struct bw_error *bw_cli_request(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* ---- script.c, edit.c: where lines come from ---- */

/* Runs one line of a script: a command that comes only too late or too early is reported, and is no
 * error. */
struct bw_error *bw_cli_execute_scripted(struct bw_cli *c, const char *line) BW_MUST_CHECK;
struct bw_run_options;
/* The commands of -ex and -x. */
struct bw_error *bw_cli_run_script(struct bw_cli *c, const struct bw_run_options *o) BW_MUST_CHECK;
struct bw_error *bw_cli_run_file(struct bw_cli *c,
				 const char *path) BW_MUST_CHECK; /* "-": standard input */
/* Are commands waiting on standard input? A terminal never counts; a pipe counts when something
 * comes within a moment, so that an open pipe without a writer does not delay the kernel ("-x -"
 * waits for as long as it takes). */
bool bw_cli_commands_on_stdin(void);
/* Prompt until quit or end of input. */
void bw_cli_interact(struct bw_cli *c);
/* Characters of the terminal are those of the user's locale, or UTF-8. */
void bw_cli_choose_characters(void);

/* ---- blocks.c, control.c: lines up to "end", run later ---- */

struct bw_block;
bool bw_cli_collects(const struct bw_cli *c);
/* Adds a line to the block that is being collected. */
struct bw_error *bw_cli_collect(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* Drops the block that is being collected. */
void bw_cli_cancel_block(struct bw_cli *c);
/* The input has ended: a block without its "end" is an error. */
struct bw_error *bw_cli_end_blocks(struct bw_cli *c) BW_MUST_CHECK;
/* Runs the user-defined command of this name, if there is one. */
struct bw_error *bw_cli_run_defined(struct bw_cli *c, const char *line,
				    bool *out_ran) BW_MUST_CHECK;
/* Runs the commands of the breakpoint that stopped the program, and of those hit by running
 * them. */
struct bw_error *bw_cli_run_stop_commands(struct bw_cli *c) BW_MUST_CHECK;
/* Whether the breakpoint's commands begin with "silent". */
bool bw_cli_is_silent(const struct bw_cli *c, uint32_t breakpoint);
void bw_cli_free_blocks(struct bw_cli *c);
/* Shows the help text given by "document"; false: there is no such user-defined command. */
bool bw_cli_help_defined(struct bw_cli *c, const char *name);
/* The user's command of that name, or all. */
struct bw_error *bw_show_user(struct bw_cli *c, const char *name) BW_MUST_CHECK;
/* Lines of a breakpoint's commands; cookie is the cli. */
const char *const *bw_cli_commands_of(void *cookie, uint32_t breakpoint, size_t *out_n);

/* ---- cmd_break.c ---- */

/* Says where a breakpoint is that has just been set; kind: "Breakpoint", as it begins the line. */
void bw_cli_show_new_breakpoint(struct bw_cli *c, uint32_t number, const char *kind);

/* ---- cmd_printf.c ---- */

/* A wave has hit a dprintf. */
void bw_cli_passing(void *cookie, uint32_t breakpoint, uint32_t wave);

/* ---- cmd_run.c ---- */

/* "Value returned is $1 = 15"; nothing where the function returns none. */
void bw_cli_show_returned(struct bw_cli *c, const struct bw_returned *r);

/* ---- cmd_display.c ---- */

void bw_cli_show_displays(struct bw_cli *c);
void bw_cli_free_displays(struct bw_cli *c);
/* enable display, disable display */
struct bw_error *bw_cli_enable_displays(struct bw_cli *c, const char *args, bool on) BW_MUST_CHECK;

/* ---- cmd_code.c ---- */

/* "list" begins anew, around the selected frame. */
void bw_cli_forget_list(struct bw_cli *c);
unsigned bw_cli_list_size(const struct bw_cli *c);

/* ---- crash_registers.c ---- */

/* The GPU's registers in the crash file, or those whose names have `part` in them. */
struct bw_error *bw_cli_show_crash_registers(struct bw_cli *c, const char *part) BW_MUST_CHECK;

#endif
