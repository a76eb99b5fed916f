// SPDX-License-Identifier: MIT
/* Conditions that compute: $v1 + $v2 * 4 == $s3, ($_lane & 3) == 1. The trap handler has no VGPR to
 * compute in, since nothing has been saved yet; but v_readlane brings one lane's registers to
 * TTMPs, so the lanes are gone through one by one, up to the first that may fulfil the condition.
 *
 * ttmp[2:3] has the lanes to come, ttmp7 the lane, ttmp13 to 15 hold what is computed. ttmp7 and
 * ttmp13 belong to the handler (the address to resume at, which lies at a known distance from this
 * code) and are restored. Values are 32 bits wide; what has another type, or a name not known here,
 * makes the comparison it stands in count as true. */
#include "debug/conditions/filter_priv.h"
#include "isa/ops.h"

enum { MAX_LABELS = 128, MAX_FIXUPS = 256, N_STACK = 3 };

struct gen {
	const struct bw_filter_tree *t;
	struct bw_asm *c;
	size_t label[MAX_LABELS]; /* position of each label in the code */
	unsigned n_labels;
	struct {
		size_t at;
		unsigned label;
	} fixup[MAX_FIXUPS];
	unsigned n_fixups;
	bool full;
};

static unsigned new_label(struct gen *g)
{
	if (g->n_labels == MAX_LABELS) {
		g->full = true;
		return 0;
	}
	return g->n_labels++;
}

static void place(struct gen *g, unsigned label)
{
	g->label[label] = g->c->n;
}

static void branch(struct gen *g, unsigned op, unsigned label)
{
	if (g->n_fixups == MAX_FIXUPS) {
		g->full = true;
		return;
	}
	g->fixup[g->n_fixups].at = g->c->n;
	g->fixup[g->n_fixups++].label = label;
	bw_asm_imm(g->c, op, 0, 0);
}

static void fix(struct gen *g)
{
	for (unsigned i = 0; i < g->n_fixups && !g->c->bad; i++)
		bw_asm_branch_to(g->c, g->fixup[i].at, g->label[g->fixup[i].label]);
}

static const struct bw_asm_src acc = {BW_FR_ACC}, lane = {BW_FR_TTMP7}, zero = {BW_FR_INLINE_0};
static const uint8_t stack[N_STACK] = {BW_FR_TTMP13, BW_FR_LEAF, BW_FR_LEAF + 1};

/* The number of TTMPs that the computation of a value needs. */
static unsigned need(const struct bw_filter_tree *t, uint8_t at)
{
	const struct bw_ft_node *n = &t->node[at];
	if (n->kind == BW_FT_VECTOR)
		return 1;
	if (n->kind != BW_FT_BINARY)
		return 0;
	unsigned a = need(t, n->a), b = need(t, n->b);
	return a == b ? a + 1 : BW_MAX(a, b); /* if they differ, the greater one is not 0 */
}

/* Whether the node's value can be computed. Comparisons have no value here. */
static bool has_value(const struct bw_filter_tree *t, uint8_t at)
{
	const struct bw_ft_node *n = &t->node[at];
	if (n->kind == BW_FT_UNKNOWN || n->kind == BW_FT_UNARY)
		return false;
	if (n->kind != BW_FT_BINARY)
		return true;
	return bw_ft_computes(n->op) && has_value(t, n->a) && has_value(t, n->b) &&
	       need(t, at) <= N_STACK;
}

static unsigned operation(const struct bw_ft_node *n)
{
	switch (n->op) {
	case '+':
		return BW_OP_S_ADD_U32;
	case '-':
		return BW_OP_S_SUB_U32;
	case '*':
		return BW_OP_S_MUL_I32;
	case '&':
		return BW_OP_S_AND_B32;
	case '|':
		return BW_OP_S_OR_B32;
	case '^':
		return BW_OP_S_XOR_B32;
	case BW_OPR_SHL:
		return BW_OP_S_LSHL_B32;
	default:
		return n->is_signed ? BW_OP_S_ASHR_I32 : BW_OP_S_LSHR_B32;
	}
}

/* Writes code for the value of a node, and returns where it is: in stack[base], or in the register
 * that holds it already. */
