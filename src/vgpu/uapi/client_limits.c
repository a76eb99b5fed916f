/* SPDX-License-Identifier: MIT */
/* Accounts for what all clients share: descriptors of the server (and, for a buffer, one or two of
 * its mappings). A client may have as many as it leaves free for others: the first client half of
 * all, the next one half of the rest. So no client can use them up, and a single client is hardly
 * limited. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

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

void bw_drm_release(struct bw_uapi *u, struct bw_drm_account *a)
{
	a->n_held--;
	u->n_held--;
	bw_drm_account_unref(a);
}
