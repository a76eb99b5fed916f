/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_PREPARE_H
#define BW_SESSION_PREPARE_H

/* Prepares the program of a session: a kernel, a shader, a capture or a program; or opens a crash
 * file. All errors in it and its options are found here, before anything starts. */

#include "session/run_options.h"
#include "session/session.h"

/* Prepares o->kernel: a kernel, a shader or a capture (kernel.c). */
struct bw_error *bw_prepare_kernel(struct bw_session *s, struct bw_run_options *o) BW_MUST_CHECK;
/* Prepares o->program. */
struct bw_error *bw_prepare_program(struct bw_session *s, struct bw_run_options *o) BW_MUST_CHECK;

/* shader.c: makes SPIR-V of the source, and makes its launcher the session's program. */
struct bw_error *bw_prepare_shader(struct bw_session *s, const char *source,
				   const struct bw_compile_options *compile,
				   const struct bw_launch_options *launch) BW_MUST_CHECK;

/* capture.c: bw_is_capture tells whether the file is a capture; bw_prepare_capture makes its replay
 * the session's program. The options are for messages only, as captures have no options. */
bool bw_is_capture(const char *path);
/* The GPU to replay a capture on: gpu, or where that is any virtual one, the one that it is of.
 * Static, or gpu itself. */
const char *bw_capture_gpu(const char *path, const char *gpu);
struct bw_error *bw_prepare_capture(struct bw_session *s, const char *path,
				    const struct bw_compile_options *compile,
				    const struct bw_launch_options *launch) BW_MUST_CHECK;

/* crash.c: reads o->kernel, tells what happened, and shows the places of its waves. */
struct bw_error *bw_open_crash(struct bw_session *s, const struct bw_run_options *o) BW_MUST_CHECK;
/* waves.c: reads the waves on the open GPU, and shows their places. */
struct bw_error *bw_open_waves(struct bw_session *s, const struct bw_run_options *o) BW_MUST_CHECK;

#endif
