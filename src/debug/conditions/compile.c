// SPDX-License-Identifier: MIT
/* Conditions of breakpoints as machine code, run by the trap handler before anything is saved
 * (trap.h, BW_TRAP_C_FILTERS): a wave for which no lane can fulfil the condition continues at once,
 * without a stop. The code may be wrong in one direction only: breakpoints.c evaluates the whole
 * condition for every wave that stops. So whatever is not understood here counts as true.
 *
 * Understood here are comparisons of a register, variable, lane or workgroup with a number, joined
 * by && || ! and parentheses. Masks of lanes are worked out in TTMPs: the result so far in
 * ttmp[2:3], one comparison in ttmp[14:15] (compare.c); ttmp[4:5] is where to return to. What else
 * there is compile_lanes.c may know, for the lanes that are left then. */
#include "debug/conditions/filter_priv.h"
#include "debug/registers.h"
#include "isa/ops.h"

#include <string.h>

enum {
	ACC = BW_FR_ACC,
	LEAF = BW_FR_LEAF,
	TTMP8 = BW_FR_TTMP8,
	TTMP11 = BW_FR_TTMP11,
	TTMP12 = BW_FR_TTMP12,
	MAX_DEPTH = 32,
};

static const struct bw_asm_src acc = {BW_FR_ACC}, leaf = {BW_FR_LEAF}, link = {BW_FR_LINK},
			       exec = {BW_SRC_EXEC_LO}, zero = {BW_FR_INLINE_0};

/* ---- Parsing the condition ---- */

/* The result of compiling a part of the condition. */
enum outcome { TRUE_ALWAYS, IN_ACC, IN_LEAF };

static bool is(const struct bw_filter_parse *p, size_t i, int op)
{
	return p->t.tok[i].kind == BW_TOK_OP && p->t.tok[i].op == op;
}

static bool opens(const struct bw_filter_parse *p, size_t i)
{
	return is(p, i, '(') || is(p, i, '[') || is(p, i, '{');
}

static bool closes(const struct bw_filter_parse *p, size_t i)
{
	return is(p, i, ')') || is(p, i, ']') || is(p, i, '}');
}

/* The position of the last op in [a, b) that is outside of brackets; b: there is none. */
static size_t find_op(const struct bw_filter_parse *p, size_t a, size_t b, int op)
{
	size_t found = b;
	int depth = 0;
	for (size_t i = a; i < b; i++) {
		depth += opens(p, i) - closes(p, i);
		if (depth == 0 && is(p, i, op))
			found = i;
	}
	return found;
}

/* Whether one pair of parentheses encloses all of [a, b). */
static bool enclosed(const struct bw_filter_parse *p, size_t a, size_t b)
{
	int depth = 0;
	if (b < a + 2 || !is(p, a, '(') || !is(p, b - 1, ')'))
		return false;
	for (size_t i = a; i < b; i++) {
		depth += opens(p, i) - closes(p, i);
		if (depth == 0)
			return i == b - 1;
	}
	return false;
}

/* ---- Operands ---- */

/* Whether the code written here finds a wave's state: SCC in bit 0 of the register that the trap
 * handler keeps in ttmp12, the wave's place in the grid in ttmp8 to 11. */
