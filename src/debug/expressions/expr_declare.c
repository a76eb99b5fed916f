// SPDX-License-Identifier: MIT
/* Types in expressions, as C writes them without a name: words, then "*", "[4]", "(*)[3]". */
#include "debug/expressions/expr_priv.h"

#include <string.h>

enum { MAX_POINTERS = 8, MAX_DIMS = 8, MAX_ARRAY_B = 1 << 30 };

/* Parses the words of a type, without stars and brackets. */
static struct bw_error *parse_words(struct bw_expr *x, struct bw_type_words *words,
				    const struct bw_ctype **out_named)
{
	const struct bw_ctype *named = NULL;
	while (x->tok.kind == BW_TOK_IDENT) {
		bool has_base = words->have || words->is_unsigned || words->is_signed || named;
		if (!has_base)
			BW_TRY(bw_expr_program_type(x, &named));
		if (!has_base && named)
			continue;
		if (!bw_expr_type_word(x->tok.name))
			break;
		if (!bw_expr_type_add(words, x->tok.name))
			return bw_expr_syntax(x);
		bw_expr_next(x);
	}
	*out_named = named ? named : bw_expr_type_builtin(words);
	return NULL;
}

/* Gives a type a ctype, which elements of arrays and targets of pointers to arrays need. */
static struct bw_error *as_ctype(struct bw_expr *x, const struct bw_type *t,
				 const struct bw_ctype **out)
{
	*out = t->ctype;
	if (*out)
		return NULL;
	if (t->kind != BW_TYPE_POINTER) {
		*out = bw_expr_plain_ctype(t->kind, t->size_b);
		return *out ? NULL : bw_expr_syntax(x);
	}
	struct bw_type p = {.ctype = bw_expr_plain_ctype(
				    t->elem_size_b ? t->elem_kind : BW_TYPE_VOID, t->elem_size_b)};
	if (!p.ctype)
		return bw_expr_syntax(x);
	for (unsigned i = 0; i < t->depth; i++)
		BW_TRY(bw_expr_pointer_type(x, p.ctype, i ? BW_SPACE_GLOBAL : t->space, &p));
	*out = p.ctype;
	return NULL;
}

/* "*", "**", "* const", which make t a pointer. space: the address space of the first star's
 * target. */
static struct bw_error *parse_stars(struct bw_expr *x, enum bw_space space, struct bw_type *t)
{
	for (unsigned n = 0; bw_expr_is_op(x, '*'); n++) {
		enum bw_space to = n ? BW_SPACE_GLOBAL : space;
		if (n == MAX_POINTERS || (!t->ctype && t->depth == MAX_POINTERS))
			return bw_expr_syntax(x);
		if (t->ctype)
			BW_TRY(bw_expr_pointer_type(x, t->ctype, to, t));
		else if (t->kind == BW_TYPE_POINTER)
			t->depth++;
		else
			*t = (struct bw_type){.kind = BW_TYPE_POINTER,
					      .elem_kind = t->kind,
					      .elem_size_b = t->size_b,
					      .size_b = to == BW_SPACE_GLOBAL ? 8 : 4,
					      .space = to,
					      .depth = 1};
		bw_expr_next(x);
		while (x->tok.kind == BW_TOK_IDENT &&
		       (strcmp(x->tok.name, "const") == 0 || strcmp(x->tok.name, "volatile") == 0 ||
			strcmp(x->tok.name, "restrict") == 0))
			bw_expr_next(x);
	}
	return NULL;
}

/* "[2][3]" makes t an array of arrays. */
static struct bw_error *parse_dims(struct bw_expr *x, struct bw_type *t)
{
	uint64_t dims[MAX_DIMS], total = 1;
	unsigned n = 0;
	const struct bw_ctype *elem;
	size_t column = x->tok.column;
	while (bw_expr_is_op(x, '[')) {
		bw_expr_next(x);
		if (x->tok.kind != BW_TOK_INT || n == MAX_DIMS)
			return bw_expr_syntax(x);
		dims[n++] = x->tok.number.bits;
		bw_expr_next(x);
		BW_TRY(bw_expr_expect(x, ']'));
	}
	if (!n)
		return NULL;
	BW_TRY(as_ctype(x, t, &elem));
	uint64_t elem_b = bw_ctype_strip(elem)->size_b;
	if (!elem_b)
		return bw_expr_at(x, column,
				  bw_errorf(BW_E_INVALID, "an array of elements without a size"));
	for (unsigned i = 0; i < n; i++)
		if (!dims[i] || __builtin_mul_overflow(total, dims[i], &total) ||
		    total > MAX_ARRAY_B / elem_b)
			return bw_expr_at(x, column,
					  bw_errorf(BW_E_INVALID, "an array of %llu elements",
						    (unsigned long long)dims[i]));
	while (n) {
		elem = bw_variables_array_of(x->d, elem, dims[--n], false);
		if (!elem)
			return bw_error_nomem();
	}
	*t = bw_type_of(elem);
	return NULL;
}

