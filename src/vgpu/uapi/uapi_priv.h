/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_PRIV_H
#define BW_VGPU_UAPI_PRIV_H

/* The driver's inside. One lock (bw_uapi.lock) guards every struct here, except where a comment
 * says otherwise; user memory is copied without it, because a client may take its time. Functions
 * return 0 or -errno as the kernel's do, since what they return is what the program sees.
 *
 * Life times: a file owns handles; handles, mappings, jobs and lists own references to buffers; a
 * job owns references to its VM and context. So when a client goes, its files go, and what its
 * running jobs still need stays until the jobs have been killed. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "base/vec.h"
#include "base/str.h"
#include "pm4/pm4.h"
#include "regs/field.h"
#include "vgpu/device/device.h"
#include "vgpu/device/ih.h"
#include "vgpu/device/register_map.h"
#include "vgpu/uapi/uapi.h"

enum {
	BW_DRM_PAGE_B = 4096,
	BW_DRM_N_RINGS = 7, /* gfx, compute 0-3, SDMA 0-1 */
	BW_DRM_FIRST_COMPUTE = 1,
	BW_DRM_N_COMPUTE = 4,
	BW_DRM_FIRST_SDMA = 5,
	BW_DRM_N_SDMA = 2,
	BW_DRM_N_VMIDS = 16,
	BW_DRM_FIRST_VMID = 1,
	BW_DRM_LAST_VMID = 7, /* 8-15 are KFD's */
	BW_DRM_CTX_JOBS = 32, /* amdgpu.sched_jobs: fences a context remembers for each ring */
	BW_DRM_HW_JOBS = 2,   /* amdgpu.sched_hw_submission: jobs on a ring at once */
	BW_DRM_GANG = 4,
	BW_DRM_RING_DW = 16 << 10,
	BW_DRM_MAX_COPY_B = 64 << 20, /* largest array taken from a program */
};

/* Limits of what one program may ask for, as work under the lock or shared resources. They are far
 * above what programs use: beyond them the program gets -ENOMEM (-EMFILE). */
enum {
	BW_DRM_MAX_STEPS = 1 << 20,    /* fences that one call looks at */
	BW_DRM_MAX_HANDLES = 16 << 10, /* sync objects or fences in one call */
	BW_DRM_MAX_CHUNKS = 16 << 10,  /* of one submission */
	BW_DRM_MAX_POINTS = 64 << 10,  /* of a timeline, not yet signalled */
	BW_DRM_MAX_JOBS = 4096,	       /* of a VM, not yet finished: the next one waits */
	BW_DRM_MAX_MAPPINGS = 256 << 10,
	BW_DRM_MAX_UPDATES = 2 * BW_DRM_MAX_MAPPINGS,
	BW_DRM_MAX_FILES = 1024, /* open files of a client, of every kind */
};

/* Address space of a VM (doc/hardware/kernel-interface.md 2.2): BW_VA_BITS, a reserved piece at
 * either end. */
#define BW_VA_HOLE_START 0x0000800000000000ull
#define BW_VA_HOLE_END 0xffff800000000000ull
#define BW_VA_RESERVED_BOTTOM (64ull << 10)
#define BW_VA_RESERVED_TOP                                                                         \
	((64ull << 10) + (2ull << 20) + (2ull << 20)) /* trap area, seq64, CSA \
									     */
#define BW_VM_MAX_PFN (1ull << (BW_VA_BITS - 12))

/* ---- alloc.c: address ranges and ids ---- */

/* Free pieces of an address range in order; first fit. */
struct bw_range {
	uint64_t start, end;
};
struct bw_ranges BW_VEC(struct bw_range);
int bw_ranges_add(struct bw_ranges *r, uint64_t start, uint64_t size_b);
bool bw_ranges_alloc(struct bw_ranges *r, uint64_t size_b, uint64_t align_b, uint64_t *out_start);

/* Objects by id, lowest free id first. */
struct bw_ids {
	void **slot;
	uint32_t cap, first, n; /* ids first to first + cap - 1 */
};
void bw_ids_init(struct bw_ids *ids, uint32_t first);
int bw_ids_add(struct bw_ids *ids, void *object, uint32_t *out_id);
void *bw_ids_get(const struct bw_ids *ids, uint32_t id);
void *bw_ids_remove(struct bw_ids *ids, uint32_t id);
void bw_ids_fini(struct bw_ids *ids);
#define bw_ids_each(ids, i)                                                                        \
	for (uint32_t i = 0; i < (ids)->cap; i++)                                                  \
		if ((ids)->slot[i])

