// SPDX-License-Identifier: MIT
/* Names of variables and types: in which frame they are looked up, and what is visible there. */
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/frames.h"
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

bool bw_variables_frame(struct bw_debug *d, struct bw_wave_record *w,
			struct bw_variables_frame *out)
{
	struct bw_variables_frame f;
	uint32_t s[2];
	if (!w)
		return false;
	BW_IN_SPACE(d, w->info.space);
	if (w == bw_debug_focus_priv(d) && selected(d, out))
		return true;
	if (!bw_variables_frame_at(d, w->info.pc, &f))
		return false;
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

/* The list of the last address is stored: a condition asks for it in each lane of each wave. */
struct bw_error *bw_variables_list(struct bw_debug *d, const struct bw_variables_frame *f,
				   const struct bw_variable **out, size_t *out_n)
{
	struct bw_variable_cache *c = &d->variables;
	if (c->lines != f->lines || c->addr != f->addr || c->level != f->level) {
		struct bw_variable *list;
		size_t n;
		BW_TRY(bw_lines_variables(f->lines, f->addr, f->level, &list, &n));
		free(c->list);
		*c = (struct bw_variable_cache){f->lines, f->addr, f->level, list, n};
	}
	*out = c->list;
	*out_n = c->n;
	return NULL;
}

const struct bw_variable *bw_variables_find(struct bw_debug *d, const struct bw_variables_frame *f,
					    const char *name)
{
	const struct bw_variable *list;
	size_t n;
	struct bw_error *err = bw_variables_list(d, f, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	bw_error_free(err); /* damaged information: the name is not known then */
	return NULL;
}

/* The enumeration that t is, or is made of, or points to. */
static const struct bw_ctype *enum_in(const struct bw_ctype *t)
{
	for (unsigned depth = 0; depth < 8 && t; depth++) {
		t = bw_ctype_strip(t);
		if (t->kind == BW_CTYPE_ENUM)
			return t;
		if (t->kind != BW_CTYPE_POINTER && t->kind != BW_CTYPE_ARRAY)
			return NULL;
		t = t->elem;
	}
	return NULL;
}

static bool enumerator_of(const struct bw_ctype *t, const char *name,
			  const struct bw_ctype **out_type, int64_t *out_value)
{
	const struct bw_ctype *e = enum_in(t);
	for (size_t i = 0; e && i < e->n_enumerators; i++) {
		if (!e->enumerators[i].name || strcmp(e->enumerators[i].name, name) != 0)
			continue;
		*out_type = e;
		*out_value = e->enumerators[i].value;
		return true;
	}
	return false;
}

/* The struct that t is, or is made of, or points to. */
static const struct bw_ctype *struct_in(const struct bw_ctype *t)
{
	for (unsigned depth = 0; depth < 8 && t; depth++) {
		t = bw_ctype_strip(t);
		if (t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION)
			return t;
		if (t->kind != BW_CTYPE_POINTER && t->kind != BW_CTYPE_ARRAY)
			return NULL;
		t = t->elem;
	}
	return NULL;
}

bool bw_variables_enumerator(struct bw_debug *d, const struct bw_variables_frame *f,
			     const char *name, const struct bw_ctype **out_type, int64_t *out_value)
{
	const struct bw_variable *list;
	size_t n;
	struct bw_error *err = bw_variables_list(d, f, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (enumerator_of(list[i].type, name, out_type, out_value))
			return true;
		const struct bw_ctype *s = struct_in(list[i].type);
		for (size_t m = 0; s && m < s->n_members; m++)
			if (enumerator_of(s->members[m].type, name, out_type, out_value))
				return true;
	}
	bw_error_free(err);
	return false;
}

/* ---- Types ---- */

static const struct bw_ctype *made(struct bw_debug *d, const struct bw_ctype *t)
{
	bw_vec_each(&d->made_types, it) {
		const struct bw_ctype *have = *it;
		if (have->kind == t->kind && have->elem == t->elem && have->count == t->count &&
		    have->stride_b == t->stride_b && have->address_class == t->address_class)
			return have;
	}
	/* members of a struct are stored behind it */
	size_t members_b = t->n_members * sizeof(*t->members);
	struct bw_ctype *new = malloc(sizeof(*new) + members_b);
	if (!new)
		return NULL;
	*new = *t;
	if (members_b)
		new->members = memcpy(new + 1, t->members, members_b);
	struct bw_error *err = bw_vec_push(&d->made_types, new);
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
	t.elem = block; /* it is known by that and by the count */
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

void bw_variables_free(struct bw_debug *d)
{
	bw_vec_each(&d->made_types, it)
		free(*it);
	bw_vec_free(&d->made_types);
	free(d->variables.list);
	d->variables = (struct bw_variable_cache){0};
}

const struct bw_ctype *bw_debug_type_named(struct bw_debug *d, const char *name)
{
	struct bw_variables_frame f;
	const struct bw_ctype *t = NULL;
	if (bw_variables_frame(d, bw_debug_focus_priv(d), &f))
		t = bw_lines_type_named(f.lines, name);
	bw_vec_each(&d->modules, m)
		if (!t && (*m)->lines)
			t = bw_lines_type_named((*m)->lines, name);
	return t;
}

/* ---- Locations ---- */

bool bw_variables_is_wrong(const struct bw_variables_frame *f, const struct bw_variable *v,
			   const struct bw_location *l)
{
	return bw_variable_is_false_constant(f->lines, v, f->addr, l) ||
	       bw_variable_is_stale(f->lines, v, f->addr, f->level, l);
}

/* ---- For commands ---- */

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

struct bw_error *bw_debug_variables_at(struct bw_debug *d, uint64_t pc,
				       const struct bw_variable **out, size_t *out_n)
{
	struct bw_variables_frame f;
	if (bw_variables_frame_at(d, pc, &f))
		return bw_variables_list(d, &f, out, out_n);
	*out = NULL;
	*out_n = 0;
	return NULL;
}

bool bw_debug_variable_place(struct bw_debug *d, uint64_t pc, const struct bw_variable *v,
			     struct bw_location *out)
{
	struct bw_variables_frame f;
	if (!bw_variables_frame_at(d, pc, &f))
		return false;
	bw_variable_location(f.lines, v, f.addr, out);
	if (bw_variables_is_wrong(&f, v, out))
		*out = (struct bw_location){
			.kind = BW_LOC_OPTIMIZED_OUT, .start = out->start, .end = out->end};
	out->start += f.base;
	out->end = out->end > UINT64_MAX - f.base ? UINT64_MAX : out->end + f.base;
	return true;
}

struct bw_error *bw_debug_variable_value(struct bw_debug *d, const struct bw_variable *v,
					 struct bw_value *out)
{
	struct bw_variables_frame f;
	struct bw_value_of x = {.d = d, .wave = bw_debug_focus_priv(d), .lane = d->focus_lane};
	if (!bw_variables_frame(d, x.wave, &f))
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	return bw_variables_value(&x, &f, v, out);
}

struct bw_error *bw_debug_fetch(struct bw_debug *d, struct bw_value *v)
{
	struct bw_value_of x = {.d = d, .wave = bw_debug_focus_priv(d), .lane = d->focus_lane};
	return bw_variables_fetch(&x, v);
}
