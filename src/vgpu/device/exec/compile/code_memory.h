/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CODE_MEMORY_H
#define BW_VGPU_EXEC_CODE_MEMORY_H

/* Memory for machine code: mapped twice, so that none of it can be written and executed at one
 * address. Filled from its start, and emptied as a whole. One thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_code_memory {
	uint8_t *write;	    /* where it is filled */
	const uint8_t *run; /* the same bytes, executable */
	size_t size_b, used_b;
};

/* False: this machine allows none. */
bool bw_code_memory_init(struct bw_code_memory *m, size_t size_b);
void bw_code_memory_fini(struct bw_code_memory *m);

#endif
