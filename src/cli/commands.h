/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_COMMANDS_H
#define BW_CLI_COMMANDS_H

/* Commands of the prompt: the table (commands.c), one function for each (cmd_*.c), and helpers that
 * read their arguments. */

#include "cli/cli.h"

struct bw_expr_error;

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
	BW_COMPLETE_CATCH,
	BW_COMPLETE_TUI,
	BW_COMPLETE_LAYOUT,
	BW_COMPLETE_WINDOW,
	BW_COMPLETE_REGISTERS,
	BW_COMPLETE_WAVES, /* something that can be applied to waves or lanes */
};

struct bw_command {
	const char *name;
	/* a prefix that is accepted even if other commands begin with it; or NULL */
	const char *shortest;
	bw_command_fn *run;
	const char *topic; /* a name of bw_help_topics */
	const char *args;  /* for help: "[N[:LANE]]" */
	const char *help;  /* one line */
	const char *more;  /* further lines or NULL */
	/* commands as typed, one on each line; most of them for examples/saxpy.s */
	const char *examples;
	enum bw_complete complete;
	bool repeats; /* Enter runs it again */
	bool outside; /* starts programs or touches files */
};

const struct bw_command *bw_commands(size_t *out_n);
const struct bw_command *bw_info_commands(size_t *out_n);
/* Finds a command by a unique prefix or an alias. Errors name the nearest or the ambiguous ones. */
struct bw_error *bw_command_find(const struct bw_command *table, size_t n, const char *word,
				 const char *what, const struct bw_command **out) BW_MUST_CHECK;

/* The i-th word that "catch fp" accepts; NULL after the last one. */
const char *bw_cli_exception_word(size_t i);

/* ---- gdb_words.c ---- */

/* The sentence about a command of gdb that does not exist here; NULL: gdb has no such command
 * either. */
struct bw_error *bw_cli_gdb_word(const char *word, bool info) BW_MUST_CHECK;

/* ---- arguments ---- */

/* Splits "/8xw rest" off; *args is moved past it. */
/* dump image (cmd_image.c) */
struct bw_error *bw_cli_dump_image(struct bw_cli *c, const char *path,
				   const char *args) BW_MUST_CHECK;
struct bw_error *bw_cli_take_format(const char **args, bool units,
				    struct bw_print_format *out) BW_MUST_CHECK;
/* Adds to an error the line with a mark below the place of the syntax error. Frees err. */
struct bw_error *bw_cli_show_where(struct bw_cli *c, struct bw_error *err, const char *text,
				   const struct bw_expr_error *where) BW_MUST_CHECK;
struct bw_error *bw_cli_eval(struct bw_cli *c, const char *text,
			     struct bw_value *out) BW_MUST_CHECK;
/* Prints "EXPR @lanes": the values in all lanes of the focus wave. out_done false: args have
 * another form. */
struct bw_error *bw_cli_print_lanes(struct bw_cli *c, const char *args, char letter,
				    bool *out_done) BW_MUST_CHECK;
/* An address: a pointer or an integer, or an array's place. */
/* The dispatch that args name; otherwise that of the focus, a running one, or the last one. NULL:
 * there is none. */
struct bw_error *bw_cli_pick_dispatch(struct bw_cli *c, const char *args,
				      const struct bw_dispatch_info **out) BW_MUST_CHECK;
struct bw_error *bw_cli_eval_address(struct bw_cli *c, const char *text, enum bw_space *out_space,
				     uint64_t *out_addr) BW_MUST_CHECK;
struct bw_error *bw_cli_eval_count(struct bw_cli *c, const char *text, uint64_t *out) BW_MUST_CHECK;
/* cmd_data.c: sets the address for the next `x` without one. */
void bw_cli_examine_next(struct bw_cli *c, uint64_t va);
/* Calls fn for each number in "1 3-5", or once with 0 (all) if there is none. */
typedef struct bw_error *bw_number_fn(struct bw_cli *c, uint32_t number, void *cookie);
struct bw_error *bw_cli_each_number(struct bw_cli *c, const char *args, bw_number_fn *fn,
				    void *cookie) BW_MUST_CHECK;

