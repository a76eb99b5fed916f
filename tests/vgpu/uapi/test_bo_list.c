/* SPDX-License-Identifier: MIT */
#include "harness.h"

static int list_op(struct client *c, uint32_t op, uint32_t handle, uint32_t n, uint32_t stride,
		   const void *entries, uint32_t *out)
{
	union drm_amdgpu_bo_list a = {.in = {op, handle, n, stride, (uintptr_t)entries}};
	int r = drm_ioctl(c, DRM_IOCTL_AMDGPU_BO_LIST, &a);
	*out = a.out.list_handle;
	return r;
}

static void lists(void **state)
{
	struct client c;
	uint32_t list, other;
	open_client(&c);
	struct buffer b = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0x30000000);
	struct {
		struct drm_amdgpu_bo_list_entry e;
		uint64_t more;
	} wide[2] = {{{b.handle, 0}, 1}, {{b.handle, 1}, 2}};
	uint32_t narrow[2] = {b.handle, b.handle}, bad = 99;
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_CREATE, 0, 1, 8, &wide[0], &list), 0);
	assert_int_equal(list, 1);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_CREATE, 0, 2, sizeof(wide[0]), wide, &other),
			 0); /* a larger stride */
	assert_int_equal(other, 2);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_CREATE, 0, 2, 4, narrow, &other),
			 0); /* a smaller one */
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_CREATE, 0, 1, 4, &bad, &other), -ENOENT);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_CREATE, 0, 1, 8, (void *)8, &other),
			 -EFAULT);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_CREATE, 0, UINT32_MAX, 8, wide, &other),
			 -EINVAL);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_UPDATE, list, 1, 8, &wide[1], &other), 0);
	assert_int_equal(other, list);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_UPDATE, 77, 1, 8, &wide[1], &other),
			 -ENOENT);
	assert_int_equal(list_op(&c, 5, list, 0, 8, NULL, &other), -EINVAL);

	uint32_t ctx = make_ctx(&c);
	*(uint32_t *)b.cpu = 0xffff1000;
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = b.va, .ib_bytes = 4, .ip_type = AMDGPU_HW_IP_COMPUTE};
	struct drm_amdgpu_bo_list_in in = {~0u, ~0u, 1, 8, (uintptr_t)&wide[0]};
	struct drm_amdgpu_cs_chunk chunks[2] = {
		{AMDGPU_CHUNK_ID_IB, 8, (uintptr_t)&ib},
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(in) / 4, (uintptr_t)&in}};
	uint64_t pointers[2] = {(uintptr_t)&chunks[0], (uintptr_t)&chunks[1]};
	union drm_amdgpu_cs cs = {.in = {ctx, list, 1, 0, (uintptr_t)pointers}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), 0);
	cs = (union drm_amdgpu_cs){.in = {ctx, 55, 1, 0, (uintptr_t)pointers}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -ENOENT);
	cs = (union drm_amdgpu_cs){
		.in = {ctx, list, 2, 0, (uintptr_t)pointers}}; /* one list is enough */
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_CS, &cs), -EINVAL);

	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_DESTROY, list, 0, 8, NULL, &other), 0);
	assert_int_equal(other, 0);
	assert_int_equal(list_op(&c, AMDGPU_BO_LIST_OP_DESTROY, list, 0, 8, NULL, &other),
			 0); /* unknown: fine, too */
	/* A list keeps its buffers. */
	free_buffer(&c, &b);
	assert_int_equal(server_info(&c).buffers, 1);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, lists);
