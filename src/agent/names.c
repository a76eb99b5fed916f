/* SPDX-License-Identifier: MIT */
/* Objects, recorded command buffers, and which dispatch packet is which dispatch of the API.
 *
 * A packet says where the code lies, how large groups are and how many there are; a recorded
 * dispatch says its pipeline and how many groups. Both lists have the same order, and the driver
 * may have put dispatches of its own (fills, copies) in between. What makes it certain is that a
 * driver's pipeline object points to its shader, and that knows the code's address: see
 * points_to.
 *
 * long file: objects, what was recorded, and the match of both are one state under one lock. */
#include "agent/names_priv.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/bound_sets.h"
#include "agent/peek.h"
#include "agent/track_priv.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "capture/capture.h"

enum {
	PUSH_MAX_B = 256,
	LABEL_MAX_B = 512, /* of all levels of one */
	OTHER_NAMES_MAX = 65536,
	DISPATCHES_MAX = 1 << 16,	     /* remembered of one command buffer */
	BINDINGS_MAX = BW_CAPTURE_BOUND_MAX, /* shown of one dispatch */
};

struct recorded {
	uint64_t pipeline_handle;
	uint32_t pipeline; /* id */
	bool indirect;
	uint32_t base[3], groups[3];
	uint32_t label_at, push_at, push_b; /* in the command buffer's text; label_at 0: none */
	uint32_t sets_at, sets_b;	    /* the same: as bound_sets.h writes them */
	uint32_t args_at, n_args;	    /* the same: bw_agent_arg */
	uint64_t packet_va, block_va;	    /* told; 0: not known */
};

struct recorded_list BW_VEC(struct recorded);

/* Labels that are open, with BW_AGENT_LABEL_SEPARATOR between them. */
struct levels {
	char text[LABEL_MAX_B];
	unsigned n_left_out; /* the innermost ones, for which there was no room */
};

struct command_buffer {
	uint64_t handle, pipeline_handle;
	uint32_t pipeline;
	struct BW_VEC(struct recorded) dispatches;
	struct bw_names_blob text; /* byte 0 is not used */
	struct levels label;
	char inserted[LABEL_MAX_B];
	uint32_t label_at; /* of the label as it is now; 0: to be written */
	uint8_t push[PUSH_MAX_B];
	uint32_t push_b, push_at;
	struct bw_bound_sets sets;
	uint32_t sets_at, sets_b; /* of the sets as they are now; at 0: to be written */
};

struct other_name {
	uint64_t handle;
	char name[64];
};

struct queue_label {
	uint64_t queue;
	struct levels label;
};

