/* SPDX-License-Identifier: MIT */
/* AQL queues of a program that can be debugged. No call shows a packet: the program writes it into
 * the queue's ring, raises the queue's write index and stores to a doorbell. So the GPU gets
 * another write index, which is ours. A thread for each queue follows the program's, and raises
 * ours packet by packet: for a kernel dispatch when the debugger has released it, for anything else
 * at once. The ring, the read index and the queue's object stay the program's.
 *
 * A dispatch is over when the read index has passed it: the command processor raises it when the
 * waves of a packet, and of all packets before it, have ended. */
#include "agent/gpu/kfd.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "agent/breadcrumbs/crumbs.h"
#include "agent/clocks/clock.h"
#include "agent/clocks/thread.h"
#include "agent/debugger/debugger.h"
#include "agent/gpu/aql_capture.h"
#include "agent/gpu/aql_page.h"
#include "agent/memory/memory.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "base/util.h"
#include "base/vec.h"
#include "pm4/aql_stream.h"
#include "regs/field.h"

enum { DOORBELLS_B = 8192 };

/* A packet that the GPU has, until the read index has passed it. */
struct under_way {
	uint64_t index;
	uint32_t number; /* for the debugger; 0: it was not shown */
	struct bw_attach_left *job;
};

struct queue {
	struct bw_agent_file *kfd, *vm; /* a reference each */
	uint32_t id, gpu_id;
	uint64_t write_va, read_va; /* the program's */
	_Atomic uint64_t ring_va;   /* which UPDATE_QUEUE may change */
	_Atomic uint32_t n_slots;
	struct bw_aql_page page;
	_Atomic uint64_t *write; /* ours, in that page */
	uint8_t *doorbells;	 /* our mapping of them; NULL: not mapped yet */
	_Atomic uint64_t *bell;
	uint64_t rung, next; /* next: index of the packet to pass on */
	struct BW_VEC(struct under_way) under_way;
	struct bw_aql_capture capture;
	struct bw_crumbs_passed crumb;	 /* of the packet before `next` */
	_Atomic uint64_t crumb_is_after; /* its index and 1, while it has not ended; 0: none */
	atomic_bool ends;
	bool is_followed; /* by its thread; under the lock of g */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct BW_VEC(struct queue *) queues;
	atomic_uint under_way; /* of all queues, those that were shown */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* ---- a packet as a dispatch ---- */

static bool read_words(struct bw_agent_file *vm, uint64_t va, uint32_t *out, size_t n)
{
	uint64_t bad_va;
	return !bw_memory_read(vm, va, out, n * sizeof(*out), &bad_va);
}

/* Memory that the program and the GPU share. The kernel's buffers can be read by a mapping of ours
 * alone: process_vm_readv() does not take a device's pages. */
static bool read_shared(const struct queue *q, uint64_t va, void *out, size_t size_b)
{
	uint64_t bad_va;
	return bw_agent_copy_in(out, va, size_b) ||
	       !bw_memory_read(q->vm, va, out, size_b, &bad_va);
}

/* The queue's object, which has its read index at an offset that stands after the index. */
static bool read_object(const struct queue *q, uint64_t *out_va, struct bw_aql_queue_object *out)
{
	uint32_t offset_b, dw[BW_AQL_QUEUE_DW];
	if (!read_words(q->vm, q->read_va + BW_AQL_READ_ID_TO_OFFSET_B, &offset_b, 1))
		return false;
	*out_va = q->read_va - offset_b;
	if (!read_words(q->vm, *out_va, dw, BW_ARRAY_SIZE(dw)))
		return false;
	bw_aql_read_queue(dw, out);
	return true;
}

static void fill_dispatch(const struct bw_aql_launch *l, struct bw_agent_dispatch *out)
{
	const struct bw_aql_packet *p = l->packet;
	*out = (struct bw_agent_dispatch){
		.code_va = p->dispatch.kernel_object + (uint64_t)l->descriptor->entry_b,
		.rsrc1 = l->descriptor->rsrc1,
		.rsrc2 = bw_aql_rsrc2(l),
		.rsrc3 = l->descriptor->rsrc3,
		.initiator = bw_aql_initiator(l),
		.tmpring_size = l->queue->tmpring,
		.scratch_base_lo = bw_lo_256b(l->queue->scratch),
		.scratch_base_hi = bw_hi_256b(l->queue->scratch),
		.packet_va = l->packet_va,
	};
	bw_aql_groups(p, out->groups);
	for (unsigned i = 0; i < 3; i++)
		out->group_size[i] = BW_MAX(p->dispatch.group[i], 1u);
	_Static_assert(BW_AQL_USER_SGPRS == BW_ARRAY_SIZE(out->user_data), "as many in both");
	bw_aql_user_data(l, out->user_data);
}

/* A dispatch with what it refers to. */
struct launch {
	struct bw_aql_launch l;
	struct bw_aql_descriptor descriptor;
	struct bw_aql_queue_object object;
	struct bw_agent_dispatch dispatch;
};

/* False: it refers to memory that is not there, which the GPU will report. */
static bool read_launch(const struct queue *q, const struct bw_aql_packet *p, uint64_t packet_va,
			struct launch *out)
{
	uint32_t dw[BW_AQL_DESCRIPTOR_DW];
	out->l = (struct bw_aql_launch){.packet = p,
					.descriptor = &out->descriptor,
					.queue = &out->object,
					.packet_va = packet_va,
					.index = q->next};
	if (!read_object(q, &out->l.queue_va, &out->object) ||
	    !read_words(q->vm, p->dispatch.kernel_object, dw, BW_ARRAY_SIZE(dw)))
		return false;
	bw_aql_read_descriptor(dw, &out->descriptor);
	fill_dispatch(&out->l, &out->dispatch);
	return true;
}

/* ---- passing on ---- */

/* Shows a dispatch and waits until it is released. Returns its number; 0: it was not shown. */
static uint32_t hold(struct queue *q, const struct launch *l)
{
	/* Contexts have numbers from 1: in 0 are the queues of KFD, each with its id. */
	struct bw_agent_submit submit = {.ip_type = AMDGPU_HW_IP_COMPUTE,
					 .ring = q->id,
					 .n_dispatches = 1,
					 .file = q->vm->number};
	return bw_debugger_hold(q->vm, &submit, &l->dispatch, NULL);
}

/* The value of a doorbell has no meaning in an AQL queue, but each store differs from the last, so
 * that one who looks at it sees them all. */
static void ring(struct queue *q)
{
	const uint64_t ours = 1ull << 63;
	atomic_store(q->bell, ours | ++q->rung);
}

/* The packet at `next`, if the program has finished it. */
static bool read_packet(const struct queue *q, uint64_t *out_va, struct bw_aql_packet *out)
{
	uint64_t write;
	uint32_t dw[BW_AQL_PACKET_DW];
	if (!read_shared(q, q->write_va, &write, sizeof(write)) || q->next >= write)
		return false;
	*out_va = q->ring_va + q->next % q->n_slots * BW_AQL_PACKET_B;
	/* The header is written last, so it is read first. */
	if (!read_shared(q, *out_va, dw, sizeof(dw[0])))
		return false;
	bw_aql_read(dw, out);
	if (out->type == BW_AQL_INVALID || !read_shared(q, *out_va, dw, sizeof(dw)))
		return false;
	bw_aql_read(dw, out);
	return true;
}

static void begin(struct queue *q, struct under_way one)
{
	struct bw_error *err = bw_vec_push(&q->under_way, one);
	if (!err) {
		atomic_fetch_add(&g.under_way, one.number != 0);
		return;
	}
	bw_error_free(err);
	if (one.number)
		bw_debugger_done(one.number, 0); /* the debugger must not wait for it */
	bw_debugger_job_ended(one.job);
}

/* Whether all packets before the next one are complete. */
static bool is_idle(const struct queue *q)
{
	uint64_t read;
	return read_shared(q, q->read_va, &read, sizeof(read)) && read >= q->next;
}

static void pass_on(struct queue *q)
{
	q->next++;
	atomic_store_explicit(q->write, q->next, memory_order_release);
	ring(q);
}

/* Passes on a packet that a capture may want, and waits until it is complete. */
static void pass_captured(struct queue *q, const struct bw_aql_packet *p, uint64_t packet_va)
{
	struct launch l;
	struct bw_aql_passing one = {.kfd = q->kfd,
				     .vm = q->vm,
				     .queue = q->id,
				     .index = q->next,
				     .read_va = q->read_va,
				     .ends = &q->ends,
				     .packet = p};
	if (p->type == BW_AQL_DISPATCH && read_launch(q, p, packet_va, &l)) {
		one.launch = &l.l;
		one.dispatch = &l.dispatch;
		if (bw_aql_capture_ask_scratch(&one) && !read_launch(q, p, packet_va, &l))
			one.launch = NULL;
	}
	bool is_captured = bw_aql_capture_begin(&q->capture, &one);
	pass_on(q);
	if (is_captured)
		bw_aql_capture_end(&q->capture, &one);
	else
		bw_aql_capture_passed_other();
}

/* ---- breadcrumbs ---- */

/* True: the packet that had markers has ended. */
static bool look_at_crumb(struct queue *q)
{
	if (!q->crumb.slot)
		return false;
	if (!is_idle(q)) {
		bw_crumbs_packet_look(&q->crumb);
		return false;
	}
	bw_crumbs_packet_end(&q->crumb);
	atomic_store(&q->crumb_is_after, 0);
	return true;
}

static void begin_crumb(struct queue *q, const struct bw_aql_packet *p, uint64_t packet_va)
{
	struct launch l;
	struct bw_crumbs_packet one = {.vm = q->vm,
				       .queue = q->id,
				       .ring_va = q->ring_va,
				       .packet_va = packet_va,
				       .type = p->type};
	look_at_crumb(q); /* the packet before has ended */
	if (p->type == BW_AQL_DISPATCH && read_launch(q, p, packet_va, &l)) {
		one.dispatch = &l.dispatch;
		one.kernel_object = p->dispatch.kernel_object;
	}
	bw_crumbs_packet_begin(&one, &q->ends, &q->crumb);
	atomic_store(&q->crumb_is_after, q->crumb.slot ? q->next + 1 : 0);
}

/* Whether a packet is complete, and its last marker not written yet. */
static bool is_unsettled(const struct queue *q)
{
	uint64_t read, after = atomic_load(&q->crumb_is_after);
	return after && read_shared(q, q->read_va, &read, sizeof(read)) && read >= after;
}

/* The program knows of a packet that is complete sooner than we do, and exits. */
static __attribute__((destructor)) void settle_at_exit(void)
{
	enum { PAUSE_NS = 100000, MOST = 10000 };
	bool waits = bw_crumbs_are_on();
	for (unsigned i = 0; waits && i < MOST; i++) {
		const struct timespec pause = {0, PAUSE_NS};
		waits = false;
		pthread_mutex_lock(&g.lock);
		bw_vec_each(&g.queues, q)
			waits |= is_unsettled(*q);
		pthread_mutex_unlock(&g.lock);
		if (waits)
			nanosleep(&pause, NULL);
	}
}

static bool pass_one(struct queue *q)
{
	struct bw_aql_packet p;
	struct launch l;
	uint64_t va;
	uint32_t area_handle;
	if (!read_packet(q, &va, &p))
		return false;
	bool captures = bw_aql_capture_wants(&p), is_traced = bw_crumbs_are_on();
	if ((captures || is_traced) && !is_idle(q))
		return false;
	struct under_way one = {.index = q->next};
	if (p.type == BW_AQL_DISPATCH) {
		if (bw_debugger_listens(q->vm) && read_launch(q, &p, va, &l))
			one.number = hold(q, &l);
		one.job = bw_debugger_job_begun(q->vm, &area_handle);
	}
	if (one.number || one.job)
		begin(q, one);
	if (is_traced)
		begin_crumb(q, &p, va);
	if (captures) {
		pass_captured(q, &p, va);
	} else {
		pass_on(q);
		bw_aql_capture_passed_other();
	}
	return true;
}

/* Reports those that are over; all: the queue is gone. */
static bool report_ends(struct queue *q, bool all)
{
	uint64_t read = 0;
	bool any = false;
	if (!q->under_way.len || (!all && !read_shared(q, q->read_va, &read, sizeof(read))))
		return false;
	for (size_t i = 0; i < q->under_way.len;) {
		const struct under_way one = q->under_way.data[i];
		bool is_over = one.index < read;
		if (!is_over && !all) {
			i++;
			continue;
		}
		atomic_fetch_sub(&g.under_way, one.number != 0);
		if (one.number)
			bw_debugger_done(one.number, is_over ? 0 : -ENODATA);
		bw_debugger_job_ended(one.job);
		bw_vec_remove(&q->under_way, i);
		any = true;
	}
	return any;
}

/* Pauses until the next look: short while there is work. */
static void pause_for(int64_t idle_ns)
{
	static const struct {
		int64_t idle_ns;
		long pause_ns;
	} rows[] = {{5000000, 10000}, {200000000, 100000}, {INT64_MAX, 1000000}};
	size_t i = 0;
	while (idle_ns > rows[i].idle_ns)
		i++;
	const struct timespec t = {0, rows[i].pause_ns};
	nanosleep(&t, NULL);
}

static void *follow(void *cookie)
{
	struct queue *q = cookie;
	int64_t last_ns = bw_clock_real_ns();
	prctl(PR_SET_TIMERSLACK, 1000ul);
	while (!atomic_load(&q->ends)) {
		bool passed = pass_one(q);
		if (report_ends(q, false) || look_at_crumb(q) || passed)
			last_ns = bw_clock_real_ns();
		else
			pause_for(bw_clock_real_ns() - last_ns);
	}
	report_ends(q, true);
	look_at_crumb(q);
	pthread_mutex_lock(&g.lock);
	q->is_followed = false;
	pthread_cond_broadcast(&g.changed);
	pthread_mutex_unlock(&g.lock);
	return NULL;
}

/* ---- making and ending ---- */

static void free_queue(struct queue *q)
{
	if (!q)
		return;
	bw_aql_page_free(q->kfd, &q->page);
	bw_aql_capture_free(q->vm, &q->capture);
	if (q->doorbells)
		munmap(q->doorbells, DOORBELLS_B);
	bw_vec_free(&q->under_way);
	bw_agent_file_unref(q->kfd);
	bw_agent_file_unref(q->vm);
	free(q);
}

static uint32_t slots_of(uint32_t ring_b)
{
	enum { MIN_RING_B = 1024 }; /* KFD takes no smaller one */
	return BW_MAX(ring_b, (uint32_t)MIN_RING_B) / BW_AQL_PACKET_B;
}

static struct queue *new_queue(struct bw_agent_file *f, struct bw_agent_file *vm,
			       const struct kfd_ioctl_create_queue_args *a)
{
	struct queue *q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	*q = (struct queue){.kfd = f,
			    .vm = vm,
			    .gpu_id = a->gpu_id,
			    .ring_va = a->ring_base_address,
			    .write_va = a->write_pointer_address,
			    .read_va = a->read_pointer_address,
			    .n_slots = slots_of(a->ring_size)};
	bw_agent_file_ref(f);
	bw_agent_file_ref(vm);
	return q;
}

/* The queue is there: its doorbell, and the thread that follows it. */
static int start(struct queue *q, const struct kfd_ioctl_create_queue_args *a)
{
	q->id = a->queue_id;
	uint64_t in_page = a->doorbell_offset % DOORBELLS_B;
	void *at = bw_agent_mmap(q->kfd, NULL, DOORBELLS_B, PROT_READ | PROT_WRITE, MAP_SHARED,
				 a->doorbell_offset - in_page);
	if (at == MAP_FAILED)
		return -errno;
	q->doorbells = at;
	q->bell = (_Atomic uint64_t *)(void *)(q->doorbells + in_page);
	if (!read_shared(q, q->read_va, &q->next, sizeof(q->next)))
		return -EFAULT;
	atomic_store(q->write, q->next);
	pthread_mutex_lock(&g.lock);
	struct bw_error *err = bw_vec_push(&g.queues, q);
	pthread_mutex_unlock(&g.lock);
	if (err) {
		bw_error_free(err);
		return -ENOMEM;
	}
	q->is_followed = true;
	int r = bw_thread_start(follow, q);
	if (r)
		q->is_followed = false;
	return r;
}

/* Takes it out of the list; NULL: no such queue. */
static struct queue *take_queue(uint32_t id)
{
	struct queue *found = NULL;
	pthread_mutex_lock(&g.lock);
	for (size_t i = g.queues.len; i-- > 0;) {
		if (g.queues.data[i]->id != id)
			continue;
		found = g.queues.data[i];
		bw_vec_remove(&g.queues, i);
	}
	pthread_mutex_unlock(&g.lock);
	return found;
}

/* The GPU has the queue no more, and its thread ends. */
static void end_queue(struct queue *q)
{
	atomic_store(&q->ends, true);
	pthread_mutex_lock(&g.lock);
	while (q->is_followed)
		pthread_cond_wait(&g.changed, &g.lock);
	pthread_mutex_unlock(&g.lock);
	free_queue(q);
}

static void undo_create(struct queue *q)
{
	struct kfd_ioctl_destroy_queue_args gone = {.queue_id = q->id};
	bw_agent_ioctl(q->kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone);
	take_queue(q->id);
	end_queue(q);
}

int bw_aql_create(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg)
{
	struct bw_kfd_create_queue a = {0}, made;
	size_t size_b = BW_MIN(sizeof(a), (size_t)_IOC_SIZE(cmd));
	if (_IOC_SIZE(cmd) > sizeof(a)) /* of a newer interface */
		return bw_agent_ioctl(f, cmd, arg);
	if (!bw_agent_copy_in(&a, (uintptr_t)arg, size_b))
		return -EFAULT;
	struct queue *q = new_queue(f, vm, &a.args);
	int r = q ? bw_aql_page_make(f, vm, q->gpu_id, &q->page) : -ENOMEM;
	if (r) {
		BW_LOG(WARN, "agent", "no page for the write index of a queue: %s", strerror(-r));
		free_queue(q);
		return r;
	}
	q->write = q->page.at;
	made = a;
	made.args.write_pointer_address = (uintptr_t)q->write;
	r = bw_agent_ioctl(f, cmd, &made);
	if (r) {
		free_queue(q);
		return r;
	}
	made.args.write_pointer_address = a.args.write_pointer_address;
	r = start(q, &made.args);
	if (!r && !bw_agent_copy_out(arg, &made, size_b))
		r = -EFAULT;
	if (r)
		undo_create(q);
	return r;
}

int bw_aql_update(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_update_queue_args a;
	bool known = bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a));
	int r = bw_agent_ioctl(f, cmd, arg);
	if (r || !known || !a.ring_base_address)
		return r;
	pthread_mutex_lock(&g.lock);
	bw_vec_each(&g.queues, it) {
		if ((*it)->id != a.queue_id)
			continue;
		atomic_store(&(*it)->n_slots, slots_of(a.ring_size));
		atomic_store(&(*it)->ring_va, a.ring_base_address);
	}
	pthread_mutex_unlock(&g.lock);
	return 0;
}