static bool is_understood(const struct bw_arch *arch)
{
	static const struct {
		enum bw_wave_field field;
		enum bw_wreg reg;
	} rows[] = {
		{BW_WF_SCC, BW_WREG_STATUS},	       {BW_WF_WORKGROUP_X, BW_WREG_TTMP8},
		{BW_WF_WORKGROUP_Y, BW_WREG_TTMP9},    {BW_WF_WORKGROUP_Z, BW_WREG_TTMP10},
		{BW_WF_WAVE_IN_GROUP, BW_WREG_TTMP11},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (bw_arch_reg_of(arch, rows[i].field) != rows[i].reg ||
		    !(bw_arch_mask(arch, rows[i].field) & 1))
			return false;
	return true;
}

static struct bw_filter_operand dollar(const struct bw_filter_parse *p, const char *name)
{
	struct bw_wave_reg r;
	struct bw_filter_operand o = {BW_FO_NOT_KNOWN};
	if (!strcmp(name, "_lane") || !strcmp(name, "_simd_lane"))
		o.kind = BW_FO_LANE;
	else if (!strcmp(name, "_thread_workgroup_pos"))
		o = (struct bw_filter_operand){.kind = BW_FO_SCALAR,
					       .reg = TTMP11,
					       .is_signed = true,
					       .masked = true,
					       .mask = bw_filter_number_mask(p->facts)};
	else if (!strcmp(name, "_workgroup") || !strcmp(name, "blockIdx"))
		o.kind = BW_FO_GROUP;
	else if (!strcmp(name, "_wave") || !strcmp(name, "_thread"))
		o.kind = BW_FO_WAVE;
	else if (bw_wave_reg_parse(NULL, name, &r) && r.count == 1 && r.cls == BW_REG_SGPR)
		o = (struct bw_filter_operand){.kind = BW_FO_SCALAR, .reg = r.index};
	else if (bw_wave_reg_parse(NULL, name, &r) && r.count == 1 && r.cls == BW_REG_VGPR &&
		 r.index < p->facts->n_vgprs)
		o = (struct bw_filter_operand){.kind = BW_FO_VECTOR, .reg = r.index};
	else if (!strcmp(name, "m0"))
		o = (struct bw_filter_operand){.kind = BW_FO_SCALAR, .reg = BW_SRC_M0};
	else if (!strcmp(name, "scc"))
		o = (struct bw_filter_operand){.kind = BW_FO_SCALAR,
					       .reg = TTMP12,
					       .masked = true,
					       .mask = 1}; /* is_understood */
	return o;
}

/* Reads a number, or a convenience variable that is a number. */
static bool constant(const struct bw_filter_parse *p, size_t a, size_t b, struct bw_value *out)
{
	bool minus = b == a + 2 && is(p, a, '-');
	if (b - a - minus != 1)
		return false;
	const struct bw_tok *t = &p->t.tok[b - 1];
	if (t->kind == BW_TOK_INT || t->kind == BW_TOK_FLOAT || t->kind == BW_TOK_CHAR)
		*out = t->number;
	else if (t->kind != BW_TOK_DOLLAR || !p->facts->variable ||
		 !p->facts->variable(p->facts->cookie, t->name, out))
		return false;
	if (!minus)
		return true;
	if (out->type.kind == BW_TYPE_INT)
		out->bits = (uint64_t)-(int64_t)out->bits;
	else if (out->type.kind == BW_TYPE_FLOAT)
		out->bits ^= 1ull << (out->type.size_b * 8 - 1);
	else
		return false;
	return true;
}

/* The operand for a variable of the program that fills [a, b). */
static struct bw_filter_operand variable(const struct bw_filter_parse *p, size_t a, size_t b)
{
	const struct bw_filter_var *var = bw_filter_var_at(&p->t, a);
	struct bw_filter_operand o = {BW_FO_NOT_KNOWN};
	if (!var || var->end != b)
		return o;
	const struct bw_type *type = &var->v.type;
	bool scalar = bw_filter_var_is_scalar(var);
	o.reg = var->reg;
	o.is_signed = bw_filter_var_is_signed(var);
	o.is_float = type->kind == BW_TYPE_FLOAT;
	if (var->v.kind == BW_FILTER_CONSTANT) {
		o.kind = o.is_float ? BW_FO_REAL : BW_FO_NUMBER;
		o.value = (struct bw_value){.type = *type, .bits = var->v.bits};
	} else if (type->size_b == 8) {
		o.kind = BW_FO_WIDE;
		o.reg += scalar ? 0 : BW_SRC_VGPR0;
	} else {
		o.kind = scalar ? BW_FO_SCALAR : BW_FO_VECTOR;
	}
	return o;
}

static struct bw_filter_operand operand(const struct bw_filter_parse *p, size_t a, size_t b)
{
	struct bw_filter_operand o = {BW_FO_NOT_KNOWN};
	while (enclosed(p, a, b))
		a++, b--;
	o = variable(p, a, b);
	if (o.kind != BW_FO_NOT_KNOWN)
		return o;
	if (constant(p, a, b, &o.value)) {
		o.kind = o.value.type.kind == BW_TYPE_FLOAT ? BW_FO_REAL : BW_FO_NUMBER;
		return o;
	}
	if (b - a == 1 && p->t.tok[a].kind == BW_TOK_DOLLAR)
		return dollar(p, p->t.tok[a].name);
	/* $_workgroup.x, blockIdx.x, threadIdx.x */
	if (b - a == 3 && is(p, a + 1, '.') && p->t.tok[a + 2].kind == BW_TOK_IDENT &&
	    !p->t.tok[a + 2].name[1]) {
		const char *name = p->t.tok[a].name;
		unsigned i = (unsigned)(p->t.tok[a + 2].name[0] - 'x');
		bool group = !strcmp(name, "_workgroup") || !strcmp(name, "blockIdx");
		bool item = !strcmp(name, "_work_item") || !strcmp(name, "threadIdx");
		if (group && i < 3)
			return (struct bw_filter_operand){.kind = BW_FO_SCALAR, .reg = TTMP8 + i};
		if (item && i == 0 && p->facts->one_row)
			o.kind = BW_FO_ITEM_X;
		return o;
	}
	/* as_int($v3), (int)$v3, as_float($s4) */
	bool call = b - a == 4 && p->t.tok[a].kind == BW_TOK_IDENT && is(p, a + 1, '(') &&
		    is(p, b - 1, ')');
	bool cast = b - a == 4 && is(p, a, '(') && is(p, a + 2, ')') &&
		    p->t.tok[a + 1].kind == BW_TOK_IDENT && !strcmp(p->t.tok[a + 1].name, "int");
	const struct bw_tok *inner = call ? &p->t.tok[a + 2] : &p->t.tok[b - 1];
	if ((call || cast) && (inner->kind == BW_TOK_DOLLAR || inner->kind == BW_TOK_IDENT)) {
		size_t at = (size_t)(inner - p->t.tok);
		o = inner->kind == BW_TOK_DOLLAR ? dollar(p, inner->name) : variable(p, at, at + 1);
		const struct bw_filter_var *var = bw_filter_var_at(&p->t, at);
		/* (int)x of a float changes the number; as_int(x) needs 32 bits */
		if (var && (cast ? o.is_float : var->v.type.size_b != 4))
			o.kind = BW_FO_NOT_KNOWN;
		o.is_signed = cast || !strcmp(p->t.tok[a].name, "as_int");
		o.is_float = call && !strcmp(p->t.tok[a].name, "as_float");
		bool plain = o.kind == BW_FO_VECTOR || (o.kind == BW_FO_SCALAR && !o.masked);
		if (!plain || (!o.is_signed && !o.is_float))
			o.kind = BW_FO_NOT_KNOWN;
		return o;
	}
	/* $s4 & 7 */
	size_t and = find_op(p, a, b, '&');
	if (and> a && and+1 < b) {
		struct bw_filter_operand left = operand(p, a, and), right = operand(p, and+1, b);
		if (left.kind == BW_FO_SCALAR && !left.masked && !left.is_signed &&
		    !left.is_float && right.kind == BW_FO_NUMBER &&
		    right.value.bits <= UINT32_MAX) {
			left.masked = true;
			left.mask = (uint32_t)right.value.bits;
			return left;
		}
	}
	return o;
}

/* ---- Comparisons ---- */

/* Compiles $_workgroup == 2,0,0; [b, end) are the three numbers. */
static enum outcome compare_group(struct bw_filter_parse *p, enum bw_compare op, size_t b,
				  size_t end)
{
	struct bw_filter_operand o[3];
	uint32_t value;
	if (op != BW_EQ || end - b != 5 || !is(p, b + 1, ',') || !is(p, b + 3, ','))
		return TRUE_ALWAYS;
	for (unsigned i = 0; i < 3; i++) {
		struct bw_filter_operand scalar = {.kind = BW_FO_SCALAR};
		o[i] = operand(p, b + 2 * i, b + 2 * i + 1);
		if (o[i].kind != BW_FO_NUMBER ||
		    !bw_filter_number_for(&scalar, &o[i].value, &value))
			return TRUE_ALWAYS;
	}
	/* each comparison keeps or clears the mask, by SCC */
	bw_filter_set_mask(&p->code, LEAF, ~0ull);
	const uint32_t group[3] = {(uint32_t)o[0].value.bits, (uint32_t)o[1].value.bits,
				   (uint32_t)o[2].value.bits};
	bw_filter_compare_position(p, group);
	return IN_LEAF;
}

static enum outcome comparison(struct bw_filter_parse *p, size_t a, size_t b, bool negate)
{
	static const struct {
		int op;
		enum bw_compare compare;
	} rows[] = {{BW_OPR_EQ, BW_EQ}, {BW_OPR_NE, BW_NE}, {'<', BW_LT},
		    {BW_OPR_LE, BW_LE}, {'>', BW_GT},	    {BW_OPR_GE, BW_GE}};
	size_t at = b;
	enum bw_compare op = BW_EQ;
	unsigned n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		size_t found = find_op(p, a, b, rows[i].op);
		if (found == b)
			continue;
		at = found;
		op = rows[i].compare;
		n++;
	}
	/* a & b == c means a & (b == c) */
	if (n != 1 || at == a || at + 1 >= b || find_op(p, a, b, '&') != b ||
	    find_op(p, a, b, '|') != b || find_op(p, a, b, '^') != b)
		return TRUE_ALWAYS;
	if (negate)
		op = bw_filter_negated(op);
	struct bw_filter_operand left = operand(p, a, at);
	if (left.kind == BW_FO_GROUP)
		return compare_group(p, op, at + 1, b);
	struct bw_filter_operand right = operand(p, at + 1, b);
	if (left.kind == BW_FO_NUMBER || left.kind == BW_FO_REAL) {
		struct bw_filter_operand o = left;
		left = right;
		right = o;
		op = bw_filter_mirrored(op);
	}
	if (right.kind != BW_FO_NUMBER && right.kind != BW_FO_REAL)
		return TRUE_ALWAYS;
	return bw_filter_compare_with(p, &left, op, &right, negate) ? IN_LEAF : TRUE_ALWAYS;
}

