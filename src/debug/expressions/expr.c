// SPDX-License-Identifier: MIT
/* The grammar of expressions above their leaves. Each function parses one level and evaluates it;
 * with x->skip it only parses, for the sides of &&, || and ?: that C would not evaluate. */
#include "debug/expressions/eval.h"
#include "debug/expressions/expr_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "base/cleanup.h"

enum { MAX_DEPTH = 100, MAX_ARRAY = 65536 };

/* ---- Unary ---- */

static struct bw_error *address_of(struct bw_expr *x, struct bw_value *v, struct bw_value *out)
{
	if (v->type.kind == BW_TYPE_UINT && v->type.is_code && v->place == BW_PLACE_NONE) {
		*out = *v; /* a function's name is its address already */
		out->type.is_function = false;
		return NULL;
	}
	if (v->type.ctype && (v->place == BW_PLACE_MEMORY || x->skip) && !v->bit_size) {
		struct bw_value p = {.bits = v->va};
		BW_TRY(bw_expr_pointer_type(x, v->type.ctype, v->space, &p.type));
		*out = p;
		return NULL;
	}
	if (v->place != BW_PLACE_MEMORY || v->bit_size)
		return bw_errorf(BW_E_INVALID,
				 "Attempt to take address of value not located in memory");
	struct bw_type t = {.kind = BW_TYPE_POINTER,
			    .size_b = v->space == BW_SPACE_GLOBAL ? 8 : 4,
			    .space = v->space,
			    .elem_kind = v->type.kind,
			    .elem_size_b = v->type.size_b,
			    .depth = 1};
	if (v->type.kind == BW_TYPE_POINTER) {
		t.elem_kind = v->type.elem_kind;
		t.elem_size_b = v->type.elem_size_b;
		t.depth = (uint8_t)(v->type.depth + 1);
	}
	*out = (struct bw_value){.type = t, .bits = v->va};
	return NULL;
}

static struct bw_error *contents(struct bw_expr *x, struct bw_value *v, struct bw_value *out)
{
	const struct bw_ctype *whole = bw_type_aggregate(&v->type);
	if (whole && whole->kind != BW_CTYPE_ARRAY)
		return bw_errorf(BW_E_INVALID, "Attempt to take contents of a non-pointer value");
	BW_TRY(bw_expr_scalar(x, v));
	if (v->type.kind == BW_TYPE_UINT && v->type.is_code) {
		/* *saxpy and *$pc are the dword there */
		v->type = (struct bw_type){.kind = BW_TYPE_POINTER,
					   .size_b = 8,
					   .elem_kind = BW_TYPE_UINT,
					   .elem_size_b = 4,
					   .depth = 1};
	} else if (v->type.kind == BW_TYPE_INT || v->type.kind == BW_TYPE_UINT) {
		/* as in gdb, an integer is the address of an int */
		v->bits = (uint64_t)bw_value_i64(v, 0);
		v->type = (struct bw_type){.kind = BW_TYPE_POINTER,
					   .size_b = 8,
					   .elem_kind = BW_TYPE_INT,
					   .elem_size_b = 4,
					   .depth = 1};
	}
	return bw_expr_load(x, v, 1, out);
}

static struct bw_error *parse_sizeof(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value v = {0};
	struct bw_type t;
	bw_expr_next(x);
	bool paren = bw_expr_is_op(x, '(');
	struct bw_tok start = x->tok;
	if (paren)
		bw_expr_next(x);
	if (paren && bw_expr_type_follows(x)) {
		BW_TRY(bw_expr_parse_type(x, &t));
		BW_TRY(bw_expr_expect(x, ')'));
		*out = bw_expr_int(bw_type_size(&t), 8, false);
		return NULL;
	}
	x->tok = start;
	x->skip++;
	struct bw_error *err = bw_expr_parse_unary(x, &v);
	x->skip--;
	if (err)
		return err;
	uint64_t size_b = v.type.kind == BW_TYPE_TEXT ? strlen(v.text) + 1 : bw_type_size(&v.type);
	*out = bw_expr_int(size_b * BW_MAX(v.n_elem, (size_t)1), 8, false);
	bw_value_fini(&v);
	return NULL;
}

