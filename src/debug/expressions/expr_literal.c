// SPDX-License-Identifier: MIT
/* Values with several parts in expressions: {1, 2, 3} for an array, a struct or a vector,
 * (float4)(1, 2, 3, 4), (float4)(v.xy, 0, 1), and 2 for all components of a vector. */
#include "debug/expressions/expr_priv.h"

#include <string.h>

enum { MAX_NESTED = 16 };

static struct bw_error *parse_list(struct bw_expr *x, const struct bw_ctype *t, struct bw_bytes *b,
				   uint64_t at, unsigned depth);

/* ---- Types ---- */

bool bw_expr_same_type(const struct bw_ctype *a, const struct bw_ctype *b)
{
	for (unsigned depth = 0; depth < MAX_NESTED; depth++) {
		a = bw_ctype_strip(a);
		b = bw_ctype_strip(b);
		if (a == b)
			return true;
		if (a->kind != b->kind || a->size_b != b->size_b)
			return false;
		switch (a->kind) {
		case BW_CTYPE_ARRAY:
		case BW_CTYPE_VECTOR:
			if (a->count != b->count || !a->elem || !b->elem)
				return false;
			a = a->elem;
			b = b->elem;
			break;
		case BW_CTYPE_STRUCT:
		case BW_CTYPE_UNION:
			return a->name && b->name && !strcmp(a->name, b->name);
		case BW_CTYPE_INT:
		case BW_CTYPE_FLOAT:
		case BW_CTYPE_BOOL:
			return a->is_signed == b->is_signed && a->is_bfloat == b->is_bfloat;
		case BW_CTYPE_POINTER:
			return a->address_class == b->address_class;
		case BW_CTYPE_VOID:
		case BW_CTYPE_ENUM:
		case BW_CTYPE_FUNCTION:
		case BW_CTYPE_TYPEDEF:
		case BW_CTYPE_QUALIFIED:
		case BW_CTYPE_UNKNOWN:
			return false;
		}
	}
	return false;
}

/* ---- Parts ---- */

static void put(struct bw_bytes *b, uint64_t at, const void *data, size_t size_b)
{
	if (at > b->size_b || size_b > b->size_b - at) /* a damaged type */
		return;
	memcpy(b->data + at, data, size_b);
	memset(b->known + at, 1, size_b);
}

/* Writes a number in the type of a part. */
static struct bw_error *put_number(struct bw_expr *x, const struct bw_ctype *t, struct bw_value *v,
				   struct bw_bytes *b, uint64_t at)
{
	struct bw_type type = bw_type_of(t);
	BW_TRY(bw_expr_scalar(x, v));
	if (type.kind == BW_TYPE_AGGREGATE || type.kind == BW_TYPE_VOID ||
	    v->type.kind == BW_TYPE_TEXT) {
		char name[BW_TYPE_NAME_MAX], to[BW_TYPE_NAME_MAX];
		return bw_errorf(BW_E_INVALID,
				 "Invalid assignment: a value of type %s does not fit %s",
				 bw_type_name(&v->type, name), bw_type_name(&type, to));
	}
	uint64_t bits = bw_expr_convert(v, &type);
	put(b, at, &bits, type.size_b);
	return NULL;
}

/* Writes a whole struct, array or vector as a part. */
static struct bw_error *put_whole(struct bw_expr *x, const struct bw_ctype *t, struct bw_value *v,
				  struct bw_bytes *b, uint64_t at)
{
	struct bw_value_of who = {
		.d = x->d, .wave = x->wave, .lane = x->lane, .skip = x->skip != 0};
	if (x->skip)
		return NULL;
	BW_TRY(bw_variables_fetch(&who, v));
	if (!v->bytes || memchr(v->bytes->known + v->bytes_at, 0, t->size_b))
		return bw_variables_missing(v);
	put(b, at, v->bytes->data + v->bytes_at, t->size_b);
	return NULL;
}

