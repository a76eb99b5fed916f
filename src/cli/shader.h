/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_SHADER_H
#define BW_CLI_SHADER_H

/* `breakwater run` of a compute shader. */

#include "cli/cli.h"
#include "cli/compile.h"
#include "launch/options.h"

/* By the name of its file: .comp, .glsl, .hlsl, .spvasm, .spv. */
bool bw_cli_is_shader(const char *path);
/* Makes SPIR-V of it, checks its options, and makes its launcher the session's program. */
struct bw_error *bw_cli_prepare_shader(struct bw_cli *c, const char *source,
				       const struct bw_compile_options *compile,
				       const struct bw_launch_options *launch) BW_MUST_CHECK;

/* SPIR-V of a shader that is source text, as a temporary file; out_path: owned, NULL where it is
 * SPIR-V already. entry: of HLSL. */
struct bw_error *bw_cli_compile_shader(const char *source, const char *entry,
				       const struct bw_compile_options *o,
				       char **out_path) BW_MUST_CHECK;

#endif
