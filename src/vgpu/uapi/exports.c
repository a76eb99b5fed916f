/* SPDX-License-Identifier: MIT */
/* Buffers that were exported as dma-bufs, and whose fd may be the last that keeps them. The dma-buf
 * is the buffer's memfd, opened once more. So the kernel knows whether a program still has it, open
 * or mapped: it gives a write lease on a file (fcntl(2)) only while nobody else has opened it for
 * writing. Nobody is told of the last close; it is looked for when memory is short, and now and
 * then at an export. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "vgpu/uapi/buffers.h"

enum { LOOK_FROM = 16 /* exports */ };

static int open_again(const struct bw_drm_bo *bo, int flags)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bo->fd);
	return open(path, O_RDWR | O_CLOEXEC | flags);
}

/* False also if it cannot be known. */
static bool is_closed(const struct bw_drm_export *e)
{
	_cleanup_close_ int fd = e->is_dup ? -1 : open_again(e->bo, O_NONBLOCK);
	/* who opens the file just now breaks the lease, and a signal says so: one without effect */
	return fd >= 0 && !fcntl(fd, F_SETSIG, SIGURG) && !fcntl(fd, F_SETLEASE, F_WRLCK);
}

/* Drops exports: those of `by`, or where that is NULL those whose dma-buf is closed. */
static bool drop(struct bw_uapi *u, const void *by)
{
	size_t n = 0;
	bool any = false;
	for (size_t i = 0; i < u->exports.len; i++) {
		const struct bw_drm_export e = u->exports.data[i];
		if (by ? e.by != by : !is_closed(&e)) {
			u->exports.data[n++] = e;
			continue;
		}
		bw_drm_bo_unref(e.bo);
		any = true;
	}
	u->exports.len = n;
	return any;
}

bool bw_drm_exports_look(struct bw_uapi *u)
{
	return drop(u, NULL);
}

void bw_drm_exports_end(struct bw_uapi *u, const void *by)
{
	drop(u, by);
	if (!u->exports.len)
		bw_vec_free(&u->exports);
}

static struct bw_drm_export *known(const struct bw_uapi *u, const struct bw_drm_bo *bo,
				   const void *by)
{
	bw_vec_each(&u->exports, e)
		if (e->bo == bo && e->by == by)
			return e;
	return NULL;
}

int bw_drm_bo_export(struct bw_drm_bo *bo, const void *by, int *out_fd)
{
	struct bw_uapi *u = bo->u;
	if (bo->vm || bo->user)
		return -EPERM;
	if (u->exports.len >= LOOK_FROM && u->exports.len >= u->exports_look_at) {
		drop(u, NULL);
		u->exports_look_at = 2 * u->exports.len;
	}
	*out_fd = open_again(bo, 0);
	const bool is_dup = *out_fd < 0;
	if (is_dup)
		*out_fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 3);
	if (*out_fd < 0)
		return -errno;
	struct bw_drm_export *has = known(u, bo, by);
	if (has) {
		has->is_dup |= is_dup;
	} else {
		const struct bw_drm_export e = {bo, by, is_dup};
		struct bw_error *err = bw_vec_push(&u->exports, e);
		if (err) {
			bw_error_free(err);
			close(*out_fd);
			*out_fd = -1;
			return -ENOMEM;
		}
		bw_drm_bo_ref(bo);
	}
	bo->exported = true;
	return 0;
}
