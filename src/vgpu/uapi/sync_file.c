/* SPDX-License-Identifier: MIT */
/* The ioctls of sync_files (drivers/dma-buf/sync_file.c and dma-fence-unwrap.c of Linux 6.12), as
 * ioctls of our own: BW_VGPU_IOCTL_SYNC_*. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/syncobj.h"
#include "wire/vgpu_proto.h"

/* The fences that a fence consists of (dma_fence_unwrap_for_each), borrowed. A point of a timeline
 * consists of those that have not signalled. */
static struct bw_drm_fence *const *consists_of(struct bw_drm_fence *const *f, size_t *out_n)
{
	bool done = bw_drm_fence_done(*f);
	const struct bw_drm_fences *all = (*f)->members.len ? &(*f)->members : &(*f)->parts;
	bool is_one = !all->len || (done && !(*f)->members.len);
	*out_n = is_one ? 1 : all->len;
	return is_one ? f : all->data;
}

/* Order by context, with the last of each first (fence_cmp). */
static int by_context(const void *a, const void *b)
{
	const struct bw_drm_fence *f = *(struct bw_drm_fence *const *)a,
				  *g = *(struct bw_drm_fence *const *)b;
	if (f->context != g->context)
		return f->context < g->context ? -1 : 1;
	int32_t later = (int32_t)((uint32_t)f->seqno - (uint32_t)g->seqno);
	return later > 0 ? -1 : later < 0;
}

/* Merges the fences of both that have not signalled; of each context only the last. */
static int merge_into(struct bw_drm_fence *into, struct bw_drm_fence *const *both)
{
	uint32_t steps = 0;
	for (unsigned i = 0; i < 2; i++) {
		size_t n;
		struct bw_drm_fence *const *of = consists_of(&both[i], &n);
		for (size_t k = 0; k < n; k++) {
			if (++steps > BW_DRM_MAX_STEPS)
				return -ENOMEM;
			if (bw_drm_fence_done(of[k]))
				into->signaled_ns = BW_MAX(into->signaled_ns, of[k]->signaled_ns);
			else if (bw_drm_fences_add(&into->members, of[k]))
				return -ENOMEM;
		}
	}
	struct bw_drm_fences *m = &into->members;
	if (m->len)
		qsort(m->data, m->len, sizeof(*m->data), by_context);
	size_t kept = 0;
	for (size_t i = 0; i < m->len; i++) {
		uint64_t context = m->data[i]->context;
		if (kept && context && m->data[kept - 1]->context == context)
			bw_drm_fence_unref(m->data[i]);
		else
			m->data[kept++] = m->data[i];
	}
	m->len = kept;
	for (size_t i = 0; i < kept; i++)
		if (bw_drm_fences_add(&into->parts, m->data[i]))
			return -ENOMEM;
	return 0;
}

/* dma_fence_unwrap_merge: where one fence is left it is that one itself. */
static int merged(struct bw_drm_fence *const *both, struct bw_drm_fence **out)
{
	struct bw_drm_fence *f = bw_drm_fence_new();
	int r = f ? merge_into(f, both) : -ENOMEM;
	if (!r && f->members.len == 1) {
		*out = bw_drm_fence_ref(f->members.data[0]);
		bw_drm_fence_unref(f);
		return 0;
	}
	if (r) {
		bw_drm_fence_unref(f);
		return r;
	}
	f->signaled = !f->members.len;
	*out = f;
	return 0;
}

int bw_ioctl_sync_merge(struct bw_drm_call *c, void *arg)
{
	struct bw_vgpu_sync_merge a;
	struct bw_drm_fence *both[2] = {NULL, NULL}, *f = NULL;
	memcpy(&a, arg, sizeof(a));
	uint64_t ino = bw_drm_sync_fd_ino(c->fd_in);
	pthread_mutex_lock(&c->u->lock);
	const struct bw_drm_sync_fd *first = bw_drm_sync_fd_find(c->u, ino);
	int r = first && first->fence ? 0 : -EINVAL;
	if (!r)
		r = bw_drm_syncobj_find(c, a.second, 0, 0, &both[1]);
	if (!r) {
		both[0] = first->fence;
		r = merged(both, &f);
	}
	struct bw_drm_sync_fd made = {.fence = f};
	memcpy(made.name, a.name, sizeof(made.name) - 1);
	if (!r)
		r = bw_drm_sync_fd_new(c->u, c->file->account, &made, &c->fd_out);
	bw_drm_fence_unref(f);
	bw_drm_fence_unref(both[1]);
	pthread_mutex_unlock(&c->u->lock);
	c->fd_at = offsetof(struct bw_vgpu_sync_merge, merged);
	return r;
}

static int32_t status_of(struct bw_drm_fence *f)
{
	return !bw_drm_fence_done(f) ? 0 : f->error ? f->error : 1;
}

static const char *driver_of(const struct bw_drm_fence *f)
{
	return f->ops		? f->ops->driver
	       : f->members.len ? "dma_fence_array"
	       : f->parts.len	? "dma_fence_chain"
				: "stub";
}

static const char *timeline_of(const struct bw_drm_fence *f)
{
	return f->timeline ? f->timeline : f->members.len || f->parts.len ? "unbound" : "stub";
}

int bw_ioctl_sync_info(struct bw_drm_call *c, void *arg)
{
	struct bw_vgpu_sync_info a;
	memcpy(&a, arg, sizeof(a));
	uint64_t ino = bw_drm_sync_fd_ino(c->fd_in);
	pthread_mutex_lock(&c->u->lock);
	const struct bw_drm_sync_fd *s = bw_drm_sync_fd_find(c->u, ino);
	int r = s && s->fence ? 0 : -EINVAL;
	if (!r) {
		size_t n;
		struct bw_drm_fence *const *of = consists_of(&s->fence, &n);
		a.n_fences = (uint32_t)n;
		a.status = status_of(s->fence);
		memset(a.name, 0, sizeof(a.name));
		if (s->name[0])
			memcpy(a.name, s->name, sizeof(a.name));
		else
			snprintf(a.name, sizeof(a.name), "%s-%s%llu-%lld", driver_of(s->fence),
				 timeline_of(s->fence), (unsigned long long)s->fence->context,
				 (long long)s->fence->seqno);
		memset(a.fences, 0, sizeof(a.fences));
		for (size_t i = a.first, k = 0; i < n && k < BW_VGPU_SYNC_INFO_FENCES; i++, k++) {
			struct bw_vgpu_sync_fence *out = &a.fences[k];
			out->status = status_of(of[i]);
			out->signaled_ns = out->status ? (uint64_t)of[i]->signaled_ns : 0;
			snprintf(out->timeline, sizeof(out->timeline), "%s", timeline_of(of[i]));
			snprintf(out->driver, sizeof(out->driver), "%s", driver_of(of[i]));
		}
	}
	pthread_mutex_unlock(&c->u->lock);
	memcpy(arg, &a, sizeof(a));
	return r;
}

int bw_ioctl_sync_deadline(struct bw_drm_call *c, void *arg)
{
	struct bw_vgpu_sync_deadline a;
	memcpy(&a, arg, sizeof(a));
	uint64_t ino = bw_drm_sync_fd_ino(c->fd_in);
	pthread_mutex_lock(&c->u->lock);
	const struct bw_drm_sync_fd *s = bw_drm_sync_fd_find(c->u, ino);
	if (s && s->fence)
		bw_drm_fence_set_deadline(s->fence, a.deadline_ns);
	pthread_mutex_unlock(&c->u->lock);
	return s && s->fence ? 0 : -EINVAL;
}
