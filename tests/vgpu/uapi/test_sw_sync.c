/* SPDX-License-Identifier: MIT */
/* Fences that a program signals itself, and what sync_files are asked. Expected values: sw_sync.c,
 * sync_file.c and dma-fence-unwrap.c of Linux 6.12. */
#include "harness.h"

#include <poll.h>

#include "base/sw_sync.h"

static uint32_t timeline(struct client *c)
{
	uint32_t file;
	assert_int_equal(file_open(c, "sys/kernel/debug/sync/sw_sync", O_RDWR, &file), 0);
	return file;
}

static int fence(struct client *c, uint32_t file, uint32_t value)
{
	struct bw_sw_sync_create_fence a = {.value = value, .name = "a name"};
	assert_int_equal(file_ioctl(c, file, BW_SW_SYNC_CREATE_FENCE, &a), 0);
	assert_int_equal(c->fd_at, offsetof(struct bw_sw_sync_create_fence, fence));
	return fcntl(c->fd_out, F_DUPFD_CLOEXEC, 3);
}

static void inc(struct client *c, uint32_t file, uint32_t by)
{
	assert_int_equal(file_ioctl(c, file, BW_SW_SYNC_INC, &by), 0);
}

static struct bw_vgpu_sync_info *info(struct client *c, int fd)
{
	static struct bw_vgpu_sync_info a;
	a = (struct bw_vgpu_sync_info){.fd = fd};
	c->fd_in = fd;
	assert_int_equal(drm_ioctl(c, BW_VGPU_IOCTL_SYNC_INFO, &a), 0);
	return &a;
}

static int status(struct client *c, int fd)
{
	return info(c, fd)->status;
}

static uint32_t import(struct client *c, int fd)
{
	struct drm_syncobj_create make = {0};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_SYNCOBJ_CREATE, &make), 0);
	struct drm_syncobj_handle a = {.handle = make.handle,
				       .fd = fd,
				       .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
	c->fd_in = fd;
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &a), 0);
	return make.handle;
}

static int merge(struct client *c, int first, int second)
{
	struct bw_vgpu_sync_merge a = {.fd = first, .second = import(c, second), .name = "both"};
	c->fd_in = first;
	assert_int_equal(drm_ioctl(c, BW_VGPU_IOCTL_SYNC_MERGE, &a), 0);
	assert_int_equal(c->fd_at, offsetof(struct bw_vgpu_sync_merge, merged));
	return fcntl(c->fd_out, F_DUPFD_CLOEXEC, 3);
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	return poll(&p, 1, timeout_ms) == 1 && p.revents == POLLIN;
}

static void a_counter_signals_fences(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t t = timeline(&c);
	int now = fence(&c, t, 0), one = fence(&c, t, 1), three = fence(&c, t, 3);
	assert_true(is_readable(now, 0));
	assert_int_equal(status(&c, now), 1);
	assert_int_equal(status(&c, one), 0);
	inc(&c, t, 2);
	assert_true(is_readable(one, 0));
	assert_false(is_readable(three, 0));
	const struct bw_vgpu_sync_info *i = info(&c, one);
	assert_int_equal(i->n_fences, 1);
	assert_string_equal(i->fences[0].driver, "sw_sync");
	assert_string_equal(i->fences[0].timeline, "test"); /* the process's name */
	assert_true(i->fences[0].signaled_ns <= (uint64_t)now_ns() && i->fences[0].signaled_ns);
	assert_memory_equal(i->name, "sw_sync-test", 12);
	i = info(&c, three);
	assert_int_equal(i->status, 0);
	assert_int_equal(i->fences[0].signaled_ns, 0);
	inc(&c, t, 1);
	assert_true(is_readable(three, 0));
	/* Values go round: 2^31 - 1 after the counter is later, half a round is not. */
	int late = fence(&c, t, 3 + (uint32_t)INT32_MAX),
	    early = fence(&c, t, 4 + (uint32_t)INT32_MAX);
	assert_int_equal(status(&c, late), 0);
	assert_int_equal(status(&c, early), 1);
	inc(&c, t, UINT32_MAX);
	assert_int_equal(status(&c, late), 1);
	uint32_t unknown = 0;
	assert_int_equal(file_ioctl(&c, t, _IOW('W', 9, uint32_t), &unknown), -ENOTTY);
	for (size_t k = 0; k < 5; k++)
		close((const int[]){now, one, three, late, early}[k]);
	assert_int_equal(close_file(&c, t), 0);
	close_client(&c);
}

