/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_ORIGINS_H
#define BW_DEBUG_VARIABLES_ORIGINS_H

/* Finds the instructions that can have written the value that a register has at an address: the
 * last ones that write to it on each path there. Also finds stores to scratch. Pure: code in, facts
 * out. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/inst.h"

/* A function: [entry, end) of an image, with branches within it only. */
struct bw_origin_code {
	enum bw_isa_gen gen;
	unsigned lanes;
	const uint8_t *image;
	size_t image_b;
	uint64_t entry, end;
};

struct bw_origin_reg {
	bool is_vgpr;
	unsigned reg;
	/* the range of the location that names the register: neither code nor calls in it change
	 * the register */
	uint64_t from, to;
};

struct bw_origin {
	bool is_entry; /* nothing has written to the register since the function's entry */
	bool is_vgpr;
	unsigned reg;
	uint64_t at, next; /* otherwise: the instruction, and the one after it */
	bool is_fused;	   /* one instruction with two operations */
	bool is_load;	   /* a load from memory */
	/* a copy of another register, whose origins are asked about next if this one is refused */
	bool is_copy;
	bool is_last; /* only waits and similar instructions are between it and `from` */
};

/* Asks `accept` about each origin of the register's value before the instruction at `at`. If it
 * refuses a copy, it is asked about the origins of the copied register. False: an origin was
 * refused, or the code cannot be followed. */
bool bw_origins_all(const struct bw_origin_code *code, uint64_t at, const struct bw_origin_reg *reg,
		    bool (*accept)(void *ctx, const struct bw_origin *origin), void *ctx);

/* Finds the instruction that ends at `end`, if it writes to the register. False: it does not, or no
 * instruction ends there. */
bool bw_origin_in_front(const struct bw_origin_code *code, uint64_t end,
			const struct bw_origin_reg *reg, struct bw_origin *out);

/* Bytes of a lane's scratch: at `offset` from the SGPR `base` (BW_SRC_NULL: from the start of
 * scratch). */
struct bw_stored {
	unsigned base;
	int64_t offset;
	size_t size_b;
	bool (*is_own)(void *ctx, uint64_t at); /* whether that instruction's store counts */
	void *ctx;
};
/* Finds the bytes to which the code before `at`, in the order of addresses, stores: sets covered[i]
 * if the last store to byte i counts (is_own), and clears it if it does not. Stores to computed
 * addresses are ignored. */
void bw_stores_before(const struct bw_origin_code *code, uint64_t at,
		      const struct bw_stored *stored, bool *covered);

/* Calls `each` for each instruction that stores to scratch or to generic addresses, with the number
 * of bytes of a lane; and for each call, with 0. */
void bw_stores_each(const struct bw_origin_code *code,
		    void (*each)(void *ctx, uint64_t at, unsigned size_b), void *ctx);

#endif
