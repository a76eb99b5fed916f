// SPDX-License-Identifier: MIT
/* Conditions as trees, for compile_lanes.c. The grammar is that of expr.c; values are 32 bits wide
 * and have the types that expr_ops.c gives them. What has another type, or a name not known here,
 * is unknown. */
#include "debug/conditions/filter_priv.h"
#include "debug/registers.h"

#include <string.h>

enum { MAX_DEPTH = 32 };

bool bw_ft_computes(int op)
{
	return op == '+' || op == '-' || op == '*' || op == '&' || op == '|' || op == '^' ||
	       op == BW_OPR_SHL || op == BW_OPR_SHR;
}

static uint8_t add_node(struct bw_filter_tree *t, struct bw_ft_node n)
{
	if (t->n == BW_FT_MAX_NODES) {
		t->bad = true;
		return 0;
	}
	t->node[t->n] = n;
	return (uint8_t)t->n++;
}

static uint8_t constant(struct bw_filter_tree *t, uint32_t value, bool is_signed)
{
	return add_node(t, (struct bw_ft_node){.kind = BW_FT_CONST,
					       .value = value,
					       .is_signed = is_signed,
					       .no_sign = !is_signed || (int32_t)value >= 0});
}

static uint8_t number(struct bw_filter_tree *t, const struct bw_value *v)
{
	bool integer = v->type.kind == BW_TYPE_INT || v->type.kind == BW_TYPE_UINT;
	if (!integer || v->type.size_b > 4 || v->n_elem)
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	return constant(t, (uint32_t)v->bits, v->type.kind == BW_TYPE_INT || v->type.size_b < 4);
}

static bool is_op(const struct bw_filter_tree *t, int op)
{
	return t->at < t->n_tok && t->tok[t->at].kind == BW_TOK_OP && t->tok[t->at].op == op;
}

static bool take_op(struct bw_filter_tree *t, int op)
{
	if (!is_op(t, op))
		return false;
	t->at++;
	return true;
}

static uint32_t fold(int op, uint32_t a, uint32_t b, bool is_signed)
{
	switch (op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '&':
		return a & b;
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case BW_OPR_SHL:
		return a << (b & 31);
	default: /* BW_OPR_SHR */
		return is_signed ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
	}
}

static uint8_t binary(struct bw_filter_tree *t, int op, uint8_t a, uint8_t b)
{
	struct bw_ft_node *x = &t->node[a], *y = &t->node[b];
	bool shift = op == BW_OPR_SHL || op == BW_OPR_SHR;
	/* as in C: of two types of the same size, the unsigned one is used */
	bool is_signed = x->is_signed && (shift || y->is_signed);
	/* a power of two on the right: % and / of a number that is not negative */
	bool power =
		y->kind == BW_FT_CONST && y->value && !(y->value & (y->value - 1)) && y->no_sign;
	bool logical = op == BW_OPR_AND || op == BW_OPR_OR;
	if ((op == '%' || op == '/') && power && (x->no_sign || !is_signed)) {
		uint32_t value = op == '%' ? y->value - 1 : (uint32_t)__builtin_ctz(y->value);
		b = constant(t, value, is_signed);
		op = op == '%' ? '&' : BW_OPR_SHR;
		x = &t->node[a], y = &t->node[b];
	} else if (op == '%' || op == '/') {
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	}
	if (!logical && (x->kind == BW_FT_UNKNOWN || y->kind == BW_FT_UNKNOWN))
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	if (bw_ft_computes(op) && x->kind == BW_FT_CONST && y->kind == BW_FT_CONST)
		return constant(t, fold(op, x->value, y->value, is_signed), is_signed);
	bool no_sign =
		(op == '&' && (x->no_sign || y->no_sign)) || (op == BW_OPR_SHR && x->no_sign);
	bool truth = !bw_ft_computes(op);
	return add_node(t, (struct bw_ft_node){.kind = BW_FT_BINARY,
					       .op = op,
					       .a = a,
					       .b = b,
					       .is_signed = truth || is_signed,
					       .no_sign = truth || no_sign || !is_signed});
}

/* ---- Names ---- */

static struct bw_ft_node scalar(unsigned reg, bool is_signed)
{
	return (struct bw_ft_node){
		.kind = BW_FT_SCALAR, .value = reg, .is_signed = is_signed, .no_sign = !is_signed};
}

/* The wave's number in its group, as a tree. */
static uint8_t wave_in_group(struct bw_filter_tree *t)
{
	uint8_t ttmp = add_node(t, scalar(BW_FR_TTMP11, true));
	return binary(t, '&', ttmp, constant(t, bw_filter_number_mask(t->facts), true));
}

