/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_KFD_H
#define BW_VGPU_UAPI_KFD_H

/* KFD: /dev/kfd, by which ROCm's runtime uses the GPU. As in Linux 6.12 (amdkfd) there is one KFD
 * process for each process that opens the file, however often; it ends with that process. Its GPU
 * memory lies in the address space of a render node that the program names (ACQUIRE_VM).
 *
 *     kfd.c           the calls, and those that only tell something
 *     kfd_memory.c    memory: made, mapped, unmapped, freed; mmap
 *     kfd_share.c     memory that others share, by dma-bufs
 *     kfd_events.c    events, and waiting for them
 *     kfd_smi.c       lines about what happens on the GPU, for monitors
 *     kfd_queues.c    queues: made and ended, VMIDs, and interrupts about them
 *     kfd_update.c    queues: what the program changes of them
 *     kfd_doorbells.c, kfd_hw_queues.c   what they are made of (kfd_queues.h)
 *     kfd_debug*.c    what debuggers ask of it (kfd_debug.h)
 *     kfd_topology.c  the folders of /sys/class/kfd, which describe the nodes
 *
 * The driver's lock guards everything here. Functions return 0 or -errno as the kernel's do. */

#include <linux/kfd_ioctl.h>

#include "vgpu/uapi/kfd_debug.h"
#include "vgpu/uapi/tree_maker.h"
#include "vgpu/uapi/uapi_priv.h"

enum {
	BW_KFD_FIRST_OTHER_EVENT = 0x40000000, /* ids of events without a slot */
	BW_KFD_MAX_OTHER_EVENTS = 4096,	       /* of our own: Linux has no limit */
	BW_KFD_SLOTS_WITHOUT_PAGE = 256,       /* where the program gave no event page */
	BW_KFD_DOORBELLS_B = 8192,	       /* of a process */
};

/* What the upper bits of an offset for mmap on /dev/kfd say (kfd_priv.h), and the GPU in it. */
#define BW_KFD_MMAP_TYPE(offset) ((offset) >> 62)
#define BW_KFD_MMAP_GPU(offset) ((uint32_t)((offset) >> 46 & 0xffff))
enum { BW_KFD_MMAP_MMIO, BW_KFD_MMAP_RESERVED, BW_KFD_MMAP_EVENTS, BW_KFD_MMAP_DOORBELL };
#define BW_KFD_MMAP_OFFSET(type, gpu_id) ((uint64_t)(type) << 62 | (uint64_t)(gpu_id) << 46)
/* A handle of memory names the GPU, too. */
#define BW_KFD_HANDLE(gpu_id, id) ((uint64_t)(gpu_id) << 32 | (id))

struct bw_kfd_buffer {
	struct bw_drm_bo *bo; /* owned reference */
	uint64_t va, size_b;  /* of one copy */
	uint8_t n_copies;     /* one after the other in the address space: 2 for AQL_QUEUE_MEM */
	uint32_t flags;	      /* BW_KFD_ALLOC_* */
	bool is_mapped;
	bool is_imported; /* `bo` is also somebody else's */
};

struct bw_kfd_event {
	uint32_t type; /* KFD_IOC_EVENT_* */
	bool auto_reset, signaled;
	uint64_t age; /* from 1; raised by each signal, never 0 or 1 again */
	/* of the types MEMORY and HW_EXCEPTION: what happened last */
	struct kfd_hsa_memory_exception_data memory;
	struct kfd_hsa_hw_exception_data hw;
};

/* A KFD process. */
struct bw_kfd {
	struct bw_uapi *u;
	struct bw_kfd *next;		/* in u->kfd.processes */
	struct bw_drm_account *account; /* the client's; owned reference */
	int pid;
	char comm[16];
	uint32_t gpu_id, n_unplugged;
	struct bw_client_file *vm_file; /* owned reference: the file that has `vm` */
	struct bw_drm_vm *vm;		/* NULL: none acquired yet */
	struct bw_ids buffers;	/* struct bw_kfd_buffer, by the lower half of their handles */
	struct bw_drm_bo *mmio; /* pages that the program maps; made when asked for */
	struct bw_drm_bo *doorbells;
	struct bw_drm_bo *event_page; /* owned reference; NULL: not yet */
	uint64_t event_page_handle;   /* BW_KFD_HANDLE of it; 0: the driver's own page */
	bool has_page_of_program;
	struct bw_ids queues;  /* struct bw_kfd_queue, from 0 */
	unsigned vmid;	       /* 0: none, as it has no queue */
	struct bw_ids signals; /* events with a slot, from 1 */
	struct bw_ids others;  /* from BW_KFD_FIRST_OTHER_EVENT */
	struct bw_kfd_waiter *waiters;
	/* of the program's second-level trap handler */
	uint64_t tba, tma, scratch_va;
	struct bw_kfd_debug debug;
	bool is_ahead;	  /* a debugger's: the program has not opened /dev/kfd */
	bool is_gone;	  /* the program has ended */
	unsigned n_users; /* calls of others about it, which it outlives */
};

/* ---- kfd.c ---- */

/* The process of a client; with the last close nothing ends. out: the client owns it. */
int bw_kfd_create(struct bw_uapi *u, int pid, const char *comm, struct bw_drm_account *account,
		  struct bw_kfd **out);
/* The same, with the lock held. */
int bw_kfd_create_locked(struct bw_uapi *u, int pid, const char *comm,
			 struct bw_drm_account *account, struct bw_kfd **out);
