/* SPDX-License-Identifier: MIT */
/* Accounts for what all clients share. No client can use it up, and a single client is hardly
 * limited:
 * - Descriptors of the server (and, for a buffer, one or two of its mappings). A client may have as
 *   many as it leaves free for others: the first client half of all, the next one half of the rest.
 * - VRAM and system memory for buffers. A client leaves an eighth of what the others have left it.
 *   Beyond that, VRAM is full for it: the buffer goes to system memory where its domains allow
 *   that, as Linux would evict one, and else the program gets -ENOMEM. Page tables count as well.
 * - Sync objects, contexts and mappings, which are the server's own memory: so many a client. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

/* Mappings that a process may have: vm.max_map_count, 65530 unless it was changed. */
static uint64_t max_mappings(void)
{
	unsigned long long n = 65530;
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	if (f) {
		if (fscanf(f, "%llu", &n) != 1)
			n = 65530;
		fclose(f);
	}
	return n;
}

void bw_drm_limits_init(struct bw_uapi *u)
{
	struct rlimit r = {1024, 1024};
	getrlimit(RLIMIT_NOFILE, &r);
	/* A quarter is for connections, for what comes with a call, and for the server itself. A
	 * buffer is a mapping, and the hole that it leaves at one side another. */
	uint64_t fds = BW_MIN((uint64_t)r.rlim_cur, (uint64_t)1 << 24) / 4 * 3;
	uint64_t buffers = max_mappings() / 8 * 3;
	u->max_held = (unsigned)BW_MIN(fds, buffers);
	u->max_charged[BW_DRM_SYNCOBJS] = BW_DRM_MAX_SYNCOBJS;
	u->max_charged[BW_DRM_CTXS] = BW_DRM_MAX_CTXS;
	u->max_charged[BW_DRM_MAPPINGS] = BW_DRM_MAX_MAPPINGS;
}

struct bw_drm_account *bw_drm_account_new(void)
{
	struct bw_drm_account *a = calloc(1, sizeof(*a));
	if (a)
		a->refs = 1;
	return a;
}

struct bw_drm_account *bw_drm_account_ref(struct bw_drm_account *a)
{
	a->refs++;
	return a;
}

void bw_drm_account_unref(struct bw_drm_account *a)
{
	if (a && !--a->refs)
		free(a);
}

struct bw_drm_account *bw_drm_hold(struct bw_uapi *u, struct bw_drm_account *a)
{
	if (u->n_held >= u->max_held || a->n_held >= u->max_held - u->n_held)
		return NULL;
	a->n_held++;
	u->n_held++;
	return bw_drm_account_ref(a);
}

bool bw_drm_charge(struct bw_uapi *u, struct bw_drm_account *a, enum bw_drm_charge what, uint32_t n,
		   const char *comm, int pid)
{
	static const char *const names[BW_DRM_N_CHARGES] = {[BW_DRM_SYNCOBJS] = "sync objects",
							    [BW_DRM_CTXS] = "contexts",
							    [BW_DRM_MAPPINGS] = "mappings"};
	if (n <= u->max_charged[what] - a->n[what]) {
		a->n[what] += n;
		a->refs += n;
		return true;
	}
	if (!a->told[what])
		bw_klog(u, "%s pid %d has %u %s, and gets no more", comm, pid, a->n[what],
			names[what]);
	a->told[what] = true;
	return false;
}

void bw_drm_uncharge(struct bw_drm_account *a, enum bw_drm_charge what, uint32_t n)
{
	if (!n)
		return;
	a->n[what] -= n;
	a->refs -= n - 1;
	bw_drm_account_unref(a);
}

bool bw_drm_may_place(const struct bw_uapi *u, const struct bw_drm_account *a, bool vram,
		      uint64_t size_b)
{
	enum { LEFT = 8 }; /* one part of so many */
	uint64_t all_b = vram ? u->profile->vram_size_b : u->profile->sysmem_size_b;
	uint64_t used_b = vram ? u->vram_used_b : u->gtt_used_b,
		 own_b = vram ? a->vram_b : a->gtt_b;
	uint64_t found_b = all_b - BW_MIN(used_b, all_b) + own_b;
	uint64_t most_b = found_b - found_b / LEFT;
	return own_b <= most_b && size_b <= most_b - own_b;
}

void bw_drm_count_placed(struct bw_uapi *u, struct bw_drm_account *a, bool vram, int64_t size_b)
{
	*(vram ? &u->vram_used_b : &u->gtt_used_b) += (uint64_t)size_b;
	*(vram ? &a->vram_b : &a->gtt_b) += (uint64_t)size_b;
}

void bw_drm_release(struct bw_uapi *u, struct bw_drm_account *a)
{
	a->n_held--;
	u->n_held--;
	bw_drm_account_unref(a);
}
