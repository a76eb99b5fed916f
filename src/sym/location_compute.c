/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/util.h"
#include "sym/names.h"
#include "sym/variables_priv.h"

/* Values that the optimizer has replaced by an expression on registers: the bounds of a loop
 * (DW_OP_lt), a char kept in 32 bits (DW_OP_convert). clang-19 writes untyped operators, whose
 * width only what follows them says: the next DW_OP_convert, or the variable's size. Comparisons
 * have no such hint, and DW_OP_lt stands for signed and for unsigned operands (LLVM 19,
 * lib/Transforms/Utils/Local.cpp, getDwarfOpForIcmpPred). They are computed in each way that is
 * possible; a value that is not the same in all of them is not known. */

enum { MAX_UNIT_TYPES = 4096 };

/* A group of operands that must be of one width: an index of `groups`. */
struct group {
	unsigned parent;
	unsigned bits; /* 0: not known (yet) */
	bool is_signed;
	bool is_compared; /* operands of a comparison */
};

struct compiler {
	const struct bw_expr_context *c;
	struct bw_cursor code;
	struct bw_location *out; /* its steps are written */
	struct group groups[BW_LOC_STEPS_MAX];
	unsigned stack[BW_LOC_STEPS_MAX]; /* groups */
	unsigned n;
	bool has_register;
};

static unsigned group_of(struct compiler *m, unsigned i)
{
	while (m->groups[i].parent != i)
		i = m->groups[i].parent;
	return i;
}

/* False: they have two widths. */
static bool join(struct compiler *m, unsigned a, unsigned b)
{
	struct group *x = &m->groups[group_of(m, a)], *y = &m->groups[group_of(m, b)];
	if (x == y)
		return true;
	if (x->bits && y->bits && x->bits != y->bits)
		return false;
	if (!x->bits)
		x->is_signed = y->is_signed;
	x->bits |= y->bits;
	x->is_compared |= y->is_compared;
	y->parent = group_of(m, a);
	return true;
}

static bool add_step(struct compiler *m, struct bw_location_step step, unsigned bits,
		     bool is_signed)
{
	unsigned i = m->out->n_steps;
	if (i == BW_LOC_STEPS_MAX)
		return false;
	m->out->step[i] = step;
	m->out->n_steps++;
	m->groups[i] = (struct group){.parent = i, .bits = bits, .is_signed = is_signed};
	m->stack[m->n++] = i;
	return true;
}

static bool add_number(struct compiler *m, int64_t number)
{
	return add_step(m, (struct bw_location_step){.op = DW_OP_consts, .number = number}, 0,
			false);
}

static bool add_register(struct compiler *m, uint64_t dwarf_reg, int64_t offset)
{
	struct bw_location_step step = {.op = DW_OP_bregx, .number = offset};
	if (!bw_location_register(dwarf_reg, &step.is_vgpr, &step.reg))
		return false;
	/* the stack and frame pointers: a place in scratch, whose address would be the value */
	if (!step.is_vgpr && (step.reg == 32 || step.reg == 33))
		return false;
	m->has_register = true;
	return add_step(m, step, 0, false);
}

static bool add_unary(struct compiler *m, unsigned op)
{
	if (!m->n)
		return false;
	unsigned a = m->stack[--m->n];
	return add_step(m, (struct bw_location_step){.op = (uint8_t)op}, 0, false) &&
	       join(m, a, m->out->n_steps - 1u);
}

static bool is_comparison(unsigned op)
{
	return op >= DW_OP_eq && op <= DW_OP_ne && op != DW_OP_skip;
}

static bool add_binary(struct compiler *m, unsigned op)
{
	if (m->n < 2)
		return false;
	unsigned b = m->stack[--m->n], a = m->stack[--m->n];
	if (!join(m, a, b))
		return false;
	if (is_comparison(op)) {
		m->groups[group_of(m, a)].is_compared = true;
		return add_step(m, (struct bw_location_step){.op = (uint8_t)op, .group = a}, 1,
				false);
	}
	return add_step(m, (struct bw_location_step){.op = (uint8_t)op}, 0, false) &&
	       join(m, a, m->out->n_steps - 1u);
}

/* ---- Types ---- */

/* Base types of the unit. LLVM makes those of conversions itself and names them by their bits, of
 * which DW_AT_byte_size has too few for one bit: "DW_ATE_unsigned_1". */
