/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_SHADOW_H
#define BW_VGPU_EXEC_CHECK_SHADOW_H

/* Shadow memory of the checker: a cell for each dword that waves have touched, of 16 bytes, with
 * the last store and a load since then. It lies by the host's address, so that two virtual
 * addresses of the same memory have the same cells. The cells of a page belong to one dispatch; the
 * first access of another empties them. Pure: accesses in, conflicts out. */

#include "vgpu/device/exec/check/order.h"

enum { BW_SHADOW_PAGE_B = 4096, BW_SHADOW_CELLS = BW_SHADOW_PAGE_B / 4 };

/* The places of instructions are numbers that the caller has given them: 1 to this. */
enum { BW_SHADOW_PLACES = (1 << 14) - 1 };

/* An access as a cell has it, packed into 64 bits. */
struct bw_shadow_past {
	uint32_t wave, clock;
	uint16_t place;
	uint8_t lane, mask; /* mask: bytes of the dword; 0: there was no access */
	/* of a store: waves that nothing orders have stored the same value; of a load: the dword is
	 * one that atomics use */
	bool flag;
};

struct bw_shadow_cell {
	uint64_t store, load;
};

struct bw_shadow_page {
	uint64_t dispatch;
	struct bw_shadow_cell cell[BW_SHADOW_CELLS];
};

struct bw_shadow {
	struct bw_shadow_slot {
		uint64_t number; /* of the page on the host */
		struct bw_shadow_page *page;
	} *slot;
	size_t n, max; /* max: a power of two */
};

void bw_shadow_fini(struct bw_shadow *s);
/* The page of a host address, emptied unless it is this dispatch's (not 0). NULL: out of memory. */
struct bw_shadow_page *bw_shadow_page(struct bw_shadow *s, uintptr_t host, uint64_t dispatch);
/* The page as it is; NULL: there is none. */
struct bw_shadow_page *bw_shadow_find(const struct bw_shadow *s, uintptr_t host);
/* Forgets all pages. */
void bw_shadow_clear(struct bw_shadow *s);

enum bw_shadow_kind {
	BW_SHADOW_LOAD,
	BW_SHADOW_ATOMIC_LOAD, /* or a load of coherent memory (GLC=1) */
	BW_SHADOW_STORE,
	BW_SHADOW_RMW,
};

/* One lane's access to a dword. */
struct bw_shadow_access {
	struct bw_order *order;
	struct bw_order_wave *wave;
	uint64_t location; /* of the dword, for acquire and release */
	enum bw_shadow_kind kind;
	bool is_lds;
	/* a store that does not change the memory */
	bool is_silent;
	uint16_t place;
	uint8_t lane, mask;
};

/* Enters an access into a cell. True: it is in conflict with *out, which is another wave's access
 * that nothing orders before it; out_is_load says which. */
bool bw_shadow_enter(struct bw_shadow_cell *cell, const struct bw_shadow_access *a,
		     struct bw_shadow_past *out, bool *out_is_load);

/* Whether atomics use the dword. */
bool bw_shadow_is_atomic(const struct bw_shadow_cell *cell);

/* Fields of a packed access: the place of the first bit; each ends where the next one begins. */
enum {
	BW_SHADOW_FLAG = 0,
	BW_SHADOW_MASK = 1,
	BW_SHADOW_LANE = 5,
	BW_SHADOW_PLACE = 11,
	BW_SHADOW_CLOCK = 25,
	BW_SHADOW_WAVE = 42,
};

static inline uint64_t bw_shadow_pack(const struct bw_shadow_past *p)
{
	return (uint64_t)p->wave << BW_SHADOW_WAVE | (uint64_t)p->clock << BW_SHADOW_CLOCK |
	       (uint64_t)p->place << BW_SHADOW_PLACE | (uint64_t)p->lane << BW_SHADOW_LANE |
	       (uint64_t)p->mask << BW_SHADOW_MASK | (uint64_t)p->flag << BW_SHADOW_FLAG;
}

static inline struct bw_shadow_past bw_shadow_unpack(uint64_t word)
{
#define BW_SHADOW_BITS(from, to)                                                                   \
	((uint32_t)(word >> BW_SHADOW_##from) & ((1u << (BW_SHADOW_##to - BW_SHADOW_##from)) - 1))
	return (struct bw_shadow_past){
		.wave = (uint32_t)(word >> BW_SHADOW_WAVE),
		.clock = BW_SHADOW_BITS(CLOCK, WAVE),
		.place = (uint16_t)BW_SHADOW_BITS(PLACE, CLOCK),
		.lane = (uint8_t)BW_SHADOW_BITS(LANE, PLACE),
		.mask = (uint8_t)BW_SHADOW_BITS(MASK, LANE),
		.flag = BW_SHADOW_BITS(FLAG, MASK),
	};
#undef BW_SHADOW_BITS
}

#endif
