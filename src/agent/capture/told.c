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

/* Graphics pipelines, by their vertex and pixel shader. The handle of the one at i has room for the
 * number of a stage (BW_NAMES_STAGE), and is not an address. */
struct known_draw {
	struct known stages[2];
};
static struct BW_VEC(struct known_draw) draw_pipelines;
#define DRAW_PIPELINE(i) (1ull << 62 | (uint64_t)(i) << 3)

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

static bool is_known(const struct bw_capture_dispatch *d)
{
	return d->pipeline[0] || d->hash;
}

static struct known known_as(const struct bw_capture_dispatch *d)
{
	struct known k = {.code_va = d->code_va, .hash = d->hash};
	memcpy(k.name, d->pipeline, sizeof(k.name) - 1);
	memcpy(k.entry, d->entry, sizeof(k.entry) - 1);
	return k;
}

/* Adds the object of a shader; made_of NULL: its record is not known. */
static void add_object(const struct bw_capture_dispatch *d,
		       const struct bw_capture_pipeline *made_of, enum bw_agent_stage stage,
		       uint64_t handle)
{
	const struct known k = known_as(d);
	struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_PIPELINE,
				    .handle = handle,
				    .va = d->code_va,
				    .hash = d->hash,
				    .stage = stage};
	memcpy(o.dim, d->group_size, sizeof(o.dim));
	memcpy(o.name, k.name, sizeof(o.name));
	memcpy(o.entry, k.entry, sizeof(o.entry));
	memcpy(o.module, d->module, sizeof(o.module) - 1);
	memcpy(o.file, d->file, sizeof(o.file) - 1);
	/* where the pipeline had no name the capture has that of what it was made of; kernels of
	 * OpenCL, which have no SPIR-V here, always have one */
	if (d->hash && (!strcmp(o.name, o.module) || !strcmp(o.name, o.entry)))
		o.name[0] = 0;
	if (made_of)
		note_layout(made_of, &o);
	uint32_t id = bw_names_add(&o);
	if (made_of && made_of->spirv.len)
		add_shader(id, o.handle, made_of);
}

/* The handle of its pipeline; 0: the program's API knew of none, or no memory. */
static uint64_t pipeline_of(const struct bw_told_dispatch *t)
{
	const struct known k = known_as(t->dispatch);
	if (!is_known(t->dispatch))
		return 0;
	for (size_t i = 0; i < pipelines.len; i++)
		if (!memcmp(&pipelines.data[i], &k, sizeof(k)))
			return FIRST_PIPELINE + 2 * i;
	struct bw_error *err = bw_vec_push(&pipelines, k);
	if (err) {
		bw_error_free(err);
		return 0;
	}
	uint64_t handle = FIRST_PIPELINE + 2 * (pipelines.len - 1);
	add_object(t->dispatch, t->made_of, BW_AGENT_COMPUTE, handle);
	return handle;
}

/* What the shader is for with which the program before the pixel shader begins. A capture has no
 * other one of that program. */
static enum bw_agent_stage first_stage(const struct bw_capture_pipeline *made_of)
{
	const uint32_t stage = made_of ? made_of->head.stage : BW_CAPTURE_VERTEX;
	return stage == BW_CAPTURE_EVALUATION || stage == BW_CAPTURE_MESH
		       ? (enum bw_agent_stage)stage
		       : BW_AGENT_VERTEX;
}

/* The same for a draw. */
static uint64_t draw_pipeline_of(const struct bw_told_dispatch *t,
				 const struct bw_capture_draw *draw)
{
	const struct bw_capture_dispatch pixel = bw_capture_pixel_shader(draw);
	const struct known_draw k = {{known_as(t->dispatch), known_as(&pixel)}};
	if (!is_known(t->dispatch) && !is_known(&pixel))
		return 0;
	for (size_t i = 0; i < draw_pipelines.len; i++)
		if (!memcmp(&draw_pipelines.data[i], &k, sizeof(k)))
			return DRAW_PIPELINE(i);
	struct bw_error *err = bw_vec_push(&draw_pipelines, k);
	if (err) {
		bw_error_free(err);
		return 0;
	}
	uint64_t handle = DRAW_PIPELINE(draw_pipelines.len - 1);
	const enum bw_agent_stage first = first_stage(t->made_of);
	if (is_known(t->dispatch))
		add_object(t->dispatch, t->made_of, first, BW_NAMES_STAGE(handle, first));
	if (is_known(&pixel))
		add_object(&pixel, t->pixel_made_of, BW_AGENT_PIXEL,
			   BW_NAMES_STAGE(handle, BW_AGENT_PIXEL));
	return handle;
}

static void note(const struct bw_capture_submission *s, const struct bw_told_dispatch *t)
{
	static const char separator[] = {BW_AGENT_LABEL_SEPARATOR, 0};
	const struct bw_capture_dispatch *d = t->dispatch;
	const struct bw_capture_draw *draw = bw_capture_draw_of(s, d);
	const uint64_t record = draw ? BW_NAMES_DRAWS(COMMANDS) : COMMANDS;
	uint64_t pipeline = draw ? draw_pipeline_of(t, draw) : pipeline_of(t);
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
	bw_names_cmd_pipeline(record, pipeline);
	bw_captured_bind(record, s, d);
	if (draw)
		bw_names_cmd_draw(COMMANDS, draw->n_vertices, draw->n_instances);
	else
		bw_names_cmd_dispatch(COMMANDS, NULL, d->indirect_va ? NULL : d->groups);
	bw_captured_give(record, s, d);
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
