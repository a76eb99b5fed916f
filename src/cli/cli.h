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

/* Whether an editor drives the session (dap.c), and whether commands then wait for stops. */
enum bw_cli_editor {
	BW_EDITOR_NONE,
	/* commands do not wait for stops, since requests are answered meanwhile */
	BW_EDITOR_WAITS,
	BW_EDITOR_LETS_WAIT, /* the commands of -ex and -x wait for stops, as at the prompt */
};

/* Where `x` and `list` continue, and how much `list` and `backtrace` show. */
struct bw_cli_shown {
	struct bw_print_format x_format;
	enum bw_space x_space;
	uint64_t x_next;
	char *list_file;		/* owned */
	unsigned list_first, list_next; /* the lines that were shown last: [first, next) */
	unsigned list_size;		/* number of lines that `list` shows; 0: the usual number */
	unsigned backtrace_limit;	/* number of frames; 0: all */
};

/* Commands of breakpoints, and user-defined commands (blocks.c). */
struct bw_cli_blocks {
	struct bw_block *block; /* owned */
	size_t n;
	struct bw_block *collecting; /* owned; collects lines up to "end"; NULL: lines are run */
	unsigned depth;		     /* number of nested blocks in it that have not ended */
	uint32_t *collecting_for;    /* owned; the breakpoints that get its lines as commands */
	size_t n_collecting_for;
};

/* What is done after a stop (stops.c, control.c). */
struct bw_cli_after_stop {
	uint32_t breakpoint; /* its commands run after this command; 0: none */
	bool runs_commands;  /* they run now */
	/* the value returned by the function that "finish" has left, or NULL */
	const struct bw_returned *returned;
	/* commands -each-wave: number of waves for which the list still has to run; until it is 0,
	 * no command resumes waves */
	size_t waves_left;
	bool wave_done; /* for one of the waves, a command that resumes was reached */
};

/* cmd_display.c */
struct bw_cli_displays {
	struct bw_display *display; /* owned */
	size_t n;
};

struct bw_cli {
	/* `own`, or the session of a program that calls our library */
	struct bw_session *session;
	struct bw_session own;
	struct bw_debug *debug; /* borrowed from the session */
	struct bw_out *out;	/* borrowed from the session; owned with `own` */
	enum bw_cli_editor editor;

	struct bw_cli_tui *tui; /* owned; NULL: the terminal screen was never enabled */

	bool plain;		    /* neither commands nor a prompt were used so far */
	bool is_batch;		    /* --batch */
	bool confirm;		    /* quit asks for confirmation */
	volatile sig_atomic_t quit; /* no further command is run; signal handlers set it as well */
	bool trace;		    /* set trace-commands on: commands are shown as they run */
	int64_t n_requests;	    /* --json: number of requests so far */
	bool error_reported;	    /* --json: the error of a request is in its end object */
	char *last_command;	    /* owned; the command that Enter repeats */

	struct bw_cli_shown shown;
	struct bw_cli_blocks blocks;
	struct bw_cli_after_stop after_stop;
	unsigned stops;	     /* number of stops, without those of single steps */
	unsigned depth;	     /* nesting of commands that run other commands */
	unsigned max_rounds; /* limit for rounds of a loop; 0: none */
	bool confined;	     /* no command may start programs or touch files (fuzzing) */

	struct bw_terminal terminal;

	struct bw_cli_displays displays;
	uint32_t entry_breakpoint; /* the breakpoint of "set trap-on-entry" */
};