static struct bw_asm_src value(struct gen *g, uint8_t at, unsigned base)
{
	const struct bw_ft_node *n = &g->t->node[at];
	struct bw_asm_src a, b;
	switch (n->kind) {
	case BW_FT_CONST:
		return bw_asm_literal(n->value);
	case BW_FT_SCALAR:
		return bw_asm_code(n->value);
	case BW_FT_LANE:
		return lane;
	case BW_FT_VECTOR:
		bw_asm_2(g->c, BW_OP_V_READLANE_B32, stack[base], bw_asm_vgpr(n->value), lane);
		return bw_asm_code(stack[base]);
	case BW_FT_UNKNOWN:
	case BW_FT_UNARY:
	case BW_FT_BINARY:
		break;
	}
	bool b_first = need(g->t, n->b) > need(g->t, n->a);
	uint8_t first = b_first ? n->b : n->a, second = b_first ? n->a : n->b;
	a = value(g, first, base);
	b = value(g, second, base + (a.code == stack[base]));
	bw_asm_2(g->c, operation(n), stack[base], b_first ? b : a, b_first ? a : b);
	return bw_asm_code(stack[base]);
}

static bool compare_of(int op, enum bw_compare *out)
{
	static const struct {
		int op;
		enum bw_compare compare;
	} rows[] = {{BW_OPR_EQ, BW_EQ}, {BW_OPR_NE, BW_NE}, {'<', BW_LT},
		    {BW_OPR_LE, BW_LE}, {'>', BW_GT},	    {BW_OPR_GE, BW_GE}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (rows[i].op != op)
			continue;
		*out = rows[i].compare;
		return true;
	}
	return false;
}

/* Whether a comparison, or a test of a value against 0, can be computed. */
static bool is_testable(const struct bw_filter_tree *t, uint8_t at)
{
	const struct bw_ft_node *n = &t->node[at];
	enum bw_compare op;
	if (n->kind != BW_FT_BINARY || !compare_of(n->op, &op))
		return has_value(t, at);
	unsigned a = need(t, n->a), b = need(t, n->b);
	return has_value(t, n->a) && has_value(t, n->b) &&
	       (a == b ? a + 1 : BW_MAX(a, b)) <= N_STACK;
}

/* Writes the s_cmp of a test. s_cmp cannot have a literal on both sides, so two constants are never
 * compared. */
static void test(struct gen *g, uint8_t at)
{
	const struct bw_ft_node *n = &g->t->node[at];
	enum bw_compare op;
	struct bw_asm_src a, b = zero;
	bool is_signed = false;
	if (n->kind == BW_FT_BINARY && compare_of(n->op, &op)) {
		bool b_first = need(g->t, n->b) > need(g->t, n->a);
		a = value(g, b_first ? n->b : n->a, 0);
		b = value(g, b_first ? n->a : n->b, a.code == stack[0]);
		if (b_first) {
			struct bw_asm_src x = a;
			a = b;
			b = x;
		}
		is_signed = g->t->node[n->a].is_signed && g->t->node[n->b].is_signed;
	} else {
		op = BW_NE;
		a = value(g, at, 0);
	}
	if (a.code == BW_SRC_LITERAL && b.code == BW_SRC_LITERAL) {
		bw_asm_1(g->c, BW_OP_S_MOV_B32, stack[0], a);
		a = bw_asm_code(stack[0]);
	}
	bw_asm_2(g->c, bw_filter_scalar_compare(op, is_signed), 0, a, b);
}

/* Whether the node counts as true for every lane, because nothing in it can be tested. */
static bool may_always(const struct bw_filter_tree *t, uint8_t at, bool negate)
{
	const struct bw_ft_node *n = &t->node[at];
	if (n->kind == BW_FT_UNARY)
		return may_always(t, n->a, !negate);
	if (n->kind == BW_FT_BINARY && (n->op == BW_OPR_AND || n->op == BW_OPR_OR)) {
		bool is_and = (n->op == BW_OPR_AND) != negate;
		bool a = may_always(t, n->a, negate), b = may_always(t, n->b, negate);
		return is_and ? a && b : a || b;
	}
	return !is_testable(t, at);
}

