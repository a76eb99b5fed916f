/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LISTED_H
#define BW_SYM_LISTED_H

/* Functions, variables and types that the debug information has, for lists of all of them. */

#include "sym/types.h"

enum bw_listed_kind { BW_LISTED_FUNCTIONS, BW_LISTED_VARIABLES, BW_LISTED_TYPES };

struct bw_listed {
	const char *name; /* borrowed from the bw_lines, as is everything that is not owned */
	const char *file; /* where it is declared; for a type of the language itself, its unit's
			   * file; NULL: not known */
	unsigned line;	  /* 0: not known */
	bool is_static;	  /* known in its own file only */
	bool is_typedef;
	/* type of the variable, result of the function, or the type itself */
	const struct bw_ctype *type;
	char *params; /* functions: "int, float *"; "void": none; owned */
};

/* Lists the symbols of files and namespaces: no variables of functions, none that is only declared.
 * In the order of the debug information, each once in a unit; fewer if it is damaged. Free with
 * bw_listed_free. */
struct bw_error *bw_lines_listed(struct bw_lines *l, enum bw_listed_kind kind,
				 struct bw_listed **out, size_t *out_n) BW_MUST_CHECK;
void bw_listed_free(struct bw_listed *list, size_t n);

#endif
