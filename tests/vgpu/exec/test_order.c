/* SPDX-License-Identifier: MIT */
/* The order of accesses as the checker knows it: barriers, releases, acquires, fences. */
#include "vgpu/device/exec/check/order.h"

#include "../../suite.h"

static const uint32_t origin[3];
static struct bw_order o;
static struct bw_order_group *g, *h; /* waves 0 to 2, and 3 to 4 */

static int set_up(void **state)
{
	g = bw_order_begin(&o, origin, 3);
	h = bw_order_begin(&o, origin, 2);
	return g && h ? 0 : -1;
}

static int tear_down(void **state)
{
	bw_order_fini(&o);
	return 0;
}

enum { LOCK = 100, FLAG = 200 };

static void waves_are_in_no_order(void **state)
{
	assert_true(bw_order_is_before(&o, 0, 0, &g->wave[0]));
	assert_false(bw_order_is_before(&o, 0, 0, &g->wave[1]));
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[0]));
}

static void a_barrier_orders_its_group(void **state)
{
	bw_order_barrier(&o, g);
	assert_true(bw_order_is_before(&o, 0, 0, &g->wave[1]));
	assert_false(bw_order_is_before(&o, 0, 1, &g->wave[1]));
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[0]));
}

static void an_acquire_between_groups_needs_a_fence(void **state)
{
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &h->wave[0], LOCK);
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[0]));
	bw_order_fence(&o, &h->wave[0]);
	assert_true(bw_order_is_before(&o, 0, 0, &h->wave[0]));
	assert_false(bw_order_is_before(&o, 0, 1, &h->wave[0])); /* since the release */
	assert_false(bw_order_is_before(&o, 1, 0, &h->wave[0])); /* another wave of that group */
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[1]));
}

static void an_acquire_within_a_group_does_not(void **state)
{
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &g->wave[1], LOCK);
	assert_true(bw_order_is_before(&o, 0, 0, &g->wave[1]));
	assert_false(bw_order_is_before(&o, 0, 1, &g->wave[1]));
	assert_false(bw_order_is_before(&o, 0, 0, &g->wave[2]));
}

static void another_location_orders_nothing(void **state)
{
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &h->wave[0], FLAG);
	bw_order_fence(&o, &h->wave[0]);
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[0]));
}

static void a_release_hands_on_what_a_barrier_has_ordered(void **state)
{
	bw_order_barrier(&o, g);
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &h->wave[1], LOCK);
	bw_order_fence(&o, &h->wave[1]);
	assert_true(bw_order_is_before(&o, 2, 0, &h->wave[1]));
	assert_false(bw_order_is_before(&o, 2, 1, &h->wave[1]));
	/* and the barrier of the other group to its waves */
	assert_false(bw_order_is_before(&o, 2, 0, &h->wave[0]));
	bw_order_barrier(&o, h);
	assert_true(bw_order_is_before(&o, 2, 0, &h->wave[0]));
}

static void a_barrier_after_the_release_does_not_belong_to_it(void **state)
{
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_barrier(&o, g);
	bw_order_acquire(&o, &h->wave[0], LOCK);
	bw_order_fence(&o, &h->wave[0]);
	assert_true(bw_order_is_before(&o, 0, 0, &h->wave[0]));
	assert_false(bw_order_is_before(&o, 1, 0, &h->wave[0]));
}

static void orders_are_handed_on_from_wave_to_wave(void **state)
{
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &g->wave[1], LOCK);
	bw_order_release(&o, &g->wave[1], FLAG);
	bw_order_step(&o, &g->wave[1]);
	bw_order_acquire(&o, &h->wave[0], FLAG);
	bw_order_fence(&o, &h->wave[0]);
	assert_true(bw_order_is_before(&o, 0, 0, &h->wave[0]));
}

static void a_store_may_turn_out_to_be_a_release(void **state)
{
	bw_order_was_release(&o, &(struct bw_order_store){0, 0, 1}, FLAG);
	bw_order_acquire(&o, &h->wave[0], FLAG);
	bw_order_fence(&o, &h->wave[0]);
	assert_true(bw_order_is_before(&o, 0, 0, &h->wave[0]));
	assert_int_equal(g->wave[0].clock, 1);
	assert_false(bw_order_is_before(&o, 0, 1, &h->wave[0]));
}