static struct bw_error *parse_cast(struct bw_expr *x, int close, struct bw_value *out)
{
	struct bw_type t;
	struct bw_value v = {0};
	size_t column = x->tok.column;
	BW_TRY(bw_expr_parse_type(x, &t));
	BW_TRY(bw_expr_expect(x, close));
	if (close == ')' && bw_expr_literal_follows(x, &t))
		return bw_expr_literal(x, &t, out);
	BW_TRY(bw_expr_parse_unary(x, &v));
	struct bw_error *err;
	if (close == ')') {
		err = bw_expr_at(x, column, bw_expr_cast(x, &t, &v));
	} else { /* {float} ADDR, gdb's way to write *(float *)ADDR */
		struct bw_type p;
		struct bw_value r;
		err = bw_expr_pointer_to(x, &t, &p);
		if (!err)
			err = bw_expr_at(x, column, bw_expr_cast(x, &p, &v));
		if (!err)
			err = bw_expr_at(x, column, bw_expr_load(x, &v, 1, &r));
		if (!err) {
			bw_value_fini(&v);
			v = r;
		}
	}
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

static struct bw_error *parse_operator(struct bw_expr *x, int op, struct bw_value *out)
{
	size_t column = x->tok.column;
	struct bw_value v = {0}, r = {0};
	bw_expr_next(x);
	BW_TRY(bw_expr_parse_unary(x, &v));
	struct bw_error *err = op == '*'   ? contents(x, &v, &r)
			       : op == '&' ? address_of(x, &v, &r)
					   : bw_expr_unary(x, op, &v, &r);
	bw_value_fini(&v);
	if (!err)
		*out = r;
	return bw_expr_at(x, column, err);
}

/* Parses ++$n and --$n. */
static struct bw_error *parse_prefix_change(struct bw_expr *x, struct bw_value *out)
{
	size_t column = x->tok.column;
	int op = x->tok.assign_op;
	struct bw_value v = {0}, one = bw_expr_int(1, 4, true);
	bw_expr_next(x);
	BW_TRY(bw_expr_parse_unary(x, &v));
	struct bw_error *err = bw_expr_change(x, column, op, &v, &one);
	bw_value_fini(&one);
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

static struct bw_error *parse_unary_inner(struct bw_expr *x, struct bw_value *out)
{
	if (x->tok.kind == BW_TOK_OP) {
		int op = x->tok.op;
		if (op == BW_OPR_INC)
			return parse_prefix_change(x, out);
		if (op == '-' || op == '+' || op == '!' || op == '~' || op == '*' || op == '&')
			return parse_operator(x, op, out);
		if (op == '(' || op == '{') {
			struct bw_tok start = x->tok;
			bw_expr_next(x);
			if (bw_expr_type_follows(x))
				return parse_cast(x, op == '(' ? ')' : '}', out);
			x->tok = start;
		}
	}
	if (x->tok.kind == BW_TOK_IDENT && strcmp(x->tok.name, "sizeof") == 0)
		return parse_sizeof(x, out);
	return bw_expr_parse_postfix(x, out);
}

struct bw_error *bw_expr_parse_unary(struct bw_expr *x, struct bw_value *out)
{
	if (x->depth >= MAX_DEPTH)
		return bw_expr_at(x, x->tok.column,
				  bw_errorf(BW_E_INVALID, "the expression is nested too deeply"));
	x->depth++;
	struct bw_error *err = parse_unary_inner(x, out);
	x->depth--;
	return err;
}

/* ---- Binary ---- */

/* The precedence of the next token; 0: it is not a binary operator. Higher binds tighter; '@' as in
 * gdb. */
static int precedence(const struct bw_expr *x)
{
	if (x->tok.kind != BW_TOK_OP)
		return 0;
	switch (x->tok.op) {
	case BW_OPR_OR:
		return 1;
	case BW_OPR_AND:
		return 2;
	case '|':
		return 3;
	case '^':
		return 4;
	case '&':
		return 5;
	case BW_OPR_EQ:
	case BW_OPR_NE:
		return 6;
	case '<':
	case '>':
	case BW_OPR_LE:
	case BW_OPR_GE:
		return 7;
	case BW_OPR_SHL:
	case BW_OPR_SHR:
		return 8;
	case '@':
		return 9;
	case '+':
	case '-':
		return 10;
	case '*':
	case '/':
	case '%':
		return 11;
	default:
		return 0;
	}
}

/* Computes a@n: n elements from the place of a on. */
static struct bw_error *make_array(struct bw_expr *x, struct bw_value *a, struct bw_value *n,
				   struct bw_value *out)
{
	BW_TRY(bw_expr_scalar(x, n));
	int64_t count = bw_value_i64(n, 0);
	bool types_only = x->skip && a->type.ctype;
	if ((a->place != BW_PLACE_MEMORY && !types_only) || a->n_elem)
		return bw_errorf(BW_E_INVALID, "Only values in memory can be extended with '@'");
	if (count <= 0 || count > MAX_ARRAY)
		return bw_errorf(BW_E_INVALID, "Invalid number %lld of repetitions: 1 to %d",
				 (long long)count, MAX_ARRAY);
	struct bw_value p;
	BW_TRY(address_of(x, a, &p));
	if (count == 1 && p.type.ctype) { /* with one element it is an array as well */
		const struct bw_ctype *one = bw_variables_array_of(x->d, a->type.ctype, 1, false);
		if (!one)
			return bw_error_nomem();
		BW_TRY(bw_expr_pointer_type(x, one, p.type.space, &p.type));
	}
	return bw_expr_load(x, &p, (size_t)count, out);
}

static struct bw_error *parse_binary(struct bw_expr *x, int min, struct bw_value *out)
{
	struct bw_value a = {0}, b = {0}, r = {0};
	struct bw_error *err = bw_expr_parse_unary(x, &a);

