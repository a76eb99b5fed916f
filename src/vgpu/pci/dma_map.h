/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_PCI_DMA_MAP_H
#define BW_VGPU_PCI_DMA_MAP_H

/* The bus addresses that the guest has given to the device: ranges that do not overlap, sorted by
 * address. A range is memory, or something else (a ROM, another function's BAR), which is kept
 * because the guest will unmap it later. An unmap names exactly one earlier map. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A guest has some dozens; each one that is memory is a mapping of this process. */
enum { BW_DMA_MAX_RANGES = 4096 };

struct bw_dma_range {
	uint64_t address, size_b; /* size_b is not 0, and the end does not wrap round */
	bool is_memory;
};

struct bw_dma_map BW_VEC(struct bw_dma_range);

/* 0, EEXIST (it overlaps another one), ENOSPC (there are too many) or ENOMEM. */
int bw_dma_map_add(struct bw_dma_map *m, const struct bw_dma_range *range);
/* 0, with what it was, or ENOENT. */
int bw_dma_map_remove(struct bw_dma_map *m, uint64_t address, uint64_t size_b,
		      struct bw_dma_range *out);
/* The range that has this address; NULL: none. */
const struct bw_dma_range *bw_dma_map_find(const struct bw_dma_map *m, uint64_t address);

#endif
