// SPDX-License-Identifier: MIT
/* Arithmetic, conversions, loads and stores of expressions: C's rules, with every case defined. */
#include "debug/expressions.h"
#include "debug/expressions/expr_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

struct bw_value bw_expr_int(uint64_t bits, unsigned size_b, bool is_signed)
{
	struct bw_value v = {.type = {.kind = is_signed ? BW_TYPE_INT : BW_TYPE_UINT,
				      .size_b = (uint8_t)size_b}};
	v.bits = bw_type_extend(&v.type, bits);
	return v;
}

uint64_t bw_type_extend(const struct bw_type *t, uint64_t bits)
{
	if (t->size_b == 0 || t->size_b >= 8)
		return bits;
	if (t->kind == BW_TYPE_INT)
		return (uint64_t)bw_sign_extend(bits, t->size_b * 8u);
	return bits & ((1ull << t->size_b * 8) - 1);
}

static uint64_t bfloat_bits(double f)
{
	float f32 = (float)f;
	uint32_t w;
	memcpy(&w, &f32, sizeof(w));
	if (f32 != f32)
		return w >> 16 | 0x40;
	return (w + 0x7fff + (w >> 16 & 1)) >> 16; /* to the nearest, ties to even */
}

static uint64_t float_bits(double f, unsigned size_b)
{
	uint64_t bits = 0;
	float f32 = (float)f;
	uint32_t w;

	switch (size_b) {
	case 2:
		return bw_half_of_float(f32);
	case 4:
		memcpy(&w, &f32, sizeof(w));
		return w;
	default:
		memcpy(&bits, &f, sizeof(bits));
		return bits;
	}
}

static struct bw_value make_float(double f, unsigned size_b)
{
	return (struct bw_value){.type = {.kind = BW_TYPE_FLOAT, .size_b = (uint8_t)size_b},
				 .bits = float_bits(f, size_b)};
}

struct bw_error *bw_expr_scalar(struct bw_expr *x, struct bw_value *v)
{
	struct bw_value s = *v;

	if (v->type.kind == BW_TYPE_VOID)
		return bw_errorf(BW_E_INVALID, "Value can't be converted to a number: it is void");
	if (v->type.kind == BW_TYPE_AGGREGATE)
		return bw_expr_decay(x, v);
	if (v->is_missing && !x->skip)
		return bw_variables_missing(v);
	if (!v->n_elem)
		return NULL;
	if (v->across_lanes) {
		s.bits = v->elem[x->lane < v->n_elem ? x->lane : 0];
		if (s.place == BW_PLACE_REG)
			s.lane = (int)x->lane;
	} else if (v->place == BW_PLACE_MEMORY) {
		s.type = (struct bw_type){.kind = BW_TYPE_POINTER,
					  .size_b = v->space == BW_SPACE_GLOBAL ? 8 : 4,
					  .space = v->space,
					  .elem_kind = v->type.kind,
					  .elem_size_b = v->type.size_b,
					  .depth = 1};
		s.bits = v->va;
		s.place = BW_PLACE_NONE;
	} else {
		return bw_errorf(BW_E_INVALID, "an array is not a number: choose an element, [0]");
	}
	s.elem = NULL;
	s.n_elem = 0;
	s.across_lanes = false;
	free(v->elem);
	*v = s;
	return NULL;
}

bool bw_expr_true(const struct bw_expr *x, const struct bw_value *v)
{
	return v->type.kind == BW_TYPE_FLOAT ? bw_value_f64(v, x->lane) != 0
					     : bw_value_i64(v, x->lane) != 0;
}

/* ---- Conversions ---- */

static uint64_t convert(const struct bw_value *v, size_t i, const struct bw_type *t)
{
	if (t->kind == BW_TYPE_FLOAT)
		return t->is_bfloat ? bfloat_bits(bw_value_f64(v, i))
				    : float_bits(bw_value_f64(v, i), t->size_b);
	if (t->ctype && bw_ctype_strip(t->ctype)->kind == BW_CTYPE_BOOL)
		return bw_value_f64(v, i) != 0;
	return bw_type_extend(t, (uint64_t)bw_value_i64(v, i));
}

uint64_t bw_expr_convert(const struct bw_value *v, const struct bw_type *t)
{
	return convert(v, 0, t);
}

/* Drops the place of a value, as the result of a conversion has none. */
static void drop_place(struct bw_value *v)
{
	v->place = BW_PLACE_NONE;
	v->bit_size = v->bit_offset = 0;
	bw_bytes_unref(v->bytes);
	v->bytes = NULL;
}

