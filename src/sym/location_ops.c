/* SPDX-License-Identifier: MIT */
#include "sym/location_machine.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/util.h"

/* The stack and the operators of expressions: those that clang-19 writes for variables
 * (doc/hardware/code-objects.md 7). */

/* DWARF's numbers of registers. */
enum {
	DWARF_SGPR0 = 32, /* s0 to s63 */
	DWARF_SGPR64 = 1088,
	DWARF_VGPR_WAVE32 = 0x600,
	DWARF_VGPR_WAVE64 = 0xa00,
	N_VGPRS = 256,
	N_LOW_SGPRS = 64,
	N_HIGH_SGPRS = 42,
};

static void not_supported(struct bw_expr_machine *m, unsigned op)
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
			BW_EXPR_FAIL(m, "%s is not supported", names[i].name);
			return;
		}
	}
	BW_EXPR_FAIL(m, "the DWARF operator 0x%02x is not supported", op);
}

/* ---- The stack ---- */

static void push(struct bw_expr_machine *m, struct bw_expr_value v)
{
	if (m->n == BW_EXPR_STACK)
		BW_EXPR_FAIL(m, "an expression that needs a deeper stack");
	else
		m->stack[m->n++] = v;
}

void bw_expr_push_number(struct bw_expr_machine *m, int64_t number)
{
	push(m, (struct bw_expr_value){.kind = BW_EXPR_NUMBER, .offset = number});
}

struct bw_expr_value bw_expr_pop(struct bw_expr_machine *m)
{
	if (m->n)
		return m->stack[--m->n];
	BW_EXPR_FAIL(m, "a damaged expression: it takes from an empty stack");
	return (struct bw_expr_value){0};
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

static void push_register(struct bw_expr_machine *m, uint64_t number, int64_t offset, bool is_place)
{
	bool is_vgpr;
	uint16_t reg;
	if (!bw_location_register(number, &is_vgpr, &reg)) {
		BW_EXPR_FAIL(m, "DWARF register %" PRIu64 " is not supported", number);
		return;
	}
	struct bw_expr_value v = {.kind = is_vgpr ? BW_EXPR_VGPR : BW_EXPR_SGPR, .reg = reg};
	/* the stack pointer and the frame pointer, of which a place in scratch is told */
	if (!is_place && v.kind == BW_EXPR_SGPR && (v.reg == 32 || v.reg == 33))
		v = (struct bw_expr_value){.kind = BW_EXPR_FRAME,
					   .base = v.reg == 32 ? BW_BASE_S32 : BW_BASE_S33};
	v.offset = offset;
	m->is_register = is_place;
	push(m, v);
}

static void add_or_subtract(struct bw_expr_machine *m, bool minus)
{
	struct bw_expr_value b = bw_expr_pop(m), a = bw_expr_pop(m);
	if (!minus && a.kind == BW_EXPR_NUMBER) {
		struct bw_expr_value number = a;
		a = b;
		b = number;
	}
	if (b.kind != BW_EXPR_NUMBER || a.space || b.space)
		BW_EXPR_FAIL(m, "an expression that computes with registers");
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

static bool is_number(const struct bw_expr_value *v)
{
	return v->kind == BW_EXPR_NUMBER && !v->space;
}

/* True: it was one of these operators. */
static bool arithmetic_op(struct bw_expr_machine *m, unsigned op)
{
	uint64_t result;
	struct bw_expr_value *top = m->n ? &m->stack[m->n - 1] : NULL;
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

/* The suffix litN, swap, xderef: the address below is one of space N. The result stays a place:
 * front ends write it for the memory that the variable was in. */
static void xderef(struct bw_expr_machine *m)
{
	struct bw_expr_value address = bw_expr_pop(m), space = bw_expr_pop(m);
	if (space.kind != BW_EXPR_NUMBER || address.space ||
	    (space.offset != BW_EXPR_SPACE_PRIVATE && space.offset != BW_EXPR_SPACE_LDS))
		BW_EXPR_FAIL(m, "an address of an unknown space");
	address.space = (uint64_t)space.offset;
	push(m, address);
}

static void push_fbreg(struct bw_expr_machine *m, int64_t offset)
{
	if (m->c->no_frame)
		BW_EXPR_FAIL(m, "%s", m->c->no_frame);
	push(m,
	     (struct bw_expr_value){.kind = BW_EXPR_FRAME, .base = m->c->frame, .offset = offset});
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

static void push_addrx(struct bw_expr_machine *m, bool is_address)
{
	uint64_t value = 0;
	if (!bw_location_addrx(m->c->addr, m->c->addr_base, bw_cursor_uleb128(&m->code), &value))
		BW_EXPR_FAIL(m, "a damaged index of an address");
	push(m, (struct bw_expr_value){.kind = is_address ? BW_EXPR_ADDRESS : BW_EXPR_NUMBER,
				       .offset = (int64_t)value});
}

/* ---- Operators ---- */

static bool constant_op(struct bw_expr_machine *m, unsigned op)
{
	struct bw_cursor *c = &m->code;
	int64_t number;
	if (bw_location_number(c, op, &number)) {
		bw_expr_push_number(m, number);
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
		push(m, (struct bw_expr_value){.kind = BW_EXPR_ADDRESS,
					       .offset = (int64_t)bw_cursor_u64(c)});
		return true;
	default:
		return false;
	}
}

static bool register_op(struct bw_expr_machine *m, unsigned op)
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

void bw_expr_execute(struct bw_expr_machine *m, unsigned op)
{
	struct bw_expr_value a, b;
	if (m->is_register || m->is_value) {
		BW_EXPR_FAIL(m, "a damaged expression: operators follow its result");
		return;
	}
	if (constant_op(m, op) || register_op(m, op) || arithmetic_op(m, op))
		return;
	switch (op) {
	case DW_OP_nop:
		break;
	case DW_OP_swap:
		a = bw_expr_pop(m);
		b = bw_expr_pop(m);
		push(m, a);
		push(m, b);
		break;
	case DW_OP_xderef:
		xderef(m);
		break;
	case DW_OP_plus_uconst:
		bw_expr_push_number(m, (int64_t)bw_cursor_uleb128(&m->code));
		add_or_subtract(m, false);
		break;
	case DW_OP_plus:
		add_or_subtract(m, false);
		break;
	case DW_OP_minus:
		add_or_subtract(m, true);
		break;
	case DW_OP_stack_value:
		m->is_value = true;
		break;
	default:
		not_supported(m, op);
	}
}
