/* SPDX-License-Identifier: MIT */
#include "vgpu/pci/dma_map.h"

#include <errno.h>
#include <string.h>

/* The first range that ends after address. */
static size_t first_behind(const struct bw_dma_map *m, uint64_t address)
{
	size_t low = 0, high = m->len;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (m->data[mid].address + (m->data[mid].size_b - 1) < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int bw_dma_map_add(struct bw_dma_map *m, const struct bw_dma_range *range)
{
	size_t at = first_behind(m, range->address);
	if (at < m->len && m->data[at].address <= range->address + (range->size_b - 1))
		return EEXIST;
	if (m->len >= BW_DMA_MAX_RANGES)
		return ENOSPC;
	struct bw_error *err = bw_vec_insert(m, at, *range);
	bw_error_free(err);
	return err ? ENOMEM : 0;
}

int bw_dma_map_remove(struct bw_dma_map *m, uint64_t address, uint64_t size_b,
		      struct bw_dma_range *out)
{
	size_t at = first_behind(m, address);
	if (at == m->len || m->data[at].address != address || m->data[at].size_b != size_b)
		return ENOENT;
	*out = m->data[at];
	bw_vec_remove(m, at);
	return 0;
}

const struct bw_dma_range *bw_dma_map_find(const struct bw_dma_map *m, uint64_t address)
{
	size_t at = first_behind(m, address);
	return at < m->len && m->data[at].address <= address ? &m->data[at] : NULL;
}
