/* SPDX-License-Identifier: MIT */
/* KFD's events (kfd_events.c of Linux 6.12). An event of type SIGNAL has a 64-bit slot in a page
 * that program, driver and GPU share: who signals it writes there, and the driver makes the slot
 * UNSIGNALED again. The others carry data about a fault or a reset. */
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/newer_kfd.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/kfd.h"

static const uint64_t UNSIGNALED = UINT64_MAX;
enum { PAGE_B = KFD_SIGNAL_EVENT_LIMIT * sizeof(uint64_t) };

/* One event of a call that waits. */
struct waited {
	struct bw_kfd_event *event; /* NULL: it was destroyed meanwhile */
	bool activated, wants_age;
};

/* A call that waits. It is in the list of its process as long as it does. */
struct bw_kfd_waiter {
	struct bw_kfd_waiter *next;
	struct waited *events;
	uint32_t n;
	bool all;
};

static bool has_slot(uint32_t type)
{
	return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

static struct bw_kfd_event *find_event(struct bw_kfd *p, uint32_t id)
{
	return bw_ids_get(id < BW_KFD_FIRST_OTHER_EVENT ? &p->signals : &p->others, id);
}

/* ---- the page ---- */

static uint64_t *slots(struct bw_kfd *p)
{
	return (uint64_t *)bw_drm_bo_cpu(p->event_page, 0, PAGE_B);
}

struct bw_drm_bo *bw_kfd_event_page(struct bw_kfd *p)
{
	if (p->event_page || bw_kfd_own_pages(p, &p->event_page, PAGE_B))
		return p->event_page;
	memset(slots(p), 0xff, PAGE_B);
	return p->event_page;
}

/* The first call may give a buffer of the program as the page. */
static int take_page(struct bw_kfd *p, uint64_t handle)
{
	struct bw_kfd_buffer *b = p->event_page ? NULL : bw_kfd_buffer(p, handle);
	if (!b || b->bo->in_vram || b->bo->user || b->bo->size_b < PAGE_B)
		return -EINVAL;
	p->event_page = bw_drm_bo_ref(b->bo);
	p->event_page_handle = handle;
	p->has_page_of_program = true;
	memset(slots(p), 0xff, PAGE_B);
	return 0;
}

static uint32_t n_slots(const struct bw_kfd *p)
{
	return p->has_page_of_program ? KFD_SIGNAL_EVENT_LIMIT : BW_KFD_SLOTS_WITHOUT_PAGE;
}

/* ---- making and ending ---- */

static int add_event(struct bw_kfd *p, struct bw_kfd_event *e, uint32_t *out_id)
{
	if (!has_slot(e->type))
		return p->others.n < BW_KFD_MAX_OTHER_EVENTS ? bw_ids_add(&p->others, e, out_id)
							     : -ENOSPC;
	if (!bw_kfd_event_page(p))
		return -ENOMEM;
	/* id 0 counts there */
	if (p->signals.n + 1 >= n_slots(p))
		return -ENOSPC;
	int r = bw_ids_add(&p->signals, e, out_id);
	if (!r)
		slots(p)[*out_id] = UNSIGNALED;
	return r;
}

int bw_kfd_ioctl_create_event(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_create_event_args *a = arg;
	struct bw_kfd *p = c->kfd;
	_cleanup_free_ struct bw_kfd_event *e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	*e = (struct bw_kfd_event){.type = a->event_type, .auto_reset = a->auto_reset, .age = 1};
	pthread_mutex_lock(&c->u->lock);
	int r = a->event_page_offset ? take_page(p, a->event_page_offset) : 0;
	if (!r) {
		a->event_page_offset = 0;
		r = add_event(p, e, &a->event_id);
	}
	pthread_mutex_unlock(&c->u->lock);
	if (r)
		return r;
	a->event_trigger_data = a->event_id;
	if (has_slot(e->type)) {
		a->event_page_offset = BW_KFD_MMAP_OFFSET(BW_KFD_MMAP_EVENTS, 0);
		a->event_slot_index = a->event_id;
	}
	bw_take(e);
	return 0;
}

/* Calls fn for each time that a call waits for the event and has not been woken for it. */
static bool for_each_waiting(struct bw_kfd *p, struct bw_kfd_event *e, void (*fn)(struct waited *w))
{
	bool any = false;
	for (struct bw_kfd_waiter *it = p->waiters; it; it = it->next) {
		for (uint32_t i = 0; i < it->n; i++) {
			struct waited *w = &it->events[i];
			if (w->event != e || w->activated)
				continue;
			any = true;
			fn(w);
		}
	}
	return any;
}

static void activate(struct waited *w)
{
	w->activated = true;
}

static void forget(struct bw_kfd *p, const struct bw_kfd_event *e)
{
	for (struct bw_kfd_waiter *it = p->waiters; it; it = it->next)
		for (uint32_t i = 0; i < it->n; i++)
			if (it->events[i].event == e)
				it->events[i].event = NULL;
}

int bw_kfd_ioctl_destroy_event(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_destroy_event_args *a = arg;
	struct bw_kfd *p = c->kfd;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_event *e = bw_ids_remove(
		a->event_id < BW_KFD_FIRST_OTHER_EVENT ? &p->signals : &p->others, a->event_id);
	if (e) {
		forget(p, e);
		free(e);
		pthread_cond_broadcast(&c->u->changed);
	}
	pthread_mutex_unlock(&c->u->lock);
	return e ? 0 : -EINVAL;
}

void bw_kfd_free_events(struct bw_kfd *p)
{
	bw_ids_each(&p->signals, i)
		free(p->signals.slot[i]);
	bw_ids_fini(&p->signals);
	bw_ids_each(&p->others, i)
		free(p->others.slot[i]);
	bw_ids_fini(&p->others);
}

/* ---- signalling ---- */

/* set_event: an event with auto_reset stays signalled only if nobody waited for it. */
static void set_event(struct bw_kfd *p, struct bw_kfd_event *e)
{
	bool woke = for_each_waiting(p, e, activate);
	e->signaled = !e->auto_reset || !woke;
	if (!++e->age)
		e->age = 2;
	pthread_cond_broadcast(&p->u->changed);
}

int bw_kfd_set_event(struct bw_kfd *p, uint32_t id)
{
	struct bw_kfd_event *e = find_event(p, id);
	if (!e || e->type != KFD_IOC_EVENT_SIGNAL)
		return -EINVAL;
	set_event(p, e);
	return 0;
}

int bw_kfd_ioctl_set_event(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_set_event_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	int r = bw_kfd_set_event(c->kfd, a->event_id);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* kfd_signal_event_interrupt: the number is only a hint, as what waits is said by the slots. */
void bw_kfd_signal(struct bw_kfd *p, uint32_t id)
{
	if (!p->event_page)
		return;
	uint64_t *slot = slots(p);
	bool is_hint_right = id < KFD_SIGNAL_EVENT_LIMIT &&
			     __atomic_load_n(&slot[id], __ATOMIC_ACQUIRE) != UNSIGNALED;
	bw_ids_each(&p->signals, i) {
		uint32_t at = i + p->signals.first;
		if ((is_hint_right && at != id) ||
		    __atomic_load_n(&slot[at], __ATOMIC_ACQUIRE) == UNSIGNALED)
			continue;
		__atomic_store_n(&slot[at], UNSIGNALED, __ATOMIC_RELEASE);
		set_event(p, p->signals.slot[i]);
	}
}

void bw_kfd_signal_memory(struct bw_kfd *p, const struct kfd_hsa_memory_exception_data *data)
{
	bw_ids_each(&p->others, i) {
		struct bw_kfd_event *e = p->others.slot[i];
		if (e->type != KFD_IOC_EVENT_MEMORY)
			continue;
		e->memory = *data;
		set_event(p, e);
	}
}

int bw_kfd_ioctl_reset_event(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_reset_event_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_event *e = find_event(c->kfd, a->event_id);
	int r = e && e->type == KFD_IOC_EVENT_SIGNAL ? 0 : -EINVAL;
	if (!r)
		e->signaled = false;
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* ---- waiting ---- */

/* test_event_condition */
static uint32_t condition(const struct bw_kfd_waiter *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		if (!w->events[i].event)
			return KFD_IOC_WAIT_RESULT_FAIL;
		if (w->events[i].activated && !w->all)
			return KFD_IOC_WAIT_RESULT_COMPLETE;
		n += w->events[i].activated;
	}
	return n == w->n ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
}

static bool is_decided(void *arg)
{
	return condition(arg) != KFD_IOC_WAIT_RESULT_TIMEOUT;
}

/* init_event_waiter; a signal that was there is used up by an event with auto_reset. */
static int begin(struct bw_kfd *p, struct bw_kfd_waiter *w, const struct bw_kfd_event_data *data)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct bw_kfd_event *e = find_event(p, data[i].event_id);
		if (!e)
			return -EINVAL;
		struct waited *it = &w->events[i];
		*it = (struct waited){.event = e, .activated = e->signaled};
		e->signaled = e->signaled && !e->auto_reset;
		it->wants_age = e->type == KFD_IOC_EVENT_SIGNAL && data[i].last_event_age;
		if (it->wants_age && e->age != data[i].last_event_age)
			it->activated = true;
	}
	return 0;
}

