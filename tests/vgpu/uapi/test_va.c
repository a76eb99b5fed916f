/* SPDX-License-Identifier: MIT */
#include "harness.h"

#define MAP AMDGPU_VA_OP_MAP
#define UNMAP AMDGPU_VA_OP_UNMAP
#define CLEAR AMDGPU_VA_OP_CLEAR
#define REPLACE AMDGPU_VA_OP_REPLACE
enum { RW = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE };

static void checks_come_in_the_kernels_order(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t h = make_buffer(&c, 0x4000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0).handle;
	const uint64_t top = (1ull << 48) - 0x410000;
	static const uint32_t bad = 1 << 20;
	/* clang-format off */
	const struct { uint32_t op, handle; uint64_t va, offset, size; uint32_t flags; int result; } rows[] = {
		{MAP, h, 0xffff, 0, 0x1000, RW, -EINVAL},                     /* below 64 KiB */
		{MAP, 77, 0xf000, 0, 0x1000, RW, -EINVAL},                    /* before the handle is looked at */
		{MAP, h, 0x800000000000, 0, 0x1000, RW, -EINVAL},             /* the hole */
		{MAP, h, 0xffff7ffffffff000, 0, 0x1000, RW, -EINVAL},
		{MAP, h, 0xffff000000000000 | top, 0, 0x1000, RW, -EINVAL},   /* reserved top */
		{MAP, 77, 0x100000, 0, 0x1000, bad, -EINVAL},                 /* flags before the handle */
		{MAP, h, 0x100000, 0, 0x1000, AMDGPU_VM_PAGE_PRT | RW, -EINVAL},
		{9, 77, 0x100000, 0, 0x1000, RW, -EINVAL},                    /* operation before the handle */
		{0, h, 0x100000, 0, 0x1000, RW, -EINVAL},
		{MAP, 77, 0x100001, 0, 0x1000, RW, -ENOENT},                  /* handle before alignment */
		{UNMAP, 77, 0x100000, 0, 0x1000, RW, -ENOENT},
		{MAP, h, 0x100001, 0, 0x1000, RW, -EINVAL},
		{MAP, h, 0x100000, 1, 0x1000, RW, -EINVAL},
		{MAP, h, 0x100000, 0, 0x1001, RW, -EINVAL},
		{MAP, h, 0x100000, 0, 0, RW, -EINVAL},
		{MAP, h, 0x100000, 0, 0x5000, RW, -EINVAL},                   /* beyond the buffer */
		{MAP, h, 0x100000, 0x4000, 0x1000, RW, -EINVAL},
		{MAP, h, 0x100000, 0xfffffffffffff000, 0x2000, RW, -EINVAL},
		{MAP, h, 0x100000, 0, 0xfffffffffffff000, RW, -EINVAL},
		{MAP, h, 0x100000, 0, 0x4000, RW, 0},
		{MAP, h, 0x103000, 0, 0x1000, RW, -EINVAL},                   /* over an existing one */
		{MAP, h, 0xfc000, 0, 0x4000, RW, 0},                          /* just below it */
		{UNMAP, h, 0x101000, 0, 0x1000, 0xe, -ENOENT},                /* not the start of a mapping */
		{UNMAP, h, 0x100000, 0, 0x1000, 0xe, 0},                      /* flags and size do not matter */
		{UNMAP, h, 0x100000, 0, 0x4000, 0xe, -ENOENT},
		{CLEAR, 0, 0x100800, 0, 0x1000, 0, -EINVAL},
		{CLEAR, 0, 0x100000, 0, 0x100000, 0, 0},                      /* nothing there: fine */
		{REPLACE, h, 0xfd000, 0, 0x1000, RW, 0},
		{MAP, 0, 0x200000, 0, 0x200000, AMDGPU_VM_PAGE_PRT, 0},
		{MAP, h, 0xffff800000000000, 0, 0x4000, RW, 0},               /* the upper half */
		{MAP, h, 0xffff000000000000 | (top - 0x1000), 0, 0x1000, RW, 0},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		int r = va_op(&c, rows[i].op, rows[i].handle, rows[i].va, rows[i].offset,
			      rows[i].size, rows[i].flags);
		if (r != rows[i].result)
			fail_msg("row %zu: %d, not %d", i, r, rows[i].result);
	}
	close_client(&c);
}

static void the_size_of_the_struct_may_differ(void **state)
{
	/* 64 bytes with the fields of 7.1, 40 in ours: both are understood. */
	struct {
		struct drm_amdgpu_gem_va a;
		uint64_t more[3];
	} big = {.a = {.operation = MAP, .flags = RW, .va_address = 0x100000, .map_size = 0x1000}};
	struct client c;
	open_client(&c);
	big.a.handle = make_buffer(&c, 0x1000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0).handle;
	assert_int_equal(sizeof(big), 64);
	assert_int_equal(drm_ioctl(&c, _IOW('d', 0x48, big), &big), 0);
	/* Shorter: the rest counts as 0, and a size of 0 is refused. */
	assert_int_equal(drm_ioctl(&c, _IOC(_IOC_WRITE, 'd', 0x48, 24), &big.a), -EINVAL);
	close_client(&c);
}

static void closing_the_buffer_unmaps_it(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer a = make_buffer(&c, 0x1000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0x100000);
	assert_int_equal(va_op(&c, MAP, a.handle, 0x200000, 0, 0x1000, RW), 0);
	free_buffer(&c, &a);
	struct buffer b = make_buffer(&c, 0x1000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0x100000);
	assert_int_equal(va_op(&c, MAP, b.handle, 0x200000, 0, 0x1000, RW), 0);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, checks_come_in_the_kernels_order,
	     the_size_of_the_struct_may_differ, closing_the_buffer_unmaps_it);