/* ---- cmd_source.c ---- */

/* Runs "set directories" and "set substitute-path". */
struct bw_error *bw_cli_set_folders(struct bw_cli *c, const char *list) BW_MUST_CHECK;
struct bw_error *bw_cli_set_substitute(struct bw_cli *c, const char *args) BW_MUST_CHECK;
/* Runs "show directories" and "show substitute-path"; false: it is another word. */
bool bw_cli_show_paths(struct bw_cli *c, const char *word, const char *rest);

/* ---- cmd_*.c, control.c ---- */

bw_command_fn bw_cmd_run, bw_cmd_continue, bw_cmd_stepi, bw_cmd_nexti, bw_cmd_quit;
bw_command_fn bw_cmd_break, bw_cmd_tbreak, bw_cmd_delete, bw_cmd_enable, bw_cmd_disable,
	bw_cmd_condition, bw_cmd_ignore;
bw_command_fn bw_cmd_whence, bw_cmd_wave, bw_cmd_lane, bw_cmd_print, bw_cmd_set, bw_cmd_x,
	bw_cmd_display, bw_cmd_undisplay;
bw_command_fn bw_cmd_disassemble, bw_cmd_list, bw_cmd_dump, bw_cmd_report, bw_cmd_info, bw_cmd_help,
	bw_cmd_apropos, bw_cmd_echo, bw_cmd_source;
bw_command_fn bw_cmd_frame, bw_cmd_backtrace, bw_cmd_up, bw_cmd_down, bw_cmd_finish, bw_info_frame;
bw_command_fn bw_info_waves, bw_info_wave, bw_info_lanes, bw_info_registers, bw_info_all_registers,
	bw_info_breakpoints;
bw_command_fn bw_info_kernel, bw_info_dispatches, bw_info_symbol, bw_info_line, bw_info_fault,
	bw_info_finding, bw_info_findings, bw_info_display, bw_info_agents;
bw_command_fn bw_info_submissions, bw_info_dispatch, bw_info_pipelines, bw_info_buffers,
	bw_info_buffer, bw_info_descriptors;
bw_command_fn bw_info_draws, bw_info_inputs, bw_info_outputs, bw_cmd_pixel, bw_cmd_framebuffer;

bw_command_fn bw_cmd_step, bw_cmd_next, bw_cmd_jump, bw_cmd_starti, bw_cmd_clear, bw_cmd_save;
bw_command_fn bw_cmd_if, bw_cmd_while, bw_cmd_silent, bw_cmd_document, bw_cmd_eval;
bw_command_fn bw_cmd_call, bw_cmd_output, bw_cmd_whatis, bw_cmd_ptype, bw_cmd_append, bw_cmd_shell,
	bw_cmd_cd, bw_cmd_pwd;
bw_command_fn bw_info_args, bw_info_locals, bw_info_scope, bw_info_program, bw_info_queues,
	bw_info_sharedlibrary, bw_info_signals, bw_info_source;
bw_command_fn bw_cmd_dprintf, bw_info_watchpoints, bw_info_sgprs, bw_info_vgprs;
bw_command_fn bw_cmd_until, bw_cmd_advance, bw_cmd_commands, bw_cmd_define, bw_cmd_printf,
	bw_cmd_restore, bw_cmd_show;
bw_command_fn bw_info_report, bw_info_address, bw_info_sources, bw_info_functions,
	bw_info_variables, bw_info_types, bw_cmd_directory, bw_cmd_unset;
bw_command_fn bw_cmd_watch, bw_cmd_rwatch, bw_cmd_awatch, bw_cmd_catch, bw_cmd_tcatch;
bw_command_fn bw_cmd_attach, bw_cmd_symbol_file, bw_cmd_inferior, bw_info_inferiors, bw_cmd_kill,
	bw_cmd_detach;
bw_command_fn bw_cmd_tui, bw_cmd_layout, bw_cmd_focus, bw_cmd_winheight, bw_cmd_refresh,
	bw_cmd_update, bw_info_win;

#endif
