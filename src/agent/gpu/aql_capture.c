/* SPDX-License-Identifier: MIT */
#include "agent/gpu/aql_capture.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "agent/capture/capture.h"
#include "agent/clocks/clock.h"
#include "agent/memory/memory.h"
#include "agent/memory/track.h"
#include "agent/names/loaded_kernel.h"
#include "agent/names/names_priv.h"
#include "base/log.h"
#include "base/newer_drm.h"
#include "base/util.h"
#include "pm4/aql_stream.h"
#include "pm4/pm4.h"

enum { STREAM_B = 4096, SCRATCH_WAIT_MS = 10000 };

static atomic_uint under_way;
static atomic_bool others_passed, has_others;
/* From before a packet's stream is written until it is complete: the streams of other queues are
 * memory that a capture has. */
static pthread_mutex_t captures = PTHREAD_MUTEX_INITIALIZER;

bool bw_aql_capture_wants(const struct bw_aql_packet *p)
{
	bool is_ib = p->type == BW_AQL_VENDOR && p->vendor == BW_AQL_VENDOR_PM4_IB;
	return bw_agent_captures() && (p->type == BW_AQL_DISPATCH || is_ib);
}

void bw_aql_capture_passed_other(void)
{
	atomic_store(&others_passed, true);
}

void bw_aql_capture_has_others(void)
{
	atomic_store(&has_others, true);
}

static void pause_us(long us)
{
	const struct timespec t = {0, us * 1000};
	nanosleep(&t, NULL);
}

void bw_aql_capture_await(void)
{
	while (atomic_load(&under_way))
		pause_us(1000);
}

/* A program can see that its dispatch is complete, and end, before the capture has looked at
 * memory. */
static __attribute__((destructor)) void await_at_exit(void)
{
	bw_aql_capture_await();
}

/* ---- Scratch ---- */

/* As in aql_queue.c: a kernel's buffers are reached by a mapping of ours alone. */
static bool store64(struct bw_agent_file *vm, uint64_t va, uint64_t value)
{
	uint64_t bad_va;
	return bw_agent_copy_out((void *)(uintptr_t)va, &value, sizeof(value)) ||
	       !bw_memory_write(vm, va, &value, sizeof(value), &bad_va);
}

static bool load64(struct bw_agent_file *vm, uint64_t va, uint64_t *out)
{
	uint64_t bad_va;
	return bw_agent_copy_in(out, va, sizeof(*out)) ||
	       !bw_memory_read(vm, va, out, sizeof(*out), &bad_va);
}

/* The signal's value, and who waits for it, as the command processor would tell them. */
static bool signal(const struct bw_aql_passing *p, uint64_t signal, uint64_t value)
{
	uint64_t mailbox, event;
	if (!store64(p->vm, signal + BW_AQL_SIGNAL_VALUE, value) ||
	    !load64(p->vm, signal + BW_AQL_SIGNAL_MAILBOX, &mailbox) ||
	    !load64(p->vm, signal + BW_AQL_SIGNAL_EVENT, &event))
		return false;
	if (!mailbox)
		return true;
	struct kfd_ioctl_set_event_args set = {.event_id = bw_lo32(event)};
	return store64(p->vm, mailbox, bw_lo32(event)) &&
	       !bw_agent_ioctl(p->kfd, AMDKFD_IOC_SET_EVENT, &set);
}

bool bw_aql_capture_ask_scratch(const struct bw_aql_passing *p)
{
	unsigned wanted = p->launch ? bw_aql_wants_scratch(p->launch) : 0;
	uint64_t at = p->launch ? p->launch->queue->inactive_signal : 0, value = 1;
	if (!wanted || !at || !signal(p, at, wanted))
		return false;
	int64_t until_ns = bw_clock_real_ns() + SCRATCH_WAIT_MS * 1000000ll;
	while (!atomic_load(p->ends) && bw_clock_real_ns() < until_ns &&
	       load64(p->vm, at + BW_AQL_SIGNAL_VALUE, &value) && value)
		pause_us(50);
	return !value;
}

/* ---- The stream ---- */

/* A buffer for it, which a capture looks at before each submission, as the CPU writes it. */
static bool make_stream(struct bw_agent_file *vm, struct bw_aql_capture *c)
{
	uint64_t top = bw_place_top(vm);
	union drm_amdgpu_gem_mmap shown = {0};
	if (c->stream.cpu || c->has_failed)
		return !c->has_failed;
	int r = bw_place(vm, STREAM_B, 0, BW_PLACE_CODE, &top, &c->stream);
	shown.in.handle = c->stream.handle;
	if (!r)
		r = bw_track_ioctl(vm, DRM_IOCTL_AMDGPU_GEM_MMAP, &shown);
	if (!r)
		return true;
	BW_LOG(WARN, "agent", "no memory to capture the dispatches of a queue: %s", strerror(-r));
	bw_unplace(vm, &c->stream);
	c->has_failed = true;
	return false;
}

void bw_aql_capture_free(struct bw_agent_file *vm, struct bw_aql_capture *c)
{
	bw_unplace(vm, &c->stream);
}