static uint8_t dollar(struct bw_filter_tree *t, const char *name)
{
	struct bw_wave_reg r;
	struct bw_value v;
	if (!strcmp(name, "_lane") || !strcmp(name, "_simd_lane"))
		return add_node(t, (struct bw_ft_node){
					   .kind = BW_FT_LANE, .is_signed = true, .no_sign = true});
	if (!strcmp(name, "_thread_workgroup_pos"))
		return wave_in_group(t);
	if (!strcmp(name, "m0"))
		return add_node(t, scalar(BW_SRC_M0, false));
	if (!strcmp(name, "scc"))
		return binary(t, '&', add_node(t, scalar(BW_FR_TTMP12, false)),
			      constant(t, 1, false));
	if (bw_wave_reg_parse(NULL, name, &r)) {
		if (r.count == 1 && r.cls == BW_REG_SGPR)
			return add_node(t, scalar(r.index, false));
		if (r.count == 1 && r.cls == BW_REG_VGPR && r.index < t->facts->n_vgprs)
			return add_node(t, (struct bw_ft_node){.kind = BW_FT_VECTOR,
							       .value = r.index,
							       .no_sign = true});
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	}
	if (t->facts->variable && t->facts->variable(t->facts->cookie, name, &v))
		return number(t, &v);
	return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
}

/* blockIdx.y, threadIdx.x */
static uint8_t member(struct bw_filter_tree *t, const char *name)
{
	const struct bw_tok *m = &t->tok[t->at++];
	unsigned i = m->kind == BW_TOK_IDENT && !m->name[1] ? (unsigned)(m->name[0] - 'x') : 3;
	if (i < 3 && (!strcmp(name, "_workgroup") || !strcmp(name, "blockIdx")))
		return add_node(t, scalar(BW_FR_TTMP8 + i, false));
	bool item = !strcmp(name, "_work_item") || !strcmp(name, "threadIdx");
	if (!item || i || !t->facts->one_row || !t->facts->lanes)
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	uint8_t waves = binary(t, '*', wave_in_group(t), constant(t, t->facts->lanes, false));
	uint8_t lane = add_node(
		t, (struct bw_ft_node){.kind = BW_FT_LANE, .is_signed = true, .no_sign = true});
	return binary(t, '+', waves, lane);
}

static uint8_t variable(struct bw_filter_tree *t, const struct bw_filter_var *var)
{
	const struct bw_type *type = &var->v.type;
	bool is_signed = bw_filter_var_is_signed(var);
	if ((type->kind != BW_TYPE_INT && type->kind != BW_TYPE_UINT) || type->size_b > 4)
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	if (var->v.kind == BW_FILTER_CONSTANT)
		return constant(t, (uint32_t)var->v.bits, is_signed);
	struct bw_ft_node n = scalar(var->reg, is_signed);
	if (!bw_filter_var_is_scalar(var))
		n.kind = BW_FT_VECTOR;
	n.no_sign = type->kind == BW_TYPE_UINT;
	return add_node(t, n);
}

/* ---- Grammar ---- */

static uint8_t parse_level(struct bw_filter_tree *t, unsigned level);

/* Skips [..], (..) and .NAME after a name, which a tree cannot have. */
static bool skip_brackets(struct bw_filter_tree *t)
{
	bool any = false;
	while (is_op(t, '[') || is_op(t, '(') || is_op(t, '#') || is_op(t, '.')) {
		unsigned depth = 0;
		any = true;
		if (take_op(t, '.')) {
			t->at++;
			continue;
		}
		if (take_op(t, '#')) {
			parse_level(t, 11);
			continue;
		}
		do {
			depth += is_op(t, '[') || is_op(t, '(');
			depth -= is_op(t, ']') || is_op(t, ')');
			if (t->at++ >= t->n_tok)
				return t->bad = true;
		} while (depth);
	}
	return any;
}

/* as_int(x), as_uint(x), (int)x, (unsigned)x: reinterpret the bits */
static uint8_t retyped(struct bw_filter_tree *t, uint8_t x, bool is_signed)
{
	struct bw_ft_node n = t->node[x];
	if (n.kind == BW_FT_UNKNOWN)
		return x;
	n.is_signed = is_signed;
	n.no_sign = !is_signed;
	return add_node(t, n);
}

static uint8_t parse_name(struct bw_filter_tree *t)
{
	const struct bw_tok *k = &t->tok[t->at++];
	bool triple = bw_expr_is_dim3(k->name);
	if (triple && take_op(t, '.')) {
		if (t->at < t->n_tok)
			return member(t, k->name);
		t->bad = true;
		return 0;
	}
	bool to_int = !strcmp(k->name, "as_int"), to_uint = !strcmp(k->name, "as_uint");
	if (k->kind == BW_TOK_IDENT && (to_int || to_uint) && take_op(t, '(')) {
		uint8_t x = parse_level(t, 0);
		t->bad |= !take_op(t, ')');
		return retyped(t, x, to_int);
	}
	const struct bw_filter_var *var = bw_filter_var_at(t->tokens, t->at - 1);
	if (var) {
		t->at = var->end;
		return variable(t, var);
	}
	/* $v3[5]: another lane than the tested one */
	if (skip_brackets(t) || triple || k->kind != BW_TOK_DOLLAR)
		return add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	return dollar(t, k->name);
}

