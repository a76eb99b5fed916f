/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_RUN_OPTIONS_H
#define BW_SESSION_RUN_OPTIONS_H

/* The words of `breakwater run` and `breakwater attach`, as a struct. Nothing is opened or started
 * by reading them. Texts are borrowed from argv. */

#include "base/vec.h"
#include "compile/compile.h"
#include "inject/swap.h"
#include "launch/options.h"
#include "session/programs.h"

enum bw_lines_wish { BW_LINES_DEFAULT, BW_LINES_WANTED, BW_LINES_UNWANTED };
enum bw_script_kind { BW_SCRIPT_COMMAND, BW_SCRIPT_FILE };
struct bw_script_item {
	enum bw_script_kind kind;
	const char *text;
};
struct bw_script_items BW_VEC(struct bw_script_item);

struct bw_run_options {
	struct bw_script_items script;
	bool interactive, tui, batch, json, help;
	struct bw_vgpu_options vgpu;
	enum bw_lines_wish shader_lines;
	const char *gpu, *kernel;
	uint32_t gc;	/* --gfx, for a crash file; 0: not given */
	double limit_s; /* 0: none */
	bool attach;	/* `kernel` is a process number */
	/* --waves of attach: only read waves; pid 0: the waves of all processes */
	bool waves;
	bool halt; /* --halt of attach --waves */
	pid_t pid;
	bool has_rocm;	/* --rocm, for a program */
	char **program; /* the words after --, borrowed from argv */
	struct bw_launch_options launch;
	struct bw_compile_options compile;
	struct bw_swap_options swaps; /* --shader, for a program */
};

/* Parses the words. argv[0] is the subcommand, and o->attach says which one it is; the rest of *o
 * must be zero. */
struct bw_error *bw_run_options_parse(struct bw_run_options *o, int argc,
				      char **argv) BW_MUST_CHECK;
void bw_run_options_fini(struct bw_run_options *o);
extern const struct bw_command_line bw_line_run, bw_line_attach;

#endif
