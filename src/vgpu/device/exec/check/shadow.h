/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_SHADOW_H
#define BW_VGPU_EXEC_CHECK_SHADOW_H

/* Shadow memory of the checker: a cell for each dword that waves have touched, of 16 bytes, with
 * the last store and a load since then. It lies by the host's address, so that two virtual
 * addresses of the same memory have the same cells. The cells of a page belong to one dispatch, and
 * memory has a page for each dispatch that runs and touches it; that of one that has ended is
 * emptied for the next. Stores and loads are in planes of their own, which a page has only where it
 * needs them: most memory is either read or written. Pure: accesses in, conflicts out. */

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
	struct bw_shadow_page *next; /* of the same memory */
	/* the words of its cells; bw_shadow_nothing: all are 0 */
	uint64_t *store, *load;
};
extern const uint64_t bw_shadow_nothing[BW_SHADOW_CELLS];

struct bw_shadow_slab; /* memory for planes */

struct bw_shadow {
	struct bw_shadow_slot {
		uint64_t number;	     /* of the page on the host */
		struct bw_shadow_page *page; /* the first one; NULL: the slot is free */
	} *slot;
	size_t n, max; /* of slots; max: a power of two */
	struct bw_shadow_slab *slabs;
	unsigned n_slabs;
};

void bw_shadow_fini(struct bw_shadow *s);
/* The first page of a host address; NULL: there is none. */
struct bw_shadow_page *bw_shadow_find(const struct bw_shadow *s, uintptr_t host);
/* The page of a host address that is this dispatch's; NULL: it has none. */
struct bw_shadow_page *bw_shadow_of(const struct bw_shadow *s, uintptr_t host, uint64_t dispatch);
/* An empty page for a dispatch that has none there: one more, or the one given, which is another's
 * of the same memory. NULL: out of memory. */
struct bw_shadow_page *bw_shadow_add(struct bw_shadow *s, uintptr_t host, uint64_t dispatch,
				     struct bw_shadow_page *instead_of);
/* The only page of a host address, where dispatches have none of their own. NULL: out of memory. */
struct bw_shadow_page *bw_shadow_page(struct bw_shadow *s, uintptr_t host);
/* Forgets all pages. */
void bw_shadow_clear(struct bw_shadow *s);
/* Empties the cells of one. */
void bw_shadow_empty(struct bw_shadow_page *page);

static inline unsigned bw_shadow_index(const uint8_t *host)
{
	return (uintptr_t)host % BW_SHADOW_PAGE_B / 4;
}

static inline struct bw_shadow_cell bw_shadow_get(const struct bw_shadow_page *page, unsigned i)
{
	return (struct bw_shadow_cell){page->store[i], page->load[i]};
}

/* A plane of zeros for a word that is none; false: out of memory. */
bool bw_shadow_add_plane(struct bw_shadow *s, uint64_t **plane);

/* Out of memory: it is forgotten. */
static inline void bw_shadow_put_word(struct bw_shadow *s, uint64_t **plane, unsigned i,
				      uint64_t word)
{
	if (*plane == bw_shadow_nothing && (!word || !bw_shadow_add_plane(s, plane)))
		return;
	(*plane)[i] = word;
}

static inline void bw_shadow_put(struct bw_shadow *s, struct bw_shadow_page *page, unsigned i,
				 const struct bw_shadow_cell *cell)
{
	bw_shadow_put_word(s, &page->store, i, cell->store);
	bw_shadow_put_word(s, &page->load, i, cell->load);
}

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

/* ---- whole dwords ---- */

/* Nearly all accesses are plain ones of whole dwords, to cells whose store and load are of the same
 * wave at the same clock, or of one that was looked at for another lane of the instruction. These
 * are entered here, with the result that bw_shadow_enter has. */
struct bw_shadow_row {
	const struct bw_order *order;
	const struct bw_order_wave *wave;
	uint64_t now; /* the access, packed, of lane 0 */
	/* wave and clock of accesses that come before it, and of one that does not */
	uint64_t ordered[2], unordered;
	bool is_lds;
};

static inline struct bw_shadow_row
bw_shadow_row(const struct bw_order *o, const struct bw_order_wave *w, uint16_t place, bool is_lds)
{
	const struct bw_shadow_past now = {
		.wave = w->serial, .clock = w->clock, .place = place, .mask = 15};
	const uint64_t word = bw_shadow_pack(&now), epoch = word >> BW_SHADOW_CLOCK;
	return (struct bw_shadow_row){o, w, word, {epoch, epoch}, UINT64_MAX, is_lds};
}

enum bw_shadow_before { BW_SHADOW_BEFORE, BW_SHADOW_UNORDERED, BW_SHADOW_OTHER_GROUP };
/* Of an access of that wave at that clock; it is remembered as ordered[which], or as unordered. */
enum bw_shadow_before bw_shadow_look(struct bw_shadow_row *r, unsigned which, uint64_t epoch);

static inline enum bw_shadow_before bw_shadow_before(struct bw_shadow_row *r, unsigned which,
						     uint64_t word)
{
	const uint64_t mask = 15ull << BW_SHADOW_MASK, epoch = word >> BW_SHADOW_CLOCK;
	if (!(word & mask) || epoch == r->ordered[which])
		return BW_SHADOW_BEFORE;
	return epoch == r->unordered ? BW_SHADOW_UNORDERED : bw_shadow_look(r, which, epoch);
}

/* False: bw_shadow_enter has to do it. */
static inline bool bw_shadow_load_whole(struct bw_shadow_cell *cell, struct bw_shadow_row *r,
					unsigned lane)
{
	if (bw_shadow_before(r, 0, cell->store) != BW_SHADOW_BEFORE)
		return false;
	enum bw_shadow_before load = bw_shadow_before(r, 1, cell->load);
	/* Of two loads that nothing orders the first one stays. */
	if (load != BW_SHADOW_BEFORE)
		return load == BW_SHADOW_UNORDERED;
	cell->load = r->now | (uint64_t)lane << BW_SHADOW_LANE | (cell->load & 1);
	return true;
}

static inline bool bw_shadow_store_whole(struct bw_shadow_cell *cell, struct bw_shadow_row *r,
					 unsigned lane, bool is_silent)
{
	const bool has_store = cell->store & 15ull << BW_SHADOW_MASK;
	if (cell->load & 1 || bw_shadow_before(r, 0, cell->store) != BW_SHADOW_BEFORE ||
	    bw_shadow_before(r, 1, cell->load) != BW_SHADOW_BEFORE ||
	    (is_silent && has_store && cell->store >> BW_SHADOW_WAVE != r->wave->serial))
		return false;
	uint64_t flag = is_silent && (has_store ? cell->store & 1 : !r->is_lds);
	cell->store = r->now | (uint64_t)lane << BW_SHADOW_LANE | flag;
	cell->load = 0;
	return true;
}

#endif