/* ---- limits.c, lock held but for init and new ---- */

/* A client's account of shared resources: each object that is counted there keeps a reference until
 * it is released. */
struct bw_drm_account {
	unsigned refs, n_held;
};
struct bw_uapi;
void bw_drm_limits_init(struct bw_uapi *u);
struct bw_drm_account *bw_drm_account_new(void);
struct bw_drm_account *bw_drm_account_ref(struct bw_drm_account *a);
void bw_drm_account_unref(struct bw_drm_account *a);
/* Counts one more, or returns NULL where that exceeds the client's limit. To be released. */
struct bw_drm_account *bw_drm_hold(struct bw_uapi *u, struct bw_drm_account *a) BW_MUST_CHECK;
void bw_drm_release(struct bw_uapi *u, struct bw_drm_account *a);

/* ---- objects ---- */

struct bw_drm_fence;
struct bw_drm_fences BW_VEC(struct bw_drm_fence *);
struct bw_drm_fence {
	unsigned refs;
	bool signaled;			/* ask bw_drm_fence_done() */
	int error;			/* -errno the work ended with */
	uint16_t pasid;			/* of a job: its VM's */
	struct bw_drm_fence *scheduled; /* of a job: signals when it goes to a ring */
	struct bw_drm_fences parts;	/* a merged one: signals when all of these have */
	uint64_t mark;			/* of the last gathering that it is in */
};

struct bw_drm_bo {
	unsigned refs;
	struct bw_uapi *u;
	uint64_t size_b; /* whole pages */
	uint64_t asked_alignment_b;
	uint32_t asked_domains;
	uint64_t flags;
	bool in_vram;
	uint64_t address; /* VRAM offset or bus address */
	size_t at;	  /* in bw_uapi.bos */
	int fd;		  /* memfd */
	uint64_t ino, dev;
	bool user, user_read_only; /* GEM_USERPTR: the pages are the program's, fd leads to them */
	bool exported;		   /* as dma-buf, which others may import */
	uint64_t fake_offset;	   /* for mmap */
	struct bw_drm_fences busy; /* work that uses it */
	/* VM_ALWAYS_VALID: its VM, borrowed until the handle is closed */
	struct bw_drm_vm *vm;
	uint64_t meta_flags, tiling;
	uint32_t metadata_b;
	uint8_t metadata[256];
	struct bw_drm_account *account; /* of the client that made it */
	struct bw_drm_bo *next_stuck;
	uint64_t mark; /* of the last list that it was put into */
};
struct bw_drm_bos BW_VEC(struct bw_drm_bo *);

struct bw_drm_mapping {
	uint64_t start, last; /* page numbers */
	struct bw_drm_bo *bo; /* owned reference; NULL: PRT */
	uint64_t offset_b;
	uint32_t flags; /* AMDGPU_VM_PAGE_* */
};
struct bw_drm_mappings BW_VEC(struct bw_drm_mapping);

/* A change of the page tables, in the order the program made them. */
struct bw_drm_update {
	struct bw_drm_mapping m; /* what the range becomes; owns a reference to m.bo */
	bool clear;		 /* not mapped; m.bo stays until then */
	bool delayed;		 /* waits for the next CS or VA call (AMDGPU_VM_DELAY_UPDATE) */
	uint64_t after_job;	 /* jobs of the VM up to this number must have finished */
};
struct bw_drm_updates BW_VEC(struct bw_drm_update);

struct bw_drm_table;
struct bw_drm_vm {
	unsigned refs;
	struct bw_uapi *u;
	uint16_t pasid;
	int pid;
	char comm[16];
	struct bw_drm_table *root;   /* of the page tables (vm_pt.c) */
	struct bw_drm_mappings maps; /* by address, not overlapping */
	struct bw_drm_updates updates;
	uint64_t updates_made, updates_applied;
	uint64_t tlb_seq;	 /* raised when tables have changed */
	uint64_t n_jobs;	 /* number of the last one submitted */
	struct bw_drm_job *jobs; /* submitted and not finished, oldest first */
	unsigned n_unfinished;	 /* of these */
	unsigned vmid;		 /* 0: none now */
	bool reserved;
	bool dying;	       /* its file is closed */
	uint64_t engine_ns[3]; /* time its jobs had rings: GFX, COMPUTE, DMA */
	int64_t dying_since_ns;
	uint64_t held_before_ns,
		held_base_ns;	   /* held time under earlier VMIDs; of this one at the start */
	struct bw_drm_fences busy; /* of its VM_ALWAYS_VALID buffers */
	struct {
		uint64_t addr;
		uint32_t status, hub;
	} fault;
};

