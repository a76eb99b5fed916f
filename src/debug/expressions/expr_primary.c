// SPDX-License-Identifier: MIT
/* The leaves of expressions: numbers, names, spaces, types; and the operators after them, such as
 * []. */
#include "debug/waves/waves_priv.h"
#include "debug/bound.h"
#include "debug/expressions/expr_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tokens ---- */

void bw_expr_next(struct bw_expr *x)
{
	bw_expr_lex(x->text, x->tok.end, &x->tok);
}

bool bw_expr_is_op(const struct bw_expr *x, int op)
{
	return x->tok.kind == BW_TOK_OP && x->tok.op == op;
}

struct bw_error *bw_expr_syntax(struct bw_expr *x)
{
	x->error_column = x->tok.column;
	if (x->tok.kind == BW_TOK_BAD)
		return bw_errorf(BW_E_INVALID, "%s", x->tok.message);
	if (x->tok.kind == BW_TOK_END)
		return bw_errorf(BW_E_INVALID, "A syntax error in expression: it ends too early");
	return bw_errorf(BW_E_INVALID, "A syntax error in expression, near `%s'",
			 x->text + x->tok.column);
}

struct bw_error *bw_expr_expect(struct bw_expr *x, int op)
{
	if (!bw_expr_is_op(x, op))
		return bw_expr_syntax(x);
	bw_expr_next(x);
	return NULL;
}

struct bw_error *bw_expr_at(struct bw_expr *x, size_t column, struct bw_error *err)
{
	if (err && x->error_column == SIZE_MAX)
		x->error_column = column;
	return err;
}

/* ---- Primary ---- */

/* as_float(x) and similar functions. */
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
	BW_TRY(bw_expr_expect(x, '('));
	BW_TRY(bw_expr_parse_assign(x, &v));
	struct bw_error *err = bw_expr_expect(x, ')');
	if (!err && x->skip)
		v.type = *t;
	else if (!err)
		err = bw_expr_at(x, column, bw_expr_as(x, t, &v));
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

/* Parses lds#0x10, an address in a space. It points to dwords unless it is cast. */
static struct bw_error *parse_space(struct bw_expr *x, const char *name, size_t column,
				    struct bw_value *out)
{
	enum bw_space space;
	struct bw_value v = {0};
	BW_TRY(bw_expr_at(x, column, bw_expr_space(name, &space)));
	BW_TRY(bw_expr_expect(x, '#'));
	column = x->tok.column;
	BW_TRY(bw_expr_parse_unary(x, &v));
	struct bw_error *err = v.type.kind == BW_TYPE_TEXT
				       ? bw_expr_syntax(x)
				       : bw_expr_at(x, column, bw_expr_scalar(x, &v));
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

/* Parses $_workgroup and blockIdx without a member: all three numbers, for == and != with a
 * list. */
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
struct bw_error *bw_expr_compare_triple(struct bw_expr *x, int op, const struct bw_value *a,
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
			err = bw_expr_expect(x, ',');
		if (!err && i)
			err = bw_expr_parse_unary(x, &v);
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
	if (!bw_expr_is_op(x, '.'))
		return bw_expr_at(x, column, triple(x, name, out));
	BW_TRY(bw_expr_expect(x, '.'));
	char member = x->tok.name[0];
	if (x->tok.kind != BW_TOK_IDENT || x->tok.name[1] || member < 'x' || member > 'z')
		return bw_expr_syntax(x);
	bw_expr_next(x);
	return bw_expr_at(x, column, bw_expr_dim3(x, name, member, out));
}

/* $_launch.NAME */
static struct bw_error *parse_launch(struct bw_expr *x, size_t column, struct bw_value *out)
{
	if (!bw_expr_is_op(x, '.'))
		return bw_expr_at(x, column,
				  bw_errorf(BW_E_INVALID,
					    "$_launch takes the name of an argument of the "
					    "kernel: $_launch.NAME"));
	bw_expr_next(x);
	struct bw_tok name = x->tok;
	if (name.kind != BW_TOK_IDENT)
		return bw_expr_syntax(x);
	bw_expr_next(x);
	return bw_expr_at(x, name.column, bw_expr_launch(x, name.name, out));
}

struct bw_error *bw_expr_refuse_register(const char *name)
{
	static const struct {
		const char *prefix, *what;
	} rows[] = {{"v", "v0 to v255"},
		    {"s", "s0 to s105, $vcc_lo and $vcc_hi"},
		    {"ttmp", "ttmp0 to ttmp15"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i].prefix);
		const char *rest = name + n;
		if (strncmp(name, rows[i].prefix, n) != 0 ||
		    (*rest != '[' && (!*rest || rest[strspn(rest, "0123456789")])))
			continue;
		return bw_errorf(BW_E_NOT_FOUND, "There is no register $%s: the GPU has %s", name,
				 rows[i].what);
	}
	return NULL;
}

