/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <poll.h>
#include <sys/eventfd.h>

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, IB = 0x30000000, DATA = 0x20000000 };
enum {
	ALL = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	FOR_SUBMIT = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
	AVAILABLE = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
};

static uint32_t create(struct client *c, uint32_t flags)
{
	struct drm_syncobj_create a = {.flags = flags};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_SYNCOBJ_CREATE, &a), 0);
	return a.handle;
}

static int wait(struct client *c, const uint32_t *handles, uint32_t n, int64_t timeout,
		uint32_t flags, uint32_t *out_first)
{
	struct drm_syncobj_wait a = {.handles = (uintptr_t)handles,
				     .timeout_nsec = timeout,
				     .count_handles = n,
				     .flags = flags};
	int r = drm_ioctl(c, DRM_IOCTL_SYNCOBJ_WAIT, &a);
	if (out_first)
		*out_first = a.first_signaled;
	return r;
}

static int timeline_wait(struct client *c, uint32_t handle, uint64_t point, int64_t timeout,
			 uint32_t flags)
{
	struct drm_syncobj_timeline_wait a = {.handles = (uintptr_t)&handle,
					      .points = (uintptr_t)&point,
					      .timeout_nsec = timeout,
					      .count_handles = 1,
					      .flags = flags};
	return drm_ioctl(c, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &a);
}

static uint64_t query(struct client *c, uint32_t handle, uint32_t flags)
{
	uint64_t point = 77;
	struct drm_syncobj_timeline_array a = {.handles = (uintptr_t)&handle,
					       .points = (uintptr_t)&point,
					       .count_handles = 1,
					       .flags = flags};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_SYNCOBJ_QUERY, &a), 0);
	return point;
}

static int signal_point(struct client *c, uint32_t handle, uint64_t point)
{
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
	return drm_ioctl(c, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
}

static int transfer(struct client *c, uint32_t dst, uint64_t dst_point, uint32_t src,
		    uint64_t src_point)
{
	struct drm_syncobj_transfer a = {.src_handle = src,
					 .dst_handle = dst,
					 .src_point = src_point,
					 .dst_point = dst_point};
	return drm_ioctl(c, DRM_IOCTL_SYNCOBJ_TRANSFER, &a);
}

static int array_op(struct client *c, uint32_t cmd, uint32_t handle)
{
	struct drm_syncobj_array a = {.handles = (uintptr_t)&handle, .count_handles = 1};
	return drm_ioctl(c, cmd, &a);
}

static void binary_ones(void **state)
{
	struct client c;
	uint32_t first;
	open_client(&c);
	/* RADV's probe */
	uint32_t done = create(&c, DRM_SYNCOBJ_CREATE_SIGNALED), none = create(&c, 0);
	assert_int_equal(wait(&c, &done, 1, 0, ALL, &first), 0);
	assert_int_equal(first, 0);
	assert_int_equal(wait(&c, &none, 1, 0, ALL, NULL),
			 -EINVAL); /* no fence, and not told to wait for one */
	assert_int_equal(wait(&c, &none, 1, 0, ALL | FOR_SUBMIT, NULL), -ETIME);
	assert_int_equal(wait(&c, &none, 1, now_ns() + 20000000, FOR_SUBMIT, NULL), -ETIME);
	const uint32_t both[] = {none, done};
	assert_int_equal(wait(&c, both, 2, 0, FOR_SUBMIT, &first), 0); /* any */
	assert_int_equal(first, 1);
	assert_int_equal(wait(&c, both, 2, 0, FOR_SUBMIT | ALL, NULL), -ETIME);
	assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_SIGNAL, none), 0);
	assert_int_equal(wait(&c, both, 2, 0, ALL, NULL), 0);
	assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_RESET, done), 0);
	assert_int_equal(wait(&c, &done, 1, 0, 0, NULL), -EINVAL);
	struct drm_syncobj_destroy d = {.handle = done};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_DESTROY, &d), 0);
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_DESTROY, &d), -EINVAL);
	close_client(&c);
}

