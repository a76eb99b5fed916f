/* SPDX-License-Identifier: MIT */
/* Queues, semaphores, fences, events and time, as a Vulkan program uses them. */
#include "kit.h"

#include "base/util.h"

#include <linux/sync_file.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define LONG_NS (240 * SECOND_NS)

struct step_push {
	uint32_t mul, add, n;
};

static int setup(void **state)
{
	*state = kit_open();
	return 0;
}

static int teardown(void **state)
{
	gpu_close(*state);
	return 0;
}

/* Steps that do not commute, in turn on two queues, submitted backwards: only the timeline orders
 * them. */
static void timeline_between_queues(void **state)
{
	struct gpu *gpu = *state;
	struct kit_shader step = kit_shader(gpu, "step", sizeof(struct step_push));
	struct kit_buffer b = kit_buffer(gpu, 1000);
	VkDescriptorSet set = kit_set(gpu, &step, b.buffer);
	VkSemaphore timeline = kit_timeline(gpu, 10);
	enum { N = 12 };
	VkCommandBuffer cmds[N];
	uint32_t want = 0;
	for (uint32_t i = 0; i < N; i++) {
		want = want * 3 + i + 1;
		cmds[i] = kit_begin(gpu, i % 2 ? GPU_COMPUTE : GPU_UNIVERSAL);
		kit_dispatch(cmds[i], &step, set, &(struct step_push){3, i + 1, 1000}, 16);
		gpu_barrier(cmds[i]);
		VK_OK(vkEndCommandBuffer(cmds[i]));
	}
	/* The universal queue's steps first, in order; then those of the compute queue. */
	for (int odd = 0; odd < 2; odd++) {
		for (uint32_t i = (uint32_t)odd; i < N; i += 2) {
			VkSemaphoreSubmitInfo wait = kit_at(timeline, 10 + i),
					      signal = kit_at(timeline, 11 + i);
			VK_OK(kit_submit(gpu, odd ? GPU_COMPUTE : GPU_UNIVERSAL, cmds[i], &wait,
					 &signal, VK_NULL_HANDLE));
		}
	}
	VK_OK(kit_wait(gpu, timeline, 10 + N, LONG_NS));
	uint64_t value = 0;
	VK_OK(vkGetSemaphoreCounterValue(gpu->device, timeline, &value));
	assert_int_equal(value, 10 + N);
	for (uint32_t i = 0; i < b.n; i++)
		assert_int_equal(b.map[i], want);
	VK_OK(vkDeviceWaitIdle(gpu->device));
	vkDestroySemaphore(gpu->device, timeline, NULL);
	kit_buffer_free(gpu, &b);
	kit_shader_free(gpu, &step);
}

/* The GPU waits for a value that the host signals later; meanwhile waits run out. */
static void host_signals(void **state)
{
	struct gpu *gpu = *state;
	struct kit_buffer b = kit_buffer(gpu, 16);
	VkSemaphore timeline = kit_timeline(gpu, 0);
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, 0xabcd);
	gpu_barrier(cmd);
	VK_OK(vkEndCommandBuffer(cmd));
	VkSemaphoreSubmitInfo wait = kit_at(timeline, 5), signal = kit_at(timeline, 6);
	VK_OK(kit_submit(gpu, GPU_COMPUTE, cmd, &wait, &signal, VK_NULL_HANDLE));
	assert_int_equal(kit_wait(gpu, timeline, 6, SECOND_NS / 50), VK_TIMEOUT);
	assert_int_equal(b.map[3], 0);
	VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, timeline, 5};
	VK_OK(vkSignalSemaphore(gpu->device, &info));
	VK_OK(kit_wait(gpu, timeline, 6, LONG_NS));
	assert_int_equal(b.map[3], 0xabcd);
	VK_OK(vkDeviceWaitIdle(gpu->device));
	vkDestroySemaphore(gpu->device, timeline, NULL);
	kit_buffer_free(gpu, &b);
}

