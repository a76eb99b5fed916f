/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/util.h"
#include "sym/variables_priv.h"

/* What the expressions mean that clang-19 writes for variables (doc/hardware/code-objects.md 7).
 * They are read by ourselves: libdw refuses an attribute with a vendor's operator. The values on
 * the stack are symbols, since no register is read here. */

/* DWARF's numbers of registers. */
enum {
	DWARF_SGPR0 = 32, /* s0 to s63 */
	DWARF_SGPR64 = 1088,
	DWARF_VGPR_WAVE32 = 0x600,
	DWARF_VGPR_WAVE64 = 0xa00,
	N_VGPRS = 256,
	N_LOW_SGPRS = 64,
	N_HIGH_SGPRS = 42,
	MAX_STACK = 8
};

/* The address spaces of DW_OP_xderef. */
enum { SPACE_NONE = 0, SPACE_PRIVATE = 1, SPACE_LDS = 2 };

struct value {
	enum { VALUE_NUMBER, VALUE_ADDRESS, VALUE_VGPR, VALUE_SGPR, VALUE_FRAME } kind;
	unsigned reg;
	enum bw_frame_base base;
	int64_t offset; /* added to it; the number or address itself */
	uint64_t space;
};

struct machine {
	const struct bw_expr_context *c;
	struct bw_cursor code;
	struct value stack[MAX_STACK];
	unsigned n;
	bool is_register; /* regx: the place is the register on the stack */
	bool is_value;	  /* DW_OP_stack_value */
	struct bw_location *out;
	bool failed;
};

void bw_location_unknown(struct bw_location *out, const char *fmt, ...)
{
	va_list args;
	uint64_t start = out->start, end = out->end;
	*out = (struct bw_location){.kind = BW_LOC_UNKNOWN, .start = start, .end = end};
	va_start(args, fmt);
	vsnprintf(out->why, sizeof(out->why), fmt, args);
	va_end(args);
}

#define FAIL(m, ...)                                                                               \
	do {                                                                                       \
		if (!(m)->failed)                                                                  \
			bw_location_unknown((m)->out, __VA_ARGS__);                                \
		(m)->failed = true;                                                                \
	} while (0)

static void not_supported(struct machine *m, unsigned op)
{
	/* clang-format off */
#define NAMED(op) {DW_OP_##op, "DW_OP_" #op}
	static const struct {
		uint8_t op;
		const char *name;
	} names[] = {
		NAMED(deref), NAMED(deref_size), NAMED(dup), NAMED(drop), NAMED(over),
		NAMED(pick), NAMED(rot), NAMED(xderef), NAMED(xderef_size), NAMED(abs),
		NAMED(and), NAMED(div), NAMED(mod), NAMED(mul), NAMED(neg), NAMED(not),
		NAMED(or), NAMED(shl), NAMED(shr), NAMED(shra), NAMED(xor), NAMED(bra),
		NAMED(skip), NAMED(eq), NAMED(ge), NAMED(gt), NAMED(le), NAMED(lt),
		NAMED(ne), NAMED(call2), NAMED(call4), NAMED(call_ref),
		NAMED(push_object_address), NAMED(form_tls_address), NAMED(call_frame_cfa),
		NAMED(implicit_pointer), NAMED(entry_value), NAMED(const_type),
		NAMED(regval_type), NAMED(deref_type), NAMED(convert), NAMED(reinterpret),
		{0xe9, "DW_OP_LLVM_user"}, {0xe1, "DW_OP_LLVM_form_aspace_address"},
	};
#undef NAMED
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		if (names[i].op == op) {
			FAIL(m, "%s is not supported", names[i].name);
			return;
		}
	}
	FAIL(m, "the DWARF operator 0x%02x is not supported", op);
}

/* ---- The stack ---- */

static void push(struct machine *m, struct value v)
{
	if (m->n == MAX_STACK)
		FAIL(m, "an expression that needs a deeper stack");
	else
		m->stack[m->n++] = v;
}

static void push_number(struct machine *m, int64_t number)
{
	push(m, (struct value){.kind = VALUE_NUMBER, .offset = number});
}

