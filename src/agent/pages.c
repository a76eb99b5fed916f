/* SPDX-License-Identifier: MIT */
/* Pages of the program that become the GPU's (GEM_USERPTR). The virtual GPU is another process:
 * what it is to use must lie in a file that both have mapped. So private pages are copied to a
 * memfd, which is then mapped in their place. What another thread writes between copying and
 * mapping is lost, and after a fork() both processes share the pages. Programs do neither with
 * memory that they are handing to a GPU. */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/real.h"
#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/util.h"
#include "base/vec.h"

struct shared {
	uint64_t start, end;
	uint64_t ino;
	int fd;
};

/* A buffer object that lives on such pages. */
struct user {
	uint32_t file, handle;
	uint64_t start, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct BW_VEC(struct shared) all;
static struct BW_VEC(struct user) users;
static struct BW_VEC(uint64_t) inos; /* of all files ever made here: their pages may be anywhere */

/* What /proc/self/maps says of a range: all of it private and writable, from no file; or all of it
 * one mapping of the file with this inode. */
struct look {
	uint64_t covered_to; /* from the start on, without a hole */
	bool is_private, is_whole;
	bool is_movable; /* private, or shared by us before */
	uint64_t ino;
};

static bool is_ours(uint64_t ino)
{
	bw_vec_each(&inos, i)
		if (*i == ino)
			return true;
	return false;
}

static void look_at_line(const char *line, uint64_t start, uint64_t end, struct look *l)
{
	uint64_t from, to, ino;
	char perms[5], rest[2] = "";
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64 " %1s", &from, &to, perms,
		   &ino, rest) < 4 ||
	    to <= start || from >= end)
		return;
	/* [stack], [vdso]: not to be moved from under a running thread; [heap] is memory like any.
	 */
	bool special = rest[0] == '[' && !strstr(line, "[heap]") && !strstr(line, "[anon");
	bool is_private = !strncmp(perms, "rw", 2) && perms[3] == 'p' && !ino && !special;
	l->is_private &= is_private;
	l->is_movable &=
		is_private || (!strncmp(perms, "rw", 2) && perms[3] == 's' && ino && is_ours(ino));
	l->is_whole = from == start && to >= end && perms[3] == 's';
	l->ino = ino;
	if (from <= l->covered_to)
		l->covered_to = to;
}

static int look_at(uint64_t start, uint64_t end, struct look *out)
{
	struct look l = {.covered_to = start, .is_private = true, .is_movable = true};
	_cleanup_close_ int fd = REAL(open64)("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Line by line out of a buffer: stdio could allocate while the heap itself is looked at. */
	char buf[8192];
	size_t have = 0;
	for (ssize_t n; (n = read(fd, buf + have, sizeof(buf) - 1 - have)) > 0;) {
		have += (size_t)n;
		buf[have] = '\0';
		char *line = buf, *stop;
		while ((stop = strchr(line, '\n'))) {
			*stop = '\0';
			look_at_line(line, start, end, &l);
			line = stop + 1;
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		if (have == sizeof(buf) - 1)
			return -ENODEV;
	}
	if (l.covered_to < end)
		return -EFAULT;
	*out = l;
	return 0;
}

/* The same range, shared before and still there: its fd, else -ENOENT. Forgets what is no longer.
 */
static int find(uint64_t start, uint64_t end, const struct look *l)
{
	for (size_t i = 0; i < all.len; i++) {
		struct shared *s = &all.data[i];
		if (s->start >= end || s->end <= start)
			continue;
		if (s->start == start && s->end == end && l->is_whole && s->ino == l->ino)
			return s->fd;
		struct look now;
		if (!look_at(s->start, s->end, &now) && now.ino == s->ino)
			continue;
		bw_agent_fd_own(s->fd, false);
		REAL(close)(s->fd);
		bw_vec_remove(&all, i--);
	}
	return -ENOENT;
}

/* In pieces: one call moves less than 2 GiB. */
static bool copy_pages(uint8_t *to, uint64_t from, uint64_t size_b)
{
	const uint64_t piece = 1 << 30;
	for (uint64_t at = 0; at < size_b; at += piece)
		if (!bw_agent_copy_in(to + at, from + at, BW_MIN(size_b - at, piece)))
			return false;
	return true;
}

static int make(uint64_t start, uint64_t size_b, uint64_t *out_ino)
{
	_cleanup_close_ int fd = bw_memfd("breakwater-user-pages");
	struct stat st;
	if (fd < 0 || ftruncate(fd, (off_t)size_b) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ||
	    fstat(fd, &st) < 0)
		return -ENOMEM;
	uint8_t *p = REAL(mmap64)(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	if (!copy_pages(p, start, size_b)) {
		munmap(p, size_b);
		return -EFAULT;
	}
	if (mremap(p, size_b, size_b, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(uintptr_t)start) ==
	    MAP_FAILED) {
		int r = -errno;
		munmap(p, size_b);
		return r;
	}
	*out_ino = st.st_ino;
	return bw_take_fd(fd);
}

/* Does a living buffer object use any page of the range? */
static bool in_use(uint64_t start, uint64_t end)
{
	bw_vec_each(&users, u)
		if (u->start < end && u->end > start)
			return true;
	return false;
}

void bw_agent_pages_used(uint32_t file, uint32_t handle, uint64_t va, uint64_t size_b)
{
	const struct user u = {file, handle, va, va + size_b};
	pthread_mutex_lock(&lock);
	bw_error_free(bw_vec_push(&users, u));
	pthread_mutex_unlock(&lock);
}

void bw_agent_pages_closed(uint32_t file, uint32_t handle)
{
	pthread_mutex_lock(&lock);
	for (size_t i = users.len; i-- > 0;)
		if (users.data[i].file == file && (!handle || users.data[i].handle == handle))
			bw_vec_remove(&users, i);
	pthread_mutex_unlock(&lock);
}

/* Files that lay in the range are replaced there. */
static void forget_range(uint64_t start, uint64_t end)
{
	for (size_t i = all.len; i-- > 0;) {
		if (all.data[i].start >= end || all.data[i].end <= start)
			continue;
		bw_agent_fd_own(all.data[i].fd, false);
		REAL(close)(all.data[i].fd);
		bw_vec_remove(&all, i);
	}
}

int bw_agent_share_pages(uint64_t va, uint64_t size_b)
{
	struct look l;
	uint64_t end;
	if (__builtin_add_overflow(va, size_b, &end))
		return -EFAULT;
	pthread_mutex_lock(&lock);
	int r = look_at(va, end, &l);
	if (!r)
		r = find(va, end, &l);
	bool fresh = r == -ENOENT;
	/* Pages shared before for a buffer that is gone are the program's like any others. Those of
	 * one that lives would have to lie in two files at once. */
	if (fresh && !l.is_private && (!l.is_movable || in_use(va, end)))
		r = -ENODEV;
	struct bw_error *err = bw_vec_reserve(&all, all.len + 1);
	if (!err)
		err = bw_vec_reserve(&inos, inos.len + 1);
	if (fresh && err)
		r = -ENOMEM;
	bw_error_free(err);
	if (r == -ENOENT)
		forget_range(va, end);
	if (r == -ENOENT) {
		uint64_t ino = 0;
		r = make(va, size_b, &ino);
		if (r >= 0) {
			r = bw_agent_fd_move_high(r);
			bw_agent_fd_own(r, true);
			all.data[all.len++] = (struct shared){va, end, ino, r};
			inos.data[inos.len++] = ino;
		}
	}
	pthread_mutex_unlock(&lock);
	return r;
}
