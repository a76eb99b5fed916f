// SPDX-License-Identifier: MIT
/* Names of variables and types: in which frame they are looked up, and what is visible there. */
#include "base/cleanup.h"
#include "base/util.h"
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/dispatches.h"
#include "debug/frames.h"
#include "debug/variables/demanded.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

bool bw_variables_frame_at(struct bw_debug *d, uint64_t pc, struct bw_variables_frame *out)
{
	struct bw_load *l = bw_debug_load_at(d, pc);
	if (!l || !l->module->lines)
		return false;
	*out = (struct bw_variables_frame){
		.lines = l->module->lines, .base = l->base, .addr = pc - l->base};
	return true;
}

/* The selected frame, of the focus wave. */
static bool selected(struct bw_debug *d, struct bw_variables_frame *out)
{
	struct bw_stack_frame s;
	struct bw_variables_frame f;
	struct bw_error *err = bw_debug_selected_frame(d, &s);
	bw_error_free(err);
	if (err || !bw_variables_frame_at(d, s.at, &f))
		return false;
	f.level = s.inline_level;
	f.frame = s.level;
	f.is_outer = s.depth > 0;
	f.has_stack = s.has_s32 && s.has_s33;
	f.s32 = s.s32;
	f.s33 = s.s33;
	*out = f;
	return true;
}

static const struct bw_kernel *kernel_of(struct bw_debug *d, const struct bw_wave_record *w)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->info.dispatch);
	return x ? x->kernel : NULL;
}

bool bw_variables_frame(struct bw_debug *d, struct bw_wave_record *w,
			struct bw_variables_frame *out)
{
	struct bw_variables_frame f;
	uint32_t s[2];
	if (!w)
		return false;
	BW_IN_SPACE(d, w->info.space);
	const bool is_tested = d->waves->tested == w;
	if (w == bw_debug_focus_priv(d) && !is_tested && selected(d, out)) {
		out->kernel = kernel_of(d, w);
		return true;
	}
	if (!bw_variables_frame_at(d, w->info.pc, &f))
		return false;
	f.level = is_tested ? d->waves->tested_level : 0;
	f.kernel = kernel_of(d, w);
	struct bw_error *err = bw_target_read_sgprs(d->target, w->info.slot, 32, 2, s);
	f.has_stack = !err;
	if (!err) {
		f.s32 = s[0];
		f.s33 = s[1];
	}
	bw_error_free(err);
	*out = f;
	return true;
}

/* Keeps the list of the last address, since a condition asks for it in each lane of each wave. */
struct bw_error *bw_variables_list(struct bw_debug *d, const struct bw_variables_frame *f,
				   const struct bw_variable **out, size_t *out_n)
{
	struct bw_variable_cache *c = &d->variables->visible;
	unsigned version = d->code->source_paths.version;
	if (c->lines != f->lines || c->addr != f->addr || c->level != f->level ||
	    c->paths_version != version) {
		struct bw_variable *list;
		size_t n;
		BW_TRY(bw_lines_variables(f->lines, f->addr, f->level, &list, &n));
		uint8_t *wrong = malloc(n ? n : 1);
		if (!wrong) {
			free(list);
			return bw_error_nomem();
		}
		memset(wrong, BW_NOT_ASKED, n);
		free(c->list);
		free(c->wrong);
		*c = (struct bw_variable_cache){f->lines, f->addr, f->level, version,
						list,	  wrong,   n};
	}
	*out = c->list;
	*out_n = c->n;
	return NULL;
}

/* ---- Types ---- */

static const struct bw_ctype *made(struct bw_debug *d, const struct bw_ctype *t)
{
	bw_vec_each(&d->variables->made_types, it) {
		const struct bw_ctype *have = *it;
		if (have->kind == t->kind && have->elem == t->elem && have->count == t->count &&
		    have->stride_b == t->stride_b && have->address_class == t->address_class)
			return have;
	}
	/* members of a struct are stored after it */
	size_t members_b = t->n_members * sizeof(*t->members);
	struct bw_ctype *new = malloc(sizeof(*new) + members_b);
	if (!new)
		return NULL;
	*new = *t;
	if (members_b)
		new->members = memcpy(new + 1, t->members, members_b);
	struct bw_error *err = bw_vec_push(&d->variables->made_types, new);
	if (err) {
		bw_error_free(err);
		free(new);
		return NULL;
	}
	return new;
}

const struct bw_ctype *bw_variables_pointer_to(struct bw_debug *d, const struct bw_ctype *elem,
					       enum bw_space space)
{
	return made(d, &(struct bw_ctype){.kind = BW_CTYPE_POINTER,
					  .elem = elem,
					  .size_b = space == BW_SPACE_GLOBAL ? 8 : 4,
					  .address_class = space == BW_SPACE_LDS ? BW_ADDRESS_LOCAL
							   : space == BW_SPACE_PRIVATE
								   ? BW_ADDRESS_PRIVATE
								   : BW_ADDRESS_GENERIC});
}

