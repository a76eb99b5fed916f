/* SPDX-License-Identifier: MIT */
#include "agent/memory/largest_map.h"

#include <stdbool.h>

#include "base/util.h"

static __thread struct {
	bool is_awaited;
	uint64_t va, size_b;
	struct bw_agent_file *file;
} map;

void bw_largest_map_begin(void)
{
	map.is_awaited = true;
	map.va = map.size_b = 0;
	map.file = NULL;
}

uint64_t bw_largest_map_end(struct bw_agent_file **out_file)
{
	map.is_awaited = false;
	*out_file = map.file;
	return map.va;
}

void bw_largest_map_note(struct bw_agent_file *f, uint64_t va, uint64_t size_b)
{
	if (!map.is_awaited || size_b <= map.size_b)
		return;
	map.va = bw_canonical(va);
	map.size_b = size_b;
	map.file = f;
}
