/* SPDX-License-Identifier: MIT */
/* Breadcrumbs of AQL queues. The agent gives the GPU one packet of a queue at a time
 * (gpu/aql_queue.c), so that it knows itself which packet has begun and which has ended: it writes
 * the markers, into memory that the listener has mapped, too. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "agent/breadcrumbs/crumbs_priv.h"
#include "agent/clocks/clock.h"
#include "agent/names/loaded_kernel.h"
#include "base/memfd.h"
#include "base/util.h"

enum {
	THE_PACKET = 1, /* markers of a stream */
	THE_END,
	N_MARKS = THE_END,
	LOOK_NS = 50 * 1000,
	INFO_GPUVM_FAULT = 0x23,
};
#define AREA_B (BW_CRUMBS_SLOTS * sizeof(struct bw_crumbs_slot))

static struct {
	pthread_mutex_t lock;
	struct bw_crumbs_slot *slots; /* NULL: no packet was passed yet, or there is no memory */
	bool has_failed;
	uint32_t next_slot;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void store(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static bool share(int fd)
{
	const struct bw_crumbs_area area = {.file = BW_CRUMBS_AQL_FILE};
	const struct bw_msg_part part = {&area, sizeof(area)};
	return bw_crumbs_send(BW_CRUMBS_AREA, &part, 1, fd);
}

/* Lock held. */
static bool make_area(void)
{
	if (g.slots || g.has_failed)
		return g.slots;
	int fd = bw_memfd_sealed("breadcrumbs", AREA_B);
	void *at =
		fd < 0 ? MAP_FAILED : mmap(NULL, AREA_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED && share(fd))
		g.slots = at;
	if (fd >= 0)
		REAL(close)(fd);
	g.has_failed = !g.slots;
	return g.slots;
}

static struct bw_crumbs_dispatch describe(const struct bw_crumbs_packet *p)
{
	struct bw_crumbs_dispatch one = {.code_va = p->dispatch->code_va};
	memcpy(one.groups, p->dispatch->groups, sizeof(one.groups));
	memcpy(one.group_size, p->dispatch->group_size, sizeof(one.group_size));
	struct bw_loaded_kernel kernel;
	if (bw_loaded_kernel_find(p->kernel_object, &kernel))
		snprintf(one.pipeline, sizeof(one.pipeline), "%s", kernel.name);
	return one;
}

static bool tell(const struct bw_crumbs_packet *p, const struct bw_crumbs_slot *s, uint32_t slot,
		 uint32_t submission)
{
	const struct bw_crumbs_mark marks[N_MARKS] = {
		{.ib_va = p->ring_va,
		 .at_dw = (uint32_t)((p->packet_va - p->ring_va) / 4),
		 .dispatch = p->dispatch ? 0 : BW_CRUMBS_NO_DISPATCH,
		 .op = p->type,
		 .is_work = 1},
		{.ib_va = p->ring_va, .dispatch = BW_CRUMBS_NO_DISPATCH, .op = BW_PM4_MARK_END}};
	const struct bw_crumbs_stream stream = {.file = BW_CRUMBS_AQL_FILE,
						.slot = slot,
						.stream = s->stream,
						.submission = submission,
						.ip_type = BW_CRUMBS_AQL,
						.ring = p->queue,
						.n_marks = N_MARKS,
						.n_dispatches = p->dispatch != NULL};
	struct bw_crumbs_dispatch d = {0};
	if (p->dispatch)
		d = describe(p);
	const struct bw_msg_part parts[] = {{&stream, sizeof(stream)},
					    {marks, sizeof(marks)},
					    {&d, stream.n_dispatches * sizeof(d)}};
	return bw_crumbs_send(BW_CRUMBS_STREAM, parts, BW_ARRAY_SIZE(parts), -1);
}

static void await_permission(const struct bw_crumbs_slot *s, const atomic_bool *ends)
{
	while (!atomic_load(ends) && __atomic_load_n(&s->allowed, __ATOMIC_ACQUIRE) < THE_PACKET)
		REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_NS},
				      NULL);
}

