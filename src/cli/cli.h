/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CLI_H
#define BW_CLI_CLI_H

/* The command line: `breakwater run` and the commands typed at its prompt. One session, one thread;
 * only the SIGINT handler comes from elsewhere, and all it calls is bw_debug_interrupt. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/shader_wishes.h"
#include "cli/terminal.h"
#include "debug/debug.h"
#include "debug/stop.h"
#include "debug/waves.h"
#include "kmd/kmd.h"
#include "ui/out.h"
#include "target/call.h"
#include "target/open.h"
#include "ui/show.h"

/* Exit statuses: 0, or the program's own; these are ours. Ended by signal N it is 128 + N, as a
 * shell says. */
enum {
	BW_EXIT_USAGE = 2,
	BW_EXIT_GPU = 3,
	BW_EXIT_OUTPUT = 4 /* it could not be written */,
	BW_EXIT_TIMEOUT = 124 /* as timeout(1) */,
	BW_EXIT_CANNOT_RUN = 126 /* as shells */,
	BW_EXIT_NOT_FOUND = 127,
	BW_EXIT_SIGNAL = 128
};

struct bw_returned;
struct bw_crash;
struct bw_cli_tui;

/* A session that an editor drives (dap.c): no command waits for a stop, since requests are answered
 * meanwhile, and the program's output does not go to ours. */
struct bw_cli_editor {
	bool waits; /* commands wait all the same: those of -ex and -x */
	void (*stopped)(void *cookie, const struct bw_stop *s);
	void *cookie;
	int output_fd[2]; /* where the program writes standard output and error */
};

struct bw_program {
	/* owned, NULL-terminated: the launcher and its options, or the program */
	char **argv;
	bool is_kernel;
};

struct bw_cli {
	struct bw_debug *debug;
	struct bw_out *out;
	struct bw_kmd *kmd;
	struct bw_program program;
	struct bw_swaps *swaps;	      /* owned; shaders that are replaced, or NULL */
	struct bw_crash *crash;	      /* owned; a crash file that is looked at, or NULL */
	struct bw_cli_editor *editor; /* NULL: there is none */

	struct bw_cli_tui *tui; /* owned; NULL: the terminal screen was never enabled */

	bool is_library; /* of a program that calls our library: its signal handlers are its own */
	/* Called for each stop that has been shown; NULL: nobody wants to know. */
	void (*on_stop)(void *cookie, const struct bw_stop *s);
	void *on_stop_cookie;

	bool plain;		  /* no command has been given: the kernel runs at once */
	bool attached;		  /* attached to a running program: it is never killed without the
				     * user asking */
	struct bw_stop last_stop; /* of kind NONE: there was none */
	struct bw_str warnings;	  /* since the program was resumed last, a line each */
	uint64_t clients_before;  /* number of clients of the virtual GPU when the program was
				     * started */
	struct bw_shader_wishes shaders;
	bool detach_on_fork;	    /* processes that the program starts are not debugged with it */
	bool interactive;	    /* interactive: questions can be asked */
	bool is_batch;		    /* --batch */
	bool confirm;		    /* quit asks */
	volatile sig_atomic_t quit; /* no further command is run; signal handlers set it, too */
	volatile sig_atomic_t ended_by; /* the signal that ended the session; SIGALRM: --timeout */
	unsigned interrupts_before;	/* number of Ctrl-C when the command began */
	/* during the command: the user was told what is waited for; Ctrl-C ended a wait */
	bool wait_told, wait_given_up;
	double limit_s; /* limit of the whole session; 0: none */
	bool trace;	/* set trace-commands on: commands are shown as they run */
	int exit_status;
	bool exit_status_known; /* the program has ended with exit_status */
	bool gpu_fault;		/* the last stop was a fault of the GPU's code: exit status 3 if the
				 * session ends now */

	/* where the block of arguments of a dispatch has the address of printf's buffer, and the
	 * formats; NULL: its kernel prints nothing, or is not one of `run KERNEL`. Borrowed from
	 * the session. */
	const struct bw_code_object *printf_object;
	uint32_t printf_offset_b;

