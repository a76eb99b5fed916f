/* SPDX-License-Identifier: MIT */
/* The functions of libc that a program reaches a GPU with (doc/hardware/mesa.md 1.2), in the
 * symbols of glibc 2.33 and newer (stat_calls.c has those of stat). Each asks whether the path or
 * descriptor is the GPU's, and else does what it would have done. Built without _FILE_OFFSET_BITS,
 * which would rename half of them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/capture/capture.h"
#include "agent/gpu/dma_buf.h"
#include "agent/gpu/sync_file.h"
#include "agent/memory/cpu_writes.h"
#include "agent/memory/track.h"
#include "base/memfd.h"

#define EXPORT __attribute__((visibility("default")))

enum { DRM_MAJOR = 226 };

static int fail(int r)
{
	errno = -r;
	return -1;
}

/* open */

/* /proc/self/fdinfo/N of a DRM file: the text in a file of its own. */
static int open_fdinfo(int asked, int flags)
{
	static const size_t room = 64 << 10;
	struct bw_agent_file *f = bw_agent_file_of(asked);
	char *text = f ? malloc(room) : NULL;
	ssize_t n = text ? bw_agent_fdinfo(f, text, room) : f ? -ENOMEM : -ENOENT;
	bw_agent_file_unref(f);
	int fd = n < 0 ? -1 : bw_memfd("fdinfo");
	if (fd >= 0 && !(flags & O_CLOEXEC))
		REAL(fcntl)(fd, F_SETFD, 0);
	if (fd >= 0 && (pwrite(fd, text, (size_t)n, 0) != n))
		n = -EIO;
	else if (fd < 0 && n >= 0)
		n = -errno;
	free(text);
	if (n >= 0)
		return fd;
	if (fd >= 0)
		REAL(close)(fd);
	return fail((int)n);
}

/* A GPU's node below /dev/dri, or /dev/kfd, that the kernel has opened. */
static void adopt(int fd, const char *path)
{
	struct stat st;
	if (fd < 0 || !path || strncmp(path, "/dev/", 5))
		return;
	bool is_kfd = !strcmp(path, "/dev/kfd");
	if ((!is_kfd && strncmp(path, "/dev/dri/", 9)) || REAL(fstat)(fd, &st) ||
	    !S_ISCHR(st.st_mode) || (!is_kfd && major(st.st_rdev) != DRM_MAJOR))
		return;
	int e = errno;
	bw_agent_adopt(fd, is_kfd ? BW_AGENT_KFD : minor(st.st_rdev));
	errno = e;
}

static bool is_file(const char *tree_path)
{
	struct stat st;
	return !REAL(stat)(tree_path, &st) && S_ISREG(st.st_mode);
}

static int open_any(int dirfd, const char *path, int flags, mode_t mode)
{
	struct bw_agent_path p;
	bw_agent_resolve(dirfd, path, &p);
	int r;
	switch (p.where) {
	case BW_AGENT_NODE:
		if (flags & (O_PATH | O_DIRECTORY))
			return REAL(openat)(AT_FDCWD, p.path, flags, mode);
		if (flags & O_EXCL)
			return fail(flags & O_CREAT ? -EEXIST : -EBUSY);
		r = bw_agent_open_node(p.minor, flags);
		return r < 0 ? fail(r) : r;
	case BW_AGENT_FDINFO:
		return open_fdinfo(p.fd, flags);
	case BW_AGENT_TREE:
		r = bw_agent_live_open(p.path, flags);
		if (r == BW_AGENT_NOT_LIVE && (flags & O_ACCMODE) != O_RDONLY && is_file(p.path))
			r = -EACCES; /* no file of sysfs that never changes can be written */
		if (r == BW_AGENT_NOT_LIVE)
			return REAL(openat64)(AT_FDCWD, p.path, flags & ~(O_CREAT | O_TRUNC), mode);
		return r < 0 ? fail(r) : r;
	case BW_AGENT_ELSEWHERE:
	default:
		r = REAL(openat64)(dirfd, path, flags, mode);
		adopt(r, path);
		return r;
	}
}

