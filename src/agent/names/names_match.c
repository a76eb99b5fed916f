/* SPDX-License-Identifier: MIT */
/* Matches dispatch packets with dispatches of the API.
 *
 * A packet says where the code lies, how large groups are and how many there are; a recorded
 * dispatch says its pipeline and how many groups. Both lists have the same order, and the driver
 * may have put dispatches of its own (fills, copies) in between. A match is certain because a
 * driver's pipeline object points to its shader, which has the code's address: see points_to. */
#include "agent/names/names_inside.h"

#include <stdlib.h>
#include <string.h>

#include "agent/memory/peek.h"
#include "agent/names/bound_sets.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "capture/capture.h"

enum { BINDINGS_MAX = BW_CAPTURE_BOUND_MAX /* shown of one dispatch */ };

/* points_to has been right before. Under the lock. */
static bool pointers_help;

enum { PIPELINE_LOOK_B = 1024, SHADER_LOOK_B = 512 };

/* Does the driver's object of the pipeline point to something that knows this address? In RADV a
 * VkPipeline is a pointer to struct radv_pipeline, with pointers to its struct radv_shader, which
 * has `va` (radv_pipeline.h, radv_shader.h of Mesa 25.0). Read as words, since the layout is not
 * ours: a wrong reading finds nothing. */
static bool points_to(uint64_t pipeline, uint64_t code_va)
{
	uint64_t object[PIPELINE_LOOK_B / 8], shader[SHADER_LOOK_B / 8];
	if (!pipeline || pipeline % 8 || pipeline >> 47)
		return false;
	size_t n = bw_agent_peek(pipeline, object, sizeof(object)) / 8;
	for (size_t i = 0; i < n; i++) {
		if (object[i] % 8 || object[i] < 4096 || object[i] >> 47)
			continue;
		size_t m = bw_agent_peek(object[i], shader, sizeof(shader)) / 8;
		for (size_t k = 0; k < m; k++)
			if ((shader[k] & BW_VA_MASK) == (code_va & BW_VA_MASK))
				return true;
	}
	return false;
}

static bool same_shape(const struct bw_names_recorded *r, const struct bw_agent_dispatch *d,
		       const struct bw_agent_object *pipeline)
{
	for (int i = 0; i < 3; i++) {
		/* with a base the packet has end values (doc/hardware/dispatch.md 2.2) */
		uint32_t want = r->indirect ? UINT32_MAX : r->base[i] + r->groups[i];
		if (d->groups[i] != want)
			return false;
		if (pipeline && pipeline->dim[i] && d->group_size[i] != pipeline->dim[i])
			return false;
	}
	return true;
}

static bool matches(const struct bw_names_recorded *r, const struct bw_agent_dispatch *d)
{
	struct bw_agent_object *p = r->pipeline ? bw_names_pipeline_of(r->pipeline) : NULL;
	if (r->packet_va)
		return r->packet_va == d->packet_va;
	if (d->is_task) /* it is one of a draw */
		return false;
	if (!same_shape(r, d, p))
		return false;
	if (p && p->va && ((p->va ^ d->code_va) & BW_VA_MASK) == 0)
		return true;
	bool points = points_to(r->pipeline_handle, d->code_va);
	pointers_help |= points;
	if (points || !pointers_help) {
		if (p)
			p->va = d->code_va;
		return true;
	}
	return false;
}

static bool is_empty(const struct bw_names_recorded *r)
{
	return !r->indirect && (!r->groups[0] || !r->groups[1] || !r->groups[2]);
}

