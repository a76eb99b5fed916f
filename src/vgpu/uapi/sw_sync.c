/* SPDX-License-Identifier: MIT */
#include "vgpu/uapi/sw_sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_sync.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

/* The file has a reference, and each of its fences. */
struct bw_sw_timeline {
	struct bw_sw_timeline *next; /* of bw_uapi.timelines */
	struct bw_uapi *u;
	unsigned refs;
	char name[32];
	uint64_t context;
	uint32_t value;
	struct point *first; /* not signalled, the earliest first; borrowed */
};

struct point {
	struct bw_drm_fence fence;
	struct bw_sw_timeline *timeline; /* a reference */
	struct point *next, **prev;	 /* prev NULL: it has signalled */
	bool has_deadline;
	uint64_t deadline_ns;
};

/* Positive: `value` comes later. Both count past 32 bits (__dma_fence_is_later). */
static int32_t after(uint64_t value, uint64_t than)
{
	return (int32_t)((uint32_t)value - (uint32_t)than);
}

static void timeline_unref(struct bw_sw_timeline *t)
{
	if (--t->refs)
		return;
	struct bw_sw_timeline **at = &t->u->timelines;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t);
}

static struct point *point_of(struct bw_drm_fence *f)
{
	return BW_CONTAINER_OF(f, struct point, fence);
}

static void point_take_out(struct point *p)
{
	if (!p->prev)
		return;
	*p->prev = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->prev = NULL;
}

static void point_release(struct bw_drm_fence *f)
{
	struct point *p = point_of(f);
	point_take_out(p);
	timeline_unref(p->timeline);
}

static void point_set_deadline(struct bw_drm_fence *f, uint64_t deadline_ns)
{
	struct point *p = point_of(f);
	if (!p->has_deadline || (int64_t)deadline_ns < (int64_t)p->deadline_ns)
		p->deadline_ns = deadline_ns;
	p->has_deadline = true;
}

static const struct bw_drm_fence_ops point_ops = {"sw_sync", point_release, point_set_deadline};

/* Ends the earliest fence of the timeline, which its holders keep. */
static void signal_first(struct bw_sw_timeline *t, int error)
{
	struct point *p = t->first;
	point_take_out(p);
	bw_drm_fence_signal(t->u, &p->fence, error);
}

/* A reference, new or one more; NULL: out of memory. */
static struct bw_drm_fence *point_at(struct bw_sw_timeline *t, uint32_t value)
{
	struct point **at = &t->first;
	bool is_over = after(value, t->value) <= 0;
	while (!is_over && *at && after(value, (*at)->fence.seqno) > 0)
		at = &(*at)->next;
	if (!is_over && *at && (*at)->fence.seqno == value)
		return bw_drm_fence_ref(&(*at)->fence);
	struct point *p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->fence = (struct bw_drm_fence){.refs = 1,
					 .ops = &point_ops,
					 .timeline = t->name,
					 .context = t->context,
					 .seqno = value};
	p->timeline = t;
	t->refs++;
	if (is_over) {
		bw_drm_fence_signal(t->u, &p->fence, 0);
		return &p->fence;
	}
	p->next = *at;
	p->prev = at;
	if (p->next)
		p->next->prev = &p->next;
	*at = p;
	return &p->fence;
}

/* ---- ioctls, lock held ---- */

static int create_fence(struct bw_sw_timeline *t, struct bw_file_call *c)
{
	struct bw_sw_sync_create_fence a;
	memcpy(&a, c->arg, sizeof(a));
	struct bw_drm_fence *f = point_at(t, a.value);
	if (!f)
		return -ENOMEM;
	int r = bw_drm_sync_fd_new(t->u, c->account, &(struct bw_drm_sync_fd){.fence = f},
				   &c->fd_out);
	bw_drm_fence_unref(f);
	c->fd_at = offsetof(struct bw_sw_sync_create_fence, fence);
	return r;
}