/* Jumps to yes where the node may hold (negate: may not hold), else to no. */
static void jump(struct gen *g, uint8_t at, bool negate, unsigned yes, unsigned no)
{
	const struct bw_ft_node *n = &g->t->node[at];
	if (n->kind == BW_FT_UNARY) {
		jump(g, n->a, !negate, yes, no);
	} else if (n->kind == BW_FT_BINARY && (n->op == BW_OPR_AND || n->op == BW_OPR_OR)) {
		bool is_and = (n->op == BW_OPR_AND) != negate;
		unsigned next = new_label(g);
		jump(g, n->a, negate, is_and ? next : yes, is_and ? no : next);
		place(g, next);
		jump(g, n->b, negate, yes, no);
	} else if (!is_testable(g->t, at)) {
		branch(g, BW_OP_S_BRANCH, yes);
	} else {
		test(g, at);
		branch(g, negate ? BW_OP_S_CBRANCH_SCC0 : BW_OP_S_CBRANCH_SCC1, yes);
		branch(g, BW_OP_S_BRANCH, no);
	}
}

/* The number of comparisons that count as true because they cannot be tested here either. */
static unsigned n_left(const struct bw_filter_tree *t, uint8_t at)
{
	const struct bw_ft_node *n = &t->node[at];
	if (n->kind == BW_FT_UNARY)
		return n_left(t, n->a);
	if (n->kind == BW_FT_BINARY && (n->op == BW_OPR_AND || n->op == BW_OPR_OR))
		return n_left(t, n->a) + n_left(t, n->b);
	return !is_testable(t, at);
}

/* Whether all lanes have the same answer. */
static bool is_uniform(const struct bw_filter_tree *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->node[i].kind == BW_FT_VECTOR || t->node[i].kind == BW_FT_LANE)
			return false;
	return true;
}

static void write_loop(struct gen *g, uint8_t root)
{
	struct bw_asm *c = g->c;
	unsigned next = new_label(g), yes = new_label(g), none = new_label(g), out = new_label(g);
	place(g, next);
	bw_asm_1(c, BW_OP_S_CTZ_I32_B64, BW_FR_TTMP7, acc); /* the result for 0 is -1 */
	bw_asm_2(c, BW_OP_S_CMP_LT_I32, 0, lane, zero);
	branch(g, BW_OP_S_CBRANCH_SCC1, none);
	bw_asm_1(c, BW_OP_S_BITSET0_B64, BW_FR_ACC, lane);
	jump(g, root, false, yes, is_uniform(g->t) ? none : next);
	place(g, none);
	bw_asm_1(c, BW_OP_S_MOV_B32, BW_FR_ACC, zero);
	branch(g, BW_OP_S_BRANCH, out);
	place(g, yes);
	bw_asm_1(c, BW_OP_S_MOV_B32, BW_FR_ACC, bw_asm_code(BW_FR_INLINE_0 + 1));
	place(g, out);
	/* ttmp7 and ttmp13: where to resume, some bytes before this code */
	bw_asm_1(c, BW_OP_S_GETPC_B64, BW_FR_LEAF, (struct bw_asm_src){0});
	uint32_t distance_b = (uint32_t)c->n * 4 + g->t->facts->resume_before_b;
	bw_asm_2(c, BW_OP_S_SUB_U32, BW_FR_TTMP7, bw_asm_code(BW_FR_LEAF),
		 bw_asm_literal(distance_b));
	bw_asm_2(c, BW_OP_S_SUBB_U32, BW_FR_TTMP13, bw_asm_code(BW_FR_LEAF + 1), zero);
	bw_asm_2(c, BW_OP_S_CMP_LG_U32, 0, acc, zero);
	bw_asm_1(c, BW_OP_S_SETPC_B64, 0, bw_asm_code(BW_FR_LINK));
}

bool bw_filter_lanes(struct bw_filter_parse *p, bool *out_all)
{
	struct bw_asm *c = &p->code;
	struct bw_filter_tree t;
	struct gen g = {.t = &t, .c = c};
	uint8_t root;
	if (!bw_filter_tree_parse(&t, &p->t, p->facts, &root) || may_always(&t, root, false) ||
	    (!p->lost_join && n_left(&t, root) >= p->n_left))
		return false;
	*out_all = !n_left(&t, root);
	size_t start = c->n;
	write_loop(&g, root);
	fix(&g);
	if (!g.full && !c->bad)
		return true;
	c->n = start;
	c->bad = false;
	return false;
}