/* ---- Joining ---- */

static enum outcome condition(struct bw_filter_parse *p, size_t a, size_t b, bool negate);

static bool is_leaf(const struct bw_filter_parse *p, size_t a, size_t b)
{
	while (enclosed(p, a, b))
		a++, b--;
	return find_op(p, a, b, BW_OPR_OR) == b && find_op(p, a, b, BW_OPR_AND) == b;
}

static void to_acc(struct bw_filter_parse *p)
{
	bw_asm_1(&p->code, BW_OP_S_MOV_B64, ACC, leaf);
}

/* Joins two sides. One of them may use ttmp[2:3]; the other must then be a single comparison. */
static enum outcome join(struct bw_filter_parse *p, size_t a, size_t at, size_t b, bool negate,
			 bool is_and)
{
	size_t first_a = a, first_b = at, second_a = at + 1, second_b = b;
	if (is_leaf(p, a, at) && !is_leaf(p, at + 1, b)) {
		first_a = at + 1, first_b = b;
		second_a = a, second_b = at;
	}
	/* De Morgan */
	is_and ^= negate;
	enum outcome first = condition(p, first_a, first_b, negate);
	if (first == TRUE_ALWAYS && !is_and) {
		p->lost_join = true;
		return TRUE_ALWAYS;
	}
	if (first == TRUE_ALWAYS)
		return condition(p, second_a, second_b, negate);
	if (!is_leaf(p, second_a, second_b)) {
		p->inexact = p->lost_join = true;
		return is_and ? first : TRUE_ALWAYS;
	}
	if (first == IN_LEAF)
		to_acc(p);
	enum outcome second = condition(p, second_a, second_b, negate);
	if (second == TRUE_ALWAYS)
		return is_and ? IN_ACC : TRUE_ALWAYS;
	bw_asm_2(&p->code, is_and ? BW_OP_S_AND_B64 : BW_OP_S_OR_B64, ACC, acc, leaf);
	return IN_ACC;
}

