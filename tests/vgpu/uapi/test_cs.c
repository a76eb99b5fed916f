/* SPDX-License-Identifier: MIT */
#include "harness.h"

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, GFX = AMDGPU_HW_IP_GFX };
enum { CODE = 0x10000000, DATA = 0x20000000, IB = 0x30000000, IB2 = 0x30010000 };

/* An IB of the packets in a stream. */
static uint32_t put_ib(struct buffer *ib, struct bw_pm4_stream *s)
{
	assert_false(s->failed);
	assert_true(s->len * 4 <= ib->size_b);
	memcpy(ib->cpu, s->data, s->len * 4);
	uint32_t n = (uint32_t)s->len;
	bw_pm4_stream_free(s);
	return n;
}

static uint32_t put_nops(struct buffer *ib)
{
	struct bw_pm4_stream s = {0};
	bw_pm4_put_nop(&s, 8);
	return put_ib(ib, &s);
}

/* Dependencies cost what they are worth: a million times the same is one. Looked at one by one,
 * everybody would wait for minutes. */
static void many_dependencies_on_one_fence(void **state)
{
	enum { N = 1000000, TOO_MANY = (1 << 20) + 1 };
	struct client c, other;
	open_client(&c);
	open_client(&other);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	struct bw_pm4_stream p = {0};
	bw_pm4_put_wait_mem(&p, DATA, 3, 1, ~0u);
	uint32_t n = put_ib(&ib, &p), ctx = make_ctx(&c);
	uint64_t first, second, status;
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n, NULL, 0, &first), 0);
	struct drm_amdgpu_cs_chunk_dep *deps = calloc(TOO_MANY, sizeof(*deps));
	for (unsigned i = 0; i < TOO_MANY; i++)
		deps[i] = (struct drm_amdgpu_cs_chunk_dep){COMPUTE, 0, 0, ctx, first};
	struct chunk chunk = {AMDGPU_CHUNK_ID_DEPENDENCIES, deps, N * sizeof(*deps)};
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB, n, &chunk, 1, &second), 0);
	chunk.size_b = TOO_MANY * sizeof(*deps); /* BW_DRM_MAX_STEPS */
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB, n, &chunk, 1, NULL), -ENOMEM);
	free(deps);
	assert_int_equal(server_info(&other).clients, 2);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 1, second, 0, &status), 0);
	assert_int_equal(status, 1);
	*(volatile uint32_t *)data.cpu = 1;
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 1, second, SECONDS(60), &status), 0);
	assert_int_equal(status, 0);
	close_client(&c);
	close_client(&other);
}

