/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_SHADER_H
#define BW_CLI_SHADER_H

/* `breakwater run` of a compute shader. */

#include "cli/cli.h"
#include "compile/compile.h"
#include "launch/options.h"

/* Makes SPIR-V of it, checks its options, and makes its launcher the session's program. */
struct bw_error *bw_cli_prepare_shader(struct bw_cli *c, const char *source,
				       const struct bw_compile_options *compile,
				       const struct bw_launch_options *launch) BW_MUST_CHECK;

#endif
