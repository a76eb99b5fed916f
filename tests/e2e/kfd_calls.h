/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_E2E_KFD_CALLS_H
#define BW_TESTS_E2E_KFD_CALLS_H

/* The ioctls of /dev/kfd as ROCr makes them, for programs of tests: memory, events, an AQL queue.
 * What fails ends the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* From linux/kfd_ioctl.h of Linux 6.12, which not every machine has with all that it includes. */
#define KFD_CALL(direction, nr, type) _IOC(direction, 'K', nr, sizeof(struct type))
#define KFD_READ_WRITE (_IOC_READ | _IOC_WRITE)
struct acquire_vm {
	uint32_t drm_fd, gpu_id;
};
struct alloc_memory {
	uint64_t va_addr, size, handle, mmap_offset;
	uint32_t gpu_id, flags;
};
struct map_memory {
	uint64_t handle, device_ids_array_ptr;
	uint32_t n_devices, n_success;
};
struct free_memory {
	uint64_t handle;
};
struct create_event {
	uint64_t event_page_offset;
	uint32_t event_trigger_data, event_type, auto_reset, node_id, event_id, event_slot_index;
};
struct event_data {
	uint64_t what[4], ext;
	uint32_t event_id, pad;
};
struct wait_events {
	uint64_t events_ptr;
	uint32_t num_events, wait_for_all, timeout, wait_result;
};
struct create_queue {
	uint64_t ring_base_address, write_pointer_address, read_pointer_address, doorbell_offset;
	uint32_t ring_size, gpu_id, queue_type, queue_percentage, queue_priority, queue_id;
	uint64_t eop_buffer_address, eop_buffer_size, ctx_save_restore_address;
	uint32_t ctx_save_restore_size, ctl_stack_size;
};
struct destroy_queue {
	uint32_t queue_id, pad;
};
struct import_dmabuf {
	uint64_t va_addr, handle;
	uint32_t gpu_id, fd;
};
struct export_dmabuf {
	uint64_t handle;
	uint32_t flags, fd;
};
struct update_queue {
	uint64_t ring_base_address;
	uint32_t queue_id, ring_size, queue_percentage, queue_priority;
};
struct runtime_enable {
	uint64_t r_debug;
	uint32_t mode_mask, capabilities_mask;
};
struct smi_events {
	uint32_t gpu_id, fd;
};
#define CREATE_QUEUE KFD_CALL(KFD_READ_WRITE, 0x02, create_queue)
#define DESTROY_QUEUE KFD_CALL(KFD_READ_WRITE, 0x03, destroy_queue)
#define IMPORT_DMABUF KFD_CALL(_IOC_READ | _IOC_WRITE, 0x1d, import_dmabuf)
#define EXPORT_DMABUF KFD_CALL(_IOC_READ | _IOC_WRITE, 0x24, export_dmabuf)
#define UPDATE_QUEUE KFD_CALL(_IOC_WRITE, 0x07, update_queue)
#define CREATE_EVENT KFD_CALL(KFD_READ_WRITE, 0x08, create_event)
#define WAIT_EVENTS KFD_CALL(KFD_READ_WRITE, 0x0c, wait_events)
#define ACQUIRE_VM KFD_CALL(_IOC_WRITE, 0x15, acquire_vm)
#define ALLOC_MEMORY KFD_CALL(KFD_READ_WRITE, 0x16, alloc_memory)
#define MAP_MEMORY KFD_CALL(KFD_READ_WRITE, 0x18, map_memory)
#define UNMAP_MEMORY KFD_CALL(KFD_READ_WRITE, 0x19, map_memory)
#define FREE_MEMORY KFD_CALL(_IOC_WRITE, 0x17, free_memory)
#define SMI_EVENTS KFD_CALL(KFD_READ_WRITE, 0x1f, smi_events)
#define RUNTIME_ENABLE KFD_CALL(KFD_READ_WRITE, 0x25, runtime_enable)
enum {
	QUEUE_TYPE_COMPUTE = 0,
	QUEUE_TYPE_SDMA = 1,
	QUEUE_TYPE_COMPUTE_AQL = 2,
	EVENT_SIGNAL = 0,
	EVENT_HW_EXCEPTION = 3,
	EVENT_MEMORY = 8,
};
#define MEM_VRAM (1u << 0)
#define MEM_GTT (1u << 1)
#define MEM_USERPTR (1u << 2)
#define MEM_UNCACHED (1u << 25)
#define MEM_COHERENT (1u << 26)
#define MEM_NO_SUBSTITUTE (1u << 28)
#define MEM_PUBLIC (1u << 29)
#define MEM_EXECUTABLE (1u << 30)
#define MEM_WRITABLE (1u << 31)