/* A buffer of a set, where it is now. False: there are too many, or no memory. */
static bool add_binding(uint32_t set, const struct bw_descriptor *it, struct bw_agent_dispatch *d,
			struct bw_names_blob *blob)
{
	const struct bw_agent_object *o = bw_names_find(BW_AGENT_OBJECT_BUFFER, it->buffer);
	struct bw_agent_binding b = {.set = set,
				     .binding = it->binding,
				     .element = it->element,
				     .type = it->type,
				     .at_va = it->at_va};
	if (it->is_address) {
		b.va = it->offset_b;
		b.size_b = it->range_b;
	} else if (o && o->va && it->offset_b <= o->size_b) {
		b.va = o->va + it->offset_b;
		b.size_b = BW_MIN(it->range_b, o->size_b - it->offset_b);
	}
	uint32_t at = d->n_bindings < BINDINGS_MAX ? bw_names_append(blob, &b, sizeof(b)) : 0;
	if (at && !d->n_bindings++)
		d->bindings_at = at;
	return at;
}

static void fill_bindings(const struct bw_names_submission *s, const struct bw_names_recorded *r,
			  struct bw_agent_dispatch *d, struct bw_names_blob *blob)
{
	bool cut = false;
	for (uint32_t at = 0; at < r->sets_b && !cut;) {
		struct bw_descriptors list = {0};
		uint32_t number;
		at += bw_bound_sets_read(s->text.data + r->sets_at + at, &number, &list, &cut);
		for (size_t i = 0; i < list.len && !cut; i++)
			cut = !add_binding(number, &list.data[i], d, blob);
		bw_vec_free(&list);
	}
	d->bindings_cut = cut;
}

static void fill(const struct bw_names_submission *s, const struct bw_names_recorded *r,
		 struct bw_agent_dispatch *d, struct bw_names_blob *blob)
{
	d->pipeline = r->pipeline;
	if (r->label_at) {
		const char *label = (const char *)s->text.data + r->label_at;
		d->label_b = (uint32_t)strlen(label) + 1;
		d->label_at = bw_names_append(blob, label, d->label_b);
		d->label_b = d->label_at ? d->label_b : 0;
	}
	if (r->push_b) {
		d->push_at = bw_names_append(blob, s->text.data + r->push_at, r->push_b);
		d->push_b = d->push_at ? r->push_b : 0;
	}
	fill_bindings(s, r, d, blob);
	if (r->n_args) {
		d->args_at = bw_names_append(blob, s->text.data + r->args_at,
					     r->n_args * sizeof(struct bw_agent_arg));
		d->n_args = d->args_at ? r->n_args : 0;
		d->block_va = r->block_va;
	}
}

static int by_packet(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;
	return *a < *b ? -1 : *a > *b;
}

/* Told dispatches (or draws) go by their packets; where none of these is among them, as another
 * command stream has taken the captured one's place, they go by their shape as all others. */
static void forget_packets(struct bw_names_recorded *told, size_t n,
			   const struct bw_agent_dispatches *dispatches)
{
	_cleanup_free_ uint64_t *all = calloc(dispatches->len + 1, sizeof(*all));
	for (size_t i = 0; all && i < dispatches->len; i++)
		all[i] = dispatches->data[i].packet_va;
	if (all)
		qsort(all, dispatches->len, sizeof(*all), by_packet);
	bool found = false;
	for (size_t i = 0; all && i < n; i++)
		found |= told[i].packet_va &&
			 bsearch(&told[i].packet_va, all, dispatches->len, sizeof(*all), by_packet);
	for (size_t i = 0; !found && i < n; i++)
		told[i].packet_va = 0;
}

/* The recorded dispatch that a packet is, from next on; dispatches.len: it is the
 * driver's own. */
static size_t find_recorded(const struct bw_names_submission *s, const struct bw_agent_dispatch *d)
{
	size_t k = s->next;
	/* a driver need not make a packet of an empty dispatch */
	while (k < s->dispatches.len && !matches(&s->dispatches.data[k], d) &&
	       (is_empty(&s->dispatches.data[k]) || s->dispatches.data[k].packet_va))
		k++; /* one that was told of may have been left out, too */
	bool found = k < s->dispatches.len && matches(&s->dispatches.data[k], d);
	return found ? k : s->dispatches.len;
}

