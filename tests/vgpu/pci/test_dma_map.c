/* SPDX-License-Identifier: MIT */
#include "vgpu/pci/dma_map.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "../../suite.h"

static struct bw_dma_map map;

static int add(uint64_t address, uint64_t size_b)
{
	const struct bw_dma_range r = {address, size_b, true};
	return bw_dma_map_add(&map, &r);
}

static int tear_down(void **state)
{
	bw_vec_free(&map);
	return 0;
}

static void an_address_is_found_in_its_range(void **state)
{
	assert_int_equal(add(0x100000, 0x3ff00000), 0);
	assert_int_equal(add(0, 0xa0000), 0);
	assert_int_equal(add(0xc0000, 0x1000), 0);
	assert_int_equal(bw_dma_map_find(&map, 0x9ffff)->address, 0);
	assert_null(bw_dma_map_find(&map, 0xa0000));
	assert_int_equal(bw_dma_map_find(&map, 0xc0fff)->address, 0xc0000);
	assert_int_equal(bw_dma_map_find(&map, 0x3fffffff)->address, 0x100000);
	assert_null(bw_dma_map_find(&map, 0x40000000));
}

static void ranges_do_not_overlap(void **state)
{
	assert_int_equal(add(0x1000, 0x2000), 0);
	assert_int_equal(add(0x1000, 0x2000), EEXIST);
	assert_int_equal(add(0, 0x1001), EEXIST);
	assert_int_equal(add(0x2fff, 1), EEXIST);
	assert_int_equal(add(0, UINT64_MAX), EEXIST);
	assert_int_equal(add(0x3000, 0x1000), 0);
	assert_int_equal(add(0, 0x1000), 0);
	/* the last byte of the address space */
	assert_int_equal(add(UINT64_MAX - 0xfff, 0x1000), 0);
	assert_int_equal(add(UINT64_MAX, 1), EEXIST);
}

static void an_unmap_names_one_map(void **state)
{
	struct bw_dma_range was;
	assert_int_equal(add(0x1000, 0x2000), 0);
	assert_int_equal(bw_dma_map_remove(&map, 0x1000, 0x1000, &was), ENOENT);
	assert_int_equal(bw_dma_map_remove(&map, 0x2000, 0x1000, &was), ENOENT);
	assert_int_equal(bw_dma_map_remove(&map, 0x1000, 0x2000, &was), 0);
	assert_int_equal(was.size_b, 0x2000);
	assert_int_equal(bw_dma_map_remove(&map, 0x1000, 0x2000, &was), ENOENT);
	assert_null(bw_dma_map_find(&map, 0x1000));
}

static void there_is_an_end_of_ranges(void **state)
{
	for (unsigned i = 0; i < BW_DMA_MAX_RANGES; i++)
		assert_int_equal(add(i * 0x2000ull, 0x1000), 0);
	assert_int_equal(add(0x1000, 0x1000), ENOSPC);
}

TESTS_EACH(NULL, tear_down, an_address_is_found_in_its_range, ranges_do_not_overlap,
	   an_unmap_names_one_map, there_is_an_end_of_ranges);
