/* SPDX-License-Identifier: MIT */
/* The functions of libc by which a program reads, writes and positions files that the virtual GPU
 * answers (live.c), and those that ask for the working directory, which may lie in its tree. For
 * all other descriptors each does what it would have done. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "agent/agent.h"

#define EXPORT __attribute__((visibility("default")))

static ssize_t answer(struct bw_agent_file *f, ssize_t r)
{
	bw_agent_file_unref(f);
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

/* Reads or writes at the position of the descriptor, which moves as the file says. */
static ssize_t at_position(struct bw_agent_file *f, int fd, void *out, const void *in,
			   size_t size_b)
{
	off64_t at = REAL(lseek64)(fd, 0, SEEK_CUR);
	uint64_t pos = (uint64_t)at;
	ssize_t r = at < 0 ? -errno : bw_agent_live_io(f, &pos, out, in, size_b);
	if (r >= 0 && pos != (uint64_t)at)
		REAL(lseek64)(fd, (off64_t)pos, SEEK_SET);
	return answer(f, r);
}

static ssize_t at_offset(struct bw_agent_file *f, off64_t offset, void *out, const void *in,
			 size_t size_b)
{
	uint64_t pos = (uint64_t)offset;
	return answer(f, offset < 0 ? -EINVAL : bw_agent_live_io(f, &pos, out, in, size_b));
}

EXPORT ssize_t read(int fd, void *out, size_t size_b)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	return f ? at_position(f, fd, out, NULL, size_b) : REAL(read)(fd, out, size_b);
}

EXPORT ssize_t write(int fd, const void *in, size_t size_b)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	return f ? at_position(f, fd, NULL, in, size_b) : REAL(write)(fd, in, size_b);
}

EXPORT ssize_t pread(int fd, void *out, size_t size_b, off_t offset)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	return f ? at_offset(f, offset, out, NULL, size_b) : REAL(pread)(fd, out, size_b, offset);
}

EXPORT ssize_t pread64(int fd, void *out, size_t size_b, off64_t offset)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	return f ? at_offset(f, offset, out, NULL, size_b) : REAL(pread64)(fd, out, size_b, offset);
}

EXPORT ssize_t pwrite(int fd, const void *in, size_t size_b, off_t offset)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	return f ? at_offset(f, offset, NULL, in, size_b) : REAL(pwrite)(fd, in, size_b, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *in, size_t size_b, off64_t offset)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	return f ? at_offset(f, offset, NULL, in, size_b) : REAL(pwrite64)(fd, in, size_b, offset);
}

/* Calls of programs that are built with _FORTIFY_SOURCE; the real functions end the program if it
 * must end. */
EXPORT ssize_t __read_chk(int fd, void *out, size_t size_b, size_t room_b);
EXPORT ssize_t __pread_chk(int fd, void *out, size_t size_b, off_t offset, size_t room_b);
EXPORT ssize_t __pread64_chk(int fd, void *out, size_t size_b, off64_t offset, size_t room_b);

EXPORT ssize_t __read_chk(int fd, void *out, size_t size_b, size_t room_b)
{
	return size_b > room_b ? REAL(__read_chk)(fd, out, size_b, room_b) : read(fd, out, size_b);
}

EXPORT ssize_t __pread_chk(int fd, void *out, size_t size_b, off_t offset, size_t room_b)
{
	return size_b > room_b ? REAL(__pread_chk)(fd, out, size_b, offset, room_b)
			       : pread(fd, out, size_b, offset);
}

EXPORT ssize_t __pread64_chk(int fd, void *out, size_t size_b, off64_t offset, size_t room_b)
{
	return size_b > room_b ? REAL(__pread64_chk)(fd, out, size_b, offset, room_b)
			       : pread64(fd, out, size_b, offset);
}

/* Piece by piece, as the kernel does it for files without a read_iter. */
static ssize_t by_pieces(int fd, const struct iovec *iov, int n, bool is_write)
{
	ssize_t done = 0;
	for (int i = 0; i < n; i++) {
		ssize_t r = is_write ? write(fd, iov[i].iov_base, iov[i].iov_len)
				     : read(fd, iov[i].iov_base, iov[i].iov_len);
		if (r < 0)
			return done ? done : r;
		done += r;
		if ((size_t)r < iov[i].iov_len)
			break;
	}
	return done;
}

static bool is_live(int fd)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	bw_agent_file_unref(f);
	return f;
}

EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
	return is_live(fd) ? by_pieces(fd, iov, n, false) : REAL(readv)(fd, iov, n);
}

EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
	return is_live(fd) ? by_pieces(fd, iov, n, true) : REAL(writev)(fd, iov, n);
}

/* Programs copy by read() and write() where these refuse. */

static ssize_t refuse(void)
{
	errno = EINVAL;
	return -1;
}

EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t size_b,
			       unsigned flags)
{
	return is_live(in) || is_live(out)
		       ? refuse()
		       : REAL(copy_file_range)(in, in_at, out, out_at, size_b, flags);
}

EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t size_b)
{
	return is_live(in) ? refuse() : REAL(sendfile)(out, in, at, size_b);
}

EXPORT ssize_t sendfile64(int out, int in, off64_t *at, size_t size_b)
{
	return is_live(in) ? refuse() : REAL(sendfile64)(out, in, at, size_b);
}

EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t size_b,
		      unsigned flags)
{
	return is_live(in) || is_live(out) ? refuse()
					   : REAL(splice)(in, in_at, out, out_at, size_b, flags);
}

/* The position is that of the memfd, but its end is not. */
EXPORT off64_t lseek64(int fd, off64_t offset, int whence)
{
	struct bw_agent_file *f = whence == SEEK_END ? bw_agent_live_of(fd) : NULL;
	if (f) {
		offset += (off64_t)bw_agent_live_stat(f)->st_size;
		bw_agent_file_unref(f);
		whence = SEEK_SET;
	}
	return REAL(lseek64)(fd, offset, whence);
}

EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	return lseek64(fd, offset, whence);
}

/* ---- streams ---- */

EXPORT FILE *fdopen(int fd, const char *mode)
{
	return is_live(fd) ? bw_agent_live_stream(fd, mode) : REAL(fdopen)(fd, mode);
}

static int number_of(FILE *stream, int libcs)
{
	if (libcs >= 0 || !stream)
		return libcs;
	int e = errno, fd = bw_agent_live_fileno(stream);
	errno = fd < 0 ? e : 0;
	return fd;
}

EXPORT int fileno(FILE *stream)
{
	return number_of(stream, REAL(fileno)(stream));
}

EXPORT int fileno_unlocked(FILE *stream)
{
	return number_of(stream, REAL(fileno_unlocked)(stream));
}

EXPORT int setvbuf(FILE *stream, char *buf, int mode, size_t size_b)
{
	return mode == _IONBF && bw_agent_live_unbuffer(stream)
		       ? 0
		       : REAL(setvbuf)(stream, buf, mode, size_b);
}

/* The stream stays libc's own and reads by itself: what the file has now is copied for it. */
static FILE *reopen_live(int fd, const char *mode, FILE *stream)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int r = strpbrk(mode, "wa+") ? -EINVAL : f ? bw_agent_live_fill(f, fd) : -EBADF;
	bw_agent_file_unref(f);
	bw_agent_fd_forget(fd);
	FILE *out = r ? NULL : REAL(freopen64)(path, mode, stream);
	int e = r ? -r : errno;
	REAL(close)(fd);
	errno = e;
	return out;
}

EXPORT FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	int fd = p.where == BW_AGENT_TREE ? bw_agent_live_open(p.path, O_RDONLY | O_CLOEXEC)
					  : BW_AGENT_NOT_LIVE;
	if (fd >= 0)
		return reopen_live(fd, mode, stream);
	if (fd != BW_AGENT_NOT_LIVE) {
		errno = -fd;
		return NULL;
	}
	return REAL(freopen64)(p.path, mode, stream);
}

EXPORT FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	return freopen64(path, mode, stream);
}

/* ---- the working directory ---- */

EXPORT int chdir(const char *path)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	int r = REAL(chdir)(p.path);
	bw_agent_moved();
	return r;
}

EXPORT int fchdir(int fd)
{
	int r = REAL(fchdir)(fd);
	bw_agent_moved();
	return r;
}

EXPORT char *getcwd(char *out, size_t size_b)
{
	char *r = REAL(getcwd)(out, size_b), full[PATH_MAX];
	/* the root in front may be all that has no room */
	if (!r && errno == ERANGE && REAL(getcwd)(full, sizeof(full)) &&
	    bw_agent_strip_if_ours(full) && strlen(full) < size_b)
		return strcpy(out, full);
	if (r)
		bw_agent_strip_if_ours(r);
	return r;
}

EXPORT char *get_current_dir_name(void)
{
	return getcwd(NULL, 0);
}

EXPORT char *__getcwd_chk(char *out, size_t size_b, size_t room_b);
EXPORT char *__getcwd_chk(char *out, size_t size_b, size_t room_b)
{
	return size_b > room_b ? REAL(__getcwd_chk)(out, size_b, room_b) : getcwd(out, size_b);
}

/* ---- questions about paths that ls asks ---- */

EXPORT int eaccess(const char *path, int mode)
{
	struct bw_agent_path p;
	bw_agent_resolve(AT_FDCWD, path, &p);
	return REAL(eaccess)(p.path, mode);
}

EXPORT int euidaccess(const char *path, int mode)
{
	return eaccess(path, mode);
}

#define XATTR(fn, path, ...)                                                                       \
	({                                                                                         \
		struct bw_agent_path p_;                                                           \
		bw_agent_resolve(AT_FDCWD, path, &p_);                                             \
		errno = ENOTSUP;                                                                   \
		p_.where == BW_AGENT_ELSEWHERE ? REAL(fn)(path, __VA_ARGS__) : -1;                 \
	})

EXPORT ssize_t getxattr(const char *path, const char *name, void *out, size_t size_b)
{
	return XATTR(getxattr, path, name, out, size_b);
}

EXPORT ssize_t lgetxattr(const char *path, const char *name, void *out, size_t size_b)
{
	return XATTR(lgetxattr, path, name, out, size_b);
}

EXPORT ssize_t listxattr(const char *path, char *out, size_t size_b)
{
	return XATTR(listxattr, path, out, size_b);
}

EXPORT ssize_t llistxattr(const char *path, char *out, size_t size_b)
{
	return XATTR(llistxattr, path, out, size_b);
}
