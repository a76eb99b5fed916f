/* SPDX-License-Identifier: MIT */
/* Waits for sync objects (drm_syncobj_array_wait_timeout of Linux 6.12). A wait takes the fences
 * once: those that are there at the call, the others when they are put in. Later changes of the
 * objects do not matter to it. */
#include <drm.h>
#include <errno.h>
#include <string.h>

#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

/* DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE of Linux 6.6, and where the structs have the deadline, a
 * hint, after what older headers have of them */
enum { WAIT_FLAG_DEADLINE = 1 << 3, WAIT_DEADLINE_AT_B = 32, TIMELINE_WAIT_DEADLINE_AT_B = 40 };
enum {
	WAIT_FOR_FENCE =
		DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
};

/* One object of a wait; in the object's list until it has a fence. */
struct bw_drm_syncobj_wait {
	struct bw_drm_syncobj_wait *next, **prev;
	uint64_t point;
	struct bw_drm_fence *fence; /* owned; NULL: not there yet */
	int error;		    /* why it could not be taken */
};

struct waiting {
	struct bw_drm_syncobj_wait *entries;
	uint32_t n, flags;
	uint32_t first;	 /* that was done when the wait began, or the one that ended it */
	uint32_t n_done; /* of a wait for all: so many from the beginning */
};

static void leave_list(struct bw_drm_syncobj_wait *w)
{
	if (!w->prev)
		return;
	*w->prev = w->next;
	if (w->next)
		w->next->prev = w->prev;
	w->prev = NULL;
}

static void take_fence(struct bw_drm_syncobj *s, struct bw_drm_syncobj_wait *w)
{
	int r = bw_drm_syncobj_fence(s, w->point, &w->fence);
	w->error = r == -EINVAL ? 0 : r; /* EINVAL: not there */
}

void bw_drm_syncobj_tell_waits(struct bw_drm_syncobj *s)
{
	struct bw_drm_syncobj_wait *next;
	for (struct bw_drm_syncobj_wait *w = s->waits; w; w = next) {
		next = w->next;
		take_fence(s, w);
		if (w->fence || w->error)
			leave_list(w);
	}
}

static bool one_done(const struct waiting *w, uint32_t i)
{
	struct bw_drm_fence *f = w->entries[i].fence;
	return w->entries[i].error ||
	       (f && (w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE || bw_drm_fence_done(f)));
}

static bool is_over(void *arg)
{
	struct waiting *w = arg;
	if (w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL) {
		while (w->n_done < w->n && one_done(w, w->n_done))
			w->n_done++;
		return w->n_done == w->n;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		if (one_done(w, i)) {
			w->first = i;
			return true;
		}
	}
	return false;
}

/* The fences that are there; the entries of the others go into the lists of their objects. */
static int begin(struct waiting *w, const struct bw_drm_syncobjs *a)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct bw_drm_syncobj_wait *e = &w->entries[i];
		e->point = a->points ? a->points[i] : 0;
		take_fence(a->s[i], e);
		if (e->error)
			return e->error;
		if (!e->fence && !(w->flags & WAIT_FOR_FENCE))
			return -EINVAL;
		if (!e->fence) {
			e->prev = &a->s[i]->waits;
			e->next = a->s[i]->waits;
			if (e->next)
				e->next->prev = &e->next;
			a->s[i]->waits = e;
		} else if (w->first == UINT32_MAX && one_done(w, i)) {
			w->first = i;
		}
	}
	return 0;
}

/* deadline: 64 bits, of those fences that are there already; not aligned. */
static void set_deadlines(const struct waiting *w, const void *deadline)
{
	uint64_t deadline_ns;
	memcpy(&deadline_ns, deadline, sizeof(deadline_ns));
	for (uint32_t i = 0; w->flags & WAIT_FLAG_DEADLINE && i < w->n; i++)
		if (w->entries[i].fence)
			bw_drm_fence_set_deadline(w->entries[i].fence, deadline_ns);
}

static int wait_for(struct bw_drm_call *c, const struct bw_drm_syncobjs *a, uint32_t flags,
		    const void *deadline, int64_t timeout_ns, uint32_t *out_first)
{
	struct waiting w = {.entries = calloc(a->n, sizeof(*w.entries)),
			    .n = a->n,
			    .flags = flags,
			    .first = UINT32_MAX};
	if (!w.entries)
		return -ENOMEM;
	pthread_mutex_lock(&c->u->lock);
	int r = begin(&w, a);
	if (!r) {
		set_deadlines(&w, deadline);
		r = bw_drm_wait(c, timeout_ns, is_over, &w);
	}
	for (uint32_t i = 0; i < w.n; i++) {
		leave_list(&w.entries[i]);
		bw_drm_fence_unref(w.entries[i].fence);
		if (!r)
			r = w.entries[i].error;
	}
	pthread_mutex_unlock(&c->u->lock);
	free(w.entries);
	if (!r)
		*out_first = w.first;
	return r;
}

int bw_ioctl_syncobj_wait(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_wait *a = arg;
	struct bw_drm_syncobjs objects;
	if (a->flags & ~(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
			 WAIT_FLAG_DEADLINE))
		return -EINVAL;
	if (!a->count_handles)
		return 0;
	int r = bw_drm_syncobjs_get(c, a->handles, a->count_handles, &objects);
	if (r)
		return r;
	r = wait_for(c, &objects, a->flags, (const uint8_t *)arg + WAIT_DEADLINE_AT_B,
		     a->timeout_nsec, &a->first_signaled);
	bw_drm_syncobjs_put(c, &objects);
	return r;
}

int bw_ioctl_syncobj_timeline_wait(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_timeline_wait *a = arg;
	struct bw_drm_syncobjs objects;
	if (a->flags & ~(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
			 DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE | WAIT_FLAG_DEADLINE))
		return -EINVAL;
	if (!a->count_handles)
		return 0;
	int r = bw_drm_syncobjs_get(c, a->handles, a->count_handles, &objects);
	if (r)
		return r;
	if (a->points)
		r = bw_user_dup(c, a->points, a->count_handles, sizeof(*objects.points),
				&objects.points);
	if (!r)
		r = wait_for(c, &objects, a->flags,
			     (const uint8_t *)arg + TIMELINE_WAIT_DEADLINE_AT_B, a->timeout_nsec,
			     &a->first_signaled);
	bw_drm_syncobjs_put(c, &objects);
	return r;
}
