/* SPDX-License-Identifier: MIT */
/* SMI_EVENTS (kfd_smi_events.c of Linux 6.12): a file that tells a monitor what happens on the GPU,
 * as lines of text. The program has one end of a pair of sockets, so that it can read, poll and
 * write without asking the driver; this is the other end. What the program has written, the mask of
 * the events that it wants, is looked at when there is an event. */
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/uapi_priv.h"

static void drop(struct bw_uapi *u, size_t i)
{
	struct bw_kfd_smi *s = &u->kfd.smi.data[i];
	close(s->fd);
	bw_drm_release(u, s->account);
	bw_vec_remove(&u->kfd.smi, i);
}

/* Takes the last mask that was written. False: all copies of the program's end are closed. */
static bool take_mask(struct bw_kfd_smi *s)
{
	uint64_t masks[64];
	ssize_t n;
	while ((n = recv(s->fd, masks, sizeof(masks), MSG_DONTWAIT)) > 0)
		if (n >= (ssize_t)sizeof(masks[0]))
			s->events = masks[(size_t)n / sizeof(masks[0]) - 1];
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void drop_closed(struct bw_uapi *u)
{
	for (size_t i = u->kfd.smi.len; i-- > 0;)
		if (!take_mask(&u->kfd.smi.data[i]))
			drop(u, i);
}

void bw_kfd_smi_fini(struct bw_uapi *u)
{
	while (u->kfd.smi.len)
		drop(u, u->kfd.smi.len - 1);
	bw_vec_free(&u->kfd.smi);
}

void bw_kfd_smi_tell(struct bw_uapi *u, unsigned event, const char *text)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%x %s\n", event, text);
	if (n < 0 || (size_t)n >= sizeof(line))
		return;
	drop_closed(u);
	bw_vec_each(&u->kfd.smi, s) {
		/* One who does not read loses what comes later, as in Linux. */
		if (s->events & KFD_SMI_EVENT_MASK_FROM_INDEX(event))
			(void)!send(s->fd, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

static int open_smi(struct bw_drm_call *c)
{
	struct bw_uapi *u = c->u;
	int ends[2];
	drop_closed(u);
	struct bw_drm_account *account = bw_drm_hold(u, c->kfd->account);
	if (!account)
		return -EMFILE;
	/* Linux's file never waits, whatever its flags. */
	int r = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) ? -errno
											 : 0;
	struct bw_error *err = NULL;
	if (!r)
		err = bw_vec_push(&u->kfd.smi,
				  ((struct bw_kfd_smi){.fd = ends[0], .account = account}));
	if (err) {
		bw_error_free(err);
		close(ends[0]);
		close(ends[1]);
		r = -ENOMEM;
	}
	if (r)
		bw_drm_release(u, account);
	else
		c->fd_out = ends[1];
	return r;
}

int bw_kfd_ioctl_smi_events(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_smi_events_args *a = arg;
	if (a->gpuid != c->kfd->gpu_id)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	int r = open_smi(c);
	pthread_mutex_unlock(&c->u->lock);
	c->fd_at = offsetof(struct kfd_ioctl_smi_events_args, anon_fd);
	return r;
}
