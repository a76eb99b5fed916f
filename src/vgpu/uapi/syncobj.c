/* SPDX-License-Identifier: MIT */
/* Sync objects of the DRM core: binary ones, and timelines. A binary one holds a fence or none; a
 * timeline holds a chain of points. Which of the two it is follows from what was last put in, as in
 * the kernel (drm_syncobj.c of 6.12). */
#include <drm.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

static void points_drop(struct bw_drm_syncobj *s)
{
	bw_vec_each(&s->points, p)
		bw_drm_fence_unref(p->fence);
	bw_vec_free(&s->points);
	s->is_chain = false;
	s->signaled_point = 0;
}

void bw_drm_syncobj_unref(struct bw_drm_syncobj *s)
{
	if (!s || --s->refs)
		return;
	points_drop(s);
	bw_drm_fence_unref(s->fence);
	bw_drm_uncharge(s->account, BW_DRM_SYNCOBJS, 1);
	free(s);
}

struct bw_drm_syncobj *bw_drm_syncobj_get(struct bw_drm_file *f, uint32_t handle)
{
	return bw_ids_get(&f->syncobjs, handle);
}

/* Forgets the points that no longer say anything: the signalled ones at the front. */
static void points_trim(struct bw_drm_syncobj *s)
{
	size_t n = 0;
	while (n < s->points.len && bw_drm_fence_done(s->points.data[n].fence)) {
		s->signaled_point = s->points.data[n].point;
		bw_drm_fence_unref(s->points.data[n++].fence);
	}
	bw_vec_remove_n(&s->points, 0, n);
}

void bw_drm_syncobj_replace(struct bw_uapi *u, struct bw_drm_syncobj *s, struct bw_drm_fence *f)
{
	bw_drm_fence_ref(f);
	bw_drm_fence_unref(s->fence);
	points_drop(s);
	s->fence = f;
	bw_drm_syncobj_tell_waits(s);
	pthread_cond_broadcast(&u->changed);
	if (u->events.len)
		bw_drm_kick(u);
}

int bw_drm_syncobj_add_point(struct bw_uapi *u, struct bw_drm_syncobj *s, uint64_t point,
			     struct bw_drm_fence *f)
{
	struct bw_error *err = bw_vec_reserve(&s->points, s->points.len + 2);
	if (err) {
		bw_error_free(err);
		return -ENOMEM;
	}
	points_trim(s);
	if (s->points.len >= BW_DRM_MAX_POINTS)
		return -ENOMEM;
	/* A binary fence that was there becomes the chain's beginning: point 0. */
	if (!s->is_chain && s->fence)
		s->points.data[s->points.len++] = (struct bw_drm_point){0, bw_take(s->fence)};
	s->is_chain = true;
	/* Points never decrease: a smaller one is taken as the last one (dma_fence_chain_init). */
	uint64_t last = s->points.len ? s->points.data[s->points.len - 1].point : s->signaled_point;
	s->points.data[s->points.len++] =
		(struct bw_drm_point){BW_MAX(point, last), bw_drm_fence_ref(f)};
	bw_drm_syncobj_tell_waits(s);
	points_trim(s);
	pthread_cond_broadcast(&u->changed);
	if (u->events.len)
		bw_drm_kick(u);
	return 0;
}

/* The last point asked for so far. */
static uint64_t last_point(const struct bw_drm_syncobj *s)
{
	return s->points.len ? s->points.data[s->points.len - 1].point : s->signaled_point;
}

/* Whether a fence for the point is there, and whether it has signalled. A point of a timeline has
 * signalled when all before it have. */
bool bw_drm_syncobj_state(struct bw_drm_syncobj *s, uint64_t point, bool *out_signaled)
{
	if (!s->is_chain) {
		*out_signaled = s->fence && bw_drm_fence_done(s->fence);
		return s->fence && !point;
	}
	points_trim(s);
	uint64_t want = point ? point : last_point(s);
	*out_signaled =
		s->signaled_point >= want && !(s->points.len && s->points.data[0].point <= want);
	return last_point(s) >= want;
}

/* The fence of the first point that is not before it, and of all earlier points: a point signals
 * after its predecessors. */
static struct bw_drm_fence *fence_of_chain(struct bw_drm_syncobj *s, uint64_t point)
{
	uint64_t want = point ? point : last_point(s);
	if (s->points.data[0].point >= want && point)
		return bw_drm_fence_ref(s->points.data[0].fence);
	struct bw_drm_fence *f = bw_drm_fence_new();
	if (!f)
		return NULL;
	struct bw_drm_gathering g = bw_drm_gather(&f->parts);
	for (size_t i = 0; i < s->points.len; i++) {
		if (bw_drm_gather_fence(&g, s->points.data[i].fence)) {
			bw_drm_fence_unref(f);
			return NULL;
		}
		if (point && s->points.data[i].point >= want)
			break;
	}
	if (!f->parts.len)
		bw_drm_fence_is_signaled(f);
	return f;
}