static bool write_stream(const struct bw_aql_passing *p, struct bw_aql_capture *c,
			 struct drm_amdgpu_cs_chunk_ib *ib, struct bw_agent_dispatch *d)
{
	struct bw_pm4_stream s = {0};
	uint64_t bad_va;
	size_t at = bw_aql_stream(p->launch, &s);
	bool ok = !s.failed && s.len * sizeof(*s.data) <= STREAM_B &&
		  !bw_memory_write(p->vm, c->stream.va, s.data, s.len * sizeof(*s.data), &bad_va);
	*d = *p->dispatch;
	d->packet_va = c->stream.va + at * sizeof(*s.data);
	ib->va_start = c->stream.va;
	ib->ib_bytes = (uint32_t)(s.len * sizeof(*s.data));
	bw_pm4_stream_free(&s);
	return ok;
}

/* The indirect buffer of a vendor packet. */
static bool read_ib(const struct bw_aql_packet *p, struct drm_amdgpu_cs_chunk_ib *out)
{
	const uint32_t *dw = p->pm4_ib.packet;
	struct bw_pm4_packet packet;
	bool is_whole = bw_pm4_at(dw, BW_ARRAY_SIZE(p->pm4_ib.packet), 0, &packet);
	struct bw_pm4_flow ib = is_whole ? bw_pm4_flow(&packet) : (struct bw_pm4_flow){0};
	out->va_start = ib.va;
	out->ib_bytes = ib.size_dw * 4;
	return ib.calls && ib.size_dw;
}

/* ---- Faults ---- */

static void read_fault(struct bw_agent_file *vm, uint64_t *out_va, uint32_t *out_status)
{
	struct bw_info_gpuvm_fault fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = BW_INFO_GPUVM_FAULT};
	if (bw_agent_ioctl(vm, DRM_IOCTL_AMDGPU_INFO, &info))
		fault = (struct bw_info_gpuvm_fault){0};
	*out_va = fault.addr;
	*out_status = fault.status;
}

static bool has_faulted(const struct bw_aql_capture *c, struct bw_agent_file *vm,
			struct bw_capture_result *out)
{
	read_fault(vm, &out->fault_va, &out->fault_status);
	return out->fault_status &&
	       (out->fault_va != c->fault_va || out->fault_status != c->fault_status);
}

/* ---- A packet ---- */

static bool begin(struct bw_aql_capture *c, const struct bw_aql_passing *p)
{
	struct drm_amdgpu_cs_chunk_ib ib = {.ip_type = AMDGPU_HW_IP_COMPUTE};
	struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib};
	const struct drm_amdgpu_cs_in in = {.num_chunks = 1};
	struct bw_agent_dispatches dispatches = {0};
	struct bw_names_blob blob = {0};
	struct bw_agent_dispatch d = {0};
	struct bw_loaded_kernel kernel = {0};
	struct bw_capture_call call = {.file = p->vm,
				       .in = &in,
				       .chunks = &chunk,
				       .is_copied = true,
				       .dispatches = &dispatches,
				       .blob = &blob,
				       .is_aql = true,
				       .queue = p->queue};
	if (p->packet->type == BW_AQL_DISPATCH) {
		if (!p->launch || !make_stream(p->vm, c) || !write_stream(p, c, &ib, &d))
			return false;
		if (bw_loaded_kernel_find(p->packet->dispatch.kernel_object, &kernel)) {
			d.pipeline = bw_names_kernel(kernel.name);
			call.kernel = &kernel;
		}
		dispatches.data = &d;
		dispatches.len = dispatches.cap = 1;
	} else if (!read_ib(p->packet, &ib)) {
		return false;
	}
	if (atomic_exchange(&others_passed, false) || atomic_load(&has_others))
		bw_agent_capture_unsettle(p->vm);
	read_fault(p->vm, &c->fault_va, &c->fault_status);
	return bw_agent_capture_begin(&call);
}

bool bw_aql_capture_begin(struct bw_aql_capture *c, const struct bw_aql_passing *p)
{
	atomic_fetch_add(&under_way, 1);
	pthread_mutex_lock(&captures);
	if (begin(c, p))
		return true;
	pthread_mutex_unlock(&captures);
	atomic_fetch_sub(&under_way, 1);
	return false;
}

void bw_aql_capture_end(struct bw_aql_capture *c, const struct bw_aql_passing *p)
{
	enum { LOOKS_FOR_FAULT = 50, PAUSE_US = 20 };
	struct bw_capture_result result = {0};
	int64_t until_ns = bw_clock_real_ns() + (int64_t)bw_agent_capture_wait_ms() * 1000000;
	for (unsigned i = 1; bw_clock_real_ns() < until_ns && !atomic_load(p->ends); i++) {
		uint64_t read;
		result.has_ended = load64(p->vm, p->read_va, &read) && read > p->index;
		if (!result.has_ended && !(i % LOOKS_FOR_FAULT) && has_faulted(c, p->vm, &result)) {
			result.has_ended = 1;
			result.result = -ENODATA; /* as of a fence: its waves were ended */
		}
		if (result.has_ended)
			break;
		pause_us(PAUSE_US);
	}
	if (!result.result) {
		result.fault_va = 0;
		result.fault_status = 0;
	}
	bw_agent_capture_ended(p->vm, &result);
	pthread_mutex_unlock(&captures);
	atomic_fetch_sub(&under_way, 1);
}
