/* SPDX-License-Identifier: MIT */
/* The draws of a capture, the inputs of its dispatches and draws, and the API's buffers and images,
 * as tables of `capture show`. Empty tables are left out. */
#include "cli/capture/show.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static const char *descriptor_name(uint32_t type, char room[16])
{
	/* VkDescriptorType */
	static const char *const names[] = {"sampler",	      "image+sampler",	"sampled image",
					    "storage image",  "uniform texels", "storage texels",
					    "uniform",	      "storage",	"uniform dynamic",
					    "storage dynamic"};
	if (type < BW_ARRAY_SIZE(names))
		return names[type];
	snprintf(room, 16, "type %u", type);
	return room;
}

static void show_table(struct bw_out *o, struct bw_table *t)
{
	if (bw_table_rows(t))
		bw_out_table(o, t, "");
	bw_table_fini(t);
}

struct draw_row {
	uint64_t number;
	struct bw_capture_dispatch d;
	struct bw_capture_draw draw;
	const char *label;
};

static void number_or_memory(struct bw_table *t, uint32_t n)
{
	if (n != UINT32_MAX)
		bw_table_int(t, n);
	else
		bw_table_both(t, NULL, "from memory");
}

static void n_vertices(struct bw_table *t, const void *of)
{
	number_or_memory(t, ((const struct draw_row *)of)->draw.n_vertices);
}

static void n_instances(struct bw_table *t, const void *of)
{
	number_or_memory(t, ((const struct draw_row *)of)->draw.n_instances);
}

static void vertex_shader(struct bw_table *t, const void *of)
{
	const struct bw_capture_dispatch *d = &((const struct draw_row *)of)->d;
	bw_table_text(t, "%s", bw_capture_shader_name(d->pipeline, d->file));
}

static void pixel_shader(struct bw_table *t, const void *of)
{
	const struct bw_capture_draw *d = &((const struct draw_row *)of)->draw;
	bw_table_text(t, "%s", bw_capture_shader_name(d->pipeline, d->file));
}

static const struct bw_fact draw_rows[] = {
	{"Draw", "draw", "count", BW_OF(struct draw_row, number)},
	{"Packet", "packet", "hex", BW_OF(struct draw_row, d.packet_va)},
	{"Vertices", "vertices", "count?", BW_GET(n_vertices), .says = "Or indices."},
	{"Instances", "instances", "count?", BW_GET(n_instances)},
	{"Vertex code", "vertex_code", "hex", BW_OF(struct draw_row, d.code_va)},
	{"Pixel code", "pixel_code", "hex", BW_OF(struct draw_row, draw.code_va)},
	{"Vertex shader", "vertex_shader", "text", BW_GET(vertex_shader)},
	{"Pixel shader", "pixel_shader", "text", BW_GET(pixel_shader)},
	{"Vertex record", "vertex_record", "number?", BW_OF(struct draw_row, d.made_of)},
	{"Pixel record", "pixel_record", "number?", BW_OF(struct draw_row, draw.made_of)},
	{"Label", "label", "text", BW_OF(struct draw_row, label)},
};
BW_FACTS(draw_facts, "capture draws", "draws", draw_rows);

void bw_capture_show_draws(struct bw_out *o, const struct bw_capture_submission *sub)
{
	struct bw_table t;
	bw_table_begin(&t, &draw_facts);
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		struct draw_row r = {.number = i, .d = *d, .label = bw_capture_label(sub, d)};
		if (!d->draw)
			continue;
		r.draw = *bw_capture_draw_of(sub, d);
		bw_table_row(&t, &r);
	}
	show_table(o, &t);
}

struct push_row {
	uint64_t dispatch;
	struct bw_capture_dispatch d;
	const uint8_t *bytes;
};

/* Writes bytes as dwords, as `info dispatch` does. Missing bytes of the last dword count as 0. */
static void words(struct bw_table *t, const void *of)
{
	const struct push_row *r = of;
	struct bw_str text = {0};
	for (uint32_t at = 0; at < r->d.push_b; at += 4) {
		uint32_t word = 0;
		memcpy(&word, r->bytes + at, BW_MIN(r->d.push_b - at, 4u));
		bw_str_addf(&text, "%s%08x", at ? " " : "", word);
	}
	bw_table_text(t, "%s", bw_str_text(&text));
	bw_str_free(&text);
}

static const struct bw_fact push_rows[] = {
	{"Dispatch", "dispatch", "count", BW_OF(struct push_row, dispatch)},
	{"Bytes", "bytes", "count", BW_OF(struct push_row, d.push_b)},
	{"Push constants", "words", "text", BW_GET(words)},
};
BW_FACTS(push_facts, "capture pushes", "push_constants", push_rows);

static void show_pushes(struct bw_out *o, const struct bw_capture_submission *sub)
{
	struct bw_table t;
	bw_table_begin(&t, &push_facts);
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		struct push_row r = {i, sub->dispatches.data[i]};
		r.bytes = sub->pushes.data + r.d.push_at;
		if (r.d.push_b)
			bw_table_row(&t, &r);
	}
	show_table(o, &t);
}