const struct bw_ctype *bw_debug_pointer_to(struct bw_debug *d, const struct bw_ctype *elem)
{
	return bw_variables_pointer_to(d, elem, BW_SPACE_GLOBAL);
}

const struct bw_ctype *bw_variables_counted(struct bw_debug *d, const struct bw_ctype *array,
					    uint64_t count)
{
	struct bw_ctype t = *array;
	t.count = count;
	return __builtin_mul_overflow(bw_ctype_stride(array), count, &t.size_b) ? NULL
										: made(d, &t);
}

const struct bw_ctype *bw_variables_filled(struct bw_debug *d, const struct bw_ctype *block,
					   uint64_t count)
{
	struct bw_ctype t = *block;
	t.elem = block; /* the type is found again by its element and the count */
	t.count = count;
	const struct bw_ctype *have = made(d, &t);
	if (!have || !have->n_members || have->size_b != block->size_b)
		return have;
	/* new: its last member is still the one without a length */
	struct bw_ctype *new = (struct bw_ctype *)(uintptr_t)have;
	struct bw_cmember *last = (struct bw_cmember *)(new + 1) + new->n_members - 1;
	const struct bw_ctype *array = bw_variables_counted(d, bw_ctype_strip(last->type), count);
	if (!array)
		return NULL;
	last->type = array;
	new->size_b = last->offset_b + array->size_b;
	return new;
}

const struct bw_ctype *bw_variables_array_of(struct bw_debug *d, const struct bw_ctype *elem,
					     uint64_t count, bool is_vector)
{
	uint64_t size_b;
	if (__builtin_mul_overflow(bw_ctype_strip(elem)->size_b, count, &size_b))
		return NULL;
	return made(d, &(struct bw_ctype){.kind = is_vector ? BW_CTYPE_VECTOR : BW_CTYPE_ARRAY,
					  .elem = elem,
					  .size_b = size_b,
					  .count = count});
}

void bw_variables_fini(struct bw_variables *x)
{
	bw_vec_each(&x->made_types, it)
		free(*it);
	bw_vec_free(&x->made_types);
	free(x->visible.list);
	free(x->visible.wrong);
}

const struct bw_ctype *bw_debug_type_named(struct bw_debug *d, const char *name)
{
	struct bw_variables_frame f;
	const struct bw_ctype *t = NULL;
	if (bw_variables_frame(d, bw_debug_focus_priv(d), &f))
		t = bw_lines_type_named(f.lines, name);
	bw_vec_each(&d->code->modules, m)
		if (!t && (*m)->lines)
			t = bw_lines_type_named((*m)->lines, name);
	return t;
}

/* ---- Locations ---- */

/* The origins of registers' values, for bw_variable_is_stale. */
struct origins {
	struct bw_origin_code code;
	const struct bw_location *location;
	uint64_t addr;
	bool (*accept)(void *ctx, const struct bw_location_origin *o);
	void *accept_ctx;
};

static struct bw_location_origin location_origin(const struct bw_origin *origin)
{
	return (struct bw_location_origin){.at = origin->is_entry ? BW_ORIGIN_ENTRY : origin->at,
					   .demanded = UINT32_MAX,
					   .follows = origin->is_last,
					   .is_fused = origin->is_fused,
					   .is_load = origin->is_load,
					   .is_copy = origin->is_copy,
					   .is_vgpr = origin->is_vgpr,
					   .reg = origin->reg};
}

static bool accept(void *ctx, const struct bw_origin *origin)
{
	const struct origins *o = ctx;
	struct bw_location_origin out = location_origin(origin);
	if (!origin->is_entry)
		out.demanded = bw_demanded_bits(&o->code, origin->at, origin->is_vgpr, origin->reg);
	return o->accept(o->accept_ctx, &out);
}

static bool origins_of(void *ctx, bool is_vgpr, unsigned reg,
		       bool (*accept_one)(void *ctx, const struct bw_location_origin *o),
		       void *accept_ctx)
{
	struct origins *o = ctx;
	const struct bw_origin_reg r = {is_vgpr, reg, o->location->start, o->location->end};
	o->accept = accept_one;
	o->accept_ctx = accept_ctx;
	return bw_origins_all(&o->code, o->addr, &r, accept, o);
}

static bool origin_at_end(void *ctx, bool is_vgpr, unsigned reg, struct bw_location_origin *out)
{
	const struct origins *o = ctx;
	const struct bw_origin_reg r = {is_vgpr, reg, o->location->start, o->location->end};
	struct bw_origin origin;
	if (!bw_origin_in_front(&o->code, o->location->end, &r, &origin))
		return false;
	*out = location_origin(&origin);
	return true;
}

