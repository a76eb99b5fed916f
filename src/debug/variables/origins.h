/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_ORIGINS_H
#define BW_DEBUG_VARIABLES_ORIGINS_H

/* Which instructions can have put into a register what is in it at an address: the last ones that
 * write to it on each way there; and what is stored to scratch. Pure: code in, facts out. */

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
	/* the location that names it: code in there does not change it, calls neither */
	uint64_t from, to;
};

struct bw_origin {
	bool is_entry; /* nothing has written to it since the function's entry: reg */
	bool is_vgpr;
	unsigned reg;
	uint64_t at, next; /* otherwise: the instruction, and the one after it */
	bool is_fused;	   /* two operations in one instruction */
	bool is_load;	   /* of memory */
	bool is_copy;	   /* of another register, whose origins come next if this is refused */
	bool is_last;	   /* only waits and the like lie between it and `from` */
};

/* Asks `accept` about each origin of what is in the register before the instruction at `at`; where
 * it refuses a copy, about those of what was copied. False: one was refused, or the code cannot be
 * followed. */
bool bw_origins_all(const struct bw_origin_code *code, uint64_t at, const struct bw_origin_reg *reg,
		    bool (*accept)(void *ctx, const struct bw_origin *origin), void *ctx);

/* The instruction right in front of `end`, where it writes to the register. False: it does not, or
 * none ends there. */
bool bw_origin_in_front(const struct bw_origin_code *code, uint64_t end,
			const struct bw_origin_reg *reg, struct bw_origin *out);

/* Bytes of a lane's scratch: those at `offset` from the SGPR `base` (BW_SRC_NULL: from its
 * start). */
struct bw_stored {
	unsigned base;
	int64_t offset;
	size_t size_b;
	bool (*is_own)(void *ctx, uint64_t at); /* whether that instruction's store counts */
	void *ctx;
};
/* Which of them the code in front of `at` stores to, by addresses: sets covered[i] for byte i where
 * the last store to it counts, and clears it where that does not. Stores to computed addresses
 * count for none. */
void bw_stores_before(const struct bw_origin_code *code, uint64_t at,
		      const struct bw_stored *stored, bool *covered);

/* Calls `each` for the instructions that store to scratch, or to generic addresses, with how many
 * bytes of a lane, and for calls, with 0. */
void bw_stores_each(const struct bw_origin_code *code,
		    void (*each)(void *ctx, uint64_t at, unsigned size_b), void *ctx);

#endif