static void a_nop_ib_completes(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer fence = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	uint32_t n = put_nops(&ib), ctx = make_ctx(&c);
	for (uint64_t i = 1; i <= 40; i++) {
		struct drm_amdgpu_cs_chunk_fence uf = {fence.handle, 256};
		uint64_t seq = 0, status = 7;
		assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n,
					&(struct chunk){AMDGPU_CHUNK_ID_FENCE, &uf, sizeof(uf)}, 1,
					&seq),
				 0);
		assert_int_equal(seq, i);
		assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
		assert_int_equal(status, 0);
		assert_int_equal(((volatile uint64_t *)fence.cpu)[32], i); /* before the signal */
	}
	uint64_t status;
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, UINT64_MAX, 0, &status),
			 0); /* the last one */
	assert_int_equal(status, 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, 41, 0, &status),
			 -EINVAL);					  /* not yet submitted */
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, 1, 0, &status), 0); /* long forgotten */
	uint64_t seq;
	assert_int_equal(submit(&c, ctx, GFX, 0, IB, n, NULL, 0, &seq), 0); /* counts by itself */
	assert_int_equal(seq, 1);
	assert_int_equal(wait_cs(&c, ctx, GFX, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
	close_client(&c);
}

/* Both engines of a context, with sequence numbers of their own; a bad packet resets the whole
 * GPU, since SDMA v6 has no reset of its own: its context is guilty and submits no more, and others
 * see that there was a reset. */
static void sdma_copies(void **state)
{
	enum { DMA = AMDGPU_HW_IP_DMA };
	struct client c, other;
	open_client(&c);
	open_client(&other);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	struct buffer ib2 = make_buffer(&other, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	uint32_t *p = (uint32_t *)data.cpu, ctx = make_ctx(&c);
	/* COPY_LINEAR of 16 bytes, CONSTANT_FILL of 8 */
	const uint32_t good[] = {1,	     15, 0,	 DATA, 0, DATA + 64, 0, 11 | 2u << 30,
				 DATA + 128, 0,	 0x5555, 7};
	memcpy(ib.cpu, good, sizeof(good));
	for (uint32_t i = 0; i < 4; i++)
		p[i] = i + 100;
	uint64_t seq, status;
	for (uint32_t ring = 0; ring < 2; ring++) {
		p[16] = p[32] = 0;
		assert_int_equal(submit(&c, ctx, DMA, ring, IB, BW_ARRAY_SIZE(good), NULL, 0, &seq),
				 0);
		assert_int_equal(seq, 1);
		assert_int_equal(wait_cs(&c, ctx, DMA, ring, seq, SECONDS(10), &status), 0);
		assert_int_equal(status, 0);
		assert_memory_equal(p + 16, p, 16);
		assert_int_equal(p[33], 0x5555);
		assert_int_equal(p[34], 0);
	}
	/* Another program's memory is not mapped here. */
	memcpy(ib2.cpu, good, sizeof(good));
	uint32_t ctx2 = make_ctx(&other);
	assert_int_equal(submit(&other, ctx2, DMA, 0, IB, BW_ARRAY_SIZE(good), NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&other, ctx2, DMA, 0, seq, SECONDS(10), &status), -ECANCELED);
	assert_int_equal(submit(&other, ctx2, DMA, 0, IB, BW_ARRAY_SIZE(good), NULL, 0, &seq),
			 -ECANCELED);
	assert_int_equal(submit(&other, ctx2, GFX, 0, IB, 1, NULL, 0, &seq), -ECANCELED);
	assert_int_equal(state2(&other, ctx2),
			 AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
	assert_int_equal(state2(&c, ctx), AMDGPU_CTX_QUERY2_FLAGS_RESET);
	char *log = file_text(&c, "log");
	assert_non_null(strstr(log, "ring sdma0 timeout, signaled seq="));
	assert_non_null(strstr(log, "GPU reset begin!"));
	assert_non_null(strstr(log, "GPU reset(1) succeeded!"));
	assert_null(strstr(log, "soft recovered"));
	free(log);
	p[16] = 0;
	assert_int_equal(submit(&c, ctx, DMA, 0, IB, BW_ARRAY_SIZE(good), NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, DMA, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(p[16], 100);
	close_client(&other);
	close_client(&c);
}

static void a_kernel_runs(void **state)
{
	/* v_mov_b32 v1, 0x1234; v_lshlrev_b32 v0, 2, v0; global_store_b32 v0, v1, s[0:1]; s_endpgm
	 */
	static const uint32_t code[] = {0x7e0202ff, 0x1234,	0x30000082,
					0xdc6a0000, 0x00000100, 0xbfb00000};
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer program = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, CODE);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	memcpy(program.cpu, code, sizeof(code));
	struct bw_pm4_stream s = {0};
	put_kernel(&s, CODE, DATA, 1);
	uint32_t n = put_ib(&ib, &s), ctx = make_ctx(&c);
	uint64_t seq, status;
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB, n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 1, seq, SECONDS(20), &status), 0);
	assert_int_equal(status, 0);
	for (unsigned i = 0; i < 33; i++)
		assert_int_equal(((uint32_t *)data.cpu)[i], i < 32 ? 0x1234 : 0);
	struct bw_vgpu_server_info info = server_info(&c);
	assert_int_equal(info.dispatches, 1);
	assert_int_equal(info.waves_launched, 1);
	assert_int_equal(info.waves_resident, 0);
	close_client(&c);
}

/* Two jobs on different rings: the first waits in memory for the test, the second depends on it. */
static void a_dependency_orders_two_rings(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer first = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer second = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB2);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	volatile uint32_t *word = data.cpu;
	struct bw_pm4_stream s = {0};
	bw_pm4_put_wait_mem(&s, DATA, 3, 1, ~0u);
	bw_pm4_put_write_mem(&s, DATA + 4, &(uint32_t){11}, 1);
	uint32_t n1 = put_ib(&first, &s);
	bw_pm4_put_write_mem(&s, DATA + 8, &(uint32_t){22}, 1);
	uint32_t n2 = put_ib(&second, &s);

	uint32_t ctx = make_ctx(&c);
	uint64_t seq1, seq2, status;
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n1, NULL, 0, &seq1), 0);
	struct drm_amdgpu_cs_chunk_dep dep = {COMPUTE, 0, 0, ctx, seq1};
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB2, n2,
				&(struct chunk){AMDGPU_CHUNK_ID_DEPENDENCIES, &dep, sizeof(dep)}, 1,
				&seq2),
			 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 1, seq2, (uint64_t)now_ns() + 50000000, &status),
			 0);
	assert_int_equal(status, 1); /* still busy */
	assert_int_equal(word[2], 0);
	/* One that depends on nothing is not held up. */
	uint64_t seq3;
	assert_int_equal(submit(&c, ctx, COMPUTE, 2, IB2, n2, NULL, 0, &seq3), 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 2, seq3, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(word[2], 22);
	word[2] = 0;
	word[0] = 1;
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 1, seq2, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(word[1], 11);
	assert_int_equal(word[2], 22);
	/* A dependency on a fence that has signalled, and on one that does not exist. */
	dep.handle = UINT64_MAX - 5;
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB2, n2,
				&(struct chunk){AMDGPU_CHUNK_ID_DEPENDENCIES, &dep, sizeof(dep)}, 1,
				NULL),
			 -EINVAL);
	dep.handle = seq1;
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB2, n2,
				&(struct chunk){AMDGPU_CHUNK_ID_DEPENDENCIES, &dep, sizeof(dep)}, 1,
				NULL),
			 0);
	close_client(&c);
}

