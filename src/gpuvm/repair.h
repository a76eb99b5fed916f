/* SPDX-License-Identifier: MIT */
#ifndef BW_GPUVM_REPAIR_H
#define BW_GPUVM_REPAIR_H

/* Which one field, with another value, would make a walk reach a page: for whoever writes a driver,
 * whose tables and registers disagree (doc/hardware/page-tables.md 4.1). The shape of an address
 * space is doubted only where it is not one that Linux's driver uses. Pure, as gpuvm.h. */

#include "gpuvm/gpuvm.h"

struct bw_gpuvm_repair {
	const char *field;	 /* "BFS", "PAGE_TABLE_BLOCK_SIZE" */
	bool is_register;	 /* of VM_CONTEXTn_CNTL; else a field of the entry `at` */
	struct bw_gpuvm_step at; /* as it is */
	uint64_t is, should;
	bool leads_nowhere;	    /* as it is, an entry with F has no further bits to select by */
	struct bw_gpuvm_range then; /* the walk with it: mapped */
};

enum { BW_GPUVM_MAX_REPAIRS = 4 };
/* The changes that would do for a reading access, each alone, most likely first; at most
 * BW_GPUVM_MAX_REPAIRS. 0: nothing is wrong with the address, or no single field would do. */
size_t bw_gpuvm_repairs(const struct bw_gpuvm_context *c, bw_gpuvm_read_fn *read, void *cookie,
			uint64_t va, struct bw_gpuvm_repair out[BW_GPUVM_MAX_REPAIRS]);
/* One sentence about them: "Likely wrong: BFS of the PDB0 entry ... is 9 and should be 4: ...". */
void bw_gpuvm_repairs_tell(const struct bw_gpuvm_context *c, const struct bw_gpuvm_repair *repairs,
			   size_t n, uint64_t va, struct bw_str *out);

#endif