/* The object of a shader that a draw runs. */
static struct bw_agent_object *shader_of(const struct bw_names_recorded *r, uint32_t stage)
{
	return bw_names_find(BW_AGENT_OBJECT_PIPELINE, BW_NAMES_STAGE(r->pipeline_handle, stage));
}

/* The shader with which the program of a stage begins: what has been made of primitives, or of
 * vertices, by the time of VERTEX depends on what the pipeline has. */
static struct bw_agent_object *first_of(const struct bw_names_recorded *r, uint32_t stage)
{
	struct bw_agent_object *o = NULL;
	if (stage == BW_AGENT_VERTEX)
		o = shader_of(r, BW_AGENT_EVALUATION);
	if (!o && stage == BW_AGENT_VERTEX)
		o = shader_of(r, BW_AGENT_MESH);
	return o ? o : shader_of(r, stage);
}

static uint32_t id_at(struct bw_agent_object *o, uint64_t code_va)
{
	if (o)
		o->va = code_va;
	return o ? o->id : 0;
}

/* The other shaders of the programs before the pixel shader. */
static void fill_programs(const struct bw_names_recorded *r, struct bw_agent_dispatch *d)
{
	if (d->hull_va) {
		d->hull[0] = id_at(shader_of(r, BW_AGENT_VERTEX), d->hull_va);
		d->hull[1] = id_at(shader_of(r, BW_AGENT_CONTROL), d->hull_va);
	}
	d->second = id_at(shader_of(r, BW_AGENT_GEOMETRY), d->code_va);
	const struct bw_agent_object *task = shader_of(r, BW_AGENT_TASK);
	d->task = task ? task->id : 0;
}

/* Whether a recorded draw is the packet whose two stages these are. Of its shaders one is enough:
 * a draw without colours may have no pixel shader of its own. */
static bool is_draw(const struct bw_names_recorded *r, const struct bw_agent_dispatch stages[2])
{
	bool fits = false;
	if (r->packet_va)
		return r->packet_va == stages->packet_va;
	if (!r->pipeline_handle || !stages->is_task != !shader_of(r, BW_AGENT_TASK))
		return false;
	/* how much there is to draw is the task shader's to say */
	if (!stages->is_task && (r->indirect ? stages->n_vertices != UINT32_MAX
					     : r->groups[0] != stages->n_vertices ||
						       r->groups[1] != stages->n_instances))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		struct bw_agent_object *o = first_of(r, stages[i].stage);
		bool same = o && o->va && ((o->va ^ stages[i].code_va) & BW_VA_MASK) == 0;
		fits |= same || points_to(r->pipeline_handle, stages[i].code_va);
	}
	return fits;
}

/* Draws are like dispatches: the driver has some of its own in between. One that the driver leaves
 * out (of no vertices) is passed over. */
static void match_draws(struct bw_names_submission *s, struct bw_agent_dispatches *draws,
			struct bw_names_blob *blob)
{
	for (size_t i = 0; i + 1 < draws->len; i += 2) {
		struct bw_agent_dispatch *stages = &draws->data[i];
		size_t k = s->next_draw;
		while (k < s->draws.len && !is_draw(&s->draws.data[k], stages))
			k++;
		if (k == s->draws.len)
			continue;
		s->next_draw = k + 1;
		for (unsigned n = 0; n < 2; n++) {
			struct bw_names_recorded r = s->draws.data[k];
			r.pipeline = id_at(first_of(&r, stages[n].stage), stages[n].code_va);
			fill(s, &r, &stages[n], blob);
			if (stages[n].stage == BW_AGENT_VERTEX)
				fill_programs(&r, &stages[n]);
		}
	}
}

