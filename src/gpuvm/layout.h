/* SPDX-License-Identifier: MIT */
#ifndef BW_GPUVM_LAYOUT_H
#define BW_GPUVM_LAYOUT_H

/* The shape of an address space: which levels of tables there are, how many entries a block of each
 * has, and how much memory an entry covers (doc/hardware/page-tables.md 3.2 and 4). Pure. */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct bw_gpuvm_layout_spec {
	unsigned depth,
		block;	 /* PAGE_TABLE_DEPTH, PAGE_TABLE_BLOCK_SIZE as the register has them */
	bool further;	 /* translate-further: PDB0 is the hardware's PTE level */
	unsigned bfs;	 /* block fragment size in the last directory entry */
	uint64_t size_b; /* of the address space; 0: 2^64 */
};

struct bw_gpuvm_layout_level {
	char name[8];		 /* "PDB1", "PTB" */
	unsigned shift;		 /* an entry covers 2^shift bytes */
	uint64_t covers_b;	 /* the same */
	uint64_t n_entries;	 /* of one block */
	uint64_t entries_b;	 /* 8 bytes each */
	uint64_t block_b;	 /* allocated size: whole pages of 4 KiB */
	uint64_t block_covers_b; /* by one block; 0: 2^64 */
};

enum { BW_GPUVM_MAX_LAYOUT = 10 };
struct bw_gpuvm_layout {
	unsigned n_levels; /* root first */
	struct bw_gpuvm_layout_level level[BW_GPUVM_MAX_LAYOUT];
	uint64_t tables_b; /* all tables, with every entry in use; UINT64_MAX: more than that */
};

/* BW_E_INVALID says which number does not fit. */
struct bw_error *bw_gpuvm_layout(const struct bw_gpuvm_layout_spec *spec,
				 struct bw_gpuvm_layout *out) BW_MUST_CHECK;
/* The index of the entry in a level's block that an address selects; offset: from the start of the
 * space. */
uint64_t bw_gpuvm_layout_index(const struct bw_gpuvm_layout *l, unsigned level, uint64_t offset);
/* PAGE_TABLE_BLOCK_SIZE for the driver's block size (log2 of the entries of a PTB). */
struct bw_error *bw_gpuvm_layout_block(uint64_t driver_block_size, bool further,
				       unsigned *out_block) BW_MUST_CHECK;

#endif
