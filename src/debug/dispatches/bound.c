// SPDX-License-Identifier: MIT

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/registers.h"
#include "isa/descriptor.h"

enum {
	UNIT_B = 16, /* bytes of a unit in which a descriptor set is read */
	SET_MAX_B = 1 << 16,
	EMPTY_UNITS = 8,   /* a set ends after so many units in a row without a descriptor */
	POINTERS_MAX = 64, /* pointers looked for in a kernarg block whose layout is unknown */
};

struct bound_vec BW_VEC(struct bw_bound);

struct look {
	struct bw_debug *d;
	struct bw_dispatch_record *x;
	struct bw_target_map *maps;
	size_t n_maps;
	struct bound_vec found;
};

unsigned bw_dispatch_user_sgprs(const struct bw_debug *d, const struct bw_dispatch_info *x)
{
	uint32_t n = bw_arch_take(bw_debug_arch(d)->rsrc.user_sgprs, x->desc.rsrc2);
	return BW_MIN(n, 16u);
}

const char *bw_image_type_name(unsigned type)
{
	static const char *const names[] = {"1D",	"2D",	    "3D",      "cube",
					    "1D array", "2D array", "2D MSAA", "2D MSAA array"};
	return type >= BW_IMAGE_1D && type < BW_IMAGE_1D + BW_ARRAY_SIZE(names)
		       ? names[type - BW_IMAGE_1D]
		       : "?";
}

static const struct bw_target_map *map_at(const struct look *l, uint64_t va)
{
	for (size_t i = 0; i < l->n_maps; i++)
		if (va >= l->maps[i].va && va - l->maps[i].va < l->maps[i].size_b)
			return &l->maps[i];
	return NULL;
}

/* ---- Descriptors ---- */

/* Whether the words are a buffer descriptor (V# in AMD's documents). */
static bool is_buffer(const struct look *l, const uint32_t *w, struct bw_bound *out)
{
	uint64_t va = bw_canonical(bw_words_get(w, BW_BUFFER_BASE));
	uint64_t stride = bw_words_get(w, BW_BUFFER_STRIDE);
	uint64_t n_records = bw_words_get(w, BW_BUFFER_NUM_RECORDS);
	const struct bw_target_map *m = map_at(l, va);
	if (bw_words_get(w, BW_BUFFER_TYPE) || !n_records || !m ||
	    !bw_words_get(w, BW_BUFFER_DST_SEL))
		return false;
	uint64_t size_b = n_records * (stride ? stride : 1);
	if (va - m->va + size_b > m->size_b + UNIT_B)
		return false;
	*out = (struct bw_bound){.kind = BW_BOUND_BUFFER,
				 .va = va,
				 .size_b = size_b,
				 .stride_b = (uint32_t)stride,
				 .format = (unsigned)bw_words_get(w, BW_BUFFER_FORMAT)};
	memcpy(out->words, w, 4 * sizeof(*w));
	return true;
}

/* Whether the words are an image descriptor (T#). */
static bool is_image(const struct look *l, const uint32_t *w, struct bw_bound *out)
{
	uint64_t va = bw_desc_256b(w, BW_IMAGE_BASE_256B);
	const struct bw_target_map *m = map_at(l, va);
	unsigned type = (unsigned)bw_words_get(w, BW_IMAGE_TYPE);
	unsigned format = (unsigned)bw_words_get(w, BW_IMAGE_FORMAT);
	if (type < BW_IMAGE_1D || !m || !format)
		return false;
	*out = (struct bw_bound){.kind = BW_BOUND_IMAGE,
				 .va = va,
				 .size_b = m->va + m->size_b - va,
				 .format = format,
				 .type = type};
	out->dim[0] = (uint32_t)bw_words_get(w, BW_IMAGE_WIDTH) + 1;
	out->dim[1] = (uint32_t)bw_words_get(w, BW_IMAGE_HEIGHT) + 1;
	out->dim[2] = (uint32_t)bw_words_get(w, BW_IMAGE_DEPTH) + 1;
	memcpy(out->words, w, 8 * sizeof(*w));
	return true;
}

static struct bw_error *add_bound(struct look *l, struct bw_bound b, unsigned sgpr, uint64_t at,
				  uint32_t offset_b)
{
	b.sgpr = sgpr;
	b.at = at;
	b.offset_b = offset_b;
	return bw_vec_push(&l->found, b);
}

/* Reads the set at va: up to `limit` descriptors (0: until EMPTY_UNITS have none). out_n: the
 * number of descriptors. */