static struct value pop(struct machine *m)
{
	if (m->n)
		return m->stack[--m->n];
	FAIL(m, "a damaged expression: it takes from an empty stack");
	return (struct value){0};
}

static int64_t wrapping_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

bool bw_location_register(uint64_t number, bool *out_is_vgpr, uint16_t *out_reg)
{
	static const struct {
		unsigned first, n, reg;
		bool is_vgpr;
	} rows[] = {{DWARF_VGPR_WAVE32, N_VGPRS, 0, true},
		    {DWARF_VGPR_WAVE64, N_VGPRS, 0, true},
		    {DWARF_SGPR0, N_LOW_SGPRS, 0, false},
		    {DWARF_SGPR64, N_HIGH_SGPRS, N_LOW_SGPRS, false}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (number < rows[i].first || number - rows[i].first >= rows[i].n)
			continue;
		*out_is_vgpr = rows[i].is_vgpr;
		*out_reg = (uint16_t)(number - rows[i].first + rows[i].reg);
		return true;
	}
	return false;
}

static void push_register(struct machine *m, uint64_t number, int64_t offset, bool is_place)
{
	bool is_vgpr;
	uint16_t reg;
	if (!bw_location_register(number, &is_vgpr, &reg)) {
		FAIL(m, "DWARF register %" PRIu64 " is not supported", number);
		return;
	}
	struct value v = {.kind = is_vgpr ? VALUE_VGPR : VALUE_SGPR, .reg = reg};
	/* the stack pointer and the frame pointer, of which a place in scratch is told */
	if (!is_place && v.kind == VALUE_SGPR && (v.reg == 32 || v.reg == 33))
		v = (struct value){.kind = VALUE_FRAME,
				   .base = v.reg == 32 ? BW_BASE_S32 : BW_BASE_S33};
	v.offset = offset;
	m->is_register = is_place;
	push(m, v);
}

static void add(struct machine *m, bool minus)
{
	struct value b = pop(m), a = pop(m);
	if (!minus && a.kind == VALUE_NUMBER) {
		struct value number = a;
		a = b;
		b = number;
	}
	if (b.kind != VALUE_NUMBER || a.space || b.space)
		FAIL(m, "an expression that computes with registers");
	a.offset = minus ? (int64_t)((uint64_t)a.offset - (uint64_t)b.offset)
			 : wrapping_add(a.offset, b.offset);
	push(m, a);
}

/* Arithmetic of constants. The numbers have 64 bits here, and fewer in the program: what depends on
 * the bits above is not done. False: not supported. */
static bool compute(unsigned op, uint64_t a, uint64_t b, uint64_t *out)
{
	bool small = a < 1u << 31 && b < 1u << 31;
	switch (op) {
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_xor:
		*out = a ^ b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
	case DW_OP_shra:
		*out = b < 64 ? a >> b : 0;
		return small;
	case DW_OP_div:
		*out = b ? a / b : 0;
		return small && b;
	case DW_OP_mod:
		*out = b ? a % b : 0;
		return small && b;
	default:
		return false;
	}
}

static bool is_number(const struct value *v)
{
	return v->kind == VALUE_NUMBER && !v->space;
}

/* True: it was one of these operators. */
static bool arithmetic_op(struct machine *m, unsigned op)
{
	uint64_t result;
	struct value *top = m->n ? &m->stack[m->n - 1] : NULL;
	if (top && is_number(top) && (op == DW_OP_not || op == DW_OP_neg)) {
		result = (uint64_t)top->offset;
		top->offset = (int64_t)(op == DW_OP_not ? ~result : 0 - result);
		return true;
	}
	if (m->n < 2 || !is_number(top) || !is_number(top - 1) ||
	    !compute(op, (uint64_t)top[-1].offset, (uint64_t)top->offset, &result))
		return false;
	top[-1].offset = (int64_t)result;
	m->n--;
	return true;
}

/* The suffix litN, swap, xderef: the address below is one of space N. What it names stays a place:
 * front ends write it for the memory that the variable was in. */
