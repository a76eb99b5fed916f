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
#include "base/vec.h"
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
	BW_EXIT_SIGNAL = 128
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

	bool plain;		    /* no command has been given: the kernel runs at once */
	bool attached;		    /* attached to a running program: it is never killed without the
				     * user asking */
	uint64_t clients_before;    /* number of clients of the virtual GPU when the program was
				     * started */
	bool detach_on_fork;	    /* processes that the program starts are not debugged with it */
	bool interactive;	    /* interactive: questions can be asked */
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
	bool confined;	     /* no command may start programs or touch files (fuzzing) */

	struct bw_display *displays; /* owned */
	size_t n_displays;
	uint32_t entry_breakpoint; /* of "set trap-on-entry" */
};

/* ---- commands.c: the table ---- */

typedef struct bw_error *bw_command_fn(struct bw_cli *c, const char *args);

enum bw_complete {
	BW_COMPLETE_NONE,
	BW_COMPLETE_EXPR,
	BW_COMPLETE_WHERE,
	BW_COMPLETE_INFO,
	BW_COMPLETE_COMMAND,
	BW_COMPLETE_FILE,
	BW_COMPLETE_SET,
	BW_COMPLETE_SHOW,
	BW_COMPLETE_CATCH
};

struct bw_command {
	const char *name;
	/* prefix that is enough even where others begin like it, or NULL */
	const char *shortest;
	bw_command_fn *run;
	const char *args; /* for help: "[N[:LANE]]" */
	const char *help; /* one line */
	const char *more; /* further lines or NULL */
	enum bw_complete complete;
	bool repeats; /* Enter runs it again */
	bool outside; /* starts programs or touches files */
};

const struct bw_command *bw_commands(size_t *out_n);
const struct bw_command *bw_info_commands(size_t *out_n);
/* Finds by unique prefix or alias. Errors name the nearest or the ambiguous ones. */
struct bw_error *bw_command_find(const struct bw_command *table, size_t n, const char *word,
				 const char *what, const struct bw_command **out) BW_MUST_CHECK;
/* Runs one line. Errors have not been shown yet. */
struct bw_error *bw_cli_execute(struct bw_cli *c, const char *line) BW_MUST_CHECK;

/* ---- targets.c ---- */

/* Opens a target for what is to be debugged; the caller closes it. */
struct bw_error *bw_cli_open_target(const struct bw_target_source *source,
				    struct bw_target **out) BW_MUST_CHECK;

/* ---- session.c: the program and its stops ---- */

struct bw_error *bw_cli_start_program(struct bw_cli *c) BW_MUST_CHECK;
/* Waits for the next stop and shows it. */
struct bw_error *bw_cli_wait_and_show(struct bw_cli *c) BW_MUST_CHECK;
/* Shows a stop that a step returned. */
void bw_cli_stopped(struct bw_cli *c, const struct bw_stop *s, bool brief);
/* Before the session ends: kills programs that it has started, detaches from those that it has
 * attached to. */
void bw_cli_leave(struct bw_cli *c);
/* Asks the user whether to quit while a program is debugged; true without a question where there is
 * nothing to lose, or the session is not interactive. */
bool bw_cli_may_leave(struct bw_cli *c);
struct bw_error *bw_cli_need_wave(struct bw_cli *c, const struct bw_wave_info **out) BW_MUST_CHECK;
/* From here on SIGINT stops the program, and SIGTERM, SIGHUP and the limit of --timeout end the
 * session. */
void bw_cli_catch_interrupts(struct bw_cli *c);
/* From here on signals change nothing any more, as the session is freed. */
void bw_cli_ignore_interrupts(void);
/* Number of Ctrl-C so far. */
unsigned bw_cli_interrupts(void);

/* ---- requests.c: --json ---- */

/* The first object of a session. */
void bw_cli_begin_json(struct bw_cli *c);
/* Runs one line of input as a request; its error has been shown. */
struct bw_error *bw_cli_request(struct bw_cli *c, const char *line) BW_MUST_CHECK;
/* Descriptor for the program's standard output, -1: ours. */
struct bw_error *bw_cli_keep_output(struct bw_cli *c, int *out_fd) BW_MUST_CHECK;
/* Shows what the program has written since the last call; ended: it will write no more. */
void bw_cli_show_output(struct bw_cli *c, bool ended);

/* ---- waits.c ---- */

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
/* Prompt until quit or end of input. */
void bw_cli_interact(struct bw_cli *c);

/* ---- complete.c ---- */

struct bw_candidates BW_VEC(char *);
/* Adds the first len bytes of a word that begins with prefix, once. */
void bw_cli_add_candidate(struct bw_candidates *out, const char *word, const char *prefix,
			  size_t len);
/* The same for each of several, with blanks between them. */
void bw_cli_add_words(struct bw_candidates *out, const char *words, const char *prefix);
/* Words that could stand at the end of a line; word points to the last one within it, which is
 * begun. Owned (bw_debug_free_words); NULL: none. */
