/* SPDX-License-Identifier: MIT */
/* Threads: ending at any moment, idling, sleeping, repeating. */
#include "rig.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../suite.h"
#include "base/util.h"
#include "vgpu/device/device_priv.h"
#include "vgpu/device/scheduler_priv.h"

enum { WAIT_MS = 20000 };
#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))

static double cpu_seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Destroyed while waves loop, sleep, wait at barriers, are halted, are not yet launched. */
static void test_destroy(void **state)
{
	static const char *const kernels[] = {"loop", "poll", "barrier", "ids"};
	for (unsigned i = 0; i < 24; i++) {
		struct rig r;
		struct bw_device_options options = {.threads = 1 + i % 3,
						    .deterministic = i % 4 == 3};
		rig_start(&r, &options);
		struct rig_launch l = {.kernel = kernels[i % 4],
				       .groups = {4000},
				       .threads = {128},
				       .n_user = 3,
				       .lds_b = 1024,
				       .user = {LO(RIG_DATA), HI(RIG_DATA), 128}};
		rig_launch(&r, &l);
		l.kernel = kernels[(i + 1) % 4];
		rig_launch(&r, &l);
		if (i % 2)
			rig_sleep_ms(i % 5);
		if (i % 3 == 0)
			rig_sq_cmd(&r, 1 | 1 << 4 | 1 << 8);
		rig_stop(&r);
	}
}

/* 3072 waves that poll with s_sleep in between: the host has time for other things. */
static void test_polling_is_cheap(void **state)
{
	for (unsigned deterministic = 0; deterministic < 2; deterministic++) {
		struct rig r;
		struct bw_device_options options = {.deterministic = deterministic};
		rig_start(&r, &options);
		struct rig_launch l = {.kernel = "poll",
				       .groups = {1536},
				       .threads = {64},
				       .n_user = 2,
				       .user = {LO(RIG_DATA), HI(RIG_DATA)},
				       .vgprs = 16};
		uint64_t fence = rig_launch(&r, &l);
		assert_true(rig_wait_resident(&r, 3072, WAIT_MS));
		rig_sleep_ms(300); /* until they poll rarely */
		struct bw_device_stats a, b;
		double before = cpu_seconds();
		bw_device_stats(r.dev, &a);
		rig_sleep_ms(500);
		double used = cpu_seconds() - before;
		bw_device_stats(r.dev, &b);
		/* Every 2 ms or less often, six instructions or so each: a driver's view of the
		 * rate, not of the host's speed. Instrumented builds are slow, so the CPU time is
		 * only reported. */
		print_message("3072 polling waves: %.0f%% of a core, %llu instructions\n",
			      used * 200, (unsigned long long)(b.instructions - a.instructions));
		if (!deterministic)
			assert_true(b.instructions - a.instructions < 3072ull * 6 * 300);
		__atomic_store_n((uint32_t *)rig_ptr(&r, RIG_DATA), 1, __ATOMIC_SEQ_CST);
		assert_true(rig_wait(&r, 1, fence, WAIT_MS));
		assert_int_equal(((uint32_t *)rig_ptr(&r, RIG_DATA))[16], 3072);
		rig_stop(&r);
	}
}

/* Whether all threads wait and nothing is queued. Then the first of them must wake when the first
 * sleeper is due, or before. */
static bool check_wakeup(struct bw_sched *sched)
{
	pthread_mutex_lock(&sched->lock);
	bool idle = sched->n_waiting == sched->n_threads && !sched->head;
	uint64_t due_ns = ~0ull, wakeup_ns = bw_sched_next_wakeup_ns(sched);
	for (unsigned i = 0; i < sched->n_wgps; i++)
		due_ns = BW_MIN(due_ns, sched->wgp[i].wake_ns);
	pthread_mutex_unlock(&sched->lock);
	if (idle)
		assert_true(wakeup_ns <= due_ns);
	return idle && due_ns != ~0ull;
}

/* Waves that begin to poll, and so sleep shortly, while all others sleep for long. */
static void test_first_sleeper_first(void **state)
{
	struct rig r;
	struct bw_device_options options = {.threads = 2};
	rig_start(&r, &options);
	struct rig_launch l = {.kernel = "poll",
			       .groups = {1},
			       .threads = {32},
			       .n_user = 2,
			       .user = {LO(RIG_DATA), HI(RIG_DATA)}};
	uint64_t fence[4];
	uint64_t until_ns = bw_host_ns() + WAIT_MS * 1000000ull;
	for (unsigned n = 0; n < BW_ARRAY_SIZE(fence); n++) {
		struct bw_pm4_stream s = {0};
		rig_put_launch(&r, &s, &l);
		fence[n] = rig_submit(&r, 1 + n, &s);
		assert_true(rig_wait_resident(&r, n + 1, WAIT_MS));
		for (unsigned seen = 0; seen < 200 && bw_host_ns() < until_ns; rig_sleep_ms(0))
			seen += check_wakeup(r.dev->sched);
	}
	__atomic_store_n((uint32_t *)rig_ptr(&r, RIG_DATA), 1, __ATOMIC_SEQ_CST);
	for (unsigned n = 0; n < BW_ARRAY_SIZE(fence); n++)
		assert_true(rig_wait(&r, 1 + n, fence[n], WAIT_MS));
	rig_stop(&r);
}

