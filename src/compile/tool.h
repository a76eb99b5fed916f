/* SPDX-License-Identifier: MIT */
#ifndef BW_COMPILE_TOOL_H
#define BW_COMPILE_TOOL_H

/* Programs that make something of a source, and the temporary folder for what they make. One
 * thread. */

#include "base/error.h"
#include "base/str.h"

/* ---- temporary.c: a folder of this process, removed at its end ---- */

/* Path for the object made from this source, in the temporary folder; owned. */
struct bw_error *bw_temporary_object(const char *source, char **out_path) BW_MUST_CHECK;
/* Like bw_temporary_object, with another suffix than ".co". */
struct bw_error *bw_temporary_file(const char *source, const char *suffix,
				   char **out_path) BW_MUST_CHECK;

/* ---- tool.c ---- */

struct bw_tool {
	const char *source;
	const char *what;    /* has happened to the source when it fails: "does not compile" */
	const char *package; /* that has the program; NULL: it is ours, and what it says is about
			      * the source */
	struct bw_str *said; /* its messages about a source that it accepts; NULL: not wanted */
};
/* Runs argv[0], which is looked for in PATH. Its messages about a source that it rejects are part
 * of the error. */
struct bw_error *bw_tool_run(const char *const *argv, const struct bw_tool *tool) BW_MUST_CHECK;

#endif