/* Without its file and its fences a timeline is gone; that the last copy of a descriptor has been
 * closed is seen a little later. */
static void await_no_timelines(struct client *c)
{
	for (bool is_there = true; is_there;) {
		char *text = file_text(c, "debug/sync/info");
		is_there = strcmp(text, "objs:\n--------------\nfences:\n--------------\n");
		free(text);
		usleep(1000);
	}
}

static void the_end_of_a_timeline(void **state)
{
	struct client c;
	open_client(&c);
	await_no_timelines(&c);
	uint32_t t = timeline(&c);
	int fd = fence(&c, t, 7), same = fence(&c, t, 7), gone = fence(&c, t, 8);
	close(gone); /* the server still has one */
	uint32_t handle = import(&c, fd);
	char *text = file_text(&c, "sys/kernel/debug/sync/info");
	static const char expected[] = "objs:\n--------------\ntest: 0\n  fence active: 7 / 0\n";
	assert_memory_equal(text, expected, sizeof(expected) - 1);
	free(text);
	assert_int_equal(close_file(&c, t), 0);
	assert_true(is_readable(fd, 0) && is_readable(same, 0));
	assert_int_equal(status(&c, fd), -ENOENT);
	assert_int_equal(status(&c, same), -ENOENT);
	struct drm_syncobj_wait wait = {.handles = (uintptr_t)&handle, .count_handles = 1};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
	struct drm_syncobj_destroy destroy = {.handle = handle};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
	close(fd);
	close(same);
	close_client(&c);
	open_client(&c);
	await_no_timelines(&c);
	close_client(&c);
}

/* A program ends with its timeline and all that it waits for open. */
static void a_client_that_goes(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t t = timeline(&c);
	int fd = fence(&c, t, 1), other = fence(&c, timeline(&c), 1);
	import(&c, merge(&c, fd, other));
	close_client(&c);
	assert_true(is_readable(fd, -1)); /* its end, or that of the connection */
	close(fd);
	close(other);
}

static void merged_files(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t a = timeline(&c), b = timeline(&c);
	int a1 = fence(&c, a, 1), a2 = fence(&c, a, 2), b1 = fence(&c, b, 1);
	/* Of one timeline only the last, which is then that fence itself. */
	int both = merge(&c, a1, a2);
	assert_int_equal(info(&c, both)->n_fences, 1);
	assert_string_equal(info(&c, both)->name, "both");
	int all = merge(&c, both, b1);
	const struct bw_vgpu_sync_info *i = info(&c, all);
	assert_int_equal(i->n_fences, 2);
	assert_int_equal(i->status, 0);
	/* What has signalled stays in it, but does not get into the next. */
	inc(&c, b, 1);
	i = info(&c, all);
	assert_int_equal(i->n_fences, 2);
	assert_int_equal(i->fences[0].status + i->fences[1].status, 1);
	int rest = merge(&c, all, all);
	assert_int_equal(info(&c, rest)->n_fences, 1);
	inc(&c, a, 1);
	assert_true(is_readable(a1, 0));
	assert_false(is_readable(all, 0));
	inc(&c, a, 1);
	assert_true(is_readable(all, 0) && is_readable(rest, 0) && is_readable(both, 0));
	assert_int_equal(info(&c, all)->status, 1);
	int done = merge(&c, all, b1);
	i = info(&c, done);
	assert_int_equal(i->n_fences, 1);
	assert_int_equal(i->status, 1);
	assert_string_equal(i->fences[0].driver, "stub");
	/* The error of a part is the whole's. */
	int a9 = fence(&c, a, 9), b9 = fence(&c, b, 9), broken = merge(&c, a9, b9);
	inc(&c, b, 9);
	assert_int_equal(close_file(&c, a), 0);
	assert_true(is_readable(broken, 0));
	assert_int_equal(info(&c, broken)->status, -ENOENT);
	struct bw_vgpu_sync_merge bad = {.fd = a1, .second = 99};
	c.fd_in = a1;
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_SYNC_MERGE, &bad), -ENOENT);
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_SYNC_MERGE, &bad),
			 -EINVAL); /* no descriptor */
	const int fds[] = {a1, a2, b1, both, all, rest, done, a9, b9, broken};
	for (size_t k = 0; k < BW_ARRAY_SIZE(fds); k++)
		close(fds[k]);
	close_client(&c);
}

