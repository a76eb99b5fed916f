/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_CL_PRIV_H
#define BW_SYM_CL_PRIV_H

/* cl_source.c makes tokens of OpenCL C, as a preprocessor does; cl_types.c reads declarations. */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "sym/types.h"

enum bw_cl_token_kind {
	BW_CL_END,
	BW_CL_NAME,
	BW_CL_NUMBER, /* a plain integer, with its value */
	BW_CL_MARK,   /* one character; <<, ==, && are several tokens, which touch */
	BW_CL_OTHER,  /* a string, a character constant, or another number */
	BW_CL_PACK,   /* #pragma pack: the layout of later types is different */
};
struct bw_cl_token {
	enum bw_cl_token_kind kind;
	const char *text; /* borrowed from the source or the options */
	uint32_t len;
	bool in_doubt; /* whether it is compiled depends on something that is not known */
	bool touches;  /* the token before it ends where it begins */
	int64_t value; /* NUMBER */
};
struct bw_cl_tokens BW_VEC(struct bw_cl_token);

/* All tokens that are compiled, macros replaced, with an END after them. They point into source and
 * options, which stay as they are. BW_E_INVALID: conditions, comments or macros that cannot be
 * understood; BW_E_UNSUPPORTED: the source is too large. */
struct bw_error *bw_cl_tokens_of(const char *source, const char *options,
				 struct bw_cl_tokens *out) BW_MUST_CHECK;
bool bw_cl_is(const struct bw_cl_token *t, const char *text);
/* Reads an integer constant expression at *at, which is moved after it. False: it is not one, or
 * its value is not known. `name` tells the value of a name; NULL: no name has one. */
bool bw_cl_constant(const struct bw_cl_token **at,
		    bool (*name)(void *ctx, const struct bw_cl_token *t, int64_t *out), void *ctx,
		    int64_t *out);

/* cl_scalars.c: "float", "uint", "int4" (lanes 4, else 0), without the vector around its elements.
 * False: no such name. */
bool bw_cl_scalar(const char *name, size_t len, struct bw_ctype *out, unsigned *out_lanes);
/* The i-th name of such a type; NULL after the last one. */
const char *bw_cl_scalar_name(size_t i);

#endif