static bool base_type(Dwarf_Die *die, unsigned *out_bits, bool *out_signed, bool *out_made)
{
	Dwarf_Attribute attr;
	Dwarf_Word size_b = 0, encoding = 0;
	unsigned bits;
	const char *name = bw_die_name(die);
	if (dwarf_tag(die) != DW_TAG_base_type || !dwarf_attr(die, DW_AT_encoding, &attr) ||
	    dwarf_formudata(&attr, &encoding) || !dwarf_attr(die, DW_AT_byte_size, &attr) ||
	    dwarf_formudata(&attr, &size_b) || size_b > 8)
		return false;
	*out_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (!*out_signed && encoding != DW_ATE_unsigned && encoding != DW_ATE_unsigned_char)
		return false;
	*out_bits = 8 * (unsigned)size_b;
	*out_made = name && (sscanf(name, "DW_ATE_unsigned_%u", &bits) == 1 ||
			     sscanf(name, "DW_ATE_signed_%u", &bits) == 1);
	if (*out_made)
		*out_bits = bits;
	return *out_bits >= 1 && *out_bits <= 64;
}

static bool add_convert(struct compiler *m, uint64_t offset)
{
	Dwarf_Die die;
	unsigned bits, left = MAX_UNIT_TYPES;
	bool is_signed, made;
	if (!m->c->unit || !m->n || dwarf_child(m->c->unit, &die))
		return false;
	while (dwarf_cuoffset(&die) != offset)
		if (!left-- || dwarf_siblingof(&die, &die))
			return false;
	if (!base_type(&die, &bits, &is_signed, &made))
		return false;
	unsigned a = m->stack[--m->n];
	struct group *from = &m->groups[group_of(m, a)];
	if (!from->bits) {
		/* the first of two: it names the type that the operand has */
		from->bits = bits;
		from->is_signed = is_signed;
	}
	return add_step(m, (struct bw_location_step){.op = DW_OP_convert, .group = a}, bits,
			is_signed);
}

/* The widths below 32 bits that numbers of the program have: 8 | 16. */
static unsigned narrow_widths(Dwarf_Die *unit)
{
	Dwarf_Die die;
	unsigned found = 0, bits, left = MAX_UNIT_TYPES;
	bool is_signed, made;
	if (!unit || dwarf_child(unit, &die))
		return 0;
	do {
		if (base_type(&die, &bits, &is_signed, &made) && !made && bits < 32)
			found |= bits;
	} while (left-- && !dwarf_siblingof(&die, &die));
	return found;
}

/* ---- Translation ---- */

bool bw_location_number(struct bw_cursor *c, unsigned op, int64_t *out)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		*out = op - DW_OP_lit0;
		return true;
	}
	switch (op) {
	case DW_OP_const1u:
		*out = bw_cursor_u8(c);
		return true;
	case DW_OP_const1s:
		*out = (int8_t)bw_cursor_u8(c);
		return true;
	case DW_OP_const2u:
		*out = bw_cursor_u16(c);
		return true;
	case DW_OP_const2s:
		*out = (int16_t)bw_cursor_u16(c);
		return true;
	case DW_OP_const4u:
		*out = bw_cursor_u32(c);
		return true;
	case DW_OP_const4s:
		*out = (int32_t)bw_cursor_u32(c);
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		*out = (int64_t)bw_cursor_u64(c);
		return true;
	case DW_OP_constu:
		*out = (int64_t)bw_cursor_uleb128(c);
		return true;
	case DW_OP_consts:
		*out = bw_cursor_sleb128(c);
		return true;
	default:
		return false;
	}
}

static bool swap(struct compiler *m)
{
	if (m->n < 2)
		return false;
	unsigned top = m->stack[m->n - 1];
	m->stack[m->n - 1] = m->stack[m->n - 2];
	m->stack[m->n - 2] = top;
	m->out->step[m->out->n_steps] = (struct bw_location_step){.op = DW_OP_swap};
	m->groups[m->out->n_steps].parent = m->out->n_steps;
	m->out->n_steps++;
	return true;
}

