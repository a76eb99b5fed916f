/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_STRICT_CACHES_H
#define BW_VGPU_EXEC_STRICT_CACHES_H

/* The caches' own structures: cache.c fills and clears them, state.c keeps them. */

#include "vgpu/device/exec/strict/strict_priv.h"

struct bw_cached_page {
	uint8_t data[BW_PAGE_B] __attribute__((aligned(64)));
	uint64_t page; /* address / BW_PAGE_B */
	uint64_t lines;
	uint8_t vmid;
};

/* Pages by a hash of their address; another page takes the place of the one before. */
struct bw_page_cache {
	struct bw_cached_page **page;
	unsigned n_pages, line_b;
	uint64_t generation;
};

struct bw_strict_caches {
	struct bw_strict_caches *next;
	struct bw_page_cache scalar, gl0[2];
	struct bw_tlb tlb; /* for one instruction at a time */
};

struct bw_gl1 {
	pthread_mutex_t lock;
	struct bw_page_cache cache;
};

bool bw_caches_init(struct bw_strict_caches *c);
void bw_caches_fini(struct bw_strict_caches *c);
bool bw_gl1_init(struct bw_gl1 *g);
void bw_gl1_fini(struct bw_gl1 *g);

struct bw_gl1 *bw_strict_gl1(struct bw_strict *s, unsigned sa);
uint64_t bw_strict_generation(const struct bw_strict *s, enum bw_strict_cache cache);

#endif
