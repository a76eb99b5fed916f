/* SPDX-License-Identifier: MIT */
/* SYNCOBJ_EVENTFD of Linux 6.6: an eventfd of the program is raised when a point of a sync object has
 * signalled, or has got its fence. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/uapi/uapi_priv.h"

enum { MAX_OF_A_FILE = 1024 };

/* Never waits, whatever the program does to its counter meanwhile. */
static void raise_event(int fd)
{
	const uint64_t one = 1;
	int flags = fcntl(fd, F_GETFL);
	bool blocks = flags >= 0 && !(flags & O_NONBLOCK);
	if (blocks)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	/* A counter that is full has its reader awake already. */
	ssize_t n = write(fd, &one, sizeof(one));
	(void)n;
	if (blocks)
		fcntl(fd, F_SETFL, flags);
}

static void drop(struct bw_uapi *u, size_t i)
{
	struct bw_drm_event *e = &u->events.data[i];
	close(e->fd);
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
		raise_event(e->fd);
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

static bool is_eventfd(int fd)
{
	char path[32], name[32] = "";
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fd >= 0 && readlink(path, name, sizeof(name) - 1) > 0 &&
	       !strcmp(name, "anon_inode:[eventfd]");
}

int bw_ioctl_syncobj_eventfd(struct bw_drm_call *c, void *arg)
{
	const struct bw_drm_syncobj_eventfd *a = arg;
	if (a->flags & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE || a->pad)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_syncobj *s = bw_drm_syncobj_get(c->file, a->handle);
	unsigned n = 0;
	bw_vec_each(&c->u->events, e)
		n += e->file == c->file;
	int r = !s ? -ENOENT : n >= MAX_OF_A_FILE ? -ENOMEM : 0;
	if (!r && !is_eventfd(c->fd_in))
		r = -EINVAL;
	int fd = r ? -1 : fcntl(c->fd_in, F_DUPFD_CLOEXEC, 3);
	if (!r && fd < 0)
		r = -errno;
	if (!r) {
		struct bw_error *err = bw_vec_push(
			&c->u->events,
			((struct bw_drm_event){.syncobj = s,
					       .point = a->point,
					       .when_available = a->flags != 0,
					       .fd = fd,
					       .file = c->file}));
		if (err) {
			bw_error_free(err);
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
