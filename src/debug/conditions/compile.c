// SPDX-License-Identifier: MIT
/* Conditions of breakpoints as machine code, run by the trap handler before anything is saved
 * (trap.h, BW_TRAP_C_FILTERS): a wave for which no lane can fulfil the condition continues at once,
 * without a stop. The code may be wrong in one direction only: breakpoints.c evaluates the whole
 * condition for every wave that stops. So whatever is not understood here counts as true.
 *
 * Understood here are comparisons of a register, lane or workgroup with a number, joined by && || !
 * and parentheses. Masks of lanes are worked out in TTMPs: the result so far in ttmp[2:3], one
 * comparison in ttmp[14:15]; ttmp[4:5] is where to return to. What else there is compile_lanes.c
 * may know, for the lanes that are left then. */
#include "debug/conditions/filter_priv.h"
#include "debug/registers.h"

#include <string.h>

enum {
	ACC = BW_FR_ACC,
	LEAF = BW_FR_LEAF,
	TTMP8 = BW_FR_TTMP8,
	TTMP11 = BW_FR_TTMP11,
	TTMP12 = BW_FR_TTMP12,
	MAX_DEPTH = 32,
};

static const struct bw_asm_src acc = {BW_FR_ACC}, leaf = {BW_FR_LEAF}, leaf_hi = {BW_FR_LEAF + 1},
			       link = {BW_FR_LINK}, exec = {BW_SRC_EXEC_LO},
			       zero = {BW_FR_INLINE_0};

/* ---- Parsing the condition ---- */

struct parse {
	const struct bw_filter_facts *facts;
	struct bw_filter_tokens t;
	struct bw_asm code;
	unsigned depth;
	bool inexact;	/* a part counts as true that need not be */
	bool lost_join; /* since two sides of && or || would each have needed ttmp[2:3] */
};

/* What a part of the condition was compiled to. */
enum outcome { TRUE_ALWAYS, IN_ACC, IN_LEAF };

static bool is(const struct parse *p, size_t i, int op)
{
	return p->t.tok[i].kind == BW_TOK_OP && p->t.tok[i].op == op;
}

static bool opens(const struct parse *p, size_t i)
{
	return is(p, i, '(') || is(p, i, '[') || is(p, i, '{');
}

static bool closes(const struct parse *p, size_t i)
{
	return is(p, i, ')') || is(p, i, ']') || is(p, i, '}');
}

/* The last op outside of brackets in [a, b); b: none. */
static size_t find_op(const struct parse *p, size_t a, size_t b, int op)
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

/* Whether [a, b) is one pair of parentheses. */
static bool enclosed(const struct parse *p, size_t a, size_t b)
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

enum operand_kind { NOT_KNOWN, SCALAR, VECTOR, LANE, ITEM_X, GROUP, WAVE, NUMBER, REAL };
struct operand {
	enum operand_kind kind;
	unsigned reg;
	bool is_signed, is_float; /* as_int(...), as_float(...) */
	bool masked;
	uint32_t mask; /* SCALAR: only these bits */
	struct bw_value value;
};

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

static struct operand dollar(const struct parse *p, const char *name)
{
	struct bw_wave_reg r;
	struct operand o = {NOT_KNOWN};
	if (!strcmp(name, "_lane") || !strcmp(name, "_simd_lane"))
		o.kind = LANE;
	else if (!strcmp(name, "_thread_workgroup_pos"))
		o = (struct operand){.kind = SCALAR,
				     .reg = TTMP11,
				     .is_signed = true,
				     .masked = true,
				     .mask = bw_filter_number_mask(p->facts)};
	else if (!strcmp(name, "_workgroup") || !strcmp(name, "blockIdx"))
		o.kind = GROUP;
	else if (!strcmp(name, "_wave") || !strcmp(name, "_thread"))
		o.kind = WAVE;
	else if (bw_wave_reg_parse(NULL, name, &r) && r.count == 1 && r.cls == BW_REG_SGPR)
		o = (struct operand){.kind = SCALAR, .reg = r.index};
	else if (bw_wave_reg_parse(NULL, name, &r) && r.count == 1 && r.cls == BW_REG_VGPR &&
		 r.index < p->facts->n_vgprs)
		o = (struct operand){.kind = VECTOR, .reg = r.index};
	else if (!strcmp(name, "m0"))
		o = (struct operand){.kind = SCALAR, .reg = BW_SRC_M0};
	else if (!strcmp(name, "scc"))
		o = (struct operand){.kind = SCALAR,
				     .reg = TTMP12,
				     .masked = true,
				     .mask = 1}; /* is_understood */
	return o;
}