static bool translate(struct compiler *m, unsigned op)
{
	struct bw_cursor *c = &m->code;
	uint64_t reg;
	int64_t number;
	if (bw_location_number(c, op, &number))
		return add_number(m, number);
	switch (op) {
	case DW_OP_nop:
		return true;
	case DW_OP_swap:
		return m->out->n_steps < BW_LOC_STEPS_MAX && swap(m);
	case DW_OP_not:
	case DW_OP_neg:
		return add_unary(m, op);
	case DW_OP_plus_uconst:
		return add_number(m, (int64_t)bw_cursor_uleb128(c)) && add_binary(m, DW_OP_plus);
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_div:
	case DW_OP_mod:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return add_binary(m, op);
	case DW_OP_convert:
		return add_convert(m, bw_cursor_uleb128(c));
	case DW_OP_regx:
		return add_register(m, bw_cursor_uleb128(c), 0);
	case DW_OP_bregx:
		reg = bw_cursor_uleb128(c);
		return add_register(m, reg, bw_cursor_sleb128(c));
	default:
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
			return add_register(m, op - DW_OP_breg0, bw_cursor_sleb128(c));
		return is_comparison(op) && add_binary(m, op);
	}
}

/* The expression without "stack_value" and the suffix of a private variable before it; 0: it has no
 * such end. */
static size_t length_of_value(const uint8_t *expr, size_t n)
{
	static const uint8_t suffix[] = {DW_OP_lit1, DW_OP_swap, DW_OP_xderef};
	if (!n || expr[n - 1] != DW_OP_stack_value)
		return 0;
	n--;
	if (n >= sizeof(suffix) && !memcmp(expr + n - sizeof(suffix), suffix, sizeof(suffix)))
		n -= sizeof(suffix);
	return n;
}

/* Fills in the widths of the steps. False: one is not known. */
static bool set_widths(struct compiler *m)
{
	struct bw_location *out = m->out;
	bool compares = false;
	for (unsigned i = 0; i < out->n_steps; i++) {
		struct bw_location_step *s = &out->step[i];
		const struct group *own = &m->groups[group_of(m, i)];
		const struct group *operand = &m->groups[group_of(m, s->group)];
		if (!own->bits && !own->is_compared && s->op != DW_OP_swap)
			return false;
		/* of a pair of registers, only one is named */
		if (s->op == DW_OP_bregx && own->bits > 32)
			return false;
		s->bits = (uint8_t)own->bits;
		s->is_signed = own->is_signed;
		if (s->op == DW_OP_convert || is_comparison(s->op)) {
			s->from_bits = (uint8_t)operand->bits;
			s->from_signed = operand->is_signed;
		}
		compares |= is_comparison(s->op);
	}
	out->narrow_bits = compares ? (uint8_t)narrow_widths(m->c->unit) : 0;
	return true;
}

