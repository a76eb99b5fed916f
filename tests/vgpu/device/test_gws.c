/* SPDX-License-Identifier: MIT */
/* Global wave sync: what a resource does, by the text of AMD's ISA documents, and waves of several
 * groups that meet. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "vgpu/device/exec/check/finding.h"
#include "vgpu/device/gws.h"
#include "wire/checks.h"

enum { WAIT_MS = 60000 };

static void a_barrier_lets_all_through(void **state)
{
	struct bw_gws_resource r = {0};
	struct bw_gws_wait wave[3] = {0};
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_INIT, 2)); /* three waves */
	for (unsigned round = 0; round < 3; round++) {
		unsigned a = round % 3, b = (round + 1) % 3, c = (round + 2) % 3;
		assert_false(bw_gws_do(&r, &wave[a], BW_GWS_BARRIER, 2));
		assert_false(bw_gws_do(&r, &wave[b], BW_GWS_BARRIER, 2));
		assert_false(bw_gws_do(&r, &wave[a], BW_GWS_BARRIER, 2)); /* asks again */
		assert_true(bw_gws_do(&r, &wave[c], BW_GWS_BARRIER, 2));
		assert_true(bw_gws_do(&r, &wave[a], BW_GWS_BARRIER, 2));
		/* one is already at the next barrier before another has left this one */
		assert_false(bw_gws_do(&r, &wave[a], BW_GWS_BARRIER, 2));
		assert_true(bw_gws_do(&r, &wave[b], BW_GWS_BARRIER, 2));
		bw_gws_leave(&r, &wave[a]);
	}
	/* the last wave says how many the next barrier has */
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_INIT, 0));
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_BARRIER, 1));
	assert_false(bw_gws_do(&r, &wave[0], BW_GWS_BARRIER, 1));
	assert_true(bw_gws_do(&r, &wave[1], BW_GWS_BARRIER, 1));
}

static void who_leaves_has_not_arrived(void **state)
{
	struct bw_gws_resource r = {0};
	struct bw_gws_wait wave[2] = {0};
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_INIT, 1));
	assert_false(bw_gws_do(&r, &wave[0], BW_GWS_BARRIER, 1));
	bw_gws_leave(&r, &wave[0]);
	assert_false(bw_gws_do(&r, &wave[1], BW_GWS_BARRIER, 1));
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_BARRIER, 1));
	/* the barrier has let this one through, though it has not looked yet */
	bw_gws_leave(&r, &wave[1]);
	assert_int_equal(r.counter, 1);
}

static void a_semaphore_counts(void **state)
{
	struct bw_gws_resource r = {0};
	struct bw_gws_wait wave[4] = {0};
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_INIT, 1));
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_P, 0));
	for (unsigned i = 1; i < 4; i++)
		assert_false(bw_gws_do(&r, &wave[i], BW_GWS_P, 0));
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_V, 0));
	assert_true(bw_gws_do(&r, &wave[2], BW_GWS_P, 0));
	assert_false(bw_gws_do(&r, &wave[1], BW_GWS_P, 0));
	bw_gws_leave(&r, &wave[3]);
	assert_int_equal(r.n_waiting, 1);
	assert_false(bw_gws_do(&r, &wave[2], BW_GWS_P, 0));
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_RELEASE_ALL, 0));
	assert_true(bw_gws_do(&r, &wave[1], BW_GWS_P, 0));
	assert_true(bw_gws_do(&r, &wave[2], BW_GWS_P, 0));
	assert_false(bw_gws_do(&r, &wave[3], BW_GWS_P, 0));
	assert_true(bw_gws_do(&r, &wave[0], BW_GWS_V_MANY, 3));
	assert_true(bw_gws_do(&r, &wave[3], BW_GWS_P, 0));
	assert_int_equal(r.counter, 2);
	assert_int_equal(r.n_waiting, 0);
}

/* As HIP's cooperative launch: a kernel of one wave sets the barrier up. */
static void groups_meet(void **state)
{
	enum { GROUPS = 200, FIRST = 64, SECOND = 2048 };
	struct rig r;
	rig_start(&r, NULL);
	uint32_t *out = rig_ptr(&r, RIG_DATA);
	struct rig_launch l = {.kernel = "gws",
			       .groups = {1},
			       .threads = {32},
			       .n_user = 4,
			       .user = {(uint32_t)RIG_DATA, RIG_DATA >> 32, GROUPS - 1, 1}};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	l.groups[0] = GROUPS;
	l.user[3] = 0;
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	for (unsigned i = 0; i < GROUPS; i++) {
		assert_int_equal(out[FIRST + i], GROUPS);
		assert_int_equal(out[SECOND + i], GROUPS);
	}
	rig_stop(&r);
}

/* The findings of waves of which each reads what another one has written. */
static size_t races(unsigned how)
{
	enum { GROUPS = 60 };
	struct rig r;
	struct bw_check_finding found[4];
	rig_start(&r, &(struct bw_device_options){.threads = 2, .check = BW_CHECK_RACES});
	struct rig_launch l = {.kernel = "gws_order",
			       .groups = {1},
			       .threads = {32},
			       .n_user = 4,
			       .user = {(uint32_t)RIG_DATA, RIG_DATA >> 32, GROUPS - 1, 0}};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	l.groups[0] = GROUPS;
	l.user[3] = how;
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	size_t n = bw_check_findings(bw_device_check(r.dev), found, BW_ARRAY_SIZE(found));
	rig_stop(&r);
	return n;
}

static void the_checker_knows_it(void **state)
{
	enum { MEET = 1, PASS = 2 };
	assert_int_equal(races(MEET), 0);
	assert_int_not_equal(races(PASS), 0);
}

TESTS(a_barrier_lets_all_through, who_leaves_has_not_arrived, a_semaphore_counts, groups_meet,
      the_checker_knows_it);
