// SPDX-License-Identifier: MIT
/* Collects the facts with which conditions are compiled: the dispatches that have waves, the user's
 * variables, and the places of the program's variables at a breakpoint. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/breakpoints/filter_facts.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/expressions/eval.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "base/cleanup.h"

static bool variable(void *cookie, const char *name, struct bw_value *out)
{
	const struct bw_filter_at *at = cookie;
	bw_vec_each(&at->d->vars->all, v) {
		if (strcmp(v->name, name) != 0)
			continue;
		*out = v->value;
		return !out->n_elem && !out->is_missing && !out->type.is_bfloat &&
		       (out->type.kind == BW_TYPE_INT || out->type.kind == BW_TYPE_UINT ||
			out->type.kind == BW_TYPE_FLOAT);
	}
	return false;
}

static bool wave_place(void *cookie, uint64_t number, uint32_t out_group[3],
		       uint32_t *out_wave_in_group)
{
	const struct bw_filter_at *at = cookie;
	struct bw_debug *d = at->d;
	const struct bw_wave_record *w = NULL;
	/* the wave may run: a number is never used twice, and if another wave has taken its place,
	 * that one is examined */
	for (uint32_t i = 0; i < d->target->facts.n_slots && number; i++)
		if (d->waves->slots[i].known && d->waves->slots[i].info.number == number)
			w = &d->waves->slots[i];
	if (!w)
		return false;
	memcpy(out_group, w->info.workgroup, sizeof(w->info.workgroup));
	*out_wave_in_group = w->info.wave_in_group;
	return true;
}

/* ---- Variables of the program ---- */

/* A made-up frame base, used to find the place of a part of a variable: addresses from it on are
 * offsets in the frame, and cannot be mistaken for other places. */
enum { BASE = 0x40000000 };

static const char *why_not(enum bw_location_kind kind)
{
	switch (kind) {
	case BW_LOC_OPTIMIZED_OUT:
		return "has no value here";
	case BW_LOC_COMPUTED:
		return "is computed from registers";
	case BW_LOC_BUILTIN:
		return "is worked out from the wave's place in the grid";
	case BW_LOC_UNKNOWN:
	case BW_LOC_CONSTANT:
	case BW_LOC_PRIVATE:
	case BW_LOC_VGPR:
	case BW_LOC_SGPR:
		return "has no place that is known here";
	case BW_LOC_LDS:
	case BW_LOC_GLOBAL:
	case BW_LOC_BOUND:
	case BW_LOC_PUSH:
	case BW_LOC_RECORD:
	case BW_LOC_LAUNCH:
		break;
	}
	return "is read from memory";
}

static bool is_reference(const struct bw_type *t)
{
	const struct bw_ctype *c = t->ctype ? bw_ctype_strip(t->ctype) : NULL;
	return c && c->kind == BW_CTYPE_POINTER && c->is_reference;
}

/* The place of a part of a variable in scratch or LDS. */
static bool in_memory(const struct bw_location *l, const struct bw_value *v, uint64_t size_b,
		      struct bw_filter_variable *out)
{
	bool is_private = l->kind == BW_LOC_PRIVATE;
	bool has_base = is_private && l->base != BW_BASE_ZERO;
	uint64_t start = (uint64_t)l->offset + (has_base ? BASE : 0);
	/* the part is elsewhere: behind a reference or a pointer, or outside of the array */
	if (v->place != BW_PLACE_MEMORY || v->bit_size || l->offset < 0 || v->va < start ||
	    v->space != (is_private ? BW_SPACE_PRIVATE : BW_SPACE_LDS) || v->va - start >= size_b ||
	    v->type.size_b > size_b - (v->va - start))
		return false;
	out->kind = is_private ? BW_FILTER_PRIVATE : BW_FILTER_LDS;
	out->reg = !has_base ? BW_SRC_NULL : l->base == BW_BASE_S32 ? 32 : 33;
	out->offset_b = (uint32_t)(v->va - (has_base ? BASE : 0));
	return true;
}

