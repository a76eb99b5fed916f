/* SPDX-License-Identifier: MIT */
#include "record/orders.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "wire/abstract_name.h"
#include "wire/peer.h"

struct bw_error *bw_orders_socket(int *out_fd)
{
	const int on = 1;
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return bw_error_errno(errno, "a socket for orders");
	*out_fd = bw_take_fd(fd);
	return NULL;
}

bool bw_orders_receive(int fd, void *out, size_t size_b, struct bw_orders_sender *out_from)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec part = {out, size_b};
	struct msghdr m = {.msg_name = &out_from->addr,
			   .msg_namelen = sizeof(out_from->addr),
			   .msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	struct ucred cred = {.uid = BW_NO_USER};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return false;
	out_from->addr_b = m.msg_namelen;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS &&
		    c->cmsg_len == CMSG_LEN(sizeof(cred)))
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	const struct bw_peer peer = {cred.pid, cred.uid};
	return n == (ssize_t)size_b && !(m.msg_flags & MSG_TRUNC) && cred.uid != BW_NO_USER &&
	       bw_peer_is_allowed(&peer, BW_NO_USER);
}

struct bw_error *bw_orders_listen(int *out_fd)
{
	_cleanup_close_ int fd = -1;
	BW_TRY(bw_orders_socket(&fd));
	if (bw_abstract_name_bind(fd, BW_CAPTURE_ORDERS_NAME))
		return bw_error_errno(errno, "the socket for orders");
	*out_fd = bw_take_fd(fd);
	return NULL;
}

bool bw_orders_take(int fd, struct bw_capture_order *out, struct bw_orders_sender *out_from)
{
	return bw_orders_receive(fd, out, sizeof(*out), out_from) &&
	       out->magic == BW_CAPTURE_ORDERS_MAGIC;
}

void bw_orders_answer(int fd, const struct bw_orders_sender *to,
		      const struct bw_capture_ordered *answer)
{
	if (sendto(fd, answer, sizeof(*answer), MSG_DONTWAIT | MSG_NOSIGNAL,
		   (const struct sockaddr *)&to->addr, to->addr_b) < 0)
		BW_LOG(INFO, "capture", "an order's sender is gone: %s", strerror(errno));
}
