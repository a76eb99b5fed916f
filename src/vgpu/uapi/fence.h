/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_FENCE_H
#define BW_VGPU_UAPI_FENCE_H

/* Fences and waiting for them (fence.c). */

#include "vgpu/uapi/uapi_priv.h"

struct bw_drm_fence *bw_drm_fence_new(void);
struct bw_drm_fence *bw_drm_fence_ref(struct bw_drm_fence *f);
void bw_drm_fence_unref(struct bw_drm_fence *f);
bool bw_drm_fence_done(struct bw_drm_fence *f);
struct bw_drm_fence *bw_drm_fence_new_signaled(void);
/* Marks a fence as signalled that nobody can have waited for yet. */
void bw_drm_fence_is_signaled(struct bw_drm_fence *f);
/* The first of n contexts that no fence has yet. */
uint64_t bw_drm_fence_contexts(unsigned n);
/* A hint by when it is wanted; no GPU's fence makes use of it. CLOCK_MONOTONIC. */
void bw_drm_fence_set_deadline(struct bw_drm_fence *f, uint64_t deadline_ns);
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

#endif
