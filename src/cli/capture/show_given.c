/* SPDX-License-Identifier: MIT */
/* What dispatches of a capture were given, and the API's buffers and images, as tables of `capture
 * show`. A table that a submission has nothing for is left out. */
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

/* As dwords, as `info dispatch` has them; bytes of a last one that is not whole count as 0. */
static void add_words(struct bw_table *t, const uint8_t *bytes, uint32_t n)
{
	struct bw_str text = {0};
	for (uint32_t at = 0; at < n; at += 4) {
		uint32_t word = 0;
		memcpy(&word, bytes + at, BW_MIN(n - at, 4u));
		bw_str_addf(&text, "%s%08x", at ? " " : "", word);
	}
	bw_table_text(t, "%s", bw_str_text(&text));
	bw_str_free(&text);
}

static void show_pushes(struct bw_out *o, const struct bw_capture_submission *sub)
{
	static const struct bw_column columns[] = {{"Dispatch", "dispatch", true},
						   {"Bytes", "bytes", true},
						   {"Push constants", "words", false}};
	struct bw_table t;
	bw_table_init(&t, "push_constants", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		if (!d->push_b)
			continue;
		bw_table_int(&t, (int64_t)i);
		bw_table_int(&t, d->push_b);
		add_words(&t, sub->pushes.data + d->push_at, d->push_b);
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

static void show_bound(struct bw_out *o, const struct bw_capture_space *space,
		       const struct bw_capture_submission *sub)
{
	static const struct bw_column columns[] = {
		{"Dispatch", "dispatch", true}, {"Set", "set", true},
		{"Binding", "binding", true},	{"Element", "element", true},
		{"Type", "type", false},	{"Address", "va", false},
		{"Bytes", "bytes", true},	{"Name", "name", false}};
	char room[16];
	struct bw_table t;
	bw_table_init(&t, "bound", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		for (uint32_t k = 0; k < d->n_bound; k++) {
			const struct bw_capture_bound *b = &sub->bound.data[d->bound_at + k];
			const struct bw_capture_object *x = buffer_at(space, bw_canonical(b->va));
			bw_table_int(&t, (int64_t)i);
			bw_table_int(&t, b->set);
			bw_table_int(&t, b->binding);
			bw_table_int(&t, b->element);
			bw_table_text(&t, "%s", descriptor_name(b->type, room));
			if (b->va)
				bw_table_hex(&t, b->va, 0);
			else
				bw_table_empty(&t);
			bw_table_int(&t, (int64_t)b->size_b);
			bw_table_text(&t, "%s", x ? x->name : "");
		}
	}
	show_table(o, &t);
}

static const char *argument_kind(uint32_t kind)
{
	switch (kind) {
	case BW_CAPTURE_ARG_VALUE:
		return "value";
	case BW_CAPTURE_ARG_BUFFER:
		return "buffer";
	case BW_CAPTURE_ARG_LOCAL:
		return "local";
	default:
		return "opaque";
	}
}

static void show_args(struct bw_out *o, const struct bw_capture_submission *sub)
{
	static const struct bw_column columns[] = {
		{"Dispatch", "dispatch", true}, {"Argument", "argument", true},
		{"Name", "name", false},	{"Type", "type", false},
		{"Kind", "kind", false},	{"Offset", "offset", true},
		{"Bytes", "bytes", true}};
	struct bw_table t;
	bw_table_init(&t, "arguments", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &sub->dispatches.data[i];
		for (uint32_t k = 0; k < d->n_args; k++) {
			const struct bw_capture_arg *a = &sub->args.data[d->args_at + k];
			bw_table_int(&t, (int64_t)i);
			bw_table_int(&t, k);
			bw_table_text(&t, "%s", a->name);
			bw_table_text(&t, "%s", a->type);
			bw_table_text(&t, "%s", argument_kind(a->kind));
			if (a->offset_b == BW_CAPTURE_ARG_NOWHERE)
				bw_table_empty(&t);
			else
				bw_table_int(&t, a->offset_b);
			bw_table_int(&t, a->size_b);
		}
	}
	show_table(o, &t);
}

static void show_objects(struct bw_out *o, const struct bw_capture_space *space)
{
	static const struct bw_column columns[] = {{"Object", "object", true},
						   {"Kind", "kind", false},
						   {"Address", "va", false},
						   {"Bytes", "bytes", true},
						   {"Name", "name", false}};
	struct bw_table t;
	bw_table_init(&t, "objects", columns, BW_ARRAY_SIZE(columns));
	bw_vec_each(&space->objects, x) {
		bw_table_int(&t, x->id);
		bw_table_text(&t, "%s", x->kind == BW_CAPTURE_OBJECT_IMAGE ? "image" : "buffer");
		if (x->va)
			bw_table_hex(&t, x->va, 0);
		else
			bw_table_empty(&t);
		bw_table_int(&t, (int64_t)x->size_b);
		bw_table_text(&t, "%s", x->name);
	}
	show_table(o, &t);
}

void bw_capture_show_given(struct bw_out *o, const struct bw_capture_space *space,
			   const struct bw_capture_submission *sub)
{
	show_pushes(o, sub);
	show_bound(o, space, sub);
	show_args(o, sub);
	show_objects(o, space);
}
