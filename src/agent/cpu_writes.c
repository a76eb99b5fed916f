/* SPDX-License-Identifier: MIT */
#include "agent/cpu_writes.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/real.h"
#include "base/util.h"

enum { PAGE_B = 4096, LEFT_MAX = 4096 };

/* What headers older than Linux 6.7 lack (include/uapi/linux/userfaultfd.h, fs.h). */
#define FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#define FEATURE_WP_UNPOPULATED (1 << 13)
#define FEATURE_WP_ASYNC (1 << 15)
#define USER_MODE_ONLY 1
struct page_region {
	uint64_t start, end, categories;
};
struct pm_scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN _IOWR('f', 16, struct pm_scan_arg)
#define SCAN_PROTECT (1 << 0)	  /* PM_SCAN_WP_MATCHING */
#define SCAN_CHECK_ASYNC (1 << 1) /* PM_SCAN_CHECK_WPASYNC */
#define IS_WRITTEN (1 << 1)	  /* PAGE_IS_WRITTEN */

struct cpu_map {
	struct bw_cpu_writes_of of;
	uint64_t start, end, offset_b;
};

/* A buffer that the program has mapped. */
struct buffer {
	struct bw_cpu_writes_of of;
	bool is_unknown;
};

/* Pages that were written by mappings that are gone, or by the agent. */
struct left {
	struct bw_cpu_writes_of of;
	struct bw_cpu_writes_range range;
};

/* The lock is taken last of all. */
static struct {
	pthread_mutex_t lock;
	bool is_tried, is_ended;
	int uffd, pagemap;
	struct BW_VEC(struct cpu_map) maps;
	struct BW_VEC(struct left) left;
	struct BW_VEC(struct buffer) buffers;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .uffd = -1, .pagemap = -1};
static atomic_bool has_maps; /* read without the lock, for every munmap of the program */

/* An allocator of the program may unmap memory while this file allocates some: that is not the
 * GPU's. */
static __thread bool is_inside;

static void lock(void)
{
	pthread_mutex_lock(&g.lock);
	is_inside = true;
}

static void unlock(void)
{
	is_inside = false;
	pthread_mutex_unlock(&g.lock);
}

static bool is_same(struct bw_cpu_writes_of a, struct bw_cpu_writes_of b)
{
	return a.file == b.file && a.serial == b.serial;
}

static struct buffer *find(struct bw_cpu_writes_of of)
{
	bw_vec_each(&g.buffers, b)
		if (is_same(b->of, of))
			return b;
	return NULL;
}

static void drop_left(struct bw_cpu_writes_of of)
{
	for (size_t i = g.left.len; i-- > 0;)
		if (is_same(g.left.data[i].of, of))
			bw_vec_remove(&g.left, i);
}

static void close_fd(int *fd)
{
	if (*fd < 0)
		return;
	bw_agent_fd_own(*fd, false);
	REAL(close)(*fd);
	*fd = -1;
}

static void end(void)
{
	g.is_ended = true;
	atomic_store(&has_maps, false);
	close_fd(&g.uffd);
	close_fd(&g.pagemap);
	bw_vec_free(&g.maps);
	bw_vec_free(&g.left);
	bw_vec_free(&g.buffers);
}

static struct buffer *need(struct bw_cpu_writes_of of)
{
	struct buffer *b = find(of);
	struct bw_error *err = b ? NULL : bw_vec_push(&g.buffers, ((struct buffer){of, false}));
	if (err) /* out of memory */
		end();
	bw_error_free(err);
	return find(of);
}

static void note_unknown(struct bw_cpu_writes_of of)
{
	struct buffer *b = need(of);
	if (b)
		b->is_unknown = true;
	drop_left(of);
}