	while (!err && precedence(x) >= min && precedence(x) > 0) {
		int op = x->tok.op, level = precedence(x);
		size_t column = x->tok.column;
		bool logical = op == BW_OPR_AND || op == BW_OPR_OR;
		bool decided = false;
		if (logical) {
			err = bw_expr_at(x, column, bw_expr_scalar(x, &a));
			decided = !err && bw_expr_true(x, &a) == (op == BW_OPR_OR);
		}
		if (err)
			break;
		bw_expr_next(x);
		x->skip += decided;
		err = parse_binary(x, level + 1, &b);
		x->skip -= decided;
		if (err)
			break;
		if (logical) {
			err = decided ? NULL : bw_expr_at(x, column, bw_expr_scalar(x, &b));
			if (!err)
				r = bw_expr_int(decided ? op == BW_OPR_OR : bw_expr_true(x, &b), 4,
						true);
		} else if ((op == BW_OPR_EQ || op == BW_OPR_NE) && a.is_triple) {
			err = bw_expr_compare_triple(x, op, &a, &b, &r);
		} else if (op == '@') {
			err = bw_expr_at(x, column, make_array(x, &a, &b, &r));
		} else {
			err = bw_expr_at(x, column, bw_expr_binary(x, op, &a, &b, &r));
		}
		bw_value_fini(&b);
		if (err)
			break;
		bw_value_fini(&a);
		a = r;
		r = (struct bw_value){0};
	}
	if (err)
		bw_value_fini(&a);
	else
		*out = a;
	return err;
}

static struct bw_error *parse_conditional(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value c = {0}, yes = {0}, no = {0};
	BW_TRY(parse_binary(x, 1, &c));
	if (x->tok.kind == BW_TOK_IDENT && !strcmp(x->tok.name, "as")) {
		struct bw_error *err = bw_expr_as_type(x, &c, out);
		bw_value_fini(&c);
		return err;
	}
	if (!bw_expr_is_op(x, '?')) {
		*out = c;
		return NULL;
	}
	struct bw_error *err = bw_expr_at(x, x->tok.column, bw_expr_scalar(x, &c));
	bool is_true = !err && bw_expr_true(x, &c);
	bw_value_fini(&c);
	if (err)
		return err;
	bw_expr_next(x);
	x->skip += !is_true;
	err = bw_expr_parse_assign(x, &yes);
	x->skip -= !is_true;
	if (!err)
		err = bw_expr_expect(x, ':');
	x->skip += is_true;
	if (!err)
		err = bw_expr_parse_assign(x, &no);
	x->skip -= is_true;
	if (err) {
		bw_value_fini(&yes);
		bw_value_fini(&no);
		return err;
	}
	*out = is_true ? yes : no;
	bw_value_fini(is_true ? &no : &yes);
	return NULL;
}

struct bw_error *bw_expr_change(struct bw_expr *x, size_t column, int op, struct bw_value *place,
				struct bw_value *v)
{
	struct bw_error *err = NULL;
	if (op) {
		struct bw_value old, sum = {0};
		err = bw_value_copy(place, &old);
		if (err)
			return err;
		err = bw_expr_at(x, column, bw_expr_binary(x, op, &old, v, &sum));
		bw_value_fini(&old);
		bw_value_fini(v);
		*v = sum;
	}
	if (!err)
		err = bw_expr_at(x, column, bw_expr_assign(x, place, v));
	if (!err && place->place == BW_PLACE_VAR) {
		bw_value_fini(place);
		*place = *v;
		*v = (struct bw_value){0};
	}
	return err;
}

static struct bw_error *parse_assign_inner(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value place = {0}, v = {0};
	BW_TRY(parse_conditional(x, &place));
	if (!bw_expr_is_op(x, BW_OPR_ASSIGN)) {
		*out = place;
		return NULL;
	}
	int op = x->tok.assign_op;
	size_t column = x->tok.column;
	bw_expr_next(x);
	struct bw_error *err = !op && bw_expr_is_op(x, '{') && bw_type_aggregate(&place.type)
				       ? bw_expr_literal(x, &place.type, &v)
				       : bw_expr_parse_assign(x, &v);
	if (!err)
		err = bw_expr_change(x, column, op, &place, &v);
	bw_value_fini(&v);
	if (err)
		bw_value_fini(&place);
	else
		*out = place;
	return err;
}

struct bw_error *bw_expr_parse_assign(struct bw_expr *x, struct bw_value *out)
{
	if (x->depth >= MAX_DEPTH)
		return bw_expr_at(x, x->tok.column,
				  bw_errorf(BW_E_INVALID, "the expression is nested too deeply"));
	x->depth++;
	struct bw_error *err = parse_assign_inner(x, out);
	x->depth--;
	return err;
}

struct bw_error *bw_expr_parse_comma(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value v = {0};
	BW_TRY(bw_expr_parse_assign(x, &v));
	while (bw_expr_is_op(x, ',')) {
		bw_value_fini(&v);
		v = (struct bw_value){0};
		bw_expr_next(x);
		BW_TRY(bw_expr_parse_assign(x, &v));
	}
	*out = v;
	return NULL;
}

/* ---- Entry ---- */

static struct bw_error *evaluate(struct bw_expr *x, struct bw_value *out,
				 struct bw_expr_error *out_where)
{
	struct bw_value v = {0};
	x->error_column = SIZE_MAX;
	bw_expr_lex(x->text, 0, &x->tok);
	struct bw_error *err = bw_expr_parse_comma(x, &v);
	if (!err && x->tok.kind != BW_TOK_END) {
		err = bw_expr_syntax(x);
		bw_value_fini(&v);
	}
	if (err) {
		out_where->column = x->error_column == SIZE_MAX ? x->tok.column : x->error_column;
		return err;
	}
	*out = v;
	return NULL;
}

struct bw_error *bw_debug_eval_for(struct bw_debug *d, const char *text, struct bw_wave_record *w,
				   unsigned lane, struct bw_value *out,
				   struct bw_expr_error *out_where)
{
	struct bw_expr x = {.d = d, .wave = w, .lane = lane, .text = text};
	return evaluate(&x, out, out_where);
}

struct bw_error *bw_debug_eval_check(struct bw_debug *d, const char *text,
				     const struct bw_variables_frame *at,
				     struct bw_expr_error *out_where)
{
	struct bw_expr x = {.d = d,
			    .wave = bw_debug_focus_priv(d),
			    .lane = d->waves->focus_lane,
			    .text = text,
			    .check = true,
			    .at = at,
			    .skip = 1};
	struct bw_value v;
	BW_TRY(evaluate(&x, &v, out_where));
	bw_value_fini(&v);
	return NULL;
}

struct bw_error *bw_debug_eval_place(struct bw_debug *d, const char *text,
				     const struct bw_variables_frame *at, bool reads,
				     struct bw_value *out)
{
	struct bw_expr x = {.d = d, .text = text, .at = at, .skip = !reads};
	struct bw_expr_error where;
	return evaluate(&x, out, &where);
}

struct bw_error *bw_debug_eval_type(struct bw_debug *d, const char *text, struct bw_value *out,
				    bool *out_is_type, struct bw_expr_error *out_where)
{
	struct bw_expr x = {.d = d,
			    .wave = bw_debug_focus_priv(d),
			    .lane = d->waves->focus_lane,
			    .text = text,
			    .error_column = SIZE_MAX,
			    .skip = 1};
	struct bw_value v = {0};
	bw_expr_lex(text, 0, &x.tok);
	if (bw_expr_type_follows(&x)) {
		struct bw_error *err = bw_expr_parse_type(&x, &v.type);
		if (!err && x.tok.kind == BW_TOK_END) {
			*out = v;
			*out_is_type = true;
			return NULL;
		}
		if (err) {
			out_where->column =
				x.error_column == SIZE_MAX ? x.tok.column : x.error_column;
			*out_is_type = true;
			return err;
		}
	}
	*out_is_type = false;
	return evaluate(&x, out, out_where);
}

struct bw_error *bw_debug_eval(struct bw_debug *d, const char *text, struct bw_value *out,
			       struct bw_expr_error *out_where)
{
	return bw_debug_eval_for(d, text, bw_debug_focus_priv(d), d->waves->focus_lane, out,
				 out_where);
}

struct bw_error *bw_debug_eval_lane(struct bw_debug *d, const char *text, unsigned lane,
				    struct bw_value *out, struct bw_expr_error *out_where)
{
	struct bw_wave_record *w = bw_debug_focus_priv(d);
	if (w && lane >= w->info.lanes)
		return bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %u (the wave has lanes 0 to %u)",
				 lane, w->info.lanes - 1u);
	return bw_debug_eval_for(d, text, w, lane, out, out_where);
}