int bw_drm_syncobj_fence(struct bw_drm_syncobj *s, uint64_t point, struct bw_drm_fence **out)
{
	bool signaled;
	if (!bw_drm_syncobj_state(s, point, &signaled))
		return -EINVAL;
	struct bw_drm_fence *f = NULL;
	if (!s->is_chain) {
		f = bw_drm_fence_ref(s->fence);
	} else if (signaled) {
		f = bw_drm_fence_new_signaled();
	} else {
		f = fence_of_chain(s, point);
	}
	if (!f)
		return -ENOMEM;
	*out = f;
	return 0;
}

struct find {
	struct bw_drm_syncobj *s;
	uint64_t point;
	int r;
	struct bw_drm_fence *f;
};

static bool find_done(void *arg)
{
	struct find *find = arg;
	find->r = bw_drm_syncobj_fence(find->s, find->point, &find->f);
	return find->r != -EINVAL;
}

int bw_drm_syncobj_find(struct bw_drm_call *c, uint32_t handle, uint64_t point, uint64_t flags,
			struct bw_drm_fence **out)
{
	/* DRM_SYNCOBJ_WAIT_FOR_SUBMIT_TIMEOUT */
	const int64_t submit_timeout_ns = 5000000000;
	struct find find = {bw_drm_syncobj_get(c->file, handle), point, 0, NULL};
	if (!find.s)
		return -ENOENT;
	if (flags & ~(uint64_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
		return -EINVAL;
	find.s->refs++;
	if (!find_done(&find) && (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)) {
		int r = bw_drm_wait(c, bw_now_ns() + submit_timeout_ns, find_done, &find);
		if (r)
			find.r = r;
	}
	bw_drm_syncobj_unref(find.s);
	if (!find.r)
		*out = find.f;
	return find.r;
}

int bw_drm_syncobj_new_handle(struct bw_drm_file *f, struct bw_drm_fence *fence,
			      uint32_t *out_handle)
{
	struct bw_drm_syncobj *s = calloc(1, sizeof(*s));
	if (!s || !bw_drm_charge(f->u, f->account, BW_DRM_SYNCOBJS, 1, f->vm->comm, f->vm->pid)) {
		free(s);
		return -ENOMEM;
	}
	s->refs = 1;
	s->account = f->account;
	int r = bw_ids_add(&f->syncobjs, s, out_handle);
	if (r) {
		bw_drm_uncharge(s->account, BW_DRM_SYNCOBJS, 1);
		free(s);
		return r;
	}
	s->fence = bw_drm_fence_ref(fence);
	return 0;
}

/* ---- ioctls ---- */

int bw_ioctl_syncobj_create(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_create *a = arg;
	struct bw_drm_fence *f = NULL;
	if (a->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED)
		return -EINVAL;
	if (a->flags & DRM_SYNCOBJ_CREATE_SIGNALED) {
		f = bw_drm_fence_new_signaled();
		if (!f)
			return -ENOMEM;
	}
	pthread_mutex_lock(&c->u->lock);
	int r = bw_drm_syncobj_new_handle(c->file, f, &a->handle);
	bw_drm_fence_unref(f);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_ioctl_syncobj_destroy(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_destroy *a = arg;
	if (a->pad)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_syncobj *s = bw_ids_remove(&c->file->syncobjs, a->handle);
	bw_drm_syncobj_unref(s);
	pthread_mutex_unlock(&c->u->lock);
	return s ? 0 : -EINVAL;
}

int bw_ioctl_syncobj_transfer(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_transfer *a = arg;
	struct bw_drm_fence *f = NULL;
	if (a->pad)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_syncobj *dst = bw_drm_syncobj_get(c->file, a->dst_handle);
	int r = dst ? 0 : -ENOENT;
	if (!r) {
		dst->refs++;
		r = bw_drm_syncobj_find(c, a->src_handle, a->src_point, a->flags, &f);
		if (!r && a->dst_point)
			r = bw_drm_syncobj_add_point(c->u, dst, a->dst_point, f);
		else if (!r)
			bw_drm_syncobj_replace(c->u, dst, f);
		bw_drm_fence_unref(f);
		bw_drm_syncobj_unref(dst);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

void bw_drm_syncobjs_put(struct bw_drm_call *c, struct bw_drm_syncobjs *a)
{
	pthread_mutex_lock(&c->u->lock);
	for (uint32_t i = 0; a->s && i < a->n; i++)
		bw_drm_syncobj_unref(a->s[i]);
	pthread_mutex_unlock(&c->u->lock);
	free(a->s);
	free(a->points);
}

int bw_drm_syncobjs_get(struct bw_drm_call *c, uint64_t user_handles, uint32_t n,
			struct bw_drm_syncobjs *out)
{
	uint32_t *handles;
	*out = (struct bw_drm_syncobjs){.n = n};
	if (n > BW_DRM_MAX_HANDLES)
		return -ENOMEM;
	int r = bw_user_dup(c, user_handles, n, sizeof(*handles), &handles);
	if (r)
		return r;
	out->s = calloc(BW_MAX(n, 1u), sizeof(*out->s));
	if (!out->s)
		r = -ENOMEM;
	pthread_mutex_lock(&c->u->lock);
	for (uint32_t i = 0; i < n && !r; i++) {
		out->s[i] = bw_drm_syncobj_get(c->file, handles[i]);
		if (out->s[i])
			out->s[i]->refs++;
		else
			r = -ENOENT;
	}
	pthread_mutex_unlock(&c->u->lock);
	free(handles);
	if (r)
		bw_drm_syncobjs_put(c, out);
	return r;
}

/* RESET and SIGNAL: a fence, or none, for each. */
static int replace_all(struct bw_drm_call *c, const struct drm_syncobj_array *a, bool signaled)
{
	struct bw_drm_syncobjs array;
	if (a->pad || !a->count_handles)
		return -EINVAL;
	struct bw_drm_fence *f = signaled ? bw_drm_fence_new_signaled() : NULL;
	if (signaled && !f)
		return -ENOMEM;
	int r = bw_drm_syncobjs_get(c, a->handles, a->count_handles, &array);
	pthread_mutex_lock(&c->u->lock);
	for (uint32_t i = 0; !r && i < array.n; i++)
		bw_drm_syncobj_replace(c->u, array.s[i], f);
	bw_drm_fence_unref(f);
	pthread_mutex_unlock(&c->u->lock);
	bw_drm_kick(c->u);
	if (!r)
		bw_drm_syncobjs_put(c, &array);
	return r;
}

int bw_ioctl_syncobj_reset(struct bw_drm_call *c, void *arg)
{
	return replace_all(c, arg, false);
}

int bw_ioctl_syncobj_signal(struct bw_drm_call *c, void *arg)
{
	return replace_all(c, arg, true);
}

int bw_ioctl_syncobj_timeline_signal(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_timeline_array *a = arg;
	struct bw_drm_syncobjs array;
	if (a->flags || !a->count_handles)
		return -EINVAL;
	int r = bw_drm_syncobjs_get(c, a->handles, a->count_handles, &array);
	if (r)
		return r;
	if (a->points)
		r = bw_user_dup(c, a->points, a->count_handles, sizeof(*array.points),
				&array.points);
	pthread_mutex_lock(&c->u->lock);
	for (uint32_t i = 0; !r && i < array.n; i++) {
		struct bw_drm_fence *f = bw_drm_fence_new_signaled();
		r = f ? bw_drm_syncobj_add_point(c->u, array.s[i],
						 array.points ? array.points[i] : 0, f)
		      : -ENOMEM;
		bw_drm_fence_unref(f);
	}
	pthread_mutex_unlock(&c->u->lock);
	bw_drm_kick(c->u);
	bw_drm_syncobjs_put(c, &array);
	return r;
}

int bw_ioctl_syncobj_query(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_timeline_array *a = arg;
	struct bw_drm_syncobjs array;
	if (a->flags & ~DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED || !a->count_handles)
		return -EINVAL;
	int r = bw_drm_syncobjs_get(c, a->handles, a->count_handles, &array);
	if (r)
		return r;
	array.points = calloc(array.n, sizeof(*array.points));
	if (!array.points)
		r = -ENOMEM;
	pthread_mutex_lock(&c->u->lock);
	for (uint32_t i = 0; !r && i < array.n; i++) {
		points_trim(array.s[i]);
		array.points[i] = a->flags ? last_point(array.s[i]) : array.s[i]->signaled_point;
	}
	pthread_mutex_unlock(&c->u->lock);
	if (!r)
		r = bw_user_write(c, a->points, array.points, array.n * sizeof(*array.points));
	bw_drm_syncobjs_put(c, &array);
	return r;
}