char **bw_cli_complete(struct bw_cli *c, const char *line, const char *word);
/* Lines of no more than `width` characters, unless a single word is longer. */
void bw_cli_add_columns(struct bw_str *out, char *const *words, unsigned width);
/* cmd_set.c: names of settings, or of what can be shown, and values; before: the words in front. */
void bw_cli_add_settings(struct bw_candidates *out, const char *before, const char *prefix,
			 bool set);

/* ---- gdb_words.c ---- */

/* The sentence about a command of gdb that does not exist here; NULL: the word is none. */
struct bw_error *bw_cli_gdb_word(const char *word, bool info) BW_MUST_CHECK;

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

/* ---- parse helpers of commands ---- */

/* Splits "/8xw rest" off; *args is moved behind it. */
struct bw_error *bw_cli_take_format(const char **args, bool units,
				    struct bw_print_format *out) BW_MUST_CHECK;
const char *bw_skip_blanks(const char *s);
/* First word of *s into out (cut at out_b), *s moved behind it and the blanks after it. */
void bw_take_word(const char **s, char *out, size_t out_b);
struct bw_error *bw_cli_eval(struct bw_cli *c, const char *text,
			     struct bw_value *out) BW_MUST_CHECK;
/* An address: a pointer or an integer, or an array's place. */
struct bw_error *bw_cli_eval_address(struct bw_cli *c, const char *text, enum bw_space *out_space,
				     uint64_t *out_addr) BW_MUST_CHECK;
struct bw_error *bw_cli_eval_count(struct bw_cli *c, const char *text, uint64_t *out) BW_MUST_CHECK;
/* fn for each number in "1 3-5", or once with 0 (all) when there is none. */
typedef struct bw_error *bw_number_fn(struct bw_cli *c, uint32_t number, void *cookie);
struct bw_error *bw_cli_each_number(struct bw_cli *c, const char *args, bw_number_fn *fn,
				    void *cookie) BW_MUST_CHECK;

/* ---- cmd_break.c ---- */

/* Says where a breakpoint is that has just been set; kind: "Breakpoint", as it begins the line. */
void bw_cli_show_new_breakpoint(struct bw_cli *c, uint32_t number, const char *kind);

/* ---- cmd_printf.c ---- */

/* A wave has hit a dprintf. */
void bw_cli_passing(void *cookie, uint32_t breakpoint, uint32_t wave);

/* ---- cmd_display.c ---- */

void bw_cli_show_displays(struct bw_cli *c);
void bw_cli_free_displays(struct bw_cli *c);
/* enable display, disable display */
struct bw_error *bw_cli_enable_displays(struct bw_cli *c, const char *args, bool on) BW_MUST_CHECK;

/* ---- cmd_code.c ---- */

unsigned bw_cli_list_size(const struct bw_cli *c);

/* ---- cmd_attach.c ---- */

/* NAME=VALUE, each owned, up to the first NULL. */
struct bw_error *bw_cli_vulkan_settings(char *out[3]) BW_MUST_CHECK;
/* From here on bw_kmd_open leads to the virtual GPU that this process uses, if it uses one. */
struct bw_error *bw_cli_use_gpu_of(pid_t pid, bool *out_virtual) BW_MUST_CHECK;
struct bw_error *bw_cli_attach(struct bw_cli *c, pid_t pid) BW_MUST_CHECK;
bw_command_fn bw_cmd_attach, bw_cmd_symbol_file, bw_cmd_inferior, bw_info_inferiors, bw_cmd_kill,
	bw_cmd_detach;

/* ---- assemble.c ---- */

/* Makes a code object of assembly source with clang-19. out_path: owned, in a temporary folder that
 * goes away with the process. What clang says about the source is part of the error. */
struct bw_error *bw_cli_assemble(const char *source, const char *gpu,
				 char **out_path) BW_MUST_CHECK;

/* ---- fidelity.c: --fidelity ---- */

/* More options for a virtual GPU that is going to be started. */
struct bw_error *bw_cli_add_server_args(const char *words) BW_MUST_CHECK;
/* Called before anything runs: whether there will be something to show. */
struct bw_error *bw_cli_check_fidelity(struct bw_kmd *kmd) BW_MUST_CHECK;
struct bw_error *bw_cli_show_fidelity(struct bw_kmd *kmd, struct bw_out *o) BW_MUST_CHECK;

/* ---- strict.c: --strict, --deterministic, --trace-hash ---- */

struct bw_cli_vgpu_options {
	bool strict, deterministic, trace_hash;
};
/* Whether the word is one of them. */
bool bw_cli_take_vgpu_option(const char *word, struct bw_cli_vgpu_options *o);
/* For a server that is going to be started. */
struct bw_error *bw_cli_set_up_strict(const struct bw_cli_vgpu_options *o) BW_MUST_CHECK;
/* Called before anything runs: whether there will be something to show. */
struct bw_error *bw_cli_check_strict(struct bw_kmd *kmd,
				     const struct bw_cli_vgpu_options *o) BW_MUST_CHECK;