/* Binary semaphores hand work from queue to queue; a fence at the end, and fences out of order. */
static void binary_semaphores(void **state)
{
	struct gpu *gpu = *state;
	struct kit_shader step = kit_shader(gpu, "step", sizeof(struct step_push));
	struct kit_buffer b = kit_buffer(gpu, 64);
	VkDescriptorSet set = kit_set(gpu, &step, b.buffer);
	enum { N = 6 };
	VkSemaphore handed[N];
	VkFence fences[N];
	uint32_t want = 0;
	for (uint32_t i = 0; i < N; i++) {
		VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, NULL, 0};
		VK_OK(vkCreateSemaphore(gpu->device, &info, NULL, &handed[i]));
		fences[i] = kit_fence(gpu);
		assert_int_equal(vkGetFenceStatus(gpu->device, fences[i]), VK_NOT_READY);
		enum gpu_family family = i % 2 ? GPU_COMPUTE : GPU_UNIVERSAL;
		VkCommandBuffer cmd = kit_begin(gpu, family);
		kit_dispatch(cmd, &step, set, &(struct step_push){5, i + 7, 64}, 1);
		gpu_barrier(cmd);
		VK_OK(vkEndCommandBuffer(cmd));
		VkSemaphoreSubmitInfo wait = kit_at(i ? handed[i - 1] : VK_NULL_HANDLE, 0),
				      signal = kit_at(handed[i], 0);
		VK_OK(kit_submit(gpu, family, cmd, i ? &wait : NULL, i + 1 < N ? &signal : NULL,
				 fences[i]));
		want = want * 5 + i + 7;
	}
	VK_OK(vkWaitForFences(gpu->device, N, fences, VK_TRUE, LONG_NS));
	for (uint32_t i = 0; i < b.n; i++)
		assert_int_equal(b.map[i], want);
	VK_OK(vkResetFences(gpu->device, 1, &fences[2]));
	assert_int_equal(vkGetFenceStatus(gpu->device, fences[2]), VK_NOT_READY);
	assert_int_equal(vkWaitForFences(gpu->device, N, fences, VK_TRUE, SECOND_NS / 100),
			 VK_TIMEOUT);
	VK_OK(vkWaitForFences(gpu->device, N, fences, VK_FALSE, SECOND_NS / 100));
	VK_OK(vkDeviceWaitIdle(gpu->device));
	for (uint32_t i = 0; i < N; i++) {
		vkDestroySemaphore(gpu->device, handed[i], NULL);
		vkDestroyFence(gpu->device, fences[i], NULL);
	}
	kit_buffer_free(gpu, &b);
	kit_shader_free(gpu, &step);
}

/* Both queues hold a shader that spins until the host says so: neither is in the other's way. */
static void queues_side_by_side(void **state)
{
	struct gpu *gpu = *state;
	struct kit_shader spin = kit_shader(gpu, "spin", 0);
	struct kit_buffer b[2] = {kit_buffer(gpu, 64), kit_buffer(gpu, 64)};
	VkFence fence[2] = {kit_fence(gpu), kit_fence(gpu)};
	for (int i = 0; i < 2; i++) {
		VkCommandBuffer cmd = kit_begin(gpu, i ? GPU_COMPUTE : GPU_UNIVERSAL);
		kit_dispatch(cmd, &spin, kit_set(gpu, &spin, b[i].buffer), NULL, 3);
		gpu_barrier(cmd);
		VK_OK(vkEndCommandBuffer(cmd));
		VK_OK(kit_submit(gpu, i ? GPU_COMPUTE : GPU_UNIVERSAL, cmd, NULL, NULL, fence[i]));
	}
	/* the second first: its queue does not stand behind the other */
	for (int i = 1; i >= 0; i--) {
		assert_int_equal(
			vkWaitForFences(gpu->device, 1, &fence[i], VK_TRUE, SECOND_NS / 50),
			VK_TIMEOUT);
		*(volatile uint32_t *)b[i].map = 1;
		VK_OK(vkWaitForFences(gpu->device, 1, &fence[i], VK_TRUE, LONG_NS));
		assert_int_equal(b[i].map[1], 3);
	}
	VK_OK(vkDeviceWaitIdle(gpu->device));
	for (int i = 0; i < 2; i++) {
		vkDestroyFence(gpu->device, fence[i], NULL);
		kit_buffer_free(gpu, &b[i]);
	}
	kit_shader_free(gpu, &spin);
}