static void stores_of(void *ctx, void (*each)(void *ctx, uint64_t at, unsigned size_b),
		      void *each_ctx)
{
	const struct origins *o = ctx;
	bw_stores_each(&o->code, each, each_ctx);
}

bool bw_variables_code(struct bw_debug *d, const struct bw_variables_frame *f,
		       struct bw_origin_code *out)
{
	const struct bw_load *load = bw_debug_load_at(d, f->base + f->addr);
	const struct bw_wave_record *w = bw_debug_focus_priv(d);
	uint64_t entry, end;
	struct bw_error *err = bw_debug_function_range(d, f->base + f->addr, &entry, &end);
	*out = (struct bw_origin_code){.gen = bw_debug_isa(d), .lanes = w ? w->info.lanes : 32};
	if (!err && load) {
		out->image = bw_module_image(load->module, &out->image_b);
		out->entry = entry - f->base;
		out->end = end - f->base;
	}
	bw_error_free(err);
	return out->image;
}

static bool is_wrong(struct bw_debug *d, const struct bw_variables_frame *f,
		     const struct bw_variable *v, const struct bw_location *l)
{
	struct origins o = {.location = l, .addr = f->addr};
	struct bw_location_origins origins = {origins_of, origin_at_end, stores_of, &o};
	bw_variables_code(d, f, &o.code);
	return bw_variable_is_false_constant(f->lines, v, f->addr, l) ||
	       bw_variable_is_stale(f->lines, v, f->addr, f->level, l, &origins);
}

static bool is_wrong_cached(struct bw_debug *d, const struct bw_variables_frame *f,
			    const struct bw_variable *v, const struct bw_location *l)
{
	struct bw_variable_cache *c = &d->variables->visible;
	bool is_cached = c->lines == f->lines && c->addr == f->addr && c->level == f->level &&
			 c->paths_version == d->code->source_paths.version && v >= c->list &&
			 v < c->list + c->n;
	/* a condition is checked before its code is loaded, when nothing is known of registers */
	if (!is_cached || !bw_debug_load_at(d, f->base + f->addr))
		return is_wrong(d, f, v, l);
	uint8_t *known = &c->wrong[v - c->list];
	if (*known == BW_NOT_ASKED)
		*known = is_wrong(d, f, v, l);
	return *known;
}

/* Splits a location into pieces: bytes that are stored, and bytes that are not. If there are too
 * many pieces, all are optimized out. */
static void split(struct bw_location *l, const bool *covered, size_t size_b)
{
	struct bw_location out = {.start = l->start, .end = l->end};
	for (size_t i = 0; i < size_b; i++) {
		struct bw_location_piece *p = &out.piece[out.n_pieces - (out.n_pieces > 0)];
		enum bw_location_kind kind = covered[i] ? BW_LOC_PRIVATE : BW_LOC_OPTIMIZED_OUT;
		if (out.n_pieces && p->kind == kind) {
			p->size_b++;
			continue;
		}
		if (out.n_pieces == BW_ARRAY_SIZE(out.piece)) {
			out.n_pieces = 0;
			break;
		}
		out.piece[out.n_pieces++] =
			(struct bw_location_piece){.kind = kind,
						   .base = l->base,
						   .offset = l->offset + (int64_t)i,
						   .size_b = 1};
	}
	if (out.n_pieces == 1 && covered[0])
		return;
	if (out.n_pieces == 1)
		out.n_pieces = 0;
	if (!out.n_pieces)
		out.kind = BW_LOC_OPTIMIZED_OUT;
	*l = out;
}

struct owner {
	struct bw_lines *lines;
	const struct bw_variable *v;
};

static bool is_own(void *ctx, uint64_t at)
{
	const struct owner *o = ctx;
	return bw_variable_is_of_code(o->lines, o->v, at);
}

/* The optimizer drops stores that nothing reads, and gives the memory of a variable to that of
 * another inlined function. So a byte has no value if the last store to it before the address is
 * not by an instruction of the variable's own function. */
static void drop_unwritten(struct bw_debug *d, const struct bw_variables_frame *f,
			   const struct bw_variable *v, struct bw_location *l)
{
	struct bw_origin_code code;
	size_t size_b = v->type->size_b;
	unsigned base = l->base == BW_BASE_S32 ? 32 : l->base == BW_BASE_S33 ? 33 : BW_SRC_NULL;
	if (l->n_pieces || l->kind != BW_LOC_PRIVATE || v->is_param || !size_b ||
	    size_b > BW_VALUE_MAX_B || !bw_lines_is_optimized(f->lines, f->addr) ||
	    !bw_variables_code(d, f, &code))
		return;
	_cleanup_free_ bool *covered = calloc(size_b, sizeof(*covered));
	if (!covered)
		return;
	struct owner owner = {f->lines, v};
	const struct bw_stored stored = {base, l->offset, size_b, is_own, &owner};
	bw_stores_before(&code, f->addr, &stored, covered);
	split(l, covered, size_b);
}