/* More fences than are told at once. */
static void many_fences(void **state)
{
	enum { N = 100 };
	struct client c;
	open_client(&c);
	int all = fence(&c, timeline(&c), 1);
	for (unsigned i = 1; i < N; i++) {
		int one = fence(&c, timeline(&c), 1), next = merge(&c, all, one);
		close(all);
		close(one);
		all = next;
	}
	struct bw_vgpu_sync_info a = {.fd = all, .first = 64};
	c.fd_in = all;
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_SYNC_INFO, &a), 0);
	assert_int_equal(a.n_fences, N);
	assert_string_equal(a.fences[N - 65].driver, "sw_sync");
	assert_string_equal(a.fences[N - 64].driver, "");
	a.first = UINT32_MAX;
	c.fd_in = all;
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_SYNC_INFO, &a), 0);
	assert_string_equal(a.fences[0].driver, "");
	close(all);
	close_client(&c);
}

static int deadline(struct client *c, uint32_t t, int fd, uint64_t *out_ns)
{
	struct bw_sw_sync_get_deadline a = {.fence = fd};
	c->fd_in = fd;
	int r = file_ioctl(c, t, BW_SW_SYNC_GET_DEADLINE, &a);
	*out_ns = a.deadline_ns;
	return r;
}

static void set_deadline(struct client *c, int fd, uint64_t ns)
{
	struct bw_vgpu_sync_deadline a = {.fd = fd, .deadline_ns = ns};
	c->fd_in = fd;
	assert_int_equal(drm_ioctl(c, BW_VGPU_IOCTL_SYNC_DEADLINE, &a), 0);
}

static void deadlines(void **state)
{
	struct client c;
	uint64_t ns;
	open_client(&c);
	uint32_t t = timeline(&c);
	int one = fence(&c, t, 1), other = fence(&c, timeline(&c), 1), both = merge(&c, one, other);
	assert_int_equal(deadline(&c, t, one, &ns), -ENOENT);
	set_deadline(&c, one, 500);
	set_deadline(&c, one, 700); /* the earliest counts */
	set_deadline(&c, both, 600);
	assert_int_equal(deadline(&c, t, one, &ns), 0);
	assert_int_equal(ns, 500);
	assert_int_equal(deadline(&c, t, other, &ns), 0);
	assert_int_equal(ns, 600);
	assert_int_equal(deadline(&c, t, both, &ns), -EINVAL); /* none of sw_sync's */
	assert_int_equal(deadline(&c, t, -1, &ns), -EINVAL);
	struct bw_sw_sync_get_deadline a = {.deadline_ns = 1};
	assert_int_equal(file_ioctl(&c, t, BW_SW_SYNC_GET_DEADLINE, &a), -EINVAL);
	/* SYNCOBJ_WAIT with WAIT_DEADLINE of Linux 6.6: behind what older headers have */
	struct {
		uint64_t handles, timeout;
		uint32_t n, flags, first, pad;
		uint64_t deadline_ns;
	} wait = {.n = 1, .flags = 8, .deadline_ns = 400};
	uint32_t handle = import(&c, other);
	wait.handles = (uintptr_t)&handle;
	assert_int_equal(
		drm_ioctl(&c, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0xc3, sizeof(wait)), &wait),
		-ETIME);
	assert_int_equal(deadline(&c, t, other, &ns), 0);
	assert_int_equal(ns, 400);
	close(one);
	close(other);
	close(both);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, a_counter_signals_fences, the_end_of_a_timeline,
	     a_client_that_goes, merged_files, many_fences, deadlines);