static void many_submissions(void **state)
{
	struct gpu *gpu = *state;
	struct kit_shader step = kit_shader(gpu, "step", sizeof(struct step_push));
	struct kit_buffer b = kit_buffer(gpu, 256);
	VkDescriptorSet set = kit_set(gpu, &step, b.buffer);
	VkSemaphore timeline = kit_timeline(gpu, 0);
	uint32_t want = 0;
	for (uint32_t i = 0; i < 300; i++) {
		VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
		gpu_barrier(cmd);
		kit_dispatch(cmd, &step, set, &(struct step_push){3, i, 256}, 4);
		gpu_barrier(cmd);
		VK_OK(vkEndCommandBuffer(cmd));
		VkSemaphoreSubmitInfo signal = kit_at(timeline, i + 1);
		VK_OK(kit_submit(gpu, GPU_COMPUTE, cmd, NULL, &signal, VK_NULL_HANDLE));
		want = want * 3 + i;
	}
	VK_OK(kit_wait(gpu, timeline, 300, LONG_NS));
	for (uint32_t i = 0; i < b.n; i++)
		assert_int_equal(b.map[i], want);
	VK_OK(vkDeviceWaitIdle(gpu->device));
	vkDestroySemaphore(gpu->device, timeline, NULL);
	kit_buffer_free(gpu, &b);
	kit_shader_free(gpu, &step);
}

/* An event set by the host resumes the command buffer; the host sees one set by the GPU. */
static void events(void **state)
{
	struct gpu *gpu = *state;
	struct kit_buffer b = kit_buffer(gpu, 16);
	VkEventCreateInfo info = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, NULL, 0};
	VkEvent go, done;
	VK_OK(vkCreateEvent(gpu->device, &info, NULL, &go));
	VK_OK(vkCreateEvent(gpu->device, &info, NULL, &done));
	VkFence fence = kit_fence(gpu);
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	vkCmdWaitEvents(cmd, 1, &go, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
			NULL, 0, NULL, 0, NULL);
	vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, 9);
	gpu_barrier(cmd);
	vkCmdSetEvent(cmd, done, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	VK_OK(vkEndCommandBuffer(cmd));
	VK_OK(kit_submit(gpu, GPU_COMPUTE, cmd, NULL, NULL, fence));
	assert_int_equal(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, SECOND_NS / 50),
			 VK_TIMEOUT);
	assert_int_equal(vkGetEventStatus(gpu->device, done), VK_EVENT_RESET);
	VK_OK(vkSetEvent(gpu->device, go));
	VK_OK(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, LONG_NS));
	assert_int_equal(vkGetEventStatus(gpu->device, done), VK_EVENT_SET);
	assert_int_equal(b.map[15], 9);
	VK_OK(vkDeviceWaitIdle(gpu->device));
	vkDestroyEvent(gpu->device, go, NULL);
	vkDestroyEvent(gpu->device, done, NULL);
	vkDestroyFence(gpu->device, fence, NULL);
	kit_buffer_free(gpu, &b);
}

static void timestamps_on(struct gpu *gpu, enum gpu_family family)
{
	VkQueryPoolCreateInfo info = {
		VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, VK_QUERY_TYPE_TIMESTAMP, 4, 0};
	VkQueryPool pool;
	VK_OK(vkCreateQueryPool(gpu->device, &info, NULL, &pool));
	struct kit_buffer b = kit_buffer(gpu, 4096), copied = kit_buffer(gpu, 8);
	uint64_t t[8] = {0};
	VkCommandBuffer cmd = kit_begin(gpu, family);
	vkCmdResetQueryPool(cmd, pool, 0, 4);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
	for (uint32_t i = 1; i < 3; i++) {
		vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, i);
		gpu_barrier(cmd);
		vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i);
	}
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 2, copied.buffer, 0, 16,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT |
					  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	gpu_barrier(cmd);
	kit_finish(gpu, family, cmd);
	assert_int_equal(vkGetQueryPoolResults(gpu->device, pool, 0, 4, sizeof(t), t, 16,
					       VK_QUERY_RESULT_64_BIT |
						       VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
			 VK_NOT_READY);
	assert_true(t[1] && t[3] && t[5] && !t[7]);
	assert_true(t[0] < t[2] && t[2] < t[4]);
	assert_memory_equal(copied.map, t, 32);
	/* 100 MHz: two fills take less than these minutes */
	assert_true((double)(t[4] - t[0]) * gpu->properties.limits.timestampPeriod < 240e9);
	vkDestroyQueryPool(gpu->device, pool, NULL);
	kit_buffer_free(gpu, &b);
	kit_buffer_free(gpu, &copied);
}

