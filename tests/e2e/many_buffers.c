/* SPDX-License-Identifier: MIT */
/* A program with COUNT buffers of a page, all of them mapped for the CPU and the GPU. Each line of
 * its standard input is a number of rounds, and is answered with how many there were in all.
 *
 *   many_buffers COUNT [REPLACE_EVERY]
 *
 * In round K the CPU writes K into dword 0 of buffer 7 * K, and a submission writes K into dword 1
 * of buffer 11 * K (modulo COUNT). Before each round that REPLACE_EVERY divides, another buffer
 * takes the place of buffer 3 * K, with zeros, and K in dword 2. At the end it prints dwords 0 to 2
 * of each buffer, with its address. */
#include "buffer.h"

#include <inttypes.h>
#include <string.h>

#include "pm4/build.h"

enum { SIZE_B = 4096 };

static struct gpu gpu;

static struct buffer make(void)
{
	struct buffer b =
		make_buffer(&gpu, SIZE_B, AMDGPU_GEM_DOMAIN_GTT, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID);
	map_buffer(&b);
	memset(b.cpu, 0, SIZE_B);
	return b;
}

static void submit(const struct buffer *ib, const struct buffer *to, uint32_t value)
{
	struct bw_pm4_stream s = {0};
	bw_pm4_put_write_mem(&s, to->va + 4, &value, 1);
	must(s.failed, "packets");
	memcpy(ib->cpu, s.data, s.len * 4);
	struct amdgpu_cs_ib_info info = {.ib_mc_address = ib->va, .size = (uint32_t)s.len};
	struct amdgpu_cs_request req = {
		.ip_type = AMDGPU_HW_IP_COMPUTE, .number_of_ibs = 1, .ibs = &info};
	struct amdgpu_cs_fence fence = {.context = gpu.ctx, .ip_type = AMDGPU_HW_IP_COMPUTE};
	uint32_t has_ended = 0;
	must(amdgpu_cs_submit(gpu.ctx, 0, &req, 1), "a submission");
	fence.fence = req.seq_no;
	must(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &has_ended),
	     "a wait");
	bw_pm4_stream_free(&s);
}

static void one_round(struct buffer *all, uint32_t n, const struct buffer *ib, uint32_t k,
		      uint32_t replace_every)
{
	if (replace_every && k % replace_every == 0) {
		struct buffer *b = &all[3 * k % n];
		drop_buffer(b);
		*b = make();
		b->cpu[2] = k;
	}
	all[7 * k % n].cpu[0] = k;
	submit(ib, &all[11 * k % n], k);
}

int main(int argc, char **argv)
{
	const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	const uint32_t replace_every = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
	uint32_t k = 0;
	char line[32];
	struct buffer *all = calloc(n, sizeof(*all));
	must(!all || !n, "buffers");
	gpu = open_gpu();
	struct buffer ib = make();
	for (uint32_t i = 0; i < n; i++)
		all[i] = make();
	while (fgets(line, sizeof(line), stdin)) {
		for (int left = atoi(line); left > 0; left--) {
			k++;
			one_round(all, n, &ib, k, replace_every);
		}
		printf("%" PRIu32 "\n", k);
		fflush(stdout);
	}
	for (uint32_t i = 0; i < n; i++) {
		printf("0x%" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", all[i].va,
		       all[i].cpu[0], all[i].cpu[1], all[i].cpu[2]);
		drop_buffer(&all[i]);
	}
	drop_buffer(&ib);
	free(all);
	close_gpu(&gpu);
	return 0;
}
