// SPDX-License-Identifier: MIT
/* Variables of Vulkan shaders: buffers that the program has bound, push constants, and built-in
 * variables of the invocation. All of it comes from the API's calls, because it is not known in
 * which registers the driver's code has it. */
#include "debug/bound.h"
#include "debug/dispatches.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <string.h>

struct bw_error *bw_variables_not_known(const struct bw_ctype *type, const char *why,
					struct bw_value *out)
{
	uint64_t size_b = bw_ctype_strip(type)->size_b;
	struct bw_value v = {.type = bw_type_of(type), .lane = -1, .place = BW_PLACE_NONE};
	if (!size_b || size_b > BW_VALUE_MAX_B) /* no value can stand for it */
		return bw_errorf(BW_E_NOT_FOUND, "Its value is not known: %s", why);
	v.bytes = bw_bytes_new(size_b);
	if (!v.bytes)
		return bw_error_nomem();
	snprintf(v.bytes->why, sizeof(v.bytes->why), "%s", why);
	v.is_missing = v.type.kind != BW_TYPE_AGGREGATE;
	*out = v;
	return NULL;
}

/* Finds the buffer that is bound to a binding. False: none is known. */
static bool binding_of(struct bw_debug *d, const struct bw_dispatch_info *x,
		       const struct bw_location *l, uint32_t element, struct bw_target_binding *out)
{
	for (uint32_t i = 0; i < x->desc.n_bindings; i++) {
		struct bw_target_binding b = x->desc.bindings[i];
		if (b.set != l->reg || b.binding != l->value || b.element != element)
			continue;
		bw_debug_binding(d, &b);
		*out = b;
		return b.va;
	}
	return false;
}

/* The type with a length for its last array, if that has none: as many elements as fit into the
 * buffer. */
static const struct bw_ctype *fitted(struct bw_debug *d, const struct bw_ctype *type,
				     uint64_t room_b)
{
	const struct bw_ctype *t = bw_ctype_strip(type), *last = t;
	uint64_t before_b = 0, stride_b;
	if (t->kind == BW_CTYPE_STRUCT && t->n_members) {
		last = bw_ctype_strip(t->members[t->n_members - 1].type);
		before_b = t->members[t->n_members - 1].offset_b;
	}
	if (last->kind != BW_CTYPE_ARRAY || last->count || before_b >= room_b)
		return type;
	stride_b = bw_ctype_stride(last);
	if (!stride_b || (room_b - before_b) / stride_b == 0)
		return type;
	uint64_t count = (room_b - before_b) / stride_b;
	return t == last ? bw_variables_counted(d, t, count) : bw_variables_filled(d, t, count);
}

/* The value of an array of buffers: a pointer to each. */
static struct bw_error *pointers(struct bw_debug *d, const struct bw_dispatch_info *x,
				 const struct bw_location *l, const struct bw_ctype *type,
				 struct bw_value *out)
{
	struct bw_value v = {.type = bw_type_of(type), .lane = -1, .place = BW_PLACE_NONE};
	v.bytes = bw_bytes_new(bw_ctype_strip(type)->size_b);
	if (!v.bytes)
		return bw_error_nomem();
	snprintf(v.bytes->why, sizeof(v.bytes->why), "no buffer is known to be bound there");
	for (int64_t i = 0; i < l->offset; i++) {
		struct bw_target_binding b;
		if ((uint64_t)i * 8 + 8 > v.bytes->size_b || !binding_of(d, x, l, (uint32_t)i, &b))
			continue;
		memcpy(v.bytes->data + i * 8, &b.va, 8);
		memset(v.bytes->known + i * 8, 1, 8);
	}
	bw_variables_decode(&v);
	*out = v;
	return NULL;
}

static bool is_pointers(const struct bw_ctype *type)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	const struct bw_ctype *e = t->kind == BW_CTYPE_ARRAY ? bw_ctype_strip(t->elem) : t;
	return e->kind == BW_CTYPE_POINTER && e->elem && bw_ctype_strip(e->elem)->is_block;
}

static struct bw_error *bound(const struct bw_value_of *x, const struct bw_dispatch_info *dispatch,
			      const struct bw_location *l, const struct bw_ctype *type,
			      struct bw_value *out)
{
	if (is_pointers(type))
		return pointers(x->d, dispatch, l, type, out);
	struct bw_target_binding b;
	uint64_t offset_b = (uint64_t)l->offset, size_b;
	if (!binding_of(x->d, dispatch, l, 0, &b))
		return bw_variables_not_known(type, "no buffer is known to be bound there", out);
	if (offset_b > b.size_b)
		return bw_variables_not_known(
			type, "it lies past the end of the buffer that is bound", out);
	type = fitted(x->d, type, b.size_b - offset_b);
	if (!type)
		return bw_error_nomem();
	size_b = bw_ctype_strip(type)->size_b;
	if (size_b > b.size_b - offset_b)
		return bw_variables_not_known(
			type, "it lies past the end of the buffer that is bound", out);
	const struct bw_place_at at = {.space = BW_SPACE_GLOBAL, .va = b.va + offset_b};
	return bw_variables_load(x, type, at, out);
}

