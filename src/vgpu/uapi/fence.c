/* SPDX-License-Identifier: MIT */
/* Fences and the waits for them. */
#include <amdgpu_drm.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

struct bw_drm_fence *bw_drm_fence_new(void)
{
	struct bw_drm_fence *f = calloc(1, sizeof(*f));
	if (f)
		f->refs = 1;
	return f;
}

struct bw_drm_fence *bw_drm_fence_ref(struct bw_drm_fence *f)
{
	if (f)
		f->refs++;
	return f;
}

void bw_drm_fence_unref(struct bw_drm_fence *f)
{
	if (!f || --f->refs)
		return;
	if (f->ops && f->ops->release)
		f->ops->release(f);
	bw_drm_fence_unref(f->scheduled);
	bw_drm_fences_fini(&f->parts);
	bw_drm_fences_fini(&f->members);
	free(f);
}

void bw_drm_fence_is_signaled(struct bw_drm_fence *f)
{
	f->signaled = true;
	f->signaled_ns = bw_now_ns();
}

uint64_t bw_drm_fence_contexts(unsigned n)
{
	static _Atomic uint64_t used;
	return atomic_fetch_add(&used, n) + 1;
}

struct bw_drm_fence *bw_drm_fence_new_signaled(void)
{
	struct bw_drm_fence *f = bw_drm_fence_new();
	if (f)
		bw_drm_fence_is_signaled(f);
	return f;
}

bool bw_drm_fence_done(struct bw_drm_fence *f)
{
	if (!f->signaled && f->parts.len && bw_drm_fences_signaled(&f->parts)) {
		bw_drm_fence_is_signaled(f);
		bw_drm_fences_fini(&f->parts);
		for (size_t i = 0; i < f->members.len && !f->error; i++)
			f->error = f->members.data[i]->error;
	}
	return f->signaled;
}

void bw_drm_fence_set_deadline(struct bw_drm_fence *f, uint64_t deadline_ns)
{
	if (bw_drm_fence_done(f))
		return;
	if (f->ops && f->ops->set_deadline)
		f->ops->set_deadline(f, deadline_ns);
	/* None of them has parts itself. */
	bw_vec_each(&f->parts, part)
		if ((*part)->ops && (*part)->ops->set_deadline)
			(*part)->ops->set_deadline(*part, deadline_ns);
}

uint64_t bw_drm_mark(void)
{
	static _Atomic uint64_t last;
	return ++last;
}

struct bw_drm_gathering bw_drm_gather(struct bw_drm_fences *into)
{
	return (struct bw_drm_gathering){.into = into, .mark = bw_drm_mark()};
}

int bw_drm_gather_fence(struct bw_drm_gathering *g, struct bw_drm_fence *f)
{
	int r = 0;
	if (++g->steps > BW_DRM_MAX_STEPS)
		return -ENOMEM;
	if (f->mark == g->mark || bw_drm_fence_done(f))
		return 0;
	f->mark = g->mark;
	if (!f->parts.len)
		return bw_drm_fences_add(g->into, f);
	for (size_t i = 0; i < f->parts.len && !r; i++)
		r = bw_drm_gather_fence(g, f->parts.data[i]);
	return r;
}

void bw_drm_fence_signal(struct bw_uapi *u, struct bw_drm_fence *f, int error)
{
	if (f->signaled)
		return;
	bw_drm_fence_is_signaled(f);
	f->error = error;
	pthread_cond_broadcast(&u->changed);
}

static void drop_signaled(struct bw_drm_fences *v)
{
	size_t kept = 0;
	for (size_t i = 0; i < v->len; i++) {
		if (bw_drm_fence_done(v->data[i]))
			bw_drm_fence_unref(v->data[i]);
		else
			v->data[kept++] = v->data[i];
	}
	v->len = kept;
}

int bw_drm_fences_add(struct bw_drm_fences *v, struct bw_drm_fence *f)
{
	struct bw_error *err = NULL;
	/* All are checked when the list is full, and afterwards it is half empty: on average one
	 * step for each added fence. */
	if (v->len == v->cap) {
		drop_signaled(v);
		err = bw_vec_reserve(v, BW_MAX(2 * v->len, (size_t)8));
	}
	if (!err)
		err = bw_vec_push(v, f);
	if (err) {
		bw_error_free(err);
		return -ENOMEM;
	}
	bw_drm_fence_ref(f);
	return 0;
}

