// SPDX-License-Identifier: MIT
/* Buffers of "info buffers" in expressions, and memory seen as a type: $_buffer(2), buffer out,
 * buffer out+0x40 as struct item[4]. */
#include "debug/bound.h"
#include "debug/dispatches.h"
#include "debug/expressions/expr_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { MAX_DIMS = 4 };

/* The dispatch to whose buffers the expression refers. */
static uint32_t dispatch_of(const struct bw_expr *x)
{
	const struct bw_dispatch_info *held = bw_debug_held(x->d);
	return x->wave ? x->wave->info.dispatch : held ? held->number : 0;
}

/* void *: it counts in bytes, as the buffer's size does */
static struct bw_value address_of(const struct bw_buffer_info *b)
{
	return (struct bw_value){.type = {.kind = BW_TYPE_POINTER,
					  .size_b = 8,
					  .elem_kind = BW_TYPE_VOID,
					  .depth = 1},
				 .bits = b->va};
}

struct bw_error *bw_expr_buffer_function(struct bw_expr *x, bool size, struct bw_value *out)
{
	size_t column = x->tok.column;
	struct bw_value v = {0};
	struct bw_buffer_info b = {0};
	BW_TRY(bw_expr_expect(x, '('));
	BW_TRY(bw_expr_parse_assign(x, &v));
	struct bw_error *err = bw_expr_expect(x, ')');
	if (!err)
		err = bw_expr_at(x, column, bw_expr_scalar(x, &v));
	int64_t number = err ? 0 : bw_value_i64(&v, 0);
	bw_value_fini(&v);
	if (!err && !x->skip)
		err = bw_expr_at(x, column,
				 bw_debug_find_buffer(
					 x->d, dispatch_of(x),
					 number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0,
					 &b));
	if (err)
		return err;
	if (size)
		*out = (struct bw_value){.type = {.kind = BW_TYPE_UINT, .size_b = 8},
					 .bits = b.size_b};
	else
		*out = address_of(&b);
	return NULL;
}

bool bw_expr_buffer_follows(const struct bw_expr *x)
{
	bool is_name = x->tok.kind == BW_TOK_IDENT && strcmp(x->tok.name, "as") != 0;
	return is_name || x->tok.kind == BW_TOK_INT || x->tok.kind == BW_TOK_STRING;
}

/* Finds the buffer that the dispatch's shader or kernel gives this name. False: there is none. */
static bool bound_buffer(struct bw_expr *x, const char *name, struct bw_buffer_info *out)
{
	struct bw_bound *bound = NULL;
	size_t n = 0;
	uint32_t dispatch = dispatch_of(x), number = 0;
	struct bw_error *err = dispatch ? bw_debug_bound(x->d, dispatch, &bound, &n) : NULL;
	for (size_t i = 0; !err && i < n; i++)
		if (!strcmp(bound[i].name, name))
			number = bound[i].buffer;
	free(bound);
	if (!err && number)
		err = bw_debug_buffer(x->d, number, out);
	bool found = !err && number;
	bw_error_free(err);
	return found;
}

/* The memory from the start of the shader's block of that name, or the member of a block, to the
 * end of its buffer. False: no variable in a buffer has that name here. */
static bool shaders_buffer(struct bw_expr *x, const char *name, const struct bw_buffer_info *all,
			   size_t n, struct bw_buffer_info *out)
{
	struct bw_value v = {0};
	bool found = false;
	struct bw_error *err = x->wave ? bw_expr_variable(x, name, &found, &v) : NULL;
	found = found && !err && v.place == BW_PLACE_MEMORY && v.space == BW_SPACE_GLOBAL;
	uint64_t va = v.va;
	bw_error_free(err);
	bw_value_fini(&v);
	for (size_t i = 0; found && i < n; i++) {
		if (va < all[i].va || va - all[i].va >= all[i].size_b ||
		    all[i].space != x->wave->info.space)
			continue;
		*out = all[i];
		out->va = va;
		out->size_b = all[i].size_b - (va - all[i].va);
		return true;
	}
	return false;
}

/* The buffer of that name. If there are several, one that is bound to the dispatch; it has the
 * latest number. */
static struct bw_error *named_buffer(struct bw_expr *x, const char *name,
				     struct bw_buffer_info *out)
{
	const struct bw_buffer_info *all, *found = NULL;
	size_t n;
	struct bw_error *err = bw_debug_find_buffer(x->d, dispatch_of(x), 0, out);
	/* no buffer has number 0, but the call finds all buffers */
	if (!bw_error_catch(&err, BW_E_NOT_FOUND))
		BW_TRY(err);
	BW_TRY(bw_debug_buffers(x->d, &all, &n));
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name) && all[i].va)
			found = &all[i];
	if (!found && (bound_buffer(x, name, out) || shaders_buffer(x, name, all, n, out)))
		return NULL;
	if (!found)
		return bw_errorf(BW_E_NOT_FOUND,
				 "No buffer is called \"%s\"; \"info buffers\" lists them", name);
	*out = *found;
	return NULL;
}