struct fault {
	uint64_t addr;
	uint32_t status, vmhub;
};

/* The page fault that is on record for the address space. */
static struct fault fault_of(struct bw_agent_file *vm)
{
	struct fault fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = INFO_GPUVM_FAULT};
	if (bw_agent_ioctl(vm, DRM_IOCTL_AMDGPU_INFO, &info))
		fault = (struct fault){0};
	return fault;
}

void bw_crumbs_packet_begin(const struct bw_crumbs_packet *p, const atomic_bool *ends,
			    struct bw_crumbs_passed *out)
{
	const struct bw_crumbs_go *go = bw_crumbs_link();
	uint32_t slot, submission, stream;
	*out = (struct bw_crumbs_passed){0};
	if (!go)
		return;
	bw_crumbs_number(&submission, &stream);
	pthread_mutex_lock(&g.lock);
	struct bw_crumbs_slot *s =
		make_area() ? bw_crumbs_take_slot(g.slots, &g.next_slot, &slot) : NULL;
	if (s)
		s->stream = stream;
	pthread_mutex_unlock(&g.lock);
	if (!s)
		return;
	if (!tell(p, s, slot, submission)) {
		store(&s->state, BW_CRUMBS_FREE);
		return;
	}
	store(&s->begun, THE_PACKET);
	if (go->asks)
		await_permission(s, ends);
	store(&s->go, THE_PACKET);
	const struct fault before = fault_of(p->vm);
	*out = (struct bw_crumbs_passed){s, p->vm, bw_clock_real_ns(), before.addr, before.status};
}

static void blame(struct bw_crumbs_slot *s, enum bw_crumbs_how how)
{
	store(&s->how, how);
	store(&s->culprit, THE_PACKET);
}

void bw_crumbs_packet_look(const struct bw_crumbs_passed *p)
{
	const struct bw_crumbs_go *go = p->slot ? bw_crumbs_link() : NULL;
	int64_t still_ms = (bw_clock_real_ns() - p->since_ns) / 1000000;
	if (!go || still_ms < go->hang_ms)
		return;
	store(&p->slot->stuck_ms, (uint32_t)still_ms);
	if (p->slot->how != BW_CRUMBS_FAULT)
		blame(p->slot, BW_CRUMBS_STUCK);
}

static void blame_fault(struct bw_crumbs_slot *s, const struct fault *f)
{
	s->fault_va = f->addr;
	s->fault_status = f->status;
	blame(s, BW_CRUMBS_FAULT);
}

void bw_crumbs_packet_end(struct bw_crumbs_passed *p)
{
	struct bw_crumbs_slot *s = p->slot;
	if (!s)
		return;
	p->slot = NULL;
	const struct fault f = fault_of(p->vm);
	if (f.status != p->fault_status || f.addr != p->fault_va)
		blame_fault(s, &f);
	if (s->how == BW_CRUMBS_STUCK) { /* that was work that takes its time */
		store(&s->culprit, 0);
		store(&s->how, BW_CRUMBS_UNKNOWN);
	}
	store(&s->begun, THE_END);
	store(&s->ended, THE_END);
	store(&s->seen, THE_END);
	if (s->how != BW_CRUMBS_FAULT) /* else it stays for the report */
		store(&s->state, BW_CRUMBS_DONE);
}

void bw_crumbs_packets_fault(struct bw_agent_file *vm)
{
	if (!bw_crumbs_are_on())
		return;
	const struct fault f = fault_of(vm);
	pthread_mutex_lock(&g.lock);
	for (uint32_t i = 0; g.slots && i < BW_CRUMBS_SLOTS; i++)
		if (g.slots[i].state == BW_CRUMBS_RUNNING && g.slots[i].ended != THE_END)
			blame_fault(&g.slots[i], &f);
	pthread_mutex_unlock(&g.lock);
}

void bw_crumbs_packets_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	g.slots = NULL; /* the parent's */
	g.has_failed = false;
	g.next_slot = 0;
}