static void xderef(struct machine *m)
{
	struct value address = pop(m), space = pop(m);
	if (space.kind != VALUE_NUMBER || address.space ||
	    (space.offset != SPACE_PRIVATE && space.offset != SPACE_LDS))
		FAIL(m, "an address of an unknown space");
	address.space = (uint64_t)space.offset;
	push(m, address);
}

static void push_fbreg(struct machine *m, int64_t offset)
{
	if (m->c->no_frame)
		FAIL(m, "%s", m->c->no_frame);
	push(m, (struct value){.kind = VALUE_FRAME, .base = m->c->frame, .offset = offset});
}

bool bw_location_addrx(struct bw_section addr, uint64_t base, uint64_t index, uint64_t *out)
{
	uint64_t at;
	if (__builtin_mul_overflow(index, 8, &at) || __builtin_add_overflow(at, base, &at) ||
	    addr.size_b < 8 || at > addr.size_b - 8)
		return false;
	memcpy(out, addr.data + at, 8);
	return true;
}

static void push_addrx(struct machine *m, bool is_address)
{
	uint64_t value = 0;
	if (!bw_location_addrx(m->c->addr, m->c->addr_base, bw_cursor_uleb128(&m->code), &value))
		FAIL(m, "a damaged index of an address");
	push(m, (struct value){.kind = is_address ? VALUE_ADDRESS : VALUE_NUMBER,
			       .offset = (int64_t)value});
}

/* ---- Operators ---- */

static bool constant_op(struct machine *m, unsigned op)
{
	struct bw_cursor *c = &m->code;
	int64_t number;
	if (bw_location_number(c, op, &number)) {
		push_number(m, number);
		return true;
	}
	switch (op) {
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		push_addrx(m, false);
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		push_addrx(m, true);
		return true;
	case DW_OP_addr:
		push(m, (struct value){.kind = VALUE_ADDRESS, .offset = (int64_t)bw_cursor_u64(c)});
		return true;
	default:
		return false;
	}
}

static bool register_op(struct machine *m, unsigned op)
{
	struct bw_cursor *c = &m->code;
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		push_register(m, op - DW_OP_reg0, 0, true);
		return true;
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(m, op - DW_OP_breg0, bw_cursor_sleb128(c), false);
		return true;
	}
	switch (op) {
	case DW_OP_regx:
		push_register(m, bw_cursor_uleb128(c), 0, true);
		return true;
	case DW_OP_bregx: {
		uint64_t number = bw_cursor_uleb128(c);
		push_register(m, number, bw_cursor_sleb128(c), false);
		return true;
	}
	case DW_OP_fbreg:
		push_fbreg(m, bw_cursor_sleb128(c));
		return true;
	default:
		return false;
	}
}

static void execute(struct machine *m, unsigned op)
{
	struct value a, b;
	if (m->is_register || m->is_value) {
		FAIL(m, "a damaged expression: operators follow its result");
		return;
	}
	if (constant_op(m, op) || register_op(m, op) || arithmetic_op(m, op))
		return;
	switch (op) {
	case DW_OP_nop:
		break;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		break;
	case DW_OP_xderef:
		xderef(m);
		break;
	case DW_OP_plus_uconst:
		push_number(m, (int64_t)bw_cursor_uleb128(&m->code));
		add(m, false);
		break;
	case DW_OP_plus:
		add(m, false);
		break;
	case DW_OP_minus:
		add(m, true);
		break;
	case DW_OP_stack_value:
		m->is_value = true;
		break;
	default:
		not_supported(m, op);
	}
}

/* ---- Results ---- */

static void place_of_address(struct machine *m, const struct value *v,
			     struct bw_location_piece *out)
{
	uint64_t at = (uint64_t)v->offset;
	if (v->space == SPACE_LDS && !m->c->lds_known) {
		FAIL(m, "LDS offset unknown");
	} else if (v->space == SPACE_LDS) {
		/* all of them are 0: the symbols are undefined */
		out->kind = BW_LOC_LDS;
		out->offset = 0;
	} else if (v->space) {
		FAIL(m, "an address of an unknown space");
	} else if (!at || at >= m->c->image_b) {
		FAIL(m, "the object does not say its address");
	} else {
		out->kind = BW_LOC_GLOBAL;
		out->offset = v->offset;
	}
}

