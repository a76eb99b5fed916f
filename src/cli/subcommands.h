/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_SUBCOMMANDS_H
#define BW_CLI_SUBCOMMANDS_H

/* The subcommands (`breakwater run`, `exec`, `attach`, `doctor`, ...), and what those of them share
 * that start a program without a session. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "session/layers.h"
#include "debug/debug.h"
#include "kmd/kmd.h"
#include "ui/out.h"

int bw_main_run(int argc, char **argv);
int bw_main_exec(int argc, char **argv);
int bw_main_attach(int argc, char **argv);
int bw_main_dap(int argc, char **argv);
int bw_main_capture(int argc, char **argv);
int bw_main_replay(int argc, char **argv);
int bw_main_bisect(int argc, char **argv);
int bw_main_bisect_stomp(int argc, char **argv); /* bisect_stomp.c */
int bw_main_decompile(int argc, char **argv);
int bw_main_doctor(int argc, char **argv);
int bw_main_vgpu(int argc, char **argv);
int bw_main_umr(int argc, char **argv); /* umr.c */
int bw_main_crash(int argc, char **argv);
int bw_main_report(int argc, char **argv);
int bw_main_fault(int argc, char **argv);
int bw_main_vm(int argc, char **argv);
int bw_main_regs(int argc, char **argv);
int bw_main_device(int argc, char **argv);
int bw_main_mem(int argc, char **argv);
int bw_main_waves(int argc, char **argv);
int bw_main_queues(int argc, char **argv);
int bw_main_pm4(int argc, char **argv);
int bw_main_ring(int argc, char **argv);
/* `breakwater vgpu linux` (vgpu_linux.c); argv[0] is that last word. */
int bw_main_vgpu_linux(int argc, char **argv);
/* exec.c: starts a program on the GPU, not debugged. setting: one more NAME=VALUE of its
 * environment. */
struct bw_error *bw_cli_spawn(struct bw_kmd *kmd, char **program, struct bw_shader_wishes shaders,
			      char *setting, pid_t *out_pid) BW_MUST_CHECK;
/* The exit status where bw_cli_spawn has failed: 127 where there is no such program, as shells
 * have it. */
int bw_cli_not_run_status(const struct bw_error *err);
/* Puts the folder of a part of Breakwater into our PATH, before all others or after them. */
void bw_cli_add_to_path(const char *part, bool is_first);

#endif
