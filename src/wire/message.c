/* SPDX-License-Identifier: MIT */
#include "wire/message.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/util.h"
#include "base/wait.h"

_Static_assert(sizeof(struct bw_msg_header) == BW_MSG_HEADER_B, "the header has no padding");

/* A peer that stops in the middle of a message for this long is taken for dead. */
enum { STALL_MS = 10000, MAX_PARTS = 8 };

void bw_msg_fini(struct bw_msg *m)
{
	free(m->body);
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct bw_msg)BW_MSG_INIT;
}

struct bw_error *bw_msg_parse(const void *bytes, size_t size_b, struct bw_msg_header *out_header,
			      size_t *out_used)
{
	struct bw_cursor c = bw_cursor(bytes, size_b);
	struct bw_msg_header h = {.magic = bw_cursor_u32(&c)};
	h.type = bw_cursor_u16(&c);
	h.flags = bw_cursor_u16(&c);
	h.seq = bw_cursor_u32(&c);
	h.body_b = bw_cursor_u32(&c);
	if (c.overrun) {
		*out_used = 0;
		return NULL;
	}
	if (h.magic != BW_MSG_MAGIC)
		return bw_errorf(BW_E_INVALID, "not a Breakwater message (it begins with %#x)",
				 h.magic);
	if (h.flags & ~BW_MSG_HAS_FD)
		return bw_errorf(BW_E_INVALID, "message %u has unknown flags %#x", h.type, h.flags);
	if (h.body_b > BW_MSG_MAX_BODY_B)
		return bw_errorf(BW_E_INVALID, "message %u claims a body of %u bytes, more than %u",
				 h.type, h.body_b, (unsigned)BW_MSG_MAX_BODY_B);
	*out_header = h;
	*out_used = bw_cursor_left(&c) >= h.body_b ? BW_MSG_HEADER_B + h.body_b : 0;
	return NULL;
}

static struct bw_error *gone(const char *when)
{
	return bw_errorf(BW_E_GONE, "the peer has closed the connection%s", when);
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for poll `events` until `deadline_ms` (< 0: for ever). */
enum waited { READY, LATE, GIVEN_UP };
static enum waited wait_for(int sock, short events, int64_t deadline_ms)
{
	int64_t start = now_ms();
	for (;;) {
		int64_t now = now_ms(),
			left = deadline_ms < 0 ? INT_MAX : BW_MAX(deadline_ms - now, (int64_t)0);
		int64_t slice = bw_wait_is_set() ? BW_WAIT_SLICE_MS : STALL_MS;
		struct pollfd p = {.fd = sock, .events = events};
		int n = poll(&p, 1, (int)BW_MIN(left, slice));
		if (n > 0 || (n < 0 && errno != EINTR))
			return READY; /* an error shows itself in the call that follows */
		if (n == 0 && left == 0)
			return LATE;
		if (now_ms() - start >= BW_WAIT_SLICE_MS &&
		    !bw_wait_should_continue((unsigned)(now_ms() - start), true))
			return GIVEN_UP;
	}
}

static struct bw_error *given_up(bool start)
{
	if (start)
		return bw_errorf(BW_E_INTERRUPTED, "the wait was interrupted");
	struct bw_error *err =
		bw_errorf(BW_E_GONE, "the wait was interrupted in the middle of a message");
	if (err->code == BW_E_GONE) /* there was memory for it */
		err->errnum = EINTR;
	return err;
}

static void close_rights(struct msghdr *mh)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0);
		     at += sizeof(int)) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + at, sizeof(fd));
			close(fd);
		}
	}
}

/* The one descriptor that came with these bytes, into *fd. A second one is an error. */
static struct bw_error *take_rights(struct msghdr *mh, int *fd)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(mh);
	if (mh->msg_flags & MSG_CTRUNC) {
		close_rights(mh);
		return bw_errorf(BW_E_INVALID, "a message came with more than one file descriptor");
	}
	if (!c)
		return NULL;
	if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(int)) || *fd >= 0) {
		close_rights(mh);
		return bw_errorf(BW_E_INVALID, "a message came with unexpected control data");
	}
	memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return NULL;
}

