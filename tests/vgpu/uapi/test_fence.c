/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <poll.h>

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, IB = 0x30000000, DATA = 0x20000000 };

/* Ring i's job waits until word i of the buffer is 1. */
struct setup {
	struct client c;
	struct buffer ib, data;
	uint32_t n[4], ctx;
	uint64_t seq[4];
};

static void prepare(struct setup *s)
{
	open_client(&s->c);
	s->ib = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	s->data = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	s->ctx = make_ctx(&s->c);
	for (unsigned i = 0; i < 4; i++) {
		struct bw_pm4_stream p = {0};
		bw_pm4_put_wait_mem(&p, DATA + 4 * i, 3, 1, ~0u);
		memcpy((uint8_t *)s->ib.cpu + 256 * i, p.data, p.len * 4);
		assert_int_equal(submit(&s->c, s->ctx, COMPUTE, i, IB + 256 * i, (uint32_t)p.len,
					NULL, 0, &s->seq[i]),
				 0);
		bw_pm4_stream_free(&p);
	}
}

static int wait_fences(struct setup *s, uint32_t n, bool all, uint64_t deadline,
		       uint32_t *out_status, uint32_t *out_first)
{
	struct drm_amdgpu_fence f[4];
	for (unsigned i = 0; i < 4; i++)
		f[i] = (struct drm_amdgpu_fence){s->ctx, COMPUTE, 0, i, s->seq[i]};
	union drm_amdgpu_wait_fences w = {.in = {(uintptr_t)f, n, all, deadline}};
	int r = drm_ioctl(&s->c, DRM_IOCTL_AMDGPU_WAIT_FENCES, &w);
	*out_status = w.out.status;
	*out_first = w.out.first_signaled;
	return r;
}

static void any_and_all(void **state)
{
	struct setup s;
	uint32_t status, first;
	prepare(&s);
	volatile uint32_t *word = s.data.cpu;
	assert_int_equal(wait_fences(&s, 0, false, 0, &status, &first), -EINVAL);
	assert_int_equal(wait_fences(&s, 4, false, 0, &status, &first), 0);
	assert_int_equal(status, 0);
	word[2] = 1;
	assert_int_equal(wait_fences(&s, 4, false, SECONDS(10), &status, &first), 0);
	assert_int_equal(status, 1);
	assert_int_equal(first, 2);
	assert_int_equal(wait_fences(&s, 4, true, (uint64_t)now_ns() + 20000000, &status, &first),
			 0);
	assert_int_equal(status, 0);
	word[0] = word[1] = word[3] = 1;
	assert_int_equal(wait_fences(&s, 4, true, UINT64_MAX, &status, &first),
			 0); /* negative: for ever */
	assert_int_equal(status, 1);
	s.seq[1] = 99;
	assert_int_equal(wait_fences(&s, 4, false, 0, &status, &first), -EINVAL);
	struct drm_amdgpu_fence none[1];
	union drm_amdgpu_wait_fences w = {.in = {(uintptr_t)none, 1u << 31, 1, 0}};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_WAIT_FENCES, &w), -ENOMEM);
	w.in.fence_count = 1, w.in.fences = 8;
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_WAIT_FENCES, &w), -EFAULT);
	close_client(&s.c);
}

static void timeouts_are_absolute(void **state)
{
	struct setup s;
	uint64_t status;
	prepare(&s);
	int64_t before = now_ns();
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, s.seq[0], 0, &status),
			 0); /* long past: a poll */
	assert_int_equal(status, 1);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, s.seq[0], (uint64_t)before, &status), 0);
	assert_int_equal(status, 1);
	assert_true(now_ns() - before < 1000000000);
	before = now_ns();
	assert_int_equal(
		wait_cs(&s.c, s.ctx, COMPUTE, 0, s.seq[0], (uint64_t)before + 130000000, &status),
		0);
	assert_int_equal(status, 1);
	assert_true(now_ns() - before >= 130000000);
	assert_true(now_ns() - before < 2000000000);
	for (unsigned i = 0; i < 4; i++)
		((volatile uint32_t *)s.data.cpu)[i] = 1;
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, s.seq[0], UINT64_MAX, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 7, 1, 0, &status), -EINVAL);
	assert_int_equal(wait_cs(&s.c, 99, COMPUTE, 0, 1, 0, &status), -EINVAL);
	close_client(&s.c);
}