static void unmapping_waits_for_jobs(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer flag = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA + 0x10000);
	uint32_t *cpu = data.cpu;
	struct bw_pm4_stream s = {0};
	bw_pm4_put_wait_mem(&s, DATA, 3, 1, ~0u);
	bw_pm4_put_write_mem(&s, DATA + 0x10000, &(uint32_t){5}, 1);
	uint32_t n = put_ib(&ib, &s), ctx = make_ctx(&c);
	uint64_t seq, status;
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n, NULL, 0, &seq), 0);
	/* The program frees everything while the job still waits, as Vulkan programs do. */
	data.cpu = NULL;
	free_buffer(&c, &data);
	struct buffer other = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA + 0x10000);
	*(volatile uint32_t *)flag.cpu = 1;
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(cpu[0], 5); /* the job had the old mapping */
	assert_int_equal(*(uint32_t *)other.cpu, 0);
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(*(uint32_t *)other.cpu, 5); /* the next one has the new one */
	munmap(cpu, 4096);
	close_client(&c);
}

static void a_gang_starts_together(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer a = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer b = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB2);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	struct bw_pm4_stream s = {0};
	/* Each waits for the other: neither ends if they do not run at the same time. */
	bw_pm4_put_write_mem(&s, DATA, &(uint32_t){1}, 1);
	bw_pm4_put_wait_mem(&s, DATA + 4, 3, 1, ~0u);
	uint32_t na = put_ib(&a, &s);
	bw_pm4_put_write_mem(&s, DATA + 4, &(uint32_t){1}, 1);
	bw_pm4_put_wait_mem(&s, DATA, 3, 1, ~0u);
	uint32_t nb = put_ib(&b, &s), ctx = make_ctx(&c);
	struct drm_amdgpu_cs_chunk_ib other = {
		.va_start = IB2, .ib_bytes = nb * 4, .ip_type = COMPUTE, .ring = 2};
	uint64_t seq, status;
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, na,
				&(struct chunk){AMDGPU_CHUNK_ID_IB, &other, sizeof(other)}, 1,
				&seq),
			 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 2, seq, SECONDS(10), &status),
			 0); /* the last IB's ring leads */
	assert_int_equal(status, 0);
	assert_int_equal(((uint32_t *)data.cpu)[0] + ((uint32_t *)data.cpu)[1], 2);
	close_client(&c);
}