struct bw_error *bw_expr_cast(struct bw_expr *x, const struct bw_type *t, struct bw_value *v)
{
	struct bw_type to = *t;

	if (v->type.kind == BW_TYPE_VOID || v->type.kind == BW_TYPE_TEXT || to.kind == BW_TYPE_VOID)
		return bw_errorf(BW_E_INVALID, "Invalid cast");
	if (to.kind == BW_TYPE_AGGREGATE) {
		bool is_vector = bw_type_aggregate(&to)->kind == BW_CTYPE_VECTOR;
		if (is_vector && v->type.kind != BW_TYPE_AGGREGATE)
			return bw_expr_fill_vector(x, &to, v);
		BW_TRY(bw_expr_fit_vector(x, &to, v));
		if (v->type.kind != BW_TYPE_AGGREGATE ||
		    !bw_expr_same_type(bw_type_aggregate(&to), bw_type_aggregate(&v->type)))
			return bw_errorf(BW_E_INVALID, "Invalid cast.");
		v->type = to;
		return NULL;
	}
	if ((v->n_elem && !v->across_lanes) || v->type.kind == BW_TYPE_AGGREGATE || v->is_missing)
		BW_TRY(bw_expr_scalar(x, v));
	/* (float *)lds#0x10 stays in LDS, unless the cast names a space itself */
	if (to.kind == BW_TYPE_POINTER && v->type.kind == BW_TYPE_POINTER &&
	    to.space == BW_SPACE_GLOBAL && v->type.space != BW_SPACE_GLOBAL) {
		to.space = v->type.space;
		if (to.ctype)
			BW_TRY(bw_expr_pointer_type(x, bw_ctype_strip(to.ctype)->elem, to.space,
						    &to));
	}
	if (to.kind == BW_TYPE_POINTER)
		to.size_b = to.space == BW_SPACE_GLOBAL ? 8 : 4;
	for (size_t i = 0; i < v->n_elem; i++)
		v->elem[i] =
			convert(&(struct bw_value){.type = v->type, .bits = v->elem[i]}, 0, &to);
	v->bits = convert(&(struct bw_value){.type = v->type, .bits = v->bits}, 0, &to);
	v->type = to;
	drop_place(v);
	return NULL;
}

struct bw_error *bw_expr_as(struct bw_expr *x, const struct bw_type *t, struct bw_value *v)
{
	if ((v->n_elem && !v->across_lanes) || v->type.kind == BW_TYPE_AGGREGATE || v->is_missing)
		BW_TRY(bw_expr_scalar(x, v));
	if (v->type.kind == BW_TYPE_VOID || v->type.kind == BW_TYPE_TEXT ||
	    v->type.size_b != t->size_b) {
		char name[BW_TYPE_NAME_MAX], to[BW_TYPE_NAME_MAX];
		return bw_errorf(BW_E_INVALID, "as_%s needs a value of %u bytes, not %s",
				 bw_type_name(t, to), t->size_b, bw_type_name(&v->type, name));
	}
	for (size_t i = 0; i < v->n_elem; i++)
		v->elem[i] = bw_type_extend(t, v->elem[i]);
	v->bits = bw_type_extend(t, v->bits);
	v->type = *t;
	drop_place(v);
	return NULL;
}

/* ---- Operators ---- */

static struct bw_type arithmetic_type(const struct bw_type *a, const struct bw_type *b)
{
	struct bw_type t = {0};
	if (a->kind == BW_TYPE_FLOAT || b->kind == BW_TYPE_FLOAT) {
		bool wide = (a->kind == BW_TYPE_FLOAT && a->size_b == 8) ||
			    (b->kind == BW_TYPE_FLOAT && b->size_b == 8);
		t.kind = BW_TYPE_FLOAT;
		t.size_b = wide ? 8 : 4;
		return t;
	}
	t.size_b = BW_MAX(a->size_b, b->size_b);
	t.size_b = BW_MAX(t.size_b, (uint8_t)4);
	t.kind = (a->kind == BW_TYPE_UINT && a->size_b == t.size_b) ||
				 (b->kind == BW_TYPE_UINT && b->size_b == t.size_b)
			 ? BW_TYPE_UINT
			 : BW_TYPE_INT;
	return t;
}

static bool is_compare(int op)
{
	return op == BW_OPR_EQ || op == BW_OPR_NE || op == '<' || op == '>' || op == BW_OPR_LE ||
	       op == BW_OPR_GE;
}

