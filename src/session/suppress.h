/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_SUPPRESS_H
#define BW_SESSION_SUPPRESS_H

/* Findings of --check that are known: a file with a line each, of its kind, a place, and the reason
 * why it is kept. Lines that are empty or begin with # are comments.
 *
 *     race   histogram.cl:3   the counts may be off by some, and are drawn only
 *     *      blur_edge        reads one pixel further than it needs
 *
 * The place is a pattern as in a shell, of a function's name or of a file with or without the line.
 * Parsing and matching are pure. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

struct bw_suppression {
	char *kind, *place, *reason; /* owned; kind: "race", as findings have it, or "*" */
	unsigned line;
	uint64_t n_findings; /* that it has matched */
};

struct bw_suppressions {
	struct BW_VEC(struct bw_suppression) rows;
};

/* Adds the rows of a file. known: kinds of findings, up to NULL. An error names the file and the
 * line. */
struct bw_error *bw_suppressions_read(struct bw_suppressions *s, const char *path,
				      const char *const *known) BW_MUST_CHECK;
/* Adds the row of a line, or none for a comment. */
struct bw_error *bw_suppressions_add(struct bw_suppressions *s, const char *text, size_t n,
				     unsigned line, const char *const *known) BW_MUST_CHECK;
void bw_suppressions_fini(struct bw_suppressions *s);

/* A place of a finding. */
struct bw_suppressed_place {
	const char
		*function; /* as a debugger shows it, with or without its arguments; NULL: none */
	const char *file;  /* without its folder; NULL: not known */
	unsigned line;
};
/* The first row that matches one of the places; NULL: none. */
struct bw_suppression *bw_suppressions_find(struct bw_suppressions *s, const char *kind,
					    const struct bw_suppressed_place *places, size_t n);

#endif
