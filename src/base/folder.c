/* SPDX-License-Identifier: MIT */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"

static const char *const kinds[] = {
	[BW_FOLDER_VGPU] = "breakwater-vgpu-",
	[BW_FOLDER_DEBUG] = "breakwater-debug-",
	[BW_FOLDER_RUN] = "breakwater-run-",
};

/* BASE_MAX: a socket's address has room for 107 bytes, and the longest that comes after it is
 * "/breakwater-debug-XXXXXX/capture". MAX_DEPTH: of what is removed; our own trees have ten
 * levels. */
enum {
	N_KINDS = sizeof(kinds) / sizeof(kinds[0]),
	SUFFIX_LEN = 6,
	BASE_MAX = 75,
	MAX_DEPTH = 32,
	TRIES = 100
};

/* ---- Whose is it? ---- */

/* One folder on the way. The owner of "/" is root, or in a user namespace somebody who has no
 * number there: what the whole system stands on has to be trusted in any case. */
static struct bw_error *check_one(const char *path, uid_t owner_of_root)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return bw_error_errno(errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s is not a folder", path);
	if (st.st_uid != geteuid() && st.st_uid != 0 && st.st_uid != owner_of_root)
		return bw_errorf(BW_E_INVALID, "%s belongs to another user (uid %u)", path,
				 (unsigned)st.st_uid);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
		return bw_errorf(BW_E_INVALID, "%s can be written by other users", path);
	return NULL;
}

struct bw_error *bw_folder_check(const char *path, char **out_real)
{
	struct stat root;
	if (path[0] != '/')
		return bw_errorf(BW_E_INVALID, "\"%s\" is not an absolute path", path);
	_cleanup_free_ char *real = realpath(path, NULL);
	if (!real || stat("/", &root) < 0)
		return bw_error_errno(errno, "%s", path);
	/* "/", "/run", "/run/user", "/run/user/1000" */
	BW_TRY(check_one("/", root.st_uid));
	for (char *slash = strchr(real + 1, '/'); real[1]; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		struct bw_error *err = check_one(real, root.st_uid);
		if (slash)
			*slash = '/';
		BW_TRY(err);
		if (!slash)
			break;
	}
	*out_real = bw_take(real);
	return NULL;
}

static struct bw_error *usable(const char *path, char **out_real)
{
	_cleanup_free_ char *real = NULL;
	BW_TRY(bw_folder_check(path, &real));
	if (strlen(real) > BASE_MAX)
		return bw_errorf(BW_E_INVALID,
				 "%s is too long for the path of a socket (more than %d bytes)",
				 real, BASE_MAX);
	if (strchr(real, ':'))
		return bw_errorf(BW_E_INVALID, "%s has a colon in it, which ends a path in a list",
				 real);
	if (access(real, W_OK | X_OK) < 0)
		return bw_error_errno(errno, "%s cannot be written", real);
	*out_real = bw_take(real);
	return NULL;
}

static const char *variable_of(enum bw_folder_kind kind)
{
	return kind == BW_FOLDER_RUN ? "TMPDIR" : "XDG_RUNTIME_DIR";
}

struct bw_error *bw_folder_base(enum bw_folder_kind kind, char **out_path,
				struct bw_error **out_why_not)
{
	const char *name = variable_of(kind), *given = getenv(name);
	struct bw_error *why_not = NULL;
	if (out_why_not)
		*out_why_not = NULL;
	if (given && *given) {
		why_not = bw_error_wrap(usable(given, out_path), "%s", name);
		if (!why_not)
			return NULL;
	}
	struct bw_error *err = usable("/tmp", out_path);
	if (err && why_not)
		err = bw_error_wrap(err, "%s; in its place", why_not->message);
	if (out_why_not && !err)
		*out_why_not = bw_take(why_not);
	bw_error_free(why_not);
	return bw_error_wrap(err, "there is no folder for this process's files (let %s name one)",
			     name);
}

/* ---- Removing ---- */

