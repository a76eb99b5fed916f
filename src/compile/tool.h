/* SPDX-License-Identifier: MIT */
#ifndef BW_COMPILE_TOOL_H
#define BW_COMPILE_TOOL_H

/* Programs that compile or convert a source, and the temporary folder for their output. One
 * thread. */

#include "base/error.h"
#include "base/str.h"

/* ---- temporary.c: a folder of this process, removed at its end ---- */

/* The path for the object of this source, in the temporary folder. The caller owns it. */
struct bw_error *bw_temporary_object(const char *source, char **out_path) BW_MUST_CHECK;
/* Like bw_temporary_object, with another suffix than ".co". */
struct bw_error *bw_temporary_file(const char *source, const char *suffix,
				   char **out_path) BW_MUST_CHECK;

/* ---- tool.c ---- */

struct bw_tool {
	const char *source;
	const char *what;    /* what a failure means for the source: "does not compile" */
	const char *package; /* the package with the program; NULL: it is ours, and its messages are
			      * about the source */
	const char *variable; /* that names argv[0]; NULL: none does */
	/* gets its messages about a source that it accepts; NULL: not wanted */
	struct bw_str *said;
};
/* Runs argv[0], which is searched in PATH. Its messages about a source that it rejects are part of
 * the error. */
struct bw_error *bw_tool_run(const char *const *argv, const struct bw_tool *tool) BW_MUST_CHECK;

#endif
