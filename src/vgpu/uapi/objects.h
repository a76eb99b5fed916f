/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_OBJECTS_H
#define BW_VGPU_UAPI_OBJECTS_H

/* The driver's objects: fences, buffers, address spaces, contexts, jobs, rings, sync objects,
 * files. uapi_priv.h says who owns what. */

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "pm4/build.h"
#include "vgpu/uapi/alloc.h"
#include "vgpu/uapi/client_limits.h"
#include "wire/vgpu_proto.h"

struct bw_uapi;

enum {
	BW_DRM_PAGE_B = 4096,
	BW_DRM_DOMAINS_ON_CHIP = 0x38, /* GDS, GWS, OA of AMDGPU_GEM_DOMAIN_* */
	BW_DRM_N_RINGS = 7,	       /* gfx, compute 0-3, SDMA 0-1 */
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
	BW_DRM_RPTR_AT_B = 256,
	BW_DRM_EOP_AT_B = 2048,
	BW_DRM_MQD_B = 2048,	      /* v11_gfx_mqd, v11_compute_mqd */
	BW_DRM_MAX_COPY_B = 64 << 20, /* largest array taken from a program */
};

struct bw_drm_fence;
struct bw_drm_fences BW_VEC(struct bw_drm_fence *);
struct bw_drm_fence_ops {
	const char *driver;			/* as programs are told */
	void (*release)(struct bw_drm_fence *); /* NULL: nothing to do before it is freed */
	void (*set_deadline)(struct bw_drm_fence *, uint64_t deadline_ns); /* or NULL */
};
struct bw_drm_fence {
	unsigned refs;
	bool signaled;			    /* ask bw_drm_fence_done() */
	int error;			    /* -errno the work ended with */
	uint16_t pasid;			    /* of a job: its VM's */
	const struct bw_drm_fence_ops *ops; /* NULL: of no driver */
	const char *timeline;		    /* its owner, as programs are told; NULL: none */
	uint64_t context; /* in one the fence with the latest seqno signals last; 0: none */
	uint64_t seqno;
	int64_t signaled_ns;		/* CLOCK_MONOTONIC */
	struct bw_drm_fence *scheduled; /* of a job: signals when it goes to a ring */
	struct bw_drm_fences parts;	/* signals when all of these have; some of those that have
					 * are left out */
	struct bw_drm_fences members; /* merged from sync_files: these, to the end (sync_file.c) */
	uint64_t mark;		      /* of the last gathering that it is in */
	uint64_t after[BW_DRM_N_RINGS]; /* for the checker: the last jobs that end before it */
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
	/* made through /dev/kfd: files with this address space may map it (kfd_memory.c); borrowed,
	 * and only compared */
	const struct bw_drm_vm *kfd_vm;
	uint64_t meta_flags, tiling;
	uint32_t metadata_b;
	uint8_t metadata[256];
	struct bw_drm_account *account; /* of the client that made it */
	unsigned n_handles;		/* of all files */
	uint32_t name;			/* id in bw_uapi.names (GEM_FLINK); 0: none */
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
	struct bw_drm_mapping m; /* the new mapping; owns a reference to m.bo */
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
	struct bw_drm_account *account; /* of the client that opened its file */
	struct bw_drm_table *root;	/* of the page tables (vm_pt.c) */
	struct bw_drm_mappings maps;	/* by address, not overlapping */
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
		uint32_t status, hub;
		uint64_t addr, job, dispatches; /* the last two: keep_fault() */
	} fault;
};

/* Run queues of the scheduler: what is in a higher one goes to a ring first. */
enum bw_drm_level { BW_DRM_HIGH, BW_DRM_NORMAL, BW_DRM_LOW };

struct bw_drm_entity {
	uint64_t sequence; /* of the next job, from 1 */
	uint64_t context;  /* of the jobs' fences */
	struct bw_drm_fence *fences[BW_DRM_CTX_JOBS];
	struct bw_drm_job *head, *tail; /* not yet on a ring */
	struct bw_drm_fence *last;	/* of the job that left this queue last; NULL: none yet */
	unsigned on_ring;		/* jobs on `ring` */
	uint64_t after[BW_DRM_N_RINGS]; /* bw_drm_fence.after, of its jobs so far */
	enum bw_drm_level level;	/* of its run queue */
	unsigned ring; /* index in bw_uapi.rings; of compute and SDMA: the one last used */
};