#define MODE_ARG(flags)                                                                            \
	({                                                                                         \
		mode_t mode_ = 0;                                                                  \
		if ((flags) & (O_CREAT | O_TMPFILE)) {                                             \
			va_list args_;                                                             \
			va_start(args_, flags);                                                    \
			mode_ = va_arg(args_, mode_t);                                             \
			va_end(args_);                                                             \
		}                                                                                  \
		mode_;                                                                             \
	})

EXPORT int open(const char *path, int flags, ...)
{
	return open_any(AT_FDCWD, path, flags, MODE_ARG(flags));
}

EXPORT int open64(const char *path, int flags, ...)
{
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, MODE_ARG(flags));
}

EXPORT int openat(int dirfd, const char *path, int flags, ...)
{
	return open_any(dirfd, path, flags, MODE_ARG(flags));
}

EXPORT int openat64(int dirfd, const char *path, int flags, ...)
{
	return open_any(dirfd, path, flags | O_LARGEFILE, MODE_ARG(flags));
}

/* Calls of programs that are built with _FORTIFY_SOURCE. */
EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
EXPORT int __openat_2(int dirfd, const char *path, int flags);
EXPORT int __openat64_2(int dirfd, const char *path, int flags);

EXPORT int __open_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

EXPORT int __open64_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

EXPORT int __openat_2(int dirfd, const char *path, int flags)
{
	return open_any(dirfd, path, flags, 0);
}

EXPORT int __openat64_2(int dirfd, const char *path, int flags)
{
	return open_any(dirfd, path, flags | O_LARGEFILE, 0);
}

/* "r+e" as the flags of open(). */
static int mode_flags(const char *mode)
{
	int access = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
	return access | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

static FILE *fopen_other(const struct bw_agent_path *p, const char *mode)
{
	int fd = p->where == BW_AGENT_FDINFO ? open_fdinfo(p->fd, mode_flags(mode))
		 : p->where == BW_AGENT_TREE ? bw_agent_live_open(p->path, mode_flags(mode))
					     : BW_AGENT_NOT_LIVE;
	if (fd == BW_AGENT_NOT_LIVE)
		return REAL(fopen64)(p->path, mode);
	if (fd < 0 && p->where == BW_AGENT_TREE)
		errno = -fd;
	FILE *f = fd < 0 ? NULL : fdopen(fd, mode);
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return p.where == BW_AGENT_ELSEWHERE ? REAL(fopen)(path, mode) : fopen_other(&p, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return p.where == BW_AGENT_ELSEWHERE ? REAL(fopen64)(path, mode) : fopen_other(&p, mode);
}

/* Other questions about paths */

EXPORT int access(const char *path, int mode)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return REAL(access)(p.path, mode);
}

EXPORT int faccessat(int dirfd, const char *path, int mode, int flags)
{
	struct bw_agent_path p;
	bw_agent_resolve(dirfd, path, &p);
	return REAL(faccessat)(dirfd, p.path, mode, flags);
}

/* readlink text is cut, not ended: a link target that lies in the tree loses the tree's root first.
 */
static ssize_t readlink_tree(const char *path, char *out, size_t size_b)
{
	char full[PATH_MAX];
	ssize_t n = REAL(readlink)(path, full, sizeof(full) - 1);
	if (n < 0)
		return n;
	full[n] = 0;
	bw_agent_strip_if_ours(full);
	size_t len = strnlen(full, size_b);
	memcpy(out, full, len);
	return (ssize_t)len;
}

/* The node or file that a descriptor of the virtual GPU was opened from. */
static ssize_t readlink_node(int fd, char *out, size_t size_b)
{
	char name[32];
	struct bw_agent_file *f = bw_agent_file_of(fd);
	if (!f) {
		errno = ENOENT;
		return -1;
	}
	bw_agent_node_name(f->minor, name);
	const char *target = f->live ? bw_agent_live_path(f) : name;
	size_t n = strnlen(target, size_b);
	memcpy(out, target, n);
	bw_agent_file_unref(f);
	return (ssize_t)n;
}

/* Links of /proc may lead into the tree: /proc/self/cwd. */
static ssize_t readlink_any(int dirfd, const char *path, char *out, size_t size_b)
{
	int fd;
	if (bw_agent_is_fd_link(path, &fd))
		return readlink_node(fd, out, size_b);
	struct bw_agent_path p;
	bw_agent_resolve(dirfd, path, &p);
	if (p.where == BW_AGENT_TREE || (path && !strncmp(path, "/proc/", 6)))
		return readlink_tree(p.path, out, size_b);
	return REAL(readlinkat)(dirfd, p.path, out, size_b);
}

EXPORT ssize_t readlink(const char *path, char *out, size_t size_b)
{
	return readlink_any(AT_FDCWD, path, out, size_b);
}

EXPORT ssize_t readlinkat(int dirfd, const char *path, char *out, size_t size_b)
{
	return readlink_any(dirfd, path, out, size_b);
}

EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t size_b, size_t out_b);
EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t size_b, size_t out_b)
{
	if (size_b > out_b)
		return REAL(__readlink_chk)(path, out, size_b,
					    out_b); /* ends the program, as it must */
	return readlink(path, out, size_b);
}