static enum outcome condition(struct bw_filter_parse *p, size_t a, size_t b, bool negate)
{
	size_t at;
	enum outcome result;
	if (b <= a || p->depth >= MAX_DEPTH)
		return TRUE_ALWAYS;
	p->depth++;
	if (enclosed(p, a, b))
		result = condition(p, a + 1, b - 1, negate);
	else if ((at = find_op(p, a, b, BW_OPR_OR)) != b)
		result = join(p, a, at, b, negate, false);
	else if ((at = find_op(p, a, b, BW_OPR_AND)) != b)
		result = join(p, a, at, b, negate, true);
	else if (is(p, a, '!') && enclosed(p, a + 1, b))
		result = condition(p, a + 1, b, !negate);
	else {
		result = comparison(p, a, b, negate);
		p->n_left += result == TRUE_ALWAYS;
	}
	p->inexact |= result == TRUE_ALWAYS;
	p->depth--;
	return result;
}

static bool tokenize(const char *text, struct bw_filter_parse *p)
{
	size_t pos = 0;
	p->t.text = text;
	for (p->t.n = 0; p->t.n < BW_FILTER_MAX_TOKENS; p->t.n++) {
		struct bw_tok *t = &p->t.tok[p->t.n];
		bw_expr_lex(text, pos, t);
		if (t->kind == BW_TOK_END)
			return true;
		/* assignments, ?: and launch values are not compiled */
		if (t->kind == BW_TOK_BAD || t->is_entry ||
		    (t->kind == BW_TOK_OP &&
		     (t->op == BW_OPR_ASSIGN || t->op == BW_OPR_INC || t->op == '?')))
			return false;
		pos = t->end;
	}
	return false;
}