static void bad_arguments(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t s = create(&c, 0), bad = 99;
	struct drm_syncobj_create create_bad = {.flags = 2};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_CREATE, &create_bad), -EINVAL);
	assert_int_equal(wait(&c, &bad, 1, 0, 0, NULL), -ENOENT);
	assert_int_equal(wait(&c, &s, 0, 0, 0, NULL), 0);
	assert_int_equal(wait(&c, &s, 1, 0, 1 << 7, NULL), -EINVAL);
	assert_int_equal(wait(&c, &s, 1, 0, AVAILABLE, NULL), -EINVAL); /* timelines only */
	assert_int_equal(wait(&c, (uint32_t *)8, 1, 0, 0, NULL), -EFAULT);
	assert_int_equal(wait(&c, &s, UINT32_MAX, 0, 0, NULL), -ENOMEM);
	/* BW_DRM_MAX_HANDLES */
	assert_int_equal(wait(&c, &s, (16 << 10) + 1, 0, 0, NULL), -ENOMEM);
	assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_RESET, bad), -ENOENT);
	struct drm_syncobj_array empty = {0};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_RESET, &empty), -EINVAL);
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_SIGNAL, &empty), -EINVAL);
	assert_int_equal(transfer(&c, bad, 0, s, 0), -ENOENT);
	assert_int_equal(transfer(&c, s, 0, bad, 0), -ENOENT);
	assert_int_equal(transfer(&c, s, 0, s, 0), -EINVAL); /* no fence in it */
	struct drm_syncobj_handle h = {.handle = bad};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), -EINVAL);
	h.handle = s, h.flags = 8;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), -EINVAL);
	close_client(&c);
}

static void timelines(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t t = create(&c, 0), other = create(&c, 0);
	assert_int_equal(query(&c, t, 0), 0);
	assert_int_equal(timeline_wait(&c, t, 5, 0, 0), -EINVAL);
	assert_int_equal(timeline_wait(&c, t, 5, 0, FOR_SUBMIT), -ETIME);
	assert_int_equal(signal_point(&c, t, 5), 0);
	assert_int_equal(query(&c, t, 0), 5);
	assert_int_equal(timeline_wait(&c, t, 5, 0, 0), 0);
	assert_int_equal(timeline_wait(&c, t, 3, 0, 0), 0);
	assert_int_equal(timeline_wait(&c, t, 0, 0, 0), 0); /* binary: the whole chain */
	assert_int_equal(timeline_wait(&c, t, 6, 0, 0), -EINVAL);
	assert_int_equal(timeline_wait(&c, t, 6, 0, AVAILABLE), -ETIME);
	assert_int_equal(signal_point(&c, t, 4), 0); /* points never go back */
	assert_int_equal(query(&c, t, 0), 5);
	assert_int_equal(transfer(&c, other, 9, t, 5), 0);
	assert_int_equal(query(&c, other, 0), 9);
	assert_int_equal(transfer(&c, other, 0, t, 5), 0); /* to a binary one */
	assert_int_equal(query(&c, other, 0), 0);
	assert_int_equal(timeline_wait(&c, other, 0, 0, 0), 0);
	assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_RESET, t), 0);
	assert_int_equal(timeline_wait(&c, t, 5, 0, 0), -EINVAL);
	close_client(&c);
}

/* A GPU that waits for word 0 of a buffer before each IB is done. */
struct gate {
	struct client c;
	struct buffer ib, data;
	uint32_t n, ctx;
};

