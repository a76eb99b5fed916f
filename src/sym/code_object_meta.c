/* SPDX-License-Identifier: MIT */
#include <msgpack.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/shown.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/code_object_priv.h"

/* Far more than a kernel has; a damaged count must not become a huge table. */
#define MAX_ARGS 4096

static void bw_cleanup_zone(msgpack_zone **zone)
{
	if (*zone)
		msgpack_zone_free(*zone);
}

/* Finds the number of bytes between the first byte of a msgpack object and its elements, and the
 * number of elements (msgpack specification, "Formats"). Elements of a map count twice. */
static bool object_size(struct bw_cursor *c, uint64_t *out_elements)
{
	uint8_t first = bw_cursor_u8(c);
	uint64_t skip_b = 0, elements = 0;
	if (first <= 0x7f || first >= 0xe0) {
		/* small integers: all in the first byte */
	} else if (first <= 0x8f) {
		elements = 2 * (first & 15u);
	} else if (first <= 0x9f) {
		elements = first & 15;
	} else if (first <= 0xbf) {
		skip_b = first & 31;
	} else {
		/* 0xc0 to 0xdf: bytes of the count that follows, and bytes of the value itself */
		static const uint8_t count_b[32] = {
			[4] = 1,  [5] = 2,  [6] = 4,  [7] = 1,	[8] = 2,  [9] = 4, [25] = 1,
			[26] = 2, [27] = 4, [28] = 2, [29] = 4, [30] = 2, [31] = 4};
		static const uint8_t value_b[32] = {
			[7] = 1,  [8] = 1,  [9] = 1,  [10] = 4, [11] = 8, [12] = 1,
			[13] = 2, [14] = 4, [15] = 8, [16] = 1, [17] = 2, [18] = 4,
			[19] = 8, [20] = 2, [21] = 3, [22] = 5, [23] = 9, [24] = 17};
		unsigned form = first - 0xc0;
		uint64_t count = 0;
		for (unsigned i = 0; i < count_b[form]; i++)
			count = count << 8 | bw_cursor_u8(c);
		skip_b = value_b[form];
		if (form >= 28)
			elements = form >= 30 ? 2 * count : count;
		else
			skip_b += count;
	}
	if (skip_b)
		bw_cursor_bytes(c, skip_b);
	*out_elements = elements;
	return !c->overrun;
}

/* msgpack-c makes room for as many elements as a count claims before it looks for them. This walk
 * proves that every claimed object is there. */
static bool is_whole(const void *data, size_t size_b)
{
	struct bw_cursor c = bw_cursor(data, size_b);
	uint64_t due = 1;
	while (due) {
		uint64_t elements;
		if (!object_size(&c, &elements))
			return false;
		due += elements - 1;
		if (due > bw_cursor_left(&c))
			return false;
	}
	return true;
}

static bool is_text(const msgpack_object *o, const char *text)
{
	size_t len = strlen(text);
	return o->type == MSGPACK_OBJECT_STR && o->via.str.size == len &&
	       !memcmp(o->via.str.ptr, text, len);
}

/* The value of a key of a map; NULL if it has none or if o is not a map. */
static const msgpack_object *value_of(const msgpack_object *o, const char *key)
{
	if (!o || o->type != MSGPACK_OBJECT_MAP)
		return NULL;
	for (uint32_t i = 0; i < o->via.map.size; i++)
		if (is_text(&o->via.map.ptr[i].key, key))
			return &o->via.map.ptr[i].val;
	return NULL;
}

static uint32_t number_of(const msgpack_object *o, const char *key, uint32_t otherwise)
{
	const msgpack_object *v = value_of(o, key);
	if (!v || v->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
		return otherwise;
	return (uint32_t)BW_MIN(v->via.u64, UINT32_MAX);
}

static struct bw_error *text_of(struct bw_code_object *co, const msgpack_object *o, const char *key,
				const char **out)
{
	const msgpack_object *v = value_of(o, key);
	if (!v || v->type != MSGPACK_OBJECT_STR) {
		*out = "";
		return NULL;
	}
	BW_TRY(bw_code_object_keep_text(co, v->via.str.ptr,
					strnlen(v->via.str.ptr, v->via.str.size), out));
	bw_make_line((char *)*out, 0);
	return NULL;
}

/* The field of older metadata in place of a C type: ".value_type: f32". */
static const char *value_type(const msgpack_object *o)
{
	/* clang-format off */
	static const struct {
		const char *type, *name;
	} rows[] = {
		{"i8", "char"},	 {"u8", "uchar"},  {"i16", "short"}, {"u16", "ushort"}, {"f16", "half"},   {"i32", "int"},
		{"u32", "uint"}, {"f32", "float"}, {"i64", "long"},  {"u64", "ulong"},  {"f64", "double"},
	};
	/* clang-format on */
	const msgpack_object *v = value_of(o, ".value_type");
	for (size_t i = 0; v && v->type == MSGPACK_OBJECT_STR && i < BW_ARRAY_SIZE(rows); i++)
		if (strlen(rows[i].type) == v->via.str.size &&
		    !memcmp(rows[i].type, v->via.str.ptr, v->via.str.size))
			return rows[i].name;
	return "";
}

static enum bw_arg_kind kind_of(const char *value_kind)
{
	if (!strcmp(value_kind, "global_buffer"))
		return BW_ARG_BUFFER;
	if (!strcmp(value_kind, "by_value"))
		return BW_ARG_VALUE;
	if (!strcmp(value_kind, "dynamic_shared_pointer"))
		return BW_ARG_LDS_POINTER;
	return bw_starts_with(value_kind, "hidden_") ? BW_ARG_HIDDEN : BW_ARG_OTHER;
}

static struct bw_error *read_args(struct bw_code_object *co, const msgpack_object *list,
				  struct bw_kernel *k)
{
	if (!list)
		return NULL; /* a kernel without arguments */
	if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > MAX_ARGS)
		return bw_errorf(BW_E_INVALID,
				 "%s: the metadata of kernel '%s' has no usable argument list",
				 co->path, k->name);
	size_t n = list->via.array.size;
	_cleanup_free_ struct bw_kernel_arg *args = calloc(n ? n : 1, sizeof(*args));
	if (!args)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		const msgpack_object *o = &list->via.array.ptr[i];
		if (!value_of(o, ".offset") || !value_of(o, ".size") || !value_of(o, ".value_kind"))
			return bw_errorf(BW_E_INVALID,
					 "%s: the metadata of argument %zu of kernel '%s' lacks "
					 ".offset, .size or .value_kind",
					 co->path, i, k->name);
		BW_TRY(text_of(co, o, ".name", &args[i].name));
		BW_TRY(text_of(co, o, ".type_name", &args[i].type_name));
		if (!args[i].type_name[0])
			args[i].type_name = value_type(o);
		BW_TRY(text_of(co, o, ".value_kind", &args[i].value_kind));
		args[i].kind = kind_of(args[i].value_kind);
		args[i].offset_b = number_of(o, ".offset", UINT32_MAX);
		args[i].size_b = number_of(o, ".size", UINT32_MAX);
	}
	BW_TRY(bw_vec_push(&co->owned, (void *)args));
	k->args = bw_take(args);
	k->n_args = n;
	return NULL;
}