/* What the call tells of the events that ended it. */
static void collect(const struct bw_kfd_waiter *w, struct bw_kfd_event_data *data)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct waited *it = &w->events[i];
		if (!it->activated)
			continue;
		if (it->wants_age)
			data[i].last_event_age = it->event->age;
		else if (it->event->type == KFD_IOC_EVENT_MEMORY)
			data[i].memory_exception_data = it->event->memory;
		else if (it->event->type == KFD_IOC_EVENT_HW_EXCEPTION)
			data[i].hw_exception_data = it->event->hw;
	}
}

/* A call that is interrupted gives back the signals that it has used up (free_waiters). */
static void leave(struct bw_kfd *p, struct bw_kfd_waiter *w, bool undo)
{
	for (struct bw_kfd_waiter **at = &p->waiters; *at; at = &(*at)->next) {
		if (*at == w) {
			*at = w->next;
			break;
		}
	}
	for (uint32_t i = 0; undo && i < w->n; i++) {
		struct bw_kfd_event *e = w->events[i].event;
		if (e && w->events[i].activated && e->auto_reset)
			set_event(p, e);
	}
}

static int64_t deadline_of(uint32_t timeout_ms)
{
	return timeout_ms == UINT32_MAX ? INT64_MAX : bw_now_ns() + (int64_t)timeout_ms * 1000000;
}