int bw_aql_destroy(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_destroy_queue_args a;
	bool known = bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a));
	int r = bw_agent_ioctl(f, cmd, arg);
	struct queue *q = known && !r ? take_queue(a.queue_id) : NULL;
	if (!q)
		return r;
	end_queue(q);
	return r;
}

struct bw_error *bw_aql_list(struct bw_aql_list *out)
{
	struct bw_error *err = NULL;
	pthread_mutex_lock(&g.lock);
	bw_vec_each(&g.queues, it) {
		struct queue *q = *it;
		const struct bw_agent_aql_queue one = {.file = q->vm->number,
						       .id = q->id,
						       .n_slots = q->n_slots,
						       .ip_type = AMDGPU_HW_IP_COMPUTE,
						       .ring_va = q->ring_va,
						       .read_va = q->read_va,
						       .write_va = q->write_va,
						       .passed = atomic_load(q->write)};
		if (!err)
			err = bw_vec_push(out, one);
	}
	pthread_mutex_unlock(&g.lock);
	return err;
}

void bw_aql_await_ends(void)
{
	const struct timespec pause = {0, 10000000};
	while (atomic_load(&g.under_way) && bw_debugger_is_connected())
		nanosleep(&pause, NULL);
}

void bw_aql_fork_child(void)
{
	atomic_store(&g.under_way, 0);
	pthread_mutex_init(&g.lock, NULL);
	g.queues.len = 0; /* they are its parent's */
}