static void timestamps(void **state)
{
	timestamps_on(*state, GPU_COMPUTE);
	timestamps_on(*state, GPU_UNIVERSAL);
}

/* The device's clock against the host's: both run, at the rates they say. */
static void calibrated_timestamps(void **state)
{
	struct gpu *gpu = *state;
	KIT_ENTRY(gpu, vkGetCalibratedTimestampsEXT);
	assert_non_null(vkGetCalibratedTimestampsEXT);
	VkCalibratedTimestampInfoEXT infos[2] = {
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_DEVICE_EXT},
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL,
		 VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
	};
	uint64_t a[2], b[2], a_off_ns, b_off_ns;
	VK_OK(vkGetCalibratedTimestampsEXT(gpu->device, 2, infos, a, &a_off_ns));
	nanosleep(&(struct timespec){0, 50000000}, NULL);
	VK_OK(vkGetCalibratedTimestampsEXT(gpu->device, 2, infos, b, &b_off_ns));
	double device_ns = (double)(b[0] - a[0]) * gpu->properties.limits.timestampPeriod;
	double host_ns = (double)(b[1] - a[1]);
	assert_true(host_ns >= 50e6);
	/* Read one after the other, on a busy machine far apart: the driver says how far. */
	double off_ns = (double)a_off_ns + (double)b_off_ns + host_ns / 100;
	assert_true(device_ns > host_ns - off_ns && device_ns < host_ns + off_ns);
}

/* A fence leaves the process as a sync_file and as an opaque fd, and signals where it arrives. */
static void exported_fds(void **state)
{
	struct gpu *gpu = *state;
	KIT_ENTRY(gpu, vkGetSemaphoreFdKHR);
	KIT_ENTRY(gpu, vkImportSemaphoreFdKHR);
	KIT_ENTRY(gpu, vkGetFenceFdKHR);
	KIT_ENTRY(gpu, vkImportFenceFdKHR);
	assert_true(vkGetSemaphoreFdKHR && vkImportSemaphoreFdKHR && vkGetFenceFdKHR &&
		    vkImportFenceFdKHR);
	static const VkExternalSemaphoreHandleTypeFlagBits kinds[] = {
		VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
		VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	for (int k = 0; k < 2; k++) {
		VkExportSemaphoreCreateInfo export = {
			VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, NULL, kinds[k]};
		VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &export, 0};
		VkSemaphoreCreateInfo plain = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, NULL, 0};
		VkSemaphore from, to;
		VK_OK(vkCreateSemaphore(gpu->device, &info, NULL, &from));
		VK_OK(vkCreateSemaphore(gpu->device, &plain, NULL, &to));
		VkSemaphoreSubmitInfo signal = kit_at(from, 0), wait = kit_at(to, 0);
		VK_OK(kit_submit(gpu, GPU_UNIVERSAL, VK_NULL_HANDLE, NULL, &signal,
				 VK_NULL_HANDLE));
		VkSemaphoreGetFdInfoKHR get = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL,
					       from, kinds[k]};
		int fd = -1;
		VK_OK(vkGetSemaphoreFdKHR(gpu->device, &get, &fd));
		VkImportSemaphoreFdInfoKHR import = {
			VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
			NULL,
			to,
			kinds[k] == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT
				? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT
				: 0,
			kinds[k],
			fd};
		VK_OK(vkImportSemaphoreFdKHR(gpu->device, &import));
		VkFence fence = kit_fence(gpu);
		VK_OK(kit_submit(gpu, GPU_COMPUTE, VK_NULL_HANDLE, &wait, NULL, fence));
		VK_OK(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, LONG_NS));
		VK_OK(vkDeviceWaitIdle(gpu->device));
		vkDestroyFence(gpu->device, fence, NULL);
		vkDestroySemaphore(gpu->device, from, NULL);
		vkDestroySemaphore(gpu->device, to, NULL);
	}
	VkExportFenceCreateInfo export = {VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, NULL,
					  VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
	VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, &export, 0};
	VkFence from, to = kit_fence(gpu);
	VK_OK(vkCreateFence(gpu->device, &info, NULL, &from));
	VK_OK(kit_submit(gpu, GPU_COMPUTE, VK_NULL_HANDLE, NULL, NULL, from));
	VkFenceGetFdInfoKHR get = {VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, NULL, from,
				   VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
	int fd = -1;
	VK_OK(vkGetFenceFdKHR(gpu->device, &get, &fd));
	/* As other users of sync_files see it (linux/sync_file.h), merged with itself. */
	if (fd >= 0) { /* -1: signalled long ago */
		struct sync_merge_data merge = {.name = "both", .fd2 = fd, .fence = -1};
		struct sync_fence_info fence = {.status = 7};
		struct sync_file_info about = {.num_fences = 1,
					       .sync_fence_info = (uintptr_t)&fence};
		assert_int_equal(ioctl(fd, SYNC_IOC_MERGE, &merge), 0);
		struct pollfd p = {.fd = merge.fence, .events = POLLIN};
		assert_int_equal(poll(&p, 1, 60000), 1);
		assert_int_equal(ioctl(merge.fence, SYNC_IOC_FILE_INFO, &about), 0);
		assert_int_equal(about.status, 1);
		assert_int_equal(about.num_fences, 1);
		assert_int_equal(fence.status, 1);
		close(merge.fence);
		merge.fd2 = -1;
		assert_int_equal(ioctl(fd, SYNC_IOC_MERGE, &merge), -1);
	}
	VkImportFenceFdInfoKHR import = {
		VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, NULL, to, VK_FENCE_IMPORT_TEMPORARY_BIT,
		VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,  fd};
	VK_OK(vkImportFenceFdKHR(gpu->device, &import));
	VK_OK(vkWaitForFences(gpu->device, 1, &to, VK_TRUE, LONG_NS));
	vkDestroyFence(gpu->device, from, NULL);
	vkDestroyFence(gpu->device, to, NULL);
}