/* Runs one line. Errors have not been shown yet. */
struct bw_error *bw_cli_execute(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* Runs several lines, a block or commands one after the other, up to the first error or quit. */
struct bw_error *bw_cli_execute_lines(struct bw_cli *c, const char *lines) BW_MUST_CHECK;
/* Called before anything that runs other lines. Fails if these are nested too deeply; otherwise the
 * caller does c->depth-- afterwards. */
struct bw_error *bw_cli_deeper(struct bw_cli *c) BW_MUST_CHECK;

/* ---- begin.c: from nothing to a session, and back ---- */

/* Initialises a command line that has no session yet: c->session is there, but empty. */
void bw_cli_init(struct bw_cli *c);
/* Gives the command line a session of its own, which is not open yet and prints to f (borrowed). */
struct bw_error *bw_cli_begin(struct bw_cli *c, FILE *f, bool json) BW_MUST_CHECK;
/* Gives a session the prompt's commands: the command line is told about stops, and callers of the
 * library can run commands. */
void bw_cli_join(struct bw_cli *c, struct bw_session *s);
/* Frees the parts of a command line, with its own session. The caller owns c itself. */
void bw_cli_fini(struct bw_cli *c);

/* library.c: the commands for callers of the library; the cookie is the command line. */
extern const struct bw_session_commands bw_cli_as_commands;

/* ---- stops.c ---- */

/* The hooks by which a command line adds to a session's stops; the cookie is the command line. */
struct bw_session_hooks bw_cli_hooks(struct bw_cli *c);
/* Waits for the next stop and shows it. Does nothing for an editor, which waits itself. */
struct bw_error *bw_cli_wait_and_show(struct bw_cli *c) BW_MUST_CHECK;
/* Handles a stop of "finish": the returned value is printed before the displays, as in gdb. */
void bw_cli_finished(struct bw_cli *c, const struct bw_stop *s, const struct bw_returned *r);

/* ---- leave.c ---- */

/* Leaves the program (bw_session_leave), and tells the user if it was killed. */
void bw_cli_leave(struct bw_cli *c);
/* Prints the error that ends a command, and frees it; the exit status tells that there was an
 * error. */
void bw_cli_fail(struct bw_cli *c, struct bw_error *err);
/* "QUESTION(y or n) ": asks at a terminal. Without a terminal the answer is yes, and this is
 * printed, as in gdb. After "set confirm off" the answer is yes without a question. */
bool bw_cli_ask(struct bw_cli *c, const char *question);
/* Asks the user whether to quit while a program is debugged; true without a question if there is
 * nothing to lose, or if the session is not interactive. */
bool bw_cli_may_leave(struct bw_cli *c);
/* ---- json_requests.c: --json ---- */

/* Prints the first object of a session. */
void bw_cli_begin_json(struct bw_cli *c);
/* Runs one line of input as a request. An error has been shown when it returns. */
struct bw_error *bw_cli_request(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* ---- script.c, edit.c: where lines come from ---- */

/* Runs one line of a script: a command that merely comes too late or too early is reported, and is
 * not an error. */
struct bw_error *bw_cli_execute_scripted(struct bw_cli *c, const char *line) BW_MUST_CHECK;
struct bw_run_options;
/* Runs the commands of -ex and -x. The first that fails is the last; where a prompt follows, it is
 * reported, and the others run. */
struct bw_error *bw_cli_run_script(struct bw_cli *c, const struct bw_run_options *o,
				   bool has_prompt) BW_MUST_CHECK;
struct bw_error *bw_cli_run_file(struct bw_cli *c,
				 const char *path) BW_MUST_CHECK; /* "-": standard input */
/* Whether commands wait on standard input. A terminal never counts; a pipe counts when something
 * comes within a moment, so that an open pipe without a writer does not delay the kernel ("-x -"
 * waits for as long as it takes). */
bool bw_cli_commands_on_stdin(void);
/* Runs the prompt until quit or end of input. */
void bw_cli_interact(struct bw_cli *c);
/* Selects the character set of the terminal: the user's locale, or UTF-8. */
void bw_cli_choose_characters(void);

/* ---- blocks.c, control.c: lines up to "end", run later ---- */

struct bw_block;
bool bw_cli_collects(const struct bw_cli *c);
/* Adds a line to the block that is being collected. */
struct bw_error *bw_cli_collect(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* Drops the block that is being collected. */
void bw_cli_cancel_block(struct bw_cli *c);
/* Called when the input has ended. A block without its "end" is an error. */
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
/* Shows the user-defined command of that name; NULL: all of them. */
struct bw_error *bw_show_user(struct bw_cli *c, const char *name) BW_MUST_CHECK;
/* The lines of a breakpoint's commands. cookie: the command line. */
const char *const *bw_cli_commands_of(void *cookie, uint32_t breakpoint, size_t *out_n);

/* ---- cmd_break.c ---- */

/* Prints where a breakpoint is that was just set. kind: "Breakpoint", the first word of the
 * line. */
void bw_cli_show_new_breakpoint(struct bw_cli *c, uint32_t number, const char *kind);

/* ---- cmd_printf.c ---- */

/* Called when a wave has hit a dprintf. */
void bw_cli_passing(void *cookie, uint32_t breakpoint, uint32_t wave);

/* ---- cmd_run.c ---- */

/* Prints "Value returned is $1 = 15"; nothing if the function returns no value. */
void bw_cli_show_returned(struct bw_cli *c, const struct bw_returned *r);

/* ---- cmd_display.c ---- */

void bw_cli_show_displays(struct bw_cli *c);
void bw_cli_free_displays(struct bw_cli *c);
/* Runs "enable display" and "disable display". */
struct bw_error *bw_cli_enable_displays(struct bw_cli *c, const char *args, bool on) BW_MUST_CHECK;

/* ---- cmd_code.c ---- */

/* Makes "list" begin anew, around the selected frame. */
void bw_cli_forget_list(struct bw_cli *c);
unsigned bw_cli_list_size(const struct bw_cli *c);

/* ---- crash_registers.c ---- */

/* Shows the GPU's registers in the crash file; part: only those whose names contain it. */
struct bw_error *bw_cli_show_crash_registers(struct bw_cli *c, const char *part) BW_MUST_CHECK;

#endif
