/* SPDX-License-Identifier: MIT */
/* Cells of the checker's shadow memory: which two accesses are in conflict. */
#include "vgpu/device/exec/check/shadow.h"

#include <string.h>

#include "../../suite.h"

static const uint32_t origin[3];
static struct bw_order o;
static struct bw_order_group *g, *h; /* two waves, and one */
static struct bw_shadow_cell cell;
static struct bw_shadow_past past;
static bool past_is_load;

static int set_up(void **state)
{
	g = bw_order_begin(&o, origin, 2);
	h = bw_order_begin(&o, origin, 1);
	memset(&cell, 0, sizeof(cell));
	return g && h ? 0 : -1;
}

static int tear_down(void **state)
{
	bw_order_fini(&o);
	return 0;
}

enum { WHOLE = 15, LDS = 1, SILENT = 2 };

static bool enter_bytes(struct bw_order_wave *w, enum bw_shadow_kind kind, unsigned flags,
			uint8_t mask)
{
	const struct bw_shadow_access a = {.order = &o,
					   .wave = w,
					   .location = 42,
					   .kind = kind,
					   .is_lds = flags & LDS,
					   .is_silent = flags & SILENT,
					   .place = (uint16_t)(w->serial + 1),
					   .lane = 9,
					   .mask = mask};
	bool conflict = bw_shadow_enter(&cell, &a, &past, &past_is_load);
	bw_order_step(&o, w);
	return conflict;
}

static bool enter(struct bw_order_wave *w, enum bw_shadow_kind kind, unsigned flags)
{
	return enter_bytes(w, kind, flags, WHOLE);
}

static void packed_is_what_it_was(void **state)
{
	const struct bw_shadow_past p = {.wave = BW_ORDER_WAVES - 1,
					 .clock = BW_ORDER_CLOCKS - 1,
					 .place = BW_SHADOW_PLACES,
					 .lane = 63,
					 .mask = 15,
					 .flag = true};
	struct bw_shadow_past q = bw_shadow_unpack(bw_shadow_pack(&p));
	assert_int_equal(q.wave, p.wave);
	assert_int_equal(q.clock, p.clock);
	assert_int_equal(q.place, p.place);
	assert_int_equal(q.lane, p.lane);
	assert_int_equal(q.mask, p.mask);
	assert_true(q.flag);
}

static void loads_and_one_wave_are_no_conflict(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_LOAD, 0));
	assert_false(enter(&g->wave[1], BW_SHADOW_LOAD, 0));
	memset(&cell, 0, sizeof(cell));
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	assert_false(enter(&g->wave[0], BW_SHADOW_LOAD, 0));
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
}

static void a_load_after_a_store(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	assert_true(enter(&g->wave[1], BW_SHADOW_LOAD, 0));
	assert_false(past_is_load);
	assert_int_equal(past.wave, 0);
	assert_int_equal(past.place, 1);
	assert_int_equal(past.lane, 9);
}

static void a_store_after_a_load(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_LOAD, 0));
	assert_false(enter(&g->wave[1], BW_SHADOW_LOAD, 0));
	assert_true(enter(&g->wave[1], BW_SHADOW_STORE, 0));
	assert_true(past_is_load);
	assert_int_equal(past.wave, 0);
}

static void a_store_after_a_store(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	assert_true(enter(&h->wave[0], BW_SHADOW_STORE, 0));
	assert_false(past_is_load);
}

static void a_barrier_between_them(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, LDS));
	bw_order_barrier(&o, g);
	assert_false(enter(&g->wave[1], BW_SHADOW_LOAD, LDS));
	bw_order_barrier(&o, g);
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, LDS));
}

static void other_bytes_are_another_place(void **state)
{
	assert_false(enter_bytes(&g->wave[0], BW_SHADOW_STORE, 0, 1));
	assert_false(enter_bytes(&g->wave[1], BW_SHADOW_STORE, 0, 2));
	assert_true(enter_bytes(&g->wave[0], BW_SHADOW_LOAD, 0, 6));
}

static void the_same_value_is_no_conflict(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	assert_false(enter(&g->wave[1], BW_SHADOW_STORE, SILENT));
	assert_false(enter(&g->wave[1], BW_SHADOW_LOAD, 0));
	assert_false(enter(&g->wave[0], BW_SHADOW_LOAD, 0));
	/* another value is */
	assert_true(enter(&h->wave[0], BW_SHADOW_STORE, 0));
}