/* Up to size_b bytes, as recvmsg: what it returns, with errno, is *out_n. */
static struct bw_error *receive_once(int sock, void *out, size_t size_b, int flags, int *fd,
				     ssize_t *out_n)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {out, size_b};
	/* CMSG_LEN, not CMSG_SPACE: the padding would make room for a second descriptor. */
	struct msghdr mh = {.msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = CMSG_LEN(sizeof(int))};
	*out_n = recvmsg(sock, &mh, MSG_CMSG_CLOEXEC | flags);
	if (*out_n >= 0)
		return take_rights(&mh, fd);
	if (errno == EINTR || errno == EAGAIN)
		return NULL;
	return errno == ECONNRESET ? gone("") : bw_error_errno(errno, "receiving a message");
}

/* Exactly size_b bytes. `start`: nothing of the message has been read yet, so that the end of the
 * stream is a clean end and the caller's timeout holds; later only silence ends the wait. */
static struct bw_error *receive(int sock, int timeout_ms, bool start, void *out, size_t size_b,
				int *fd)
{
	uint8_t *at = out;
	while (size_b) {
		int64_t patience = start ? timeout_ms : BW_MAX(timeout_ms, (int)STALL_MS);
		enum waited waited = READY;
		if (timeout_ms >= 0 || bw_wait_is_set())
			waited = wait_for(sock, POLLIN, timeout_ms < 0 ? -1 : now_ms() + patience);
		if (waited == LATE)
			return start ? bw_errorf(BW_E_TIMEOUT, "no message within %d ms",
						 timeout_ms)
				     : bw_errorf(BW_E_GONE,
						 "the peer stopped in the middle of a message");
		if (waited == GIVEN_UP)
			return given_up(start);
		ssize_t n;
		BW_TRY(receive_once(sock, at, size_b, 0, fd, &n));
		if (n < 0) {
			if (errno == EAGAIN && timeout_ms < 0)
				wait_for(sock, POLLIN, now_ms() + STALL_MS);
			continue;
		}
		if (n == 0)
			return gone(start ? "" : " in the middle of a message");
		at += n;
		size_b -= (size_t)n;
		start = false;
	}
	return NULL;
}

static struct bw_error *make_room(struct bw_msg *m, uint32_t body_b)
{
	if (body_b <= m->body_cap)
		return NULL;
	size_t cap = BW_MAX(m->body_cap * 2, (size_t)body_b);
	uint8_t *p = realloc(m->body, cap);
	if (!p)
		return bw_error_nomem();
	m->body = p;
	m->body_cap = cap;
	return NULL;
}

static struct bw_error *check_rights(const struct bw_msg_header *h, int fd)
{
	if ((fd >= 0) == !!(h->flags & BW_MSG_HAS_FD))
		return NULL;
	return bw_errorf(BW_E_INVALID, "message %u %s", h->type,
			 fd >= 0 ? "came with a file descriptor that it does not announce"
				 : "announces a file descriptor that did not come");
}

static void take_header(struct bw_msg *m, const struct bw_msg_header *h)
{
	m->type = h->type;
	m->seq = h->seq;
	m->body_b = h->body_b;
}

struct bw_error *bw_msg_recv(int sock, int timeout_ms, struct bw_msg *out_msg)
{
	uint8_t bytes[BW_MSG_HEADER_B];
	struct bw_msg_header h = {0};
	_cleanup_close_ int fd = -1;
	size_t used;
	BW_TRY(receive(sock, timeout_ms, true, bytes, sizeof(bytes), &fd));
	BW_TRY(bw_msg_parse(bytes, sizeof(bytes), &h, &used));
	BW_TRY(make_room(out_msg, h.body_b));
	BW_TRY(receive(sock, timeout_ms, false, out_msg->body, h.body_b, &fd));
	BW_TRY(check_rights(&h, fd));
	if (out_msg->fd >= 0)
		close(out_msg->fd);
	out_msg->fd = bw_take_fd(fd);
	take_header(out_msg, &h);
	return NULL;
}

/* ---- In pieces ---- */