static struct bw_error *look_at_set(struct look *l, unsigned sgpr, uint64_t va, uint32_t limit,
				    uint64_t end_va, size_t *out_n)
{
	const struct bw_target_map *m = map_at(l, va);
	uint64_t room = BW_MIN(m->va + m->size_b - va, (uint64_t)SET_MAX_B);
	room = bw_align_down(BW_MIN(room, end_va - va), UNIT_B);
	_cleanup_free_ uint32_t *w = calloc(1, room + 32);
	size_t n = 0;
	if (!w)
		return bw_error_nomem();
	*out_n = 0;
	struct bw_error *err = bw_target_read(l->d->target, va, w, room);
	if (bw_error_catch(&err, BW_E_FAULT))
		return NULL;
	BW_TRY(err);
	unsigned empty = 0;
	for (uint64_t at = 0; at < room && empty < EMPTY_UNITS && (!limit || n < limit);) {
		struct bw_bound b;
		unsigned units = 1;
		if (room - at >= 32 && is_image(l, w + at / 4, &b))
			units = 2;
		else if (!is_buffer(l, w + at / 4, &b))
			units = 0;
		if (units) {
			BW_TRY(add_bound(l, b, sgpr, va + at, (uint32_t)at));
			n++;
		}
		empty = units ? 0 : empty + 1;
		/* A descriptor set begins with a descriptor; otherwise this is not a set. */
		if (!units && at == 0 && !limit)
			break;
		at += (units ? units : 1) * (uint64_t)UNIT_B;
	}
	*out_n = n;
	return NULL;
}

/* ---- User SGPRs ---- */

static uint64_t next_pointer(const struct look *l, uint64_t va)
{
	const uint32_t *s = l->x->info.desc.user_data;
	uint64_t best = UINT64_MAX;
	for (unsigned i = 0; i < bw_dispatch_user_sgprs(l->d, &l->x->info); i++)
		if (bw_mesa_pointer32(s[i]) > va && map_at(l, bw_mesa_pointer32(s[i])))
			best = BW_MIN(best, bw_mesa_pointer32(s[i]));
	return best;
}

/* The number of descriptors in the k-th set in use; 0: not known. */
static uint32_t set_size(const struct look *l, size_t k)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(l->x->pipeline.sets); i++)
		if (l->x->pipeline.sets[i] && k-- == 0)
			return l->x->pipeline.sets[i];
	return 0;
}

/* RADV keeps s[0:1] for its ring descriptors, either set (an address of 64 bits) or 0, up to Mesa
 * 25 (doc/hardware/dispatch.md 3). In Mesa 26 they hold any pointer if a shader needs no rings. */
static unsigned ring_sgprs(const struct look *l, const uint32_t *s, unsigned n)
{
	uint64_t wide = n > 1 ? bw_join32(s[1], s[0]) : 1;
	return wide == 0 || (bw_hi32(wide) && map_at(l, wide)) ? 2 : 0;
}

static struct bw_error *look_at_sgprs(struct look *l)
{
	const uint32_t *s = l->x->info.desc.user_data;
	unsigned n = bw_dispatch_user_sgprs(l->d, &l->x->info);
	size_t sets = 0, found = 0;
	bool radv = l->x->pipeline.id != 0;
	for (unsigned i = radv ? ring_sgprs(l, s, n) : 0; i < n; i++) {
		uint64_t wide = i + 1 < n ? bw_join32(s[i + 1], s[i]) : 0;
		const struct bw_target_map *m = wide ? map_at(l, wide) : NULL;
		if (m && bw_hi32(wide) && wide == bw_canonical(wide)) {
			struct bw_bound b = {.kind = BW_BOUND_POINTER,
					     .va = wide,
					     .size_b = m->va + m->size_b - wide};
			BW_TRY(add_bound(l, b, i, 0, 0));
			i++;
		} else if ((s[i] || radv) && s[i] % 4 == 0 && map_at(l, bw_mesa_pointer32(s[i]))) {
			uint64_t va = bw_mesa_pointer32(s[i]);
			uint32_t limit = set_size(l, sets);
			BW_TRY(look_at_set(l, i, va, limit,
					   limit ? UINT64_MAX : next_pointer(l, va), &found));
			sets += found > 0;
		}
	}
	return NULL;
}

/* ---- Arguments of a kernel ---- */

static struct bw_error *look_at_args(struct look *l)
{
	struct bw_arg_info *args = NULL;
	size_t n = 0;
	struct bw_error *err = bw_debug_args(l->d, l->x->info.number, &args, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct bw_target_map *m =
			args[i].has_value && args[i].value.type.kind == BW_TYPE_POINTER
				? map_at(l, args[i].value.bits)
				: NULL;
		if (!m)
			continue;
		struct bw_bound b = {.kind = BW_BOUND_POINTER,
				     .va = args[i].value.bits,
				     .size_b = m->va + m->size_b - args[i].value.bits};
		snprintf(b.name, sizeof(b.name), "%s", args[i].arg->name);
		err = add_bound(l, b, 0, l->x->info.kernarg_va + args[i].arg->offset_b,
				(uint32_t)args[i].arg->offset_b);
	}
	bw_debug_free_args(args, n);
	return err;
}