size_t bw_filter_compile(const char *text, const struct bw_filter_facts *facts, uint32_t *out,
			 size_t max_dw, struct bw_filter_result *out_result)
{
	struct bw_filter_parse p = {.facts = facts,
				    .code = {.gen = facts->gen, .dw = out, .max = max_dw}};
	struct bw_asm *c = &p.code;

	*out_result = (struct bw_filter_result){0};
	if (!is_understood(facts->arch) || !tokenize(text, &p))
		return 0;
	bw_filter_find_variables(&p.t, facts, out_result);
	bw_filter_load_variables(&p.t, facts, c, out_result);
	size_t start = c->n;
	enum outcome result = condition(&p, 0, p.t.n, false);
	if (result == IN_LEAF)
		to_acc(&p);
	if (result == TRUE_ALWAYS) {
		c->n = start;
		bw_asm_1(c, BW_OP_S_MOV_B64, ACC, exec);
	}
	/* wave32 has no upper half, whatever the value of EXEC_HI; IB_STS2.WAVE64 tells */
	bw_asm_imm(c, BW_OP_S_GETREG_B32, LEAF,
		   (int32_t)bw_arch_hwreg_simm16(facts->arch, BW_WF_IS_WAVE64));
	bw_filter_compare_sgpr(c, BW_EQ, false, LEAF, 0);
	bw_asm_2(c, BW_OP_S_CSELECT_B32, ACC + 1, zero, bw_asm_code(ACC + 1));
	/* SCC: there is a lane for which the condition may hold */
	bw_asm_2(c, BW_OP_S_AND_B64, ACC, acc, exec);
	size_t end = c->n;
	bool bad = c->bad;
	if (p.inexact) {
		bw_asm_imm(c, BW_OP_S_CBRANCH_SCC1, 0, 1); /* jump over the next instruction */
		bw_asm_1(c, BW_OP_S_SETPC_B64, 0, link);
		if (!c->bad && bw_filter_lanes(&p, &out_result->is_whole))
			return c->n;
		c->n = end;
		c->bad = bad;
	}
	if (result == TRUE_ALWAYS)
		return 0;
	bw_asm_1(c, BW_OP_S_SETPC_B64, 0, link);
	out_result->is_whole = !p.inexact && !c->bad;
	return c->bad ? 0 : c->n;
}