/* debug: the session, which has the code that was executed; needed with --strict. */
struct bw_error *bw_cli_show_strict(struct bw_kmd *kmd, const struct bw_cli_vgpu_options *o,
				    struct bw_debug *debug, struct bw_out *out) BW_MUST_CHECK;
/* The same for a program without a session, whose code objects may be among the words of its
 * command line. */
struct bw_error *bw_cli_show_strict_of(struct bw_kmd *kmd, const struct bw_cli_vgpu_options *o,
				       char *const *program, struct bw_out *out) BW_MUST_CHECK;

/* Path for the object made from this source; owned, in that folder. */
struct bw_error *bw_cli_temporary_object(const char *source, char **out_path) BW_MUST_CHECK;
/* Runs clang-19. what: what has happened to the source when it fails, "does not compile". */
struct bw_error *bw_cli_clang(const char *const *args, const char *source,
			      const char *what) BW_MUST_CHECK;

/* ---- preload.c ---- */

/* Why the agent cannot get into this program, as execvp would find it: a sentence with its name.
 * NULL: it can, as far as the file tells. */
struct bw_error *bw_cli_check_preload(const char *program);
/* A sentence about a program that has failed without ever having opened the virtual GPU (`before`:
 * bw_kmd_n_clients_ever when it was started). NULL: it has opened it, or this is not known. */
struct bw_error *bw_cli_check_seen(struct bw_kmd *kmd, uint64_t before, const char *program);

/* ---- compile.c ---- */

/* The same of OpenCL C. */
struct bw_error *bw_cli_compile(const char *source, const char *gpu, char **out_path) BW_MUST_CHECK;

/* ---- one file each: cmd_*.c ---- */

bw_command_fn bw_cmd_run, bw_cmd_continue, bw_cmd_stepi, bw_cmd_nexti, bw_cmd_quit;
bw_command_fn bw_cmd_break, bw_cmd_tbreak, bw_cmd_delete, bw_cmd_enable, bw_cmd_disable,
	bw_cmd_condition, bw_cmd_ignore;
bw_command_fn bw_cmd_wave, bw_cmd_lane, bw_cmd_print, bw_cmd_set, bw_cmd_x, bw_cmd_display,
	bw_cmd_undisplay;
bw_command_fn bw_cmd_disassemble, bw_cmd_list, bw_cmd_dump, bw_cmd_info, bw_cmd_help, bw_cmd_echo,
	bw_cmd_source, bw_cmd_frame, bw_cmd_backtrace;
bw_command_fn bw_info_waves, bw_info_wave, bw_info_lanes, bw_info_registers, bw_info_all_registers,
	bw_info_breakpoints;
bw_command_fn bw_info_kernel, bw_info_dispatches, bw_info_symbol, bw_info_line, bw_info_fault,
	bw_info_display, bw_info_agents;
bw_command_fn bw_info_submissions, bw_info_dispatch, bw_info_pipelines, bw_info_buffers,
	bw_info_buffer, bw_info_descriptors;

bw_command_fn bw_cmd_step, bw_cmd_next, bw_cmd_jump, bw_cmd_starti, bw_cmd_clear, bw_cmd_save;
bw_command_fn bw_cmd_if, bw_cmd_while, bw_cmd_silent, bw_cmd_document, bw_cmd_eval;
bw_command_fn bw_cmd_call, bw_cmd_output, bw_cmd_whatis, bw_cmd_append, bw_cmd_shell, bw_cmd_cd,
	bw_cmd_pwd;
bw_command_fn bw_info_args, bw_info_locals, bw_info_program, bw_info_sharedlibrary, bw_info_signals,
	bw_info_source;
bw_command_fn bw_cmd_dprintf, bw_info_watchpoints, bw_info_sgprs, bw_info_vgprs;
bw_command_fn bw_cmd_until, bw_cmd_advance, bw_cmd_commands, bw_cmd_define, bw_cmd_printf,
	bw_cmd_restore, bw_cmd_show;
bw_command_fn bw_info_report;
bw_command_fn bw_cmd_watch, bw_cmd_rwatch, bw_cmd_awatch, bw_cmd_catch, bw_cmd_tcatch;

/* ---- subcommands: run.c, exec.c ---- */

int bw_main_run(int argc, char **argv);
int bw_main_exec(int argc, char **argv);
int bw_main_attach(int argc, char **argv);
int bw_main_doctor(int argc, char **argv);
int bw_main_vgpu(int argc, char **argv);
int bw_main_umr(int argc, char **argv); /* umr.c */
/* Puts the folder of a part of Breakwater into our PATH, before all others or behind them. */
void bw_cli_add_to_path(const char *part, bool is_first);

#endif