/* Numbers, and variables of the user that are numbers. */
static bool constant(const struct parse *p, size_t a, size_t b, struct bw_value *out)
{
	bool minus = b == a + 2 && is(p, a, '-');
	if (b - a - minus != 1)
		return false;
	const struct bw_tok *t = &p->t.tok[b - 1];
	if (t->kind == BW_TOK_INT || t->kind == BW_TOK_FLOAT)
		*out = t->number;
	else if (t->kind != BW_TOK_DOLLAR || !p->facts->variable ||
		 !p->facts->variable(p->facts->cookie, t->name, out))
		return false;
	if (!minus)
		return true;
	if (out->type.kind == BW_TYPE_INT && out->type.size_b == 4)
		out->bits = (uint64_t)-(int64_t)out->bits;
	else if (out->type.kind == BW_TYPE_FLOAT)
		out->bits ^= 1ull << (out->type.size_b * 8 - 1);
	else
		return false;
	return true;
}

static struct operand operand(const struct parse *p, size_t a, size_t b)
{
	struct operand o = {NOT_KNOWN};
	while (enclosed(p, a, b))
		a++, b--;
	if (constant(p, a, b, &o.value)) {
		o.kind = o.value.type.kind == BW_TYPE_FLOAT ? REAL : NUMBER;
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
			return (struct operand){.kind = SCALAR, .reg = TTMP8 + i};
		if (item && i == 0 && p->facts->one_row)
			o.kind = ITEM_X;
		return o;
	}
	/* as_int($v3), (int)$v3, as_float($s4) */
	bool call = b - a == 4 && p->t.tok[a].kind == BW_TOK_IDENT && is(p, a + 1, '(') &&
		    is(p, b - 1, ')');
	bool cast = b - a == 4 && is(p, a, '(') && is(p, a + 2, ')') &&
		    p->t.tok[a + 1].kind == BW_TOK_IDENT && !strcmp(p->t.tok[a + 1].name, "int");
	const struct bw_tok *inner = call ? &p->t.tok[a + 2] : &p->t.tok[b - 1];
	if ((call || cast) && inner->kind == BW_TOK_DOLLAR) {
		o = dollar(p, inner->name);
		o.is_signed = cast || !strcmp(p->t.tok[a].name, "as_int");
		o.is_float = call && !strcmp(p->t.tok[a].name, "as_float");
		bool plain = o.kind == VECTOR || (o.kind == SCALAR && !o.masked);
		if (!plain || (!o.is_signed && !o.is_float))
			o.kind = NOT_KNOWN;
		return o;
	}
	/* $s4 & 7 */
	size_t and = find_op(p, a, b, '&');
	if (and> a && and+1 < b) {
		struct operand left = operand(p, a, and), right = operand(p, and+1, b);
		if (left.kind == SCALAR && !left.masked && !left.is_signed && !left.is_float &&
		    right.kind == NUMBER && right.value.bits <= UINT32_MAX) {
			left.masked = true;
			left.mask = (uint32_t)right.value.bits;
			return left;
		}
	}
	return o;
}

/* ---- Comparisons ---- */

static enum bw_compare negated(enum bw_compare op)
{
	static const enum bw_compare other[] = {[BW_LT] = BW_GE, [BW_LE] = BW_GT, [BW_GT] = BW_LE,
						[BW_GE] = BW_LT, [BW_EQ] = BW_NE, [BW_NE] = BW_EQ};
	return other[op];
}

