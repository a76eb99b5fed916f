/* SPDX-License-Identifier: MIT */
#include "agent/memory/cpu_writes.h"

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
#include "base/table.h"
#include "base/util.h"

enum { PAGE_B = 4096, LEFT_MAX = 4096 };

/* Definitions that headers older than Linux 6.7 lack (include/uapi/linux/userfaultfd.h, fs.h). */
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

/* A buffer that the program has mapped, or that it writes otherwise. */
struct buffer {
	uint64_t serial;
	bool is_unknown;
	/* writes by mappings that are gone, or by the agent */
	struct bw_cpu_writes_ranges left;
	struct bw_cpu_writes *asked; /* while it is */
};

/* A mapping of the program. */
struct cpu_map {
	uint64_t start, end, offset_b, serial;
};

/* The lock is taken last of all. */
static struct {
	pthread_mutex_t lock;
	bool is_tried, is_ended;
	int uffd, pagemap;
	struct BW_TABLE(struct buffer) buffers;
	struct BW_VEC(struct cpu_map) maps; /* by address, of buffers that are known */
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

static struct buffer *find_buffer(uint64_t serial)
{
	return bw_table_find(&g.buffers, serial);
}

static void end(void)
{
	g.is_ended = true;
	atomic_store(&has_maps, false);
	bw_agent_fd_close(&g.uffd);
	bw_agent_fd_close(&g.pagemap);
	bw_vec_each(&g.buffers, b)
		bw_vec_free(&b->left);
	bw_table_free(&g.buffers);
	bw_vec_free(&g.maps);
}

/* NULL: out of memory, and all is at its end. */
static struct buffer *need(uint64_t serial)
{
	struct buffer *b = find_buffer(serial);
	struct bw_error *err =
		b ? NULL : bw_table_add(&g.buffers, ((struct buffer){.serial = serial}));
	if (err)
		end();
	bw_error_free(err);
	return b ? b : find_buffer(serial);
}

static void drop_maps(uint64_t serial)
{
	bw_vec_drop(&g.maps, m, m->serial == serial);
}

static void note_unknown(uint64_t serial)
{
	struct buffer *b = need(serial);
	if (!b || b->is_unknown)
		return;
	b->is_unknown = true;
	bw_vec_free(&b->left);
	drop_maps(serial);
}

static void note_left(uint64_t serial, struct bw_cpu_writes_range range)
{
	struct buffer *b = find_buffer(serial);
	if (!b || b->is_unknown)
		return;
	const struct bw_cpu_writes_range *last =
		b->left.len ? &b->left.data[b->left.len - 1] : NULL;
	if (last && last->first == range.first && last->n == range.n)
		return;
	struct bw_error *err =
		b->left.len == LEFT_MAX ? bw_error_nomem() : bw_vec_push(&b->left, range);
	if (err)
		note_unknown(serial);
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
	g.uffd = bw_agent_fd_keep(fd);
	g.pagemap = bw_agent_fd_keep(pagemap);
	return true;
}

/* Adds the pages written in [start, end), and protects them again. */
static bool scan(uint64_t start, uint64_t end_va,
		 bool (*add)(void *ctx, uint64_t start, uint64_t end_va), void *ctx)
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
		for (int i = 0; i < n; i++)
			if (!add(ctx, found[i].start, found[i].end))
				return false;
		start = a.walk_end;
	}
	return true;
}

/* Addresses of the mapping as pages of its buffer. */
static struct bw_cpu_writes_range pages_of(const struct cpu_map *m, uint64_t start, uint64_t end_va)
{
	return (struct bw_cpu_writes_range){(start - m->start + m->offset_b) / PAGE_B,
					    (end_va - start) / PAGE_B};
}

/* ---- The program's mappings ---- */

