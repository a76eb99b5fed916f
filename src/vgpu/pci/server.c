/* SPDX-License-Identifier: MIT */
/* The socket side of vfio-user: one message after the other. The header is received by itself,
 * so that descriptors belong to the message with whose first byte they came. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "vgpu/pci/pci.h"

struct connection {
	int sock, stop_fd;
	uint8_t *in, *out;
	int fds[BW_VFU_MAX_FDS];
	size_t n_fds;
};

/* The result of a step of the conversation. */
enum step { GOES_ON, ENDS };

static struct bw_error *wait_for(struct connection *c, short events, enum step *out_step)
{
	struct pollfd fds[] = {{c->sock, events, 0}, {c->stop_fd, POLLIN, 0}};
	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return bw_error_errno(errno, "waiting for the client");
	*out_step = fds[1].revents ? ENDS : GOES_ON;
	return NULL;
}

static void drop_fds(struct connection *c)
{
	for (size_t i = 0; i < c->n_fds; i++)
		close(c->fds[i]);
	c->n_fds = 0;
}

static void take_fds(struct connection *c, struct msghdr *m)
{
	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(h) + i * sizeof(int), sizeof(fd));
			if (c->n_fds < BW_VFU_MAX_FDS)
				c->fds[c->n_fds++] = fd;
			else
				close(fd);
		}
	}
}

/* n bytes to `to`; descriptors only with the first byte of a message. */
static struct bw_error *receive(struct connection *c, uint8_t *to, size_t n, bool with_fds,
				enum step *out_step)
{
	for (size_t done = 0; done < n;) {
		union {
			char bytes[CMSG_SPACE(sizeof(int) * BW_VFU_MAX_FDS)];
			struct cmsghdr align;
		} control;
		struct iovec v = {to + done, n - done};
		bool fds_now = with_fds && !done;
		struct msghdr m = {.msg_iov = &v,
				   .msg_iovlen = 1,
				   .msg_control = fds_now ? &control : NULL,
				   .msg_controllen = fds_now ? sizeof(control) : 0};
		ssize_t got = recvmsg(c->sock, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			BW_TRY(wait_for(c, POLLIN, out_step));
			if (*out_step == ENDS)
				return NULL;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != ECONNRESET)
			return bw_error_errno(errno, "receiving from the client");
		if (got <= 0) {
			*out_step = ENDS;
			return with_fds && !done
				       ? NULL
				       : bw_errorf(BW_E_GONE,
						   "the client has gone inside of a message");
		}
		take_fds(c, &m);
		done += (size_t)got;
	}
	*out_step = GOES_ON;
	return NULL;
}

static struct bw_error *send_reply(struct connection *c, const struct bw_vfu_reply *r,
				   enum step *out_step)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	for (size_t done = 0; done < r->size_b;) {
		struct iovec v = {r->bytes + done, r->size_b - done};
		struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
		if (r->fd >= 0 && !done) {
			m.msg_control = &control;
			m.msg_controllen = sizeof(control);
			struct cmsghdr *h = CMSG_FIRSTHDR(&m);
			h->cmsg_level = SOL_SOCKET;
			h->cmsg_type = SCM_RIGHTS;
			h->cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(h), &r->fd, sizeof(int));
		}
		ssize_t n = sendmsg(c->sock, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			BW_TRY(wait_for(c, POLLOUT, out_step));
			if (*out_step == ENDS)
				return NULL;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
			*out_step = ENDS;
			return NULL;
		}
		if (n < 0)
			return bw_error_errno(errno, "sending to the client");
		done += (size_t)n;
	}
	*out_step = GOES_ON;
	return NULL;
}

static struct bw_error *one_message(struct bw_pci *p, struct connection *c, enum step *out_step)
{
	struct bw_vfu_header h;
	BW_TRY(receive(c, c->in, BW_VFU_HEADER_B, true, out_step));
	if (*out_step == ENDS)
		return NULL;
	BW_TRY(bw_vfu_parse_header(c->in, &h));
	BW_TRY(receive(c, c->in, h.size_b - BW_VFU_HEADER_B, false, out_step));
	if (*out_step == ENDS)
		return NULL;
	struct bw_vfu_reply reply = {.bytes = c->out};
	size_t n_fds = c->n_fds;
	c->n_fds = 0; /* taken or closed by it */
	if (!bw_pci_message(p, &h, c->in, c->fds, n_fds, &reply))
		return NULL;
	return send_reply(c, &reply, out_step);
}

struct bw_error *bw_pci_serve(struct bw_pci *p, int sock, int stop_fd)
{
	_cleanup_free_ uint8_t *in = malloc(BW_VFU_MAX_MESSAGE_B);
	_cleanup_free_ uint8_t *out = malloc(BW_VFU_MAX_MESSAGE_B);
	struct connection c = {sock, stop_fd, in, out, {0}, 0};
	enum step step = GOES_ON;
	struct bw_error *err = NULL;
	if (!in || !out)
		return bw_error_nomem();
	while (!err && step == GOES_ON)
		err = one_message(p, &c, &step);
	drop_fds(&c);
	return err;
}
