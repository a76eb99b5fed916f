// SPDX-License-Identifier: MIT
/* The grammar of expressions. Each function parses one level and evaluates it; with x->skip it only
 * parses, for the sides of &&, || and ?: that C would not evaluate. */
#include "debug/expr_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { MAX_DEPTH = 100, MAX_ARRAY = 65536 };

static struct bw_error *parse_assign(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;
static struct bw_error *parse_unary(struct bw_expr *x, struct bw_value *out) BW_MUST_CHECK;

/* ---- Tokens ---- */

static void next(struct bw_expr *x)
{
	bw_expr_lex(x->text, x->tok.end, &x->tok);
}

static bool is_op(const struct bw_expr *x, int op)
{
	return x->tok.kind == BW_TOK_OP && x->tok.op == op;
}

static struct bw_error *syntax(struct bw_expr *x)
{
	x->error_column = x->tok.column;
	if (x->tok.kind == BW_TOK_BAD)
		return bw_errorf(BW_E_INVALID, "%s", x->tok.message);
	if (x->tok.kind == BW_TOK_END)
		return bw_errorf(BW_E_INVALID, "A syntax error in expression: it ends too early");
	return bw_errorf(BW_E_INVALID, "A syntax error in expression, near `%s'",
			 x->text + x->tok.column);
}

static struct bw_error *expect(struct bw_expr *x, int op)
{
	if (!is_op(x, op))
		return syntax(x);
	next(x);
	return NULL;
}

/* Puts the column of what was being worked on into an error that has none yet. */
static struct bw_error *at(struct bw_expr *x, size_t column, struct bw_error *err)
{
	if (err && x->error_column == SIZE_MAX)
		x->error_column = column;
	return err;
}

/* ---- Types ---- */

/* Words of a type, then stars. */
static struct bw_error *parse_type(struct bw_expr *x, struct bw_type *out)
{
	struct bw_type_words words = {0};
	while (x->tok.kind == BW_TOK_IDENT && bw_expr_type_word(x->tok.name)) {
		if (!bw_expr_type_add(&words, x->tok.name))
			return syntax(x);
		next(x);
	}
	struct bw_type t = bw_expr_type_finish(&words);
	while (is_op(x, '*')) {
		if (t.kind != BW_TYPE_POINTER) {
			t = (struct bw_type){.kind = BW_TYPE_POINTER,
					     .elem_kind = t.kind,
					     .elem_size_b = t.size_b,
					     .size_b = words.space == BW_SPACE_GLOBAL ? 8 : 4,
					     .space = words.space};
		}
		if (t.depth == 8)
			return syntax(x);
		t.depth++;
		next(x);
		while (x->tok.kind == BW_TOK_IDENT &&
		       (strcmp(x->tok.name, "const") == 0 || strcmp(x->tok.name, "restrict") == 0))
			next(x);
	}
	*out = t;
	return NULL;
}

static bool type_follows(const struct bw_expr *x)
{
	return x->tok.kind == BW_TOK_IDENT && bw_expr_type_word(x->tok.name);
}

/* ---- Primary ---- */

/* as_float(x) and its kin. */
static bool as_type(const char *name, struct bw_type *out)
{
	if (strncmp(name, "as_", 3) != 0 || !bw_type_parse(name + 3, out))
		return false;
	return out->kind != BW_TYPE_POINTER && out->kind != BW_TYPE_VOID;
}

static struct bw_error *parse_as(struct bw_expr *x, const struct bw_type *t, struct bw_value *out)
{
	size_t column = x->tok.column;
	struct bw_value v = {0};
	BW_TRY(expect(x, '('));
	BW_TRY(parse_assign(x, &v));
	struct bw_error *err = expect(x, ')');
	if (!err && x->skip)
		v.type = *t;
	else if (!err)
		err = at(x, column, bw_expr_as(x, t, &v));
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

/* lds#0x10: an address in a space, of dwords until it is cast. */
static struct bw_error *parse_space(struct bw_expr *x, const char *name, size_t column,
				    struct bw_value *out)
{
	enum bw_space space;
	struct bw_value v = {0};
	BW_TRY(at(x, column, bw_expr_space(name, &space)));
	BW_TRY(expect(x, '#'));
	column = x->tok.column;
	BW_TRY(parse_unary(x, &v));
	struct bw_error *err =
		v.type.kind == BW_TYPE_TEXT ? syntax(x) : at(x, column, bw_expr_scalar(x, &v));
	if (!err) {
		uint64_t addr = (uint64_t)bw_value_i64(&v, 0);
		*out = (struct bw_value){.type = {.kind = BW_TYPE_POINTER,
						  .size_b = space == BW_SPACE_GLOBAL ? 8 : 4,
						  .space = space,
						  .elem_kind = BW_TYPE_UINT,
						  .elem_size_b = 4,
						  .depth = 1}};
		out->bits = bw_type_extend(&out->type, addr);
	}
	bw_value_fini(&v);
	return err;
}

/* $_workgroup, blockIdx without a member: all three, for == and != with a list. */
static struct bw_error *triple(struct bw_expr *x, const char *name, struct bw_value *out)
{
	struct bw_value v = {.type = {.kind = BW_TYPE_UINT, .size_b = 4}, .is_triple = true}, one;
	v.elem = calloc(3, sizeof(*v.elem));
	if (!v.elem)
		return bw_error_nomem();
	v.n_elem = 3;
	for (unsigned i = 0; i < 3; i++) {
		struct bw_error *err = bw_expr_dim3(x, name, (char)('x' + i), &one);
		if (err) {
			bw_value_fini(&v);
			return err;
		}
		v.elem[i] = one.bits;
	}
	v.bits = v.elem[0];
	*out = v;
	return NULL;
}

/* The rest of "$_workgroup == 2,0,0", of which 2 is first. */
static struct bw_error *compare_triple(struct bw_expr *x, int op, const struct bw_value *a,
				       struct bw_value *first, struct bw_value *out)
{
	bool equal = true;
	for (unsigned i = 0; i < 3; i++) {
		struct bw_value v = {0}, *b = i ? &v : first;
		struct bw_error *err = NULL;
		if (first->is_triple) {
			equal &= first->elem[i] == a->elem[i];
			continue;
		}
		if (i)
			err = expect(x, ',');
		if (!err && i)
			err = parse_unary(x, &v);
		if (!err)
			err = bw_expr_scalar(x, b);
		if (!err)
			equal &= (uint64_t)bw_value_i64(b, 0) == a->elem[i];
		bw_value_fini(&v);
		if (err)
			return err;
	}
	*out = bw_expr_int(equal == (op == BW_OPR_EQ), 4, true);
	return NULL;
}

static struct bw_error *parse_dim3(struct bw_expr *x, const char *name, size_t column,
				   struct bw_value *out)
{
	if (!is_op(x, '.'))
		return at(x, column, triple(x, name, out));
	BW_TRY(expect(x, '.'));
	char member = x->tok.name[0];
	if (x->tok.kind != BW_TOK_IDENT || x->tok.name[1] || member < 'x' || member > 'z')
		return syntax(x);
	next(x);
	return at(x, column, bw_expr_dim3(x, name, member, out));
}

/* $_buffer(N): where a buffer of "info buffers" lies; $_buffer_size(N): its bytes. */
static struct bw_error *parse_buffer(struct bw_expr *x, bool size, struct bw_value *out)
{
	size_t column = x->tok.column;
	struct bw_value v = {0};
	struct bw_buffer_info b = {0};
	BW_TRY(expect(x, '('));
	BW_TRY(parse_assign(x, &v));
	struct bw_error *err = expect(x, ')');
	if (!err)
		err = at(x, column, bw_expr_scalar(x, &v));
	int64_t number = err ? 0 : bw_value_i64(&v, 0);
	bw_value_fini(&v);
	if (!err && !x->skip)
		err = at(x, column,
			 bw_debug_buffer(x->d, number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0,
					 &b));
	if (err)
		return err;
	*out = (struct bw_value){.type = {.kind = BW_TYPE_UINT, .size_b = 8}, .bits = b.size_b};
	if (!size) {
		out->type = (struct bw_type){.kind = BW_TYPE_POINTER,
					     .size_b = 8,
					     .elem_kind = BW_TYPE_UINT,
					     .elem_size_b = 4,
					     .depth = 1};
		out->bits = b.va;
	}
	return NULL;
}

static struct bw_error *parse_name(struct bw_expr *x, struct bw_value *out)
{
	struct bw_tok t = x->tok;
	struct bw_type type;

	next(x);
	if (t.kind == BW_TOK_IDENT && is_op(x, '#'))
		return parse_space(x, t.name, t.column, out);
	if (t.kind == BW_TOK_DOLLAR && is_op(x, '(') &&
	    (!strcmp(t.name, "_buffer") || !strcmp(t.name, "_buffer_size")))
		return parse_buffer(x, t.name[7] != 0, out);
	if (bw_expr_is_dim3(t.name))
		return parse_dim3(x, t.name, t.column, out);
	if (t.kind == BW_TOK_IDENT && is_op(x, '(') && as_type(t.name, &type))
		return parse_as(x, &type, out);
	return at(x, t.column,
		  bw_expr_name(x, t.name, t.kind == BW_TOK_DOLLAR,
			       is_op(x, BW_OPR_ASSIGN) && x->tok.assign_op == 0, out));
}

static struct bw_error *parse_primary(struct bw_expr *x, struct bw_value *out)
{
	switch (x->tok.kind) {
	case BW_TOK_INT:
	case BW_TOK_FLOAT:
	case BW_TOK_CHAR:
		*out = x->tok.number;
		next(x);
		return NULL;
	case BW_TOK_STRING:
		*out = (struct bw_value){.type = {.kind = BW_TYPE_TEXT}};
		memcpy(out->text, x->tok.name, sizeof(out->text));
		out->text[sizeof(out->text) - 1] = 0;
		next(x);
		return NULL;
	case BW_TOK_IDENT:
	case BW_TOK_DOLLAR:
		return parse_name(x, out);
	case BW_TOK_OP:
		if (x->tok.op != '(')
			break;
		next(x);
		BW_TRY(parse_assign(x, out));
		struct bw_error *err = expect(x, ')');
		if (err)
			bw_value_fini(out);
		return err;
	case BW_TOK_END:
	case BW_TOK_BAD:
		break;
	}
	return syntax(x);
}

/* v[i]: a lane of a register, an element of an array, what a pointer points to. */
static struct bw_error *index_into(struct bw_expr *x, struct bw_value *v, struct bw_value *index)
{
	struct bw_value r;
	BW_TRY(bw_expr_scalar(x, index));
	if (index->type.kind != BW_TYPE_INT && index->type.kind != BW_TYPE_UINT)
		return bw_errorf(BW_E_INVALID, "an index must be an integer");
	int64_t i = (int64_t)index->bits;
	if (v->n_elem && (v->across_lanes || v->place != BW_PLACE_MEMORY)) {
		if (i < 0 || (size_t)i >= v->n_elem)
			return bw_errorf(BW_E_NOT_FOUND,
					 v->across_lanes ? "Invalid lane ID: %lld (lanes 0 to %zu)"
							 : "no such element: %lld of 0 to %zu",
					 (long long)i, v->n_elem - 1);
		r = *v;
		r.bits = v->elem[i];
		r.lane = v->across_lanes ? (int)i : -1;
		if (!v->across_lanes && v->place == BW_PLACE_REG) /* $s[0:7][3] */
			r.reg = (v->reg & 0xff000000) | 1 << 16 | ((v->reg & 0xffff) + (uint32_t)i);
		r.elem = NULL;
		r.n_elem = 0;
		r.across_lanes = false;
		bw_value_fini(v);
		*v = r;
		return NULL;
	}
	if (x->skip && v->type.kind != BW_TYPE_POINTER)
		return NULL; /* what a register's lanes are is not known while nothing is read */
	BW_TRY(bw_expr_scalar(x, v));
	if (v->type.kind != BW_TYPE_POINTER)
		return bw_errorf(BW_E_INVALID, "cannot subscript something of this type");
	struct bw_value p;
	BW_TRY(bw_expr_binary(x, '+', v, index, &p));
	BW_TRY(bw_expr_load(x, &p, 1, &r));
	bw_value_fini(v);
	*v = r;
	return NULL;
}

static struct bw_error *parse_postfix(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value v = {0};
	BW_TRY(parse_primary(x, &v));
	while (is_op(x, '[')) {
		size_t column = x->tok.column;
		struct bw_value i = {0};
		next(x);
		struct bw_error *err = parse_assign(x, &i);
		if (!err)
			err = expect(x, ']');
		if (!err)
			err = at(x, column, index_into(x, &v, &i));
		bw_value_fini(&i);
		if (err) {
			bw_value_fini(&v);
			return err;
		}
	}
	*out = v;
	return NULL;
}

/* ---- Unary ---- */

static struct bw_error *address_of(struct bw_value *v, struct bw_value *out)
{
	if (v->type.kind == BW_TYPE_UINT && v->type.is_code && v->place == BW_PLACE_NONE) {
		*out = *v; /* a function's name is its address already */
		return NULL;
	}
	if (v->place != BW_PLACE_MEMORY)
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
	BW_TRY(bw_expr_scalar(x, v));
	if (v->type.kind == BW_TYPE_UINT && v->type.is_code) {
		/* *saxpy, *$pc: the dword there */
		v->type = (struct bw_type){.kind = BW_TYPE_POINTER,
					   .size_b = 8,
					   .elem_kind = BW_TYPE_UINT,
					   .elem_size_b = 4,
					   .depth = 1};
	} else if (v->type.kind == BW_TYPE_INT || v->type.kind == BW_TYPE_UINT) {
		/* gdb takes an integer for the address of an int */
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
	next(x);
	bool paren = is_op(x, '(');
	struct bw_tok start = x->tok;
	if (paren)
		next(x);
	if (paren && type_follows(x)) {
		BW_TRY(parse_type(x, &t));
		BW_TRY(expect(x, ')'));
		*out = bw_expr_int(t.size_b, 8, false);
		return NULL;
	}
	x->tok = start;
	x->skip++;
	struct bw_error *err = parse_unary(x, &v);
	x->skip--;
	if (err)
		return err;
	*out = bw_expr_int(v.type.size_b * BW_MAX(v.n_elem, (size_t)1), 8, false);
	bw_value_fini(&v);
	return NULL;
}

static struct bw_error *parse_cast(struct bw_expr *x, int close, struct bw_value *out)
{
	struct bw_type t;
	struct bw_value v = {0};
	size_t column = x->tok.column;
	BW_TRY(parse_type(x, &t));
	BW_TRY(expect(x, close));
	BW_TRY(parse_unary(x, &v));
	struct bw_error *err;
	if (close == ')') {
		err = at(x, column, bw_expr_cast(x, &t, &v));
	} else { /* {float} ADDR, gdb's way to write *(float *)ADDR */
		struct bw_type p = {.kind = BW_TYPE_POINTER,
				    .size_b = 8,
				    .elem_kind = t.kind,
				    .elem_size_b = t.size_b,
				    .depth = 1};
		struct bw_value r;
		err = at(x, column, bw_expr_cast(x, &p, &v));
		if (!err)
			err = at(x, column, bw_expr_load(x, &v, 1, &r));
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
	next(x);
	BW_TRY(parse_unary(x, &v));
	struct bw_error *err = op == '*'   ? contents(x, &v, &r)
			       : op == '&' ? address_of(&v, &r)
					   : bw_expr_unary(x, op, &v, &r);
	bw_value_fini(&v);
	if (!err)
		*out = r;
	return at(x, column, err);
}

static struct bw_error *parse_unary_inner(struct bw_expr *x, struct bw_value *out)
{
	if (x->tok.kind == BW_TOK_OP) {
		int op = x->tok.op;
		if (op == '-' || op == '+' || op == '!' || op == '~' || op == '*' || op == '&')
			return parse_operator(x, op, out);
		if (op == '(' || op == '{') {
			struct bw_tok start = x->tok;
			next(x);
			if (type_follows(x))
				return parse_cast(x, op == '(' ? ')' : '}', out);
			x->tok = start;
		}
	}
	if (x->tok.kind == BW_TOK_IDENT && strcmp(x->tok.name, "sizeof") == 0)
		return parse_sizeof(x, out);
	return parse_postfix(x, out);
}

static struct bw_error *parse_unary(struct bw_expr *x, struct bw_value *out)
{
	if (x->depth >= MAX_DEPTH)
		return at(x, x->tok.column,
			  bw_errorf(BW_E_INVALID, "the expression is nested too deeply"));
	x->depth++;
	struct bw_error *err = parse_unary_inner(x, out);
	x->depth--;
	return err;
}

/* ---- Binary ---- */

/* 0: no binary operator. Higher binds tighter; '@' as in gdb. */
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

/* a@n: n elements from where a lies. */
static struct bw_error *make_array(struct bw_expr *x, struct bw_value *a, struct bw_value *n,
				   struct bw_value *out)
{
	BW_TRY(bw_expr_scalar(x, n));
	int64_t count = bw_value_i64(n, 0);
	if (a->place != BW_PLACE_MEMORY || a->n_elem)
		return bw_errorf(BW_E_INVALID, "Only values in memory can be extended with '@'");
	if (count <= 0 || count > MAX_ARRAY)
		return bw_errorf(BW_E_INVALID, "Invalid number %lld of repetitions",
				 (long long)count);
	struct bw_value p;
	BW_TRY(address_of(a, &p));
	return bw_expr_load(x, &p, (size_t)count, out);
}

static struct bw_error *parse_binary(struct bw_expr *x, int min, struct bw_value *out)
{
	struct bw_value a = {0}, b = {0}, r = {0};
	struct bw_error *err = parse_unary(x, &a);

	while (!err && precedence(x) >= min && precedence(x) > 0) {
		int op = x->tok.op, level = precedence(x);
		size_t column = x->tok.column;
		bool logical = op == BW_OPR_AND || op == BW_OPR_OR;
		bool decided = false;
		if (logical) {
			err = at(x, column, bw_expr_scalar(x, &a));
			decided = !err && bw_expr_true(x, &a) == (op == BW_OPR_OR);
		}
		if (err)
			break;
		next(x);
		x->skip += decided;
		err = parse_binary(x, level + 1, &b);
		x->skip -= decided;
		if (err)
			break;
		if (logical) {
			err = decided ? NULL : at(x, column, bw_expr_scalar(x, &b));
			if (!err)
				r = bw_expr_int(decided ? op == BW_OPR_OR : bw_expr_true(x, &b), 4,
						true);
		} else if ((op == BW_OPR_EQ || op == BW_OPR_NE) && a.is_triple) {
			err = compare_triple(x, op, &a, &b, &r);
		} else if (op == '@') {
			err = at(x, column, make_array(x, &a, &b, &r));
		} else {
			err = at(x, column, bw_expr_binary(x, op, &a, &b, &r));
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
	if (!is_op(x, '?')) {
		*out = c;
		return NULL;
	}
	struct bw_error *err = at(x, x->tok.column, bw_expr_scalar(x, &c));
	bool is_true = !err && bw_expr_true(x, &c);
	bw_value_fini(&c);
	if (err)
		return err;
	next(x);
	x->skip += !is_true;
	err = parse_assign(x, &yes);
	x->skip -= !is_true;
	if (!err)
		err = expect(x, ':');
	x->skip += is_true;
	if (!err)
		err = parse_assign(x, &no);
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

static struct bw_error *parse_assign_inner(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value place = {0}, v = {0}, sum = {0};
	BW_TRY(parse_conditional(x, &place));
	if (!is_op(x, BW_OPR_ASSIGN)) {
		*out = place;
		return NULL;
	}
	int op = x->tok.assign_op;
	size_t column = x->tok.column;
	next(x);
	struct bw_error *err = parse_assign(x, &v);
	if (!err && op) {
		struct bw_value old = place;
		if (place.n_elem) {
			old.elem = malloc(place.n_elem * sizeof(*old.elem));
			if (old.elem)
				memcpy(old.elem, place.elem, place.n_elem * sizeof(*old.elem));
			else
				err = bw_error_nomem();
		}
		if (!err)
			err = at(x, column, bw_expr_binary(x, op, &old, &v, &sum));
		bw_value_fini(&old);
		bw_value_fini(&v);
		v = sum;
	}
	if (!err)
		err = at(x, column, bw_expr_assign(x, &place, &v));
	if (!err && place.place == BW_PLACE_VAR) {
		bw_value_fini(&place);
		place = v;
		v = (struct bw_value){0};
	}
	bw_value_fini(&v);
	if (err)
		bw_value_fini(&place);
	else
		*out = place;
	return err;
}

static struct bw_error *parse_assign(struct bw_expr *x, struct bw_value *out)
{
	if (x->depth >= MAX_DEPTH)
		return at(x, x->tok.column,
			  bw_errorf(BW_E_INVALID, "the expression is nested too deeply"));
	x->depth++;
	struct bw_error *err = parse_assign_inner(x, out);
	x->depth--;
	return err;
}

/* ---- Entry ---- */

static struct bw_error *evaluate(struct bw_expr *x, struct bw_value *out,
				 struct bw_expr_error *out_where)
{
	struct bw_value v = {0};
	x->error_column = SIZE_MAX;
	bw_expr_lex(x->text, 0, &x->tok);
	struct bw_error *err = parse_assign(x, &v);
	if (!err && x->tok.kind != BW_TOK_END) {
		err = syntax(x);
		bw_value_fini(&v);
	}
	if (err) {
		out_where->column = x->error_column == SIZE_MAX ? x->tok.column : x->error_column;
		return err;
	}
	*out = v;
	return NULL;
}

struct bw_error *bw_debug_eval_for(struct bw_debug *d, const char *text, struct bw_wave *w,
				   unsigned lane, struct bw_value *out,
				   struct bw_expr_error *out_where)
{
	struct bw_expr x = {.d = d, .wave = w, .lane = lane, .text = text};
	return evaluate(&x, out, out_where);
}

struct bw_error *bw_debug_eval_check(struct bw_debug *d, const char *text,
				     struct bw_expr_error *out_where)
{
	struct bw_expr x = {.d = d,
			    .wave = bw_debug_focus_priv(d),
			    .lane = d->focus_lane,
			    .text = text,
			    .check = true,
			    .skip = 1};
	struct bw_value v;
	BW_TRY(evaluate(&x, &v, out_where));
	bw_value_fini(&v);
	return NULL;
}

struct bw_error *bw_debug_eval(struct bw_debug *d, const char *text, struct bw_value *out,
			       struct bw_expr_error *out_where)
{
	return bw_debug_eval_for(d, text, bw_debug_focus_priv(d), d->focus_lane, out, out_where);
}

struct bw_error *bw_debug_eval_lane(struct bw_debug *d, const char *text, unsigned lane,
				    struct bw_value *out, struct bw_expr_error *out_where)
{
	struct bw_wave *w = bw_debug_focus_priv(d);
	if (w && lane >= w->info.lanes)
		return bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %u (the wave has lanes 0 to %u)",
				 lane, w->info.lanes - 1u);
	return bw_debug_eval_for(d, text, w, lane, out, out_where);
}
