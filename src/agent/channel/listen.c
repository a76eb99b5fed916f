/* SPDX-License-Identifier: MIT */
#include "agent/channel/listen.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/clocks/thread.h"
#include "base/log.h"
#include "wire/abstract_name.h"
#include "wire/agent_proto.h"
#include "wire/peer.h"

enum { MAX_WAITING = 16, PATIENCE_S = 5, POLL_MS = 1000, BACKLOG = 64 };

/* Connections that have not sent their request yet. */
struct caller {
	int fd;
	time_t until;
	size_t got;
	struct bw_agent_call call;
};

static atomic_bool started;
static int listen_fd = -1;
static const struct bw_service *services;
static size_t n_services;
/* The listening thread's. */
static struct caller waiting[MAX_WAITING];
static unsigned n_waiting;

static time_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

bool bw_listen_accept(int fd)
{
	const int32_t done = 0;
	bool there = send(fd, &done, sizeof(done), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(done);
	if (!there)
		BW_LOG(INFO, "agent", "a peer disconnected before it was answered");
	return there;
}

void bw_listen_answer(int fd, int32_t r)
{
	if (send(fd, &r, sizeof(r), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		BW_LOG(INFO, "agent", "a peer disconnected before it was answered");
	bw_agent_fd_close(&fd);
}

static void forget(unsigned i)
{
	waiting[i] = waiting[--n_waiting];
}

/* The oldest connections are closed to make room. */
static void add_caller(int fd)
{
	unsigned oldest = 0;
	if (n_waiting == MAX_WAITING) {
		for (unsigned i = 1; i < n_waiting; i++)
			if (waiting[i].until < waiting[oldest].until)
				oldest = i;
		bw_listen_answer(waiting[oldest].fd, -ETIMEDOUT);
		forget(oldest);
	}
	waiting[n_waiting++] = (struct caller){.fd = fd, .until = now() + PATIENCE_S};
}

static void accept_caller(void)
{
	struct bw_peer peer;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
		return;
	}
	fd = bw_agent_fd_keep(fd);
	struct bw_error *err = bw_peer_of(fd, &peer);
	if (err || !bw_peer_may_debug_us(&peer))
		bw_listen_answer(fd, -EPERM);
	else
		add_caller(fd);
	bw_error_free(err);
}

/* Takes the descriptor. */
static void serve(int fd, const struct bw_agent_call *call)
{
	for (size_t i = 0; i < n_services; i++) {
		if (call->magic != services[i].magic)
			continue;
		if (call->version == services[i].version)
			services[i].take(fd);
		else
			bw_listen_answer(fd, -EPROTO);
		return;
	}
	bw_listen_answer(fd, -EINVAL);
}

/* False: the peer's request has not arrived yet. */
static bool hear(struct caller *c)
{
	ssize_t n =
		recv(c->fd, (uint8_t *)&c->call + c->got, sizeof(c->call) - c->got, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	c->got += n > 0 ? (size_t)n : 0;
	if (n > 0 && c->got < sizeof(c->call))
		return false;
	if (n <= 0)
		bw_agent_fd_close(&c->fd);
	else
		serve(c->fd, &c->call);
	return true;
}

static void *listener(void *cookie)
{
	for (;;) {
		struct pollfd fds[1 + MAX_WAITING] = {{listen_fd, POLLIN, 0}};
		for (unsigned i = 0; i < n_waiting; i++)
			fds[1 + i] = (struct pollfd){waiting[i].fd, POLLIN, 0};
		if (poll(fds, 1 + n_waiting, n_waiting ? POLL_MS : -1) < 0)
			continue;
		if (fds[0].revents & POLLNVAL)
			return NULL;
		for (unsigned i = n_waiting; i-- > 0;) {
			if (fds[1 + i].revents ? hear(&waiting[i]) : now() > waiting[i].until) {
				if (!fds[1 + i].revents)
					bw_listen_answer(waiting[i].fd, -ETIMEDOUT);
				forget(i);
			}
		}
		if (fds[0].revents)
			accept_caller();
	}
}

void bw_listen_start(const struct bw_service *all, size_t n)
{
	if (atomic_exchange(&started, true))
		return;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bw_abstract_name_bind(fd, BW_AGENT_NAME) || listen(fd, BACKLOG)) {
		BW_LOG(WARN, "agent", "no debugger will be able to attach: %s", strerror(errno));
		if (fd >= 0)
			REAL(close)(fd);
		return;
	}
	services = all;
	n_services = n;
	listen_fd = bw_agent_fd_keep(fd);
	if (bw_thread_start(listener, NULL))
		bw_agent_fd_close(&listen_fd);
}

void bw_listen_fork_child(void)
{
	bw_agent_fd_close(&listen_fd);
	while (n_waiting)
		bw_agent_fd_close(&waiting[--n_waiting].fd);
	atomic_store(&started, false);
}
