/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_EXPRESSIONS_H
#define BW_DEBUG_EXPRESSIONS_H

/* Expressions, convenience variables, and words to complete. */

#include "debug/debug.h"

/* Position of an error: 0-based column in the text, for the caret below it. */
struct bw_expr_error {
	size_t column;
};

/* C expressions over the focus wave and lane. Names: registers ($pc $exec $vcc $scc $m0 $s4 $v3
 * $v3[5] $s[2:3] s[2:3] ...), $_lane $_wave $_thread $_dispatch $_queue $_agent $_dispatch_pos
 * $_lane_workgroup_pos $_thread_workgroup_pos $_exitcode $_, $blockIdx.x $threadIdx.x blockDim.x,
 * launch values of the kernel's arguments ($_launch.out; a buffer is a pointer to its elements; in
 * assembly and without debug information the name alone is enough), symbols of the code
 * object (their address), numbers, casts, ops of C, *(float *)ADDR, out[4], lds#0x10, A@8. An
 * assignment
 * (=, +=, ...) writes: to a register the bits of a float, where the right side is one ($v2[3]
 * = 1.5); to $v2 without a lane, that of the focus. A VGPR alone is the value of all its lanes, in
 * an operation that of the focus lane. as_float(x), as_int(x), as_uint(x), as_double(x) look at the
 * same bits in another way. $name = 3 for another name makes a convenience variable. out is the
 * caller's (bw_value_fini). A wave is needed only where the expression asks for one. */
struct bw_error *bw_debug_eval(struct bw_debug *d, const char *text, struct bw_value *out,
			       struct bw_expr_error *out_where) BW_MUST_CHECK;
/* Like bw_debug_eval, for another lane of the focus wave. */
struct bw_error *bw_debug_eval_lane(struct bw_debug *d, const char *text, unsigned lane,
				    struct bw_value *out,
				    struct bw_expr_error *out_where) BW_MUST_CHECK;
/* What "x" looks at for a value, which `text` was: memory of the GPU where the value is a place in
 * it or a pointer, else the address that a number is. */
struct bw_error *bw_debug_address_of(const struct bw_value *v, const char *text,
				     enum bw_space *out_space, uint64_t *out_addr) BW_MUST_CHECK;
/* The type of an expression, of which nothing is read: out has no value. Or the type that the text
 * names (out_is_type): "struct node", "item_t *". After an error out_is_type says whether the text
 * was to name a type. */
struct bw_error *bw_debug_eval_type(struct bw_debug *d, const char *text, struct bw_value *out,
				    bool *out_is_type,
				    struct bw_expr_error *out_where) BW_MUST_CHECK;
/* Convenience variables: name without '$'. Copies the value ($1, $2 of print; $_ and $__ of x). */
struct bw_error *bw_debug_set_var(struct bw_debug *d, const char *name,
				  const struct bw_value *v) BW_MUST_CHECK;
/* The i-th variable, values of print among them ("1", "2" ...); NULL past the last. */
const struct bw_value *bw_debug_var(struct bw_debug *d, size_t i, const char **out_name);
/* Puts a value into the history: $N, which is also $ until the next one, and $$ then. Returns N. */
unsigned bw_debug_record(struct bw_debug *d, const struct bw_value *v);
/* Where the word begins that ends with the first n bytes of a text: of "print 2*item.at[0].k" at
 * "item". Names of settings and options have dashes in them. */
size_t bw_debug_word_start(const char *text, size_t n);
/* Words that could stand where `prefix` stands (registers, symbols, arguments), for completion;
 * owned array of owned strings, NULL-terminated; NULL when out of memory. */
char **bw_debug_complete_expr(struct bw_debug *d, const char *prefix);
/* Functions, labels and files:, for break. */
char **bw_debug_complete_where(struct bw_debug *d, const char *prefix);
void bw_debug_free_words(char **words);

#endif
