/* SPDX-License-Identifier: MIT */
#include "agent/gpu/kfd.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <string.h>

#include "agent/breadcrumbs/crumbs.h"
#include "agent/capture/capture.h"
#include "agent/gpu/aql_capture.h"
#include "agent/gpu/kfd_gone.h"
#include "agent/gpu/kfd_trap.h"
#include "agent/memory/track_kfd.h"
#include "agent/names/loaded_code.h"
#include "agent/names/loaded_kernel.h"
#include "agent/rocm/blocks.h"
#include "base/cleanup.h"
#include "base/newer_kfd.h"
#include "base/util.h"

static struct {
	pthread_mutex_t lock;
	struct bw_agent_file *vm; /* with a reference, until the process ends */
	uint32_t memory_event;	  /* of the runtime: it waits for page faults; 0: none */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The DRM file whose address space the process uses, with a reference. NULL: none. */
static struct bw_agent_file *get_vm(void)
{
	pthread_mutex_lock(&g.lock);
	struct bw_agent_file *vm = g.vm;
	if (vm)
		bw_agent_file_ref(vm);
	pthread_mutex_unlock(&g.lock);
	return vm;
}

void bw_kfd_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	g.vm = NULL; /* the reference is its parent's */
	g.memory_event = 0;
	bw_kfd_trap_fork_child();
	bw_kfd_gone_fork_child();
	bw_loaded_code_set(0);
	bw_loaded_kernel_fork_child();
	bw_aql_fork_child();
	bw_rocm_fork_child();
}

/* The argument as the caller's version of the interface has it: what it lacks is zero. */
static bool read_arg(uint32_t cmd, const void *arg, void *out, size_t size_b)
{
	memset(out, 0, size_b);
	return bw_agent_copy_in(out, (uintptr_t)arg, BW_MIN(size_b, (size_t)_IOC_SIZE(cmd)));
}

static int acquire_vm(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_acquire_vm_args a;
	int r = bw_agent_ioctl(f, cmd, arg);
	if (r || !read_arg(cmd, arg, &a, sizeof(a)))
		return r;
	struct bw_agent_file *named = bw_agent_file_of((int)a.drm_fd);
	pthread_mutex_lock(&g.lock);
	if (named && named->track && !g.vm) {
		atomic_store(&named->is_kfd_space, true);
		g.vm = bw_take(named);
		bw_kfd_trap_begin(f, g.vm, a.gpu_id);
	}
	pthread_mutex_unlock(&g.lock);
	bw_agent_file_unref(named);
	return r;
}

static int alloc_memory(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args before, after;
	bool known = read_arg(cmd, arg, &before, sizeof(before));
	int r = bw_agent_ioctl(f, cmd, arg);
	if (r || !known || !read_arg(cmd, arg, &after, sizeof(after)))
		return r;
	bw_track_kfd_alloc(vm, &(struct bw_track_kfd){
				       .handle = after.handle,
				       .va = before.va_addr,
				       .size_b = before.size,
				       .flags = before.flags,
				       .user = before.flags & BW_KFD_ALLOC_USERPTR
						       ? (uint8_t *)(uintptr_t)before.mmap_offset
						       : NULL,
				       .mmap_offset = after.mmap_offset});
	return r;
}

/* Where the CPU can map the buffer of a dma-buf: by a handle of the address space's file, which
 * stays until the file is closed, as the program may have the same one. 0: nowhere. */
static uint64_t mmap_offset_of(struct bw_agent_file *vm, uint32_t fd)
{
	struct drm_prime_handle prime = {.fd = (int)fd};
	union drm_amdgpu_gem_mmap map = {0};
	if (bw_agent_ioctl(vm, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime))
		return 0;
	map.in.handle = prime.handle;
	return bw_agent_ioctl(vm, DRM_IOCTL_AMDGPU_GEM_MMAP, &map) ? 0 : map.out.addr_ptr;
}

static int import_dmabuf(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_import_dmabuf_args before, after;
	bool known = read_arg(cmd, arg, &before, sizeof(before));
	int r = bw_agent_ioctl(f, cmd, arg);
	if (r || !known || !read_arg(cmd, arg, &after, sizeof(after)))
		return r;
	struct kfd_ioctl_get_dmabuf_info_args info = {.dmabuf_fd = before.dmabuf_fd};
	if (!bw_agent_ioctl(f, AMDKFD_IOC_GET_DMABUF_INFO, &info))
		bw_track_kfd_alloc(vm,
				   &(struct bw_track_kfd){
					   .handle = after.handle,
					   .va = before.va_addr,
					   .size_b = info.size,
					   .flags = info.flags | BW_KFD_ALLOC_WRITABLE |
						    BW_KFD_ALLOC_EXECUTABLE,
					   .mmap_offset = mmap_offset_of(vm, before.dmabuf_fd)});
	return 0;
}

static int with_handle(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg,
		       bool before_call, void (*note)(struct bw_agent_file *vm, uint64_t handle))
{
	uint64_t handle; /* the first member of all three structs */
	bool known = bw_agent_copy_in(&handle, (uintptr_t)arg, sizeof(handle));
	if (known && before_call)
		note(vm, handle);
	int r = bw_agent_ioctl(f, cmd, arg);
	if (known && !before_call && !r)
		note(vm, handle);
	return r;
}