struct bw_drm_ctx {
	unsigned refs;
	struct bw_uapi *u;
	struct bw_drm_account *account;	     /* of the client that made it */
	int32_t priority, priority_override; /* AMDGPU_CTX_PRIORITY_*; the latter UNSET: none */
	bool guilty;			     /* a job of it has made a reset of the GPU necessary */
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
	struct bw_drm_fences deps;	/* must have signalled before it runs */
	struct bw_drm_fences all_deps;	/* with a checker: the same, kept */
	uint64_t after[BW_DRM_N_RINGS]; /* of each ring the last job that had ended then */
	uint64_t number;		/* of all jobs */
	uint64_t vm_number;		/* of the VM's jobs */
	uint64_t updates_before;	/* page-table changes it must see */
	unsigned ip, n_ibs;
	struct bw_drm_ib *ibs;
	struct bw_drm_bo *uf_bo;
	uint64_t uf_offset, uf_value;
	struct bw_vgpu_stomp stomp; /* the fill of its waves */
	/* on the ring */
	uint64_t ring_seq;
	unsigned vmid;
	uint64_t flushes;   /* the tlb_seq its flush brings; 0: it does not flush */
	int64_t started_ns; /* when it came to the head */
	uint64_t held_at_start_ns, starved_at_start_ns;
	int64_t waits_since_ns; /* nothing but other work keeps it from running; 0: not so */
	bool killing, was_reset;
	int64_t kill_since_ns;
	int error; /* the error of its fence */
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
	uint64_t offset; /* VRAM offset of the packets */
	/* VRAM offset of a page: the 64-bit fence, at BW_DRM_RPTR_AT_B the read pointer that the
	 * ring reports, at BW_DRM_EOP_AT_B a compute queue's end-of-pipe events */
	uint64_t fence_offset;
	uint64_t mqd_offset; /* VRAM offset of the queue's descriptor; not of SDMA */
	uint64_t wptr;	     /* dwords, never wraps */
	uint64_t emitted, signaled;
	struct bw_drm_job *head, *tail;
	unsigned n;
	struct bw_pm4_stream stream; /* a job's packets while they are made */
};

struct bw_drm_point {
	uint64_t point;
	struct bw_drm_fence *fence;
};
struct bw_drm_syncobj {
	unsigned refs;
	struct bw_drm_account *account; /* of the client that made it */
	struct bw_drm_fence *fence;	/* binary; NULL: none */
	bool is_chain;			/* a timeline: `fence` is NULL and these hold */
	uint64_t signaled_point;	/* all points up to it have signalled */
	struct bw_drm_points BW_VEC(struct bw_drm_point) points; /* later ones, in order */
	struct bw_drm_syncobj_wait *waits; /* for a fence that is not there yet (syncobj_wait.c) */
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
	char name[32];		    /* sync_file: given when it was merged */
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

enum { BW_DRM_MAX_NODES = 64 }; /* as Linux has (drm_minor_alloc) */

struct bw_drm_file {
	struct bw_uapi *u;
	uint32_t minor;
	uint64_t client_id;
	struct bw_drm_account *account; /* its client's */
	/* bw_uapi's when it was opened (unplug.c) */
	uint32_t n_unplugged;
	unsigned node;
	struct bw_drm_vm *vm;
	struct bw_ids bos, ctxs, syncobjs, bo_lists;
	/* (auth.c) */
	bool authenticated, was_master;
	int opener;		/* bw_conn_pid of who has opened it */
	uint64_t master_number; /* the master it was opened under, of bw_uapi.n_masters */
	bool is_atomic;		/* (mode.c) */
	uint32_t magic;		/* id in bw_uapi.magics; 0: not asked for yet */
	bool magic_used;
};

struct bw_drm_vmid {
	struct bw_drm_vm *vm; /* owner, or the last one (borrowed; NULL when it is gone) */
	uint64_t flushed;     /* the owner's tlb_seq when last flushed */
	unsigned busy;	      /* jobs on rings */
	uint64_t used;	      /* for LRU */
};

#endif
