/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_MEMORY_H
#define BW_CLI_LOOK_MEMORY_H

/* Memory of a living GPU by the byte: of a VMID through its page tables, VRAM as it lies there, and
 * system memory by its bus address. Reads stop where nothing is mapped. One thread. */

#include "cli/vm.h"

enum bw_look_memory_kind { BW_LOOK_VMID, BW_LOOK_VRAM, BW_LOOK_SYSTEM };

struct bw_look_memory {
	enum bw_look_memory_kind kind;
	unsigned vmid;
	struct bw_look_vm vm; /* of VRAM and system memory: the files alone */
};

/* "8@0x7ffff7f76000", "game@0x7ffff7f76000", "vram@0x1000", "sys@0x7ed200000". */
struct bw_error *bw_look_memory_open(struct bw_look *l, const char *place,
				     struct bw_look_memory *out,
				     uint64_t *out_address) BW_MUST_CHECK;
/* Accepts one that could not be opened. */
void bw_look_memory_close(struct bw_look_memory *m);

/* Bytes that could be read, up to the first that cannot. */
size_t bw_look_memory_read(struct bw_look_memory *m, uint64_t address, void *out, size_t size_b);
/* How much from `address` on can be written without a hole, up to size_b. */
uint64_t bw_look_memory_writable(struct bw_look_memory *m, uint64_t address, uint64_t size_b);
/* Writes all, or fails at the first page that is not there; what is before it is written then. */
struct bw_error *bw_look_memory_write(struct bw_look_memory *m, uint64_t address, const void *data,
				      size_t size_b) BW_MUST_CHECK;
/* Why nothing can be read at an address, as a clause, and how many bytes that holds for at least
 * (UINT64_MAX: for all that follow). */
uint64_t bw_look_memory_hole(struct bw_look_memory *m, uint64_t address, struct bw_str *why);

#endif
