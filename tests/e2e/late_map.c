/* SPDX-License-Identifier: MIT */
/* A program whose buffer is the GPU's alone for two submissions, and is written by the CPU before
 * the others: before the third by a mapping that stays, before the fourth by one that is gone when
 * it is made, before the fifth by a child process. Each submission writes its number into the
 * buffer's next dword; the CPU writes dwords 8 to 10. Prints the buffer's address and its first
 * eleven dwords. */
#include "buffer.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "pm4/build.h"

enum { SIZE_B = 65536, CPU_DWORD = 8, DWORDS = 11 };

static void submit(const struct gpu *g, const struct buffer *ib, const struct buffer *data,
		   uint32_t number)
{
	struct bw_pm4_stream s = {0};
	bw_pm4_put_write_mem(&s, data->va + (number - 1) * 4, &number, 1);
	memcpy(ib->cpu, s.data, s.len * 4);
	amdgpu_bo_handle bos[] = {ib->bo, data->bo};
	struct amdgpu_cs_ib_info info = {.ib_mc_address = ib->va, .size = (uint32_t)s.len};
	struct amdgpu_cs_request req = {
		.ip_type = AMDGPU_HW_IP_COMPUTE, .number_of_ibs = 1, .ibs = &info};
	struct amdgpu_cs_fence fence = {.context = g->ctx, .ip_type = AMDGPU_HW_IP_COMPUTE};
	uint32_t has_ended = 0;
	must(amdgpu_bo_list_create(g->dev, 2, bos, NULL, &req.resources), "a list of buffers");
	must(amdgpu_cs_submit(g->ctx, 0, &req, 1), "a submission");
	fence.fence = req.seq_no;
	must(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &has_ended),
	     "a wait");
	amdgpu_bo_list_destroy(req.resources);
	bw_pm4_stream_free(&s);
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
	struct gpu g = open_gpu();
	struct buffer ib = make_buffer(&g, SIZE_B, AMDGPU_GEM_DOMAIN_GTT, 0),
		      data = make_buffer(&g, SIZE_B, AMDGPU_GEM_DOMAIN_VRAM, 0);
	map_buffer(&ib);
	submit(&g, &ib, &data, 1);
	submit(&g, &ib, &data, 2);
	map_buffer(&data);
	data.cpu[CPU_DWORD] = 0x99;
	submit(&g, &ib, &data, 3);
	data.cpu[CPU_DWORD + 1] = 0x55;
	must(amdgpu_bo_cpu_unmap(data.bo), "the end of its mapping");
	submit(&g, &ib, &data, 4);
	map_buffer(&data);
	write_in_child(&data.cpu[CPU_DWORD + 2], 0x77);
	submit(&g, &ib, &data, 5);
	printf("0x%" PRIx64, data.va);
	for (unsigned i = 0; i < DWORDS; i++)
		printf(" %x", data.cpu[i]);
	printf("\n");
	drop_buffer(&ib);
	drop_buffer(&data);
	close_gpu(&g);
	return 0;
}
