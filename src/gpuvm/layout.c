/* SPDX-License-Identifier: MIT */
#include "gpuvm/layout.h"

#include <stdio.h>

#include "base/util.h"
#include "gpuvm/gpuvm.h"

enum { MAX_DEPTH = 7, MAX_BLOCK = 15, MAX_BFS = 31 };

struct bw_error *bw_gpuvm_layout_block(uint64_t driver_block_size, bool further,
				       unsigned *out_block)
{
	/* doc/hardware/page-tables.md 3.1: with translate-further the register has the driver's
	 * number, else what is above 9 */
	uint64_t least = further ? 0 : 9;
	if (driver_block_size < least || driver_block_size - least > MAX_BLOCK)
		return bw_errorf(BW_E_INVALID,
				 "a block size of %llu does not fit into PAGE_TABLE_BLOCK_SIZE: "
				 "%s it is %llu to %llu",
				 (unsigned long long)driver_block_size,
				 further ? "with translate-further" : "without translate-further",
				 (unsigned long long)least, (unsigned long long)least + MAX_BLOCK);
	*out_block = (unsigned)(driver_block_size - least);
	return NULL;
}

static void add_level(struct bw_gpuvm_layout *l, const char *name, unsigned shift,
		      uint64_t n_entries)
{
	struct bw_gpuvm_layout_level *v = &l->level[l->n_levels++];
	*v = (struct bw_gpuvm_layout_level){
		.shift = shift,
		.covers_b = 1ull << shift,
		.n_entries = n_entries,
		.entries_b = n_entries * 8,
		.block_b = (n_entries * 8 + 0xfff) & ~0xfffull,
		.block_covers_b = n_entries << shift,
	};
	snprintf(v->name, sizeof(v->name), "%s", name);
}

/* Entries of the root: as many as the space needs. */
static uint64_t root_entries(uint64_t size_b, unsigned shift)
{
	if (!size_b)
		return 1ull << (64 - shift);
	return ((size_b - 1) >> shift) + 1;
}

static void count_tables(struct bw_gpuvm_layout *l)
{
	unsigned __int128 blocks = 1, sum = 0;
	for (unsigned i = 0; i < l->n_levels; i++) {
		sum += blocks * l->level[i].block_b;
		blocks *= l->level[i].n_entries;
	}
	l->tables_b = sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

struct bw_error *bw_gpuvm_layout(const struct bw_gpuvm_layout_spec *s, struct bw_gpuvm_layout *out)
{
	struct bw_gpuvm_layout l = {0};
	if (s->depth > MAX_DEPTH)
		return bw_errorf(BW_E_INVALID,
				 "a depth of %u does not fit: PAGE_TABLE_DEPTH is at most %u",
				 s->depth, MAX_DEPTH);
	if (s->block > MAX_BLOCK)
		return bw_errorf(BW_E_INVALID, "PAGE_TABLE_BLOCK_SIZE has 4 bits: %u does not fit",
				 s->block);
	if (s->bfs > MAX_BFS || (s->depth && s->bfs > 9 + s->block))
		return bw_errorf(BW_E_INVALID,
				 "a block fragment size of %u is more than the %u bits that a PTB "
				 "has for its index",
				 s->bfs, 9 + s->block);
	if (s->further && !s->depth)
		return bw_errorf(BW_E_INVALID,
				 "translate-further needs a directory: a depth of 1 or more");
	/* doc/hardware/page-tables.md 4: steps 3, 4, 5 and 6 */
	unsigned top = s->depth ? 21 + s->block + 9 * (s->depth - 1) : 12 + s->bfs;
	if (top > 62 || (s->size_b && s->size_b < BW_GPUVM_PAGE_B))
		return bw_errorf(BW_E_INVALID, "%s",
				 top > 62 ? "so many levels cover more than 64 bits of addresses"
					  : "the address space has less than one page");
	for (unsigned d = s->depth; d >= 1; d--) {
		char name[8];
		unsigned shift = 21 + s->block + 9 * (d - 1);
		snprintf(name, sizeof(name), "PDB%u", s->further ? d : d - 1);
		add_level(&l, name, shift, d == s->depth ? root_entries(s->size_b, shift) : 512);
	}
	if (!s->depth)
		add_level(&l, "PTB", 12 + s->bfs, root_entries(s->size_b, 12 + s->bfs));
	else
		add_level(&l, s->further ? "PDB0" : "PTB", 12 + s->bfs,
			  1ull << (9 + s->block - s->bfs));
	if (s->further)
		add_level(&l, "PTB", 12, 1ull << s->bfs);
	count_tables(&l);
	*out = l;
	return NULL;
}

uint64_t bw_gpuvm_layout_index(const struct bw_gpuvm_layout *l, unsigned level, uint64_t offset)
{
	uint64_t index = offset >> l->level[level].shift;
	return level == 0 ? index : index & (l->level[level].n_entries - 1);
}