static struct bw_error *parse_part(struct bw_expr *x, const struct bw_ctype *t, struct bw_bytes *b,
				   uint64_t at, unsigned depth)
{
	struct bw_value v = {0};
	size_t column = x->tok.column;
	bool is_aggregate = bw_type_of(t).kind == BW_TYPE_AGGREGATE;
	if (is_aggregate && bw_expr_is_op(x, '{'))
		return parse_list(x, t, b, at, depth + 1);
	BW_TRY(bw_expr_parse_assign(x, &v));
	const struct bw_type type = bw_type_of(t);
	struct bw_error *err = is_aggregate ? bw_expr_fit_vector(x, &type, &v) : NULL;
	const struct bw_ctype *from = bw_type_aggregate(&v.type);
	if (!err)
		err = is_aggregate && from && bw_expr_same_type(from, t)
			      ? put_whole(x, bw_ctype_strip(t), &v, b, at)
			      : put_number(x, t, &v, b, at);
	bw_value_fini(&v);
	return bw_expr_at(x, column, err);
}

/* Finds the i-th part of a value of that type. False: there are fewer parts. */
static bool part_at(const struct bw_ctype *t, uint64_t i, const struct bw_ctype **out,
		    uint64_t *out_at)
{
	if (t->kind == BW_CTYPE_ARRAY || t->kind == BW_CTYPE_VECTOR) {
		*out = t->elem;
		*out_at = i * bw_ctype_stride(t);
		return i < t->count;
	}
	if (i >= t->n_members || (t->kind == BW_CTYPE_UNION && i))
		return false;
	*out = t->members[i].type;
	*out_at = t->members[i].offset_b;
	return true;
}

static struct bw_error *wrong_count(const struct bw_ctype *t, uint64_t n, uint64_t has)
{
	char name[BW_TYPE_NAME_MAX];
	bw_ctype_name(t, name, sizeof(name));
	return bw_errorf(BW_E_INVALID, "%llu value%s for %s, which has %llu", (unsigned long long)n,
			 n == 1 ? "" : "s", name, (unsigned long long)has);
}

static struct bw_error *parse_list(struct bw_expr *x, const struct bw_ctype *type,
				   struct bw_bytes *b, uint64_t at, unsigned depth)
{
	const struct bw_ctype *t = bw_ctype_strip(type), *part;
	size_t column = x->tok.column;
	uint64_t n = 0, part_b,
		 has = t->kind == BW_CTYPE_STRUCT  ? t->n_members
		       : t->kind == BW_CTYPE_UNION ? BW_MIN(t->n_members, (size_t)1)
						   : t->count;
	if (depth > MAX_NESTED)
		return bw_expr_syntax(x);
	for (size_t i = 0; i < t->n_members; i++)
		if (t->members[i].bit_size || t->members[i].is_base)
			return bw_expr_at(x, column,
					  bw_errorf(BW_E_UNSUPPORTED,
						    "a struct with bit fields or base classes "
						    "cannot be written whole: assign its members"));
	BW_TRY(bw_expr_expect(x, '{'));
	while (!bw_expr_is_op(x, '}')) {
		if (!part_at(t, n, &part, &part_b))
			return bw_expr_at(x, column, wrong_count(type, n + 1, has));
		BW_TRY(parse_part(x, part, b, at + part_b, depth));
		n++;
		if (!bw_expr_is_op(x, ','))
			break;
		bw_expr_next(x);
	}
	BW_TRY(bw_expr_expect(x, '}'));
	/* as in C, the rest of an array or a struct is zero */
	bool is_short = !n || (t->kind == BW_CTYPE_VECTOR && n != has);
	return is_short ? bw_expr_at(x, column, wrong_count(type, n, has)) : NULL;
}

/* ---- Vectors ---- */

static struct bw_error *put_component(struct bw_expr *x, const struct bw_ctype *t,
				      struct bw_value *v, struct bw_bytes *b, uint64_t *n)
{
	if (*n < t->count)
		BW_TRY(put_number(x, t->elem, v, b, *n * bw_ctype_stride(t)));
	++*n;
	return NULL;
}