/* Task shaders are dispatches of their own, in the order of their draws. */
static void match_task(struct bw_names_submission *s, struct bw_agent_dispatch *d,
		       struct bw_names_blob *blob)
{
	const bool is_indirect = d->groups[0] == UINT32_MAX;
	const uint32_t n = d->groups[0] * d->groups[1] * d->groups[2];
	for (size_t k = s->next_task; k < s->draws.len; k++) {
		struct bw_names_recorded r = s->draws.data[k];
		struct bw_agent_object *o = shader_of(&r, BW_AGENT_TASK);
		if (!o || r.indirect != is_indirect || (!is_indirect && r.groups[0] != n))
			continue;
		s->next_task = k + 1;
		r.pipeline = id_at(o, d->code_va);
		fill(s, &r, d, blob);
		return;
	}
}

static uint32_t match(struct bw_names_submission *s, struct bw_agent_dispatches *dispatches,
		      struct bw_agent_dispatches *draws, struct bw_names_blob *blob)
{
	pthread_mutex_lock(&bw_names_lock);
	const uint32_t frame = bw_names_frame(s);
	if (s->active) {
		forget_packets(s->dispatches.data, s->dispatches.len, dispatches);
		forget_packets(s->draws.data, s->draws.len, draws);
		bw_vec_each(dispatches, d) {
			size_t k = find_recorded(s, d);
			if (k >= s->dispatches.len && d->is_task)
				match_task(s, d, blob);
			if (k >= s->dispatches.len)
				continue; /* the driver's own */
			fill(s, &s->dispatches.data[k], d, blob);
			s->next = k + 1;
		}
		match_draws(s, draws, blob);
	}
	pthread_mutex_unlock(&bw_names_lock);
	return frame;
}

uint32_t bw_names_match(struct bw_agent_dispatches *dispatches, struct bw_agent_dispatches *draws,
			struct bw_names_blob *blob)
{
	return match(bw_names_mine(), dispatches, draws, blob);
}

/* ---- Submissions that a debugger comes too late for ---- */

struct bw_names_kept {
	struct bw_names_submission submission;
};

static struct bw_names_kept *copy_of(const struct bw_names_submission *s)
{
	struct bw_names_kept *kept = calloc(1, sizeof(*kept));
	struct bw_names_submission *to = kept ? &kept->submission : NULL;
	struct bw_error *err = kept ? bw_vec_reserve(&to->dispatches, s->dispatches.len) : NULL;
	if (kept && !err)
		err = bw_vec_reserve(&to->draws, s->draws.len);
	if (kept && !err)
		err = bw_vec_reserve(&to->text, s->text.len);
	if (!kept || err) {
		bw_error_free(err);
		bw_names_kept_free(kept);
		return NULL;
	}
	to->active = true;
	if (s->dispatches.len)
		memcpy(to->dispatches.data, s->dispatches.data,
		       s->dispatches.len * sizeof(*s->dispatches.data));
	if (s->draws.len)
		memcpy(to->draws.data, s->draws.data, s->draws.len * sizeof(*s->draws.data));
	if (s->text.len)
		memcpy(to->text.data, s->text.data, s->text.len);
	to->dispatches.len = s->dispatches.len;
	to->draws.len = s->draws.len;
	to->text.len = s->text.len;
	return kept;
}

struct bw_names_kept *bw_names_keep(void)
{
	const struct bw_names_submission *s = bw_names_mine();
	return s->active && (s->dispatches.len || s->draws.len) ? copy_of(s) : NULL;
}

struct bw_names_kept *bw_names_kept_copy(const struct bw_names_kept *kept)
{
	return kept ? copy_of(&kept->submission) : NULL;
}

void bw_names_kept_free(struct bw_names_kept *kept)
{
	if (!kept)
		return;
	bw_vec_free(&kept->submission.dispatches);
	bw_vec_free(&kept->submission.draws);
	bw_vec_free(&kept->submission.text);
	free(kept);
}

uint32_t bw_names_match_kept(struct bw_names_kept *kept, struct bw_agent_dispatches *dispatches,
			     struct bw_agent_dispatches *draws, struct bw_names_blob *blob)
{
	if (!kept || bw_names_mine()->active)
		return 0;
	kept->submission.next = kept->submission.next_draw = kept->submission.next_task = 0;
	return match(&kept->submission, dispatches, draws, blob);
}
