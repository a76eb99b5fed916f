/* SPDX-License-Identifier: MIT */
/* A replay in whose process the agent is: it has no API whose calls name things, but knows what the
 * capture says of each dispatch (capture/told.h). That is noted as if a layer had seen it: a
 * command buffer for each dispatch. */
#include "capture/told.h"

#include <stdlib.h>
#include <string.h>

#include "agent/capture/captured.h"
#include "agent/names/loaded_code.h"
#include "agent/names/names_priv.h"
#include "agent/shaders/shaders.h"
#include "base/cleanup.h"
#include "base/util.h"

#define EXPORT __attribute__((visibility("default")))

/* No handle of a driver's object is odd or so small: nothing is looked for at these places. The
 * command buffer's is even, as its draws' is not (BW_NAMES_DRAWS). */
enum { COMMANDS = 2, FIRST_PIPELINE = 3 };
enum { DISPATCHES_MAX = 4096 }; /* as many as are shown of a submission */

/* Pipelines that were told of, by what makes them differ; the one at i has the handle
 * FIRST_PIPELINE + 2 * i. */
struct known {
	uint64_t code_va, hash;
	char name[64], entry[64];
};
static struct BW_VEC(struct known) pipelines;

static void add_shader(uint32_t id, uint64_t handle, const struct bw_capture_pipeline *p)
{
	_cleanup_free_ struct bw_agent_constant *constants =
		calloc(p->constants.len + 1, sizeof(*constants));
	struct bw_spirv_copy *spirv =
		bw_spirv_copy_new(p->spirv.data, p->spirv.len * sizeof(*p->spirv.data));
	for (size_t i = 0; constants && i < p->constants.len; i++) {
		const struct bw_capture_constant *c = &p->constants.data[i];
		constants[i] = (struct bw_agent_constant){c->id, c->size_b, c->value};
	}
	if (constants && spirv)
		bw_shaders_add(id, handle, spirv, constants, p->constants.len);
	bw_spirv_copy_unref(spirv);
}

/* Counts as vk_shaders.c does: bindings that lie in a set itself. */
static void note_layout(const struct bw_capture_pipeline *p, struct bw_agent_object *o)
{
	size_t at = 0;
	bw_vec_each(&p->pushes, range)
		o->push_b = BW_MAX(o->push_b, range->offset_b + range->size_b);
	for (size_t i = 0; i < p->sets.len && i < BW_ARRAY_SIZE(o->sets); i++) {
		uint64_t n = 0;
		for (uint32_t k = 0; k < p->sets.data[i].n_bindings && at < p->bindings.len; k++)
			n += p->bindings.data[at++].count;
		o->sets[i] = (uint16_t)BW_MIN(n, (uint64_t)UINT16_MAX);
	}
}

/* The handle of its pipeline; 0: the program's API knew of none, or no memory. */
static uint64_t pipeline_of(const struct bw_told_dispatch *t)
{
	const struct bw_capture_dispatch *d = t->dispatch;
	struct known k = {.code_va = d->code_va, .hash = d->hash};
	if (!d->pipeline[0] && !d->hash)
		return 0;
	memcpy(k.name, d->pipeline, sizeof(k.name) - 1);
	memcpy(k.entry, d->entry, sizeof(k.entry) - 1);
	for (size_t i = 0; i < pipelines.len; i++)
		if (!memcmp(&pipelines.data[i], &k, sizeof(k)))
			return FIRST_PIPELINE + 2 * i;
	struct bw_error *err = bw_vec_push(&pipelines, k);
	if (err) {
		bw_error_free(err);
		return 0;
	}
	struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_PIPELINE,
				    .handle = FIRST_PIPELINE + 2 * (pipelines.len - 1),
				    .va = d->code_va,
				    .hash = d->hash};
	memcpy(o.dim, d->group_size, sizeof(o.dim));
	memcpy(o.name, k.name, sizeof(o.name));
	memcpy(o.entry, k.entry, sizeof(o.entry));
	memcpy(o.module, d->module, sizeof(o.module) - 1);
	memcpy(o.file, d->file, sizeof(o.file) - 1);
	/* where the pipeline had no name the capture has that of what it was made of; kernels of
	 * OpenCL, which have no SPIR-V here, always have one */
	if (d->hash && (!strcmp(o.name, o.module) || !strcmp(o.name, o.entry)))
		o.name[0] = 0;
	if (t->made_of)
		note_layout(t->made_of, &o);
	uint32_t id = bw_names_add(&o);
	if (t->made_of && t->made_of->spirv.len)
		add_shader(id, o.handle, t->made_of);
	return o.handle;
}

static void note(const struct bw_capture_submission *s, const struct bw_told_dispatch *t)
{
	static const char separator[] = {BW_AGENT_LABEL_SEPARATOR, 0};
	const struct bw_capture_dispatch *d = t->dispatch;
	uint64_t pipeline = pipeline_of(t);
	if (t->made_of && t->made_of->code.len)
		bw_loaded_code_tell(t->made_of->code_base, t->made_of->head.entry,
				    t->made_of->code.data, t->made_of->code.len);
	if (!pipeline)
		return;
	bw_names_cmd_begin(COMMANDS);
	for (const char *level = bw_capture_label(s, d); *level;) {
		size_t n = strcspn(level, separator);
		_cleanup_free_ char *one = strndup(level, n);
		bw_names_cmd_label_begin(COMMANDS, one ? one : "");
		level += n + (level[n] != 0);
	}
	bw_names_cmd_pipeline(COMMANDS, pipeline);
	bw_captured_bind(COMMANDS, s, d);
	bw_names_cmd_dispatch(COMMANDS, NULL, d->indirect_va ? NULL : d->groups);
	bw_captured_give(COMMANDS, s, d);
	bw_names_submit_add(COMMANDS);
}

EXPORT bw_told_begin_fn bw_agent_told_begin;
EXPORT bw_told_end_fn bw_agent_told_end;

void bw_agent_told_begin(const struct bw_told_submission *told)
{
	bw_captured_objects(told->s->summary.pid, told->objects, told->n_objects);
	bw_names_submit_begin(0);
	bw_names_submit_frame(told->s->summary.frame);
	for (size_t i = 0; i < BW_MIN(told->n, (size_t)DISPATCHES_MAX); i++)
		note(told->s, &told->dispatches[i]);
}

void bw_agent_told_end(void)
{
	bw_names_submit_end();
}
