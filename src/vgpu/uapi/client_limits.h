/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_CLIENT_LIMITS_H
#define BW_VGPU_UAPI_CLIENT_LIMITS_H

/* The limits of one program, and the account of what it has (client_limits.c). The caller holds the
 * lock, except for bw_drm_limits_init() and bw_drm_account_new(). */

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* Limits of what one program may ask for, as work under the lock or shared resources. They are far
 * above what programs use: beyond them the program gets -ENOMEM (-EMFILE). */
enum {
	BW_DRM_MAX_STEPS = 1 << 20,	 /* fences that one call looks at */
	BW_DRM_MAX_HANDLES = 16 << 10,	 /* sync objects or fences in one call */
	BW_DRM_MAX_CHUNKS = 16 << 10,	 /* of one submission */
	BW_DRM_MAX_POINTS = 64 << 10,	 /* of a timeline, not yet signalled */
	BW_DRM_MAX_JOBS = 4096,		 /* of a VM, not yet finished: the next one waits */
	BW_DRM_MAX_MAPPINGS = 256 << 10, /* of a client, in all its address spaces */
	BW_DRM_MAX_SYNCOBJS = 64 << 10,	 /* of a client */
	BW_DRM_MAX_CTXS = 8 << 10,	 /* of a client */
	BW_DRM_MAX_UPDATES = 2 * BW_DRM_MAX_MAPPINGS,
	BW_DRM_MAX_FILES = 1024, /* open files of a client, of every kind */
};

/* A client's account of shared resources: each object that is counted there keeps a reference until
 * it is released. */
enum bw_drm_charge { BW_DRM_SYNCOBJS, BW_DRM_CTXS, BW_DRM_MAPPINGS, BW_DRM_N_CHARGES };
struct bw_drm_account {
	unsigned refs, n_held;
	/* of its buffers, also of those that others still use, and of its page tables */
	uint64_t vram_b, gtt_b;
	uint32_t n[BW_DRM_N_CHARGES];
	bool told[BW_DRM_N_CHARGES]; /* that it may have no more */
};
struct bw_uapi;
void bw_drm_limits_init(struct bw_uapi *u);
struct bw_drm_account *bw_drm_account_new(void);
struct bw_drm_account *bw_drm_account_ref(struct bw_drm_account *a);
void bw_drm_account_unref(struct bw_drm_account *a);
/* Counts one more, or returns NULL where that exceeds the client's limit. To be released. */
struct bw_drm_account *bw_drm_hold(struct bw_uapi *u, struct bw_drm_account *a) BW_MUST_CHECK;
void bw_drm_release(struct bw_uapi *u, struct bw_drm_account *a);

/* n more of the server's own objects, each with a reference to the account. False: beyond the limit
 * of a client, which the log says once. comm, pid: whose it is. */
bool bw_drm_charge(struct bw_uapi *u, struct bw_drm_account *a, enum bw_drm_charge what, uint32_t n,
		   const char *comm, int pid) BW_MUST_CHECK;
void bw_drm_uncharge(struct bw_drm_account *a, enum bw_drm_charge what, uint32_t n);

/* Whether the client may have that much more of VRAM or, else, of system memory. */
bool bw_drm_may_place(const struct bw_uapi *u, const struct bw_drm_account *a, bool vram,
		      uint64_t size_b);
/* Counts a buffer that was placed, or with a negative size one that is gone. */
void bw_drm_count_placed(struct bw_uapi *u, struct bw_drm_account *a, bool vram, int64_t size_b);

/* The limit of the offsets that programs give mmap for buffers. */
#define BW_DRM_MAX_OFFSETS_B (1ull << 45)

#endif