/* IBs for the constant engine, which gfx11 does not have, are taken and run; one IB of each of the
 * two engines may be preempted (amdgpu_cs_p2_ib, gfx_v11_0_ring_emit_ib_gfx). */
static void ibs_of_the_constant_engine(void **state)
{
	enum { CE = AMDGPU_IB_FLAG_CE, PREEMPT = AMDGPU_IB_FLAG_PREEMPT };
	static const struct {
		uint32_t flags[2];
		int result;
	} rows[] = {
		{{CE, 0}, 0},
		{{CE | PREEMPT, PREEMPT}, 0},
		{{PREEMPT, PREEMPT}, -EINVAL},
		{{CE | PREEMPT, CE | PREEMPT}, -EINVAL},
	};
	struct client c;
	open_client(&c);
	struct buffer nops = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer write = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB2);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	/* WRITE_DATA of one dword to memory, confirmed */
	const uint32_t packet[] = {0xc0033700, 5 << 8 | 1 << 20, DATA, 0, 0x77};
	memcpy(write.cpu, packet, sizeof(packet));
	uint32_t n = put_nops(&nops), ctx = make_ctx(&c);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct drm_amdgpu_cs_chunk_ib ibs[2];
		struct chunk more[2];
		uint64_t seq, status;
		for (unsigned k = 0; k < 2; k++) {
			ibs[k] = (struct drm_amdgpu_cs_chunk_ib){.flags = rows[i].flags[k],
								 .va_start = IB2,
								 .ib_bytes = sizeof(packet),
								 .ip_type = GFX};
			more[k] = (struct chunk){AMDGPU_CHUNK_ID_IB, &ibs[k], sizeof(ibs[k])};
		}
		*(uint32_t *)data.cpu = 0;
		assert_int_equal(submit(&c, ctx, GFX, 0, IB, n, more, 2, &seq), rows[i].result);
		if (rows[i].result)
			continue;
		assert_int_equal(wait_cs(&c, ctx, GFX, 0, seq, SECONDS(10), &status), 0);
		assert_int_equal(*(uint32_t *)data.cpu, 0x77);
	}
	close_client(&c);
}