/* ---- Buffers ---- */

static struct bw_buffer_info *buffer_around(struct bw_debug *d, uint64_t va, bool is_image)
{
	struct bw_buffer_info *best = NULL;
	bw_vec_each(&d->dispatches->buffers, b)
		if (b->space == d->space && b->va && va >= b->va && va - b->va < b->size_b &&
		    b->is_image == is_image &&
		    (!best || (b->from_api && !best->from_api) ||
		     (b->from_api == best->from_api && b->size_b < best->size_b)))
			best = b;
	return best;
}

static struct bw_error *add_buffer(struct bw_debug *d, struct bw_buffer_info b)
{
	b.number = ++d->dispatches->last_buffer;
	b.space = d->space;
	return bw_vec_push(&d->dispatches->buffers, b);
}

/* Updates the buffers that the API knows; those that it has destroyed are removed. */
static struct bw_error *update_from_api(struct bw_debug *d)
{
	const struct bw_target_object *all;
	size_t n;
	if (!bw_target_can(d->target, BW_CAP_OBJECTS))
		return NULL;
	BW_TRY(bw_debug_objects(d, &all, &n));
	for (size_t k = d->dispatches->buffers.len; k-- > 0;) {
		struct bw_buffer_info *b = &d->dispatches->buffers.data[k];
		bool lives = !b->from_api || b->space != d->space;
		for (size_t i = 0; i < n && !lives; i++)
			lives = all[i].id == b->object &&
				all[i].kind == (b->is_image ? BW_OBJECT_IMAGE : BW_OBJECT_BUFFER);
		if (!lives)
			bw_vec_remove(&d->dispatches->buffers, k);
	}
	for (size_t i = 0; i < n; i++) {
		struct bw_buffer_info *known = NULL, b = {.space = d->space, .from_api = true};
		if (all[i].kind != BW_OBJECT_BUFFER && all[i].kind != BW_OBJECT_IMAGE)
			continue;
		b.is_image = all[i].kind == BW_OBJECT_IMAGE;
		bw_vec_each(&d->dispatches->buffers, it)
			if (it->from_api && it->space == d->space && it->object == all[i].id &&
			    it->is_image == b.is_image)
				known = it;
		if (known)
			b.number = known->number;
		b.object = all[i].id;
		b.va = all[i].va;
		b.size_b = all[i].size_b;
		b.usage = all[i].flags;
		memcpy(b.name, all[i].name, sizeof(b.name));
		if (known)
			*known = b;
		else
			BW_TRY(add_buffer(d, b));
	}
	return NULL;
}

void bw_debug_binding(struct bw_debug *d, struct bw_target_binding *b)
{
	uint32_t w[BW_BUFFER_DESC_DW];
	if (!b->at_va)
		return;
	b->va = b->size_b = 0;
	struct bw_error *err = bw_target_read(d->target, b->at_va, w, sizeof(w));
	bool is_there = !err && !bw_words_get(w, BW_BUFFER_TYPE) &&
			bw_words_get(w, BW_BUFFER_DST_SEL) && !bw_words_get(w, BW_BUFFER_STRIDE);
	bw_error_free(err); /* the buffer is not known then */
	if (!is_there)
		return;
	b->va = bw_canonical(bw_words_get(w, BW_BUFFER_BASE));
	b->size_b = bw_words_get(w, BW_BUFFER_NUM_RECORDS);
}

static void name_bound(struct look *l, const struct bw_variable *v, const struct bw_location *at)
{
	const struct bw_dispatch_info *x = &l->x->info;
	for (uint32_t k = 0; at->kind == BW_LOC_BOUND && k < x->desc.n_bindings; k++) {
		struct bw_target_binding b = x->desc.bindings[k];
		if (b.set != at->reg || b.binding != at->value)
			continue;
		bw_debug_binding(l->d, &b);
		bw_vec_each(&l->found, f) {
			if (f->kind != BW_BOUND_BUFFER || !b.va || f->va != b.va || f->name[0])
				continue;
			if (bw_ctype_strip(v->type)->kind == BW_CTYPE_ARRAY && !v->is_static &&
			    at->offset > 0)
				snprintf(f->name, sizeof(f->name), "%.48s[%u]", v->name, b.element);
			else
				snprintf(f->name, sizeof(f->name), "%s", v->name);
		}
	}
}

/* Gives bound buffers that the program has not named the name in the shader. An anonymous block's
 * own name is preferred to its members' names. */
