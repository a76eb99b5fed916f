/* SPDX-License-Identifier: MIT */
/* Getting the GPU back from a job that fails or does not end, as amdgpu_job_timedout of Linux 6.12
 * does: its waves are killed (soft recovery); where that does not end it, the ring is reset; and
 * where a ring cannot be reset alone, as SDMA v6 cannot, the whole GPU is. VRAM keeps its contents
 * in all three. */
#include <errno.h>

#include "arch/arch.h"
#include "base/log.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

/* The time for which waves are killed before the queue is reset: new ones may be launched
 * meanwhile. The kernel waits 10 ms; killing waves takes longer here. */
static const int64_t soft_ns = 500 * 1000000;

static void begin(struct bw_drm_job *job, int error)
{
	job->killing = true;
	job->kill_since_ns = bw_now_ns();
	job->error = error;
}

void bw_drm_job_end(struct bw_uapi *u, struct bw_drm_ring *ring, const char *why)
{
	begin(ring->head, -ENODATA);
	BW_LOG(INFO, "uapi", "ending job %llu of %s on %s: %s",
	       (unsigned long long)ring->head->vm_number, ring->head->vm->comm, ring->name, why);
}

void bw_drm_job_abandon(struct bw_drm_ring *ring)
{
	begin(ring->head, -ECANCELED);
}

void bw_drm_job_recovered(struct bw_uapi *u, const struct bw_drm_ring *ring,
			  const struct bw_drm_job *job)
{
	if (job->error != -ENODATA)
		return;
	u->n_resets++;
	bw_klog(u, "ring %s timeout, but soft recovered", ring->name);
}

static void kill_waves(struct bw_uapi *u, const struct bw_drm_job *job)
{
	struct bw_bank all = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	bw_wreg_bank(u, &all, BW_REG_SQ_CMD,
		     BW_FIELD(SQ_CMD, CMD, BW_SQ_CMD_KILL) |
			     BW_FIELD(SQ_CMD, MODE, BW_SQ_MODE_BROADCAST) |
			     BW_FIELD_MASK(SQ_CMD, CHECK_VMID) |
			     BW_FIELD(SQ_CMD, VM_ID, job->vmid));
}

static void log_timeout(struct bw_uapi *u, const struct bw_drm_ring *ring)
{
	const struct bw_drm_vm *vm = ring->head->vm;
	bw_klog(u, "ring %s timeout, signaled seq=%u, emitted seq=%u", ring->name,
		(uint32_t)ring->signaled, (uint32_t)ring->emitted);
	bw_klog(u, "Process information: process %s pid %d thread %s pid %d", vm->comm, vm->pid,
		vm->comm, vm->pid);
}

/* All jobs on the ring end, the innocent ones too: drm_sched_stop removes their fences, and
 * drm_sched_start then ends them with -ECANCELED. */
static bool cancel_all(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	if (!bw_drm_ring_restart(u, ring, ring->emitted))
		return false;
	for (struct bw_drm_job *job = ring->head; job; job = job->next) {
		job->error = -ECANCELED;
		job->was_reset = true;
	}
	return true;
}

static bool reset_ring(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	log_timeout(u, ring);
	bw_klog(u, "Starting %s ring reset", ring->name);
	if (!cancel_all(u, ring)) {
		bw_klog(u, "Ring %s reset failed", ring->name);
		return false;
	}
	u->n_resets++;
	bw_klog(u, "Ring %s reset succeeded", ring->name);
	return true;
}

/* Jobs of a program that has ended are dropped at once (the kernel waits for its time limit); so
 * the jobs after them must not suffer. */
static bool drop_head(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	struct bw_drm_job *head = ring->head;
	if (!bw_drm_ring_restart(u, ring, head->ring_seq))
		return false;
	head->was_reset = true;
	/* The stream has room already: each of these jobs has been through it once. */
	for (struct bw_drm_job *job = head->next; job; job = job->next)
		bw_drm_ring_emit(u, ring, job, true);
	return true;
}

bool bw_drm_gpu_reset(struct bw_uapi *u)
{
	bool done = true;
	bw_klog(u, "GPU reset begin!");
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		struct bw_drm_ring *ring = &u->rings[i];
		if (!ring->head)
			continue;
		kill_waves(u, ring->head);
		ring->head->killing = true;
		done &= cancel_all(u, ring);
	}
	if (!done) {
		bw_klog(u, "GPU reset(%llu) failed", (unsigned long long)u->n_resets);
		return false;
	}
	u->n_resets++;
	bw_klog(u, "GPU reset(%llu) succeeded!", (unsigned long long)u->n_resets);
	bw_drm_kick(u);
	return true;
}

/* The context whose job made a reset of the GPU necessary may submit no more
 * (drm_sched_increase_karma). */
static bool reset_gpu_for(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	log_timeout(u, ring);
	ring->head->ctx->guilty = true;
	return bw_drm_gpu_reset(u);
}

bool bw_drm_recover(struct bw_uapi *u)
{
	bool busy = false;
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		struct bw_drm_ring *ring = &u->rings[i];
		struct bw_drm_job *job = ring->head;
		if (!job || !job->killing || bw_drm_ring_signaled(u, ring) >= job->ring_seq)
			continue;
		busy = true;
		bool abandoned = job->error == -ECANCELED;
		if (!ring->is_sdma)
			kill_waves(u, job);
		bool stopped = bw_drm_ring_stopped(u, ring);
		if (!stopped && bw_now_ns() - job->kill_since_ns <= soft_ns)
			continue;
		job->kill_since_ns = bw_now_ns(); /* if this does not work, try again later */
		if (abandoned	    ? drop_head(u, ring)
		    : ring->is_sdma ? reset_gpu_for(u, ring)
				    : reset_ring(u, ring))
			bw_drm_kick(u);
	}
	return busy;
}