enum {
	PAGE_B = 4096,
	RING_B = 4096, /* 64 packets */
	/* cwsr_size, ctl_stack_size and the debugger's area of the node, for 96 CUs of gfx1100
	 * (kfd_queue_ctx_save_restore_size of Linux 6.12) */
	CONTROL_STACK_B = 0xa000,
	SAVE_B = 0x2bea000,
	DEBUG_B = 96 * 32 * 32,
	EVENTS_B = 0x8000,
	DOORBELLS_B = 0x2000,
	WAIT_MS = 120000,
};
#define COMMON (MEM_WRITABLE | MEM_EXECUTABLE | MEM_NO_SUBSTITUTE)
#define SHARED (COMMON | MEM_COHERENT | MEM_UNCACHED)

static int kfd, drm;
static uint32_t gpu;

static inline void must(int ok, const char *what)
{
	if (ok)
		return;
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static inline void call(unsigned long request, void *args, const char *what)
{
	must(!ioctl(kfd, request, args), what);
}

/* Memory at the same address for both: the kernel's, by its offset in the render node,
 * or of this process (userptr). */
static inline void *allocate(uint64_t size_b, uint32_t flags, uint64_t *out_handle)
{
	int is_user = (flags & MEM_USERPTR) != 0;
	int is_seen = !is_user && (!(flags & MEM_VRAM) || flags & MEM_PUBLIC);
	uint32_t ids[] = {gpu};
	char *cpu = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(cpu != MAP_FAILED, "mmap");
	struct alloc_memory a = {
		.va_addr = (uint64_t)(uintptr_t)cpu,
		.size = size_b,
		.mmap_offset = is_user ? (uint64_t)(uintptr_t)cpu : 0,
		.gpu_id = gpu,
		.flags = flags,
	};
	call(ALLOC_MEMORY, &a, "ALLOC_MEMORY_OF_GPU");
	if (is_seen)
		must(mmap(cpu, size_b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, drm,
			  (off_t)a.mmap_offset) != MAP_FAILED,
		     "mmap of the render node");
	struct map_memory m = {
		.handle = a.handle,
		.device_ids_array_ptr = (uint64_t)(uintptr_t)ids,
		.n_devices = 1,
	};
	call(MAP_MEMORY, &m, "MAP_MEMORY_TO_GPU");
	if (out_handle)
		*out_handle = a.handle;
	return cpu;
}

static inline void release(uint64_t handle)
{
	uint32_t ids[] = {gpu};
	struct map_memory m = {
		.handle = handle,
		.device_ids_array_ptr = (uint64_t)(uintptr_t)ids,
		.n_devices = 1,
	};
	struct free_memory f = {handle};
	call(UNMAP_MEMORY, &m, "UNMAP_MEMORY_FROM_GPU");
	call(FREE_MEMORY, &f, "FREE_MEMORY_OF_GPU");
}

struct signal {
	int64_t kind, value;
	uint64_t mailbox;
	uint32_t event, pad;
	uint64_t times[2], queue, pad2;
};
struct packet {
	uint16_t header, setup, group[3], reserved0;
	uint32_t grid[3], private_b, group_b;
	uint64_t kernel_object, kernarg, reserved2, completion;
};

static inline uint32_t create_event(uint64_t page_handle, uint32_t type, uint32_t *out_slot)
{
	struct create_event e = {
		.event_page_offset = page_handle,
		.event_type = type,
		.auto_reset = 1,
	};
	call(CREATE_EVENT, &e, "CREATE_EVENT");
	*out_slot = e.event_slot_index;
	return e.event_id;
}

/* The header of the area for saved waves: where errors of the queue are written, and what they
 * signal (struct kfd_context_save_area_header). */
struct save_header {
	uint32_t offsets[4], debug_offset, debug_b;
	uint64_t payload;
	uint32_t event, reserved;
};

/* object: a page with the write index at 0x38 and the read index at 0x80. */
static inline uint32_t create_queue_of(uint32_t type, void *ring, char *object,
				       struct save_header header, uint64_t **out_doorbell)
{
	uint64_t total = SAVE_B + DEBUG_B;
	total = (total + PAGE_B - 1) / PAGE_B * PAGE_B;
	void *save = allocate(total, COMMON | MEM_USERPTR | MEM_COHERENT, NULL);
	memcpy(save, &header, sizeof(header));
	void *eop = allocate(PAGE_B, COMMON | MEM_VRAM, NULL);
	struct create_queue c = {
		.ring_base_address = (uint64_t)(uintptr_t)ring,
		.ring_size = RING_B,
		.write_pointer_address = (uint64_t)(uintptr_t)(object + 0x38),
		.read_pointer_address = (uint64_t)(uintptr_t)(object + 0x80),
		.gpu_id = gpu,
		.queue_type = type,
		.queue_percentage = 100,
		.queue_priority = 7,
		.eop_buffer_address = (uint64_t)(uintptr_t)eop,
		.eop_buffer_size = PAGE_B,
		.ctx_save_restore_address = (uint64_t)(uintptr_t)save,
		.ctx_save_restore_size = SAVE_B,
		.ctl_stack_size = CONTROL_STACK_B,
	};
	call(CREATE_QUEUE, &c, "CREATE_QUEUE");
	/* the page of the process's doorbells, and the place of this one in it */
	uint64_t place = c.doorbell_offset % DOORBELLS_B;
	char *doorbells = mmap(NULL, DOORBELLS_B, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
			       (off_t)(c.doorbell_offset - place));
	must(doorbells != MAP_FAILED, "mmap of doorbells");
	*out_doorbell = (uint64_t *)(void *)(doorbells + place);
	return c.queue_id;
}

static inline uint32_t create_queue(void *ring, char *object, struct save_header header,
				    uint64_t **out_doorbell)
{
	return create_queue_of(QUEUE_TYPE_COMPUTE_AQL, ring, object, header, out_doorbell);
}

/* 0 percent of the GPU: KFD takes the queue off it. */
static inline void set_share(uint32_t queue, void *ring, uint32_t percent)
{
	struct update_queue u = {
		.ring_base_address = (uint64_t)(uintptr_t)ring,
		.queue_id = queue,
		.ring_size = RING_B,
		.queue_percentage = percent,
		.queue_priority = 7,
	};
	call(UPDATE_QUEUE, &u, "UPDATE_QUEUE");
}

static inline int wait_for(uint32_t event)
{
	struct event_data data = {.event_id = event};
	struct wait_events w = {
		.events_ptr = (uint64_t)(uintptr_t)&data,
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = WAIT_MS,
	};
	call(WAIT_EVENTS, &w, "WAIT_EVENTS");
	return w.wait_result == 0;
}

/* Opens both files, and takes the address space of the render node. */
static inline void open_gpu(uint32_t gpu_id, const char *render_node)
{
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	must(kfd >= 0, "/dev/kfd");
	gpu = gpu_id;
	drm = open(render_node, O_RDWR | O_CLOEXEC);
	must(drm >= 0, render_node);
	struct acquire_vm vm = {.drm_fd = (uint32_t)drm, .gpu_id = gpu};
	call(ACQUIRE_VM, &vm, "ACQUIRE_VM");
}

#endif
