/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_SYNCOBJ_H
#define BW_VGPU_UAPI_SYNCOBJ_H

/* Sync objects (syncobj.c), waits for them (syncobj_wait.c), descriptors for them and of sync_files
 * (syncobj_fd.c), what sync_files are asked (sync_file.c), and eventfds that sync objects raise
 * (eventfd.c). */

#include "vgpu/uapi/uapi_priv.h"

void bw_drm_syncobj_unref(struct bw_drm_syncobj *s);
struct bw_drm_syncobj *bw_drm_syncobj_get(struct bw_drm_file *f, uint32_t handle); /* borrowed */
/* The fence of a point: 0 and a reference, -EINVAL when there is none yet. */
int bw_drm_syncobj_fence(struct bw_drm_syncobj *s, uint64_t point, struct bw_drm_fence **out);
/* Like bw_drm_syncobj_fence, by handle, waiting for it to be submitted if the flags say so. Lock
 * held. */
int bw_drm_syncobj_find(struct bw_drm_call *c, uint32_t handle, uint64_t point, uint64_t flags,
			struct bw_drm_fence **out);
void bw_drm_syncobj_replace(struct bw_uapi *u, struct bw_drm_syncobj *s, struct bw_drm_fence *f);
int bw_drm_syncobj_add_point(struct bw_uapi *u, struct bw_drm_syncobj *s, uint64_t point,
			     struct bw_drm_fence *f);

/* Sync objects of an array of handles, each with a reference. */
struct bw_drm_syncobjs {
	struct bw_drm_syncobj **s;
	uint64_t *points; /* NULL: all 0 */
	uint32_t n;
};
int bw_drm_syncobjs_get(struct bw_drm_call *c, uint64_t user_handles, uint32_t n,
			struct bw_drm_syncobjs *out);
void bw_drm_syncobjs_put(struct bw_drm_call *c, struct bw_drm_syncobjs *a);

int bw_drm_syncobj_new_handle(struct bw_drm_file *f, struct bw_drm_fence *fence,
			      uint32_t *out_handle);
/* A descriptor for the syncobj or fence of `what`, which get a reference; the name is copied. */
int bw_drm_sync_fd_new(struct bw_uapi *u, struct bw_drm_account *account,
		       const struct bw_drm_sync_fd *what, int *out_fd);
/* The inode of a descriptor that may be one of ours, 0 of any other. Without the lock: a file
 * system in user space answers when it likes. */
uint64_t bw_drm_sync_fd_ino(int fd);
/* Borrowed; NULL: none. */
struct bw_drm_sync_fd *bw_drm_sync_fd_find(struct bw_uapi *u, uint64_t ino);
/* Makes sync_files readable that have signalled, before the worker does. */
void bw_drm_sync_files_tell(struct bw_uapi *u);
/* Fds whose last copy is closed, and sync_files that have signalled. */
void bw_drm_sync_fds_check(struct bw_uapi *u);
void bw_drm_sync_fds_fini(struct bw_uapi *u);
int bw_ioctl_syncobj_create(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_destroy(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_to_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_from_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_transfer(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_wait(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_timeline_wait(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_reset(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_signal(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_timeline_signal(struct bw_drm_call *c, void *arg);
int bw_ioctl_syncobj_query(struct bw_drm_call *c, void *arg);

/* sync_file.c; BW_VGPU_IOCTL_SYNC_* */
int bw_ioctl_sync_merge(struct bw_drm_call *c, void *arg);
int bw_ioctl_sync_info(struct bw_drm_call *c, void *arg);
int bw_ioctl_sync_deadline(struct bw_drm_call *c, void *arg);

/* The object has another fence: waits for one that was not there take it. */
void bw_drm_syncobj_tell_waits(struct bw_drm_syncobj *s);
/* Whether a fence for the point is there, and whether it has signalled. */
bool bw_drm_syncobj_state(struct bw_drm_syncobj *s, uint64_t point, bool *out_signaled);

/* drm_syncobj_eventfd of Linux 6.6, which older headers do not have */
struct bw_drm_syncobj_eventfd {
	uint32_t handle, flags;
	uint64_t point;
	int32_t fd;
	uint32_t pad;
};
void bw_drm_events_check(struct bw_uapi *u);
void bw_drm_events_forget(struct bw_uapi *u, const struct bw_drm_file *f);
void bw_drm_events_fini(struct bw_uapi *u);
int bw_ioctl_syncobj_eventfd(struct bw_drm_call *c, void *arg);

#endif
