// SPDX-License-Identifier: MIT
/* stat and its family, for paths and descriptors of the GPU. 64-bit x86 has one struct for both
 * forms, but the symbols differ; and there are those that programs and drivers have which were
 * linked with a glibc before 2.33 (Steam's runtime, for example), and ThreadSanitizer's library. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/agent.h"

#define EXPORT __attribute__((visibility("default")))

/* That of KFD is any free number; it is the one of /sys/class/kfd/kfd/dev (src/vgpu/uapi). */
enum { DRM_MAJOR = 226, KFD_MAJOR = BW_VGPU_KFD_MAJOR };

/* Takes them from the file that stands for the node (bw_agent_node_path), whose access rights are
 * its own. */
static void as_node(unsigned node_minor, mode_t *mode, dev_t *rdev)
{
	*mode = S_IFCHR | (*mode & ALLPERMS);
	*rdev = node_minor == BW_AGENT_KFD ? makedev(KFD_MAJOR, 0) : makedev(DRM_MAJOR, node_minor);
}

#define NODE_STAT(st, m)                                                                           \
	({                                                                                         \
		as_node(m, &(st)->st_mode, &(st)->st_rdev);                                        \
		(st)->st_size = 0;                                                                 \
		0;                                                                                 \
	})

/* A file of the tree belongs to root, as in sysfs and debugfs; its mark is not shown. */
static void as_kernel(mode_t *mode, uid_t *uid, gid_t *gid)
{
	*uid = 0;
	*gid = 0;
	if (S_ISREG(*mode))
		*mode &= ~(mode_t)(BW_AGENT_MODE_LIVE | BW_AGENT_MODE_POSITIONED);
}

#define TREE_STAT(st)                                                                              \
	({                                                                                         \
		as_kernel(&(st)->st_mode, &(st)->st_uid, &(st)->st_gid);                           \
		0;                                                                                 \
	})

/* The result is that of the file's path: cp(1) compares both. struct stat64 has the same
 * members. */
#define LIVE_STAT(f, st)                                                                           \
	({                                                                                         \
		const struct stat *tree_ = bw_agent_live_stat(f);                                  \
		_Static_assert(sizeof(*(st)) == sizeof(*tree_), "one struct on this machine");     \
		memcpy(st, tree_, sizeof(*tree_));                                                 \
		0;                                                                                 \
	})

#define SHOWN(r, p, st)                                                                            \
	((r) || (p)->where == BW_AGENT_ELSEWHERE ? (r)                                             \
	 : (p)->where == BW_AGENT_NODE		 ? NODE_STAT(st, (p)->minor)                       \
						 : TREE_STAT(st))

#define PATH_STAT(fn, path, st)                                                                    \
	({                                                                                         \
		struct bw_agent_path p_;                                                           \
		bw_agent_resolve(AT_FDCWD, path, &p_);                                             \
		int r_ = REAL(fn)(p_.path, st);                                                    \
		SHOWN(r_, &p_, st);                                                                \
	})

/* by_path: the function for paths that goes with it. */
#define FD_STAT(fn, by_path, fd, st)                                                               \
	({                                                                                         \
		int r_ = REAL(fn)(fd, st);                                                         \
		struct bw_agent_file *f_ = r_ ? NULL : bw_agent_file_of(fd);                       \
		struct bw_agent_path p_;                                                           \
		if (bw_agent_is_node(f_)) {                                                        \
			bw_agent_node_path(f_->minor, &p_);                                        \
			r_ = REAL(by_path)(p_.path, st);                                           \
		}                                                                                  \
		if (!r_ && f_ && f_->live)                                                         \
			LIVE_STAT(f_, st);                                                         \
		else if (!r_ && bw_agent_is_node(f_))                                              \
			NODE_STAT(st, f_->minor);                                                  \
		bw_agent_file_unref(f_);                                                           \
		r_;                                                                                \
	})

/* lstat of a link in /proc is about the link. */
#define LINK_STAT(fn, path, st)                                                                    \
	({                                                                                         \
		int fd_;                                                                           \
		bw_agent_is_fd_link(path, &fd_) ? REAL(fn)(path, st) : PATH_STAT(fn, path, st);    \
	})

#define AT_STAT(fn, plain, dirfd, path, st, flags)                                                 \
	({                                                                                         \
		struct bw_agent_path p_;                                                           \
		bw_agent_resolve(dirfd, path, &p_);                                                \
		int r_;                                                                            \
		if (p_.is_fd_link && ((flags) & AT_SYMLINK_NOFOLLOW))                              \
			r_ = REAL(fn)(dirfd, path, st, flags);                                     \
		else if (((flags) & AT_EMPTY_PATH) && !*(path) && bw_agent_fd_is_gpu(dirfd))       \
			r_ = plain(dirfd, st);                                                     \
		else                                                                               \
			r_ = REAL(fn)(dirfd, p_.path, st, flags), r_ = SHOWN(r_, &p_, st);         \
		r_;                                                                                \
	})

