/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_PROGRAMS_H
#define BW_SESSION_PROGRAMS_H

/* Programs on a GPU, with a session or without one: which GPU a process uses, whether the agent can
 * be loaded into it, options of a virtual GPU, and its reports at the end. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/options.h"
#include "debug/debug.h"
#include "kmd/kmd.h"
#include "target/open.h"
#include "ui/out.h"

/* targets.c: opens a target for what is to be debugged. The caller closes it. */
struct bw_error *bw_open_target(const struct bw_target_source *source,
				struct bw_target **out) BW_MUST_CHECK;

/* ---- process.c ---- */

/* The value of NAME in the environment with which the process was started. The caller owns it;
 * NULL: not set. */
struct bw_error *bw_process_setting(pid_t pid, const char *name, char **out) BW_MUST_CHECK;
/* Makes bw_kmd_open open, from now on, the virtual GPU that this process uses, if it uses one. */
struct bw_error *bw_use_gpu_of(pid_t pid, bool *out_virtual) BW_MUST_CHECK;

/* ---- preload.c ---- */

/* Returns an error that tells why the agent cannot be loaded into this program, which is searched
 * like by execvp. NULL: it can be, as far as the file tells. */
struct bw_error *bw_check_preload(const char *program);
/* A sentence about a program that has failed without ever having opened the virtual GPU (`before`:
 * bw_kmd_n_clients_ever when it was started). NULL: it has opened it, or this is not known. */
struct bw_error *bw_check_seen(struct bw_kmd *kmd, uint64_t before, const char *program);
/* The same of one that has succeeded, and never used a GPU: why this may be, and what to do. */
struct bw_error *bw_check_used(const char *program) BW_MUST_CHECK;

/* ---- gpu_code.c ---- */

/* Returns an error if the program has HIP kernels, but none for this GPU. NULL: it has, or this is
 * not known. */
struct bw_error *bw_check_gpu_code(struct bw_kmd *kmd, const char *program) BW_MUST_CHECK;

/* ---- fidelity.c: --fidelity ---- */

/* Adds options for a virtual GPU that is going to be started. */
struct bw_error *bw_add_server_args(const char *words) BW_MUST_CHECK;
/* Called before anything runs: an error if --fidelity will have nothing to show. */
struct bw_error *bw_check_fidelity(struct bw_kmd *kmd) BW_MUST_CHECK;
struct bw_error *bw_show_fidelity(struct bw_kmd *kmd, struct bw_out *o) BW_MUST_CHECK;

/* ---- strict.c: --strict, --deterministic, --trace-hash; and the row of --fidelity ---- */

struct bw_session;

struct bw_vgpu_options {
	bool strict, deterministic, trace_hash, fidelity, interpret;
	const char *check; /* NULL: not wanted; "": all; or names */
	bool fails_on_findings, stops_on_findings;
	const char *suppressions; /* a file (suppress.h), or NULL */
};
/* rows of options that set a struct bw_vgpu_options */
extern const struct bw_option bw_vgpu_rows[];
#define BW_DETERMINISTIC_HELP "the virtual GPU runs on one thread, in a fixed order"
/* Sets the options for a virtual GPU that is going to be started. */
struct bw_error *bw_set_up_strict(const struct bw_vgpu_options *o) BW_MUST_CHECK;
/* Called before anything runs: an error if --strict or --trace-hash will have nothing to show. */
struct bw_error *bw_check_strict(struct bw_kmd *kmd, const struct bw_vgpu_options *o) BW_MUST_CHECK;
/* debug: the session, which has the code that was executed; needed with --strict. */
struct bw_error *bw_show_strict(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				struct bw_debug *debug, struct bw_out *out) BW_MUST_CHECK;
/* Like bw_show_strict, for a program without a session. Its code objects are looked for among the
 * words of its command line. */
struct bw_error *bw_show_strict_of(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				   char *const *program, struct bw_out *out) BW_MUST_CHECK;

/* ---- check.c: --check, set up together with --strict ---- */

bw_option_take_fn bw_take_check;
struct bw_error *bw_set_up_check(const struct bw_vgpu_options *o) BW_MUST_CHECK;
struct bw_error *bw_check_check(struct bw_kmd *kmd, const struct bw_vgpu_options *o) BW_MUST_CHECK;
/* out_fails: there are findings, and --error-on-findings was given. */
struct bw_error *bw_show_check(const struct bw_session *s, const struct bw_vgpu_options *o,
			       bool *out_fails) BW_MUST_CHECK;
struct bw_error *bw_show_check_of(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				  char *const *program, struct bw_out *out,
				  bool *out_fails) BW_MUST_CHECK;

#endif
