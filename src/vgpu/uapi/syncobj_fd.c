/* SPDX-License-Identifier: MIT */
/* File descriptors of sync objects, and sync_files, which hold one fence. */
#include <drm.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

/* A sync_file polls readable once its fence has signalled. */
static void tell_if_done(struct bw_drm_sync_fd *s)
{
	if (s->fence && !s->told && bw_drm_fence_done(s->fence))
		s->told = send(s->sock, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

void bw_drm_sync_files_tell(struct bw_uapi *u)
{
	bw_vec_each(&u->sync_fds, s)
		tell_if_done(s);
}

int bw_drm_sync_fd_new(struct bw_uapi *u, struct bw_drm_account *account,
		       const struct bw_drm_sync_fd *what, int *out_fd)
{
	int pair[2];
	struct bw_drm_sync_fd made = *what;
	made.account = bw_drm_hold(u, account);
	if (!made.account)
		return -EMFILE;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		bw_drm_release(u, made.account);
		return -errno;
	}
	struct stat st;
	struct bw_error *err = fstat(pair[1], &st) < 0 ? bw_error_nomem() : NULL;
	made.sock = pair[0];
	if (!err) {
		made.ino = st.st_ino;
		err = bw_vec_push(&u->sync_fds, made);
	}
	if (err) {
		bw_error_free(err);
		bw_drm_release(u, made.account);
		close(pair[0]);
		close(pair[1]);
		return -ENOMEM;
	}
	bw_drm_fence_ref(made.fence);
	if (made.syncobj)
		made.syncobj->refs++;
	*out_fd = pair[1];
	tell_if_done(&u->sync_fds.data[u->sync_fds.len - 1]); /* it may have signalled already */
	return 0;
}

uint64_t bw_drm_sync_fd_ino(int fd)
{
	struct stat st;
	return fd >= 0 && !fstat(fd, &st) && S_ISSOCK(st.st_mode) ? st.st_ino : 0;
}

struct bw_drm_sync_fd *bw_drm_sync_fd_find(struct bw_uapi *u, uint64_t ino)
{
	bw_vec_each(&u->sync_fds, s)
		if (s->ino == ino)
			return s;
	return NULL;
}

static void sync_fd_drop(struct bw_uapi *u, size_t i)
{
	struct bw_drm_sync_fd *s = &u->sync_fds.data[i];
	close(s->sock);
	bw_drm_syncobj_unref(s->syncobj);
	bw_drm_fence_unref(s->fence);
	bw_drm_release(u, s->account);
	bw_vec_remove_fast(&u->sync_fds, i);
}

void bw_drm_sync_fds_check(struct bw_uapi *u)
{
	/* This takes a system call for each, so it is not done more often than the worker wakes for
	 * it. */
	const int64_t pause_ns = 100 * 1000000;
	bool look = bw_now_ns() - u->sync_fds_checked_ns > pause_ns;
	if (look)
		u->sync_fds_checked_ns = bw_now_ns();
	for (size_t i = 0; i < u->sync_fds.len;) {
		struct bw_drm_sync_fd *s = &u->sync_fds.data[i];
		struct pollfd p = {.fd = s->sock};
		if (look && poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR))) {
			sync_fd_drop(u, i);
			continue;
		}
		tell_if_done(s);
		i++;
	}
}

void bw_drm_sync_fds_fini(struct bw_uapi *u)
{
	while (u->sync_fds.len)
		sync_fd_drop(u, 0);
	bw_vec_free(&u->sync_fds);
}

/* ---- ioctls ---- */

int bw_ioctl_syncobj_to_fd(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_handle *a = arg;
	if (a->pad || (a->flags && a->flags != DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE))
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	int r;
	struct bw_drm_syncobj *s;
	struct bw_drm_fence *f = NULL;
	if (a->flags) {
		r = bw_drm_syncobj_find(c, a->handle, 0, 0, &f);
		if (!r)
			r = bw_drm_sync_fd_new(c->u, c->file->account,
					       &(struct bw_drm_sync_fd){.fence = f}, &c->fd_out);
		bw_drm_fence_unref(f);
	} else {
		s = bw_drm_syncobj_get(c->file, a->handle);
		r = s ? bw_drm_sync_fd_new(c->u, c->file->account,
					   &(struct bw_drm_sync_fd){.syncobj = s}, &c->fd_out)
		      : -EINVAL;
	}
	pthread_mutex_unlock(&c->u->lock);
	c->fd_at = offsetof(struct drm_syncobj_handle, fd);
	return r;
}

int bw_ioctl_syncobj_from_fd(struct bw_drm_call *c, void *arg)
{
	struct drm_syncobj_handle *a = arg;
	if (a->pad || (a->flags && a->flags != DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE))
		return -EINVAL;
	uint64_t ino = bw_drm_sync_fd_ino(c->fd_in);
	pthread_mutex_lock(&c->u->lock);
	int r = 0;
	struct bw_drm_sync_fd *s = bw_drm_sync_fd_find(c->u, ino);
	if (a->flags) {
		struct bw_drm_syncobj *dst = bw_drm_syncobj_get(c->file, a->handle);
		if (!s || !s->fence)
			r = -EINVAL;
		else if (!dst)
			r = -ENOENT;
		else
			bw_drm_syncobj_replace(c->u, dst, s->fence);
	} else if (!s || !s->syncobj) {
		r = -EINVAL;
	} else {
		r = bw_ids_add(&c->file->syncobjs, s->syncobj, &a->handle);
		if (!r)
			s->syncobj->refs++;
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}
