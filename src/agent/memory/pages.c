/* SPDX-License-Identifier: MIT */
/* Pages of the program that become the GPU's (GEM_USERPTR). The virtual GPU is another process: the
 * memory that it uses must lie in a file that both have mapped. So private pages are copied to a
 * memfd, which is then mapped in their place. Writes of another thread between copying and mapping
 * are lost, and after a fork() both processes share the pages. Programs do neither with memory that
 * they are handing to a GPU.
 *
 * A page lies in its file where it lies in the program: the file is as long as the address space,
 * and sparse. So a range that shares pages with a living buffer's has room in that buffer's file
 * for the others. */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/real.h"
#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/util.h"
#include "base/vec.h"

/* A file. Its pages were all made in [start, end): outside of that it is empty. */
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

/* A part of a range, as /proc/self/maps has it. */
struct part {
	uint64_t start, end;
	uint64_t ino; /* of a file of ours, at its own address; 0: it is in none */
	bool is_private;
};

enum { PARTS_MAX = 128, LIMIT_BITS = 47 /* addresses of programs, and the length of files */ };

struct look {
	uint64_t covered_to; /* from the start on, without a hole */
	bool is_movable;     /* each page is private, or was shared by us before */
	bool has_more;	     /* parts than there is room for */
	struct part parts[PARTS_MAX];
	size_t n_parts;
	uint64_t sought; /* an inode: are there pages of it? */
	bool is_found;
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
	uint64_t from, to, offset_b, ino;
	char perms[5], rest[2] = "";
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %1s", &from, &to,
		   perms, &offset_b, &ino, rest) < 5 ||
	    to <= start || from >= end)
		return;
	/* [stack], [vdso]: not to be moved from under a running thread; [heap] is memory like any.
	 */
	bool special = rest[0] == '[' && !strstr(line, "[heap]") && !strstr(line, "[anon");
	bool is_writable = !strncmp(perms, "rw", 2);
	bool is_private = is_writable && perms[3] == 'p' && !ino && !special;
	bool was_shared = perms[3] == 's' && ino && is_ours(ino);
	struct part part = {
		.start = BW_MAX(from, start),
		.end = BW_MIN(to, end),
		.ino = was_shared && offset_b == from ? ino : 0,
		.is_private = is_private,
	};
	l->is_movable &= is_private || (is_writable && was_shared);
	l->is_found |= part.ino && part.ino == l->sought;
	l->has_more |= l->n_parts == PARTS_MAX;
	if (!l->has_more)
		l->parts[l->n_parts++] = part;
	if (from <= l->covered_to)
		l->covered_to = to;
}

/* sought: in out, before */
static int look_at(uint64_t start, uint64_t end, struct look *out)
{
	*out = (struct look){.covered_to = start, .is_movable = true, .sought = out->sought};
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
			look_at_line(line, start, end, out);
			line = stop + 1;
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		if (have == sizeof(buf) - 1)
			return -ENODEV;
	}
	return out->covered_to < end ? -EFAULT : 0;
}

static struct shared *by_ino(uint64_t ino)
{
	bw_vec_each(&all, s)
		if (s->ino == ino)
			return s;
	return NULL;
}

/* Files in the range of which nothing is mapped any more where it was. */
static void forget_gone(uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < all.len; i++) {
		struct shared *s = &all.data[i];
		struct look now = {.sought = s->ino};
		if (s->start >= end || s->end <= start)
			continue;
		look_at(s->start, s->end, &now); /* with holes, too */
		if (now.is_found)
			continue;
		bw_agent_fd_close(&s->fd);
		bw_vec_remove(&all, i--);
	}
}

/* Copies in pieces: one call moves less than 2 GiB. */
static bool copy_pages(uint8_t *to, uint64_t from, uint64_t size_b)
{
	const uint64_t piece = 1 << 30;
	for (uint64_t at = 0; at < size_b; at += piece)
		if (!bw_agent_copy_in(to + at, from + at, BW_MIN(size_b - at, piece)))
			return false;
	return true;
}