/* Run queues of the scheduler: what is in a higher one goes to a ring first. */
enum bw_drm_level { BW_DRM_HIGH, BW_DRM_NORMAL, BW_DRM_LOW };

struct bw_drm_entity {
	uint64_t sequence; /* of the next job, from 1 */
	struct bw_drm_fence *fences[BW_DRM_CTX_JOBS];
	struct bw_drm_job *head, *tail; /* not yet on a ring */
	unsigned on_ring;		/* jobs on `ring` */
	enum bw_drm_level level;	/* of its run queue */
	unsigned ring; /* index in bw_uapi.rings; of compute and SDMA: the one last used */
};

struct bw_drm_ctx {
	unsigned refs;
	struct bw_uapi *u;
	int32_t priority, priority_override; /* AMDGPU_CTX_PRIORITY_*; the latter UNSET: none */
	bool guilty, reset_seen;
	uint64_t resets_at_start, resets_at_query;
	struct bw_drm_entity gfx, compute[BW_DRM_N_COMPUTE], sdma[BW_DRM_N_SDMA];
};

struct bw_drm_ib {
	uint64_t va;
	uint32_t dw, flags;
};

struct bw_drm_job {
	struct bw_drm_job *next; /* in the entity's queue, then on the ring */
	struct bw_drm_job *vm_next, **vm_prev;
	struct bw_drm_vm *vm;
	struct bw_drm_ctx *ctx;
	struct bw_drm_entity *entity;
	struct bw_drm_gang *gang; /* NULL: alone */
	struct bw_drm_fence *done, *scheduled;
	struct bw_drm_fences deps; /* must have signalled before it runs */
	uint64_t number;	   /* of all jobs */
	uint64_t vm_number;	   /* of the VM's jobs */
	uint64_t updates_before;   /* page-table changes it must see */
	unsigned ip, n_ibs;
	struct bw_drm_ib *ibs;
	struct bw_drm_bo *uf_bo;
	uint64_t uf_offset, uf_value;
	/* on the ring */
	uint64_t ring_seq;
	unsigned vmid;
	uint64_t flushes;   /* the tlb_seq its flush brings; 0: it does not flush */
	int64_t started_ns; /* when it came to the head */
	uint64_t held_at_start_ns;
	bool killing, was_reset;
	int64_t kill_since_ns;
	int error; /* what its fence will carry */
};
/* Jobs of one call that start together. */
struct bw_drm_gang {
	unsigned refs, n;
	bool cancelled;
	struct bw_drm_job *job[BW_DRM_GANG];
};

struct bw_drm_ring {
	const char *name; /* "comp_1.0.0" */
	unsigned me, pipe;
	bool is_sdma; /* then pipe is the engine */
	uint32_t doorbell_dw;
	uint64_t offset;       /* VRAM offset of the packets */
	uint64_t fence_offset; /* VRAM offset of the 64-bit fence */
	uint64_t wptr;	       /* dwords, never wraps */
	uint64_t emitted, signaled;
	struct bw_drm_job *head, *tail;
	unsigned n;
	struct bw_pm4_stream stream; /* a job's packets while they are made */
};

/* ---- sensors.c ---- */
struct bw_drm_sensors {
	unsigned n_busy; /* rings with work */
	int64_t busy_since_ns;
	uint64_t busy_ns;    /* until then */
	int64_t at_ns;	     /* end of the last window; 0: none yet */
	uint64_t busy_at_ns; /* busy time until then */
	uint32_t load;	     /* in it, percent */
	int32_t temperature_mc;
};

struct bw_drm_point {
	uint64_t point;
	struct bw_drm_fence *fence;
};
struct bw_drm_syncobj {
	unsigned refs;
	struct bw_drm_fence *fence; /* binary; NULL: none */
	bool is_chain;		    /* a timeline: `fence` is NULL and these hold */
	uint64_t signaled_point;    /* all points up to it have signalled */
	struct bw_drm_points BW_VEC(struct bw_drm_point) points; /* later ones, in order */
};

struct bw_drm_bo_list {
	unsigned refs;
	struct bw_drm_bos bos;
};

/* An fd that a program holds for a syncobj or a sync_file: the other end of a socket pair, so that
 * the server sees when the last copy of it is closed, and can make it readable. */
