/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_PREPARE_H
#define BW_SESSION_PREPARE_H

/* What becomes a session's program: a kernel, a shader, a capture, a program; or the crash file
 * that is looked at. All errors of it and its options are found here, before anything starts. */

#include "session/run_options.h"
#include "session/session.h"

/* o->kernel (kernel.c), whatever of these it is. */
struct bw_error *bw_prepare_kernel(struct bw_session *s, struct bw_run_options *o) BW_MUST_CHECK;
/* o->program */
struct bw_error *bw_prepare_program(struct bw_session *s, struct bw_run_options *o) BW_MUST_CHECK;

/* shader.c: makes SPIR-V of it, and its launcher the program. */
struct bw_error *bw_prepare_shader(struct bw_session *s, const char *source,
				   const struct bw_compile_options *compile,
				   const struct bw_launch_options *launch) BW_MUST_CHECK;

/* capture.c: whether the file is taken as a capture; and makes its replay the program. The options
 * are for messages: a capture takes none of them. */
bool bw_is_capture(const char *path);
struct bw_error *bw_prepare_capture(struct bw_session *s, const char *path,
				    const struct bw_compile_options *compile,
				    const struct bw_launch_options *launch) BW_MUST_CHECK;

/* crash.c: reads o->kernel, says what happened, and shows where its waves are. */
struct bw_error *bw_open_crash(struct bw_session *s, const struct bw_run_options *o) BW_MUST_CHECK;
/* waves.c: reads the waves that are on the GPU, which is open, and shows where they are. */
struct bw_error *bw_open_waves(struct bw_session *s, const struct bw_run_options *o) BW_MUST_CHECK;

#endif