static int increment(struct bw_sw_timeline *t, struct bw_file_call *c)
{
	uint32_t left, step;
	memcpy(&left, c->arg, sizeof(left));
	/* Steps are small enough that "later" keeps its meaning. */
	do {
		step = BW_MIN(left, (uint32_t)INT32_MAX);
		left -= step;
		t->value += step;
		while (t->first && after(t->first->fence.seqno, t->value) <= 0)
			signal_first(t, 0);
	} while (left);
	bw_drm_sync_files_tell(t->u);
	bw_drm_kick(t->u);
	return 0;
}

static int get_deadline(struct bw_sw_timeline *t, struct bw_file_call *c, uint64_t ino)
{
	struct bw_sw_sync_get_deadline a;
	memcpy(&a, c->arg, sizeof(a));
	if (a.deadline_ns || a.pad)
		return -EINVAL;
	const struct bw_drm_sync_fd *s = bw_drm_sync_fd_find(t->u, ino);
	if (!s || !s->fence || s->fence->ops != &point_ops)
		return -EINVAL;
	const struct point *p = point_of(s->fence);
	if (!p->has_deadline)
		return -ENOENT;
	a.deadline_ns = p->deadline_ns;
	memcpy(c->arg, &a, sizeof(a));
	return 0;
}

/* ---- the file ---- */

static int sw_sync_open(struct bw_file *f, const char *comm)
{
	struct bw_uapi *u = f->u;
	struct bw_sw_timeline *t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	strncpy(t->name, comm, sizeof(t->name) - 1);
	t->refs = 1;
	t->u = u;
	pthread_mutex_lock(&u->lock);
	t->context = bw_drm_fence_contexts(1);
	struct bw_sw_timeline **end = &u->timelines;
	while (*end)
		end = &(*end)->next;
	*end = t;
	pthread_mutex_unlock(&u->lock);
	f->timeline = t;
	return 0;
}

static void sw_sync_close(struct bw_file *f)
{
	struct bw_uapi *u = f->u;
	pthread_mutex_lock(&u->lock);
	while (f->timeline->first)
		signal_first(f->timeline, -ENOENT);
	bw_drm_sync_files_tell(u);
	timeline_unref(f->timeline);
	pthread_mutex_unlock(&u->lock);
	bw_drm_kick(u);
}

static int sw_sync_ioctl(struct bw_file *f, struct bw_file_call *c)
{
	uint64_t ino = bw_drm_sync_fd_ino(c->fd_in);
	pthread_mutex_lock(&f->u->lock);
	int r = c->cmd == BW_SW_SYNC_CREATE_FENCE   ? create_fence(f->timeline, c)
		: c->cmd == BW_SW_SYNC_INC	    ? increment(f->timeline, c)
		: c->cmd == BW_SW_SYNC_GET_DEADLINE ? get_deadline(f->timeline, c, ino)
						    : -ENOTTY;
	pthread_mutex_unlock(&f->u->lock);
	return r;
}

const struct bw_file_ops bw_sw_sync_ops = {
	.open = sw_sync_open, .close = sw_sync_close, .ioctl = sw_sync_ioctl};

void bw_text_sync_info(struct bw_uapi *u, struct bw_str *s)
{
	pthread_mutex_lock(&u->lock);
	bw_str_add(s, "objs:\n--------------\n");
	for (const struct bw_sw_timeline *t = u->timelines; t; t = t->next) {
		bw_str_addf(s, "%s: %d\n", t->name, (int32_t)t->value);
		for (const struct point *p = t->first; p; p = p->next)
			bw_str_addf(s, "  fence active: %llu / %d\n",
				    (unsigned long long)p->fence.seqno, (int32_t)t->value);
		bw_str_add(s, "\n");
	}
	/* Linux 6.12 puts no sync_file into the list that it shows here. */
	bw_str_add(s, "fences:\n--------------\n");
	pthread_mutex_unlock(&u->lock);
}
