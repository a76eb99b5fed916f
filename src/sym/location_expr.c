/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/util.h"
#include "sym/location_machine.h"

/* Evaluates the expressions that clang-19 writes for variables (doc/hardware/code-objects.md 7). We
 * read them ourselves: libdw refuses an attribute with a vendor's operator. */

void bw_location_unknown(struct bw_location *out, const char *fmt, ...)
{
	va_list args;
	uint64_t start = out->start, end = out->end;
	*out = (struct bw_location){.kind = BW_LOC_UNKNOWN, .start = start, .end = end};
	va_start(args, fmt);
	vsnprintf(out->why, sizeof(out->why), fmt, args);
	va_end(args);
}

/* ---- Results ---- */

static void place_of_address(struct bw_expr_machine *m, const struct bw_expr_value *v,
			     struct bw_location_piece *out)
{
	uint64_t at = (uint64_t)v->offset;
	if (v->space == BW_EXPR_SPACE_LDS && m->c->lds_offset < 0) {
		BW_EXPR_FAIL(m, "LDS offset unknown");
	} else if (v->space == BW_EXPR_SPACE_LDS) {
		/* all addresses are 0: the symbols are undefined */
		out->kind = BW_LOC_LDS;
		out->offset = m->c->lds_offset;
	} else if (v->space) {
		BW_EXPR_FAIL(m, "an address of an unknown space");
	} else if (!at || at >= m->c->image_b) {
		BW_EXPR_FAIL(m, "the object does not say its address");
	} else {
		out->kind = BW_LOC_GLOBAL;
		out->offset = v->offset;
	}
}

/* A number as an address: clang writes it with a space. */
static void place_of_number(struct bw_expr_machine *m, const struct bw_expr_value *v,
			    struct bw_location_piece *out)
{
	if (v->space != BW_EXPR_SPACE_PRIVATE && v->space != BW_EXPR_SPACE_LDS) {
		BW_EXPR_FAIL(m, "an address of an unknown space");
		return;
	}
	out->kind = v->space == BW_EXPR_SPACE_LDS ? BW_LOC_LDS : BW_LOC_PRIVATE;
	out->base = BW_BASE_ZERO;
	out->offset = v->offset;
}

/* The place or value on top of the stack. A variable that moved from memory to a register keeps the
 * suffix of its memory's space: the register holds the value itself, not an address. But if the
 * variable was moved to LDS, the expression says so, and the register has its address. */
static void result(struct bw_expr_machine *m, struct bw_location_piece *out)
{
	struct bw_expr_value v = bw_expr_pop(m);
	char name = v.kind == BW_EXPR_VGPR ? 'v' : 's';
	*out = (struct bw_location_piece){.kind = BW_LOC_UNKNOWN};
	if (m->failed)
		return;
	switch (v.kind) {
	case BW_EXPR_VGPR:
	case BW_EXPR_SGPR:
		if (v.offset)
			BW_EXPR_FAIL(m, "a value computed from %c%u", name, v.reg);
		else if (!m->is_register && !m->is_value && v.space != BW_EXPR_SPACE_PRIVATE)
			BW_EXPR_FAIL(m, "its address is in %c%u", name, v.reg);
		out->kind = v.kind == BW_EXPR_VGPR ? BW_LOC_VGPR : BW_LOC_SGPR;
		out->reg = v.reg;
		if (m->c->may_be_in_lds && v.space && !m->is_register && !m->is_value)
			out->kind = BW_LOC_OPTIMIZED_OUT;
		break;
	case BW_EXPR_FRAME:
		if (m->is_value || v.space == BW_EXPR_SPACE_LDS)
			BW_EXPR_FAIL(m, "a value computed from the frame's address");
		out->kind = BW_LOC_PRIVATE;
		out->base = v.base;
		out->offset = v.offset;
		break;
	case BW_EXPR_ADDRESS:
		if (m->is_value)
			BW_EXPR_FAIL(m, "a value computed from an address of the image");
		else
			place_of_address(m, &v, out);
		break;
	case BW_EXPR_NUMBER:
		if (!m->is_value) {
			place_of_number(m, &v, out);
			break;
		}
		out->kind = BW_LOC_CONSTANT;
		out->value = (uint64_t)v.offset;
		break;
	}
}

static void add_piece(struct bw_expr_machine *m, struct bw_location_piece piece, uint64_t size_b)
{
	struct bw_location *out = m->out;
	if (m->failed)
		return;
	if (out->n_pieces == BW_ARRAY_SIZE(out->piece)) {
		BW_EXPR_FAIL(m, "a variable in more than %zu pieces", BW_ARRAY_SIZE(out->piece));
		return;
	}
	piece.size_b = (unsigned)BW_MIN(size_b, (uint64_t)UINT32_MAX);
	out->piece[out->n_pieces++] = piece;
}

static void end_piece(struct bw_expr_machine *m, uint64_t size_b)
{
	struct bw_location_piece piece = {.kind = BW_LOC_OPTIMIZED_OUT};
	if (m->n)
		result(m, &piece);
	add_piece(m, piece, size_b);
	m->n = 0;
	m->is_register = m->is_value = false;
}

static void bit_piece(struct bw_expr_machine *m)
{
	uint64_t bits = bw_cursor_uleb128(&m->code), offset = bw_cursor_uleb128(&m->code);
	if (offset || bits % 8)
		BW_EXPR_FAIL(m, "a variable in pieces of bits");
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
static void tidy_pieces(struct bw_expr_machine *m)
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

static void implicit_value(struct bw_expr_machine *m)
{
	uint64_t n = bw_cursor_uleb128(&m->code);
	const uint8_t *bytes = n <= SIZE_MAX ? bw_cursor_bytes(&m->code, (size_t)n) : NULL;
	struct bw_location all = {0};
	if (!bytes || m->n) {
		BW_EXPR_FAIL(m, "a damaged expression: its value has no end");
		return;
	}
	if (m->out->n_pieces || bw_cursor_left(&m->code)) { /* one of several pieces */
		uint64_t value = 0;
		if (n > 8)
			BW_EXPR_FAIL(m, "a piece of %llu constant bytes", (unsigned long long)n);
		else
			memcpy(&value, bytes, n);
		bw_expr_push_number(m, (int64_t)value);
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
	struct bw_expr_machine m = {.c = c, .code = bw_cursor(expr, n), .out = out};
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
			bw_expr_execute(&m, op);
		if (m.code.overrun)
			BW_EXPR_FAIL(&m, "a damaged expression: it has no end");
	}
	if (m.failed && out->kind == BW_LOC_UNKNOWN)
		bw_location_compile(c, expr, n, out);
	if (m.failed || !n)
		return;
	if (out->n_pieces) {
		if (m.n)
			BW_EXPR_FAIL(&m, "a damaged expression: its last piece has no size");
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
