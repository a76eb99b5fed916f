/* SPDX-License-Identifier: MIT */
#include "agent/capture/captured.h"

#include <stdlib.h>
#include <string.h>

#include "agent/names/bound_sets.h"
#include "agent/names/names_priv.h"
#include "agent/opencl/launch_layout.h"
#include "base/cleanup.h"
#include "base/util.h"

_Static_assert((int)BW_CAPTURE_OBJECT_BUFFER == (int)BW_AGENT_OBJECT_BUFFER &&
		       (int)BW_CAPTURE_OBJECT_IMAGE == (int)BW_AGENT_OBJECT_IMAGE &&
		       (int)BW_CAPTURE_ARG_OPAQUE == (int)BW_AGENT_ARG_OPAQUE &&
		       (int)BW_CAPTURE_ARG_VALUE == (int)BW_AGENT_ARG_VALUE &&
		       (int)BW_CAPTURE_ARG_BUFFER == (int)BW_AGENT_ARG_BUFFER &&
		       (int)BW_CAPTURE_ARG_LOCAL == (int)BW_AGENT_ARG_LOCAL &&
		       BW_CAPTURE_ARG_NOWHERE == BW_AGENT_ARG_NOWHERE,
	       "kinds are passed on unchanged");

/* ---- To a capture ---- */

static struct bw_error *note_bound(const struct bw_agent_dispatch *d,
				   const struct bw_names_blob *blob,
				   struct bw_capture_submission *s)
{
	for (uint32_t i = 0; i < d->n_bindings; i++) {
		struct bw_agent_binding b;
		memcpy(&b, blob->data + d->bindings_at + i * sizeof(b), sizeof(b));
		BW_TRY(bw_vec_push(&s->bound,
				   ((struct bw_capture_bound){b.set, b.binding, b.element, b.type,
							      b.va, b.size_b, b.at_va})));
	}
	return NULL;
}

static struct bw_error *note_args(const struct bw_agent_dispatch *d,
				  const struct bw_names_blob *blob, struct bw_capture_submission *s)
{
	for (uint32_t i = 0; i < d->n_args; i++) {
		struct bw_agent_arg a;
		memcpy(&a, blob->data + d->args_at + i * sizeof(a), sizeof(a));
		struct bw_capture_arg one = {
			.kind = a.kind, .offset_b = a.offset_b, .size_b = a.size_b};
		memcpy(one.name, a.name, sizeof(one.name));
		memcpy(one.type, a.type, sizeof(one.type));
		BW_TRY(bw_vec_push(&s->args, one));
	}
	return NULL;
}

struct bw_error *bw_captured_note(const struct bw_agent_dispatch *d,
				  const struct bw_names_blob *blob, struct bw_capture_submission *s,
				  struct bw_capture_dispatch *out)
{
	out->block_va = d->block_va;
	out->push_at = (uint32_t)s->pushes.len;
	out->push_b = d->push_b;
	out->bound_at = (uint32_t)s->bound.len;
	out->n_bound = d->n_bindings;
	out->args_at = (uint32_t)s->args.len;
	out->n_args = d->n_args;
	for (uint32_t i = 0; i < d->push_b; i++)
		BW_TRY(bw_vec_push(&s->pushes, blob->data[d->push_at + i]));
	BW_TRY(note_bound(d, blob, s));
	return note_args(d, blob, s);
}

struct bw_error *bw_captured_note_objects(struct bw_capture_submission *s)
{
	struct bw_agent_objects all = {0};
	struct bw_error *err = bw_names_objects(&all);
	for (size_t i = 0; !err && i < all.len; i++) {
		const struct bw_agent_object *o = &all.data[i];
		struct bw_capture_object one = {.kind = o->kind,
						.id = o->id,
						.va = o->va,
						.size_b = o->size_b,
						.format = o->format,
						.flags = o->flags};
		if (o->kind == BW_AGENT_OBJECT_PIPELINE)
			continue; /* its dispatches say it */
		memcpy(one.dim, o->dim, sizeof(one.dim));
		memcpy(one.name, o->name, sizeof(one.name));
		if (s->objects.len < BW_CAPTURE_OBJECTS_MAX)
			err = bw_vec_push(&s->objects, one);
	}
	s->has_objects = !err;
	bw_vec_free(&all);
	return err;
}

/* ---- From a capture ---- */

/* A layout of these pushed descriptors, any but 0. */
enum { LAYOUT = 1 };

void bw_captured_bind(uint64_t cmd, const struct bw_capture_submission *s,
		      const struct bw_capture_dispatch *d)
{
	if (d->push_b)
		bw_names_cmd_push(cmd, 0, d->push_b, s->pushes.data + d->push_at);
	for (uint32_t set = 0; d->n_bound && set < BW_BOUND_SETS_MAX; set++) {
		struct bw_descriptors all = {0};
		for (uint32_t i = 0; i < d->n_bound; i++) {
			const struct bw_capture_bound *b = &s->bound.data[d->bound_at + i];
			if (b->set != set)
				continue;
			bw_descriptors_put(&all, &(struct bw_descriptor){.binding = b->binding,
									 .element = b->element,
									 .type = b->type,
									 .is_address = !b->at_va,
									 .offset_b = b->va,
									 .range_b = b->size_b,
									 .at_va = b->at_va});
		}
		if (all.len)
			bw_names_cmd_push_set(cmd, set, LAYOUT, &all);
		bw_vec_free(&all);
	}
}

void bw_captured_give(uint64_t cmd, const struct bw_capture_submission *s,
		      const struct bw_capture_dispatch *d)
{
	struct bw_agent_arg args[BW_LAUNCH_ARGS_MAX];
	uint32_t n = BW_MIN(d->n_args, (uint32_t)BW_LAUNCH_ARGS_MAX);
	memset(args, 0, sizeof(args));
	for (uint32_t i = 0; i < n; i++) {
		const struct bw_capture_arg *a = &s->args.data[d->args_at + i];
		args[i].kind = a->kind;
		args[i].offset_b = a->offset_b;
		args[i].size_b = a->size_b;
		memcpy(args[i].name, a->name, sizeof(args[i].name));
		memcpy(args[i].type, a->type, sizeof(args[i].type));
	}
	bw_names_cmd_told(cmd, d->packet_va, d->block_va, args, n);
}

/* Odd, as no handle of a driver's object is. */
static uint64_t handle_of(uint32_t pid, const struct bw_capture_object *o)
{
	return (uint64_t)pid << 33 | (uint64_t)o->id << 1 | 1;
}

void bw_captured_objects(uint32_t pid, const struct bw_capture_object *all, size_t n)
{
	_cleanup_free_ struct bw_agent_object *now = calloc(n + 1, sizeof(*now));
	for (size_t i = 0; now && i < n; i++) {
		now[i] = (struct bw_agent_object){.kind = all[i].kind,
						  .handle = handle_of(pid, &all[i]),
						  .va = all[i].va ? bw_canonical(all[i].va) : 0,
						  .size_b = all[i].size_b,
						  .format = all[i].format,
						  .flags = all[i].flags};
		memcpy(now[i].dim, all[i].dim, sizeof(now[i].dim));
		memcpy(now[i].name, all[i].name, sizeof(now[i].name));
	}
	if (now)
		bw_names_replace_memory(now, n);
}