static struct {
	pthread_mutex_t lock;
	struct bw_agent_objects objects;
	uint32_t next_id[4];			     /* by kind */
	struct BW_VEC(struct command_buffer *) cmds; /* by handle */
	struct BW_VEC(struct other_name) others;
	struct BW_VEC(struct queue_label) queues;
	bool pointers_help; /* points_to has been right before */
	uint32_t presents;
	uint64_t changes; /* of buffers and images */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What this thread is submitting. */
static __thread struct {
	bool active, waits_for_map, has_frame;
	uint32_t frame; /* has_frame: told */
	uint64_t queue, map_va, map_size_b;
	struct recorded_list dispatches;
	struct bw_names_blob text;
	size_t next;
} mine;

static void copy_name(char *to, size_t room, const char *from)
{
	size_t n = from ? strnlen(from, room - 1) : 0;
	if (n)
		memcpy(to, from, n);
	to[n] = 0;
}

/* ---- Objects ---- */

static void note_change(uint32_t kind)
{
	g.changes += kind == BW_AGENT_OBJECT_BUFFER || kind == BW_AGENT_OBJECT_IMAGE;
}

uint64_t bw_names_changes(void)
{
	pthread_mutex_lock(&g.lock);
	uint64_t n = g.changes;
	pthread_mutex_unlock(&g.lock);
	return n;
}

static struct bw_agent_object *find(uint32_t kind, uint64_t handle)
{
	/* the driver uses handles again soon, so the newest entry is the likeliest */
	for (size_t i = g.objects.len; i-- > 0;)
		if (g.objects.data[i].kind == kind && g.objects.data[i].handle == handle)
			return &g.objects.data[i];
	return NULL;
}

uint32_t bw_names_add(const struct bw_agent_object *o)
{
	uint32_t id = 0;
	pthread_mutex_lock(&g.lock);
	struct bw_agent_object *old = find(o->kind, o->handle);
	if (old)
		bw_vec_remove(&g.objects, (size_t)(old - g.objects.data));
	struct bw_agent_object new = *o;
	id = new.id = ++g.next_id[o->kind];
	note_change(o->kind);
	bw_error_free(bw_vec_push(&g.objects, new)); /* without memory it has no name */
	pthread_mutex_unlock(&g.lock);
	return id;
}

uint32_t bw_names_object(const struct bw_agent_object *o)
{
	pthread_mutex_lock(&g.lock);
	const struct bw_agent_object *old = find(o->kind, o->handle);
	uint32_t id = old ? old->id : 0;
	pthread_mutex_unlock(&g.lock);
	return id ? id : bw_names_add(o);
}

void bw_names_remove(uint32_t kind, uint64_t handle)
{
	pthread_mutex_lock(&g.lock);
	struct bw_agent_object *o = handle ? find(kind, handle) : NULL;
	if (o)
		bw_vec_remove(&g.objects, (size_t)(o - g.objects.data));
	note_change(kind);
	pthread_mutex_unlock(&g.lock);
}

static struct other_name *find_other(uint64_t handle)
{
	bw_vec_each(&g.others, o)
		if (o->handle == handle)
			return o;
	return NULL;
}

void bw_names_set_name(uint32_t kind, uint64_t handle, const char *name)
{
	pthread_mutex_lock(&g.lock);
	struct bw_agent_object *o = kind ? find(kind, handle) : NULL;
	if (o)
		copy_name(o->name, sizeof(o->name), name);
	note_change(kind);
	if (!kind) {
		struct other_name new = {.handle = handle}, *old = find_other(handle);
		if (!old && g.others.len < OTHER_NAMES_MAX) {
			struct bw_error *err = bw_vec_push(&g.others, new);
			old = err ? NULL : &g.others.data[g.others.len - 1];
			bw_error_free(err);
		}
		if (old)
			copy_name(old->name, sizeof(old->name), name);
	}
	pthread_mutex_unlock(&g.lock);
}

const char *bw_names_other_name(uint64_t handle, char out[64])
{
	pthread_mutex_lock(&g.lock);
	struct other_name *o = find_other(handle);
	copy_name(out, 64, o ? o->name : "");
	pthread_mutex_unlock(&g.lock);
	return out;
}

void bw_names_place(uint32_t kind, uint64_t handle, uint64_t va, uint64_t size_b)
{
	pthread_mutex_lock(&g.lock);
	struct bw_agent_object *o = find(kind, handle);
	if (o) {
		o->va = va ? bw_canonical(va) : 0;
		if (size_b)
			o->size_b = size_b;
	}
	note_change(kind);
	pthread_mutex_unlock(&g.lock);
}

struct bw_error *bw_names_objects(struct bw_agent_objects *out)
{
	pthread_mutex_lock(&g.lock);
	struct bw_error *err = bw_vec_reserve(out, g.objects.len);
	if (!err && g.objects.len) {
		memcpy(out->data, g.objects.data, g.objects.len * sizeof(*out->data));
		out->len = g.objects.len;
	}
	pthread_mutex_unlock(&g.lock);
	return err;
}

static int by_handle(const void *pa, const void *pb)
{
	const struct bw_agent_object *a = pa, *b = pb;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->handle < b->handle ? -1 : a->handle > b->handle;
}

/* Lock held. Pipelines stay; sorted: what there was, for its ids. */
static struct bw_error *replace_memory(const struct bw_agent_object *all, size_t n,
				       struct bw_agent_objects *sorted)
{
	struct bw_agent_objects now = {0};
	BW_TRY(bw_vec_reserve(sorted, g.objects.len));
	BW_TRY(bw_vec_reserve(&now, g.objects.len + n));
	bw_vec_each(&g.objects, o) {
		sorted->data[sorted->len++] = *o;
		if (o->kind == BW_AGENT_OBJECT_PIPELINE)
			now.data[now.len++] = *o;
	}
	if (sorted->len)
		qsort(sorted->data, sorted->len, sizeof(*sorted->data), by_handle);
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_object one = all[i], *old = NULL;
		if (sorted->len)
			old = bsearch(&one, sorted->data, sorted->len, sizeof(one), by_handle);
		one.id = old ? old->id : ++g.next_id[one.kind];
		now.data[now.len++] = one;
	}
	bw_vec_free(&g.objects);
	g.objects = now;
	g.changes++;
	return NULL;
}