/* Writes the components of a vector, or a number as one component. */
static struct bw_error *put_components(struct bw_expr *x, const struct bw_ctype *t,
				       struct bw_value *v, struct bw_bytes *b, uint64_t *n)
{
	const struct bw_ctype *from = bw_type_aggregate(&v->type);
	if (!from || from->kind != BW_CTYPE_VECTOR)
		return put_component(x, t, v, b, n);
	for (uint64_t i = 0; i < from->count; i++) {
		struct bw_value part = {0};
		BW_TRY(bw_expr_element(x, v, (int64_t)i, &part));
		struct bw_error *err = put_component(x, t, &part, b, n);
		bw_value_fini(&part);
		if (err)
			return err;
	}
	return NULL;
}

static void spread(const struct bw_ctype *t, struct bw_bytes *b)
{
	uint64_t elem_b = bw_ctype_stride(t);
	for (uint64_t i = 1; i < t->count; i++)
		if ((i + 1) * elem_b <= b->size_b)
			put(b, i * elem_b, b->data, elem_b);
}

/* "(1, 2, 3, 4)": numbers and vectors that together have as many components as the type, or one
 * number for all. */
static struct bw_error *parse_components(struct bw_expr *x, const struct bw_ctype *type,
					 struct bw_bytes *b)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	size_t column = x->tok.column;
	uint64_t n = 0;
	BW_TRY(bw_expr_expect(x, '('));
	for (;;) {
		struct bw_value v = {0};
		size_t at = x->tok.column;
		BW_TRY(bw_expr_parse_assign(x, &v));
		struct bw_error *err = put_components(x, t, &v, b, &n);
		bw_value_fini(&v);
		if (err)
			return bw_expr_at(x, at, err);
		if (!bw_expr_is_op(x, ','))
			break;
		bw_expr_next(x);
	}
	BW_TRY(bw_expr_expect(x, ')'));
	if (n == 1)
		spread(t, b);
	return n == 1 || n == t->count ? NULL
				       : bw_expr_at(x, column, wrong_count(type, n, t->count));
}

/* ---- Whole values ---- */

static struct bw_error *begin(const struct bw_ctype *type, struct bw_value *out)
{
	uint64_t size_b = bw_ctype_strip(type)->size_b;
	if (!size_b || size_b > BW_VALUE_MAX_B)
		return bw_errorf(BW_E_INVALID, "a value of %llu bytes cannot be written whole",
				 (unsigned long long)size_b);
	struct bw_value v = {.type = bw_type_of(type), .bytes = bw_bytes_new(size_b)};
	if (!v.bytes)
		return bw_error_nomem();
	memset(v.bytes->known, 1, size_b); /* padding between members is zero */
	*out = v;
	return NULL;
}

bool bw_expr_literal_follows(const struct bw_expr *x, const struct bw_type *t)
{
	const struct bw_ctype *c = bw_type_aggregate(t);
	return c &&
	       (bw_expr_is_op(x, '{') || (c->kind == BW_CTYPE_VECTOR && bw_expr_is_op(x, '(')));
}

struct bw_error *bw_expr_literal(struct bw_expr *x, const struct bw_type *t, struct bw_value *out)
{
	struct bw_value v;
	BW_TRY(bw_expr_at(x, x->tok.column, begin(t->ctype, &v)));
	struct bw_error *err = bw_expr_is_op(x, '{') ? parse_list(x, t->ctype, v.bytes, 0, 0)
						     : parse_components(x, t->ctype, v.bytes);
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

struct bw_error *bw_expr_fill_vector(struct bw_expr *x, const struct bw_type *t, struct bw_value *v)
{
	struct bw_value whole;
	uint64_t n = 0;
	BW_TRY(begin(t->ctype, &whole));
	struct bw_error *err = put_component(x, bw_type_aggregate(t), v, whole.bytes, &n);
	if (!err)
		spread(bw_type_aggregate(t), whole.bytes);
	if (err) {
		bw_value_fini(&whole);
		return err;
	}
	bw_value_fini(v);
	*v = whole;
	return NULL;
}