/* A store to unmapped memory: this device is lost and stays so, another one works. */
static void fault_loses_device(void **state)
{
	struct gpu *other = *state, *gpu = kit_open();
	for (int family = 0; family < GPU_N_FAMILIES; family++) {
		struct kit_shader wild = kit_shader(gpu, "wild", 8);
		struct kit_buffer b = kit_buffer(gpu, 64);
		VkFence fence = kit_fence(gpu);
		VkCommandBuffer cmd = kit_begin(gpu, family);
		kit_dispatch(cmd, &wild, kit_set(gpu, &wild, b.buffer),
			     &(uint64_t){0x123456789000ull}, 1);
		gpu_barrier(cmd);
		VK_OK(vkEndCommandBuffer(cmd));
		VK_OK(kit_submit(gpu, family, cmd, NULL, NULL, fence));
		VkResult waited = vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, LONG_NS);
		/* Some drivers ask after the wait, all of them at the next submission. */
		assert_true(waited == VK_SUCCESS || waited == VK_ERROR_DEVICE_LOST);
		VkCommandBuffer next = kit_begin(gpu, family);
		vkCmdFillBuffer(next, b.buffer, 0, VK_WHOLE_SIZE, 1);
		VK_OK(vkEndCommandBuffer(next));
		assert_int_equal(kit_submit(gpu, family, next, NULL, NULL, VK_NULL_HANDLE),
				 VK_ERROR_DEVICE_LOST);
		(void)vkDeviceWaitIdle(gpu->device); /* 22.3 says nothing here */
		assert_int_equal(b.map[5], 0);
		vkDestroyFence(gpu->device, fence, NULL);
		kit_buffer_free(gpu, &b);
		kit_shader_free(gpu, &wild);
		gpu_close(gpu);

		b = kit_buffer(other, 16);
		cmd = kit_begin(other, family);
		vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, 77);
		gpu_barrier(cmd);
		kit_finish(other, family, cmd);
		assert_int_equal(b.map[15], 77);
		kit_buffer_free(other, &b);
		gpu = kit_open();
	}
	gpu_close(gpu);
}

TESTS_EACH(setup, teardown, timeline_between_queues, host_signals, binary_semaphores,
	   queues_side_by_side, many_submissions, events, timestamps, calibrated_timestamps,
	   exported_fds, fault_loses_device);