/* Values that are made of bytes the debugger has, and lie nowhere. */
struct bw_error *bw_variables_copied(const struct bw_ctype *type, const void *bytes, size_t n,
				     const char *why, struct bw_value *out)
{
	uint64_t size_b = bw_ctype_strip(type)->size_b;
	struct bw_value v = {.type = bw_type_of(type), .lane = -1, .place = BW_PLACE_NONE};
	if (!size_b || size_b > BW_VALUE_MAX_B)
		return bw_variables_not_known(type, "its size is not known", out);
	v.bytes = bw_bytes_new(size_b);
	if (!v.bytes)
		return bw_error_nomem();
	n = BW_MIN(n, (size_t)size_b);
	if (n) {
		memcpy(v.bytes->data, bytes, n);
		memset(v.bytes->known, 1, n);
	}
	snprintf(v.bytes->why, sizeof(v.bytes->why), "%s", why);
	bw_variables_decode(&v);
	*out = v;
	return NULL;
}

static struct bw_error *pushed(const struct bw_dispatch_info *dispatch, const struct bw_location *l,
			       const struct bw_ctype *type, struct bw_value *out)
{
	uint64_t at = (uint64_t)l->offset;
	bool some = dispatch->desc.push && at < dispatch->desc.push_b;
	return bw_variables_copied(type, some ? dispatch->desc.push + at : NULL,
				   some ? dispatch->desc.push_b - at : 0,
				   "the program has not pushed it, as far as is known", out);
}

/* BuiltIn of SPIR-V 1.6, 3.21. */
enum {
	NUM_WORKGROUPS = 24,
	WORKGROUP_SIZE = 25,
	WORKGROUP_ID = 26,
	LOCAL_ID = 27,
	GLOBAL_ID = 28,
	LOCAL_INDEX = 29,
	SUBGROUP_SIZE = 36,
	NUM_SUBGROUPS = 38,
	SUBGROUP_ID = 40,
	SUBGROUP_LOCAL = 41,
};

static struct bw_error *builtin(const struct bw_value_of *x,
				const struct bw_dispatch_info *dispatch, unsigned which,
				const struct bw_ctype *type, struct bw_value *out)
{
	const struct bw_wave_info *w = &x->wave->info;
	const uint32_t *size = dispatch->desc.group_size;
	uint32_t v[3] = {0}, item[3];
	size_t n = 1;
	bool is_item = bw_lane_item(x->d, w, x->lane, item);
	if ((which == LOCAL_ID || which == GLOBAL_ID || which == LOCAL_INDEX) && !is_item)
		return bw_variables_not_known(type, "this lane is not an invocation", out);
	if ((which == WORKGROUP_ID || which == SUBGROUP_ID) && w->wave_in_group == BW_GROUP_UNKNOWN)
		return bw_variables_not_known(
			type, "the place of this wave in its grid is not known", out);
	switch (which) {
	case NUM_WORKGROUPS:
		if (dispatch->desc.groups[0] == UINT32_MAX)
			return bw_variables_not_known(type, "the GPU reads it from memory", out);
		memcpy(v, dispatch->desc.groups, sizeof(v));
		n = 3;
		break;
	case WORKGROUP_SIZE:
		memcpy(v, size, sizeof(v));
		n = 3;
		break;
	case WORKGROUP_ID:
		memcpy(v, w->workgroup, sizeof(v));
		n = 3;
		break;
	case LOCAL_ID:
	case GLOBAL_ID:
		for (int i = 0; i < 3; i++)
			v[i] = item[i] + (which == GLOBAL_ID ? w->workgroup[i] * size[i] : 0);
		n = 3;
		break;
	case LOCAL_INDEX:
		v[0] = item[0] + size[0] * (item[1] + size[1] * item[2]);
		break;
	case SUBGROUP_SIZE:
		v[0] = w->lanes;
		break;
	case NUM_SUBGROUPS:
		v[0] = dispatch->waves_per_group;
		break;
	case SUBGROUP_ID:
		v[0] = w->wave_in_group;
		break;
	case SUBGROUP_LOCAL:
		v[0] = x->lane;
		break;
	default:
		return bw_variables_not_known(type, "a built-in variable that is not supported",
					      out);
	}
	return bw_variables_copied(type, v, n * sizeof(*v), "", out);
}

struct bw_error *bw_variables_of_shader(const struct bw_value_of *x, const struct bw_location *l,
					const struct bw_ctype *type, struct bw_value *out)
{
	const struct bw_dispatch_info *dispatch =
		x->wave ? bw_debug_dispatch(x->d, x->wave->info.dispatch) : NULL;
	if (x->skip) { /* the length of an array is that of its buffer, in sizeof too */
		struct bw_target_binding b;
		if (dispatch && l->kind == BW_LOC_BOUND && binding_of(x->d, dispatch, l, 0, &b) &&
		    !is_pointers(type) && (uint64_t)l->offset < b.size_b)
			type = fitted(x->d, type, b.size_b - (uint64_t)l->offset);
		if (!type)
			return bw_error_nomem();
		*out = (struct bw_value){.type = bw_type_of(type), .lane = (int)x->lane};
		return NULL;
	}
	if (!dispatch)
		return bw_variables_not_known(type, "the dispatch of this wave is not known", out);
	struct bw_error *err;
	if (l->kind == BW_LOC_BOUND)
		err = bound(x, dispatch, l, type, out);
	else if (l->kind == BW_LOC_PUSH)
		err = pushed(dispatch, l, type, out);
	else
		err = builtin(x, dispatch, l->reg, type, out);
	return err;
}
