/* SPDX-License-Identifier: MIT */
/* Command buffers as the program records them, labels, and what a thread submits of them. */
#include "agent/names/names_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/names/bound_sets.h"
#include "base/util.h"

enum {
	PUSH_MAX_B = 256,
	LABEL_MAX_B = 512,	  /* of all levels of one */
	DISPATCHES_MAX = 1 << 16, /* remembered of one command buffer */
};

/* Labels that are open, with BW_AGENT_LABEL_SEPARATOR between them. */
struct levels {
	char text[LABEL_MAX_B];
	unsigned n_left_out; /* the innermost ones, for which there was no room */
};

struct command_buffer {
	uint64_t handle, pipeline_handle;
	uint32_t pipeline;
	struct BW_VEC(struct bw_names_recorded) dispatches;
	struct bw_names_blob text; /* byte 0 is not used */
	struct levels label;
	char inserted[LABEL_MAX_B];
	uint32_t label_at; /* of the label as it is now; 0: to be written */
	uint8_t push[PUSH_MAX_B];
	uint32_t push_b, push_at;
	struct bw_bound_sets sets;
	uint32_t sets_at, sets_b; /* of the sets as they are now; at 0: to be written */
};

struct queue_label {
	uint64_t queue;
	struct levels label;
};

/* Protected by the lock. */
static struct {
	struct BW_VEC(struct command_buffer *) cmds; /* by handle */
	struct BW_VEC(struct queue_label) queues;
	uint32_t presents;
} g;

static __thread struct bw_names_submission mine;

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
		pthread_mutex_lock(&bw_names_lock);                                                \
		struct command_buffer *c = find_cmd(handle);                                       \
		if (c) {                                                                           \
			what;                                                                      \
		}                                                                                  \
		pthread_mutex_unlock(&bw_names_lock);                                              \
	} while (0)

static void begin_record(uint64_t handle)
{
	pthread_mutex_lock(&bw_names_lock);
	struct command_buffer *c = find_cmd(handle);
	if (!c) {
		c = calloc(1, sizeof(*c));
		struct bw_error *err = c ? bw_vec_insert(&g.cmds, cmd_index(handle), c) : NULL;
		if (!c || err) {
			free(c);
			pthread_mutex_unlock(&bw_names_lock);
			bw_error_free(err);
			return;
		}
		c->handle = handle;
	}
	c->dispatches.len = c->text.len = 0;
	c->pipeline = 0;
	c->pipeline_handle = 0;
	c->label = (struct levels){0};
	c->inserted[0] = 0;
	c->label_at = c->push_b = c->push_at = c->sets_at = 0;
	bw_bound_sets_clear(&c->sets);
	pthread_mutex_unlock(&bw_names_lock);
}

void bw_names_cmd_begin(uint64_t handle)
{
	begin_record(handle);
	begin_record(BW_NAMES_DRAWS(handle));
}

static void free_record(uint64_t handle)
{
	pthread_mutex_lock(&bw_names_lock);
	size_t at = cmd_index(handle);
	if (at < g.cmds.len && g.cmds.data[at]->handle == handle) {
		free_cmd(g.cmds.data[at]);
		bw_vec_remove(&g.cmds, at);
	}
	pthread_mutex_unlock(&bw_names_lock);
}

void bw_names_cmd_free(uint64_t handle)
{
	free_record(handle);
	free_record(BW_NAMES_DRAWS(handle));
}

static void bind_pipeline(struct command_buffer *c, uint64_t pipeline)
{
	const struct bw_agent_object *o = bw_names_find(BW_AGENT_OBJECT_PIPELINE, pipeline);
	/* of draws: the objects of its shaders are looked for when a packet is known */
	c->pipeline_handle = pipeline;
	c->pipeline = o ? o->id : 0;
}