static uint8_t parse_unary(struct bw_filter_tree *t)
{
	static const int ops[] = {'-', '~', '!', '+'};
	if (t->at >= t->n_tok || ++t->depth > MAX_DEPTH) {
		t->bad = true;
		return 0;
	}
	const struct bw_tok *k = &t->tok[t->at];
	uint8_t x = 0;
	size_t i = 0;
	while (i < BW_ARRAY_SIZE(ops) && !is_op(t, ops[i]))
		i++;
	if (i < BW_ARRAY_SIZE(ops)) {
		t->at++;
		x = parse_unary(t);
		const struct bw_ft_node *n = &t->node[x];
		if (ops[i] == '-')
			x = binary(t, '-', constant(t, 0, true), x);
		else if (ops[i] == '~')
			x = binary(t, '^', x, constant(t, ~0u, n->is_signed));
		else if (ops[i] == '!')
			x = add_node(t, (struct bw_ft_node){.kind = BW_FT_UNARY,
							    .op = '!',
							    .a = x,
							    .is_signed = true,
							    .no_sign = true});
	} else if (k->kind == BW_TOK_INT || k->kind == BW_TOK_CHAR) {
		t->at++;
		x = number(t, &k->number);
	} else if (k->kind == BW_TOK_IDENT || k->kind == BW_TOK_DOLLAR) {
		x = parse_name(t);
	} else if (is_op(t, '(') && t->at + 2 < t->n_tok &&
		   t->tok[t->at + 1].kind == BW_TOK_IDENT &&
		   bw_expr_type_word(t->tok[t->at + 1].name)) {
		/* a cast: (int) and (unsigned) alone are understood */
		const char *word = t->tok[t->at + 1].name;
		bool to_int = !strcmp(word, "int"),
		     to_uint = !strcmp(word, "unsigned") || !strcmp(word, "uint");
		bool plain = t->tok[t->at + 2].kind == BW_TOK_OP && t->tok[t->at + 2].op == ')';
		while (t->at < t->n_tok && !is_op(t, ')'))
			t->at++;
		t->bad |= !take_op(t, ')');
		x = parse_unary(t);
		x = plain && (to_int || to_uint)
			    ? retyped(t, x, to_int)
			    : add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
	} else if (take_op(t, '(')) {
		x = parse_level(t, 0);
		t->bad |= !take_op(t, ')');
	} else {
		t->bad = true; /* other tokens do not begin a value of 32 bits: *p, &x, {float}
				 * ... */
	}
	t->depth--;
	return x;
}

/* Skips $_workgroup == 2,0,0; the wave's position was tested before. */
static bool skip_triple(struct bw_filter_tree *t)
{
	bool any = false;
	while (take_op(t, ',')) {
		parse_unary(t);
		any = true;
	}
	return any;
}

/* The levels of binary operators, the loosest first, as in expr.c. */
static const int levels[][4] = {
	{BW_OPR_OR},
	{BW_OPR_AND},
	{'|'},
	{'^'},
	{'&'},
	{BW_OPR_EQ, BW_OPR_NE},
	{'<', '>', BW_OPR_LE, BW_OPR_GE},
	{BW_OPR_SHL, BW_OPR_SHR},
	{'@'},
	{'+', '-'},
	{'*', '/', '%'},
};

static uint8_t parse_level(struct bw_filter_tree *t, unsigned level)
{
	if (level >= BW_ARRAY_SIZE(levels))
		return parse_unary(t);
	uint8_t a = parse_level(t, level + 1);
	for (;;) {
		int op = 0;
		for (unsigned i = 0; i < 4 && levels[level][i] && !op; i++)
			if (take_op(t, levels[level][i]))
				op = levels[level][i];
		if (!op || t->bad)
			return a;
		uint8_t b = parse_level(t, level + 1);
		if (skip_triple(t) || op == '@')
			a = add_node(t, (struct bw_ft_node){.kind = BW_FT_UNKNOWN});
		else
			a = binary(t, op, a, b);
	}
}

bool bw_filter_tree_parse(struct bw_filter_tree *t, const struct bw_filter_tokens *tokens,
			  const struct bw_filter_facts *facts, uint8_t *out_root)
{
	*t = (struct bw_filter_tree){
		.facts = facts, .tokens = tokens, .tok = tokens->tok, .n_tok = tokens->n};
	*out_root = parse_level(t, 0);
	return !t->bad && t->at == t->n_tok;
}
