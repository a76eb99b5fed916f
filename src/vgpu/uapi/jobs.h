/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_JOBS_H
#define BW_VGPU_UAPI_JOBS_H

/* Work on its way to the GPU: contexts, submission, scheduling, rings, and what ends a job that
 * fails. */

#include "base/error.h"
#include "vgpu/uapi/uapi_priv.h"

/* ---- ctx.c ---- */

struct bw_drm_ctx *bw_drm_ctx_get(struct bw_drm_file *f, uint32_t id); /* borrowed */
struct bw_drm_ctx *bw_drm_ctx_ref(struct bw_drm_ctx *ctx);
void bw_drm_ctx_unref(struct bw_drm_ctx *ctx);
/* Also -errno of the job that went to a ring last, if that has failed: the entity takes no more
 * (amdgpu_ctx_get_entity). */
int bw_drm_ctx_entity(struct bw_drm_ctx *ctx, uint32_t ip, uint32_t instance, uint32_t ring,
		      struct bw_drm_entity **out);
/* The error of the job that left its queue last (drm_sched_entity_error); 0: none, or no job
 * yet. */
int bw_drm_entity_error(const struct bw_drm_entity *e);
/* A reference to the fence of a submission; 0 and NULL: long done. */
int bw_drm_ctx_fence(struct bw_drm_entity *e, uint64_t seq, struct bw_drm_fence **out);
int bw_ioctl_ctx(struct bw_drm_call *c, void *arg);
enum bw_drm_level bw_drm_ctx_level(const struct bw_drm_ctx *ctx);
int bw_ioctl_sched(struct bw_drm_call *c, void *arg);

/* ---- cs.c ---- */

int bw_ioctl_cs(struct bw_drm_call *c, void *arg);

/* ---- sched.c ---- */

struct bw_error *bw_drm_sched_start(struct bw_uapi *u) BW_MUST_CHECK;
void bw_drm_sched_stop(struct bw_uapi *u);
void bw_drm_kick(struct bw_uapi *u);	 /* any thread, no lock needed */
void bw_drm_irq(void *cookie);		 /* the device's callback, on its threads */
void bw_drm_schedule(struct bw_uapi *u); /* schedules pushed jobs. Lock held */
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
/* Throws away what is on the ring and starts it again empty; its jobs up to this ring_seq count as
 * ended. False: the queue does not stop. */
bool bw_drm_ring_restart(struct bw_uapi *u, struct bw_drm_ring *ring, uint64_t ended);
/* The pointers in the queue's registers, in dwords; they may be beyond the ring's end. */
void bw_drm_ring_pointers(struct bw_uapi *u, const struct bw_drm_ring *ring, uint64_t *out_rptr,
			  uint64_t *out_wptr);

/* ---- ring_sdma.c: the same for the SDMA rings ---- */

void bw_drm_sdma_start(struct bw_uapi *u, struct bw_drm_ring *ring);
void bw_drm_sdma_pointers(struct bw_uapi *u, const struct bw_drm_ring *ring, uint64_t *out_rptr,
			  uint64_t *out_wptr);
/* Waits until it is idle; false: it does not come to it. */
bool bw_drm_sdma_stop(struct bw_uapi *u, struct bw_drm_ring *ring);
/* Packets of a ring that access registers: (register & mask) == ref ends a wait. */
struct bw_drm_reg_packets {
	void (*write)(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value);
	void (*wait)(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask);
};
/* ring.c, for all rings. */
void bw_drm_put_vm_flush(struct bw_uapi *u, struct bw_drm_ring *ring, const struct bw_drm_vm *vm,
			 const struct bw_drm_reg_packets *put);
void bw_drm_sdma_put_job(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job,
			 bool flush);

/* ---- waits.c ---- */

/* How long the ring's dispatches have waited for waves of others to end so far, and (now) how long
 * the current one has. */
uint64_t bw_drm_ring_starved_ns(struct bw_uapi *u, const struct bw_drm_ring *ring,
				uint64_t *out_now_ns);

/* ---- fault.c ---- */

void bw_drm_ih_process(struct bw_uapi *u);
/* Takes the interrupts that are there if all say that work has ended; else leaves them. */
bool bw_drm_ih_ends_only(struct bw_uapi *u);

/* ---- recover.c ---- */

/* Begins to end the job at the ring's head, which hangs or has failed. */
void bw_drm_job_end(struct bw_uapi *u, struct bw_drm_ring *ring, const char *why);
/* Like bw_drm_job_end, where the job's program has gone. */
void bw_drm_job_abandon(struct bw_drm_ring *ring);
/* A job that was being ended has ended without a reset. */
void bw_drm_job_recovered(struct bw_uapi *u, const struct bw_drm_ring *ring,
			  const struct bw_drm_job *job);
/* Continues what the first two began; true while a job is being ended. */
bool bw_drm_recover(struct bw_uapi *u);
/* Ends all jobs on all rings and starts these again. False: a queue does not stop. */
bool bw_drm_gpu_reset(struct bw_uapi *u);

#endif
