// SPDX-License-Identifier: MIT
/* The values that calls return. Optimized code may return nothing, or only a part of a struct, if
 * no caller reads the rest (LLVM's DeadArgumentElimination, IPSCCP). So a register counts only if
 * the caller reads it later, and a struct only if the debug information says that the function
 * still returns it as in the source. */
#include "base/util.h"
#include "debug/frames.h"
#include "debug/variables/demanded.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"
#include "sym/frames.h"
#include "sym/returned.h"

/* Whether it is known how an aggregate is returned. C++ returns objects that cannot be copied as
 * bytes in memory whose address is passed; the debug information tells this for each class. */
static bool is_known_aggregate(const struct bw_ctype *t, bool is_mangled)
{
	return !is_mangled || t->convention;
}

static bool is_aggregate(const struct bw_ctype *type)
{
	enum bw_ctype_kind kind = bw_ctype_strip(type)->kind;
	return kind == BW_CTYPE_STRUCT || kind == BW_CTYPE_UNION || kind == BW_CTYPE_ARRAY;
}

/* Finds a result in memory, whose address the caller has passed to the function. */
static bool find_in_memory(struct bw_debug *d, const struct bw_stack_frame *f,
			   const struct bw_returned *r, struct bw_location *out)
{
	uint32_t at;
	uint64_t size_b = bw_ctype_strip(r->type)->size_b;
	if (r->is_nocall && r->is_optimized)
		return false;
	if (!bw_returned_in_memory(r->type) || !bw_debug_frame_sret(d, f->level, &at))
		return false;
	*out = (struct bw_location){.kind = BW_LOC_PRIVATE, .base = BW_BASE_ZERO, .offset = at};
	return size_b <= UINT32_MAX;
}

void bw_debug_returned_begin(struct bw_debug *d, const struct bw_stack_frame *f,
			     const struct bw_stack_frame *caller, struct bw_returned *out)
{
	struct bw_variables_frame at;
	struct bw_frame_info info;
	*out = (struct bw_returned){
		.pc = caller->pc, .has_s32 = caller->has_s32, .s32 = caller->s32};
	if (f->is_inlined || !f->die || !bw_variables_frame_at(d, f->at, &at) ||
	    !bw_lines_frame(at.lines, at.addr, f->inline_level, &info))
		return;
	const struct bw_ctype *type = bw_lines_returns(at.lines, f->die);
	if (bw_ctype_strip(type)->kind == BW_CTYPE_VOID)
		return;
	out->type = type;
	out->function = f->function;
	out->is_optimized = bw_lines_is_optimized(at.lines, at.addr);
	out->is_nocall = out->is_optimized && bw_lines_is_nocall(at.lines, f->die);
	out->location = (struct bw_location){.kind = BW_LOC_OPTIMIZED_OUT};
	if (!is_aggregate(type)) {
		if (!bw_returned_in(type, &out->location))
			out->location = (struct bw_location){.kind = BW_LOC_OPTIMIZED_OUT};
		return;
	}
	if (!is_known_aggregate(bw_ctype_strip(type), info.linkage_name) ||
	    find_in_memory(d, f, out, &out->location) || out->is_nocall ||
	    bw_returned_in_memory(type) || bw_returned_in(type, &out->location))
		return;
	out->location = (struct bw_location){.kind = BW_LOC_OPTIMIZED_OUT};
}

bool bw_debug_returned_is_there(struct bw_debug *d, const struct bw_returned *r)
{
	struct bw_stack_frame now;
	struct bw_error *err = bw_debug_stack_frame(d, 0, &now);
	bool is_there =
		!err && now.pc == r->pc && (!r->has_s32 || (now.has_s32 && now.s32 == r->s32));
	bw_error_free(err);
	return is_there;
}

static bool is_read(const struct bw_origin_code *code, uint64_t at, unsigned reg, unsigned size_b)
{
	for (unsigned k = 0; k < size_b; k += 4)
		if (!bw_register_is_used(code, at, true, reg + k / 4))
			return false;
	return true;
}

/* Removes the pieces whose registers the caller does not read. False: no piece is left, or a piece
 * of a value that is not a struct was removed. */
static bool take_out_unread(struct bw_debug *d, const struct bw_variables_frame *f,
			    const struct bw_ctype *type, struct bw_location *l)
{
	struct bw_origin_code code;
	struct bw_location out = *l;
	unsigned n = 0, n_read = 0, n_pieces = 0;
	if (!bw_variables_code(d, f, &code))
		return false;
	out.n_pieces = 0;
	for (unsigned i = 0; i < l->n_pieces; i++) {
		struct bw_location_piece p = l->piece[i];
		/* a struct of up to eight bytes is read by registers, other structs by members */
		for (unsigned k = 0, size_b; k < p.size_b; k += size_b) {
			size_b = p.kind == BW_LOC_VGPR ? BW_MIN(p.size_b - k, 4u) : p.size_b;
			struct bw_location_piece one = p;
			one.size_b = size_b;
			if (p.kind == BW_LOC_VGPR) {
				one.reg = p.reg + k / 4;
				bool is = is_read(&code, f->addr, one.reg, size_b);
				n++;
				n_read += is;
				if (!is)
					one.kind = BW_LOC_OPTIMIZED_OUT;
			}
			if (n_pieces == BW_ARRAY_SIZE(out.piece))
				return false;
			out.piece[n_pieces++] = one;
		}
	}
	if (!n_read || (n_read < n && !is_aggregate(type)))
		return false;
	if (n_read == n) /* unchanged, in fewer pieces */
		return true;
	out.n_pieces = n_pieces;
	*l = out;
	return true;
}

bool bw_debug_returned_value(struct bw_debug *d, const struct bw_returned *r, struct bw_value *out)
{
	struct bw_value_of x = {
		.d = d, .wave = bw_debug_focus_priv(d), .lane = d->waves->focus_lane};
	struct bw_variables_frame f;
	struct bw_value v = {0};
	struct bw_location l = r->location;
	if (l.kind == BW_LOC_OPTIMIZED_OUT || !x.wave || !(x.wave->info.exec >> x.lane & 1) ||
	    !bw_variables_frame(d, x.wave, &f) ||
	    (r->is_optimized && l.n_pieces && !take_out_unread(d, &f, r->type, &l)))
		return false;
	struct bw_error *err = bw_variables_at(&x, &f, r->type, &l, &v);
	if (!err && !l.n_pieces)
		err = bw_debug_fetch(d, &v); /* the place will have another value later */
	bool is_known = !err && !v.is_missing;
	bw_error_free(err);
	if (!is_known) {
		bw_value_fini(&v);
		return false;
	}
	v.place = BW_PLACE_NONE; /* the place will have another value later */
	*out = v;
	return true;
}