static void bad_submissions_are_refused(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer big = make_buffer(&c, 8192, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	uint32_t n = put_nops(&ib), ctx = make_ctx(&c), handle99 = 99;
	struct drm_amdgpu_cs_chunk_fence uf = {big.handle, 0}, uf2 = {ib.handle, 4089},
					 uf3 = {99, 0};
	/* clang-format off */
	struct drm_amdgpu_bo_list_in list = {
		.operation = ~0u,
		.list_handle = ~0u,
		.bo_number = 1,
		.bo_info_size = 8,
		.bo_info_ptr = (uintptr_t) & (struct drm_amdgpu_bo_list_entry){99, 0}};
	struct drm_amdgpu_bo_list_in huge = list;
	huge.bo_number = UINT32_MAX;
	struct drm_amdgpu_cs_chunk_syncobj timeline = {99, 0, 1}, odd = {99, 8, 1};
	uint64_t shadow[4] = {0, 0, 0, 2};
	/* clang-format off */
	const struct { struct chunk chunk; int result; } rows[] = {
		{{AMDGPU_CHUNK_ID_FENCE, &uf, sizeof(uf)}, -EINVAL},            /* not one page */
		{{AMDGPU_CHUNK_ID_FENCE, &uf2, sizeof(uf2)}, -EINVAL},          /* over its end */
		{{AMDGPU_CHUNK_ID_FENCE, &uf3, sizeof(uf3)}, -EINVAL},
		{{AMDGPU_CHUNK_ID_FENCE, &uf, 4}, -EINVAL},
		{{AMDGPU_CHUNK_ID_IB, &uf, 8}, -EINVAL},
		{{0x0b, &uf, 8}, -EINVAL}, {{0, &uf, 8}, -EINVAL}, {{UINT32_MAX, &uf, 8}, -EINVAL},
		{{AMDGPU_CHUNK_ID_BO_HANDLES, &list, sizeof(list)}, -ENOENT},
		{{AMDGPU_CHUNK_ID_BO_HANDLES, &huge, sizeof(huge)}, -EINVAL},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_IN, &handle99, 4}, -ENOENT},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &handle99, 4}, -EINVAL},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, &timeline, sizeof(timeline)}, -ENOENT},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, &timeline, sizeof(timeline)}, -EINVAL},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, &odd, sizeof(odd)}, -ENOENT},
		{{0x0a, shadow, sizeof(shadow)}, -EINVAL}, {{0x0a, shadow, 16}, -EINVAL},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_IN, (void *)16, 4}, -EFAULT},
		{{AMDGPU_CHUNK_ID_SYNCOBJ_IN, &handle99, UINT32_MAX - 3}, -ENOMEM},
	};
	/* clang-format on */
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		int r = submit(&c, ctx, COMPUTE, 0, IB, n, &rows[i].chunk, 1, NULL);
		if (r != rows[i].result)
			fail_msg("row %zu: %d, not %d", i, r, rows[i].result);
	}
	assert_int_equal(submit(&c, 99, COMPUTE, 0, IB, n, NULL, 0, NULL), -EINVAL);  /* context */
	assert_int_equal(submit(&c, ctx, COMPUTE, 4, IB, n, NULL, 0, NULL), -EINVAL); /* ring */
	assert_int_equal(submit(&c, ctx, AMDGPU_HW_IP_DMA, 2, IB, n, NULL, 0, NULL), -EINVAL);
	assert_int_equal(submit(&c, ctx, 1000, 0, IB, n, NULL, 0, NULL), -EINVAL);
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, 1 << 20, NULL, 0, NULL),
			 -EINVAL); /* IB too long */

	union drm_amdgpu_cs cs = {.in = {.ctx_id = ctx, .num_chunks = 0}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -EINVAL);
	cs.in.num_chunks = 1u << 31;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -ENOMEM);
	cs.in.num_chunks = UINT32_MAX;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -ENOMEM);
	cs.in.num_chunks = 3, cs.in.chunks = 64;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -EFAULT);
	uint64_t pointers[2] = {32, 48};
	cs.in.num_chunks = 2, cs.in.chunks = (uintptr_t)pointers;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -EFAULT);
	cs.in.bo_list_handle = 5;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -EFAULT);

	/* Five rings in one call: a gang has at most four members. */
	struct drm_amdgpu_cs_chunk_ib ibs[5];
	struct chunk more[5];
	for (unsigned i = 0; i < 5; i++) {
		ibs[i] = (struct drm_amdgpu_cs_chunk_ib){.va_start = IB,
							 .ib_bytes = n * 4,
							 .ip_type = i < 4 ? COMPUTE : GFX,
							 .ring = i < 4 ? i : 0};
		more[i] = (struct chunk){AMDGPU_CHUNK_ID_IB, &ibs[i], sizeof(ibs[i])};
	}
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n, more, 5, NULL), -EINVAL);
	/* And it all still works. */
	uint64_t seq, status;
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
	close_client(&c);
}