static int runtime_enable(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct bw_kfd_runtime_enable a;
	int r = bw_agent_ioctl(f, cmd, arg);
	if (!r && read_arg(cmd, arg, &a, sizeof(a)))
		bw_loaded_code_set(a.mode_mask & BW_KFD_RUNTIME_ENABLE ? a.r_debug : 0);
	return r;
}

/* ROCm's runtime has one event for page faults, and aborts the program when it comes. */
static int create_event(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_create_event_args a;
	int r = bw_agent_ioctl(f, cmd, arg);
	if (!r && read_arg(cmd, arg, &a, sizeof(a)) && a.event_type == KFD_IOC_EVENT_MEMORY) {
		pthread_mutex_lock(&g.lock);
		g.memory_event = a.event_id;
		pthread_mutex_unlock(&g.lock);
	}
	return r;
}

/* Whether one of the events that a wait has returned with is a page fault. */
static bool has_fault(const struct kfd_ioctl_wait_events_args *w, uint32_t memory_event)
{
	for (uint32_t i = 0; i < w->num_events; i++) {
		struct bw_kfd_event_data e;
		if (!bw_agent_copy_in(&e, w->events_ptr + i * sizeof(e), sizeof(e)))
			return false;
		if (e.event_id == memory_event && e.memory_exception_data.gpu_id)
			return true;
	}
	return false;
}

/* A debugger has stopped the waves of the fault: the program hears of it when they have ended. */
static int wait_events(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_wait_events_args a;
	int r = bw_agent_ioctl(f, cmd, arg);
	pthread_mutex_lock(&g.lock);
	uint32_t memory_event = g.memory_event;
	pthread_mutex_unlock(&g.lock);
	if (!r && memory_event && read_arg(cmd, arg, &a, sizeof(a)) &&
	    has_fault(&a, memory_event)) {
		struct bw_agent_file *vm = get_vm();
		if (vm)
			bw_crumbs_packets_fault(vm);
		bw_agent_file_unref(vm);
		bw_aql_capture_await();
		bw_aql_await_ends();
	}
	return r;
}

static bool is_sdma(uint32_t queue_type)
{
	return queue_type == KFD_IOC_QUEUE_TYPE_SDMA ||
	       queue_type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI ||
	       queue_type == BW_KFD_QUEUE_SDMA_BY_ENG_ID;
}

static int create_queue(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_create_queue_args a;
	bool known = read_arg(cmd, arg, &a, sizeof(a)),
	     is_aql = known && a.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	/* Nobody follows a ring of SDMA packets. Without one the runtime copies by kernels, which a
	 * capture has. */
	if (known && bw_agent_captures() && is_sdma(a.queue_type))
		return -ENOMEM;
	if (!is_aql)
		bw_aql_capture_has_others();
	bool follows =
		bw_agent_config()->is_debuggable || bw_agent_captures() || bw_crumbs_are_on();
	return is_aql && follows ? bw_aql_create(f, vm, cmd, arg) : bw_agent_ioctl(f, cmd, arg);
}

static int noted_ioctl(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg)
{
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
		return alloc_memory(f, vm, cmd, arg);
	case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
		return import_dmabuf(f, vm, cmd, arg);
	case _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU):
		return with_handle(f, vm, cmd, arg, false, bw_track_kfd_map);
	case _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU):
		return with_handle(f, vm, cmd, arg, true, bw_track_kfd_unmap);
	case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU):
		bw_loaded_kernel_forget();
		return with_handle(f, vm, cmd, arg, false, bw_track_kfd_free);
	case _IOC_NR(AMDKFD_IOC_SET_TRAP_HANDLER):
		return bw_kfd_trap_program_sets(f, cmd, arg);
	case _IOC_NR(BW_KFD_IOC_CREATE_QUEUE):
		return create_queue(f, vm, cmd, arg);
	case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
		return create_event(f, cmd, arg);
	case _IOC_NR(AMDKFD_IOC_WAIT_EVENTS):
		return wait_events(f, cmd, arg);
	case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
		return bw_aql_update(f, cmd, arg);
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
		return bw_aql_destroy(f, cmd, arg);
	default:
		return bw_agent_ioctl(f, cmd, arg);
	}
}

static int tracked_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	if (_IOC_NR(cmd) == _IOC_NR(AMDKFD_IOC_ACQUIRE_VM))
		return acquire_vm(f, cmd, arg);
	if (_IOC_NR(cmd) == _IOC_NR(BW_KFD_IOC_RUNTIME_ENABLE))
		return runtime_enable(f, cmd, arg);
	struct bw_agent_file *vm = get_vm();
	int r = vm ? noted_ioctl(f, vm, cmd, arg) : bw_agent_ioctl(f, cmd, arg);
	bw_agent_file_unref(vm);
	return r;
}

static void note_vm(uint32_t cmd, const void *arg)
{
	struct kfd_ioctl_acquire_vm_args a;
	if (!read_arg(cmd, arg, &a, sizeof(a)))
		return;
	struct bw_agent_file *named = bw_agent_file_of((int)a.drm_fd);
	bw_rocm_vm(named);
	bw_agent_file_unref(named);
}

int bw_kfd_program_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	int r = bw_agent_config()->is_tracked ? tracked_ioctl(f, cmd, arg)
					      : bw_agent_ioctl(f, cmd, arg);
	if (!r && _IOC_NR(cmd) == _IOC_NR(AMDKFD_IOC_ACQUIRE_VM))
		note_vm(cmd, arg);
	return bw_kfd_gone_after(cmd, arg, r);
}
