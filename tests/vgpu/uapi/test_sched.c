/* SPDX-License-Identifier: MIT */
/* What the driver believes of the GPU's memory: debuggers, and the GPU itself, write there as they
 * like. */
#include "harness.h"

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, IB = 0x30000000, NOP = 0x30001000, DATA = 0x20000000 };
/* Offsets and vectors: osssys 6.0 (doc/hardware/device.md 3), gfxhub 11.0.0 */
enum { IH_RB_BASE = 0x81, IH_RB_RPTR = 0x83, IH_RB_WPTR = 0x84, FB_BASE = 0x1678 };
enum { IH_RING_B = 256 << 10, IH_VECTOR_B = 32 };
enum { CLIENT_CP = 0x14, CLIENT_GFX = 0x0a, CP_EOP = 181, BAD_OPCODE = 183, SDMA_HANG = 55 };

struct setup {
	struct client c;
	struct buffer ib, nop, data;
	uint32_t ctx, vram;
	uint64_t seq; /* of a job that waits until the first word of `data` is 1 */
};

static void prepare(struct setup *s)
{
	struct bw_pm4_stream p = {0};
	open_client(&s->c);
	s->ib = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	s->nop = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, NOP);
	s->data = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	s->ctx = make_ctx(&s->c);
	*(uint32_t *)s->nop.cpu = 0xffff1000;
	bw_pm4_put_wait_mem(&p, DATA, 3, 1, ~0u);
	memcpy(s->ib.cpu, p.data, p.len * 4);
	assert_int_equal(submit(&s->c, s->ctx, COMPUTE, 0, IB, (uint32_t)p.len, NULL, 0, &s->seq),
			 0);
	bw_pm4_stream_free(&p);
	assert_int_equal(file_open(&s->c, "debug/dri/" PCI "/amdgpu_vram", O_RDWR, &s->vram), 0);
}

/* A job of another queue from its submission to its end. */
static void run_another(struct setup *s)
{
	uint64_t seq, status;
	assert_int_equal(submit(&s->c, s->ctx, COMPUTE, 1, NOP, 1, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&s->c, s->ctx, COMPUTE, 1, seq, SECONDS(60), &status), 0);
	assert_int_equal(status, 0);
}

static void still_waits_and_then_ends(struct setup *s)
{
	uint64_t status;
	assert_int_equal(wait_cs(&s->c, s->ctx, COMPUTE, 0, s->seq, 0, &status), 0);
	assert_int_equal(status, 1);
	*(volatile uint32_t *)s->data.cpu = 1;
	assert_int_equal(wait_cs(&s->c, s->ctx, COMPUTE, 0, s->seq, SECONDS(60), &status), 0);
	assert_int_equal(status, 0);
	run_another(s);
}

static uint32_t osssys(uint32_t reg)
{
	return bw_profile_navi31.osssys.segment[0] + reg;
}

static void write_reg(struct client *c, uint32_t addr_dw, uint32_t value)
{
	uint32_t file;
	uint64_t pos = 4ull * addr_dw;
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_regs2", O_RDWR, &file), 0);
	assert_int_equal(file_write(c, file, &pos, &value, 4), 4);
	close_file(c, file);
}

/* Where in VRAM the fence of a compute ring is: RELEASE_MEM of its job says it. */
static uint64_t fence_of(struct setup *s, unsigned pipe)
{
	char path[64];
	uint32_t file, dw[3 + 256];
	uint64_t pos = 0, fb = (uint64_t)read_reg(&s->c, bw_profile_navi31.gc.segment[0] + FB_BASE)
			       << 24;
	snprintf(path, sizeof(path), "debug/dri/" PCI "/amdgpu_ring_comp_1.%u.0", pipe);
	assert_int_equal(file_open(&s->c, path, O_RDONLY, &file), 0);
	assert_int_equal(file_read(&s->c, file, &pos, dw, sizeof(dw)), sizeof(dw));
	close_file(&s->c, file);
	for (unsigned i = 3; i < 3 + 250; i++)
		if (dw[i] >> 30 == 3 && (dw[i] >> 8 & 0xff) == 0x49)
			return (dw[i + 3] | (uint64_t)dw[i + 4] << 32) - fb;
	return 0;
}