static void test_idle(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids",
			       .groups = {10},
			       .threads = {64},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 64}};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	double before = cpu_seconds();
	rig_sleep_ms(200);
	assert_true(cpu_seconds() - before < 0.05);
	rig_stop(&r);
}

/* Deterministic: the same work takes the same number of instructions and of the device's own time.
 */
static void test_deterministic(void **state)
{
	uint64_t seen[2][2];
	for (unsigned run = 0; run < 2; run++) {
		struct rig r;
		struct bw_device_options options = {.deterministic = true};
		struct bw_device_stats s;
		rig_start(&r, &options);
		struct rig_launch l = {.kernel = "barrier",
				       .groups = {200},
				       .threads = {256},
				       .n_user = 3,
				       .user = {LO(RIG_DATA), HI(RIG_DATA), 256},
				       .lds_b = 1024};
		assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
		bw_device_stats(r.dev, &s);
		rig_write(&r, REG(RLC_CAPTURE_GPU_CLOCK_COUNT), 1);
		seen[run][0] = s.instructions;
		seen[run][1] = rig_read(&r, REG(RLC_GPU_CLOCK_COUNT_LSB));
		rig_stop(&r);
	}
	assert_int_equal(seen[0][0], seen[1][0]);
	assert_int_equal(seen[0][1], seen[1][1]);
}

/* A device with one thread can be destroyed at the moment when that thread has looked at the
 * queues, found nothing to do and is about to sleep. */
static void test_destroy_deterministic(void **state)
{
	for (unsigned i = 0; i < 400; i++) {
		struct rig r;
		struct bw_device_options options = {.deterministic = true};
		rig_start(&r, &options);
		/* A doorbell with nothing behind it: the thread looks once more. */
		rig_hqd_write(&r, 1, REG(CP_HQD_PQ_WPTR_LO), 0);
		bw_device_doorbell(r.dev, 8 + 2 * 1, 0);
		uint64_t until = bw_host_ns() + i % 100 * 1000;
		while (bw_host_ns() < until)
			;
		rig_stop(&r);
	}
}

/* An invalidation is acknowledged only when no running wave can use the old translation. */
static void test_invalidate_while_running(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	rig_set_pte(&r, 0, RIG_PAGE | 0x71);
	struct rig_launch l = {.kernel = "poll",
			       .groups = {64},
			       .threads = {32},
			       .n_user = 2,
			       .user = {LO(RIG_SMALL_VA), 0}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 64, WAIT_MS));
	/* Another page in its place, again and again; only what is there after the last one counts.
	 */
	for (unsigned i = 0; i < 200; i++) {
		rig_set_pte(&r, 0, (RIG_PAGE + (i % 2 ? 0x1000 : 0)) | 0x71);
		rig_invalidate(&r);
	}
	*(uint32_t *)rig_ptr(&r, RIG_PAGE) = 1;
	rig_sleep_ms(20);
	assert_false(rig_done(&r, 1, fence));
	*(uint32_t *)rig_ptr(&r, RIG_PAGE + 0x1000) = 1;
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	assert_int_equal(*(uint32_t *)rig_ptr(&r, RIG_PAGE + 0x1040), 64);
	rig_stop(&r);
}

/* A driver that reads wave registers without a pause does not hold up the waves. */
static void test_watched(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids",
			       .groups = {60000},
			       .threads = {64},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 64}};
	uint64_t fence = rig_launch(&r, &l);
	unsigned reads = 0;
	for (; reads < 3000000 && !rig_done(&r, 1, fence); reads++)
		rig_sq_ind(&r, reads % 6, reads / 6 % 2, reads / 12 % 4, reads / 48 % 4, reads % 16,
			   0, 0x102);
	assert_true(rig_done(&r, 1, fence));
	const uint32_t *out = rig_ptr(&r, RIG_DATA);
	for (unsigned i = 0; i < 60000 * 64; i += 63)
		assert_int_equal(out[i], 3 * i + 7);
	rig_stop(&r);
}

TESTS(test_destroy, test_polling_is_cheap, test_first_sleeper_first, test_idle, test_deterministic,
      test_destroy_deterministic, test_invalidate_while_running, test_watched);