/* The place of a part of a variable that is in registers or is constant. */
static bool in_registers(const struct bw_value *v, struct bw_filter_variable *out)
{
	if (v->bit_size || v->type.kind == BW_TYPE_AGGREGATE)
		return false;
	if (!v->is_missing) {
		out->kind = BW_FILTER_CONSTANT;
		out->bits = v->bits;
		return true;
	}
	if (v->place != BW_PLACE_PIECES || !v->bytes)
		return false;
	const struct bw_location *l = &v->bytes->location;
	struct bw_location_piece one = {
		.kind = l->kind, .reg = l->reg, .size_b = (unsigned)v->bytes->size_b};
	const struct bw_location_piece *p = l->n_pieces ? l->piece : &one;
	uint64_t start = 0;
	for (unsigned i = 0; i < (l->n_pieces ? l->n_pieces : 1); start += p[i++].size_b) {
		uint64_t in = v->bytes_at - start;
		if (v->bytes_at < start || in >= p[i].size_b)
			continue;
		out->kind = p[i].kind == BW_LOC_VGPR ? BW_FILTER_VGPR : BW_FILTER_SGPR;
		out->reg = p[i].reg + (unsigned)(in / 4);
		return (p[i].kind == BW_LOC_VGPR || p[i].kind == BW_LOC_SGPR) && in % 4 == 0 &&
		       v->type.size_b <= p[i].size_b - in;
	}
	return false;
}

/* The value of an enumerator; called for names that are not variables. */
static bool enumerator(const struct bw_value *v, struct bw_filter_variable *out)
{
	out->kind = BW_FILTER_CONSTANT;
	out->bits = v->bits;
	bool number = v->type.kind == BW_TYPE_INT || v->type.kind == BW_TYPE_UINT;
	return v->place == BW_PLACE_NONE && number && !v->type.is_code && !v->n_elem &&
	       !v->is_missing;
}

static bool place(void *cookie, const char *text, size_t len, struct bw_filter_variable *out)
{
	const struct bw_filter_at *at = cookie;
	struct bw_debug *d = at->d;
	struct bw_variables_frame f;
	struct bw_location l = {0};
	struct bw_value v;
	_cleanup_free_ char *copy = strndup(text, len);
	_cleanup_free_ char *name = copy ? strndup(copy, strcspn(copy, ".[ \t")) : NULL;
	*out = (struct bw_filter_variable){.why = "has no place that is known here"};
	if (!copy || !name || !bw_variables_frame_at(d, at->va, &f))
		return false;
	f.level = at->level;
	f.has_stack = true;
	f.s32 = f.s33 = BASE;
	const struct bw_variable *named = bw_variables_find(d, &f, name);
	if (named) {
		bw_variables_place(d, &f, named, &l);
		const struct bw_type type = bw_type_of(named->type);
		out->why = is_reference(&type) ? "is a reference" : why_not(l.kind);
	}
	bool lies = named && !l.n_pieces && (l.kind == BW_LOC_PRIVATE || l.kind == BW_LOC_LDS);
	struct bw_error *err = bw_debug_eval_place(d, copy, &f, !lies, &v);
	if (err) {
		bw_error_free(err);
		return false;
	}
	out->type = v.type;
	bool known = !named ? enumerator(&v, out)
		     : lies ? in_memory(&l, &v, named->type->size_b, out)
			    : in_registers(&v, out);
	known &= !is_reference(&v.type);
	bw_value_fini(&v);
	return known;
}

/* ---- All of it ---- */

struct bw_filter_facts bw_filter_facts_of(struct bw_filter_at *at)
{
	enum { RESUME_B = BW_FILTER_RESUME_DW * 4 };
	struct bw_debug *d = at->d;
	struct bw_filter_facts f = {.arch = bw_debug_arch(d),
				    .gen = bw_debug_isa(d),
				    .n_vgprs = 256,
				    .one_row = true,
				    .scratch_b = UINT32_MAX,
				    .variable = variable,
				    .place = place,
				    .wave = wave_place,
				    .resume_before_b = RESUME_B,
				    .cookie = at};
	bool first = true;
	bw_vec_each(&d->dispatches->all, x) {
		const struct bw_target_dispatch *t = &x->info.desc;
		if (x->info.state != BW_DISPATCH_HELD && x->info.state != BW_DISPATCH_RUNNING)
			continue;
		unsigned lanes = bw_arch_lanes(f.arch, t->initiator);
		struct bw_arch_resources r =
			bw_arch_resources(f.arch, lanes, t->rsrc1, t->rsrc2, t->tmpring_size);
		f.n_vgprs = BW_MIN(f.n_vgprs, r.vgprs);
		f.scratch_b = BW_MIN(f.scratch_b, r.scratch_b / lanes);
		f.lanes = first || f.lanes == lanes ? lanes : 0;
		f.one_row &= t->stage || (t->group_size[1] == 1 && t->group_size[2] == 1);
		first = false;
	}
	if (first)
		f.scratch_b = 0;
	return f;
}