static char *stripped(char *path)
{
	if (path)
		bw_agent_strip_root(path);
	return path;
}

EXPORT char *realpath(const char *path, char *out)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return p.where == BW_AGENT_ELSEWHERE ? REAL(realpath)(path, out)
					     : stripped(REAL(realpath)(p.path, out));
}

EXPORT char *__realpath_chk(const char *path, char *out, size_t out_b);
EXPORT char *__realpath_chk(const char *path, char *out, size_t out_b)
{
	if (out_b < PATH_MAX)
		return REAL(__realpath_chk)(path, out, out_b);
	return realpath(path, out);
}

EXPORT char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

EXPORT DIR *opendir(const char *path)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return REAL(opendir)(p.path);
}

EXPORT int scandir(const char *path, struct dirent ***out, int (*want)(const struct dirent *),
		   int (*order)(const struct dirent **, const struct dirent **))
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return REAL(scandir)(p.path, out, want, order);
}

EXPORT int scandir64(const char *path, struct dirent64 ***out, int (*want)(const struct dirent64 *),
		     int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return REAL(scandir64)(p.path, out, want, order);
}

/* Descriptors */

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	va_start(args, request);
	void *arg = va_arg(args, void *);
	va_end(args);
	struct bw_agent_file *f = bw_agent_file_of(fd);
	int r;
	if (!f && _IOC_TYPE(request) == '>' && bw_agent_sync_ioctl(fd, request, arg, &r))
		return r < 0 ? fail(r) : r;
	if (!f && _IOC_TYPE(request) == 'b' && bw_agent_dma_buf_ioctl(fd, request, arg, &r))
		return r < 0 ? fail(r) : r;
	if (!f)
		return REAL(ioctl)(fd, request, arg);
	r = bw_agent_program_ioctl(f, (uint32_t)request, arg);
	bw_agent_file_unref(f);
	return r < 0 ? fail(r) : r;
}

/* The GPU's file that is to be mapped, NULL: it is another one, or none. */
static struct bw_agent_file *mapped_file(void *addr, size_t size_b, int flags, int fd)
{
	if (flags & MAP_FIXED)
		bw_cpu_writes_unmapped(addr, size_b);
	return flags & MAP_ANONYMOUS ? NULL : bw_agent_file_of(fd);
}

static void *map_file(struct bw_agent_file *f, void *addr, size_t size_b, int prot, int flags,
		      uint64_t offset)
{
	void *p = bw_agent_mmap(f, addr, size_b, prot, flags, offset);
	if (p != MAP_FAILED && f->track)
		bw_track_mapped(f, offset, p, size_b, bw_agent_captures());
	bw_agent_file_unref(f);
	return p;
}