static struct bw_error *name_by_shader(struct look *l)
{
	const struct bw_dispatch_info *x = &l->x->info;
	const struct bw_load *load = bw_debug_load_at(l->d, x->desc.code_va);
	struct bw_variable *list = NULL;
	size_t n = 0;
	if (!load || !load->module->lines || !x->desc.n_bindings)
		return NULL;
	BW_TRY(bw_lines_variables(load->module->lines, x->desc.code_va - load->base, 0, &list, &n));
	for (int is_static = 1; is_static >= 0; is_static--) {
		for (size_t i = 0; i < n; i++) {
			struct bw_location at;
			bw_variable_location(load->module->lines, &list[i], 0, NULL, &at);
			if (list[i].is_static == is_static)
				name_bound(l, &list[i], &at);
		}
	}
	free(list);
	return NULL;
}

static struct bw_error *number_found(struct look *l)
{
	BW_TRY(update_from_api(l->d));
	bw_vec_each(&l->found, f) {
		bool image = f->kind == BW_BOUND_IMAGE;
		struct bw_buffer_info *b = buffer_around(l->d, f->va, image);
		if (!b) {
			struct bw_buffer_info new = {
				.va = f->va, .size_b = f->size_b, .is_image = image};
			memcpy(new.name, f->name, sizeof(new.name));
			BW_TRY(add_buffer(l->d, new));
			b = &l->d->dispatches->buffers.data[l->d->dispatches->buffers.len - 1];
		}
		f->buffer = b->number;
		if (!f->name[0])
			memcpy(f->name, b->name, sizeof(f->name));
	}
	return name_by_shader(l);
}

static struct bw_error *look(struct look *l)
{
	struct bw_target *t = l->d->target;
	BW_TRY(bw_target_maps(t, &l->maps, &l->n_maps));
	if (l->x->info.kernel && l->x->info.kernarg_va)
		BW_TRY(look_at_args(l));
	else
		BW_TRY(look_at_sgprs(l));
	return number_found(l);
}

struct bw_error *bw_debug_bound(struct bw_debug *d, uint32_t dispatch, struct bw_bound **out,
				size_t *out_n)
{
	BW_TRY(bw_debug_need_target(d));
	struct look l = {.d = d, .x = bw_debug_dispatch_priv(d, dispatch)};
	if (!l.x)
		return bw_errorf(BW_E_NOT_FOUND, "There is no dispatch %u", dispatch);
	BW_IN_SPACE(d, l.x->info.space);
	struct bw_error *err = look(&l);
	free(l.maps);
	if (err) {
		bw_vec_free(&l.found);
		return err;
	}
	*out = l.found.data;
	*out_n = l.found.len;
	return NULL;
}

struct bw_error *bw_debug_buffers(struct bw_debug *d, const struct bw_buffer_info **out,
				  size_t *out_n)
{
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(update_from_api(d));
	*out = d->dispatches->buffers.data;
	*out_n = d->dispatches->buffers.len;
	return NULL;
}

const char *bw_debug_buffer_name(const struct bw_buffer_info *b, const struct bw_bound *bound,
				 size_t n)
{
	for (size_t i = 0; i < n && !b->name[0]; i++)
		if (bound[i].buffer == b->number && bound[i].va == b->va && bound[i].name[0])
			return bound[i].name;
	return b->name;
}

struct bw_error *bw_debug_buffer(struct bw_debug *d, uint32_t number, struct bw_buffer_info *out)
{
	bw_vec_each(&d->dispatches->buffers, b) {
		if (b->number == number) {
			*out = *b;
			return NULL;
		}
	}
	return bw_errorf(BW_E_NOT_FOUND, "There is no buffer %u; \"info buffers\" lists them",
			 number);
}

/* Conditions call this for each lane, so a result is kept until waves run. */
struct bw_error *bw_debug_find_buffer(struct bw_debug *d, uint32_t dispatch, uint32_t number,
				      struct bw_buffer_info *out)
{
	bool fresh =
		d->dispatches->buffers_found && d->dispatches->buffers_continues == d->continues;
	struct bw_error *err = fresh ? bw_debug_buffer(d, number, out) : NULL;
	if (fresh && !err)
		return NULL;
	bw_error_free(err);
	struct bw_bound *bound = NULL;
	size_t n = 0;
	const struct bw_buffer_info *all;
	if (dispatch)
		BW_TRY(bw_debug_bound(d, dispatch, &bound, &n));
	free(bound);
	BW_TRY(bw_debug_buffers(d, &all, &n));
	d->dispatches->buffers_found = true;
	d->dispatches->buffers_continues = d->continues;
	return bw_debug_buffer(d, number, out);
}