void bw_names_replace_memory(const struct bw_agent_object *all, size_t n)
{
	struct bw_agent_objects sorted = {0};
	pthread_mutex_lock(&g.lock);
	struct bw_error *err = replace_memory(all, n, &sorted);
	pthread_mutex_unlock(&g.lock);
	bw_vec_free(&sorted);
	bw_error_free(err); /* without memory they stay as they were */
}

/* ---- Where memory of the API lies ---- */

void bw_names_map_begin(void)
{
	mine.waits_for_map = true;
	mine.map_va = mine.map_size_b = 0;
}

uint64_t bw_names_map_end(void)
{
	mine.waits_for_map = false;
	return mine.map_va;
}

void bw_names_mapped(uint64_t va, uint64_t size_b)
{
	if (!mine.waits_for_map || size_b <= mine.map_size_b)
		return;
	mine.map_va = bw_canonical(va);
	mine.map_size_b = size_b;
}

/* ---- Recording ---- */

static size_t cmd_index(uint64_t handle)
{
	size_t lo = 0, hi = g.cmds.len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (g.cmds.data[mid]->handle < handle)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct command_buffer *find_cmd(uint64_t handle)
{
	size_t i = cmd_index(handle);
	return i < g.cmds.len && g.cmds.data[i]->handle == handle ? g.cmds.data[i] : NULL;
}

static void free_cmd(struct command_buffer *c)
{
	bw_vec_free(&c->dispatches);
	bw_vec_free(&c->text);
	bw_bound_sets_clear(&c->sets);
	free(c);
}

/* Runs `what` with c set to the record of the command buffer. */
#define WITH_CMD(handle, what)                                                                     \
	do {                                                                                       \
		pthread_mutex_lock(&g.lock);                                                       \
		struct command_buffer *c = find_cmd(handle);                                       \
		if (c) {                                                                           \
			what;                                                                      \
		}                                                                                  \
		pthread_mutex_unlock(&g.lock);                                                     \
	} while (0)

void bw_names_cmd_begin(uint64_t handle)
{
	pthread_mutex_lock(&g.lock);
	struct command_buffer *c = find_cmd(handle);
	if (!c) {
		c = calloc(1, sizeof(*c));
		struct bw_error *err = c ? bw_vec_reserve(&g.cmds, g.cmds.len + 1) : NULL;
		if (!c || err) {
			free(c);
			pthread_mutex_unlock(&g.lock);
			bw_error_free(err);
			return;
		}
		c->handle = handle;
		size_t at = cmd_index(handle);
		memmove(&g.cmds.data[at + 1], &g.cmds.data[at],
			(g.cmds.len - at) * sizeof(*g.cmds.data));
		g.cmds.data[at] = c;
		g.cmds.len++;
	}
	c->dispatches.len = c->text.len = 0;
	c->pipeline = 0;
	c->pipeline_handle = 0;
	c->label = (struct levels){0};
	c->inserted[0] = 0;
	c->label_at = c->push_b = c->push_at = c->sets_at = 0;
	bw_bound_sets_clear(&c->sets);
	pthread_mutex_unlock(&g.lock);
}

void bw_names_cmd_free(uint64_t handle)
{
	pthread_mutex_lock(&g.lock);
	size_t at = cmd_index(handle);
	if (at < g.cmds.len && g.cmds.data[at]->handle == handle) {
		free_cmd(g.cmds.data[at]);
		bw_vec_remove(&g.cmds, at);
	}
	pthread_mutex_unlock(&g.lock);
}

static void bind(struct command_buffer *c, uint64_t pipeline)
{
	const struct bw_agent_object *o = find(BW_AGENT_OBJECT_PIPELINE, pipeline);
	c->pipeline_handle = pipeline;
	c->pipeline = o ? o->id : 0;
}

void bw_names_cmd_pipeline(uint64_t cmd, uint64_t pipeline)
{
	WITH_CMD(cmd, bind(c, pipeline));
}

uint32_t bw_names_append(struct bw_names_blob *b, const void *data, size_t size_b)
{
	size_t at = BW_MAX(b->len, (size_t)1);
	struct bw_error *err = bw_vec_reserve(b, at + size_b);
	if (err) {
		bw_error_free(err);
		return 0;
	}
	b->data[0] = b->len ? b->data[0] : 0;
	memcpy(b->data + at, data, size_b);
	b->len = at + size_b;
	return (uint32_t)at;
}

static const char separator[] = {BW_AGENT_LABEL_SEPARATOR, 0};

static uint32_t label_of(struct command_buffer *c)
{
	char text[2 * LABEL_MAX_B];
	const char *label = c->label.text;
	if (c->label_at || (!label[0] && !c->inserted[0]))
		return c->label_at;
	snprintf(text, sizeof(text), "%s%s%s", label, label[0] && c->inserted[0] ? separator : "",
		 c->inserted);
	return c->label_at = bw_names_append(&c->text, text, strlen(text) + 1);
}

static void record(struct command_buffer *c, const uint32_t *base, const uint32_t *groups)
{
	struct recorded r = {.pipeline_handle = c->pipeline_handle,
			     .pipeline = c->pipeline,
			     .indirect = !groups,
			     .label_at = label_of(c)};
	if (base)
		memcpy(r.base, base, sizeof(r.base));
	if (groups)
		memcpy(r.groups, groups, sizeof(r.groups));
	if (c->push_b && !c->push_at)
		c->push_at = bw_names_append(&c->text, c->push, c->push_b);
	r.push_at = c->push_at;
	r.push_b = c->push_at ? c->push_b : 0;
	if (!c->sets_at)
		c->sets_at = bw_bound_sets_write(&c->sets, &c->text, &c->sets_b);
	r.sets_at = c->sets_at;
	r.sets_b = c->sets_b;
	if (c->dispatches.len < DISPATCHES_MAX)
		bw_error_free(bw_vec_push(&c->dispatches, r));
}

void bw_names_cmd_dispatch(uint64_t cmd, const uint32_t *base, const uint32_t *groups)
{
	WITH_CMD(cmd, record(c, base, groups));
}

void bw_names_cmd_push(uint64_t cmd, uint32_t offset_b, uint32_t size_b, const void *data)
{
	if (offset_b > PUSH_MAX_B || size_b > PUSH_MAX_B - offset_b)
		return;
	WITH_CMD(cmd, {
		memcpy(c->push + offset_b, data, size_b);
		c->push_b = BW_MAX(c->push_b, offset_b + size_b);
		c->push_at = 0;
	});
}

void bw_names_cmd_set(uint64_t cmd, uint32_t number, uint64_t set, const uint32_t *offsets,
		      uint32_t n_offsets)
{
	WITH_CMD(cmd, {
		bw_bound_sets_bind(&c->sets, number, set, offsets, n_offsets);
		c->sets_at = 0;
	});
}

void bw_names_cmd_push_set(uint64_t cmd, uint32_t number, uint64_t layout,
			   const struct bw_descriptors *descriptors)
{
	WITH_CMD(cmd, {
		bw_bound_sets_push(&c->sets, number, layout, descriptors);
		c->sets_at = 0;
	});
}

void bw_names_cmd_told(uint64_t cmd, uint64_t packet_va, uint64_t block_va,
		       const struct bw_agent_arg *args, uint32_t n_args)
{
	WITH_CMD(cmd, {
		struct recorded *r =
			c->dispatches.len ? &c->dispatches.data[c->dispatches.len - 1] : NULL;
		if (r) {
			r->packet_va = packet_va;
			r->block_va = block_va;
			r->args_at =
				n_args ? bw_names_append(&c->text, args, n_args * sizeof(*args))
				       : 0;
			r->n_args = r->args_at ? n_args : 0;
		}
	});
}

/* What has no room is cut, and ends with "..."; levels below it are left out. */
static void push_label(struct levels *l, const char *more)
{
	static const char cut[] = "...";
	char *label = l->text;
	size_t n = strlen(label), m = more ? strnlen(more, LABEL_MAX_B) : 0;
	const size_t room = LABEL_MAX_B - BW_MIN(n + 2, (size_t)LABEL_MAX_B);
	if (l->n_left_out || room < sizeof(cut)) {
		l->n_left_out++;
		return;
	}
	const bool is_whole = m <= room;
	m = is_whole ? m : room;
	if (n)
		label[n++] = BW_AGENT_LABEL_SEPARATOR;
	for (size_t i = 0; i < m; i++)
		label[n + i] = more[i] == BW_AGENT_LABEL_SEPARATOR ? ' ' : more[i];
	label[n + m] = 0;
	if (!is_whole)
		memcpy(label + n + m - strlen(cut), cut, sizeof(cut));
}

static void pop_label(struct levels *l)
{
	char *last = strrchr(l->text, BW_AGENT_LABEL_SEPARATOR);
	if (l->n_left_out)
		l->n_left_out--;
	else
		*(last ? last : l->text) = 0;
}

void bw_names_cmd_label_begin(uint64_t cmd, const char *label)
{
	WITH_CMD(cmd, {
		push_label(&c->label, label);
		c->inserted[0] = 0;
		c->label_at = 0;
	});
}

void bw_names_cmd_label_end(uint64_t cmd)
{
	WITH_CMD(cmd, {
		pop_label(&c->label);
		c->inserted[0] = 0;
		c->label_at = 0;
	});
}

void bw_names_cmd_label_insert(uint64_t cmd, const char *label)
{
	WITH_CMD(cmd, {
		copy_name(c->inserted, sizeof(c->inserted), label);
		for (char *p = c->inserted; *p; p++)
			*p = *p == BW_AGENT_LABEL_SEPARATOR ? ' ' : *p;
		c->label_at = 0;
	});
}

/* Dispatches and their texts of one list go to the end of another; prefix is put before labels. */
static void copy_recorded(struct recorded r, const struct bw_names_blob *text, const char *prefix,
			  struct bw_names_blob *to_text, struct recorded *out)
{
	if (r.label_at || prefix[0]) {
		const char *own = r.label_at ? (const char *)text->data + r.label_at : "";
		/* of a queue, a command buffer, one that it calls and one that was inserted */
		char label[4 * LABEL_MAX_B];
		snprintf(label, sizeof(label), "%s%s%s", prefix,
			 prefix[0] && own[0] ? separator : "", own);
		r.label_at = bw_names_append(to_text, label, strlen(label) + 1);
	}
	if (r.push_b)
		r.push_at = bw_names_append(to_text, text->data + r.push_at, r.push_b);
	if (r.sets_b)
		r.sets_at = bw_names_append(to_text, text->data + r.sets_at, r.sets_b);
	if (r.n_args)
		r.args_at = bw_names_append(to_text, text->data + r.args_at,
					    r.n_args * sizeof(struct bw_agent_arg));
	*out = r;
}

void bw_names_cmd_execute(uint64_t cmd, uint64_t secondary)
{
	pthread_mutex_lock(&g.lock);
	struct command_buffer *c = find_cmd(cmd), *s = find_cmd(secondary);
	if (c && s && c != s) {
		bw_vec_each(&s->dispatches, r) {
			struct recorded copy;
			copy_recorded(*r, &s->text, c->label.text, &c->text, &copy);
			if (c->dispatches.len < DISPATCHES_MAX)
				bw_error_free(bw_vec_push(&c->dispatches, copy));
		}
	}
	pthread_mutex_unlock(&g.lock);
}

/* ---- Submitting ---- */

static struct queue_label *queue_label(uint64_t queue)
{
	bw_vec_each(&g.queues, q)
		if (q->queue == queue)
			return q;
	return NULL;
}

void bw_names_queue_label_begin(uint64_t queue, const char *label)
{
	pthread_mutex_lock(&g.lock);
	struct queue_label *q = queue_label(queue), new = {.queue = queue};
	if (!q) {
		struct bw_error *err = bw_vec_push(&g.queues, new);
		q = err ? NULL : &g.queues.data[g.queues.len - 1];
		bw_error_free(err);
	}
	if (q)
		push_label(&q->label, label);
	pthread_mutex_unlock(&g.lock);
}

void bw_names_queue_label_end(uint64_t queue)
{
	pthread_mutex_lock(&g.lock);
	struct queue_label *q = queue_label(queue);
	if (q)
		pop_label(&q->label);
	pthread_mutex_unlock(&g.lock);
}

void bw_names_submit_begin(uint64_t queue)
{
	mine.active = true;
	mine.has_frame = false;
	mine.queue = queue;
	mine.dispatches.len = mine.text.len = mine.next = 0;
}

void bw_names_submit_add(uint64_t cmd)
{
	pthread_mutex_lock(&g.lock);
	struct command_buffer *c = find_cmd(cmd);
	const struct queue_label *q = queue_label(mine.queue);
	if (c) {
		bw_vec_each(&c->dispatches, r) {
			struct recorded copy;
			copy_recorded(*r, &c->text, q ? q->label.text : "", &mine.text, &copy);
			bw_error_free(bw_vec_push(&mine.dispatches, copy));
		}
	}
	pthread_mutex_unlock(&g.lock);
}

void bw_names_submit_frame(uint32_t frame)
{
	mine.has_frame = true;
	mine.frame = frame;
}

void bw_names_submit_end(void)
{
	mine.active = false;
	bw_vec_free(&mine.dispatches);
	bw_vec_free(&mine.text);
	mine.next = 0;
}

void bw_names_present(void)
{
	pthread_mutex_lock(&g.lock);
	g.presents++;
	pthread_mutex_unlock(&g.lock);
}

/* ---- Which packet is which dispatch ---- */

enum { PIPELINE_LOOK_B = 1024, SHADER_LOOK_B = 512 };

/* Does the driver's object of the pipeline point to something that knows this address? In RADV a
 * VkPipeline is a pointer to struct radv_pipeline, with pointers to its struct radv_shader, which
 * has `va` (radv_pipeline.h, radv_shader.h of Mesa 25.0). Read as words, since the layout is not
 * ours: a wrong reading finds nothing. */
static bool points_to(uint64_t pipeline, uint64_t code_va)
{
	uint64_t object[PIPELINE_LOOK_B / 8], shader[SHADER_LOOK_B / 8];
	if (!pipeline || pipeline % 8)
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

static struct bw_agent_object *pipeline_by_id(uint32_t id)
{
	bw_vec_each(&g.objects, o)
		if (o->kind == BW_AGENT_OBJECT_PIPELINE && o->id == id)
			return o;
	return NULL;
}

uint64_t bw_names_code_of(uint32_t pipeline)
{
	pthread_mutex_lock(&g.lock);
	const struct bw_agent_object *p = pipeline ? pipeline_by_id(pipeline) : NULL;
	uint64_t va = p ? p->va : 0;
	pthread_mutex_unlock(&g.lock);
	return va;
}

static bool same_shape(const struct recorded *r, const struct bw_agent_dispatch *d,
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

static bool matches(const struct recorded *r, const struct bw_agent_dispatch *d)
{
	struct bw_agent_object *p = r->pipeline ? pipeline_by_id(r->pipeline) : NULL;
	if (r->packet_va)
		return r->packet_va == d->packet_va;
	if (!same_shape(r, d, p))
		return false;
	if (p && p->va && ((p->va ^ d->code_va) & BW_VA_MASK) == 0)
		return true;
	bool points = points_to(r->pipeline_handle, d->code_va);
	g.pointers_help |= points;
	if (points || !g.pointers_help) {
		if (p)
			p->va = d->code_va;
		return true;
	}
	return false;
}

static bool is_empty(const struct recorded *r)
{
	return !r->indirect && (!r->groups[0] || !r->groups[1] || !r->groups[2]);
}

/* A buffer of a set, where it is now. False: there are too many, or no memory. */
static bool add_binding(uint32_t set, const struct bw_descriptor *it, struct bw_agent_dispatch *d,
			struct bw_names_blob *blob)
{
	const struct bw_agent_object *o = find(BW_AGENT_OBJECT_BUFFER, it->buffer);
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

static void fill_bindings(const struct recorded *r, struct bw_agent_dispatch *d,
			  struct bw_names_blob *blob)
{
	bool cut = false;
	for (uint32_t at = 0; at < r->sets_b && !cut;) {
		struct bw_descriptors list = {0};
		uint32_t number;
		at += bw_bound_sets_read(mine.text.data + r->sets_at + at, &number, &list, &cut);
		for (size_t i = 0; i < list.len && !cut; i++)
			cut = !add_binding(number, &list.data[i], d, blob);
		bw_vec_free(&list);
	}
	d->bindings_cut = cut;
}

static void fill(const struct recorded *r, struct bw_agent_dispatch *d, struct bw_names_blob *blob)
{
	d->pipeline = r->pipeline;
	if (r->label_at) {
		const char *label = (const char *)mine.text.data + r->label_at;
		d->label_b = (uint32_t)strlen(label) + 1;
		d->label_at = bw_names_append(blob, label, d->label_b);
		d->label_b = d->label_at ? d->label_b : 0;
	}
	if (r->push_b) {
		d->push_at = bw_names_append(blob, mine.text.data + r->push_at, r->push_b);
		d->push_b = d->push_at ? r->push_b : 0;
	}
	fill_bindings(r, d, blob);
	if (r->n_args) {
		d->args_at = bw_names_append(blob, mine.text.data + r->args_at,
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

/* Told dispatches go by their packets; where none of these is among them, as another command stream
 * has taken the captured one's place, they go by their shape as all others. */
static void forget_packets(const struct bw_agent_dispatches *dispatches)
{
	_cleanup_free_ uint64_t *all = calloc(dispatches->len + 1, sizeof(*all));
	for (size_t i = 0; all && i < dispatches->len; i++)
		all[i] = dispatches->data[i].packet_va;
	if (all)
		qsort(all, dispatches->len, sizeof(*all), by_packet);
	bool found = false;
	bw_vec_each(&mine.dispatches, r)
		found |= r->packet_va && all &&
			 bsearch(&r->packet_va, all, dispatches->len, sizeof(*all), by_packet);
	for (size_t i = 0; !found && i < mine.dispatches.len; i++)
		mine.dispatches.data[i].packet_va = 0;
}

/* The recorded dispatch that a packet is, from mine.next on; mine.dispatches.len: it is the
 * driver's own. */
static size_t find_recorded(const struct bw_agent_dispatch *d)
{
	size_t k = mine.next;
	/* a driver need not make a packet of an empty dispatch */
	while (k < mine.dispatches.len && !matches(&mine.dispatches.data[k], d) &&
	       (is_empty(&mine.dispatches.data[k]) || mine.dispatches.data[k].packet_va))
		k++; /* one that was told of may have been left out, too */
	bool found = k < mine.dispatches.len && matches(&mine.dispatches.data[k], d);
	return found ? k : mine.dispatches.len;
}

uint32_t bw_names_match(struct bw_agent_dispatches *dispatches, struct bw_names_blob *blob)
{
	pthread_mutex_lock(&g.lock);
	uint32_t frame = g.presents || mine.active ? g.presents + 1 : 0;
	if (mine.active && mine.has_frame)
		frame = mine.frame;
	if (mine.active) {
		forget_packets(dispatches);
		bw_vec_each(dispatches, d) {
			size_t k = find_recorded(d);
			if (k >= mine.dispatches.len)
				continue; /* the driver's own */
			fill(&mine.dispatches.data[k], d, blob);
			mine.next = k + 1;
		}
	}
	pthread_mutex_unlock(&g.lock);
	return frame;
}

void bw_names_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
}

/* ---- Submissions that a debugger comes too late for ---- */

struct bw_names_kept {
	struct recorded_list dispatches;
	struct bw_names_blob text;
};

static struct bw_names_kept *copy_of(const struct recorded_list *dispatches,
				     const struct bw_names_blob *text)
{
	struct bw_names_kept *kept = calloc(1, sizeof(*kept));
	struct bw_error *err = kept ? bw_vec_reserve(&kept->dispatches, dispatches->len) : NULL;
	if (kept && !err)
		err = bw_vec_reserve(&kept->text, text->len);
	if (!kept || err) {
		bw_error_free(err);
		bw_names_kept_free(kept);
		return NULL;
	}
	if (dispatches->len)
		memcpy(kept->dispatches.data, dispatches->data,
		       dispatches->len * sizeof(*dispatches->data));
	if (text->len)
		memcpy(kept->text.data, text->data, text->len);
	kept->dispatches.len = dispatches->len;
	kept->text.len = text->len;
	return kept;
}

struct bw_names_kept *bw_names_keep(void)
{
	return mine.active && mine.dispatches.len ? copy_of(&mine.dispatches, &mine.text) : NULL;
}

struct bw_names_kept *bw_names_kept_copy(const struct bw_names_kept *kept)
{
	return kept ? copy_of(&kept->dispatches, &kept->text) : NULL;
}

void bw_names_kept_free(struct bw_names_kept *kept)
{
	if (!kept)
		return;
	bw_vec_free(&kept->dispatches);
	bw_vec_free(&kept->text);
	free(kept);
}

uint32_t bw_names_match_kept(const struct bw_names_kept *kept,
			     struct bw_agent_dispatches *dispatches, struct bw_names_blob *blob)
{
	if (!kept || mine.active)
		return 0;
	mine.active = true;
	mine.has_frame = false;
	mine.dispatches = kept->dispatches;
	mine.text = kept->text;
	mine.next = 0;
	uint32_t frame = bw_names_match(dispatches, blob);
	mine.active = false;
	mine.dispatches = (struct recorded_list){0};
	mine.text = (struct bw_names_blob){0};
	mine.next = 0;
	return frame;
}

void bw_names_pipeline(const struct bw_agent_objects *objects, uint32_t id, char *out, size_t room)
{
	bw_vec_each(objects, o) {
		if (!id || o->id != id || o->kind != BW_AGENT_OBJECT_PIPELINE)
			continue;
		const char *name = *o->name ? o->name : *o->module ? o->module : o->entry;
		snprintf(out, room, "%.*s", (int)sizeof(o->name) - 1, name);
	}
}
