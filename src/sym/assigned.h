/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_ASSIGNED_H
#define BW_SYM_ASSIGNED_H

/* Finds, in the text of the source, the assignments that can have given a variable its value. The
 * optimizer moves code, and the location lists that it writes then have values before the statement
 * that assigns them, or after the next one has. Pure. */

#include "sym/types.h"

struct bw_assigned {
	const char *(*line)(void *ctx, unsigned line); /* its text, borrowed; NULL: no such line */
	void *ctx;
	const char *name;
	const struct bw_ctype *type;
	unsigned decl_line;
	bool is_param;
	unsigned at_line; /* the statement that is about to be executed */
};

enum { BW_ASSIGNED_MAX = 64 };

/* Whether an assignment that gives the variable this constant (bits, as bw_location has them) can
 * be the last one that was executed. One whose value is not known counts if no other assignment may
 * give the constant, and for a parameter only if no other can be the last one. False also if the
 * text does not say enough (an #if in the variable's scope, a goto, a macro that assigns it). True
 * if there is no text. is_part: the value is that of a member. */
bool bw_assigned_constant(const struct bw_assigned *a, uint64_t value, bool is_part);
/* The lines of the assignments that can have been executed last, each once. The call assigns a
 * parameter; it counts with the line of the declaration. is_all: there are no others. False: the
 * text does not say enough. is_part: only a member is meant. */
struct bw_assigned_last {
	unsigned line[BW_ASSIGNED_MAX];
	size_t n;
	bool is_all;
};
bool bw_assigned_last(const struct bw_assigned *a, bool is_part, struct bw_assigned_last *out);

/* The statements that can write to the variable, as far as its scope reaches, in order; an array's
 * bare name is its address, by which anybody may write. size_b: of what is assigned, 0 where that
 * is not known, as by an address. *out_n: at most BW_ASSIGNED_MAX. False: the text does not say
 * enough. */
struct bw_assigned_place {
	unsigned line;
	uint64_t size_b;
};
bool bw_assigned_places(const struct bw_assigned *a, struct bw_assigned_place out[BW_ASSIGNED_MAX],
			size_t *out_n);
/* Whether a parameter has what it was called with as long as its function runs: the text has
 * nothing that assigns it, or may. In doubt the answer is no: a macro that it is given to, or one
 * that assigns, its address, and with has_references (C++) a call that it is an argument of. */
bool bw_assigned_never(const struct bw_assigned *a, bool has_references);

#endif
