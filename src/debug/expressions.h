/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_EXPRESSIONS_H
#define BW_DEBUG_EXPRESSIONS_H

/* Expressions, convenience variables, and words to complete. */

#include "debug/debug.h"

/* The position of an error: the column in the text, from 0, for the caret below it. */
struct bw_expr_error {
	size_t column;
};

/* Evaluates a C expression on the focus wave and lane. Names: registers ($pc $exec $vcc $scc $m0
 * $s4 $v3 $v3[5] $s[2:3] s[2:3] ...), $_lane $_wave $_thread $_dispatch $_queue $_agent
 * $_dispatch_pos $_lane_workgroup_pos $_thread_workgroup_pos $_exitcode $_, $blockIdx.x
 * $threadIdx.x blockDim.x, launch values of the kernel's arguments ($_launch.out; a buffer is a
 * pointer to its elements; in assembly and without debug information the name alone is enough),
 * symbols of the code object (their address), numbers, casts, C's operators, *(float *)ADDR,
 * out[4], lds#0x10, A@8. An assignment (=, +=, ...) writes. A register gets the bits of a float if
 * the right side is a float ($v2[3] = 1.5); $v2 without a lane means the focus lane. A VGPR alone
 * is the value of all lanes; in an operation, it is the value of the focus lane. as_float(x),
 * as_int(x), as_uint(x), as_double(x) reinterpret the bits. $name = 3 for another name makes a
 * convenience variable. The caller owns out (bw_value_fini). A wave is needed only if the
 * expression refers to one. */
struct bw_error *bw_debug_eval(struct bw_debug *d, const char *text, struct bw_value *out,
			       struct bw_expr_error *out_where) BW_MUST_CHECK;
/* Like bw_debug_eval, for another lane of the focus wave. */
struct bw_error *bw_debug_eval_lane(struct bw_debug *d, const char *text, unsigned lane,
				    struct bw_value *out,
				    struct bw_expr_error *out_where) BW_MUST_CHECK;
/* The address from which "x" reads for a value, the result of `text`: if the value is in GPU memory
 * or is a pointer, that place; otherwise the number itself is the address. */
struct bw_error *bw_debug_address_of(const struct bw_value *v, const char *text,
				     enum bw_space *out_space, uint64_t *out_addr) BW_MUST_CHECK;
/* Finds the type of an expression without reading anything (out has no value), or the type that the
 * text names (out_is_type): "struct node", "item_t *". After an error, out_is_type says whether the
 * text was meant to name a type. */
struct bw_error *bw_debug_eval_type(struct bw_debug *d, const char *text, struct bw_value *out,
				    bool *out_is_type,
				    struct bw_expr_error *out_where) BW_MUST_CHECK;
/* Sets a convenience variable; name without '$'. Copies the value. ($_ and $__ are set by "x".) */
struct bw_error *bw_debug_set_var(struct bw_debug *d, const char *name,
				  const struct bw_value *v) BW_MUST_CHECK;
/* The i-th variable, also values of print ("1", "2" ...); NULL after the last one. */
const struct bw_value *bw_debug_var(struct bw_debug *d, size_t i, const char **out_name);
/* Puts a value into the history: as $N, as $ until the next value comes, and as $$ from then on.
 * Returns N. */
unsigned bw_debug_record(struct bw_debug *d, const struct bw_value *v);
/* The start of the word at the end of the first n bytes of a text: for "print 2*item.at[0].k", the
 * start of "item". A word may contain dashes, as names of settings and options do. */
size_t bw_debug_word_start(const char *text, size_t n);
/* Completes a word of an expression: all names that begin with `prefix` (registers, symbols,
 * arguments). The caller owns the array and its strings; NULL ends it. Returns NULL when out of
 * memory. */
char **bw_debug_complete_expr(struct bw_debug *d, const char *prefix);
/* Completes a place of `break`: functions, labels, and files followed by ':'. */
char **bw_debug_complete_where(struct bw_debug *d, const char *prefix);
void bw_debug_free_words(char **words);

#endif