void bw_names_cmd_pipeline(uint64_t cmd, uint64_t pipeline)
{
	WITH_CMD(cmd, bind_pipeline(c, pipeline));
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
	struct bw_names_recorded r = {.pipeline_handle = c->pipeline_handle,
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

void bw_names_cmd_draw(uint64_t cmd, uint32_t n, uint32_t n_instances)
{
	const uint32_t numbers[3] = {n, n_instances, 1};
	WITH_CMD(BW_NAMES_DRAWS(cmd), record(c, NULL, n == UINT32_MAX ? NULL : numbers));
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
		struct bw_names_recorded *r =
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

/* A label that has no room is cut, and ends with "..."; levels below it are left out. */
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

static void begin_label(uint64_t cmd, const char *label)
{
	WITH_CMD(cmd, {
		push_label(&c->label, label);
		c->inserted[0] = 0;
		c->label_at = 0;
	});
}

void bw_names_cmd_label_begin(uint64_t cmd, const char *label)
{
	begin_label(cmd, label);
	begin_label(BW_NAMES_DRAWS(cmd), label);
}

static void end_label(uint64_t cmd)
{
	WITH_CMD(cmd, {
		pop_label(&c->label);
		c->inserted[0] = 0;
		c->label_at = 0;
	});
}

void bw_names_cmd_label_end(uint64_t cmd)
{
	end_label(cmd);
	end_label(BW_NAMES_DRAWS(cmd));
}

static void insert_label(uint64_t cmd, const char *label)
{
	WITH_CMD(cmd, {
		bw_names_copy(c->inserted, sizeof(c->inserted), label);
		for (char *p = c->inserted; *p; p++)
			*p = *p == BW_AGENT_LABEL_SEPARATOR ? ' ' : *p;
		c->label_at = 0;
	});
}

void bw_names_cmd_label_insert(uint64_t cmd, const char *label)
{
	insert_label(cmd, label);
	insert_label(BW_NAMES_DRAWS(cmd), label);
}

/* Dispatches and their texts of one list go to the end of another; prefix is put before labels. */
static void copy_recorded(struct bw_names_recorded r, const struct bw_names_blob *text,
			  const char *prefix, struct bw_names_blob *to_text,
			  struct bw_names_recorded *out)
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

static void execute(uint64_t cmd, uint64_t secondary)
{
	pthread_mutex_lock(&bw_names_lock);
	struct command_buffer *c = find_cmd(cmd), *s = find_cmd(secondary);
	if (c && s && c != s) {
		bw_vec_each(&s->dispatches, r) {
			struct bw_names_recorded copy;
			copy_recorded(*r, &s->text, c->label.text, &c->text, &copy);
			if (c->dispatches.len < DISPATCHES_MAX)
				bw_error_free(bw_vec_push(&c->dispatches, copy));
		}
	}
	pthread_mutex_unlock(&bw_names_lock);
}

void bw_names_cmd_execute(uint64_t cmd, uint64_t secondary)
{
	execute(cmd, secondary);
	execute(BW_NAMES_DRAWS(cmd), BW_NAMES_DRAWS(secondary));
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
	pthread_mutex_lock(&bw_names_lock);
	struct queue_label *q = queue_label(queue), new = {.queue = queue};
	if (!q) {
		struct bw_error *err = bw_vec_push(&g.queues, new);
		q = err ? NULL : &g.queues.data[g.queues.len - 1];
		bw_error_free(err);
	}
	if (q)
		push_label(&q->label, label);
	pthread_mutex_unlock(&bw_names_lock);
}

void bw_names_queue_label_end(uint64_t queue)
{
	pthread_mutex_lock(&bw_names_lock);
	struct queue_label *q = queue_label(queue);
	if (q)
		pop_label(&q->label);
	pthread_mutex_unlock(&bw_names_lock);
}

void bw_names_submit_begin(uint64_t queue)
{
	mine.active = true;
	mine.has_frame = false;
	mine.queue = queue;
	mine.dispatches.len = mine.draws.len = mine.text.len = 0;
	mine.next = mine.next_draw = mine.next_task = 0;
}

void bw_names_submit_add(uint64_t cmd)
{
	pthread_mutex_lock(&bw_names_lock);
	struct command_buffer *c = find_cmd(cmd), *draws = find_cmd(BW_NAMES_DRAWS(cmd));
	const struct queue_label *q = queue_label(mine.queue);
	const char *label = q ? q->label.text : "";
	struct bw_names_recorded copy;
	if (c) {
		bw_vec_each(&c->dispatches, r) {
			copy_recorded(*r, &c->text, label, &mine.text, &copy);
			bw_error_free(bw_vec_push(&mine.dispatches, copy));
		}
	}
	if (draws) {
		bw_vec_each(&draws->dispatches, r) {
			copy_recorded(*r, &draws->text, label, &mine.text, &copy);
			bw_error_free(bw_vec_push(&mine.draws, copy));
		}
	}
	pthread_mutex_unlock(&bw_names_lock);
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
	bw_vec_free(&mine.draws);
	bw_vec_free(&mine.text);
	mine.next = mine.next_draw = mine.next_task = 0;
}

void bw_names_present(void)
{
	pthread_mutex_lock(&bw_names_lock);
	g.presents++;
	pthread_mutex_unlock(&bw_names_lock);
}

struct bw_names_submission *bw_names_mine(void)
{
	return &mine;
}

uint32_t bw_names_frame(const struct bw_names_submission *s)
{
	if (s->active && s->has_frame)
		return s->frame;
	return g.presents || s->active ? g.presents + 1 : 0;
}
