/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_SOURCE_H
#define BW_DEBUG_SOURCE_H

/* Source files: where they are looked for, and what is known of them. */

#include "debug/debug.h"
#include "sym/listed.h"
#include "sym/source_paths.h"

/* The paths of the session, which may be changed. */
struct bw_source_paths *bw_debug_source_paths(struct bw_debug *d);

/* What is known of a file that a code object names. Strings are borrowed. */
struct bw_source_info {
	struct bw_source_file file;
	bool has_unit;
	struct bw_source_unit unit;
};
/* False: no code object names the file, and not the shader that is to run. */
bool bw_debug_source_info(struct bw_debug *d, const char *file, struct bw_source_info *out);
/* The files that the i-th code object names; false past the last one. Raw code names none. */
bool bw_debug_source_files(struct bw_debug *d, size_t i, const char **out_object,
			   const char *const **out, size_t *out_n);
/* What the i-th code object's debug information has of that kind (sym/listed.h), and which of its
 * symbols are not in it: functions by FUNCTIONS, data by VARIABLES; addresses are in the image. The
 * caller frees both (bw_listed_free, free). False past the last code object. */
struct bw_debug_listed {
	struct bw_listed *list;
	size_t n;
	const struct bw_symbol **symbols;
	size_t n_symbols;
	uint64_t base; /* where its image is loaded first, 0: it is not */
};
bool bw_debug_list(struct bw_debug *d, size_t i, enum bw_listed_kind kind,
		   struct bw_debug_listed *out, struct bw_error **out_err);
/* Any line of a source file; NULL when it cannot be read, or has no such line. A file that has been
 * changed since compilation is told of by a warning, once. */
const char *bw_debug_source_line(struct bw_debug *d, const char *file, unsigned line);
/* What gdb shows of a line that cannot be read: "14\tx.cl: No such file or directory." the first
 * time, "14\tin x.cl" later. */
void bw_debug_source_missing(struct bw_debug *d, const char *file, unsigned line, char *out,
			     size_t out_b);

#endif