static struct bw_error *parse_name(struct bw_expr *x, struct bw_value *out)
{
	struct bw_tok t = x->tok;
	struct bw_type type;

	bw_expr_next(x);
	if (t.is_entry)
		return bw_expr_at(x, t.column, bw_expr_entry(x, t.name, out));
	if (t.kind == BW_TOK_IDENT && bw_expr_is_op(x, '#'))
		return parse_space(x, t.name, t.column, out);
	if (t.kind == BW_TOK_DOLLAR && bw_expr_is_op(x, '(') &&
	    (!strcmp(t.name, "_buffer") || !strcmp(t.name, "_buffer_size")))
		return bw_expr_buffer_function(x, t.name[7] != 0, out);
	if (t.kind == BW_TOK_IDENT && !strcmp(t.name, "buffer") && bw_expr_buffer_follows(x))
		return bw_expr_buffer(x, out);
	if (t.kind == BW_TOK_DOLLAR && bw_expr_is_op(x, '(') && t.name[0] == '_')
		return bw_expr_at(x, t.column,
				  bw_errorf(BW_E_UNSUPPORTED,
					    "There is no function $%s: $_buffer and $_buffer_size "
					    "are the only ones",
					    t.name));
	if (t.kind == BW_TOK_DOLLAR && !strcmp(t.name, "_launch"))
		return parse_launch(x, t.column, out);
	if (bw_expr_is_dim3(t.name) && (t.kind == BW_TOK_DOLLAR || !bw_expr_is_variable(x, t.name)))
		return parse_dim3(x, t.name, t.column, out);
	if (t.kind == BW_TOK_IDENT && bw_expr_is_op(x, '(') && as_type(t.name, &type))
		return parse_as(x, &type, out);
	return bw_expr_at(x, t.column,
			  bw_expr_name(x, t.name, t.kind == BW_TOK_DOLLAR,
				       bw_expr_is_op(x, BW_OPR_ASSIGN) && x->tok.assign_op == 0,
				       out));
}

static struct bw_error *parse_primary(struct bw_expr *x, struct bw_value *out)
{
	switch (x->tok.kind) {
	case BW_TOK_INT:
	case BW_TOK_FLOAT:
	case BW_TOK_CHAR:
		*out = x->tok.number;
		bw_expr_next(x);
		return NULL;
	case BW_TOK_STRING:
		*out = (struct bw_value){.type = {.kind = BW_TYPE_TEXT}};
		memcpy(out->text, x->tok.name, sizeof(out->text));
		out->text[sizeof(out->text) - 1] = 0;
		bw_expr_next(x);
		return NULL;
	case BW_TOK_IDENT:
	case BW_TOK_DOLLAR:
		return parse_name(x, out);
	case BW_TOK_OP:
		if (x->tok.op != '(')
			break;
		bw_expr_next(x);
		BW_TRY(bw_expr_parse_comma(x, out));
		struct bw_error *err = bw_expr_expect(x, ')');
		if (err)
			bw_value_fini(out);
		return err;
	case BW_TOK_END:
	case BW_TOK_BAD:
		break;
	}
	return bw_expr_syntax(x);
}

/* Computes v[i]: a lane of a register, an element of an array, or an element at a pointer. */
static struct bw_error *index_into(struct bw_expr *x, struct bw_value *v, struct bw_value *index)
{
	struct bw_value r;
	BW_TRY(bw_expr_scalar(x, index));
	if (index->type.kind != BW_TYPE_INT && index->type.kind != BW_TYPE_UINT)
		return bw_errorf(BW_E_INVALID, "an index must be an integer");
	int64_t i = (int64_t)index->bits;
	if (v->type.kind == BW_TYPE_AGGREGATE) {
		BW_TRY(bw_expr_element(x, v, i, &r));
		bw_value_fini(v);
		*v = r;
		return NULL;
	}
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
			r.reg = (struct bw_wave_reg){v->reg.cls, (uint16_t)(v->reg.index + i), 1};
		r.elem = NULL;
		r.n_elem = 0;
		r.across_lanes = r.is_triple = false;
		bw_value_fini(v);
		*v = r;
		return NULL;
	}
	if (x->skip && v->type.kind != BW_TYPE_POINTER)
		return NULL; /* the lanes are not known while nothing is read */
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