static void a_fence_ahead_of_the_ring(void **state)
{
	static const uint64_t lies[] = {UINT64_MAX, 1ull << 63, 1000};
	for (size_t i = 0; i < BW_ARRAY_SIZE(lies); i++) {
		struct setup s;
		prepare(&s);
		unsigned n_found = 0;
		for (unsigned pipe = 0; pipe < 4; pipe++) {
			uint64_t pos = fence_of(&s, pipe);
			n_found += pos != 0;
			if (pos)
				assert_int_equal(file_write(&s.c, s.vram, &pos, &lies[i], 8), 8);
		}
		assert_true(n_found);
		run_another(&s);
		still_waits_and_then_ends(&s);
		close_client(&s.c);
	}
}

/* Interrupts that nobody raised, of every queue, by way of the ring's memory and write pointer. */
static void forged_interrupts(void **state)
{
	struct setup s;
	prepare(&s);
	uint64_t base = ((uint64_t)read_reg(&s.c, osssys(IH_RB_BASE)) << 8) -
			((uint64_t)read_reg(&s.c, bw_profile_navi31.gc.segment[0] + FB_BASE) << 24);
	uint32_t at = read_reg(&s.c, osssys(IH_RB_WPTR));
	for (unsigned i = 0; i < 4 + 2; i++, at += IH_VECTOR_B) {
		uint64_t pos = base + at;
		uint32_t dw[8] = {i < 4 ? CLIENT_CP | BAD_OPCODE << 8 | (i | 1 << 2) << 16
					: CLIENT_GFX | SDMA_HANG << 8 | (i - 4) << 20};
		assert_int_equal(file_write(&s.c, s.vram, &pos, dw, sizeof(dw)), sizeof(dw));
	}
	write_reg(&s.c, osssys(IH_RB_WPTR), at);
	struct drm_syncobj_create create = {0};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
	struct drm_syncobj_array one = {.handles = (uintptr_t)&create.handle, .count_handles = 1};
	while (read_reg(&s.c, osssys(IH_RB_RPTR)) != at) {
		/* wakes the driver */
		assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_SIGNAL, &one), 0);
		usleep(1000);
	}
	still_waits_and_then_ends(&s);
	close_client(&s.c);
}

/* A write pointer in the middle of a vector, or beyond the ring, which says of each vector that
 * work has ended. */
static void a_write_pointer_between_vectors(void **state)
{
	static const uint32_t wptrs[] = {8, 0x40008, 0xfffffff8};
	static uint32_t ring[IH_RING_B / 4];
	for (size_t i = 0; i < BW_ARRAY_SIZE(ring); i += IH_VECTOR_B / 4)
		ring[i] = CLIENT_CP | CP_EOP << 8;
	for (size_t i = 0; i < BW_ARRAY_SIZE(wptrs); i++) {
		struct setup s;
		prepare(&s);
		uint32_t base = read_reg(&s.c, osssys(IH_RB_BASE));
		uint64_t pos =
			((uint64_t)base << 8) -
			((uint64_t)read_reg(&s.c, bw_profile_navi31.gc.segment[0] + FB_BASE) << 24);
		assert_int_equal(file_write(&s.c, s.vram, &pos, ring, sizeof(ring)), sizeof(ring));
		/* 1 GiB further: the driver sees no interrupt of the GPU */
		write_reg(&s.c, osssys(IH_RB_BASE), base + (1 << 22));
		write_reg(&s.c, osssys(IH_RB_WPTR), wptrs[i]);
		run_another(&s);
		still_waits_and_then_ends(&s);
		write_reg(&s.c, osssys(IH_RB_BASE), base);
		close_client(&s.c);
	}
}

TESTS_EACH(start_gpu, stop_gpu, a_fence_ahead_of_the_ring, forged_interrupts,
	   a_write_pointer_between_vectors);
