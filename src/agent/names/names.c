/* SPDX-License-Identifier: MIT */
/* Objects of the program's graphics API: what they are called and where they lie. */
#include "agent/names/names_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { OTHER_NAMES_MAX = 65536 };

struct other_name {
	uint64_t handle;
	char name[64];
};

pthread_mutex_t bw_names_lock = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static struct {
	struct bw_agent_objects objects;
	uint32_t next_id[4]; /* by kind */
	struct BW_VEC(struct other_name) others;
	uint64_t changes; /* of buffers and images */
} g;

void bw_names_copy(char *to, size_t room, const char *from)
{
	size_t n = from ? strnlen(from, room - 1) : 0;
	if (n)
		memcpy(to, from, n);
	to[n] = 0;
}

static void note_change(uint32_t kind)
{
	g.changes += kind == BW_AGENT_OBJECT_BUFFER || kind == BW_AGENT_OBJECT_IMAGE;
}

uint64_t bw_names_changes(void)
{
	pthread_mutex_lock(&bw_names_lock);
	uint64_t n = g.changes;
	pthread_mutex_unlock(&bw_names_lock);
	return n;
}

struct bw_agent_object *bw_names_find(uint32_t kind, uint64_t handle)
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
	pthread_mutex_lock(&bw_names_lock);
	struct bw_agent_object *old = bw_names_find(o->kind, o->handle);
	if (old)
		bw_vec_remove(&g.objects, (size_t)(old - g.objects.data));
	struct bw_agent_object new = *o;
	id = new.id = ++g.next_id[o->kind];
	note_change(o->kind);
	bw_error_free(bw_vec_push(&g.objects, new)); /* without memory it has no name */
	pthread_mutex_unlock(&bw_names_lock);
	return id;
}

uint32_t bw_names_object(const struct bw_agent_object *o)
{
	pthread_mutex_lock(&bw_names_lock);
	const struct bw_agent_object *old = bw_names_find(o->kind, o->handle);
	uint32_t id = old ? old->id : 0;
	pthread_mutex_unlock(&bw_names_lock);
	return id ? id : bw_names_add(o);
}

uint32_t bw_names_kernel(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;
	struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_PIPELINE};
	for (const char *c = name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3;
	memcpy(o.name, name, strnlen(name, sizeof(o.name) - 1));
	memcpy(o.entry, name, strnlen(name, sizeof(o.entry) - 1));
	o.handle = hash | 1; /* an odd number is not a handle */
	return bw_names_object(&o);
}

void bw_names_remove(uint32_t kind, uint64_t handle)
{
	pthread_mutex_lock(&bw_names_lock);
	struct bw_agent_object *o = handle ? bw_names_find(kind, handle) : NULL;
	if (o)
		bw_vec_remove(&g.objects, (size_t)(o - g.objects.data));
	note_change(kind);
	pthread_mutex_unlock(&bw_names_lock);
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
	pthread_mutex_lock(&bw_names_lock);
	struct bw_agent_object *o = kind ? bw_names_find(kind, handle) : NULL;
	if (o)
		bw_names_copy(o->name, sizeof(o->name), name);
	note_change(kind);
	if (!kind) {
		struct other_name new = {.handle = handle}, *old = find_other(handle);
		if (!old && g.others.len < OTHER_NAMES_MAX) {
			struct bw_error *err = bw_vec_push(&g.others, new);
			old = err ? NULL : &g.others.data[g.others.len - 1];
			bw_error_free(err);
		}
		if (old)
			bw_names_copy(old->name, sizeof(old->name), name);
	}
	pthread_mutex_unlock(&bw_names_lock);
}

const char *bw_names_other_name(uint64_t handle, char out[64])
{
	pthread_mutex_lock(&bw_names_lock);
	struct other_name *o = find_other(handle);
	bw_names_copy(out, 64, o ? o->name : "");
	pthread_mutex_unlock(&bw_names_lock);
	return out;
}

void bw_names_place(uint32_t kind, uint64_t handle, uint64_t va, uint64_t size_b)
{
	pthread_mutex_lock(&bw_names_lock);
	struct bw_agent_object *o = bw_names_find(kind, handle);
	if (o) {
		o->va = va ? bw_canonical(va) : 0;
		if (size_b)
			o->size_b = size_b;
	}
	note_change(kind);
	pthread_mutex_unlock(&bw_names_lock);
}

struct bw_error *bw_names_objects(struct bw_agent_objects *out)
{
	pthread_mutex_lock(&bw_names_lock);
	struct bw_error *err = bw_vec_reserve(out, g.objects.len);
	if (!err && g.objects.len) {
		memcpy(out->data, g.objects.data, g.objects.len * sizeof(*out->data));
		out->len = g.objects.len;
	}
	pthread_mutex_unlock(&bw_names_lock);
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
	pthread_mutex_lock(&bw_names_lock);
	struct bw_error *err = replace_memory(all, n, &sorted);
	pthread_mutex_unlock(&bw_names_lock);
	bw_vec_free(&sorted);
	bw_error_free(err); /* without memory they stay as they were */
}

struct bw_agent_object *bw_names_pipeline_of(uint32_t id)
{
	bw_vec_each(&g.objects, o)
		if (o->kind == BW_AGENT_OBJECT_PIPELINE && o->id == id)
			return o;
	return NULL;
}

uint64_t bw_names_code_of(uint32_t pipeline)
{
	pthread_mutex_lock(&bw_names_lock);
	const struct bw_agent_object *p = pipeline ? bw_names_pipeline_of(pipeline) : NULL;
	uint64_t va = p ? p->va : 0;
	pthread_mutex_unlock(&bw_names_lock);
	return va;
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

void bw_names_fork_child(void)
{
	pthread_mutex_init(&bw_names_lock, NULL);
}