/* Makes the result of a comparison. order: -1, 0 or 1; 2: one of the operands is NaN. */
static struct bw_value compare(int op, int order)
{
	bool yes = false;
	switch (op) {
	case BW_OPR_EQ:
		yes = order == 0;
		break;
	case BW_OPR_NE:
		yes = order != 0;
		break;
	case '<':
		yes = order == -1;
		break;
	case '>':
		yes = order == 1;
		break;
	case BW_OPR_LE:
		yes = order == -1 || order == 0;
		break;
	case BW_OPR_GE:
		yes = order == 1 || order == 0;
		break;
	}
	return bw_expr_int(yes, 4, true);
}

static struct bw_error *float_op(int op, double a, double b, unsigned size_b, struct bw_value *out)
{
	double r;
	if (is_compare(op)) {
		*out = compare(op, a != a || b != b ? 2 : a < b ? -1 : a > b);
		return NULL;
	}
	switch (op) {
	case '+':
		r = a + b;
		break;
	case '-':
		r = a - b;
		break;
	case '*':
		r = a * b;
		break;
	case '/':
		r = a / b; /* infinity or NaN, as the GPU would have it */
		break;
	default:
		return bw_errorf(BW_E_INVALID,
				 "Argument to arithmetic operation not a number or boolean");
	}
	*out = make_float(r, size_b);
	return NULL;
}