EXPORT void *mmap(void *addr, size_t size_b, int prot, int flags, int fd, off_t offset)
{
	struct bw_agent_file *f = mapped_file(addr, size_b, flags, fd);
	if (!f)
		return REAL(mmap)(addr, size_b, prot, flags, fd, offset);
	return map_file(f, addr, size_b, prot, flags, (uint64_t)offset);
}

EXPORT void *mmap64(void *addr, size_t size_b, int prot, int flags, int fd, off64_t offset)
{
	struct bw_agent_file *f = mapped_file(addr, size_b, flags, fd);
	if (!f)
		return REAL(mmap64)(addr, size_b, prot, flags, fd, offset);
	return map_file(f, addr, size_b, prot, flags, (uint64_t)offset);
}

EXPORT int munmap(void *addr, size_t size_b)
{
	bw_cpu_writes_unmapped(addr, size_b);
	return REAL(munmap)(addr, size_b);
}

EXPORT void *mremap(void *addr, size_t old_b, size_t new_b, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	bw_cpu_writes_moved(addr, old_b);
	if (flags & MREMAP_FIXED)
		bw_cpu_writes_unmapped(to, new_b);
	return REAL(mremap)(addr, old_b, new_b, flags, to);
}

EXPORT int close(int fd)
{
	/* Loops that close everything must not close the agent's connections. */
	if (bw_agent_fd_is_own(fd) && bw_agent_owns_table())
		return fail(-EBADF);
	bw_agent_live_flush(fd);
	bw_agent_fd_forget(fd);
	return REAL(close)(fd);
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	if ((flags & CLOSE_RANGE_CLOEXEC) || !bw_agent_owns_table() || first > last)
		return REAL(close_range)(first, last, flags);
	/* Closes the range piece by piece, leaving out the agent's descriptors. */
	unsigned at = first;
	for (int fd; at <= last && at <= INT_MAX && (fd = bw_agent_fd_next((int)at)) >= 0 &&
		     (unsigned)fd <= last;
	     at = (unsigned)fd + 1) {
		if ((unsigned)fd > at && REAL(close_range)(at, (unsigned)fd - 1, flags))
			return -1;
		if (!bw_agent_fd_is_own(fd))
			close(fd);
	}
	return at <= last ? REAL(close_range)(at, last, flags) : 0;
}

EXPORT void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}

/* A new name for an old descriptor; whatever the number meant before is forgotten. */
static int duplicated(int old, int fd)
{
	if (fd < 0 || fd == old || !bw_agent_owns_table())
		return fd;
	struct bw_agent_file *f = bw_agent_file_of(old);
	if (!f) {
		bw_agent_fd_forget(fd);
		return fd;
	}
	bool ok = bw_agent_fd_set(fd, f);
	bw_agent_file_unref(f);
	if (ok)
		return fd;
	REAL(close)(fd);
	return fail(-EMFILE);
}

EXPORT int dup(int old)
{
	return duplicated(old, REAL(dup)(old));
}

EXPORT int dup2(int old, int fd)
{
	if (bw_agent_fd_is_own(fd) && bw_agent_owns_table())
		return fail(-EBUSY);
	bw_agent_live_flush(fd);
	return duplicated(old, REAL(dup2)(old, fd));
}

EXPORT int dup3(int old, int fd, int flags)
{
	if (bw_agent_fd_is_own(fd) && bw_agent_owns_table())
		return fail(-EBUSY);
	bw_agent_live_flush(fd);
	return duplicated(old, REAL(dup3)(old, fd, flags));
}

static int fcntl_done(int fd, int cmd, int r)
{
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? duplicated(fd, r) : r;
}

EXPORT int fcntl(int fd, int cmd, ...)
{
	va_list args;
	va_start(args, cmd);
	void *arg = va_arg(args, void *);
	va_end(args);
	return fcntl_done(fd, cmd, REAL(fcntl)(fd, cmd, arg));
}

EXPORT int fcntl64(int fd, int cmd, ...)
{
	va_list args;
	va_start(args, cmd);
	void *arg = va_arg(args, void *);
	va_end(args);
	return fcntl_done(fd, cmd, REAL(fcntl64)(fd, cmd, arg));
}
