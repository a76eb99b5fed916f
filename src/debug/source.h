/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_SOURCE_H
#define BW_DEBUG_SOURCE_H

/* Source files: the paths in which they are looked for, and what is known of them. */

#include "debug/debug.h"
#include "sym/listed.h"
#include "sym/source_paths.h"

/* The paths of the session, which may be changed. */
struct bw_source_paths *bw_debug_source_paths(struct bw_debug *d);

/* Facts about a file that a code object names. Strings are borrowed. */
struct bw_source_info {
	struct bw_source_file file;
	bool has_unit;
	struct bw_source_unit unit;
};
/* False: neither a code object nor the shader that is to run names the file. */
bool bw_debug_source_info(struct bw_debug *d, const char *file, struct bw_source_info *out);
/* The files that the i-th code object names; false after the last object. Raw code names none. */
bool bw_debug_source_files(struct bw_debug *d, size_t i, const char **out_object,
			   const char *const **out, size_t *out_n);
/* The names of one kind (sym/listed.h) in the i-th code object's debug information, and the symbols
 * that are not in it: functions for FUNCTIONS, data for VARIABLES. Addresses are in the image. The
 * caller frees both (bw_listed_free, free). False after the last code object. */
struct bw_debug_listed {
	struct bw_listed *list;
	size_t n;
	const struct bw_symbol **symbols;
	size_t n_symbols;
	uint64_t base; /* where its image was loaded first; 0: it is not loaded */
};
bool bw_debug_list(struct bw_debug *d, size_t i, enum bw_listed_kind kind,
		   struct bw_debug_listed *out, struct bw_error **out_err);
/* Any line of a source file; NULL when it cannot be read, or has no such line. Warns, once, about a
 * file that has changed since compilation. */
const char *bw_debug_source_line(struct bw_debug *d, const char *file, unsigned line);
/* The line that gdb prints for a line that cannot be read: "14\tx.cl: No such file or directory."
 * the first time, "14\tin x.cl" later. */
void bw_debug_source_missing(struct bw_debug *d, const char *file, unsigned line, char *out,
			     size_t out_b);

#endif
