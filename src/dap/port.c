/* SPDX-License-Identifier: MIT */
#include "dap/port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dap/gate.h"

enum { BACKLOG = 64, CALLERS_MAX = 64 };

struct caller {
	int fd;
	struct bw_dap_caller said;
};

/* The connections without a token, the oldest first. */
struct callers {
	struct caller one[CALLERS_MAX];
	size_t n;
};

struct bw_error *bw_dap_port_open(uint16_t port, int *out_fd, uint16_t *out_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int on = 1;
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return bw_error_errno(errno, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&at, &n))
		return bw_error_errno(errno, "cannot listen on port %u of 127.0.0.1", port);
	*out_port = ntohs(at.sin_port);
	*out_fd = bw_take_fd(fd);
	return NULL;
}

static void forget(struct callers *c, size_t i)
{
	close(c->one[i].fd);
	bw_dap_caller_fini(&c->one[i].said);
	c->n--;
	for (; i < c->n; i++)
		c->one[i] = c->one[i + 1];
}

/* Accepts a connection. If there is no room for it, the oldest one is closed, since an editor shows
 * its token at once. */
static struct bw_error *add_caller(struct callers *c, int listener)
{
	const struct timespec pause = {.tv_nsec = 100000000};
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	bool is_full = fd < 0 &&
		       (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
	if (is_full && !c->n)
		nanosleep(&pause, NULL);
	if ((is_full || c->n == CALLERS_MAX) && c->n)
		forget(c, 0);
	if (fd >= 0)
		c->one[c->n++] = (struct caller){.fd = fd};
	else if (errno == EBADF || errno == EINVAL)
		return bw_error_errno(errno, "cannot accept a connection");
	return NULL;
}

static enum bw_dap_verdict hear(struct caller *c, const char *token)
{
	char chunk[16384];
	struct bw_str out = {0};
	ssize_t got = recv(c->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return BW_DAP_WAITS;
	if (got <= 0)
		return BW_DAP_REFUSED;
	enum bw_dap_verdict verdict = bw_dap_gate_hear(&c->said, token, chunk, (size_t)got, &out);
	/* A connection that does not read its answers is closed. */
	if (out.len &&
	    send(c->fd, out.data, out.len, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)out.len)
		verdict = BW_DAP_REFUSED;
	bw_str_free(&out);
	return verdict;
}

static struct bw_error *wait_for_token(struct callers *c, int listener, const char *token,
				       size_t *out_index)
{
	for (;;) {
		struct pollfd p[1 + CALLERS_MAX] = {{.fd = listener, .events = POLLIN}};
		for (size_t i = 0; i < c->n; i++)
			p[1 + i] = (struct pollfd){.fd = c->one[i].fd, .events = POLLIN};
		if (poll(p, 1 + c->n, -1) < 0) {
			if (errno == EINTR)
				continue;
			return bw_error_errno(errno, "cannot wait for a connection");
		}
		for (size_t i = c->n; i-- > 0;) {
			enum bw_dap_verdict verdict =
				p[1 + i].revents ? hear(&c->one[i], token) : BW_DAP_WAITS;
			if (verdict == BW_DAP_REFUSED)
				forget(c, i);
			if (verdict != BW_DAP_ADMITTED)
				continue;
			*out_index = i;
			return NULL;
		}
		if (p[0].revents)
			BW_TRY(add_caller(c, listener));
	}
}

struct bw_error *bw_dap_port_accept(int listener, const char *token, int *out_fd,
				    struct bw_dap_begun *out_begun)
{
	struct callers c = {.n = 0};
	size_t index = 0;
	struct bw_error *err = wait_for_token(&c, listener, token, &index);
	if (!err)
		err = bw_dap_gate_begun(&c.one[index].said, out_begun);
	if (!err) {
		*out_fd = c.one[index].fd;
		c.one[index].fd = -1;
	}
	while (c.n)
		forget(&c, c.n - 1);
	return err;
}