static void gate_open(struct gate *g)
{
	struct bw_pm4_stream s = {0};
	open_client(&g->c);
	g->ib = make_buffer(&g->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	g->data = make_buffer(&g->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	bw_pm4_put_wait_mem(&s, DATA, 3, 1, ~0u);
	memcpy(g->ib.cpu, s.data, s.len * 4);
	g->n = (uint32_t)s.len;
	bw_pm4_stream_free(&s);
	g->ctx = make_ctx(&g->c);
}

static void gate_let(struct gate *g)
{
	*(volatile uint32_t *)g->data.cpu = 1;
}

static void work_signals_a_timeline(void **state)
{
	struct gate g;
	gate_open(&g);
	uint32_t t = create(&g.c, 0), bin = create(&g.c, 0);
	struct drm_amdgpu_cs_chunk_syncobj out[] = {{t, 0, 10}, {bin, 0, 0}};
	assert_int_equal(
		submit(&g.c, g.ctx, COMPUTE, 0, IB, g.n,
		       &(struct chunk){AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, out, sizeof(out)},
		       1, NULL),
		0);
	assert_int_equal(query(&g.c, t, 0), 0);
	assert_int_equal(query(&g.c, t, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 10);
	assert_int_equal(timeline_wait(&g.c, t, 10, now_ns() + 20000000, 0), -ETIME);
	assert_int_equal(timeline_wait(&g.c, t, 10, 0, AVAILABLE), 0); /* submitted is enough */
	/* A copy of a fence that has not signalled signals later; so does a point after it. */
	uint32_t copy = create(&g.c, 0);
	assert_int_equal(transfer(&g.c, copy, 0, t, 10), 0);
	assert_int_equal(signal_point(&g.c, t, 20), 0);
	assert_int_equal(query(&g.c, t, 0), 0);
	assert_int_equal(timeline_wait(&g.c, t, 20, 0, 0), -ETIME);
	assert_int_equal(wait(&g.c, &copy, 1, 0, ALL, NULL), -ETIME);
	gate_let(&g);
	assert_int_equal(timeline_wait(&g.c, t, 20, INT64_MAX, 0), 0);
	assert_int_equal(wait(&g.c, &copy, 1, 0, ALL, NULL), 0);
	assert_int_equal(wait(&g.c, &bin, 1, 0, ALL, NULL), 0);
	assert_int_equal(query(&g.c, t, 0), 20);
	close_client(&g.c);
}

static void work_waits_for_a_point(void **state)
{
	struct gate g;
	gate_open(&g);
	gate_let(&g);
	uint32_t t = create(&g.c, 0), s = create(&g.c, 0);
	struct drm_amdgpu_cs_chunk_syncobj in = {t, 0, 3};
	/* Not submitted yet: refused, unless the flag says to wait for that. */
	assert_int_equal(
		submit(&g.c, g.ctx, COMPUTE, 0, IB, g.n,
		       &(struct chunk){AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, &in, sizeof(in)}, 1,
		       NULL),
		-EINVAL);
	assert_int_equal(submit(&g.c, g.ctx, COMPUTE, 0, IB, g.n,
				&(struct chunk){AMDGPU_CHUNK_ID_SYNCOBJ_IN, &s, 4}, 1, NULL),
			 -EINVAL);
	assert_int_equal(signal_point(&g.c, t, 3), 0);
	uint64_t seq, status;
	assert_int_equal(
		submit(&g.c, g.ctx, COMPUTE, 0, IB, g.n,
		       &(struct chunk){AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, &in, sizeof(in)}, 1,
		       &seq),
		0);
	assert_int_equal(wait_cs(&g.c, g.ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
	close_client(&g.c);
}

/* Another thread of the program, on a connection of its own, signals what this one waits for. */
static void *signaler(void *arg)
{
	struct client *c = arg;
	struct client mine;
	connect_client(&mine, c->token);
	usleep(30000);
	uint32_t handle = 1;
	assert_int_equal(mine.hello.result, 0);
	struct drm_syncobj_array a = {.handles = (uintptr_t)&handle, .count_handles = 1};
	assert_int_equal(file_ioctl(&mine, c->drm, DRM_IOCTL_SYNCOBJ_SIGNAL, &a), 0);
	close_client(&mine);
	return NULL;
}

static void a_wait_ends_when_another_thread_signals(void **state)
{
	struct client c;
	pthread_t thread;
	open_client(&c);
	uint32_t s = create(&c, 0);
	assert_int_equal(s, 1);
	pthread_create(&thread, NULL, signaler, &c);
	assert_int_equal(wait(&c, &s, 1, INT64_MAX, ALL | FOR_SUBMIT, NULL), 0);
	pthread_join(thread, NULL);
	close_client(&c);
}

struct late_wait {
	uint64_t token;
	uint32_t drm, flags, s[2];
	int result;
	_Atomic bool over;
};

static void *late_waiter(void *arg)
{
	struct late_wait *l = arg;
	struct client mine;
	connect_client(&mine, l->token);
	assert_int_equal(mine.hello.result, 0);
	struct drm_syncobj_wait a = {.handles = (uintptr_t)l->s,
				     .count_handles = 2,
				     .timeout_nsec = INT64_MAX,
				     .flags = l->flags};
	l->result = file_ioctl(&mine, l->drm, DRM_IOCTL_SYNCOBJ_WAIT, &a);
	l->over = true;
	close_client(&mine);
	return NULL;
}

/* A wait for two objects that never have a fence at the same time: it keeps the fence that it has
 * met in one, though that is taken out again at once (drm_syncobj_array_wait_timeout,
 * syncobj_wait_syncobj_func). */
static void a_wait_takes_fences_once(void **state)
{
	struct client c;
	pthread_t thread;
	open_client(&c);
	uint32_t one = create(&c, 0), two = create(&c, 0);
	struct late_wait l = {c.token, c.drm, ALL | FOR_SUBMIT, {one, two}, 1, false};
	pthread_create(&thread, NULL, late_waiter, &l);
	while (!l.over) {
		assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_SIGNAL, one), 0);
		assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_RESET, one), 0);
		assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_SIGNAL, two), 0);
		assert_int_equal(array_op(&c, DRM_IOCTL_SYNCOBJ_RESET, two), 0);
		usleep(1000);
	}
	pthread_join(thread, NULL);
	assert_int_equal(l.result, 0);
	close_client(&c);
}