/* Pages go into the file, which is mapped in their place. */
static int move_in(int fd, uint64_t start, uint64_t end)
{
	uint64_t size_b = end - start;
	uint8_t *p =
		REAL(mmap64)(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off64_t)start);
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
	return 0;
}

/* A new file. */
static int make_file(uint64_t start, uint64_t end, struct shared *out)
{
	const uint64_t size_b = 1ull << LIMIT_BITS;
	struct rlimit limit;
	/* a longer one would end the program, by SIGXFSZ */
	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur < size_b)
		return -EFBIG;
	_cleanup_close_ int fd = bw_memfd_sealed("breakwater-user-pages", size_b);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -ENOMEM;
	int r = move_in(fd, start, end);
	if (r)
		return r;
	*out = (struct shared){start, end, st.st_ino, bw_agent_fd_keep(bw_take_fd(fd))};
	return 0;
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

static bool stays(const struct part *p)
{
	return !p->is_private && in_use(p->start, p->end);
}

/* The file in which pages of the range are that a living buffer uses; out NULL: there are none. */
static int find_living(const struct look *l, struct shared **out)
{
	*out = NULL;
	for (size_t i = 0; i < l->n_parts; i++) {
		const struct part *p = &l->parts[i];
		struct shared *s = stays(p) ? by_ino(p->ino) : NULL;
		/* two of them: the page would have to lie in both */
		if (stays(p) && (!s || (*out && *out != s)))
			return -ENODEV;
		*out = s ? s : *out;
	}
	return 0;
}

static bool is_all_of(const struct look *l, uint64_t ino)
{
	for (size_t i = 0; i < l->n_parts; i++)
		if (l->parts[i].ino != ino)
			return false;
	return ino;
}

/* The parts that are not in the file come into it. */
static int extend(struct shared *s, const struct look *l)
{
	/* its pages there may still be mapped elsewhere, or used by a buffer */
	for (size_t i = 0; i < l->n_parts; i++)
		if (l->parts[i].ino != s->ino && l->parts[i].start < s->end &&
		    l->parts[i].end > s->start)
			return -ENODEV;
	for (size_t i = 0; i < l->n_parts; i++) {
		const struct part *p = &l->parts[i];
		int r = p->ino == s->ino ? 0 : move_in(s->fd, p->start, p->end);
		if (r)
			return r;
		s->start = BW_MIN(s->start, p->start);
		s->end = BW_MAX(s->end, p->end);
	}
	return s->fd;
}

static int share(uint64_t start, uint64_t end)
{
	struct look l = {.sought = 0};
	struct shared *s;
	struct bw_error *err = bw_vec_reserve(&all, all.len + 1);
	if (!err)
		err = bw_vec_reserve(&inos, inos.len + 1);
	if (err) {
		bw_error_free(err);
		return -ENOMEM;
	}
	int r = look_at(start, end, &l);
	if (r)
		return r;
	if (l.has_more)
		return -ENODEV;
	forget_gone(start, end);
	s = by_ino(l.parts[0].ino);
	if (s && is_all_of(&l, s->ino))
		return s->fd;
	if (!l.is_movable)
		return -ENODEV;
	if ((r = find_living(&l, &s)))
		return r;
	if (s)
		return extend(s, &l);
	/* Pages shared before for a buffer that is gone are the program's like any others. */
	struct shared fresh;
	if ((r = make_file(start, end, &fresh)))
		return r;
	all.data[all.len++] = fresh;
	inos.data[inos.len++] = fresh.ino;
	forget_gone(start, end);
	return fresh.fd;
}

int bw_agent_share_pages(uint64_t va, uint64_t size_b)
{
	uint64_t end;
	if (__builtin_add_overflow(va, size_b, &end) || end > 1ull << LIMIT_BITS)
		return -EFAULT;
	pthread_mutex_lock(&lock);
	int r = share(va, end);
	pthread_mutex_unlock(&lock);
	return r;
}