static enum bw_compare mirrored(enum bw_compare op)
{
	static const enum bw_compare other[] = {[BW_LT] = BW_GT, [BW_LE] = BW_GE, [BW_GT] = BW_LT,
						[BW_GE] = BW_LE, [BW_EQ] = BW_EQ, [BW_NE] = BW_NE};
	return other[op];
}

static bool holds(enum bw_compare op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BW_LT:
		return a < b;
	case BW_LE:
		return a <= b;
	case BW_GT:
		return a > b;
	case BW_GE:
		return a >= b;
	case BW_EQ:
		return a == b;
	case BW_NE:
		break;
	}
	return a != b;
}

/* The number in the form in which a 32-bit register is compared with it; false: there is none. */
static bool number_for(const struct operand *o, const struct bw_value *v, uint32_t *out)
{
	if (o->is_signed && (v->type.kind != BW_TYPE_INT || v->type.size_b > 4))
		return false;
	if (v->type.size_b > 4 && v->bits > UINT32_MAX)
		return false;
	*out = (uint32_t)v->bits;
	return true;
}

static void compare_register(struct parse *p, const struct operand *o, enum bw_compare op,
			     bool is_signed, uint32_t value)
{
	struct bw_asm *c = &p->code;
	if (o->kind == VECTOR) {
		/* wave32 writes the low half alone */
		bw_asm_1(c, BW_OP_S_MOV_B32, LEAF + 1, zero);
		bw_asm_2(c, bw_filter_vector_compare(op, is_signed), LEAF, bw_asm_vgpr(o->reg),
			 bw_asm_literal(value));
		return;
	}
	unsigned reg = o->reg;
	if (o->masked) {
		bw_asm_2(c, BW_OP_S_AND_B32, LEAF, bw_asm_code(reg), bw_asm_literal(o->mask));
		reg = LEAF;
	}
	bw_filter_compare_sgpr(c, op, is_signed, reg, value);
	bw_filter_select_all(c);
}

/* Floats by their bits: the order of those of one sign is that of integers, and what the sign and
 * NaNs make different only lets too much stop. False: this comparison cannot be made so. */
static bool compare_float(struct parse *p, const struct operand *o, enum bw_compare op,
			  const struct bw_value *v)
{
	double wanted = bw_value_f64(v, 0);
	float f = (float)wanted;
	uint32_t bits;
	if ((double)f != wanted || f == 0)
		return false;
	memcpy(&bits, &f, sizeof(bits));
	if (op == BW_EQ || op == BW_NE) {
		compare_register(p, o, op, false, bits);
		return true;
	}
	bool negative = bits >> 31;
	/* of negative numbers the greater has the smaller bits */
	compare_register(p, o, negative ? mirrored(op) : op, !negative, bits);
	return true;
}

/* threadIdx.x of groups with one row: the wave, and the lane in it. */
static bool compare_item(struct parse *p, enum bw_compare op, const struct bw_value *v)
{
	struct bw_asm *c = &p->code;
	uint64_t item = v->bits;
	unsigned lanes = p->facts->lanes;
	if (op != BW_EQ || !lanes || item >= 1024)
		return false;
	bw_asm_2(c, BW_OP_S_AND_B32, LEAF, bw_asm_code(TTMP11),
		 bw_asm_literal(bw_filter_number_mask(p->facts)));
	bw_filter_compare_sgpr(c, BW_EQ, false, LEAF, (uint32_t)(item / lanes));
	bw_filter_set_mask(c, LEAF, 1ull << item % lanes);
	/* s_mov leaves SCC alone */
	bw_asm_2(c, BW_OP_S_CSELECT_B32, LEAF, leaf, zero);
	bw_asm_2(c, BW_OP_S_CSELECT_B32, LEAF + 1, leaf_hi, zero);
	return true;
}

/* SCC: all three are equal, and nothing before has cleared the mask in LEAF. */
static void compare_position(struct parse *p, const uint32_t group[3])
{
	for (unsigned i = 0; i < 3; i++) {
		bw_filter_compare_sgpr(&p->code, BW_EQ, false, TTMP8 + i, group[i]);
		bw_asm_2(&p->code, BW_OP_S_CSELECT_B64, LEAF, leaf, zero);
	}
}