static void descriptors(void **state)
{
	struct gate g;
	struct client b;
	gate_open(&g);
	open_client(&b);
	uint32_t s = create(&g.c, 0);
	assert_int_equal(submit(&g.c, g.ctx, COMPUTE, 0, IB, g.n,
				&(struct chunk){AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &s, 4}, 1, NULL),
			 0);
	/* As a syncobj: the same object in another process. */
	struct drm_syncobj_handle h = {.handle = s};
	assert_int_equal(drm_ioctl(&g.c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0);
	assert_int_equal(g.c.fd_at, offsetof(struct drm_syncobj_handle, fd));
	b.fd_in = g.c.fd_out;
	struct drm_syncobj_handle imported = {0};
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &imported), 0);
	uint32_t there = imported.handle;
	assert_int_equal(wait(&b, &there, 1, 0, ALL, NULL), -ETIME);
	/* As a sync_file: polls readable when the work is done. */
	h.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
	assert_int_equal(drm_ioctl(&g.c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0);
	int file = dup(g.c.fd_out);
	struct pollfd p = {.fd = file, .events = POLLIN};
	assert_int_equal(poll(&p, 1, 20), 0);
	uint32_t s2 = create(&b, 0);
	struct drm_syncobj_handle into = {.handle = s2,
					  .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
	b.fd_in = file;
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &into), 0);
	assert_int_equal(wait(&b, &s2, 1, 0, ALL, NULL), -ETIME);
	gate_let(&g);
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(wait(&b, &there, 1, INT64_MAX, ALL, NULL), 0);
	assert_int_equal(wait(&b, &s2, 1, 0, ALL, NULL), 0);
	close(file);
	b.fd_in = 0; /* a descriptor that is no syncobj */
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &imported), -EINVAL);
	close_client(&b);
	close_client(&g.c);
}

/* struct drm_syncobj_eventfd of Linux 6.6 */
struct eventfd_arg {
	uint32_t handle, flags;
	uint64_t point;
	int32_t fd;
	uint32_t pad;
};
#define SYNCOBJ_EVENTFD DRM_IOWR(0xcf, struct eventfd_arg)

static int watch(struct client *c, uint32_t handle, uint64_t point, uint32_t flags, int fd)
{
	struct eventfd_arg a = {handle, flags, point, 0, 0};
	c->fd_in = fd;
	return drm_ioctl(c, SYNCOBJ_EVENTFD, &a);
}