struct bw_error *bw_expr_buffer(struct bw_expr *x, struct bw_value *out)
{
	struct bw_tok t = x->tok;
	struct bw_buffer_info b = {0};
	uint64_t number = t.number.bits;
	struct bw_error *err = NULL;
	bw_expr_next(x);
	if (x->skip)
		b.va = 0;
	else if (t.kind == BW_TOK_INT)
		err = bw_debug_find_buffer(x->d, dispatch_of(x),
					   number <= UINT32_MAX ? (uint32_t)number : 0, &b);
	else
		err = named_buffer(x, t.name, &b);
	if (!err && !x->skip && !b.va)
		err = bw_errorf(BW_E_NOT_FOUND, "Buffer %u has no memory", b.number);
	if (err)
		return bw_expr_at(x, t.column, err);
	x->buffer = b;
	*out = address_of(&b);
	return NULL;
}

/* ---- EXPR as TYPE[N] ---- */

/* Parses [4][3]. An empty first dimension is 0. */
static struct bw_error *parse_dims(struct bw_expr *x, uint64_t dims[MAX_DIMS], unsigned *out_n)
{
	*out_n = 0;
	while (bw_expr_is_op(x, '[')) {
		struct bw_value v = {0};
		size_t column = x->tok.column;
		bw_expr_next(x);
		if (*out_n == MAX_DIMS)
			return bw_expr_syntax(x);
		bool open = !*out_n && bw_expr_is_op(x, ']');
		if (!open)
			BW_TRY(bw_expr_parse_assign(x, &v));
		struct bw_error *err = open ? NULL : bw_expr_at(x, column, bw_expr_scalar(x, &v));
		int64_t count = err || open ? 0 : bw_value_i64(&v, 0);
		bw_value_fini(&v);
		if (!err)
			err = bw_expr_expect(x, ']');
		if (!err && !open && (count < 1 || count > BW_VALUE_MAX_B))
			err = bw_expr_at(x, column,
					 bw_errorf(BW_E_INVALID, "an array of %lld elements",
						   (long long)count));
		if (err)
			return err;
		dims[(*out_n)++] = (uint64_t)count;
	}
	return NULL;
}

/* The bytes from an address in a buffer to the buffer's end. */
static struct bw_error *room_at(const struct bw_expr *x, uint64_t va, uint64_t *out)
{
	const struct bw_buffer_info *b = &x->buffer;
	*out = UINT64_MAX;
	if (!b->va)
		return NULL;
	if (va < b->va || va - b->va > b->size_b)
		return bw_errorf(BW_E_INVALID, "Buffer %u has %llu bytes", b->number,
				 (unsigned long long)b->size_b);
	*out = b->size_b - (va - b->va);
	return NULL;
}

struct bw_error *bw_expr_as_type(struct bw_expr *x, struct bw_value *v, struct bw_value *out)
{
	struct bw_type t, p;
	uint64_t dims[MAX_DIMS], room = 0, elem_b, total;
	unsigned n;
	size_t column = x->tok.column;
	bw_expr_next(x);
	if (!bw_expr_type_follows(x))
		return bw_expr_syntax(x);
	BW_TRY(bw_expr_parse_element(x, &t));
	BW_TRY(parse_dims(x, dims, &n));
	BW_TRY(bw_expr_at(x, column, bw_expr_scalar(x, v)));
	elem_b = bw_type_size(&t);
	if (v->type.kind != BW_TYPE_POINTER && v->type.kind != BW_TYPE_UINT &&
	    v->type.kind != BW_TYPE_INT)
		return bw_expr_at(x, column,
				  bw_errorf(BW_E_INVALID, "\"as\" takes an address before it"));
	if (!elem_b)
		return bw_expr_at(x, column, bw_errorf(BW_E_INVALID, "the type has no size"));
	/* the inner dimensions make another element */
	for (unsigned i = n; i > 1; i--) {
		if (!t.ctype)
			return bw_expr_at(
				x, column,
				bw_errorf(
					BW_E_UNSUPPORTED,
					"arrays of arrays are supported only for types of the program"));
		const struct bw_ctype *row =
			bw_variables_array_of(x->d, t.ctype, dims[i - 1], false);
		if (!row)
			return bw_error_nomem();
		t = bw_type_of(row);
		elem_b *= dims[i - 1];
	}
	if (!x->skip)
		BW_TRY(bw_expr_at(x, column, room_at(x, v->bits, &room)));
	if (n && !dims[0] && !x->skip) {
		if (room == UINT64_MAX)
			return bw_expr_at(
				x, column,
				bw_errorf(
					BW_E_INVALID,
					"the number of elements is missing; only in a buffer do [] go to its end"));
		dims[0] = BW_MIN(room / elem_b, BW_VALUE_MAX_B / elem_b);
	}
	total = n ? dims[0] : 1;
	if (!x->skip && (!total || total > room / elem_b))
		return bw_expr_at(
			x, column,
			bw_errorf(
				BW_E_INVALID,
				"Buffer %u ends %llu bytes after that address: there is no room for %llu",
				x->buffer.number, (unsigned long long)room,
				(unsigned long long)(BW_MAX(total, (uint64_t)1) * elem_b)));
	enum bw_space space = v->type.kind == BW_TYPE_POINTER ? v->type.space : BW_SPACE_GLOBAL;
	p = (struct bw_type){.kind = BW_TYPE_POINTER,
			     .size_b = space == BW_SPACE_GLOBAL ? 8 : 4,
			     .space = space,
			     .elem_kind = t.kind,
			     .elem_size_b = t.size_b,
			     .depth = 1};
	if (t.ctype)
		BW_TRY(bw_expr_pointer_type(x, t.ctype, space, &p));
	struct bw_value at = {.type = p, .bits = v->bits};
	return bw_expr_at(x, column, bw_expr_load(x, &at, total ? total : 1, out));
}