/* With the lock. out_result: KFD_IOC_WAIT_RESULT_*. */
static int wait_for(struct bw_drm_call *c, struct bw_kfd_waiter *w, struct bw_kfd_event_data *data,
		    uint32_t timeout_ms, uint32_t *out_result)
{
	struct bw_kfd *p = c->kfd;
	int r = begin(p, w, data);
	if (r)
		return r;
	w->next = p->waiters;
	p->waiters = w;
	r = bw_drm_wait(c, deadline_of(timeout_ms), is_decided, w);
	*out_result = condition(w);
	if (*out_result == KFD_IOC_WAIT_RESULT_COMPLETE)
		collect(w, data);
	leave(p, w, r == -EINTR);
	if (r == -EINTR)
		return r;
	return *out_result == KFD_IOC_WAIT_RESULT_FAIL ? -EIO : 0;
}

int bw_kfd_ioctl_wait_events(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_wait_events_args *a = arg;
	_cleanup_free_ struct bw_kfd_event_data *data = NULL;
	_cleanup_free_ struct waited *events = NULL;
	int r = a->num_events > BW_DRM_MAX_HANDLES
			? -ENOMEM
			: bw_user_dup(c, a->events_ptr, a->num_events, sizeof(*data), &data);
	if (!r && !(events = calloc(a->num_events + 1, sizeof(*events))))
		r = -ENOMEM;
	struct bw_kfd_waiter w = {.events = events, .n = a->num_events, .all = a->wait_for_all};
	a->wait_result = KFD_IOC_WAIT_RESULT_FAIL;
	if (r)
		return r;
	pthread_mutex_lock(&c->u->lock);
	r = wait_for(c, &w, data, a->timeout, &a->wait_result);
	pthread_mutex_unlock(&c->u->lock);
	if (!r && a->wait_result == KFD_IOC_WAIT_RESULT_COMPLETE && a->num_events)
		r = bw_user_write(c, a->events_ptr, data, a->num_events * sizeof(*data));
	if (r)
		a->wait_result = KFD_IOC_WAIT_RESULT_FAIL;
	return r;
}
