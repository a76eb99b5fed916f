// SPDX-License-Identifier: MIT
/* What calls return. Optimized code may return nothing where no caller reads it, or a part of a
 * struct (LLVM's DeadArgumentElimination, IPSCCP): there only numbers and vectors count that the
 * caller goes on to read. */
#include "debug/frames.h"
#include "debug/variables/demanded.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"
#include "sym/frames.h"
#include "sym/returned.h"

/* C++ returns objects that cannot be copied as bytes by an address; the debug information says of
 * each class which it is. */
static bool is_certain(const struct bw_ctype *type, bool is_mangled, bool is_optimized)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	enum bw_ctype_kind kind = t->kind;
	bool is_aggregate =
		kind == BW_CTYPE_STRUCT || kind == BW_CTYPE_UNION || kind == BW_CTYPE_ARRAY;
	return !is_aggregate || ((!is_mangled || t->is_by_value) && !is_optimized);
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
	out->is_optimized = bw_lines_is_optimized(at.lines, at.addr);
	if (!is_certain(type, info.linkage_name, out->is_optimized) ||
	    !bw_returned_in(type, &out->location))
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

/* Whether the code reads all registers of the result. */
static bool is_read(struct bw_debug *d, const struct bw_variables_frame *f,
		    const struct bw_location *l)
{
	struct bw_origin_code code;
	if (!bw_variables_code(d, f, &code))
		return false;
	for (unsigned i = 0; i < l->n_pieces; i++)
		for (unsigned k = 0; l->piece[i].kind == BW_LOC_VGPR && k < l->piece[i].size_b;
		     k += 4)
			if (!bw_register_is_used(&code, f->addr, true, l->piece[i].reg + k / 4))
				return false;
	return true;
}

bool bw_debug_returned_value(struct bw_debug *d, const struct bw_returned *r, struct bw_value *out)
{
	struct bw_value_of x = {.d = d, .wave = bw_debug_focus_priv(d), .lane = d->focus_lane};
	struct bw_variables_frame f;
	struct bw_value v = {0};
	if (!r->location.n_pieces || !x.wave || !(x.wave->info.exec >> x.lane & 1) ||
	    !bw_variables_frame(d, x.wave, &f) ||
	    (r->is_optimized && !is_read(d, &f, &r->location)))
		return false;
	struct bw_error *err = bw_variables_at(&x, &f, r->type, &r->location, &v);
	bool is_known = !err && !v.is_missing;
	bw_error_free(err);
	if (!is_known) {
		bw_value_fini(&v);
		return false;
	}
	v.place = BW_PLACE_NONE; /* what is there later is another value */
	*out = v;
	return true;
}