struct bw_drm_sync_fd {
	uint64_t ino; /* of the program's end */
	int sock;     /* ours */
	struct bw_drm_syncobj *syncobj;
	struct bw_drm_fence *fence; /* sync_file */
	struct bw_drm_account *account;
	bool told;
};
struct bw_drm_sync_fds BW_VEC(struct bw_drm_sync_fd);

/* An eventfd to raise at a point of a syncobj (SYNCOBJ_EVENTFD). */
struct bw_drm_event {
	struct bw_drm_syncobj *syncobj;
	uint64_t point;
	bool when_available; /* when there is a fence; else when it has signalled */
	int fd;
	const struct bw_drm_file *file;
	struct bw_drm_account *account;
};
struct bw_drm_events BW_VEC(struct bw_drm_event);

struct bw_drm_file {
	struct bw_uapi *u;
	uint32_t minor;
	uint64_t client_id;
	struct bw_drm_account *account; /* its client's */
	struct bw_drm_vm *vm;
	struct bw_ids bos, ctxs, syncobjs, bo_lists;
	struct bw_drm_bos exported; /* as dma-buf: kept until the file is closed */
};

struct bw_drm_vmid {
	struct bw_drm_vm *vm; /* owner, or the last one (borrowed; NULL when it is gone) */
	uint64_t flushed;     /* the owner's tlb_seq when last flushed */
	unsigned busy;	      /* jobs on rings */
	uint64_t used;	      /* for LRU */
};

struct bw_uapi {
	const struct bw_profile *profile;
	struct bw_uapi_options options;
	struct bw_device *dev;
	const struct bw_register_map *registers; /* where they are in this GPU */
	uint64_t fb_base, fb_offset; /* MC address of VRAM offset 0; what page tables add */
	uint64_t boot_ns;

	_Atomic uint32_t gfxoff_holds; /* amdgpu_gfxoff: number of requests for the graphics block
				        * to stay on */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* a fence or syncobj has changed, a client has gone */
	bool stopping;

	struct bw_ranges vram, gtt, fake;
	uint64_t vram_used_b, gtt_used_b, n_bos, bo_bytes;
	struct bw_drm_bos bos;	 /* all of them, borrowed */
	struct bw_drm_bo *stuck; /* freed, but their pages could not be taken away yet (gem.c) */
	struct bw_drm_ring rings[BW_DRM_N_RINGS];
	struct bw_drm_vmid vmids[BW_DRM_N_VMIDS];
	unsigned reserved_vmid, n_reserved;
	uint64_t vmid_clock;
	struct bw_drm_vms BW_VEC(struct bw_drm_vm *) vms; /* borrowed */
	struct bw_drm_entities
	BW_VEC(struct bw_drm_entity *) waiting; /* with jobs not yet on a ring, as they come next */
	uint64_t n_jobs;			/* number of the last one submitted */
	struct bw_drm_file *master;		/* the card node's, borrowed; NULL: none */
	struct bw_drm_ctx *pstate_ctx;		/* that has chosen a stable power state, borrowed */
	uint32_t pstate;			/* AMDGPU_CTX_STABLE_PSTATE_* */
	struct bw_drm_sensors sensors;
	struct bw_drm_sync_fds sync_fds;
	struct bw_drm_events events;
	/* aio_context_t to raise them by, and what it reads; 0: not made yet (eventfd.c) */
	uint64_t aio;
	int aio_file;
	uint64_t ih_offset;
	uint32_t ih_rptr;
	unsigned n_held, max_held; /* (limits.c) */
	int64_t sync_fds_checked_ns;
	uint64_t n_resets;
	uint32_t next_pasid;
	uint64_t next_client_id;

	/* the worker: interrupts, completed jobs, scheduling (sched.c) */
	pthread_t worker;
	bool worker_runs;
	pthread_mutex_t kick_lock;
	pthread_cond_t kicked;
	bool kick;

	/* the kernel log (klog.c) */
	pthread_mutex_t log_lock;
	struct bw_str log;
	int64_t log_window_ns;
	unsigned log_in_window;

	/* register accesses through debugfs that take several steps (SQ_IND): as grbm_idx_mutex */
	pthread_mutex_t grbm_lock;

	/* server.c */
	struct bw_clients BW_VEC(struct bw_client *) clients;
	uint64_t clients_ever;
	unsigned n_connections;
	struct bw_socks BW_VEC(int) socks;
	void (*on_clients)(void *cookie);
	void *on_clients_cookie;
	unsigned ioctl_said[8]; /* bits: absent ioctls named already */
};

struct bw_conn;

