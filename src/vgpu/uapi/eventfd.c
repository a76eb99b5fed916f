/* SPDX-License-Identifier: MIT */
/* SYNCOBJ_EVENTFD of Linux 6.6: an eventfd of the program is raised when a point of a sync object
 * has signalled, or has got its fence. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/eventfd.h"
#include "base/log.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

enum { MAX_OF_A_FILE = 1024 };

static bool can_raise(struct bw_uapi *u)
{
	int e = bw_eventfd_raiser_init(&u->raiser);
	if (e)
		BW_LOG(WARN, "uapi", "SYNCOBJ_EVENTFD needs asynchronous I/O, which fails: %s",
		       strerror(e));
	return !e;
}

void bw_drm_events_fini(struct bw_uapi *u)
{
	bw_eventfd_raiser_fini(&u->raiser);
	bw_vec_free(&u->events); /* each went with its file */
}

static void drop(struct bw_uapi *u, size_t i)
{
	struct bw_drm_event *e = &u->events.data[i];
	close(e->fd);
	bw_drm_release(u, e->account);
	bw_drm_syncobj_unref(e->syncobj);
	bw_vec_remove(&u->events, i);
}

void bw_drm_events_check(struct bw_uapi *u)
{
	for (size_t i = 0; i < u->events.len;) {
		struct bw_drm_event *e = &u->events.data[i];
		bool signaled, there = bw_drm_syncobj_state(e->syncobj, e->point, &signaled);
		if (!there || (!signaled && !e->when_available)) {
			i++;
			continue;
		}
		int error = bw_eventfd_raise(&u->raiser, e->fd);
		if (error)
			BW_LOG(WARN, "uapi", "an eventfd cannot be raised: %s", strerror(error));
		drop(u, i);
	}
}

void bw_drm_events_forget(struct bw_uapi *u, const struct bw_drm_file *f)
{
	for (size_t i = 0; i < u->events.len;) {
		if (u->events.data[i].file == f)
			drop(u, i);
		else
			i++;
	}
}

int bw_ioctl_syncobj_eventfd(struct bw_drm_call *c, void *arg)
{
	const struct bw_drm_syncobj_eventfd *a = arg;
	if (a->flags & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE || a->pad)
		return -EINVAL;
	bool fits = bw_is_eventfd(c->fd_in);
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_syncobj *s = bw_drm_syncobj_get(c->file, a->handle);
	unsigned n = 0;
	bw_vec_each(&c->u->events, e)
		n += e->file == c->file;
	int r = !s ? -ENOENT : n >= MAX_OF_A_FILE ? -ENOMEM : 0;
	if (!r && c->fd_in < 0)
		r = -EBADF;
	if (!r && (!fits || !can_raise(c->u))) /* Linux has this call since 6.6 */
		r = -EINVAL;
	struct bw_drm_account *account = r ? NULL : bw_drm_hold(c->u, c->file->account);
	if (!r && !account)
		r = -EMFILE;
	int fd = r ? -1 : fcntl(c->fd_in, F_DUPFD_CLOEXEC, 3);
	if (!r && fd < 0) {
		r = -errno;
		bw_drm_release(c->u, account);
	}
	if (!r) {
		struct bw_error *err = bw_vec_push(
			&c->u->events, ((struct bw_drm_event){.syncobj = s,
							      .point = a->point,
							      .when_available = a->flags != 0,
							      .fd = fd,
							      .file = c->file,
							      .account = account}));
		if (err) {
			bw_error_free(err);
			bw_drm_release(c->u, account);
			close(fd);
			r = -ENOMEM;
		} else {
			s->refs++;
			bw_drm_kick(c->u); /* it may have signalled already */
		}
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}
