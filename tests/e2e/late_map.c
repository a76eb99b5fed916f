/* SPDX-License-Identifier: MIT */
/* A program whose buffer is the GPU's alone for two submissions, and is written by the CPU before
 * the others: before the third by a mapping that stays, before the fourth by one that is gone when
 * it is made, before the fifth by a child process. Each submission writes its number into the
 * buffer's next dword; the CPU writes dwords 8 to 10. Prints the buffer's address and its first
 * eleven dwords. */
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pm4/build.h"

enum { SIZE_B = 65536, CPU_DWORD = 8, DWORDS = 11 };

struct buffer {
	amdgpu_bo_handle bo;
	amdgpu_va_handle range;
	uint64_t va;
	uint32_t *cpu;
};

static void must(int r, const char *what)
{
	if (!r)
		return;
	fprintf(stderr, "%s: %d\n", what, r);
	exit(1);
}

static struct buffer make(amdgpu_device_handle dev, uint32_t domain)
{
	struct amdgpu_bo_alloc_request req = {
		.alloc_size = SIZE_B, .phys_alignment = 4096, .preferred_heap = domain};
	struct buffer b = {0};
	must(amdgpu_bo_alloc(dev, &req, &b.bo), "memory");
	must(amdgpu_va_range_alloc(dev, amdgpu_gpu_va_range_general, SIZE_B, 4096, 0, &b.va,
				   &b.range, 0),
	     "an address");
	must(amdgpu_bo_va_op(b.bo, 0, SIZE_B, b.va, 0, AMDGPU_VA_OP_MAP), "mapping");
	return b;
}

static void submit(amdgpu_device_handle dev, amdgpu_context_handle ctx, const struct buffer *ib,
		   const struct buffer *data, uint32_t number)
{
	struct bw_pm4_stream s = {0};
	bw_pm4_put_write_mem(&s, data->va + (number - 1) * 4, &number, 1);
	memcpy(ib->cpu, s.data, s.len * 4);
	amdgpu_bo_handle bos[] = {ib->bo, data->bo};
	struct amdgpu_cs_ib_info info = {.ib_mc_address = ib->va, .size = (uint32_t)s.len};
	struct amdgpu_cs_request req = {
		.ip_type = AMDGPU_HW_IP_COMPUTE, .number_of_ibs = 1, .ibs = &info};
	struct amdgpu_cs_fence fence = {.context = ctx, .ip_type = AMDGPU_HW_IP_COMPUTE};
	uint32_t has_ended = 0;
	must(amdgpu_bo_list_create(dev, 2, bos, NULL, &req.resources), "a list of buffers");
	must(amdgpu_cs_submit(ctx, 0, &req, 1), "a submission");
	fence.fence = req.seq_no;
	must(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &has_ended),
	     "a wait");
	amdgpu_bo_list_destroy(req.resources);
	bw_pm4_stream_free(&s);
}

static void drop(struct buffer *b)
{
	amdgpu_bo_cpu_unmap(b->bo);
	amdgpu_bo_va_op(b->bo, 0, SIZE_B, b->va, 0, AMDGPU_VA_OP_UNMAP);
	amdgpu_va_range_free(b->range);
	amdgpu_bo_free(b->bo);
}

static void write_in_child(uint32_t *to, uint32_t value)
{
	int status = 1;
	pid_t pid = fork();
	if (!pid) {
		*to = value;
		_exit(0);
	}
	must(pid < 0 || waitpid(pid, &status, 0) != pid || status, "a child");
}

int main(void)
{
	int fd = open("/dev/dri/renderD128", O_RDWR);
	uint32_t major, minor;
	amdgpu_device_handle dev;
	amdgpu_context_handle ctx;
	must(fd < 0, "/dev/dri/renderD128");
	must(amdgpu_device_initialize(fd, &major, &minor, &dev), "a device");
	must(amdgpu_cs_ctx_create(dev, &ctx), "a context");
	struct buffer ib = make(dev, AMDGPU_GEM_DOMAIN_GTT),
		      data = make(dev, AMDGPU_GEM_DOMAIN_VRAM);
	must(amdgpu_bo_cpu_map(ib.bo, (void **)&ib.cpu), "the IB");
	submit(dev, ctx, &ib, &data, 1);
	submit(dev, ctx, &ib, &data, 2);
	must(amdgpu_bo_cpu_map(data.bo, (void **)&data.cpu), "the buffer");
	data.cpu[CPU_DWORD] = 0x99;
	submit(dev, ctx, &ib, &data, 3);
	data.cpu[CPU_DWORD + 1] = 0x55;
	must(amdgpu_bo_cpu_unmap(data.bo), "the end of its mapping");
	submit(dev, ctx, &ib, &data, 4);
	must(amdgpu_bo_cpu_map(data.bo, (void **)&data.cpu), "the buffer");
	write_in_child(&data.cpu[CPU_DWORD + 2], 0x77);
	submit(dev, ctx, &ib, &data, 5);
	printf("0x%" PRIx64, data.va);
	for (unsigned i = 0; i < DWORDS; i++)
		printf(" %x", data.cpu[i]);
	printf("\n");
	drop(&ib);
	drop(&data);
	amdgpu_cs_ctx_free(ctx);
	amdgpu_device_deinitialize(dev);
	close(fd);
	return 0;
}