EXPORT int stat(const char *path, struct stat *st)
{
	return PATH_STAT(stat, path, st);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	return PATH_STAT(stat64, path, st);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	return LINK_STAT(lstat, path, st);
}

EXPORT int lstat64(const char *path, struct stat64 *st)
{
	return LINK_STAT(lstat64, path, st);
}

EXPORT int fstat(int fd, struct stat *st)
{
	return FD_STAT(fstat, stat, fd, st);
}

EXPORT int fstat64(int fd, struct stat64 *st)
{
	return FD_STAT(fstat64, stat64, fd, st);
}

EXPORT int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	return AT_STAT(fstatat, fstat, dirfd, path, st, flags);
}

EXPORT int fstatat64(int dirfd, const char *path, struct stat64 *st, int flags)
{
	return AT_STAT(fstatat64, fstat64, dirfd, path, st, flags);
}

EXPORT int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *st)
{
	struct bw_agent_path p;
	bw_agent_resolve(dirfd, path, &p);
	if (p.is_fd_link && flags & AT_SYMLINK_NOFOLLOW)
		return REAL(statx)(dirfd, path, flags, mask, st);
	bool by_fd = (flags & AT_EMPTY_PATH) && !*path;
	struct bw_agent_file *f = by_fd ? bw_agent_file_of(dirfd) : NULL;
	if (bw_agent_is_node(f))
		bw_agent_node_path(f->minor, &p);
	int r = REAL(statx)(p.where == BW_AGENT_NODE ? AT_FDCWD : dirfd, p.path, flags, mask, st);
	if (!r && f && f->live) {
		const struct stat *tree = bw_agent_live_stat(f);
		st->stx_mode = (uint16_t)tree->st_mode;
		st->stx_size = (uint64_t)tree->st_size;
		st->stx_uid = st->stx_gid = 0;
		st->stx_ino = tree->st_ino;
		st->stx_dev_major = major(tree->st_dev);
		st->stx_dev_minor = minor(tree->st_dev);
	} else if (!r && p.where == BW_AGENT_TREE) {
		mode_t shown = st->stx_mode;
		as_kernel(&shown, &st->stx_uid, &st->stx_gid);
		st->stx_mode = (uint16_t)shown;
	} else if (!r && p.where == BW_AGENT_NODE) {
		mode_t shown = st->stx_mode;
		dev_t rdev;
		as_node(p.minor, &shown, &rdev);
		st->stx_mode = (uint16_t)shown;
		st->stx_rdev_major = major(rdev);
		st->stx_rdev_minor = minor(rdev);
		st->stx_size = 0;
	}
	bw_agent_file_unref(f);
	return r;
}

/* ---- The names before glibc 2.33 ---- */

/* The version says which struct stat is meant: on x86-64 both, 0 (the kernel's) and 1, are the one
 * there is (glibc 2.36, sysdeps/unix/sysv/linux/x86/xstatver.h). */
static bool is_known(int version)
{
	if (version == 0 || version == 1)
		return true;
	errno = EINVAL;
	return false;
}

EXPORT int __xstat(int version, const char *path, struct stat *st);
EXPORT int __xstat64(int version, const char *path, struct stat64 *st);
EXPORT int __lxstat(int version, const char *path, struct stat *st);
EXPORT int __lxstat64(int version, const char *path, struct stat64 *st);
EXPORT int __fxstat(int version, int fd, struct stat *st);
EXPORT int __fxstat64(int version, int fd, struct stat64 *st);
EXPORT int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags);
EXPORT int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st, int flags);

int __xstat(int version, const char *path, struct stat *st)
{
	return is_known(version) ? PATH_STAT(stat, path, st) : -1;
}

int __xstat64(int version, const char *path, struct stat64 *st)
{
	return is_known(version) ? PATH_STAT(stat64, path, st) : -1;
}

int __lxstat(int version, const char *path, struct stat *st)
{
	return is_known(version) ? LINK_STAT(lstat, path, st) : -1;
}

int __lxstat64(int version, const char *path, struct stat64 *st)
{
	return is_known(version) ? LINK_STAT(lstat64, path, st) : -1;
}

int __fxstat(int version, int fd, struct stat *st)
{
	return is_known(version) ? FD_STAT(fstat, stat, fd, st) : -1;
}

int __fxstat64(int version, int fd, struct stat64 *st)
{
	return is_known(version) ? FD_STAT(fstat64, stat64, fd, st) : -1;
}

int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags)
{
	return is_known(version) ? AT_STAT(fstatat, fstat, dirfd, path, st, flags) : -1;
}

int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st, int flags)
{
	return is_known(version) ? AT_STAT(fstatat64, fstat64, dirfd, path, st, flags) : -1;
}