static void fences_become_handles(void **state)
{
	struct setup s;
	prepare(&s);
	volatile uint32_t *word = s.data.cpu;
	struct drm_amdgpu_fence f = {s.ctx, COMPUTE, 0, 1, s.seq[1]};
	union drm_amdgpu_fence_to_handle h = {
		.in = {.fence = f, .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ}};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h), 0);
	uint32_t syncobj = h.out.handle;
	h = (union drm_amdgpu_fence_to_handle){
		.in = {.fence = f, .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD}};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h), 0);
	int file = dup(s.c.fd_out);
	h = (union drm_amdgpu_fence_to_handle){
		.in = {.fence = f, .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD}};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h), 0);
	assert_true(s.c.fd_out >= 0);
	assert_int_equal(s.c.fd_at, 0);
	s.c.fd_in = s.c.fd_out;
	struct drm_syncobj_handle imported = {0};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &imported), 0);
	h.in.what = 3;
	h.in.fence = f;
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h), -EINVAL);
	uint32_t both[] = {syncobj, imported.handle};
	struct drm_syncobj_wait w = {.handles = (uintptr_t)both, .count_handles = 2, .flags = 1};
	struct pollfd p = {.fd = file, .events = POLLIN};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_WAIT, &w), -ETIME);
	assert_int_equal(poll(&p, 1, 0), 0);
	for (unsigned i = 0; i < 4; i++)
		word[i] = 1;
	assert_int_equal(poll(&p, 1, 10000), 1);
	w.timeout_nsec = INT64_MAX;
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_WAIT, &w), 0);
	close(file);
	close_client(&s.c);
}

/* dma_fence_signal marks a fence before it wakes who waits for it, and sync_file_poll looks at the
 * mark (drivers/dma-buf of 6.12): a wait that has ended and a poll agree. */
static void sync_files_poll_readable_after_a_wait(void **state)
{
	struct setup s;
	prepare(&s);
	volatile uint32_t *word = s.data.cpu;
	struct drm_syncobj_create o = {0};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_CREATE, &o), 0);
	word[1] = 1;
	for (unsigned round = 0; round < 100; round++) {
		uint64_t seq, status;
		assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 1, s.seq[1], UINT64_MAX, &status),
				 0);
		word[1] = 0;
		assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 1, IB + 256, 7,
					&(struct chunk){AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &o.handle, 4},
					1, &seq),
				 0);
		union drm_amdgpu_fence_to_handle h = {
			.in = {.fence = {s.ctx, COMPUTE, 0, 1, seq},
			       .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD}};
		assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h), 0);
		struct pollfd p[2] = {{.fd = dup(s.c.fd_out), .events = POLLIN}};
		struct drm_syncobj_handle exported = {
			.handle = o.handle,
			.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
		assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &exported), 0);
		p[1] = (struct pollfd){.fd = dup(s.c.fd_out), .events = POLLIN};
		assert_int_equal(poll(p, 2, 0), 0);
		word[1] = 1;
		assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 1, seq, UINT64_MAX, &status), 0);
		assert_int_equal(status, 0);
		assert_int_equal(poll(p, 2, 0), 2);
		close(p[0].fd);
		close(p[1].fd);
	}
	close_client(&s.c);
}

static void a_busy_buffer(void **state)
{
	struct setup s;
	prepare(&s);
	struct buffer b = make_buffer(&s.c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	struct drm_amdgpu_bo_list_entry entry = {b.handle, 0};
	struct drm_amdgpu_bo_list_in list = {~0u, ~0u, 1, sizeof(entry), (uintptr_t)&entry};
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, 7,
				&(struct chunk){AMDGPU_CHUNK_ID_BO_HANDLES, &list, sizeof(list)}, 1,
				NULL),
			 0);
	union drm_amdgpu_gem_wait_idle w = {.in = {b.handle, 0, (uint64_t)now_ns() + 20000000}};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &w), 0);
	assert_int_equal(w.out.status, 1);
	for (unsigned i = 0; i < 4; i++)
		((volatile uint32_t *)s.data.cpu)[i] = 1;
	w = (union drm_amdgpu_gem_wait_idle){.in = {b.handle, 0, UINT64_MAX}};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &w), 0);
	assert_int_equal(w.out.status, 0);
	close_client(&s.c);
}