/* $_wave == 5: the place of wave 5 in its dispatch. Another dispatch has a wave there, too: it
 * stops, and is looked at. */
static bool compare_wave(struct parse *p, enum bw_compare op, const struct bw_value *v)
{
	struct bw_asm *c = &p->code;
	uint32_t group[3], wave;
	if (op != BW_EQ || !p->facts->wave ||
	    !p->facts->wave(p->facts->cookie, v->bits, group, &wave))
		return false;
	bw_asm_2(c, BW_OP_S_AND_B32, LEAF, bw_asm_code(TTMP11),
		 bw_asm_literal(bw_filter_number_mask(p->facts)));
	bw_filter_compare_sgpr(c, BW_EQ, false, LEAF, wave);
	bw_filter_select_all(c);
	compare_position(p, group);
	return true;
}

static enum outcome compare_with(struct parse *p, const struct operand *o, enum bw_compare op,
				 const struct operand *number, bool negate)
{
	const struct bw_value *v = &number->value;
	uint32_t value;
	uint64_t mask = 0;
	bool real = number->kind == REAL;
	switch (o->kind) {
	case SCALAR:
	case VECTOR:
		/* what does not hold for a NaN holds when it is negated */
		if (o->is_float && negate && op != BW_EQ && op != BW_NE)
			return TRUE_ALWAYS;
		if (o->is_float)
			return (real || (v->type.kind == BW_TYPE_INT && v->type.size_b == 4)) &&
					       compare_float(p, o, op, v)
				       ? IN_LEAF
				       : TRUE_ALWAYS;
		if (real || !number_for(o, v, &value))
			return TRUE_ALWAYS;
		compare_register(p, o, op, o->is_signed, value);
		return IN_LEAF;
	case LANE:
		if (real || (int64_t)v->bits < 0)
			return TRUE_ALWAYS;
		for (unsigned lane = 0; lane < 64; lane++)
			mask |= (uint64_t)holds(op, lane, v->bits) << lane;
		bw_filter_set_mask(&p->code, LEAF, mask);
		return IN_LEAF;
	case ITEM_X:
		return !real && compare_item(p, op, v) ? IN_LEAF : TRUE_ALWAYS;
	case WAVE:
		return !real && compare_wave(p, op, v) ? IN_LEAF : TRUE_ALWAYS;
	case NOT_KNOWN:
	case GROUP:
	case NUMBER:
	case REAL:
		break;
	}
	return TRUE_ALWAYS;
}

/* $_workgroup == 2,0,0: [b, end) are the three numbers. */
static enum outcome compare_group(struct parse *p, enum bw_compare op, size_t b, size_t end)
{
	struct operand o[3];
	uint32_t value;
	if (op != BW_EQ || end - b != 5 || !is(p, b + 1, ',') || !is(p, b + 3, ','))
		return TRUE_ALWAYS;
	for (unsigned i = 0; i < 3; i++) {
		struct operand scalar = {.kind = SCALAR};
		o[i] = operand(p, b + 2 * i, b + 2 * i + 1);
		if (o[i].kind != NUMBER || !number_for(&scalar, &o[i].value, &value))
			return TRUE_ALWAYS;
	}
	/* each clears what the one before has left: SCC selects the mask or nothing */
	bw_filter_set_mask(&p->code, LEAF, ~0ull);
	const uint32_t group[3] = {(uint32_t)o[0].value.bits, (uint32_t)o[1].value.bits,
				   (uint32_t)o[2].value.bits};
	compare_position(p, group);
	return IN_LEAF;
}

static enum outcome comparison(struct parse *p, size_t a, size_t b, bool negate)
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
		op = negated(op);
	struct operand left = operand(p, a, at);
	if (left.kind == GROUP)
		return compare_group(p, op, at + 1, b);
	struct operand right = operand(p, at + 1, b);
	if (left.kind == NUMBER || left.kind == REAL) {
		struct operand o = left;
		left = right;
		right = o;
		op = mirrored(op);
	}
	if (right.kind != NUMBER && right.kind != REAL)
		return TRUE_ALWAYS;
	return compare_with(p, &left, op, &right, negate);
}

