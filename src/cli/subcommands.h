/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_SUBCOMMANDS_H
#define BW_CLI_SUBCOMMANDS_H

/* The subcommands (`breakwater run`, `exec`, `attach`, `doctor`, ...), and the common part of those
 * that start a program without a session. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/options.h"
#include "session/layers.h"
#include "debug/debug.h"
#include "kmd/kmd.h"
#include "ui/out.h"

/* NAME: bw_main_NAME, and bw_line_NAME with its options. */
#define BW_SUBCOMMAND(name, about)                                                                 \
	int bw_main_##name(int argc, char **argv);                                                 \
	extern const struct bw_command_line bw_line_##name;
#include "cli/subcommands.def"
#undef BW_SUBCOMMAND
int bw_main_bisect_stomp(int argc, char **argv); /* bisect/stomp.c */
/* `breakwater vgpu linux` (vgpu_linux.c); argv[0] is that last word. */
int bw_main_vgpu_linux(int argc, char **argv);
extern const struct bw_command_line bw_line_vgpu_linux;
/* exec.c: starts a program on the GPU, not debugged. attachable: `attach` and
 * `capture --pid` find its agent. */
struct bw_error *bw_cli_spawn(struct bw_kmd *kmd, char **program, struct bw_shader_wishes shaders,
			      bool attachable, pid_t *out_pid) BW_MUST_CHECK;
/* The exit status after bw_cli_spawn has failed: 127 if there is no such program, as in shells. */
int bw_cli_not_run_status(const struct bw_error *err);
/* Adds the folder of a part of Breakwater to our PATH, at the beginning or the end. */
void bw_cli_add_to_path(const char *part, bool is_first);

#endif