/* One call of a program. */
struct bw_drm_call {
	struct bw_uapi *u;
	struct bw_conn *conn; /* for user memory and to see that the caller has gone */
	struct bw_drm_file *file;
	int fd_in;  /* borrowed, -1 */
	int fd_out; /* owned until sent, -1 */
	uint32_t fd_at;
	const uint8_t *ahead; /* user memory that came with the call (vgpu_proto.h) */
	size_t ahead_b;
};

/* ---- usermem.c, without the lock ---- */
int bw_user_read(struct bw_drm_call *c, uint64_t va, void *out, size_t size_b);
int bw_user_write(struct bw_drm_call *c, uint64_t va, const void *data, size_t size_b);
/* n elements into memory of their own; -ENOMEM for absurd counts. n 0 gives an empty allocation. */
int bw_user_dup(struct bw_drm_call *c, uint64_t va, uint64_t n, size_t elem_b, void *out_array);

/* ---- fence.c ---- */
struct bw_drm_fence *bw_drm_fence_new(void);
struct bw_drm_fence *bw_drm_fence_ref(struct bw_drm_fence *f);
void bw_drm_fence_unref(struct bw_drm_fence *f);
bool bw_drm_fence_done(struct bw_drm_fence *f);
struct bw_drm_fence *bw_drm_fence_new_signaled(void);
/* Fences that something waits for: each once, none that has signalled, and of a merged one its
 * parts, so that programs cannot build deep or large ones. Adding: -ENOMEM after BW_DRM_MAX_STEPS,
 * too. */
struct bw_drm_gathering {
	struct bw_drm_fences *into;
	uint64_t mark;
	uint32_t steps;
};
uint64_t bw_drm_mark(void); /* never the same twice */
struct bw_drm_gathering bw_drm_gather(struct bw_drm_fences *into);
int bw_drm_gather_fence(struct bw_drm_gathering *g, struct bw_drm_fence *f);
void bw_drm_fence_signal(struct bw_uapi *u, struct bw_drm_fence *f, int error);
/* Adds a reference, dropping fences that have signalled now and then. */
int bw_drm_fences_add(struct bw_drm_fences *v, struct bw_drm_fence *f);
/* Whether all have; drops some of those that have. */
bool bw_drm_fences_signaled(struct bw_drm_fences *v);
void bw_drm_fences_fini(struct bw_drm_fences *v);
int64_t bw_now_ns(void);
/* Waits (lock held, given up meanwhile) until done() or the absolute time: 0, -ETIME, or -EINTR
 * when the caller has gone. INT64_MAX: for ever. Time in which the VM's waves are held does not
 * count. */
int bw_drm_wait(struct bw_drm_call *c, int64_t deadline_ns, bool (*done)(void *arg), void *arg);
int bw_drm_wait_fence(struct bw_drm_call *c, struct bw_drm_fence *f, int64_t deadline_ns);
/* "negative as signed 64-bit = for ever" of the amdgpu ioctls */
int64_t bw_drm_deadline(uint64_t timeout_ns);
int bw_ioctl_wait_cs(struct bw_drm_call *c, void *arg);
int bw_ioctl_wait_fences(struct bw_drm_call *c, void *arg);
int bw_ioctl_fence_to_handle(struct bw_drm_call *c, void *arg);

/* ---- syncobj.c ---- */
void bw_drm_syncobj_unref(struct bw_drm_syncobj *s);
struct bw_drm_syncobj *bw_drm_syncobj_get(struct bw_drm_file *f, uint32_t handle); /* borrowed */
/* The fence of a point: 0 and a reference, -EINVAL when there is none yet. */
int bw_drm_syncobj_fence(struct bw_drm_syncobj *s, uint64_t point, struct bw_drm_fence **out);
/* The same by handle, waiting for it to be submitted if the flags say so. Lock held. */
int bw_drm_syncobj_find(struct bw_drm_call *c, uint32_t handle, uint64_t point, uint64_t flags,
			struct bw_drm_fence **out);
void bw_drm_syncobj_replace(struct bw_uapi *u, struct bw_drm_syncobj *s, struct bw_drm_fence *f);
int bw_drm_syncobj_add_point(struct bw_uapi *u, struct bw_drm_syncobj *s, uint64_t point,
			     struct bw_drm_fence *f);
int bw_drm_syncobj_new_handle(struct bw_drm_file *f, struct bw_drm_fence *fence,
			      uint32_t *out_handle);
int bw_drm_syncobj_fd(struct bw_drm_file *f, struct bw_drm_syncobj *s,
		      struct bw_drm_fence *sync_file, int *out_fd);