static void note_left(struct bw_cpu_writes_of of, struct bw_cpu_writes_range range)
{
	struct left *last = g.left.len ? &g.left.data[g.left.len - 1] : NULL;
	const struct buffer *b = find(of);
	if (!b || b->is_unknown ||
	    (last && is_same(last->of, of) && last->range.first == range.first &&
	     last->range.n == range.n))
		return;
	struct bw_error *err = g.left.len == LEFT_MAX
				       ? bw_error_nomem()
				       : bw_vec_push(&g.left, ((struct left){of, range}));
	if (err)
		note_unknown(of);
	bw_error_free(err);
}

/* False: this kernel does not do it. */
static bool open_both(void)
{
	struct uffdio_api api = {.api = UFFD_API,
				 .features = FEATURE_WP_ASYNC | FEATURE_WP_UNPOPULATED |
					     FEATURE_WP_HUGETLBFS_SHMEM};
	if (g.is_tried || g.is_ended)
		return g.uffd >= 0;
	g.is_tried = true;
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
	int pagemap = REAL(open64)("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pagemap < 0 || REAL(ioctl)(fd, UFFDIO_API, &api)) {
		if (fd >= 0)
			REAL(close)(fd);
		if (pagemap >= 0)
			REAL(close)(pagemap);
		return false;
	}
	g.uffd = bw_agent_fd_move_high(fd);
	g.pagemap = bw_agent_fd_move_high(pagemap);
	bw_agent_fd_own(g.uffd, true);
	bw_agent_fd_own(g.pagemap, true);
	return true;
}

/* What was written in [start, end) of the mapping, which is protected again. */
static bool scan(const struct cpu_map *m, uint64_t start, uint64_t end_va,
		 bool (*add)(void *ctx, const struct cpu_map *m, struct bw_cpu_writes_range r),
		 void *ctx)
{
	struct page_region found[64];
	while (start < end_va) {
		struct pm_scan_arg a = {.size = sizeof(a),
					.flags = SCAN_PROTECT | SCAN_CHECK_ASYNC,
					.start = start,
					.end = end_va,
					.vec = (uintptr_t)found,
					.vec_len = BW_ARRAY_SIZE(found),
					.category_mask = IS_WRITTEN,
					.return_mask = IS_WRITTEN};
		int n = REAL(ioctl)(g.pagemap, SCAN, &a);
		if (n < 0 || a.walk_end <= start)
			return false;
		for (int i = 0; i < n; i++) {
			uint64_t at_b = found[i].start - m->start + m->offset_b;
			const struct bw_cpu_writes_range r = {
				at_b / PAGE_B, (found[i].end - found[i].start) / PAGE_B};
			if (!add(ctx, m, r))
				return false;
		}
		start = a.walk_end;
	}
	return true;
}

/* ---- The program's mappings ---- */

static bool watch(const struct cpu_map *m)
{
	struct uffdio_register r = {.range = {m->start, m->end - m->start},
				    .mode = UFFDIO_REGISTER_MODE_WP};
	if (!open_both() || m->offset_b % PAGE_B || REAL(ioctl)(g.uffd, UFFDIO_REGISTER, &r))
		return false;
	struct bw_error *err = bw_vec_push(&g.maps, *m);
	bool ok = !err;
	bw_error_free(err);
	return ok;
}

void bw_cpu_writes_mapped(struct bw_cpu_writes_of of, void *at, size_t size_b, uint64_t offset_b)
{
	const struct cpu_map m = {of, (uintptr_t)at, (uintptr_t)at + bw_align_up(size_b, PAGE_B),
				  offset_b};
	lock();
	if (!g.is_ended && need(of) && !watch(&m))
		note_unknown(of);
	atomic_store(&has_maps, g.maps.len != 0);
	unlock();
}

void bw_cpu_writes_unknown(struct bw_cpu_writes_of of)
{
	lock();
	if (!g.is_ended)
		note_unknown(of);
	unlock();
}

static bool add_left(void *ctx, const struct cpu_map *m, struct bw_cpu_writes_range r)
{
	(void)ctx;
	note_left(m->of, r);
	return true;
}