/* A number as an address: clang writes it with a space. */
static void place_of_number(struct machine *m, const struct value *v, struct bw_location_piece *out)
{
	if (v->space != SPACE_PRIVATE && v->space != SPACE_LDS) {
		FAIL(m, "an address of an unknown space");
		return;
	}
	out->kind = v->space == SPACE_LDS ? BW_LOC_LDS : BW_LOC_PRIVATE;
	out->base = BW_BASE_ZERO;
	out->offset = v->offset;
}

/* The place or value on top of the stack. A variable that moved from memory to a register keeps the
 * suffix of its memory's space: the register holds the value itself, and is no address. */
static void result(struct machine *m, struct bw_location_piece *out)
{
	struct value v = pop(m);
	char name = v.kind == VALUE_VGPR ? 'v' : 's';
	*out = (struct bw_location_piece){.kind = BW_LOC_UNKNOWN};
	if (m->failed)
		return;
	switch (v.kind) {
	case VALUE_VGPR:
	case VALUE_SGPR:
		if (v.offset)
			FAIL(m, "a value computed from %c%u", name, v.reg);
		else if (!m->is_register && !m->is_value && v.space != SPACE_PRIVATE)
			FAIL(m, "its address is in %c%u", name, v.reg);
		out->kind = v.kind == VALUE_VGPR ? BW_LOC_VGPR : BW_LOC_SGPR;
		out->reg = v.reg;
		break;
	case VALUE_FRAME:
		if (m->is_value || v.space == SPACE_LDS)
			FAIL(m, "a value computed from the frame's address");
		out->kind = BW_LOC_PRIVATE;
		out->base = v.base;
		out->offset = v.offset;
		break;
	case VALUE_ADDRESS:
		if (m->is_value)
			FAIL(m, "a value computed from an address of the image");
		else
			place_of_address(m, &v, out);
		break;
	case VALUE_NUMBER:
		if (!m->is_value) {
			place_of_number(m, &v, out);
			break;
		}
		out->kind = BW_LOC_CONSTANT;
		out->value = (uint64_t)v.offset;
		break;
	}
}

static void add_piece(struct machine *m, struct bw_location_piece piece, uint64_t size_b)
{
	struct bw_location *out = m->out;
	if (m->failed)
		return;
	if (out->n_pieces == BW_ARRAY_SIZE(out->piece)) {
		FAIL(m, "a variable in more than %zu pieces", BW_ARRAY_SIZE(out->piece));
		return;
	}
	piece.size_b = (unsigned)BW_MIN(size_b, (uint64_t)UINT32_MAX);
	out->piece[out->n_pieces++] = piece;
}

static void end_piece(struct machine *m, uint64_t size_b)
{
	struct bw_location_piece piece = {.kind = BW_LOC_OPTIMIZED_OUT};
	if (m->n)
		result(m, &piece);
	add_piece(m, piece, size_b);
	m->n = 0;
	m->is_register = m->is_value = false;
}

static void bit_piece(struct machine *m)
{
	uint64_t bits = bw_cursor_uleb128(&m->code), offset = bw_cursor_uleb128(&m->code);
	if (offset || bits % 8)
		FAIL(m, "a variable in pieces of bits");
	end_piece(m, bits / 8);
}

static void whole(struct bw_location *out, const struct bw_location_piece *piece)
{
	out->kind = piece->kind;
	out->reg = piece->reg;
	out->base = piece->base;
	out->offset = piece->offset;
	out->value = piece->value;
	out->n_pieces = 0;
}

/* Pieces that are one, and what the pieces leave out. */
static void tidy_pieces(struct machine *m)
{
	struct bw_location *out = m->out;
	uint64_t size_b = 0, known = 0;
	for (unsigned i = 0; i < out->n_pieces; i++) {
		size_b += out->piece[i].size_b;
		known += out->piece[i].kind != BW_LOC_OPTIMIZED_OUT;
	}
	if (!known)
		out->n_pieces = 0; /* the kind says it: BW_LOC_OPTIMIZED_OUT */
	else if (size_b < m->c->size_b)
		add_piece(m, (struct bw_location_piece){.kind = BW_LOC_OPTIMIZED_OUT},
			  m->c->size_b - size_b);
	if (!m->failed && out->n_pieces == 1)
		whole(out, &out->piece[0]);
}

