// SPDX-License-Identifier: MIT
/* Arithmetic of vectors: component by component, with a number for all of them (OpenCL C 3.0, 6.4;
 * GLSL 4.60, 5.9). */
#include "debug/expressions/expr_priv.h"
#include "debug/variables/variables_priv.h"

#include <string.h>

static const struct bw_ctype *vector_of(const struct bw_value *v)
{
	const struct bw_ctype *t = bw_type_aggregate(&v->type);
	return t && t->kind == BW_CTYPE_VECTOR ? t : NULL;
}

bool bw_expr_is_vector(const struct bw_value *v)
{
	return vector_of(v) != NULL;
}

static bool is_arithmetic(int op)
{
	return op == BW_OPR_SHL || op == BW_OPR_SHR ||
	       (op > 0 && op < 128 && strchr("+-*/%&|^", op));
}

/* Whether two types are the same vector. Three components taken from a vector have no room for a
 * fourth, which float3 has, so sizes may differ. */
static bool is_same_vector(const struct bw_ctype *a, const struct bw_ctype *b)
{
	return a->count == b->count && bw_expr_same_type(a->elem, b->elem);
}

/* Converts both operands to vectors of the same type, with bytes. */
static struct bw_error *match(struct bw_expr *x, struct bw_value *a, struct bw_value *b)
{
	struct bw_value_of who = bw_expr_of(x);
	char ta[BW_TYPE_NAME_MAX], tb[BW_TYPE_NAME_MAX];
	struct bw_value *v = bw_expr_is_vector(a) ? a : b, *other = v == a ? b : a;
	struct bw_type elem = bw_type_of(vector_of(v)->elem);
	bool is_number = other->type.kind != BW_TYPE_AGGREGATE;
	if (is_number)
		BW_TRY(bw_expr_scalar(x, other));
	if (is_number && other->type.kind == BW_TYPE_FLOAT && elem.kind != BW_TYPE_FLOAT)
		return bw_errorf(BW_E_INVALID,
				 "%s and %s: a floating-point number is not converted to integer "
				 "components; write a cast",
				 bw_type_name(&a->type, ta), bw_type_name(&b->type, tb));
	if (is_number)
		BW_TRY(bw_expr_fill_vector(x, &v->type, other));
	if (!vector_of(other) || !is_same_vector(vector_of(v), vector_of(other)))
		return bw_errorf(BW_E_INVALID,
				 "%s and %s: arithmetic of vectors wants two of the same type, or "
				 "one and a number",
				 bw_type_name(&a->type, ta), bw_type_name(&b->type, tb));
	BW_TRY(bw_variables_fetch(&who, a));
	return bw_variables_fetch(&who, b);
}

static struct bw_error *component(const struct bw_value *v, const struct bw_type *t, size_t at,
				  struct bw_value *out)
{
	const struct bw_bytes *bytes = v->bytes;
	if (!bytes || v->bytes_at + at + t->size_b > bytes->size_b ||
	    memchr(bytes->known + v->bytes_at + at, 0, t->size_b))
		return bw_variables_missing(v);
	*out = (struct bw_value){.type = *t,
				 .bits = bw_type_decode(t, bytes->data + v->bytes_at + at, 0, 0)};
	return NULL;
}

/* Makes a vector of that type, with bytes of its own. */
static struct bw_error *new_vector(const struct bw_type *type, struct bw_value *out)
{
	const struct bw_ctype *t = bw_type_aggregate(type);
	*out = (struct bw_value){.type = *type, .bytes = bw_bytes_new(t->size_b)};
	if (!out->bytes)
		return bw_error_nomem();
	/* including the unused fourth component of three */
	memset(out->bytes->known, 1, t->size_b);
	return NULL;
}

static void set_component(struct bw_value *v, const struct bw_type *t, size_t at,
			  const struct bw_value *from)
{
	uint64_t bits = bw_expr_convert(from, t);
	memcpy(v->bytes->data + at, &bits, t->size_b);
}

struct bw_error *bw_expr_fit_vector(struct bw_expr *x, const struct bw_type *to, struct bw_value *v)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *t = bw_type_aggregate(to), *from = vector_of(v);
	struct bw_value r;
	if (!from || t->kind != BW_CTYPE_VECTOR || t->size_b == from->size_b ||
	    !is_same_vector(t, from))
		return NULL;
	if (x->skip) {
		v->type = *to;
		return NULL;
	}
	BW_TRY(bw_variables_fetch(&who, v));
	const struct bw_type elem = bw_type_of(t->elem);
	struct bw_error *err = new_vector(to, &r);
	for (size_t i = 0; !err && i < t->count; i++) {
		struct bw_value one;
		err = component(v, &elem, i * elem.size_b, &one);
		if (!err)
			set_component(&r, &elem, i * elem.size_b, &one);
	}
	bw_value_fini(err ? &r : v);
	if (!err)
		*v = r;
	return err;
}

struct bw_error *bw_expr_vector_unary(struct bw_expr *x, int op, struct bw_value *a,
				      struct bw_value *out)
{
	char name[BW_TYPE_NAME_MAX];
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *t = vector_of(a);
	const struct bw_type type = a->type, elem = bw_type_of(t->elem);
	if (op == '!')
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: vectors are not compared or taken as a condition: choose a "
				 "component",
				 bw_type_name(&type, name));
	struct bw_value r = {.type = type};
	if (x->skip) {
		*out = r;
		return NULL;
	}
	BW_TRY(bw_variables_fetch(&who, a));
	struct bw_error *err = new_vector(&type, &r);
	for (size_t i = 0; !err && i < t->count; i++) {
		struct bw_value one, changed;
		err = component(a, &elem, i * elem.size_b, &one);
		if (!err)
			err = bw_expr_unary(x, op, &one, &changed);
		if (!err)
			set_component(&r, &elem, i * elem.size_b, &changed);
	}
	if (err)
		bw_value_fini(&r);
	else
		*out = r;
	return err;
}

struct bw_error *bw_expr_vector_binary(struct bw_expr *x, int op, struct bw_value *a,
				       struct bw_value *b, struct bw_value *out)
{
	char name[BW_TYPE_NAME_MAX];
	if (!is_arithmetic(op))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: vectors are not compared or taken as a condition: choose a "
				 "component",
				 bw_type_name(bw_expr_is_vector(a) ? &a->type : &b->type, name));
	const struct bw_type type = bw_expr_is_vector(a) ? a->type : b->type;
	const struct bw_ctype *t = bw_type_aggregate(&type);
	const struct bw_type elem = bw_type_of(t->elem);
	struct bw_value r = {.type = type};
	if (x->skip) {
		*out = r;
		return NULL;
	}
	BW_TRY(match(x, a, b));
	struct bw_error *err = new_vector(&type, &r);
	for (size_t i = 0; !err && i < t->count; i++) {
		struct bw_value left, right, sum;
		err = component(a, &elem, i * elem.size_b, &left);
		if (!err)
			err = component(b, &elem, i * elem.size_b, &right);
		if (!err)
			err = bw_expr_binary(x, op, &left, &right, &sum);
		if (!err)
			set_component(&r, &elem, i * elem.size_b, &sum);
	}
	if (err)
		bw_value_fini(&r);
	else
		*out = r;
	return err;
}