bool bw_drm_fences_signaled(struct bw_drm_fences *v)
{
	/* From the end, so that repeated calls cost no more than one. */
	while (v->len && bw_drm_fence_done(v->data[v->len - 1]))
		bw_drm_fence_unref(v->data[--v->len]);
	return !v->len;
}

void bw_drm_fences_fini(struct bw_drm_fences *v)
{
	for (size_t i = 0; i < v->len; i++)
		bw_drm_fence_unref(v->data[i]);
	bw_vec_free(v);
}

int64_t bw_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t bw_drm_deadline(uint64_t timeout_ns)
{
	return (int64_t)timeout_ns < 0 ? INT64_MAX : (int64_t)timeout_ns;
}

static uint64_t held_ns(const struct bw_drm_call *c, bool *out_held_now)
{
	struct bw_drm_vm *vm = bw_drm_call_vm(c);
	return vm ? bw_drm_vm_held_ns(vm, out_held_now) : 0;
}

int bw_drm_wait(struct bw_drm_call *c, int64_t deadline_ns, bool (*done)(void *arg), void *arg)
{
	/* The interval at which a waiter polls for changes that do not wake it: the end of its
	 * program, and waves being held or no longer held. */
	const int64_t slice_ns = 50 * 1000000;
	struct bw_uapi *u = c->u;
	bool held_now = false;
	uint64_t held_at_start = held_ns(c, &held_now);
	bool poll = deadline_ns <= bw_now_ns();
	for (;;) {
		if (done(arg))
			return 0;
		int64_t now = bw_now_ns(), until = now + slice_ns;
		if (deadline_ns != INT64_MAX) {
			uint64_t held = held_ns(c, &held_now) - held_at_start;
			int64_t left = deadline_ns > INT64_MAX - (int64_t)held
					       ? INT64_MAX
					       : deadline_ns + (int64_t)held;
			if (poll || (!held_now && left <= now))
				return -ETIME;
			if (!held_now)
				until = BW_MIN(until, left);
		}
		if (u->stopping || bw_conn_gone(c->conn))
			return -EINTR;
		struct timespec t = {until / 1000000000, until % 1000000000};
		pthread_cond_timedwait(&u->changed, &u->lock, &t);
	}
}

static bool fence_done(void *arg)
{
	return bw_drm_fence_done(arg);
}

int bw_drm_wait_fence(struct bw_drm_call *c, struct bw_drm_fence *f, int64_t deadline_ns)
{
	return bw_drm_wait(c, deadline_ns, fence_done, f);
}

/* A reference to the fence a program names; 0 and NULL: long done. Lock held. */
static int find_fence(struct bw_drm_call *c, const struct drm_amdgpu_fence *name,
		      struct bw_drm_fence **out)
{
	struct bw_drm_ctx *ctx = bw_drm_ctx_get(c->file, name->ctx_id);
	struct bw_drm_entity *e;
	if (!ctx)
		return -EINVAL;
	int r = bw_drm_ctx_entity(ctx, name->ip_type, name->ip_instance, name->ring, &e);
	return r ? r : bw_drm_ctx_fence(e, name->seq_no, out);
}

int bw_ioctl_wait_cs(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_wait_cs *wait = arg;
	int64_t deadline = bw_drm_deadline(wait->in.timeout);
	struct drm_amdgpu_fence name = {wait->in.ctx_id, wait->in.ip_type, wait->in.ip_instance,
					wait->in.ring, wait->in.handle};
	struct bw_drm_fence *f = NULL;
	pthread_mutex_lock(&c->u->lock);
	int r = find_fence(c, &name, &f);
	if (!r && f) {
		r = bw_drm_wait_fence(c, f, deadline);
		if (!r && f->error)
			r = f->error;
		else if (r == -ETIME)
			r = 1;
		bw_drm_fence_unref(f);
	}
	pthread_mutex_unlock(&c->u->lock);
	if (r < 0)
		return r;
	memset(wait, 0, sizeof(*wait));
	wait->out.status = (uint64_t)r;
	return 0;
}

/* One after the other, as the kernel does: each gets the whole time, which is absolute anyway. */
static int wait_all(struct bw_drm_call *c, const struct drm_amdgpu_fence *names, uint32_t n,
		    int64_t deadline, union drm_amdgpu_wait_fences *wait)
{
	int r = 0;
	for (uint32_t i = 0; i < n && !r; i++) {
		struct bw_drm_fence *f = NULL;
		r = find_fence(c, &names[i], &f);
		if (r || !f)
			continue;
		r = bw_drm_wait_fence(c, f, deadline);
		if (!r)
			r = f->error;
		else if (r == -ETIME)
			r = 1; /* not an error of a fence */
		bw_drm_fence_unref(f);
	}
	if (r < 0)
		return r;
	memset(wait, 0, sizeof(*wait));
	wait->out.status = r == 0;
	return 0;
}