static struct bw_error *divide(int op, uint64_t a, uint64_t b, const struct bw_type *t,
			       uint64_t *out)
{
	if (b == 0)
		return bw_errorf(BW_E_INVALID, "Division by zero");
	if (t->kind == BW_TYPE_UINT)
		*out = op == '/' ? a / b : a % b;
	else if (b == ~0ull) /* -1: the quotient of the smallest number, which C leaves undefined */
		*out = op == '/' ? -a : 0;
	else
		*out = (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
	return NULL;
}

static struct bw_error *int_op(struct bw_expr *x, int op, uint64_t a, uint64_t b,
			       const struct bw_type *t, struct bw_value *out)
{
	uint64_t r = 0;
	bool is_signed = t->kind == BW_TYPE_INT;

	if (is_compare(op)) {
		int order = is_signed ? ((int64_t)a<(int64_t)b ? -1 : (int64_t)a>(int64_t) b)
			    : a < b   ? -1
				      : a > b;
		*out = compare(op, order);
		return NULL;
	}
	switch (op) {
	case '+':
		r = a + b;
		break;
	case '-':
		r = a - b;
		break;
	case '*':
		r = a * b;
		break;
	case '/':
	case '%':
		if (!x->skip)
			BW_TRY(divide(op, a, b, t, &r));
		break;
	case '&':
		r = a & b;
		break;
	case '|':
		r = a | b;
		break;
	case '^':
		r = a ^ b;
		break;
	case BW_OPR_SHL:
		r = a << (b & (t->size_b * 8u - 1));
		break;
	case BW_OPR_SHR:
		b &= t->size_b * 8u - 1;
		r = is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
		break;
	default:
		return bw_errorf(BW_E_INVALID, "unknown operator");
	}
	*out = bw_expr_int(r, t->size_b, is_signed);
	return NULL;
}

static uint64_t step_of(const struct bw_type *t)
{
	if (t->ctype) {
		uint64_t elem_b = bw_ctype_strip(bw_ctype_strip(t->ctype)->elem)->size_b;
		return elem_b ? elem_b : 1;
	}
	if (t->depth > 1)
		return 8;
	return t->elem_size_b ? t->elem_size_b : 1; /* void * counts in bytes, as in gdb */
}

/* Converts both pointers to addresses of one space if that is possible: a generic pointer and
 * &tile[2] may name the same place. False: they point to different spaces. */
static bool in_one_space(struct bw_value *a, struct bw_value *b)
{
	bw_debug_flat_space(&a->type.space, &a->bits);
	bw_debug_flat_space(&b->type.space, &b->bits);
	return a->type.space == b->type.space;
}

static struct bw_error *pointer_op(struct bw_expr *x, int op, struct bw_value *a,
				   struct bw_value *b, struct bw_value *out)
{
	bool pa = a->type.kind == BW_TYPE_POINTER, pb = b->type.kind == BW_TYPE_POINTER;
	struct bw_type as_u64 = {.kind = BW_TYPE_UINT, .size_b = 8};

	bool comparable = !pa || !pb || in_one_space(a, b);
	if (!comparable && (op == BW_OPR_EQ || op == BW_OPR_NE)) {
		*out = compare(op, 1);
		return NULL;
	}
	if (!comparable && op == '-')
		return bw_errorf(BW_E_INVALID, "the pointers point into different address spaces");
	if (is_compare(op))
		return int_op(x, op, a->bits, b->bits, &as_u64, out);
	if (pa && pb && op == '-') {
		*out = bw_expr_int(
			(uint64_t)((int64_t)(a->bits - b->bits) / (int64_t)step_of(&a->type)), 8,
			true);
		return NULL;
	}
	const struct bw_value *p = pa ? a : b, *i = pa ? b : a;
	if ((pa && pb) || (op != '+' && !(op == '-' && pa)) || i->type.kind == BW_TYPE_FLOAT)
		return bw_errorf(BW_E_INVALID,
				 "Argument to arithmetic operation not a number or boolean");
	uint64_t offset = (uint64_t)bw_value_i64(i, 0) * step_of(&p->type);
	struct bw_value r = {.type = p->type};
	r.bits = bw_type_extend(&r.type, op == '+' ? p->bits + offset : p->bits - offset);
	*out = r;
	return NULL;
}

struct bw_error *bw_expr_binary(struct bw_expr *x, int op, struct bw_value *a, struct bw_value *b,
				struct bw_value *out)
{
	if (a->type.kind == BW_TYPE_TEXT && b->type.kind == BW_TYPE_TEXT &&
	    (op == BW_OPR_EQ || op == BW_OPR_NE)) {
		int order = strcmp(a->text, b->text);
		*out = compare(op, order < 0 ? -1 : order > 0);
		return NULL;
	}
	if (a->type.kind == BW_TYPE_TEXT || b->type.kind == BW_TYPE_TEXT)
		return bw_errorf(BW_E_INVALID,
				 "a text can only be compared with another text, by == or !=");
	if (bw_expr_is_vector(a) || bw_expr_is_vector(b))
		return bw_expr_vector_binary(x, op, a, b, out);
	BW_TRY(bw_expr_scalar(x, a));
	BW_TRY(bw_expr_scalar(x, b));
	if (a->type.kind == BW_TYPE_POINTER || b->type.kind == BW_TYPE_POINTER)
		return pointer_op(x, op, a, b, out);

	struct bw_type t = arithmetic_type(&a->type, &b->type);
	/* shifts have the type of their left side */
	if (op == BW_OPR_SHL || op == BW_OPR_SHR) {
		if (t.kind == BW_TYPE_FLOAT)
			return bw_errorf(BW_E_INVALID, "a shift needs integers on both sides");
		t = arithmetic_type(&a->type, &a->type);
	}
	if (t.kind == BW_TYPE_FLOAT)
		return float_op(op, bw_value_f64(a, 0), bw_value_f64(b, 0), t.size_b, out);
	return int_op(x, op, bw_type_extend(&t, a->bits), bw_type_extend(&t, b->bits), &t, out);
}

struct bw_error *bw_expr_unary(struct bw_expr *x, int op, struct bw_value *a, struct bw_value *out)
{
	if (bw_expr_is_vector(a))
		return bw_expr_vector_unary(x, op, a, out);
	BW_TRY(bw_expr_scalar(x, a));
	if (a->type.kind == BW_TYPE_TEXT)
		return bw_errorf(BW_E_INVALID,
				 "Argument to arithmetic operation not a number or boolean");
	if (op == '!') {
		*out = bw_expr_int(!bw_expr_true(x, a), 4, true);
		return NULL;
	}
	if (a->type.kind == BW_TYPE_POINTER)
		return bw_errorf(BW_E_INVALID,
				 "Argument to arithmetic operation not a number or boolean");
	struct bw_type t = arithmetic_type(&a->type, &a->type);
	if (t.kind == BW_TYPE_FLOAT) {
		double f = bw_value_f64(a, 0);
		if (op == '~')
			return bw_errorf(
				BW_E_INVALID,
				"Argument to complement operation not an integer, boolean");
		*out = make_float(op == '-' ? -f : f, t.size_b);
		return NULL;
	}
	uint64_t bits = bw_type_extend(&t, a->bits);
	*out = bw_expr_int(op == '-'   ? -bits
			   : op == '~' ? ~bits
				       : bits,
			   t.size_b, t.kind == BW_TYPE_INT);
	return NULL;
}

/* ---- Memory ---- */

static struct bw_type pointee(const struct bw_type *t)
{
	if (t->depth > 1) {
		struct bw_type p = *t;
		p.depth--;
		return p;
	}
	return (struct bw_type){.kind = t->elem_kind, .size_b = t->elem_size_b};
}

struct bw_error *bw_expr_load(struct bw_expr *x, const struct bw_value *ptr, size_t n,
			      struct bw_value *out)
{
	struct bw_value v = {.type = pointee(&ptr->type),
			     .place = BW_PLACE_MEMORY,
			     .space = ptr->type.space,
			     .va = ptr->bits,
			     .lane = (int)x->lane};
	unsigned size_b = v.type.size_b;

	if (ptr->type.kind != BW_TYPE_POINTER)
		return bw_errorf(BW_E_INVALID, "Attempt to take contents of a non-pointer value");
	if (ptr->type.ctype)
		return bw_expr_load_program(x, ptr, n, out);
	bw_debug_flat_space(&v.space, &v.va);
	if (size_b == 0 || size_b > 8)
		return bw_errorf(
			BW_E_INVALID,
			"Attempt to take contents of a void pointer: cast it, *(int *)...");
	if (x->skip) {
		*out = v;
		return NULL;
	}
	uint8_t *bytes = malloc(n * size_b);
	if (n > 1)
		v.elem = calloc(n, sizeof(*v.elem));
	const struct bw_wave_mem at = {x->wave, x->lane, v.space, v.va};
	struct bw_error *err = !bytes || (n > 1 && !v.elem)
				       ? bw_error_nomem()
				       : bw_wave_mem_read(x->d, &at, bytes, n * size_b);
	for (size_t i = 0; !err && i < n; i++) {
		uint64_t bits = 0;
		memcpy(&bits, bytes + i * size_b, size_b);
		bits = bw_type_extend(&v.type, bits);
		if (n > 1)
			v.elem[i] = bits;
		else
			v.bits = bits;
	}
	free(bytes);
	if (err) {
		free(v.elem);
		return err;
	}
	v.n_elem = n > 1 ? n : 0;
	*out = v;
	return NULL;
}

/* ---- Assignment ---- */

static struct bw_error *write_vgpr(struct bw_expr *x, struct bw_wave_reg r, unsigned lane,
				   uint64_t bits)
{
	unsigned n;
	if (!x->wave)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	BW_TRY(bw_wave_vgpr_number(&x->wave->info, r, &n));
	for (unsigned i = 0; i < r.count; i++)
		BW_TRY(bw_target_write_vgpr(x->d->target, x->wave->info.slot, n + i, lane,
					    bw_half32(bits, i)));
	return NULL;
}

struct bw_error *bw_expr_assign(struct bw_expr *x, struct bw_value *place, struct bw_value *v)
{
	struct bw_wave_reg r = place->reg;
	uint64_t bits;

	if (place->place == BW_PLACE_NONE && place->vector)
		return bw_expr_assign_components(x, place, v);
	if (place->place == BW_PLACE_NONE)
		return bw_errorf(BW_E_INVALID, "Left operand of assignment is not an lvalue");
	if (place->place == BW_PLACE_VAR)
		return bw_debug_set_var(x->d, x->d->vars->all.data[place->var].name, v);
	if (place->place == BW_PLACE_MEMORY && place->n_elem)
		return bw_errorf(BW_E_INVALID, "cannot assign to an array: choose an element, [0]");
	if (v->type.kind == BW_TYPE_TEXT)
		return bw_errorf(BW_E_INVALID, "a text cannot be assigned");
	if (place->place == BW_PLACE_PIECES ||
	    (place->place == BW_PLACE_MEMORY && place->type.ctype))
		return bw_expr_assign_program(x, place, v);
	BW_TRY(bw_expr_scalar(x, v));
	if (x->skip)
		return NULL;
	if (place->place == BW_PLACE_MEMORY) {
		bits = convert(v, 0, &place->type);
		unsigned lane = place->lane < 0 ? x->lane : (unsigned)place->lane;
		const struct bw_wave_mem at = {x->wave, lane, place->space, place->va};
		BW_TRY(bw_wave_mem_write(x->d, &at, &bits, place->type.size_b));
		place->bits = bits;
		return NULL;
	}
	if (place->n_elem && !place->across_lanes)
		return bw_errorf(BW_E_UNSUPPORTED, "cannot write %zu registers at once",
				 place->n_elem);
	/* a register has no type, so it gets the bits of a float, not its integer part */
	if (v->type.kind == BW_TYPE_FLOAT)
		bits = float_bits(bw_value_f64(v, 0), place->type.size_b);
	else
		bits = v->bits;
	bits = bw_type_extend(&place->type, bits);
	if (bw_wave_reg_is_vector(r)) {
		unsigned lane = place->lane < 0 ? x->lane : (unsigned)place->lane;
		BW_TRY(write_vgpr(x, r, lane, bits));
		if (place->across_lanes && lane < place->n_elem)
			place->elem[lane] = bits;
	} else {
		if (!x->wave)
			return bw_errorf(BW_E_STATE, "No wave is stopped");
		BW_TRY(bw_wave_reg_write(x->d, x->wave, r, bits));
	}
	place->bits = bits;
	return NULL;
}