static bool raised(int fd, int timeout_ms)
{
	uint64_t n;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	return poll(&p, 1, timeout_ms) == 1 && read(fd, &n, sizeof(n)) == sizeof(n) && n == 1;
}

static void an_eventfd_is_raised(void **state)
{
	struct client c;
	open_client(&c);
	int fd = eventfd(0, EFD_CLOEXEC), full = eventfd(0, EFD_CLOEXEC);
	assert_true(fd >= 0 && full >= 0);
	uint32_t s = create(&c, 0), done = create(&c, DRM_SYNCOBJ_CREATE_SIGNALED);
	uint64_t five = 5, three = 3;
	assert_int_equal(watch(&c, done, 0, 0, fd), 0); /* at once */
	assert_true(raised(fd, 10000));
	assert_int_equal(watch(&c, s, 5, 0, fd), 0);
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&s, .points = (uintptr_t)&three, .count_handles = 1};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a), 0);
	assert_false(raised(fd, 30));
	a.points = (uintptr_t)&five;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a), 0);
	assert_true(raised(fd, 10000));
	assert_false(raised(fd, 0)); /* once */
	/* A full counter does not delay the other eventfds. */
	uint64_t most = UINT64_MAX - 1;
	assert_int_equal(write(full, &most, sizeof(most)), sizeof(most));
	assert_int_equal(watch(&c, done, 0, 0, full), 0);
	assert_int_equal(watch(&c, done, 0, 0, fd), 0);
	assert_true(raised(fd, 10000));
	assert_int_equal(watch(&c, done, 0, 2, fd), -EINVAL);
	assert_int_equal(watch(&c, done, 0, 0, -1), -EBADF);
	assert_int_equal(watch(&c, done, 0, 0, c.sock), -EINVAL); /* no eventfd */
	assert_int_equal(watch(&c, 99, 0, 0, fd), -ENOENT);
	uint32_t never = create(&c, 0);
	assert_int_equal(watch(&c, never, 0, 0, fd), 0); /* goes with its file */
	close_client(&c);
	close(fd);
	close(full);
}

struct flipper {
	int fd;
	_Atomic bool stop, was_changed;
};

static void *flip(void *arg)
{
	struct flipper *f = arg;
	while (!f->stop) {
		f->was_changed = f->was_changed || fcntl(f->fd, F_GETFL) & O_NONBLOCK;
		fcntl(f->fd, F_SETFL, 0);
	}
	return NULL;
}

/* A program that makes its full counter block, whatever others set, waits alone. */
static void an_eventfd_that_blocks(void **state)
{
	enum { ROUNDS = 500 };
	struct client c, other;
	open_client(&c);
	open_client(&other);
	const uint64_t most = UINT64_MAX - 1;
	struct flipper f = {.fd = eventfd(0, EFD_CLOEXEC)};
	pthread_t thread;
	uint32_t done = create(&c, DRM_SYNCOBJ_CREATE_SIGNALED), s = create(&other, 0);
	int theirs = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(pthread_create(&thread, NULL, flip, &f), 0);
	assert_int_equal(write(f.fd, &most, sizeof(most)), sizeof(most));
	for (unsigned i = 0; i < ROUNDS; i++)
		assert_int_equal(watch(&c, done, 0, 0, f.fd), 0);
	assert_int_equal(watch(&other, s, 0, 0, theirs), 0);
	struct drm_syncobj_array a = {.handles = (uintptr_t)&s, .count_handles = 1};
	assert_int_equal(drm_ioctl(&other, DRM_IOCTL_SYNCOBJ_SIGNAL, &a), 0);
	assert_true(raised(theirs, 60000));
	f.stop = true;
	pthread_join(thread, NULL);
	assert_false(f.was_changed); /* its flags are its own */
	close_client(&c);
	close_client(&other);
	close(f.fd);
	close(theirs);
}

TESTS_AROUND(start_gpu, stop_gpu, an_eventfd_is_raised, an_eventfd_that_blocks, binary_ones,
	     bad_arguments, timelines, work_signals_a_timeline, work_waits_for_a_point,
	     a_wait_ends_when_another_thread_signals, a_wait_takes_fences_once, descriptors);