	int output_fd;	     /* --json: memfd the program's standard output goes to, else -1 */
	off_t output_shown;  /* bytes of it */
	int64_t n_requests;  /* --json: so far */
	bool error_reported; /* --json: the error of a request is in its end object */
	char *last_command;  /* owned; what Enter repeats */

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
	bool in_stop_commands;
	/* commands -each-wave: number of waves that the list still runs for; until then no command
	 * resumes waves */
	size_t waves_left;
	bool wave_done;	     /* for one of the waves such a command was reached */
	unsigned stops;	     /* counts stops, without those of single steps */
	unsigned depth;	     /* nesting of commands that run other commands */
	unsigned max_rounds; /* of a loop; 0: no limit */
	bool is_captured;    /* what is printed now is kept for a caller of the library */
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

/* ---- run.c: the session ---- */

/* The state of a session that has not been opened. */
void bw_cli_init(struct bw_cli *c);
/* The session of `breakwater run` (attach: of `breakwater attach`) with these words, without a
 * command yet, for a library or a report, whose c->out is there already. */
struct bw_error *bw_cli_open(struct bw_cli *c, int argc, char **argv, bool attach) BW_MUST_CHECK;
/* Frees what a session has; c itself is the caller's. */
void bw_cli_fini(struct bw_cli *c);

/* ---- session.c: the program and its stops ---- */

struct bw_error *bw_cli_start_program(struct bw_cli *c) BW_MUST_CHECK;
/* Waits for the next stop and shows it; for an editor, which waits itself, nothing. */
struct bw_error *bw_cli_wait_and_show(struct bw_cli *c) BW_MUST_CHECK;
/* Shows a stop that a step returned, and the displays. */
void bw_cli_stopped(struct bw_cli *c, const struct bw_stop *s, bool brief);
/* The same for "finish": what the function returned stands before the displays, as in gdb. */
void bw_cli_stopped_behind(struct bw_cli *c, const struct bw_stop *s, const struct bw_returned *r);
/* Before the session ends: kills programs that it has started, detaches from those that it has
 * attached to. */
void bw_cli_leave(struct bw_cli *c);
/* Tells the error that ends the command and frees it; the exit status says that it was one. */
void bw_cli_fail(struct bw_cli *c, struct bw_error *err);
/* "QUESTION(y or n) ": asks at a terminal. Without one the answer is yes, and this is said, as in
 * gdb. After "set confirm off" it is yes without a question. */
bool bw_cli_ask(struct bw_cli *c, const char *question);
/* Asks the user whether to quit while a program is debugged; true without a question where there is
 * nothing to lose, or the session is not interactive. */
bool bw_cli_may_leave(struct bw_cli *c);
struct bw_error *bw_cli_need_wave(struct bw_cli *c, const struct bw_wave_info **out) BW_MUST_CHECK;
/* From here on, where it is no library's session, SIGINT stops the program, and SIGTERM, SIGHUP and
 * the limit of --timeout end the session. */
void bw_cli_catch_interrupts(struct bw_cli *c);
/* From here on signals change nothing of this session any more, as it is freed. */
void bw_cli_ignore_interrupts(const struct bw_cli *c);
/* Number of Ctrl-C so far. */
unsigned bw_cli_interrupts(void);
/* What Ctrl-C does to a session. Async-signal-safe. */
void bw_cli_interrupt(struct bw_cli *c);
/* Beside what a signal that ends the session does (SIGTERM, SIGHUP, the limit of --timeout), fn is
 * called, in the signal handler. NULL: nothing is. */
void bw_cli_on_end(void (*fn)(void));
/* The session that signals belong to: that of this process's command line. NULL: there is none. */
struct bw_cli *bw_cli_current(void);

/* ---- json_requests.c: --json ---- */

/* The first object of a session. */
void bw_cli_begin_json(struct bw_cli *c);
const char *bw_cli_version(void);
/* Runs one line of input as a request; its error has been shown. */
struct bw_error *bw_cli_request(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* Descriptor for the program's standard output, -1: ours. */
struct bw_error *bw_cli_keep_output(struct bw_cli *c, int *out_fd) BW_MUST_CHECK;
/* Shows what the program has written since the last call; ended: it will write no more. */
void bw_cli_show_output(struct bw_cli *c, bool ended);
/* --json: bytes that the program has printed, as an event. */
void bw_cli_show_bytes(struct bw_cli *c, const char *data, size_t n);
/* kernel_printf.c: what the kernel of `breakwater run KERNEL` has printed since the last stop. The
 * launcher shows the rest at its end. */
void bw_cli_show_kernel_output(struct bw_cli *c);

/* ---- long_waits.c ---- */

/* From here on the user is told when a wait depends on a stopped process, and Ctrl-C gives up such
 * a wait. */
void bw_cli_watch_waits(struct bw_cli *c);
/* A new command begins: an earlier Ctrl-C was meant for another one. */
void bw_cli_begin_command(struct bw_cli *c);

/* ---- script.c, edit.c: where lines come from ---- */

/* Runs one line of a script: a command that comes only too late or too early is reported, and is no
 * error. */
struct bw_error *bw_cli_execute_scripted(struct bw_cli *c, const char *line) BW_MUST_CHECK;
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

/* ---- cmd_attach.c ---- */

struct bw_error *bw_cli_attach(struct bw_cli *c, pid_t pid) BW_MUST_CHECK;

#endif