/* The first mapping that ends after the address. */
static size_t first_behind(uint64_t va)
{
	size_t low = 0, high = g.maps.len;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (g.maps.data[mid].end <= va)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool insert_map(struct cpu_map m)
{
	struct bw_error *err = bw_vec_insert(&g.maps, first_behind(m.start), m);
	bw_error_free(err);
	return !err;
}

static bool watch(const struct cpu_map *m)
{
	struct uffdio_register r = {.range = {m->start, m->end - m->start},
				    .mode = UFFDIO_REGISTER_MODE_WP};
	return open_both() && m->offset_b % PAGE_B == 0 &&
	       !REAL(ioctl)(g.uffd, UFFDIO_REGISTER, &r) && insert_map(*m);
}

static bool add_left(void *ctx, uint64_t start, uint64_t end_va)
{
	const struct cpu_map *m = ctx;
	note_left(m->serial, pages_of(m, start, end_va));
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
	if (m.end > end_va && !insert_map(behind))
		note_unknown(m.serial);
}

/* is_lost: what was written in there cannot be told. */
static void drop_range(uint64_t start, uint64_t end_va, bool is_lost)
{
	size_t i;
	while ((i = first_behind(start)) < g.maps.len && g.maps.data[i].start < end_va) {
		struct cpu_map m = g.maps.data[i];
		if (is_lost || !scan(BW_MAX(start, m.start), BW_MIN(end_va, m.end), add_left, &m))
			note_unknown(m.serial); /* which drops its mappings */
		else if (!find_buffer(m.serial)->is_unknown)
			cut(i, start, end_va);
	}
}

void bw_cpu_writes_mapped(uint64_t serial, void *at, size_t size_b, uint64_t offset_b)
{
	const struct cpu_map m = {(uintptr_t)at, (uintptr_t)at + bw_align_up(size_b, PAGE_B),
				  offset_b, serial};
	lock();
	const struct buffer *b = g.is_ended ? NULL : need(serial);
	drop_range(m.start, m.end, true); /* there should be none */
	if (b && !find_buffer(serial)->is_unknown && !watch(&m))
		note_unknown(serial);
	atomic_store(&has_maps, g.maps.len != 0);
	unlock();
}

void bw_cpu_writes_unknown(uint64_t serial)
{
	lock();
	if (!g.is_ended)
		note_unknown(serial);
	atomic_store(&has_maps, g.maps.len != 0);
	unlock();
}

static void unmapped(const void *at, size_t size_b, bool is_moved)
{
	uint64_t start = (uintptr_t)at, end_va;
	if (is_inside || !atomic_load_explicit(&has_maps, memory_order_relaxed) ||
	    __builtin_add_overflow(start, bw_align_up(size_b, PAGE_B), &end_va))
		return;
	lock();
	drop_range(start, end_va, is_moved);
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

void bw_cpu_writes_by_agent(uint64_t serial, uint64_t offset_b, size_t size_b)
{
	const struct bw_cpu_writes_range r = {offset_b / PAGE_B, (offset_b + size_b - 1) / PAGE_B -
									 offset_b / PAGE_B + 1};
	if (!size_b || !atomic_load_explicit(&has_maps, memory_order_relaxed))
		return;
	lock();
	if (!g.is_ended)
		note_left(serial, r);
	unlock();
}

void bw_cpu_writes_forget(uint64_t serial)
{
	lock();
	struct buffer *b = find_buffer(serial);
	if (b) {
		bw_vec_free(&b->left);
		if (!b->is_unknown)
			drop_maps(serial);
		bw_table_remove(&g.buffers, serial);
	}
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

static struct bw_cpu_writes *asked_of(const struct cpu_map *m)
{
	const struct buffer *b = find_buffer(m->serial);
	return b ? b->asked : NULL;
}

/* Mappings that follow each other, which one call of the kernel tells about. */
struct run {
	size_t first, end; /* indexes of g.maps */
};

/* Pages that were written, of one or several mappings. */
static bool add_to_run(void *ctx, uint64_t start, uint64_t end_va)
{
	const struct run *r = ctx;
	for (size_t i = first_behind(start); start < end_va && i < r->end; i++) {
		const struct cpu_map *m = &g.maps.data[i];
		uint64_t to = BW_MIN(end_va, m->end);
		struct bw_error *err = bw_vec_push(&asked_of(m)->ranges, pages_of(m, start, to));
		bool ok = !err;
		bw_error_free(err);
		if (!ok)
			return false;
		start = to;
	}
	return true;
}

static void ask_run(struct run r)
{
	uint64_t start = g.maps.data[r.first].start, end_va = g.maps.data[r.end - 1].end;
	bool ok = scan(start, end_va, add_to_run, &r);
	/* pages may be protected again of which it has not told */
	for (size_t i = r.first; !ok && i < r.end; i++)
		asked_of(&g.maps.data[i])->is_known = false;
}

static void ask_maps(void)
{
	for (size_t i = 0; i < g.maps.len;) {
		struct run r = {i, i};
		while (r.end < g.maps.len && asked_of(&g.maps.data[r.end]) &&
		       (r.end == i || g.maps.data[r.end].start == g.maps.data[r.end - 1].end))
			r.end++;
		if (r.end > i)
			ask_run(r);
		i = BW_MAX(r.end, i + 1);
	}
}

void bw_cpu_writes_take(struct bw_cpu_writes *const *asked, size_t n)
{
	lock();
	for (size_t i = 0; i < n; i++) {
		struct buffer *b = find_buffer(asked[i]->serial);
		asked[i]->is_known = b && !b->is_unknown;
		asked[i]->ranges.len = 0;
		if (!asked[i]->is_known)
			continue;
		struct bw_cpu_writes_ranges none = asked[i]->ranges;
		asked[i]->ranges = b->left;
		b->left = none;
		b->asked = asked[i];
	}
	ask_maps();
	for (size_t i = 0; i < n; i++) {
		struct buffer *b = find_buffer(asked[i]->serial);
		if (b && b->asked && !asked[i]->is_known)
			note_unknown(asked[i]->serial);
		if (b)
			b->asked = NULL;
	}
	atomic_store(&has_maps, g.maps.len != 0);
	unlock();
}
