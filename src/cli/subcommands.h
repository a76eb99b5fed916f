/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_SUBCOMMANDS_H
#define BW_CLI_SUBCOMMANDS_H

/* The subcommands (`breakwater run`, `exec`, `attach`, `doctor`, ...) and what they share before a
 * session begins and after it has ended: making code objects of sources, choosing the GPU and the
 * target, options of a virtual GPU. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "cli/shader_wishes.h"
#include "debug/debug.h"
#include "kmd/kmd.h"
#include "target/open.h"
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
/* replay.c: whether `breakwater run` takes the file as a capture, and makes its replay the program.
 * The options are for messages: a capture takes none of them. */
struct bw_cli;
struct bw_compile_options;
struct bw_launch_options;
bool bw_cli_is_capture(const char *path);
struct bw_error *bw_cli_prepare_capture(struct bw_cli *c, const char *path,
					const struct bw_compile_options *compile,
					const struct bw_launch_options *launch) BW_MUST_CHECK;
/* Puts the folder of a part of Breakwater into our PATH, before all others or after them. */
void bw_cli_add_to_path(const char *part, bool is_first);

/* ---- targets.c ---- */

/* Opens a target for what is to be debugged; the caller closes it. */
struct bw_error *bw_cli_open_target(const struct bw_target_source *source,
				    struct bw_target **out) BW_MUST_CHECK;

/* ---- cmd_attach.c ---- */

/* NAME=VALUE, each owned, up to the first NULL. */
enum { BW_LAYER_SETTINGS = 7 };
struct bw_error *bw_cli_layer_settings(struct bw_shader_wishes shaders,
				       char *out[BW_LAYER_SETTINGS]) BW_MUST_CHECK;
void bw_cli_free_settings(char *settings[BW_LAYER_SETTINGS]);
/* From here on bw_kmd_open leads to the virtual GPU that this process uses, if it uses one. */
struct bw_error *bw_cli_use_gpu_of(pid_t pid, bool *out_virtual) BW_MUST_CHECK;

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
/* Like bw_cli_show_strict, for a program without a session, whose code objects may be among the
 * words of its command line. */
struct bw_error *bw_cli_show_strict_of(struct bw_kmd *kmd, const struct bw_cli_vgpu_options *o,
				       char *const *program, struct bw_out *out) BW_MUST_CHECK;

/* ---- preload.c ---- */

/* Why the agent cannot get into this program, as execvp would find it: a sentence with its name.
 * NULL: it can, as far as the file tells. */
struct bw_error *bw_cli_check_preload(const char *program);
/* A sentence about a program that has failed without ever having opened the virtual GPU (`before`:
 * bw_kmd_n_clients_ever when it was started). NULL: it has opened it, or this is not known. */
struct bw_error *bw_cli_check_seen(struct bw_kmd *kmd, uint64_t before, const char *program);

#endif
