/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_ALLOC_H
#define BW_VGPU_UAPI_ALLOC_H

/* Address ranges, and ids of objects (alloc.c). The caller serializes. */

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

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

#endif