/* What the host has put there, stored again. In LDS it is what another group has left. */
static void the_old_value_is_no_conflict(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, SILENT));
	assert_false(enter(&g->wave[1], BW_SHADOW_LOAD, 0));
	memset(&cell, 0, sizeof(cell));
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, SILENT | LDS));
	assert_true(enter(&g->wave[1], BW_SHADOW_LOAD, LDS));
}

static void another_groups_lds_is_forgotten(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, LDS));
	assert_false(enter(&h->wave[0], BW_SHADOW_LOAD, LDS));
	assert_false(enter(&h->wave[0], BW_SHADOW_STORE, LDS));
}

static void atomics_are_no_conflict(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_RMW, 0));
	assert_false(enter(&g->wave[1], BW_SHADOW_RMW, 0));
	assert_false(enter(&h->wave[0], BW_SHADOW_ATOMIC_LOAD, 0));
	/* the atomic store of a lock that is let go */
	assert_false(enter(&g->wave[1], BW_SHADOW_STORE, 0));
	assert_false(enter(&h->wave[0], BW_SHADOW_RMW, 0));
}

static void an_atomic_on_one_side(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_RMW, 0));
	assert_true(enter(&h->wave[0], BW_SHADOW_LOAD, 0));
	memset(&cell, 0, sizeof(cell));
	assert_false(enter(&g->wave[0], BW_SHADOW_LOAD, 0));
	assert_true(enter(&h->wave[0], BW_SHADOW_RMW, 0));
	assert_true(past_is_load);
}

/* Within a group it is a missing barrier. Another group's may be the store of an atomic object. */
static void a_store_before_the_first_atomic(void **state)
{
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, LDS));
	assert_true(enter(&g->wave[1], BW_SHADOW_RMW, LDS));
	memset(&cell, 0, sizeof(cell));
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	assert_false(enter(&h->wave[0], BW_SHADOW_RMW, 0));
}

static void a_flag_orders_what_is_behind_it(void **state)
{
	struct bw_shadow_cell data = {0}, flag = {0};
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	data = cell;
	cell = flag;
	assert_false(enter(&g->wave[0], BW_SHADOW_STORE, 0));
	assert_false(enter(&h->wave[0], BW_SHADOW_ATOMIC_LOAD, 0));
	flag = cell;
	cell = data;
	assert_true(enter(&h->wave[0], BW_SHADOW_LOAD, 0)); /* no fence yet */
	cell = data;
	bw_order_fence(&o, &h->wave[0]);
	assert_false(enter(&h->wave[0], BW_SHADOW_LOAD, 0));
}

static void pages_belong_to_a_dispatch(void **state)
{
	static uint8_t memory[3 * BW_SHADOW_PAGE_B] __attribute__((aligned(BW_SHADOW_PAGE_B)));
	const uintptr_t host = (uintptr_t)memory;
	struct bw_shadow s = {0};
	assert_null(bw_shadow_of(&s, host, 1));
	struct bw_shadow_page *page = bw_shadow_add(&s, host, 1, NULL);
	assert_non_null(page);
	bw_shadow_put(&s, page, 5, &(struct bw_shadow_cell){7, 0});
	assert_ptr_equal(bw_shadow_of(&s, host + BW_SHADOW_PAGE_B - 1, 1), page);
	assert_null(bw_shadow_of(&s, host + BW_SHADOW_PAGE_B, 1));
	/* another one that runs at the same time has its own, which does not change the first */
	struct bw_shadow_page *other = bw_shadow_add(&s, host, 2, NULL);
	assert_ptr_not_equal(other, page);
	assert_int_equal(other->store[5], 0);
	assert_ptr_equal(bw_shadow_of(&s, host, 1), page);
	assert_ptr_equal(bw_shadow_of(&s, host, 2), other);
	assert_int_equal(page->store[5], 7);
	/* a third one takes that of the first, which has ended */
	assert_ptr_equal(bw_shadow_add(&s, host, 3, page), page);
	assert_int_equal(page->store[5], 0);
	assert_null(bw_shadow_of(&s, host, 1));
	assert_ptr_equal(bw_shadow_of(&s, host, 2), other);
	for (uintptr_t i = 1; i < 2000; i++)
		assert_non_null(bw_shadow_add(&s, i * BW_SHADOW_PAGE_B, 3, NULL));
	assert_ptr_equal(bw_shadow_of(&s, host, 3), page);
	assert_ptr_equal(bw_shadow_of(&s, host, 2), other);
	bw_shadow_fini(&s);
}