/* The smallest buffer of the API around an address; NULL: there is none. */
static const struct bw_capture_object *buffer_at(const struct bw_capture_space *space, uint64_t va)
{
	const struct bw_capture_object *best = NULL;
	bw_vec_each(&space->objects, x)
		if (va && x->kind == BW_CAPTURE_OBJECT_BUFFER && bw_canonical(x->va) <= va &&
		    va - bw_canonical(x->va) < x->size_b && (!best || x->size_b < best->size_b))
			best = x;
	return best;
}

struct bound_row {
	uint64_t dispatch;
	struct bw_capture_bound b;
	const char *name;
};

static void descriptor(struct bw_table *t, const void *of)
{
	char room[16];
	bw_table_text(t, "%s", descriptor_name(((const struct bound_row *)of)->b.type, room));
}

static const struct bw_fact bound_rows[] = {
	{"Dispatch", "dispatch", "count", BW_OF(struct bound_row, dispatch)},
	{"Set", "set", "count", BW_OF(struct bound_row, b.set)},
	{"Binding", "binding", "count", BW_OF(struct bound_row, b.binding)},
	{"Element", "element", "count", BW_OF(struct bound_row, b.element)},
	{"Type", "type", "text", BW_GET(descriptor)},
	{"Address", "va", "hex?", BW_OF(struct bound_row, b.va)},
	{"Bytes", "bytes", "count", BW_OF(struct bound_row, b.size_b)},
	{"Name", "name", "text", BW_OF(struct bound_row, name)},
};
BW_FACTS(bound_facts, "capture bound", "bound", bound_rows);

static void show_bound(struct bw_out *o, const struct bw_capture_space *space,
		       const struct bw_capture_submission *sub)
{
	struct bw_table t;
	bw_table_begin(&t, &bound_facts);
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		for (uint32_t k = 0; k < d->n_bound; k++) {
			struct bound_row r = {i, sub->bound.data[d->bound_at + k]};
			const struct bw_capture_object *x = buffer_at(space, bw_canonical(r.b.va));
			r.name = x ? x->name : NULL;
			bw_table_row(&t, &r);
		}
	}
	show_table(o, &t);
}

struct arg_row {
	uint64_t dispatch;
	uint32_t number;
	struct bw_capture_arg a;
};

static void argument_kind(struct bw_table *t, const void *of)
{
	static const char *const names[] = {[BW_CAPTURE_ARG_OPAQUE] = "opaque",
					    [BW_CAPTURE_ARG_VALUE] = "value",
					    [BW_CAPTURE_ARG_BUFFER] = "buffer",
					    [BW_CAPTURE_ARG_LOCAL] = "local"};
	uint32_t kind = ((const struct arg_row *)of)->a.kind;
	bw_table_text(t, "%s", kind < BW_ARRAY_SIZE(names) ? names[kind] : "opaque");
}

static void argument_offset(struct bw_table *t, const void *of)
{
	const struct arg_row *r = of;
	if (r->a.offset_b != BW_CAPTURE_ARG_NOWHERE)
		bw_table_int(t, r->a.offset_b);
}

static const struct bw_fact arg_rows[] = {
	{"Dispatch", "dispatch", "count", BW_OF(struct arg_row, dispatch)},
	{"Argument", "argument", "count", BW_OF(struct arg_row, number)},
	{"Name", "name", "text", BW_OF(struct arg_row, a.name)},
	{"Type", "type", "text", BW_OF(struct arg_row, a.type)},
	{"Kind", "kind", "value|buffer|local|opaque", BW_GET(argument_kind)},
	{"Offset", "offset", "count?", BW_GET(argument_offset)},
	{"Bytes", "bytes", "count", BW_OF(struct arg_row, a.size_b)},
};
BW_FACTS(arg_facts, "capture arguments", "arguments", arg_rows);

static void show_args(struct bw_out *o, const struct bw_capture_submission *sub)
{
	struct bw_table t;
	bw_table_begin(&t, &arg_facts);
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		for (uint32_t k = 0; k < d->n_args; k++) {
			struct arg_row r = {i, k, sub->args.data[d->args_at + k]};
			bw_table_row(&t, &r);
		}
	}
	show_table(o, &t);
}

static void object_kind(struct bw_table *t, const void *of)
{
	const struct bw_capture_object *x = of;
	bw_table_text(t, x->kind == BW_CAPTURE_OBJECT_IMAGE ? "image" : "buffer");
}

static const struct bw_fact object_rows[] = {
	{"Object", "object", "count", BW_OF(struct bw_capture_object, id)},
	{"Kind", "kind", "buffer|image", BW_GET(object_kind)},
	{"Address", "va", "hex?", BW_OF(struct bw_capture_object, va)},
	{"Bytes", "bytes", "count", BW_OF(struct bw_capture_object, size_b)},
	{"Name", "name", "text", BW_OF(struct bw_capture_object, name)},
};
BW_FACTS(object_facts, "capture objects", "objects", object_rows);

void bw_capture_show_given(struct bw_out *o, const struct bw_capture_space *space,
			   const struct bw_capture_submission *sub)
{
	show_pushes(o, sub);
	show_bound(o, space, sub);
	show_args(o, sub);
	if (space->objects.len)
		bw_out_facts(o, &object_facts, space->objects.data, space->objects.len, "");
}