/* ---- Joining ---- */

static enum outcome condition(struct parse *p, size_t a, size_t b, bool negate);

static bool is_leaf(const struct parse *p, size_t a, size_t b)
{
	while (enclosed(p, a, b))
		a++, b--;
	return find_op(p, a, b, BW_OPR_OR) == b && find_op(p, a, b, BW_OPR_AND) == b;
}

static void to_acc(struct parse *p)
{
	bw_asm_1(&p->code, BW_OP_S_MOV_B64, ACC, leaf);
}

/* One side may fill ttmp[2:3], the other must then be a single comparison. */
static enum outcome join(struct parse *p, size_t a, size_t at, size_t b, bool negate, bool is_and)
{
	size_t first_a = a, first_b = at, second_a = at + 1, second_b = b;
	if (is_leaf(p, a, at) && !is_leaf(p, at + 1, b)) {
		first_a = at + 1, first_b = b;
		second_a = a, second_b = at;
	}
	/* De Morgan */
	is_and ^= negate;
	enum outcome first = condition(p, first_a, first_b, negate);
	if (first == TRUE_ALWAYS && !is_and)
		return TRUE_ALWAYS;
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

static enum outcome condition(struct parse *p, size_t a, size_t b, bool negate)
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
	else
		result = comparison(p, a, b, negate);
	p->inexact |= result == TRUE_ALWAYS;
	p->depth--;
	return result;
}

static bool tokenize(const char *text, struct parse *p)
{
	size_t pos = 0;
	for (p->t.n = 0; p->t.n < BW_FILTER_MAX_TOKENS; p->t.n++) {
		struct bw_tok *t = &p->t.tok[p->t.n];
		bw_expr_lex(text, pos, t);
		if (t->kind == BW_TOK_END)
			return true;
		/* assignments, ?: and what a kernel was launched with are not compiled */
		if (t->kind == BW_TOK_BAD || t->is_entry ||
		    (t->kind == BW_TOK_OP &&
		     (t->op == BW_OPR_ASSIGN || t->op == BW_OPR_INC || t->op == '?')))
			return false;
		pos = t->end;
	}
	return false;
}

size_t bw_filter_compile(const char *text, const struct bw_filter_facts *facts, uint32_t *out,
			 size_t max_dw)
{
	struct parse p = {.facts = facts, .code = {.gen = facts->gen, .dw = out, .max = max_dw}};
	struct bw_asm *c = &p.code;

	if (!is_understood(facts->arch) || !tokenize(text, &p))
		return 0;
	enum outcome result = condition(&p, 0, p.t.n, false);
	if (result == IN_LEAF)
		to_acc(&p);
	if (result == TRUE_ALWAYS) {
		c->n = 0;
		bw_asm_1(c, BW_OP_S_MOV_B64, ACC, exec);
	}
	/* wave32 has no upper half, whatever stands in EXEC_HI: IB_STS2.WAVE64 */
	bw_asm_imm(c, BW_OP_S_GETREG_B32, LEAF,
		   (int32_t)bw_arch_hwreg_simm16(facts->arch, BW_WF_IS_WAVE64));
	bw_filter_compare_sgpr(c, BW_EQ, false, LEAF, 0);
	bw_asm_2(c, BW_OP_S_CSELECT_B32, ACC + 1, zero, bw_asm_code(ACC + 1));
	/* SCC: a lane for which the condition may hold */
	bw_asm_2(c, BW_OP_S_AND_B64, ACC, acc, exec);
	size_t end = c->n;
	bool bad = c->bad;
	if (p.inexact) {
		bw_asm_imm(c, BW_OP_S_CBRANCH_SCC1, 0, 1); /* behind the next */
		bw_asm_1(c, BW_OP_S_SETPC_B64, 0, link);
		if (!c->bad && bw_filter_lanes(&p.t, facts, p.lost_join, c))
			return c->n;
		c->n = end;
		c->bad = bad;
	}
	if (result == TRUE_ALWAYS)
		return 0;
	bw_asm_1(c, BW_OP_S_SETPC_B64, 0, link);
	return c->bad ? 0 : c->n;
}