/* A SECURE buffer on a compute queue is found when its turn comes (amdgpu_ib_schedule of 6.12): its
 * fence has the error, and the queue takes no more. */
static void a_secure_buffer_ends_its_queue(void **state)
{
	enum { SECURE = 1 << 5, NOP = 0xffff1000 };
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	uint32_t ctx = make_ctx(&c);
	uint64_t seq, status;
	*(uint32_t *)ib.cpu = NOP;
	struct drm_amdgpu_cs_chunk_ib secure = {
		.flags = SECURE, .va_start = IB, .ib_bytes = 4, .ip_type = COMPUTE};
	struct chunk more = {AMDGPU_CHUNK_ID_IB, &secure, sizeof(secure)};
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, 1, &more, 1, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 0, seq, SECONDS(60), &status), -EINVAL);
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, 1, NULL, 0, &seq), -EINVAL);
	assert_int_equal(submit(&c, ctx, COMPUTE, 1, IB, 1, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, COMPUTE, 1, seq, SECONDS(60), &status), 0);
	close_client(&c);
}

/* A sync_file of a sync object's fence. */
static int sync_file_of(struct client *c, uint32_t handle)
{
	struct drm_syncobj_handle a = {.handle = handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &a), 0);
	return dup(c->fd_out);
}

static uint32_t count(struct client *c, uint32_t handle, int32_t *out_status)
{
	static struct bw_vgpu_sync_info info;
	int fd = sync_file_of(c, handle);
	info = (struct bw_vgpu_sync_info){.fd = fd};
	c->fd_in = fd;
	assert_int_equal(drm_ioctl(c, BW_VGPU_IOCTL_SYNC_INFO, &info), 0);
	close(fd);
	*out_status = info.status;
	return info.n_fences;
}

/* SYNC_IOC_FILE_INFO and EXPORT_SYNC_FILE: of how many fences a fence is made. */
static void fences_are_counted(void **state)
{
	struct setup s;
	prepare(&s);
	struct drm_syncobj_create line = {0};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_CREATE, &line), 0);
	for (unsigned i = 0; i < 3; i++) {
		union drm_amdgpu_fence_to_handle to = {
			.in = {.fence = {s.ctx, COMPUTE, 0, i, s.seq[i]},
			       .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ}};
		assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &to), 0);
		struct drm_syncobj_transfer point = {
			.src_handle = to.out.handle, .dst_handle = line.handle, .dst_point = i + 1};
		assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_TRANSFER, &point), 0);
	}
	int32_t status;
	struct bw_vgpu_fences n = {.bo = s.data.handle, .syncobj = line.handle};
	assert_int_equal(count(&s.c, line.handle, &status), 3);
	assert_int_equal(status, 0);
	/* As work on a buffer: it is busy until all three have ended, and gives them back. */
	struct drm_syncobj_create back = {0};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_CREATE, &back), 0);
	assert_int_equal(drm_ioctl(&s.c, BW_VGPU_IOCTL_BO_ADD_FENCE, &n), 0);
	n.syncobj = back.handle;
	assert_int_equal(drm_ioctl(&s.c, BW_VGPU_IOCTL_BO_FENCES, &n), 0);
	assert_int_equal(count(&s.c, back.handle, &status), 3);
	for (unsigned i = 0; i < 4; i++)
		((volatile uint32_t *)s.data.cpu)[i] = 1;
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&back.handle, .count_handles = 1, .timeout_nsec = INT64_MAX};
	assert_int_equal(drm_ioctl(&s.c, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
	assert_int_equal(count(&s.c, back.handle, &status), 1);
	assert_int_equal(status, 1);
	close_client(&s.c);
}

TESTS_AROUND(start_gpu, stop_gpu, any_and_all, timeouts_are_absolute, fences_become_handles,
	     sync_files_poll_readable_after_a_wait, a_busy_buffer, a_secure_buffer_ends_its_queue,
	     fences_are_counted);