static uint32_t make_syncobj(struct client *c, uint32_t flags)
{
	struct drm_syncobj_create a = {.flags = flags};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_SYNCOBJ_CREATE, &a), 0);
	return a.handle;
}

static bool is_signaled(struct client *c, uint32_t handle, uint64_t point)
{
	struct drm_syncobj_timeline_wait w = {.handles = (uintptr_t)&handle,
					      .points = (uintptr_t)&point,
					      .timeout_nsec = (int64_t)SECONDS(10),
					      .count_handles = 1,
					      .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
						       DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
	return !drm_ioctl(c, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

/* Every kind of chunk in one call, beginning with each of them in turn: what they say does not
 * depend on where they stand, but the IBs run in their order. */
static void chunks_in_any_order(void **state)
{
	enum { N = 10 };
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	struct buffer fence = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	/* Three IBs: 1, then what is there to the next word, then 3. */
	struct bw_pm4_stream s = {0};
	uint32_t at[4] = {0};
	bw_pm4_put_write_mem(&s, DATA, &(uint32_t){1}, 1);
	at[1] = (uint32_t)s.len;
	BW_PM4_BUILD(&s, copy_data, .source_is = BW_PM4_COPY_SRC_MEM,
		     .destination_is = BW_PM4_COPY_DST_MEM, .confirm = true, .source = DATA,
		     .destination = DATA + 4);
	at[2] = (uint32_t)s.len;
	bw_pm4_put_write_mem(&s, DATA, &(uint32_t){3}, 1);
	at[3] = put_ib(&ib, &s);
	uint32_t ctx = make_ctx(&c), in = make_syncobj(&c, DRM_SYNCOBJ_CREATE_SIGNALED);
	uint32_t timeline_in = make_syncobj(&c, 0), n_nops;
	uint64_t seq, status, one = 1;
	struct buffer nops = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB2);
	n_nops = put_nops(&nops);
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB2, n_nops, NULL, 0, &seq), 0);
	struct drm_syncobj_timeline_array signal = {
		.handles = (uintptr_t)&timeline_in, .points = (uintptr_t)&one, .count_handles = 1};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &signal), 0);

	struct drm_amdgpu_cs_chunk_ib ibs[3];
	for (unsigned i = 0; i < 3; i++)
		ibs[i] = (struct drm_amdgpu_cs_chunk_ib){.va_start = IB + at[i] * 4,
							 .ib_bytes = (at[i + 1] - at[i]) * 4,
							 .ip_type = GFX};
	struct drm_amdgpu_bo_list_entry entries[] = {
		{data.handle, 0}, {ib.handle, 0}, {data.handle, 3}};
	struct drm_amdgpu_bo_list_in list = {.operation = ~0u,
					     .list_handle = ~0u,
					     .bo_number = BW_ARRAY_SIZE(entries),
					     .bo_info_size = sizeof(entries[0]),
					     .bo_info_ptr = (uintptr_t)entries};
	struct drm_amdgpu_cs_chunk_fence uf = {fence.handle, 512};
	struct drm_amdgpu_cs_chunk_dep dep = {COMPUTE, 0, 1, ctx, seq};
	struct drm_amdgpu_cs_chunk_syncobj wait = {timeline_in, 0, 1};
	uint64_t shadow[4] = {0, 0, 0, 1};
	for (unsigned first = 0; first < N; first++) {
		uint32_t out = make_syncobj(&c, 0);
		struct drm_amdgpu_cs_chunk_syncobj post = {out, 0, 7};
		bool binary = first & 1;
#define CHUNK(id, x) {AMDGPU_CHUNK_ID_##id, sizeof(x) / 4, (uintptr_t)&(x)}
		struct drm_amdgpu_cs_chunk chunks[N] = {
			CHUNK(IB, ibs[0]),
			CHUNK(SYNCOBJ_IN, in),
			CHUNK(FENCE, uf),
			CHUNK(DEPENDENCIES, dep),
			CHUNK(SYNCOBJ_TIMELINE_WAIT, wait),
			CHUNK(SCHEDULED_DEPENDENCIES, dep),
			{0x0a, sizeof(shadow) / 4, (uintptr_t)shadow},
			CHUNK(BO_HANDLES, list),
			CHUNK(SYNCOBJ_TIMELINE_SIGNAL, post),
			CHUNK(IB, ibs[1])};
		if (binary)
			chunks[8] = (struct drm_amdgpu_cs_chunk)CHUNK(SYNCOBJ_OUT, out);
		uint64_t pointers[N + 1];
		struct drm_amdgpu_cs_chunk last = CHUNK(IB, ibs[2]);
		unsigned n = 0;
		/* The second IB stays between the other two. */
		for (unsigned i = 0; i < N; i++) {
			unsigned k = (first + i) % N;
			if (k != 0 && k != 9)
				pointers[n++] = (uintptr_t)&chunks[k];
			if (i == 2)
				pointers[n++] = (uintptr_t)&chunks[0];
			if (i == 6)
				pointers[n++] = (uintptr_t)&chunks[9];
		}
		pointers[n++] = (uintptr_t)&last;
		assert_int_equal(n, N + 1);
		memset(data.cpu, 0, 8);
		union drm_amdgpu_cs cs = {
			.in = {.ctx_id = ctx, .num_chunks = n, .chunks = (uintptr_t)pointers}};
		assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), 0);
		assert_int_equal(wait_cs(&c, ctx, GFX, 0, cs.out.handle, SECONDS(20), &status), 0);
		assert_int_equal(status, 0);
		assert_int_equal(((uint32_t *)data.cpu)[0], 3);
		assert_int_equal(((uint32_t *)data.cpu)[1], 1);
		assert_int_equal(((uint64_t *)fence.cpu)[64], cs.out.handle);
		assert_true(is_signaled(&c, out, binary ? 0 : 7));
		if (!binary) /* two lists of what is signalled are one too many */
			chunks[1] = (struct drm_amdgpu_cs_chunk)CHUNK(SYNCOBJ_OUT, out);
		else
			chunks[1] =
				(struct drm_amdgpu_cs_chunk)CHUNK(SYNCOBJ_TIMELINE_SIGNAL, post);
		cs = (union drm_amdgpu_cs){
			.in = {.ctx_id = ctx, .num_chunks = n, .chunks = (uintptr_t)pointers}};
		assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -EINVAL);
	}
	close_client(&c);
}

static void many_jobs_at_once(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	uint32_t n = put_nops(&ib), ctx[3];
	uint64_t seq[3][4], status;
	for (unsigned i = 0; i < 3; i++)
		ctx[i] = make_ctx(&c);
	for (unsigned k = 0; k < 200; k++)
		for (unsigned i = 0; i < 3; i++)
			for (unsigned ring = 0; ring < 4; ring++)
				assert_int_equal(submit(&c, ctx[i], COMPUTE, ring, IB, n, NULL, 0,
							&seq[i][ring]),
						 0);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned ring = 0; ring < 4; ring++) {
			assert_int_equal(seq[i][ring], 200);
			assert_int_equal(
				wait_cs(&c, ctx[i], COMPUTE, ring, 200, SECONDS(20), &status), 0);
			assert_int_equal(status, 0);
		}
	}
	close_client(&c);
}

TESTS_EACH(start_gpu, stop_gpu, many_dependencies_on_one_fence, a_nop_ib_completes, a_kernel_runs,
	   sdma_copies, a_dependency_orders_two_rings, unmapping_waits_for_jobs,
	   a_gang_starts_together, ibs_of_the_constant_engine, bad_submissions_are_refused,
	   chunks_in_any_order, many_jobs_at_once);