void bw_location_constant(const uint8_t *bytes, size_t n, struct bw_location *out)
{
	struct bw_location_piece piece = {.kind = BW_LOC_CONSTANT};
	size_t n_pieces = (n + 7) / 8;
	if (n_pieces > BW_ARRAY_SIZE(out->piece) || !n) {
		bw_location_unknown(out, "a constant of %zu bytes", n);
		return;
	}
	for (size_t i = 0; i < n_pieces; i++) {
		piece.size_b = (unsigned)BW_MIN(n - 8 * i, (size_t)8);
		piece.value = 0;
		memcpy(&piece.value, bytes + 8 * i, piece.size_b);
		out->piece[i] = piece;
	}
	out->n_pieces = (unsigned)n_pieces;
	if (n_pieces == 1)
		whole(out, &out->piece[0]);
}

static void implicit_value(struct machine *m)
{
	uint64_t n = bw_cursor_uleb128(&m->code);
	const uint8_t *bytes = n <= SIZE_MAX ? bw_cursor_bytes(&m->code, (size_t)n) : NULL;
	struct bw_location all = {0};
	if (!bytes || m->n) {
		FAIL(m, "a damaged expression: its value has no end");
		return;
	}
	if (m->out->n_pieces || bw_cursor_left(&m->code)) { /* one of several pieces */
		uint64_t value = 0;
		if (n > 8)
			FAIL(m, "a piece of %llu constant bytes", (unsigned long long)n);
		else
			memcpy(&value, bytes, n);
		push_number(m, (int64_t)value);
		m->is_value = true;
		return;
	}
	all.start = m->out->start;
	all.end = m->out->end;
	bw_location_constant(bytes, (size_t)n, &all);
	*m->out = all;
	m->failed = true; /* nothing is to be added */
}

void bw_location_evaluate(const struct bw_expr_context *c, const uint8_t *expr, size_t n,
			  struct bw_location *out)
{
	struct machine m = {.c = c, .code = bw_cursor(expr, n), .out = out};
	struct bw_location_piece piece;
	*out = (struct bw_location){
		.kind = BW_LOC_OPTIMIZED_OUT, .start = out->start, .end = out->end};
	while (!m.failed && bw_cursor_left(&m.code)) {
		unsigned op = bw_cursor_u8(&m.code);
		if (op == DW_OP_piece)
			end_piece(&m, bw_cursor_uleb128(&m.code));
		else if (op == DW_OP_bit_piece)
			bit_piece(&m);
		else if (op == DW_OP_implicit_value)
			implicit_value(&m);
		else
			execute(&m, op);
		if (m.code.overrun)
			FAIL(&m, "a damaged expression: it has no end");
	}
	if (m.failed && out->kind == BW_LOC_UNKNOWN)
		bw_location_compile(c, expr, n, out);
	if (m.failed || !n)
		return;
	if (out->n_pieces) {
		if (m.n)
			FAIL(&m, "a damaged expression: its last piece has no size");
		else
			tidy_pieces(&m);
		return;
	}
	result(&m, &piece);
	if (!m.failed)
		whole(out, &piece);
	else if (out->kind == BW_LOC_UNKNOWN)
		bw_location_compile(c, expr, n, out);
}

const char *bw_location_frame_base(const uint8_t *expr, size_t n, enum bw_frame_base *out)
{
	struct bw_expr_context c = {.no_frame = "a damaged frame base"};
	struct bw_location at = {0};
	bw_location_evaluate(&c, expr, n, &at);
	if (at.n_pieces || at.kind != BW_LOC_SGPR || (at.reg != 32 && at.reg != 33))
		return "a frame base of an unknown kind";
	*out = at.reg == 32 ? BW_BASE_S32 : BW_BASE_S33;
	return NULL;
}