/* Takes dir. */
static void remove_below(int dir, dev_t dev, unsigned depth)
{
	DIR *d = fdopendir(dir);
	if (!d) {
		close(dir);
		return;
	}
	for (struct dirent *e; (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    !unlinkat(dirfd(d), e->d_name, 0))
			continue;
		struct stat st;
		int sub = openat(dirfd(d), e->d_name,
				 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		if (depth < MAX_DEPTH && !fstat(sub, &st) && st.st_dev == dev &&
		    st.st_uid == geteuid())
			remove_below(sub, dev, depth + 1);
		else
			close(sub);
		unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

/* All that is in it; the descriptor stays the caller's. */
static void empty(int fd)
{
	struct stat st;
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (again >= 0 && !fstat(again, &st))
		remove_below(again, st.st_dev, 0);
	else if (again >= 0)
		close(again);
}

void bw_folder_remove_tree(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	empty(fd);
	rmdir(path);
}

/* Whether the folder that is open is the one of that name. */
static bool is_at(int fd, int base, const char *name)
{
	struct stat a, b;
	return !fstat(fd, &a) && !fstatat(base, name, &b, AT_SYMLINK_NOFOLLOW) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_name_of_ours(const char *name)
{
	for (unsigned i = 0; i < N_KINDS; i++)
		if (bw_starts_with(name, kinds[i]) && strlen(name) == strlen(kinds[i]) + SUFFIX_LEN)
			return true;
	return false;
}

void bw_folder_sweep(const char *base)
{
	DIR *dir = opendir(base);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		struct stat st;
		if (!is_name_of_ours(e->d_name))
			continue;
		_cleanup_close_ int fd = openat(dirfd(dir), e->d_name,
						O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 077))
			continue;
		/* a file system without locks: it cannot be known whether the owner is alive */
		if (flock(fd, LOCK_EX | LOCK_NB) < 0 || !is_at(fd, dirfd(dir), e->d_name))
			continue;
		empty(fd);
		unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

/* ---- Making ---- */

/* False: another process removed it between its creation and its locking. */
static struct bw_error *make_one(const char *base, enum bw_folder_kind kind, struct bw_folder *out,
				 bool *out_made)
{
	_cleanup_free_ char *path = NULL;
	*out_made = false;
	if (asprintf(&path, "%s/%sXXXXXX", base, kinds[kind]) < 0) {
		path = NULL;
		return bw_error_nomem();
	}
	if (!mkdtemp(path))
		return bw_error_errno(errno, "cannot make a folder in %s (let %s name another one)",
				      base, variable_of(kind));
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int e = errno;
		rmdir(path);
		return e == ENOENT ? NULL : bw_error_errno(e, "cannot open the folder %s", path);
	}
	bool taken = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	if (taken || !is_at(fd, AT_FDCWD, path))
		return NULL;
	*out = (struct bw_folder){bw_take(path), bw_take_fd(fd)};
	*out_made = true;
	return NULL;
}

struct bw_error *bw_folder_make(enum bw_folder_kind kind, struct bw_folder *out)
{
	_cleanup_free_ char *base = NULL;
	bool made = false;
	BW_TRY(bw_folder_base(kind, &base, NULL));
	bw_folder_sweep(base);
	for (int i = 0; i < TRIES && !made; i++)
		BW_TRY(make_one(base, kind, out, &made));
	return made ? NULL
		    : bw_errorf(BW_E_STATE,
				"another process removes every folder that is made in %s", base);
}

struct bw_error *bw_folder_need(enum bw_folder_kind kind, struct bw_folder *f)
{
	return f->path ? NULL : bw_folder_make(kind, f);
}

struct bw_error *bw_folder_write(const struct bw_folder *f, const char *name, const char *mode,
				 const void *data, size_t size_b)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/%s", f->path, name) < 0)
		return bw_error_nomem();
	return bw_file_write(path, mode, data, size_b);
}

FILE *bw_folder_read(const struct bw_folder *f, const char *name)
{
	_cleanup_free_ char *path = NULL;
	return asprintf(&path, "%s/%s", f->path, name) < 0 ? NULL : fopen(path, "rbe");
}

void bw_folder_remove(struct bw_folder *f)
{
	if (!f->path)
		return;
	empty(f->fd);
	rmdir(f->path);
	close(f->fd);
	free(f->path);
	*f = (struct bw_folder)BW_FOLDER_INIT;
}
