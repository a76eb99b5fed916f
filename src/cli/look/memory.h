/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_MEMORY_H
#define BW_CLI_LOOK_MEMORY_H

/* Memory of a running GPU, by the byte: of a VMID through its page tables, VRAM by its offset, and
 * system memory by its bus address. Reads stop where nothing is mapped. One thread. */

#include "cli/vm.h"

enum bw_look_memory_kind { BW_LOOK_VMID, BW_LOOK_VRAM, BW_LOOK_SYSTEM };

struct bw_look_memory {
	enum bw_look_memory_kind kind;
	unsigned vmid;
	struct bw_look_vm vm; /* VRAM and system memory use only its files */
};

/* Opens the memory of a place: "8@0x7ffff7f76000", "game@0x7ffff7f76000", "vram@0x1000",
 * "sys@0x7ed200000". */
struct bw_error *bw_look_memory_open(struct bw_look *l, const char *place,
				     struct bw_look_memory *out,
				     uint64_t *out_address) BW_MUST_CHECK;
/* Closes it; accepts memory that could not be opened. */
void bw_look_memory_close(struct bw_look_memory *m);

/* Reads bytes; returns how many could be read before the first that could not. */
size_t bw_look_memory_read(struct bw_look_memory *m, uint64_t address, void *out, size_t size_b);
/* The number of bytes, up to size_b, that can be written from `address` on without a gap. */
uint64_t bw_look_memory_writable(struct bw_look_memory *m, uint64_t address, uint64_t size_b);
/* Writes all bytes, or fails at the first page that is not mapped; the bytes before it have been
 * written then. */
struct bw_error *bw_look_memory_write(struct bw_look_memory *m, uint64_t address, const void *data,
				      size_t size_b) BW_MUST_CHECK;
/* Appends, as a clause, why nothing can be read at an address. Returns for how many bytes at least
 * this is true (UINT64_MAX: for all that follow). */
uint64_t bw_look_memory_hole(struct bw_look_memory *m, uint64_t address, struct bw_str *why);

#endif
