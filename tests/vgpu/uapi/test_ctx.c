/* SPDX-License-Identifier: MIT */
#include "harness.h"

static int ctx_op(struct client *c, uint32_t op, uint32_t id, uint32_t flags, int32_t priority,
		  union drm_amdgpu_ctx *out)
{
	*out = (union drm_amdgpu_ctx){.in = {op, flags, id, priority}};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_CTX, out);
}

static void contexts(void **state)
{
	struct client c, d;
	union drm_amdgpu_ctx a;
	open_client(&c);
	open_client(&d);
	assert_int_equal(ctx_op(&c, 1, 0, 0, 12345, &a), 0); /* garbage in the priority */
	uint32_t id = a.out.alloc.ctx_id;
	assert_int_equal(id, 1);
	assert_int_equal(ctx_op(&c, 1, 0, 0, -1023, &a), 0);
	assert_int_equal(a.out.alloc.ctx_id, 2);
	assert_int_equal(ctx_op(&d, 1, 0, 0, 0, &a), 0);
	assert_int_equal(a.out.alloc.ctx_id, 1); /* each file counts by itself */
	assert_int_equal(ctx_op(&c, 3, id, 0, 0, &a), 0);
	assert_int_equal(a.out.state.flags, 0);
	assert_int_equal(a.out.state.reset_status, AMDGPU_CTX_NO_RESET);
	assert_int_equal(ctx_op(&c, 4, id, 0, 0, &a), 0);
	assert_int_equal(a.out.state.flags, 0);
	assert_int_equal(ctx_op(&c, 6, id, 4, 0, &a), 0);
	assert_int_equal(ctx_op(&c, 5, id, 0, 0, &a), 0);
	assert_int_equal(*(uint32_t *)&a, 4);
	assert_int_equal(ctx_op(&c, 6, id, 5, 0, &a), -EINVAL);
	assert_int_equal(ctx_op(&c, 6, id, 0x10, 0, &a), -EINVAL);
	assert_int_equal(ctx_op(&c, 1, 0, 1, 0, &a), -EINVAL); /* flags */
	assert_int_equal(ctx_op(&c, 3, 99, 0, 0, &a), -EINVAL);
	assert_int_equal(ctx_op(&c, 0, id, 0, 0, &a), -EINVAL);
	assert_int_equal(ctx_op(&c, 7, id, 0, 0, &a), -EINVAL);
	assert_int_equal(ctx_op(&c, 2, id, 0, 0, &a), 0);
	assert_int_equal(ctx_op(&c, 2, id, 0, 0, &a), -EINVAL);
	close_client(&c);
	close_client(&d);
}

/* One context at a time chooses the device's power state, and all are told it. */
static void power_states(void **state)
{
	struct client c;
	union drm_amdgpu_ctx a;
	open_client(&c);
	uint32_t first = make_ctx(&c), second = make_ctx(&c);
	assert_int_equal(ctx_op(&c, 6, first, 1, 0, &a), 0);
	assert_int_equal(ctx_op(&c, 5, second, 0, 0, &a), 0);
	assert_int_equal(*(uint32_t *)&a, 1);
	assert_int_equal(ctx_op(&c, 6, second, 4, 0, &a), -EBUSY);
	assert_int_equal(ctx_op(&c, 6, first, 0, 0, &a), 0);
	assert_int_equal(ctx_op(&c, 6, second, 4, 0, &a), 0);
	assert_int_equal(ctx_op(&c, 2, second, 0, 0, &a), 0); /* gives it back */
	assert_int_equal(ctx_op(&c, 5, first, 0, 0, &a), 0);
	assert_int_equal(*(uint32_t *)&a, 0);
	assert_int_equal(ctx_op(&c, 6, first, 2, 0, &a), 0);
	assert_int_equal(ctx_op(&c, 5, 99, 0, 0, &a), -EINVAL);
	assert_int_equal(ctx_op(&c, 5, first, 1, 0, &a), -EINVAL);
	close_client(&c);
}

static void there_are_only_so_many(void **state)
{
	struct client c;
	union drm_amdgpu_ctx a;
	open_client(&c);
	for (unsigned i = 1; i <= 4095; i++)
		assert_int_equal(make_ctx(&c), i);
	assert_int_equal(ctx_op(&c, 1, 0, 0, 0, &a), -ENOSPC);
	assert_int_equal(ctx_op(&c, 2, 17, 0, 0, &a), 0);
	assert_int_equal(make_ctx(&c), 17);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, contexts, power_states, there_are_only_so_many);
