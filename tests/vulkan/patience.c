/* SPDX-License-Identifier: MIT */
/* For test_patience.py, which has it stopped: how far its clock is behind the date in the end, and
 * waits. One thread waits at most 4 s for a timeline that another thread's submission signals. Says
 * "waited 0" when it was signalled in time, "waited 2" (VK_TIMEOUT) when not; then the same for a
 * timeline that is never signalled. "behind 6": seconds, rounded down. */
#include "kit.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

/* long enough for a busy machine, shorter than test_patience.py thinks */
#define LIMIT_NS (4000ull * 1000 * 1000)
#define SHORT_NS (400ull * 1000 * 1000)

struct waiter {
	struct gpu *gpu;
	VkSemaphore timeline;
};

/* The date less the clock, in ns: grows by the time that the clock stands still. */
static int64_t date_ahead(void)
{
	struct timespec date, clock;
	clock_gettime(CLOCK_REALTIME, &date);
	clock_gettime(CLOCK_MONOTONIC, &clock);
	return (date.tv_sec - clock.tv_sec) * 1000000000ll + date.tv_nsec - clock.tv_nsec;
}

static void *wait_for_it(void *cookie)
{
	struct waiter *w = cookie;
	printf("waited %d\n", kit_wait(w->gpu, w->timeline, 1, LIMIT_NS));
	fflush(stdout);
	return NULL;
}

static void run(void **state)
{
	struct gpu *gpu = kit_open();
	struct kit_buffer b = kit_buffer(gpu, 64);
	struct kit_shader s = kit_shader(gpu, "step", 12);
	VkSemaphore timeline = kit_timeline(gpu, 0), never = kit_timeline(gpu, 0);
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	kit_dispatch(cmd, &s, kit_set(gpu, &s, b.buffer), (const uint32_t[]){1, 5, 64}, 1);
	VK_OK(vkEndCommandBuffer(cmd));
	VkSemaphoreSubmitInfo signal = kit_at(timeline, 1);
	struct waiter w = {gpu, timeline};
	int64_t ahead = date_ahead();
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &w), 0);
	VK_OK(kit_submit(gpu, GPU_COMPUTE, cmd, NULL, &signal, VK_NULL_HANDLE));
	pthread_join(thread, NULL);
	VK_OK(vkDeviceWaitIdle(gpu->device));
	assert_int_equal(b.map[63], 5);
	printf("waited %d\n", kit_wait(gpu, never, 1, SHORT_NS));
	printf("behind %d\n", (int)((date_ahead() - ahead) / 1000000000));
	vkDestroySemaphore(gpu->device, timeline, NULL);
	vkDestroySemaphore(gpu->device, never, NULL);
	kit_shader_free(gpu, &s);
	kit_buffer_free(gpu, &b);
	gpu_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(run)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