/* Fds whose last copy is closed, and sync_files that have signalled. */
void bw_drm_sync_fds_check(struct bw_uapi *u);
void bw_drm_sync_fds_fini(struct bw_uapi *u);
int bw_ioctl_syncobj_create(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_destroy(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_to_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_from_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_transfer(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_wait(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_timeline_wait(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_reset(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_signal(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_timeline_signal(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_query(struct bw_drm_call *c, void *arg);

/* Whether a fence for the point is there, and whether it has signalled. */
bool bw_drm_syncobj_state(struct bw_drm_syncobj *s, uint64_t point, bool *out_signaled);

/* ---- eventfd.c ---- */
/* drm_syncobj_eventfd of Linux 6.6, which older headers do not have */
struct bw_drm_syncobj_eventfd {
	uint32_t handle, flags;
	uint64_t point;
	int32_t fd;
	uint32_t pad;
};
void bw_drm_events_check(struct bw_uapi *u);
void bw_drm_events_forget(struct bw_uapi *u, const struct bw_drm_file *f);
void bw_drm_events_fini(struct bw_uapi *u);
int bw_ioctl_syncobj_eventfd(struct bw_drm_call *c, void *arg);

/* ---- gem.c ---- */
struct bw_drm_bo *bw_drm_bo_get(struct bw_drm_file *f, uint32_t handle); /* borrowed */
struct bw_drm_bo *bw_drm_bo_ref(struct bw_drm_bo *bo);
void bw_drm_bo_unref(struct bw_drm_bo *bo);
struct bw_drm_fences *bw_drm_bo_busy(struct bw_drm_bo *bo);
/* The memory at an offset, as the driver's CPU sees it. */
uint8_t *bw_drm_bo_cpu(struct bw_drm_bo *bo, uint64_t offset_b, uint64_t size_b);
void bw_drm_file_close_bos(struct bw_drm_file *f);
void bw_drm_bos_fini(struct bw_uapi *u);
int bw_drm_mmap(struct bw_drm_file *f, uint64_t offset, uint64_t size_b, int *out_fd,
		uint64_t *out_fd_offset);
int bw_ioctl_gem_create(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_mmap(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_metadata(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_wait_idle(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_op(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_userptr(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_close(struct bw_drm_call *c, void *arg);
int bw_ioctl_prime_to_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_prime_from_fd(struct bw_drm_call *c, void *arg);

/* ---- va.c ---- */
int bw_ioctl_gem_va(struct bw_drm_call *c, void *arg);
/* Drops every mapping of a buffer (its last handle in the VM's file is closed). */
void bw_drm_vm_forget_bo(struct bw_drm_vm *vm, struct bw_drm_bo *bo);
/* Applies the page-table changes whose time has come; true if that was something. */
bool bw_drm_vm_apply_updates(struct bw_drm_vm *vm);
/* As at a CS: changes that were delayed are due now. */
void bw_drm_vm_flush_updates(struct bw_drm_vm *vm);

/* ---- vm_pt.c ---- */
int bw_drm_pt_init(struct bw_drm_vm *vm);
void bw_drm_pt_fini(struct bw_drm_vm *vm);
int bw_drm_pt_write(struct bw_drm_vm *vm, const struct bw_drm_mapping *m, bool clear);
uint64_t bw_drm_pt_root_entry(const struct bw_drm_vm *vm);

/* ---- vmid.c ---- */
int bw_drm_vm_create(struct bw_uapi *u, int pid, const char *comm, struct bw_drm_vm **out);
struct bw_drm_vm *bw_drm_vm_ref(struct bw_drm_vm *vm);
void bw_drm_vm_unref(struct bw_drm_vm *vm);
uint64_t bw_drm_vm_held_ns(struct bw_drm_vm *vm, bool *out_held_now);
/* A VMID for the VM's next job, 0 when none is free now. */
unsigned bw_drm_vmid_grab(struct bw_drm_vm *vm);
void bw_drm_vmid_unreserve(struct bw_drm_vm *vm);
int bw_ioctl_vm(struct bw_drm_call *c, void *arg);

/* ---- ctx.c ---- */
struct bw_drm_ctx *bw_drm_ctx_get(struct bw_drm_file *f, uint32_t id); /* borrowed */
struct bw_drm_ctx *bw_drm_ctx_ref(struct bw_drm_ctx *ctx);
void bw_drm_ctx_unref(struct bw_drm_ctx *ctx);
int bw_drm_ctx_entity(struct bw_drm_ctx *ctx, uint32_t ip, uint32_t instance, uint32_t ring,
		      struct bw_drm_entity **out);
/* A reference to the fence of a submission; 0 and NULL: long done. */
int bw_drm_ctx_fence(struct bw_drm_entity *e, uint64_t seq, struct bw_drm_fence **out);
int bw_ioctl_ctx(struct bw_drm_call *c, void *arg);
enum bw_drm_level bw_drm_ctx_level(const struct bw_drm_ctx *ctx);
int bw_ioctl_sched(struct bw_drm_call *c, void *arg);

/* ---- bo_list.c ---- */
struct drm_amdgpu_bo_list_in;
int bw_drm_bo_list_make(struct bw_drm_call *c, const struct drm_amdgpu_bo_list_in *in,
			struct bw_drm_bo_list **out);
void bw_drm_bo_list_unref(struct bw_drm_bo_list *l);
int bw_ioctl_bo_list(struct bw_drm_call *c, void *arg);

/* ---- cs.c, cs_chunks.c ---- */
int bw_ioctl_cs(struct bw_drm_call *c, void *arg);

/* ---- sched.c ---- */
struct bw_error *bw_drm_sched_start(struct bw_uapi *u) BW_MUST_CHECK;
void bw_drm_sched_stop(struct bw_uapi *u);
void bw_drm_kick(struct bw_uapi *u);	 /* any thread, no lock needed */
void bw_drm_irq(void *cookie);		 /* the device's callback, on its threads */
void bw_drm_schedule(struct bw_uapi *u); /* what was pushed, at once if it can be. Lock held */
void bw_drm_job_free(struct bw_drm_job *job);
void bw_drm_job_finish(struct bw_uapi *u, struct bw_drm_job *job, int error);
void bw_drm_job_push(struct bw_uapi *u, struct bw_drm_job *job); /* takes it */

/* ---- ring.c ---- */
int bw_drm_ring_init(struct bw_uapi *u, unsigned index);
/* False: out of memory, and nothing was put on the ring. */
bool bw_drm_ring_emit(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job,
		      bool flush);
/* Whether the command processor has stopped the ring at an error, and waits for a reset. */
bool bw_drm_ring_stopped(struct bw_uapi *u, const struct bw_drm_ring *ring);
uint64_t bw_drm_ring_signaled(struct bw_uapi *u, const struct bw_drm_ring *ring);
bool bw_drm_ring_reset(struct bw_uapi *u, struct bw_drm_ring *ring);
/* As the queue's registers have them, in dwords; may be beyond the ring's end. */
void bw_drm_ring_pointers(struct bw_uapi *u, const struct bw_drm_ring *ring, uint64_t *out_rptr,
			  uint64_t *out_wptr);

/* ---- ring_sdma.c: the same for the SDMA rings ---- */
void bw_drm_sdma_start(struct bw_uapi *u, struct bw_drm_ring *ring);
void bw_drm_sdma_pointers(struct bw_uapi *u, const struct bw_drm_ring *ring, uint64_t *out_rptr,
			  uint64_t *out_wptr);
/* Waits until it is idle; false: it does not come to it. */
bool bw_drm_sdma_stop(struct bw_uapi *u, struct bw_drm_ring *ring);
void bw_drm_sdma_put_job(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job,
			 bool flush);

/* ---- fault.c ---- */
void bw_drm_ih_process(struct bw_uapi *u);
/* Takes the interrupts that are there if all say that work has ended; else leaves them. */
bool bw_drm_ih_ends_only(struct bw_uapi *u);
void bw_drm_job_kill(struct bw_uapi *u, struct bw_drm_ring *ring, int error, const char *why);
/* Goes on with what job_kill began; true while a job is being killed. */
bool bw_drm_recover(struct bw_uapi *u);

/* ---- gpu.c ---- */
struct bw_error *bw_drm_gpu_init(struct bw_uapi *u) BW_MUST_CHECK;
/* Where a register is in this GPU: a dword address. Registers of a row have numbers in a row. */
uint32_t bw_drm_reg(const struct bw_uapi *u, enum bw_register reg);
uint32_t bw_rreg(struct bw_uapi *u, enum bw_register reg);
void bw_wreg(struct bw_uapi *u, enum bw_register reg, uint32_t value);
uint32_t bw_rreg_bank(struct bw_uapi *u, const struct bw_bank *bank, enum bw_register reg);
void bw_wreg_bank(struct bw_uapi *u, const struct bw_bank *bank, enum bw_register reg,
		  uint32_t value);
/* GCVM_INVALIDATE_ENGn_REQ for everything of a VMID. */
uint32_t bw_drm_invalidate_req(unsigned vmid);
/* VRAM for the driver itself, zeroed. */
int bw_drm_vram_alloc(struct bw_uapi *u, uint64_t size_b, uint64_t align_b, uint64_t *out_offset);
void bw_drm_vram_free(struct bw_uapi *u, uint64_t offset, uint64_t size_b);
void *bw_drm_vram_cpu(struct bw_uapi *u, uint64_t offset);
#define bw_drm_mc(u, offset) ((u)->fb_base + (offset))

/* ---- info.c ---- */
enum { BW_DRM_N_IPS = 10 };
extern const uint32_t bw_drm_max_ibs[BW_DRM_N_IPS]; /* in one submission, by IP type */
int bw_ioctl_info(struct bw_drm_call *c, void *arg);
void bw_drm_gca_config(struct bw_uapi *u, uint32_t out[36]);
void bw_drm_memory_sizes(struct bw_uapi *u, uint64_t *out_vram_usable, uint64_t *out_gtt_total,
			 uint64_t *out_gtt_usable);

/* ---- sensors.c, lock held ---- */
/* one has got its first job, lost its last */
void bw_drm_sensors_ring(struct bw_uapi *u, bool busy);
void bw_drm_sensors_tick(struct bw_uapi *u);
int bw_drm_sensor(struct bw_uapi *u, uint32_t type, uint32_t *out);

/* ---- klog.c ---- */
void bw_klog(struct bw_uapi *u, const char *fmt, ...) BW_PRINTF(2, 3);
bool bw_klog_allowed(struct bw_uapi *u); /* printk_ratelimit() */
char *bw_klog_text(struct bw_uapi *u);	 /* a copy, owned by the caller, or NULL */

/* ---- drm.c ---- */
int bw_drm_file_open(struct bw_uapi *u, uint32_t minor, int pid, const char *comm,
		     struct bw_drm_account *account, struct bw_drm_file **out);
void bw_drm_file_close(struct bw_drm_file *f);
void bw_drm_file_fdinfo(struct bw_drm_file *f, struct bw_str *out);
/* data: the argument struct of _IOC_SIZE(cmd) bytes, in and out. */
int bw_drm_ioctl(struct bw_drm_call *c, uint32_t cmd, uint8_t *data);

/* ---- debugfs.c, debugfs_regs.c, debugfs_rings.c: files opened by path ---- */
struct bw_file;
struct bw_file_ops {
	/* 0 to n bytes done, or -errno; *pos moves or not, as the kernel's file does */
	int64_t (*read)(struct bw_file *f, void *out, size_t size_b, uint64_t *pos);
	int64_t (*write)(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos);
	int (*ioctl)(struct bw_file *f, uint32_t cmd, const uint8_t *data);
};
struct bw_file {
	struct bw_uapi *u;
	const struct bw_file_ops *ops;
	pthread_mutex_t lock; /* of the file's own state, as the kernel's per-file lock */
	bool writable;
	char *text; /* text files: as it was when opened */
	size_t text_b;
	union {
		struct {
			uint32_t use_srbm, use_grbm, pg_lock, se, sh, instance, me, pipe, queue,
				vmid, xcc;
		} regs2;
		unsigned ring; /* index in bw_uapi.rings */
		struct {
			uint32_t gpr_or_wave, se, sh, cu, wave, simd, xcc, thread, vgpr;
		} gprwave;
	};
};
int bw_file_open(struct bw_uapi *u, const char *path, uint32_t flags, struct bw_file **out);
void bw_file_close(struct bw_file *f);
extern const struct bw_file_ops bw_regs_ops, bw_regs2_ops, bw_gprwave_ops, bw_wave_ops, bw_gpr_ops,
	bw_ring_ops;

/* ---- server.c ---- */
/* For user memory during a call: sends one request and waits for its answer. False: the caller has
 * gone. */
struct bw_msg;
struct bw_msg_part;
bool bw_conn_ask(struct bw_conn *conn, uint16_t type, const struct bw_msg_part *parts,
		 size_t n_parts, struct bw_msg **out_reply);
bool bw_conn_gone(struct bw_conn *conn);
/* A DRM file of the same client by its number, borrowed; NULL. Lock held. */
struct bw_drm_file *bw_conn_file(struct bw_conn *conn, uint32_t number);
/* Whether the process at the other end has a capability (CAP_*). */
bool bw_conn_capable(struct bw_conn *conn, unsigned cap);

#endif