/* Another workgroup may see a release before a store that the wave has not waited for; its own may
 * not. */
static void a_release_needs_a_wait_between_groups(void **state)
{
	bw_order_stored(&g->wave[0], 3);
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &h->wave[0], LOCK);
	bw_order_fence(&o, &h->wave[0]);
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[0]));
	bw_order_acquire(&o, &g->wave[1], LOCK);
	assert_true(bw_order_is_before(&o, 0, 0, &g->wave[1]));
	/* the same with a wait: the release comes later, so that it tells of both */
	bw_order_waited(&o, &g->wave[0]);
	bw_order_release(&o, &g->wave[0], LOCK);
	bw_order_step(&o, &g->wave[0]);
	bw_order_acquire(&o, &h->wave[0], LOCK);
	bw_order_fence(&o, &h->wave[0]);
	assert_true(bw_order_is_before(&o, 0, 1, &h->wave[0]));
}

static void a_store_that_may_have_overtaken_another_is_no_release(void **state)
{
	bw_order_stored(&g->wave[0], 3);
	bw_order_was_release(&o, &(struct bw_order_store){0, 0, 4}, FLAG);
	bw_order_acquire(&o, &h->wave[0], FLAG);
	bw_order_fence(&o, &h->wave[0]);
	assert_false(bw_order_is_before(&o, 0, 0, &h->wave[0]));
	/* the store that was not waited for is the release itself */
	bw_order_stored(&g->wave[1], 4);
	bw_order_was_release(&o, &(struct bw_order_store){1, 0, 4}, FLAG);
	bw_order_acquire(&o, &h->wave[0], FLAG);
	bw_order_fence(&o, &h->wave[0]);
	assert_true(bw_order_is_before(&o, 1, 0, &h->wave[0]));
}

/* More waves at one location than have a place of their own there. */
static void many_waves_release_to_one_location(void **state)
{
	struct bw_order_group *last = NULL;
	for (unsigned i = 0; i < 200; i++) {
		last = bw_order_begin(&o, origin, 1);
		assert_non_null(last);
		bw_order_release(&o, &last->wave[0], LOCK);
		bw_order_step(&o, &last->wave[0]);
	}
	bw_order_acquire(&o, &last->wave[0], LOCK);
	bw_order_fence(&o, &last->wave[0]);
	for (uint32_t i = 5; i < 205; i++)
		assert_true(bw_order_is_before(&o, i, 0, &last->wave[0]));
	assert_false(bw_order_is_before(&o, 0, 0, &last->wave[0]));
	assert_false(bw_order_is_before(&o, 7, 1, &last->wave[0]));
}

static void a_clock_that_ends_makes_no_finding(void **state)
{
	for (unsigned i = 0; i < BW_ORDER_CLOCKS; i++)
		bw_order_barrier(&o, g);
	assert_true(bw_order_is_before(&o, 0, g->wave[0].clock, &h->wave[0]));
}

static void what_is_too_large_is_refused(void **state)
{
	assert_null(bw_order_begin(&o, origin, BW_ORDER_GROUP_WAVES + 1));
}

TESTS_EACH(set_up, tear_down, waves_are_in_no_order, a_barrier_orders_its_group,
	   an_acquire_between_groups_needs_a_fence, an_acquire_within_a_group_does_not,
	   another_location_orders_nothing, a_release_hands_on_what_a_barrier_has_ordered,
	   a_barrier_after_the_release_does_not_belong_to_it,
	   orders_are_handed_on_from_wave_to_wave, a_store_may_turn_out_to_be_a_release,
	   a_release_needs_a_wait_between_groups,
	   a_store_that_may_have_overtaken_another_is_no_release,
	   many_waves_release_to_one_location, a_clock_that_ends_makes_no_finding,
	   what_is_too_large_is_refused);