/* Copies a value before it is changed, without its place. */
static struct bw_error *value_before(struct bw_expr *x, const struct bw_value *v,
				     struct bw_value *out)
{
	struct bw_value_of who = bw_expr_of(x);
	struct bw_value old = {.type = v->type, .bits = v->bits};
	if (!bw_expr_is_vector(v)) { /* of a register, the value of the focus lane */
		*out = old;
		return NULL;
	}
	BW_TRY(bw_value_copy(v, &old));
	struct bw_error *err = bw_variables_fetch(&who, &old);
	if (old.vector)
		bw_value_fini(old.vector);
	free(old.vector);
	old.vector = NULL;
	old.place = BW_PLACE_NONE;
	if (err)
		bw_value_fini(&old);
	*out = old;
	return err;
}

/* Computes $n++ and $n--; the result is the value from before. Frees v. */
static struct bw_error *postfix_change(struct bw_expr *x, struct bw_value *v, struct bw_value *out)
{
	size_t column = x->tok.column;
	int op = x->tok.assign_op;
	struct bw_value old, one = bw_expr_int(1, 4, true);
	bw_expr_next(x);
	struct bw_error *err = value_before(x, v, &old);
	if (err) {
		bw_value_fini(v);
		return err;
	}
	err = bw_expr_change(x, column, op, v, &one);
	bw_value_fini(&one);
	bw_value_fini(v);
	if (err)
		bw_value_fini(&old);
	else
		*out = old;
	return err;
}

/* Whether the tokens are "->", which are two. */
static bool is_arrow(const struct bw_expr *x)
{
	return bw_expr_is_op(x, '-') && x->text[x->tok.end] == '>';
}

/* v.NAME, v->NAME */
static struct bw_error *parse_member(struct bw_expr *x, struct bw_value *v)
{
	struct bw_value r;
	size_t column = x->tok.column;
	if (is_arrow(x)) {
		bw_expr_next(x);
		if (v->type.kind == BW_TYPE_AGGREGATE) /* arr->x; as in gdb, s->x also means s.x */
			if (bw_type_aggregate(&v->type)->kind == BW_CTYPE_ARRAY)
				BW_TRY(bw_expr_at(x, column, bw_expr_decay(x, v)));
	}
	bw_expr_next(x);
	if (x->tok.kind != BW_TOK_IDENT)
		return bw_expr_syntax(x);
	if (v->is_missing)
		return bw_expr_at(x, column, bw_variables_missing(v));
	BW_TRY(bw_expr_at(x, column, bw_expr_member(x, v, x->tok.name, &r)));
	bw_expr_next(x);
	bw_value_fini(v);
	*v = r;
	return NULL;
}

/* Refuses uses of a function's name that gdb supports and this debugger does not. */
static struct bw_error *refuse_function(struct bw_expr *x, const struct bw_value *v)
{
	if (!v->type.is_function)
		return NULL;
	if (bw_expr_is_op(x, '('))
		return bw_expr_at(
			x, x->tok.column,
			bw_errorf(BW_E_UNSUPPORTED, "Functions of the program cannot be called"));
	return NULL;
}

struct bw_error *bw_expr_parse_postfix(struct bw_expr *x, struct bw_value *out)
{
	struct bw_value v = {0};
	BW_TRY(parse_primary(x, &v));
	BW_TRY(refuse_function(x, &v));
	for (;;) {
		if (bw_expr_is_op(x, '.') || is_arrow(x)) {
			struct bw_error *err = parse_member(x, &v);
			if (err) {
				bw_value_fini(&v);
				return err;
			}
			continue;
		}
		if (!bw_expr_is_op(x, '['))
			break;
		size_t column = x->tok.column;
		struct bw_value i = {0};
		bw_expr_next(x);
		struct bw_error *err = bw_expr_parse_comma(x, &i);
		if (!err)
			err = bw_expr_expect(x, ']');
		if (!err)
			err = bw_expr_at(x, column, index_into(x, &v, &i));
		bw_value_fini(&i);
		if (err) {
			bw_value_fini(&v);
			return err;
		}
	}
	if (bw_expr_is_op(x, BW_OPR_INC))
		return postfix_change(x, &v, out);
	*out = v;
	return NULL;
}