void bw_msg_pieces_fini(struct bw_msg_pieces *p)
{
	bw_msg_fini(&p->msg);
	p->got_b = 0;
}

/* Reads towards `until` bytes of header and body. *out_came: it has them. */
static struct bw_error *receive_piece(int sock, struct bw_msg_pieces *p, size_t until,
				      bool *out_came)
{
	while (p->got_b < until) {
		uint8_t *at = p->got_b < BW_MSG_HEADER_B
				      ? p->header + p->got_b
				      : p->msg.body + (p->got_b - BW_MSG_HEADER_B);
		ssize_t n;
		BW_TRY(receive_once(sock, at, until - p->got_b, MSG_DONTWAIT, &p->msg.fd, &n));
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			return gone(p->got_b ? " in the middle of a message" : "");
		*out_came = n > 0;
		if (n < 0)
			return NULL;
		p->got_b += (size_t)n;
	}
	*out_came = true;
	return NULL;
}

struct bw_error *bw_msg_recv_pieces(int sock, struct bw_msg_pieces *p, bool *out_whole)
{
	struct bw_msg_header h;
	size_t used;
	bool came;
	*out_whole = false;
	if (!p->got_b && p->msg.fd >= 0) { /* of the message before */
		close(p->msg.fd);
		p->msg.fd = -1;
	}
	BW_TRY(receive_piece(sock, p, BW_MSG_HEADER_B, &came));
	if (!came)
		return NULL;
	BW_TRY(bw_msg_parse(p->header, sizeof(p->header), &h, &used));
	BW_TRY(make_room(&p->msg, h.body_b));
	BW_TRY(receive_piece(sock, p, BW_MSG_HEADER_B + (size_t)h.body_b, &came));
	if (!came)
		return NULL;
	BW_TRY(check_rights(&h, p->msg.fd));
	take_header(&p->msg, &h);
	p->got_b = 0;
	*out_whole = true;
	return NULL;
}

/* Drops the first n bytes of an io vector. */
static void advance(struct msghdr *mh, size_t n)
{
	while (mh->msg_iovlen && n >= mh->msg_iov->iov_len) {
		n -= mh->msg_iov->iov_len;
		mh->msg_iov++;
		mh->msg_iovlen--;
	}
	if (mh->msg_iovlen) {
		mh->msg_iov->iov_base = (char *)mh->msg_iov->iov_base + n;
		mh->msg_iov->iov_len -= n;
	}
}

struct bw_error *bw_msg_send(int sock, uint16_t type, uint32_t seq, const struct bw_msg_part *parts,
			     size_t n_parts, int fd)
{
	assert(n_parts <= MAX_PARTS);
	struct bw_msg_header h = {BW_MSG_MAGIC, type, fd >= 0 ? BW_MSG_HAS_FD : 0, seq, 0};
	struct iovec iov[1 + MAX_PARTS] = {{&h, sizeof(h)}};
	size_t total = 0;
	for (size_t i = 0; i < n_parts; i++) {
		iov[1 + i] = (struct iovec){(void *)parts[i].data, parts[i].size_b};
		if (parts[i].size_b > BW_MSG_MAX_BODY_B - total)
			return bw_errorf(BW_E_INVALID, "message %u would be longer than %u bytes",
					 type, (unsigned)BW_MSG_MAX_BODY_B);
		total += parts[i].size_b;
	}
	h.body_b = (uint32_t)total;

	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr mh = {.msg_iov = iov, .msg_iovlen = 1 + n_parts};
	if (fd >= 0) {
		control.align = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
		mh.msg_control = control.bytes;
		mh.msg_controllen = sizeof(control.bytes);
	}
	const int flags = MSG_NOSIGNAL | (bw_wait_is_set() ? MSG_DONTWAIT : 0);
	bool start = true;
	while (mh.msg_iovlen) {
		ssize_t n = sendmsg(sock, &mh, flags);
		if (n < 0 && errno == EAGAIN) {
			if (wait_for(sock, POLLOUT, -1) == GIVEN_UP)
				return given_up(start);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE || errno == ECONNRESET
				       ? gone("")
				       : bw_error_errno(errno, "sending a message");
		advance(&mh, (size_t)n);
		start = false;
		mh.msg_control = NULL; /* the descriptor went with the first byte */
		mh.msg_controllen = 0;
	}
	return NULL;
}

/* A socket that poll calls writable has three quarters of its buffer left (net/unix/af_unix.c,
 * unix_writable). */
struct bw_error *bw_msg_answer(int sock, uint16_t type, uint32_t seq,
			       const struct bw_msg_part *part, int fd)
{
	struct pollfd p = {.fd = sock, .events = POLLOUT};
	int n;
	while ((n = poll(&p, 1, 0)) < 0 && errno == EINTR)
		;
	if (n != 1)
		return bw_errorf(BW_E_INVALID, "it does not read its answers");
	return bw_msg_send(sock, type, seq, part, part ? 1 : 0, fd);
}

static struct bw_error *socket_address(const char *path, struct sockaddr_un *out)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	size_t len = strlen(path);
	if (len >= sizeof(out->sun_path))
		return bw_errorf(BW_E_INVALID, "socket path %s is longer than %zu bytes", path,
				 sizeof(out->sun_path) - 1);
	memcpy(out->sun_path, path, len);
	return NULL;
}