bool bw_location_compile(const struct bw_expr_context *c, const uint8_t *expr, size_t n,
			 struct bw_location *out)
{
	struct bw_location all = {.kind = BW_LOC_COMPUTED, .start = out->start, .end = out->end};
	struct compiler m = {.c = c, .out = &all};
	uint64_t bits = 8 * c->size_b;
	n = length_of_value(expr, n);
	m.code = bw_cursor(expr, n);
	if (!n || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return false;
	while (bw_cursor_left(&m.code))
		if (!translate(&m, bw_cursor_u8(&m.code)) || m.code.overrun)
			return false;
	if (m.n != 1 || !m.has_register)
		return false;
	struct group *result = &m.groups[group_of(&m, m.stack[0])];
	if (!result->bits)
		result->bits = (unsigned)bits;
	if (!set_widths(&m))
		return false;
	*out = all;
	return true;
}

bool bw_location_step_is_register(const struct bw_location_step *s)
{
	return s->op == DW_OP_bregx;
}

/* ---- Evaluation ---- */

/* One way to understand the operands of comparisons. */
struct way {
	unsigned bits;
	bool is_signed;
};

static uint64_t cut(uint64_t v, unsigned bits)
{
	return bw_bits(v, bits - 1, 0);
}

static int64_t signed_of(uint64_t v, unsigned bits)
{
	return bw_sign_extend(v, bits);
}

static bool divide(unsigned op, int64_t a, int64_t b, uint64_t *out)
{
	if (!b)
		return false;
	if (b == -1) /* the smallest number has no positive one */
		*out = op == DW_OP_div ? 0 - (uint64_t)a : 0;
	else
		*out = (uint64_t)(op == DW_OP_div ? a / b : a % b);
	return true;
}

static bool shift(unsigned op, uint64_t a, uint64_t b, unsigned bits, uint64_t *out)
{
	if (b >= bits) /* the program's own result is undefined */
		return false;
	*out = op == DW_OP_shl	 ? a << b
	       : op == DW_OP_shr ? a >> b
				 : (uint64_t)(signed_of(a, bits) >> b);
	return true;
}

static bool compute(unsigned op, uint64_t a, uint64_t b, unsigned bits, uint64_t *out)
{
	switch (op) {
	case DW_OP_plus:
		*out = a + b;
		return true;
	case DW_OP_minus:
		*out = a - b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_xor:
		*out = a ^ b;
		return true;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return shift(op, a, b, bits, out);
	default:
		return divide(op, signed_of(a, bits), signed_of(b, bits), out);
	}
}

static bool compare(unsigned op, int64_t a, int64_t b)
{
	switch (op) {
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return a < b;
	case DW_OP_le:
		return a <= b;
	case DW_OP_gt:
		return a > b;
	default:
		return a >= b;
	}
}

/* A signed number that is in the same order as the operand. */
static int64_t ordered(uint64_t v, unsigned bits, bool is_signed)
{
	return is_signed ? signed_of(v, bits) : (int64_t)(cut(v, bits) ^ 1ull << 63);
}

static bool evaluate(const struct bw_location *l, const uint32_t *regs, struct way way,
		     uint64_t *out)
{
	uint64_t stack[BW_LOC_STEPS_MAX] = {0};
	unsigned n = 0;
	for (unsigned i = 0; i < l->n_steps; i++) {
		const struct bw_location_step *s = &l->step[i];
		unsigned bits = s->bits ? s->bits : way.bits;
		unsigned from = s->from_bits ? s->from_bits : way.bits;
		uint64_t v = 0, b;
		switch (s->op) {
		case DW_OP_swap:
			v = stack[n - 1];
			stack[n - 1] = stack[n - 2];
			stack[n - 2] = v;
			continue;
		case DW_OP_consts:
			v = (uint64_t)s->number;
			break;
		case DW_OP_bregx:
			v = regs[i] + (uint64_t)s->number;
			break;
		case DW_OP_not:
			v = ~stack[--n];
			break;
		case DW_OP_neg:
			v = 0 - stack[--n];
			break;
		case DW_OP_convert:
			v = stack[--n];
			if (s->from_signed)
				v = (uint64_t)signed_of(v, from);
			break;
		default:
			b = stack[--n];
			v = stack[--n];
			if (s->op >= DW_OP_eq && s->op <= DW_OP_ne)
				v = compare(s->op, ordered(v, from, way.is_signed),
					    ordered(b, from, way.is_signed));
			else if (!compute(s->op, v, b, bits, &v))
				return false;
		}
		stack[n++] = cut(v, bits);
	}
	const struct bw_location_step *last = &l->step[l->n_steps - 1];
	*out = last->is_signed && last->bits ? (uint64_t)signed_of(stack[0], last->bits) : stack[0];
	return true;
}

/* Whether each number of the expression is one of that width. */
static bool numbers_fit(const struct bw_location *l, unsigned bits)
{
	for (unsigned i = 0; i < l->n_steps; i++) {
		int64_t v = l->step[i].number;
		if (!l->step[i].bits && (v < -(1ll << (bits - 1)) || v >= 1ll << bits))
			return false;
	}
	return true;
}

bool bw_location_compute(const struct bw_location *l, const uint32_t *regs, uint64_t *out)
{
	static const struct way ways[] = {{32, true},  {32, false}, {16, true},
					  {16, false}, {8, true},   {8, false}};
	uint64_t first = 0, other;
	if (l->kind != BW_LOC_COMPUTED || !l->n_steps || !evaluate(l, regs, ways[0], &first))
		return false;
	for (size_t i = 1; i < BW_ARRAY_SIZE(ways); i++) {
		unsigned bits = ways[i].bits;
		if (bits < 32 && (!(l->narrow_bits & bits) || !numbers_fit(l, bits)))
			continue;
		if (!evaluate(l, regs, ways[i], &other) || other != first)
			return false;
	}
	*out = first;
	return true;
}