/* A page that is only read has no memory for stores, and the planes of many pages are apart. */
static void planes_come_when_needed(void **state)
{
	struct bw_shadow s = {0};
	for (uintptr_t i = 1; i < 1000; i++) {
		struct bw_shadow_page *page = bw_shadow_add(&s, i * BW_SHADOW_PAGE_B, 1, NULL);
		const struct bw_shadow_cell now = {i % 2 ? i : 0, i % 3 ? i : 0};
		assert_non_null(page);
		bw_shadow_put(&s, page, BW_SHADOW_CELLS - 1, &now);
		assert_true((page->store == bw_shadow_nothing) == (i % 2 == 0));
		assert_true((page->load == bw_shadow_nothing) == (i % 3 == 0));
	}
	for (uintptr_t i = 1; i < 1000; i++) {
		struct bw_shadow_page *page = bw_shadow_find(&s, i * BW_SHADOW_PAGE_B);
		struct bw_shadow_cell then = bw_shadow_get(page, BW_SHADOW_CELLS - 1);
		assert_int_equal(then.store, i % 2 ? i : 0);
		assert_int_equal(then.load, i % 3 ? i : 0);
		assert_int_equal(page->store[0] | page->load[0], 0);
		bw_shadow_empty(page);
		assert_int_equal(page->store[BW_SHADOW_CELLS - 1], 0);
	}
	bw_shadow_fini(&s);
}

static void pages_of_nobody(void **state)
{
	static uint8_t memory[3 * BW_SHADOW_PAGE_B] __attribute__((aligned(BW_SHADOW_PAGE_B)));
	struct bw_shadow s = {0};
	struct bw_shadow_page *page = bw_shadow_page(&s, (uintptr_t)memory);
	assert_non_null(page);
	bw_shadow_put(&s, page, 5, &(struct bw_shadow_cell){7, 0});
	assert_ptr_equal(bw_shadow_page(&s, (uintptr_t)memory), page);
	assert_int_equal(page->store[5], 7);
	assert_ptr_not_equal(bw_shadow_page(&s, (uintptr_t)memory + BW_SHADOW_PAGE_B), page);
	bw_shadow_fini(&s);
}

/* What is entered by the short way is what bw_shadow_enter makes of it, in any order. */
static void whole_dwords_as_any_others(void **state)
{
	uint32_t random = 1, n_short = 0;
	for (unsigned i = 0; i < 20000; i++) {
		random = random * 1664525 + 1013904223;
		struct bw_order_wave *w = random >> 30 ? &g->wave[random >> 29 & 1] : &h->wave[0];
		const unsigned kind = random >> 24 & 15, flags = random >> 20 & 3 & (LDS | SILENT);
		const bool is_store = kind & 1;
		if (kind < 2)
			bw_order_barrier(&o, w->group);
		if (kind == 2) {
			enter(w, BW_SHADOW_RMW, flags);
			continue;
		}
		if (kind == 3)
			memset(&cell, 0, sizeof(cell));
		struct bw_shadow_cell copy = cell;
		struct bw_shadow_row row =
			bw_shadow_row(&o, w, (uint16_t)(w->serial + 1), flags & LDS);
		bool is_short = is_store ? bw_shadow_store_whole(&copy, &row, 9, flags & SILENT)
					 : bw_shadow_load_whole(&copy, &row, 9);
		bool conflict = enter(w, is_store ? BW_SHADOW_STORE : BW_SHADOW_LOAD, flags);
		if (!is_short)
			continue;
		assert_false(conflict);
		assert_memory_equal(&copy, &cell, sizeof(cell));
		n_short++;
	}
	assert_true(n_short > 2000);
}

TESTS_EACH(set_up, tear_down, packed_is_what_it_was, loads_and_one_wave_are_no_conflict,
	   a_load_after_a_store, a_store_after_a_load, a_store_after_a_store,
	   a_barrier_between_them, other_bytes_are_another_place, the_same_value_is_no_conflict,
	   the_old_value_is_no_conflict, another_groups_lds_is_forgotten, atomics_are_no_conflict,
	   an_atomic_on_one_side, a_store_before_the_first_atomic, a_flag_orders_what_is_behind_it,
	   pages_belong_to_a_dispatch, planes_come_when_needed, pages_of_nobody,
	   whole_dwords_as_any_others);