/* The client is the program of a process that a debugger has made ahead. With the lock. */
void bw_kfd_adopt(struct bw_kfd *p, const char *comm, struct bw_drm_account *account);
/* It is found no more. With the lock. */
void bw_kfd_unlink(struct bw_kfd *p);
/* Takes the lock. Accepts NULL. */
void bw_kfd_destroy(struct bw_kfd *p);
/* data: the argument struct of _IOC_SIZE(cmd) bytes, in and out. Takes the lock. */
int bw_kfd_ioctl(struct bw_drm_call *c, uint32_t cmd, uint8_t *data);

/* What flat addresses of waves mean. */
struct kfd_process_device_apertures bw_kfd_apertures(const struct bw_kfd *p);

/* ---- kfd_memory.c ---- */

void bw_kfd_free_memory(struct bw_kfd *p);
struct bw_kfd_buffer *bw_kfd_buffer(struct bw_kfd *p, uint64_t handle); /* borrowed; NULL */
/* Gives b a handle; then the process owns it, and its reference to a buffer object. */
int bw_kfd_add_buffer(struct bw_kfd *p, struct bw_kfd_buffer *b, __u64 *out_handle);
/* Pages of the driver's own that the program maps, made in *bo on first use. */
int bw_kfd_own_pages(struct bw_kfd *p, struct bw_drm_bo **bo, uint64_t size_b);
/* As bw_drm_mmap(), of /dev/kfd. Takes the lock. */
int bw_kfd_mmap(struct bw_kfd *p, uint64_t offset, uint64_t size_b, int *out_fd);
int bw_kfd_ioctl_alloc_memory(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_free_memory(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_map_memory(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_unmap_memory(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_available_memory(struct bw_drm_call *c, void *arg);

/* ---- kfd_share.c ---- */

int bw_kfd_ioctl_export_dmabuf(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_import_dmabuf(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_get_dmabuf_info(struct bw_drm_call *c, void *arg);

/* ---- kfd_events.c ---- */

void bw_kfd_free_events(struct bw_kfd *p);
/* The page of the slots, made if there is none. NULL: no memory. */
struct bw_drm_bo *bw_kfd_event_page(struct bw_kfd *p);
int bw_kfd_ioctl_create_event(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_destroy_event(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_set_event(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_reset_event(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_wait_events(struct bw_drm_call *c, void *arg);

/* An interrupt says that an event was signalled: its slot says so, too. */
void bw_kfd_signal(struct bw_kfd *p, uint32_t id);
/* Signals an event of type SIGNAL, whatever its slot has. -EINVAL: there is no such event. */
int bw_kfd_set_event(struct bw_kfd *p, uint32_t id);
/* Tells all who wait for faults. */
void bw_kfd_signal_memory(struct bw_kfd *p, const struct kfd_hsa_memory_exception_data *data);

/* ---- kfd_smi.c ---- */

int bw_kfd_ioctl_smi_events(struct bw_drm_call *c, void *arg);
/* Tells all who want to know it. event: KFD_SMI_EVENT_*. With the lock. */
void bw_kfd_smi_tell(struct bw_uapi *u, unsigned event, const char *text);
void bw_kfd_smi_fini(struct bw_uapi *u);

/* ---- kfd_queues.c ---- */

/* Ends all queues with their waves; gives up the lock meanwhile. */
void bw_kfd_end_queues(struct bw_kfd *p);
/* The page tables have changed. */
void bw_kfd_flush_tlb(struct bw_kfd *p);
int bw_kfd_ioctl_create_queue(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_update_queue(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_alloc_queue_gws(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_set_cu_mask(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_get_queue_wave_state(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_destroy_queue(struct bw_drm_call *c, void *arg);
/* Interrupts of a VMID. False: it is no process of KFD's. */
bool bw_kfd_interrupt(struct bw_uapi *u, unsigned vmid, uint32_t event_id);
/* keeps_waves: a debugger's trap handler has them, until the program ends its queues. */
void bw_kfd_page_fault(struct bw_uapi *u, unsigned vmid, uint64_t va, uint32_t status,
		       bool keeps_waves);
/* doorbell: its number in the process's page; code: EC_QUEUE_PACKET_* of kfd_ioctl.h, 0: none. */
void bw_kfd_queue_error(struct bw_uapi *u, unsigned vmid, uint32_t doorbell, unsigned code);
/* A wave's trap handler says so; exceptions: as bits. */
void bw_kfd_wave_exceptions(struct bw_uapi *u, unsigned vmid, uint32_t doorbell,
			    uint64_t exceptions);
/* A queue of an SDMA engine met a packet that it cannot execute. */
void bw_kfd_sdma_error(struct bw_uapi *u, unsigned vmid, unsigned engine, unsigned queue);

/* ---- kfd_doorbells.c ---- */

/* Ends the thread that looks at them. No process is left. Without the lock. */
void bw_kfd_stop(struct bw_uapi *u);

/* ---- kfd_topology.c ---- */

/* The number by which programs name the GPU, as kfd_generate_gpu_id() makes it: a checksum of what
 * it is and where. */
uint32_t bw_kfd_gpu_id(const struct bw_profile *p);
/* The CPUs and the memory of this machine, which are node 0. */
struct bw_kfd_host {
	unsigned n_cpus;
	uint64_t memory_b;
};
struct bw_kfd_host bw_kfd_host(void);
/* What a debugger is told of the GPU, apart from the process's own. */
void bw_kfd_describe(const struct bw_profile *p, struct bw_kfd_device_entry *e);
/* Makes the folders below "sys/devices/virtual/kfd", with their link in "sys/class/kfd". node: the
 * number of the card. */
void bw_kfd_tree_make(struct bw_tree_maker *m, const struct bw_profile *p,
		      const struct bw_kfd_host *host, unsigned node);
/* Takes the GPU's node out of these, as when its driver is unbound, or everything. */
void bw_kfd_tree_unplug(const char *root);
void bw_kfd_tree_remove(const char *root);

#endif