static bool is_partly_gone(const struct bw_location *l)
{
	bool is_gone = !l->n_pieces && l->kind == BW_LOC_OPTIMIZED_OUT;
	for (unsigned i = 0; i < l->n_pieces; i++)
		is_gone |= l->piece[i].kind == BW_LOC_OPTIMIZED_OUT;
	return is_gone;
}

/* Before the kernel's first instruction its parameters are what it was launched with. */
static bool is_at_entry(const struct bw_variables_frame *f, const struct bw_variable *v)
{
	uint64_t entry;
	return bw_variable_is_of_kernel(f->lines, v, f->addr, &entry) && entry == f->addr;
}

void bw_variables_correct(struct bw_debug *d, const struct bw_variables_frame *f,
			  const struct bw_variable *v, struct bw_location *l)
{
	uint32_t offset_b;
	if (is_wrong_cached(d, f, v, l))
		*l = (struct bw_location){
			.kind = BW_LOC_OPTIMIZED_OUT, .start = l->start, .end = l->end};
	drop_unwritten(d, f, v, l);
	if (is_partly_gone(l) && bw_variables_launch(d, f, v, &offset_b) &&
	    (is_at_entry(f, v) || bw_variable_is_never_assigned(f->lines, v, f->addr)))
		*l = (struct bw_location){.kind = BW_LOC_LAUNCH,
					  .offset = offset_b,
					  .start = l->start,
					  .end = l->end};
}

/* ---- For commands ---- */

const struct bw_ctype *bw_debug_function_type(struct bw_debug *d, const struct bw_value *v)
{
	if (!v->type.is_function || v->type.kind != BW_TYPE_UINT || v->n_elem)
		return NULL;
	const struct bw_load *l = bw_debug_load_at(d, v->bits);
	if (l)
		return l->module->lines
			       ? bw_lines_function_type(l->module->lines, v->bits - l->base)
			       : NULL;
	const struct bw_ctype *found = NULL; /* not loaded: an address in the image */
	for (size_t i = 0; !found && i < d->code->modules.len; i++)
		if (d->code->modules.data[i]->lines)
			found = bw_lines_function_type(d->code->modules.data[i]->lines, v->bits);
	return found;
}

struct bw_error *bw_debug_variables(struct bw_debug *d, const struct bw_variable **out,
				    size_t *out_n)
{
	struct bw_variables_frame f;
	if (bw_variables_frame(d, bw_debug_focus_priv(d), &f))
		return bw_variables_list(d, &f, out, out_n);
	*out = NULL;
	*out_n = 0;
	return NULL;
}

void bw_variables_place(struct bw_debug *d, const struct bw_variables_frame *f,
			const struct bw_variable *v, struct bw_location *out)
{
	bw_variable_location(f->lines, v, f->addr, f->kernel, out);
	bw_variables_correct(d, f, v, out);
	out->start += f->base;
	out->end = out->end > UINT64_MAX - f->base ? UINT64_MAX : out->end + f->base;
}

bool bw_debug_variable_place(struct bw_debug *d, uint64_t pc, const struct bw_variable *v,
			     struct bw_location *out)
{
	struct bw_variables_frame f;
	if (!bw_variables_frame_at(d, pc, &f))
		return false;
	bw_variables_place(d, &f, v, out);
	return true;
}

struct bw_error *bw_debug_variable_value(struct bw_debug *d, const struct bw_variable *v,
					 struct bw_value *out)
{
	struct bw_variables_frame f;
	struct bw_value_of x = {
		.d = d, .wave = bw_debug_focus_priv(d), .lane = d->waves->focus_lane};
	if (!bw_variables_frame(d, x.wave, &f))
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	return bw_variables_value(&x, &f, v, out);
}

struct bw_error *bw_debug_variable_entry_value(struct bw_debug *d, const struct bw_variable *v,
					       struct bw_value *out)
{
	struct bw_variables_frame f;
	struct bw_value_of x = {
		.d = d, .wave = bw_debug_focus_priv(d), .lane = d->waves->focus_lane};
	if (!bw_variables_frame(d, x.wave, &f))
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	return bw_variables_entry_value(&x, &f, v, out);
}

struct bw_error *bw_debug_fetch(struct bw_debug *d, struct bw_value *v)
{
	struct bw_value_of x = {
		.d = d, .wave = bw_debug_focus_priv(d), .lane = d->waves->focus_lane};
	return bw_variables_fetch(&x, v);
}