/* Skips up to the parenthesis that closes the one before the next token. */
static struct bw_error *skip_parenthesis(struct bw_expr *x)
{
	unsigned depth = 1;
	for (;; bw_expr_next(x)) {
		if (x->tok.kind == BW_TOK_END || x->tok.kind == BW_TOK_BAD)
			return bw_expr_syntax(x);
		depth += bw_expr_is_op(x, '(');
		depth -= bw_expr_is_op(x, ')');
		if (!depth)
			break;
	}
	bw_expr_next(x);
	return NULL;
}

/* Parses what is around the words of a type, from the inside out: in "int (*)[3]", the part after
 * the parenthesis applies to the int, and the part in the parenthesis to the result of that. */
static struct bw_error *parse_around(struct bw_expr *x, enum bw_space space, struct bw_type *t)
{
	if (x->depth++ > 32)
		return bw_expr_syntax(x);
	BW_TRY(parse_stars(x, space, t));
	struct bw_tok open = x->tok, inner = open, end;
	bool nested = bw_expr_is_op(x, '(');
	if (nested) {
		bw_expr_next(x);
		inner = x->tok;
		nested = bw_expr_is_op(x, '*') || bw_expr_is_op(x, '(');
	}
	if (nested)
		BW_TRY(skip_parenthesis(x));
	else
		x->tok = open;
	if (bw_expr_is_op(x, '('))
		return bw_expr_at(x, x->tok.column,
				  bw_errorf(BW_E_UNSUPPORTED,
					    "types of functions are not supported in expressions"));
	BW_TRY(parse_dims(x, t));
	if (nested) {
		const struct bw_ctype *whole;
		BW_TRY(as_ctype(x, t, &whole));
		*t = bw_type_of(whole);
		end = x->tok;
		x->tok = inner;
		BW_TRY(parse_around(x, space, t));
		BW_TRY(bw_expr_expect(x, ')'));
		x->tok = end;
	}
	x->depth--;
	return NULL;
}

/* Parses words and stars. *out_space: the address space of the type's own place, to which a pointer
 * to it leads. */
static struct bw_error *parse_element(struct bw_expr *x, struct bw_type *out,
				      enum bw_space *out_space)
{
	struct bw_type_words words = {0};
	const struct bw_ctype *named = NULL;
	BW_TRY(parse_words(x, &words, &named));
	*out = named ? bw_type_of(named) : bw_expr_type_finish(&words);
	*out_space = words.space;
	return parse_stars(x, words.space, out);
}

struct bw_error *bw_expr_parse_element(struct bw_expr *x, struct bw_type *out)
{
	enum bw_space space;
	return parse_element(x, out, &space);
}

struct bw_error *bw_expr_parse_type(struct bw_expr *x, struct bw_type *out)
{
	enum bw_space space;
	BW_TRY(parse_element(x, out, &space));
	return parse_around(x, space, out);
}

struct bw_error *bw_expr_pointer_to(struct bw_expr *x, const struct bw_type *t, struct bw_type *out)
{
	if (t->ctype)
		return bw_expr_pointer_type(x, t->ctype, BW_SPACE_GLOBAL, out);
	if (t->kind == BW_TYPE_POINTER) {
		const struct bw_ctype *elem;
		BW_TRY(as_ctype(x, t, &elem));
		return bw_expr_pointer_type(x, elem, BW_SPACE_GLOBAL, out);
	}
	*out = (struct bw_type){.kind = BW_TYPE_POINTER,
				.size_b = 8,
				.elem_kind = t->kind,
				.elem_size_b = t->size_b,
				.depth = 1};
	return NULL;
}