/* The part of mapping i that lies in [start, end) is gone. */
static void cut(size_t i, uint64_t start, uint64_t end_va)
{
	struct cpu_map m = g.maps.data[i], behind = m;
	behind.offset_b += end_va - m.start;
	behind.start = end_va;
	g.maps.data[i].end = BW_MAX(start, m.start);
	if (m.start >= start)
		bw_vec_remove(&g.maps, i);
	struct bw_error *err = m.end > end_va ? bw_vec_push(&g.maps, behind) : NULL;
	if (err)
		note_unknown(m.of);
	bw_error_free(err);
}

static void unmapped(const void *at, size_t size_b, bool is_moved)
{
	uint64_t start = (uintptr_t)at, end_va;
	if (is_inside || !atomic_load_explicit(&has_maps, memory_order_relaxed) ||
	    __builtin_add_overflow(start, bw_align_up(size_b, PAGE_B), &end_va))
		return;
	lock();
	for (size_t i = g.maps.len; i-- > 0;) {
		const struct cpu_map m = g.maps.data[i];
		if (m.start >= end_va || m.end <= start)
			continue;
		if (is_moved ||
		    !scan(&m, BW_MAX(start, m.start), BW_MIN(end_va, m.end), add_left, NULL))
			note_unknown(m.of);
		if (g.is_ended)
			break;
		cut(i, start, end_va);
	}
	atomic_store(&has_maps, g.maps.len != 0);
	unlock();
}

void bw_cpu_writes_unmapped(const void *at, size_t size_b)
{
	unmapped(at, size_b, false);
}

void bw_cpu_writes_moved(const void *at, size_t size_b)
{
	unmapped(at, size_b, true);
}

void bw_cpu_writes_by_agent(struct bw_cpu_writes_of of, uint64_t offset_b, size_t size_b)
{
	const struct bw_cpu_writes_range r = {offset_b / PAGE_B, (offset_b + size_b - 1) / PAGE_B -
									 offset_b / PAGE_B + 1};
	if (!size_b || !atomic_load_explicit(&has_maps, memory_order_relaxed))
		return;
	lock();
	if (!g.is_ended)
		note_left(of, r);
	unlock();
}

void bw_cpu_writes_forget(struct bw_cpu_writes_of of)
{
	lock();
	drop_left(of);
	for (size_t i = g.maps.len; i-- > 0;)
		if (is_same(g.maps.data[i].of, of))
			bw_vec_remove(&g.maps, i);
	struct buffer *b = find(of);
	if (b)
		bw_vec_remove(&g.buffers, (size_t)(b - g.buffers.data));
	atomic_store(&has_maps, g.maps.len != 0);
	unlock();
}

void bw_cpu_writes_end(void)
{
	lock();
	end();
	unlock();
}

void bw_cpu_writes_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	end();
}

/* ---- Asking ---- */

static bool add_range(void *ctx, const struct cpu_map *m, struct bw_cpu_writes_range r)
{
	(void)m;
	struct bw_cpu_writes_ranges *out = ctx;
	struct bw_error *err = bw_vec_push(out, r);
	bool ok = !err;
	bw_error_free(err);
	return ok;
}

/* The lock is held. */
static bool take(struct bw_cpu_writes_of of, struct bw_cpu_writes_ranges *out)
{
	const struct buffer *b = find(of);
	if (!b || b->is_unknown)
		return false;
	for (size_t i = g.left.len; i-- > 0;) {
		if (!is_same(g.left.data[i].of, of))
			continue;
		if (!add_range(out, NULL, g.left.data[i].range))
			return false;
		bw_vec_remove(&g.left, i);
	}
	bw_vec_each(&g.maps, m)
		if (is_same(m->of, of) && !scan(m, m->start, m->end, add_range, out))
			return false;
	return true;
}

bool bw_cpu_writes_take(struct bw_cpu_writes_of of, struct bw_cpu_writes_ranges *out)
{
	out->len = 0;
	lock();
	bool ok = take(of, out);
	if (!ok && find(of))
		note_unknown(of);
	unlock();
	return ok;
}