struct any {
	struct bw_drm_fence **f;
	uint32_t n, first;
};

static bool any_done(void *arg)
{
	struct any *any = arg;
	for (uint32_t i = 0; i < any->n; i++) {
		if (!any->f[i] || bw_drm_fence_done(any->f[i])) {
			any->first = i;
			return true;
		}
	}
	return false;
}

static int wait_any(struct bw_drm_call *c, const struct drm_amdgpu_fence *names, uint32_t n,
		    int64_t deadline, union drm_amdgpu_wait_fences *wait)
{
	struct any any = {calloc(n, sizeof(*any.f)), n, UINT32_MAX};
	int r = any.f ? 0 : -ENOMEM;
	bool stop = false;
	for (uint32_t i = 0; i < n && !r && !stop; i++) {
		r = find_fence(c, &names[i], &any.f[i]);
		stop = !r && !any.f[i]; /* done already: the rest is not looked at */
		if (stop)
			any.n = i + 1;
	}
	/* One that is long gone is the first, whatever is before it. */
	if (stop)
		any.first = any.n - 1;
	if (!r) {
		r = stop ? 0 : bw_drm_wait(c, deadline, any_done, &any);
		if (!r || r == -ETIME) {
			memset(wait, 0, sizeof(*wait));
			wait->out.status = r == 0;
			wait->out.first_signaled = any.first;
			r = any.first < n && any.f[any.first] ? any.f[any.first]->error : 0;
		}
	}
	for (uint32_t i = 0; any.f && i < n; i++)
		bw_drm_fence_unref(any.f[i]);
	free(any.f);
	return r;
}

int bw_ioctl_wait_fences(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_wait_fences *wait = arg;
	struct drm_amdgpu_fence *names;
	uint32_t n = wait->in.fence_count;
	int64_t deadline = bw_drm_deadline(wait->in.timeout_ns);
	if (!n && !wait->in.wait_all)
		return -EINVAL;
	if (n > BW_DRM_MAX_HANDLES)
		return -ENOMEM;
	int r = bw_user_dup(c, wait->in.fences, n, sizeof(*names), &names);
	if (r)
		return r;
	pthread_mutex_lock(&c->u->lock);
	r = wait->in.wait_all ? wait_all(c, names, n, deadline, wait)
			      : wait_any(c, names, n, deadline, wait);
	pthread_mutex_unlock(&c->u->lock);
	free(names);
	return r;
}

/* An fd of a new syncobj with this fence. */
static int syncobj_fd_of(struct bw_drm_call *c, struct bw_drm_fence *f, int *out_fd)
{
	uint32_t handle;
	int r = bw_drm_syncobj_new_handle(c->file, f, &handle);
	if (r)
		return r;
	struct bw_drm_syncobj *s = bw_ids_remove(&c->file->syncobjs, handle);
	r = bw_drm_sync_fd_new(c->u, c->file->account, &(struct bw_drm_sync_fd){.syncobj = s},
			       out_fd);
	bw_drm_syncobj_unref(s);
	return r;
}

int bw_ioctl_fence_to_handle(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_fence_to_handle *info = arg;
	struct bw_drm_fence *f = NULL;
	uint32_t handle = 0;
	pthread_mutex_lock(&c->u->lock);
	int r = find_fence(c, &info->in.fence, &f);
	if (!r && !f) {
		f = bw_drm_fence_new_signaled();
		r = f ? 0 : -ENOMEM;
	}
	if (!r) {
		switch (info->in.what) {
		case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ:
			r = bw_drm_syncobj_new_handle(c->file, f, &handle);
			break;
		case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD:
			r = syncobj_fd_of(c, f, &c->fd_out);
			break;
		case AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD:
			r = bw_drm_sync_fd_new(c->u, c->file->account,
					       &(struct bw_drm_sync_fd){.fence = f}, &c->fd_out);
			break;
		default:
			r = -EINVAL;
		}
	}
	bw_drm_fence_unref(f);
	pthread_mutex_unlock(&c->u->lock);
	if (!r) {
		info->out.handle = handle;
		c->fd_at = offsetof(union drm_amdgpu_fence_to_handle, out.handle);
	}
	return r;
}
