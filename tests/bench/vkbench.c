/* SPDX-License-Identifier: MIT */

/* What a Vulkan program waits for beside its shaders: vkbench [DEVICE]. One line of JSON: seconds
 * of an empty submission and its fence, submissions a second, bytes a second of a copy between two
 * buffers that the host does not see; and what the host needs to wake another process and be woken
 * by it, which is the measure of the first two. */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "gpu.h"

enum { COPY_B = 64 << 20 };

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { TRIPS = 2000 };

static void answer_trips(int in, int out)
{
	uint64_t n;
	for (unsigned i = 0; i < TRIPS; i++)
		if (read(in, &n, sizeof(n)) != sizeof(n) ||
		    write(out, &(uint64_t){1}, sizeof(n)) != sizeof(n))
			break;
	_exit(0);
}

/* The best of many: a word to another process by an eventfd, and one back. */
static struct bw_error *round_trip(double *out_best_s)
{
	_cleanup_close_ int there = eventfd(0, EFD_CLOEXEC), back = eventfd(0, EFD_CLOEXEC);
	pid_t pid = there < 0 || back < 0 ? -1 : fork();
	if (pid == 0)
		answer_trips(there, back);
	*out_best_s = 1e9;
	for (unsigned i = 0; pid > 0 && i < TRIPS; i++) {
		uint64_t n;
		double start = now_s();
		if (write(there, &(uint64_t){1}, sizeof(n)) != sizeof(n) ||
		    read(back, &n, sizeof(n)) != sizeof(n))
			break;
		*out_best_s = BW_MIN(*out_best_s, now_s() - start);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid > 0 ? NULL : bw_error_errno(errno, "cannot make two processes");
}

static struct bw_error *empty_submit(struct gpu *gpu, double *out_best_s)
{
	enum { ROUNDS = 200 };
	VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, 0};
	VkCommandBuffer cmd;
	VkFence fence;
	GPU_TRY(vkCreateFence(gpu->device, &info, NULL, &fence));
	VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
						NULL, gpu->pool[GPU_COMPUTE],
						VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL,
					  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, NULL};
	GPU_TRY(vkAllocateCommandBuffers(gpu->device, &allocate, &cmd));
	GPU_TRY(vkBeginCommandBuffer(cmd, &begin));
	GPU_TRY(vkEndCommandBuffer(cmd));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &cmd};
	*out_best_s = 1e9;
	for (unsigned i = 0; i < ROUNDS; i++) {
		double start = now_s();
		GPU_TRY(vkQueueSubmit(gpu->queue[GPU_COMPUTE], 1, &submit, fence));
		GPU_TRY(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, UINT64_MAX));
		*out_best_s = BW_MIN(*out_best_s, now_s() - start);
		GPU_TRY(vkResetFences(gpu->device, 1, &fence));
	}
	vkDestroyFence(gpu->device, fence, NULL);
	return NULL;
}

static struct bw_error *many_submits(struct gpu *gpu, double *out_per_s)
{
	enum { SUBMITS = 1000 };
	VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
						NULL, gpu->pool[GPU_COMPUTE],
						VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL,
					  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, NULL};
	VkCommandBuffer cmd;
	GPU_TRY(vkAllocateCommandBuffers(gpu->device, &allocate, &cmd));
	GPU_TRY(vkBeginCommandBuffer(cmd, &begin));
	GPU_TRY(vkEndCommandBuffer(cmd));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &cmd};
	double start = now_s();
	for (unsigned i = 0; i < SUBMITS; i++)
		GPU_TRY(vkQueueSubmit(gpu->queue[GPU_COMPUTE], 1, &submit, VK_NULL_HANDLE));
	GPU_TRY(vkDeviceWaitIdle(gpu->device));
	*out_per_s = SUBMITS / (now_s() - start);
	return NULL;
}

static struct bw_error *copy(struct gpu *gpu, double *out_best_s)
{
	VkBuffer buffer[2];
	struct gpu_memory memory[2];
	VkBufferCopy region = {.size = COPY_B};
	*out_best_s = 1e9;
	for (unsigned i = 0; i < 2; i++)
		BW_TRY(gpu_buffer(gpu, COPY_B,
				  VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
					  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
				  false, &buffer[i], &memory[i]));
	for (unsigned i = 0; i < 4; i++) {
		VkCommandBuffer cmd;
		BW_TRY(gpu_begin(gpu, GPU_COMPUTE, &cmd));
		vkCmdCopyBuffer(cmd, buffer[i % 2], buffer[1 - i % 2], 1, &region);
		double start = now_s();
		BW_TRY(gpu_finish(gpu, GPU_COMPUTE, cmd));
		if (i) /* the first one touches the pages */
			*out_best_s = BW_MIN(*out_best_s, now_s() - start);
	}
	for (unsigned i = 0; i < 2; i++) {
		vkDestroyBuffer(gpu->device, buffer[i], NULL);
		vkFreeMemory(gpu->device, memory[i].memory, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct gpu_options options = {.name = argc > 1 ? argv[1] : NULL};
	struct gpu *gpu = NULL;
	double trip_s = 0, empty_s = 0, per_s = 0, copy_s = 0;
	_cleanup_error_ struct bw_error *err = round_trip(&trip_s);
	if (!err)
		err = gpu_open(&options, &gpu);
	if (!err)
		err = empty_submit(gpu, &empty_s);
	if (!err)
		err = many_submits(gpu, &per_s);
	if (!err)
		err = copy(gpu, &copy_s);
	if (err) {
		fprintf(stderr, "vkbench: %s\n", err->message);
		gpu_close(gpu);
		return 1;
	}
	printf("{\"device\": \"%s\", \"round_trip_s\": %.9f, \"empty_submit_s\": %.9f, \"submits_per_s\": %.1f, \"copy_bytes_per_s\": %.0f}\n",
	       gpu->properties.deviceName, trip_s, empty_s, per_s, COPY_B / copy_s);
	gpu_close(gpu);
	return 0;
}