/* Is this a socket that no process holds any more? Asked with a socket of another type: the kernel
 * looks for the owner first (ECONNREFUSED when there is none) and compares the types then
 * (EPROTOTYPE; net/unix/af_unix.c unix_find_bsd), so that a living owner never sees a
 * connection. */
static bool is_left_over(const struct sockaddr_un *address)
{
	struct stat st;
	if (lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	_cleanup_close_ int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return sock >= 0 && connect(sock, (const struct sockaddr *)address, sizeof(*address)) &&
	       errno == ECONNREFUSED;
}

static struct bw_error *cannot_listen(const struct sockaddr_un *address)
{
	int e = errno;
	const char *path = address->sun_path;
	if (e == EADDRINUSE && is_left_over(address))
		return bw_errorf(
			BW_E_STATE,
			"%s is left over from a process that has ended: remove it (rm %s), or "
			"choose another path",
			path, path);
	if (e == EADDRINUSE)
		return bw_errorf(BW_E_STATE, "%s is in use: choose another path", path);
	return bw_error_errno(e, "cannot listen on %s", path);
}

struct bw_error *bw_sock_listen(const char *path, int *out_fd)
{
	struct sockaddr_un address;
	BW_TRY(socket_address(path, &address));
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return bw_error_errno(errno, "cannot make a socket");
	/* The mode of an unbound socket becomes that of the file: no moment in which others may
	 * connect. */
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 64) < 0)
		return cannot_listen(&address);
	*out_fd = bw_take_fd(fd);
	return NULL;
}

struct bw_error *bw_sock_accept(int listening, int *out_fd, struct bw_peer *out_peer)
{
	struct bw_peer peer;
	_cleanup_close_ int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return bw_error_errno(errno, "cannot accept a connection");
	BW_TRY(bw_peer_of(fd, &peer));
	if (!bw_peer_is_allowed(&peer, BW_NO_USER))
		return bw_errorf(BW_E_STATE,
				 "a connection of another user (uid %u, process %d) is refused",
				 (unsigned)peer.uid, (int)peer.pid);
	*out_fd = bw_take_fd(fd);
	if (out_peer)
		*out_peer = peer;
	return NULL;
}

struct bw_error *bw_sock_connect(const char *path, uid_t also, int *out_fd)
{
	struct sockaddr_un address;
	struct bw_peer peer;
	BW_TRY(socket_address(path, &address));
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return bw_error_errno(errno, "cannot make a socket");
	while (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		if (errno != EINTR)
			return bw_error_errno(errno, "cannot connect to %s", path);
	BW_TRY(bw_peer_of(fd, &peer));
	if (!bw_peer_is_allowed(&peer, also))
		return bw_errorf(
			BW_E_STATE,
			"%s is not used: the process that listens there (%d) belongs to another user (uid %u)",
			path, (int)peer.pid, (unsigned)peer.uid);
	*out_fd = bw_take_fd(fd);
	return NULL;
}