static struct bw_error *read_kernel(struct bw_code_object *co, const msgpack_object *o)
{
	struct bw_kernel k = {.has_metadata = true};
	const char *symbol;
	BW_TRY(text_of(co, o, ".name", &k.name));
	BW_TRY(text_of(co, o, ".symbol", &symbol));
	if (!*k.name || !*symbol)
		return bw_errorf(BW_E_INVALID,
				 "%s: the metadata has a kernel without .name or .symbol",
				 co->path);
	const struct bw_symbol *descriptor = bw_code_object_symbol_named(co, symbol);
	if (!descriptor)
		return bw_errorf(BW_E_INVALID,
				 "%s: the metadata's kernel '%s' has no descriptor: no symbol '%s'",
				 co->path, k.name, symbol);
	k.descriptor = descriptor->addr;
	k.kernarg_b = number_of(o, ".kernarg_segment_size", 0);
	k.max_group_size = number_of(o, ".max_flat_workgroup_size", 1024);
	const msgpack_object *group = value_of(o, ".reqd_workgroup_size");
	if (group && group->type == MSGPACK_OBJECT_ARRAY && group->via.array.size == 3)
		for (int i = 0; i < 3; i++)
			if (group->via.array.ptr[i].type == MSGPACK_OBJECT_POSITIVE_INTEGER)
				k.reqd_group[i] = (uint32_t)BW_MIN(group->via.array.ptr[i].via.u64,
								   UINT32_MAX);
	BW_TRY(read_args(co, value_of(o, ".args"), &k));
	return bw_vec_push(&co->kernels, k);
}

static struct bw_error *read_printf(struct bw_code_object *co, const msgpack_object *list)
{
	if (!list || list->type != MSGPACK_OBJECT_ARRAY)
		return NULL;
	for (uint32_t i = 0; i < list->via.array.size; i++) {
		const msgpack_object *o = &list->via.array.ptr[i];
		const char *text;
		if (o->type != MSGPACK_OBJECT_STR)
			continue;
		BW_TRY(bw_code_object_keep_text(co, o->via.str.ptr,
						strnlen(o->via.str.ptr, o->via.str.size), &text));
		BW_TRY(bw_vec_push(&co->printf_formats, text));
	}
	return NULL;
}

struct bw_error *bw_code_object_read_metadata(struct bw_code_object *co, const void *note_desc,
					      size_t size_b)
{
	size_t used_b = 0;
	msgpack_object root;
	if (!is_whole(note_desc, size_b))
		return bw_errorf(BW_E_INVALID,
				 "%s: damaged code object: the metadata ends too early", co->path);
	_cleanup_(bw_cleanup_zone) msgpack_zone *zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE);
	if (!zone)
		return bw_error_nomem();
	msgpack_unpack_return r = msgpack_unpack(note_desc, size_b, &used_b, zone, &root);
	if (r != MSGPACK_UNPACK_SUCCESS && r != MSGPACK_UNPACK_EXTRA_BYTES)
		return bw_errorf(BW_E_INVALID,
				 "%s: damaged code object: the metadata cannot be read", co->path);
	BW_TRY(read_printf(co, value_of(&root, "amdhsa.printf")));
	const msgpack_object *kernels = value_of(&root, "amdhsa.kernels");
	if (!kernels || kernels->type != MSGPACK_OBJECT_ARRAY)
		return NULL; /* a library of functions; a kernel may still have its .kd symbol */
	for (uint32_t i = 0; i < kernels->via.array.size; i++)
		BW_TRY(read_kernel(co, &kernels->via.array.ptr[i]));
	return NULL;
}
