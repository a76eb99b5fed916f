/* SPDX-License-Identifier: MIT */
#include "agent/listen.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/debugger.h"
#include "base/log.h"
#include "wire/agent_proto.h"

static atomic_bool started;
static int listen_fd = -1;

/* Only who may look into our memory anyway. */
static bool may_attach(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

/* "PATH\0" in, an int32 out: 0 or -errno. */
static void serve(int fd)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)] = "";
	const struct timeval patience = {.tv_sec = 5};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ssize_t n = recv(fd, path, sizeof(path), 0);
	int32_t r = !may_attach(fd)                 ? -EPERM
		    : n <= 1 || path[n - 1] != '\0' ? -EINVAL
						    : bw_debugger_connect(path);
	if (send(fd, &r, sizeof(r), MSG_NOSIGNAL) < 0)
		BW_LOG(INFO, "agent", "a debugger went away before it was answered");
}

static void *listener(void *cookie)
{
	for (;;) {
		int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
			nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
			continue;
		}
		if (fd < 0)
			return NULL;
		fd = bw_agent_fd_move_high(fd);
		bw_agent_fd_own(fd, true);
		serve(fd);
		bw_agent_fd_own(fd, false);
		REAL(close)(fd);
	}
}

void bw_listen_start(void)
{
	if (atomic_exchange(&started, true))
		return;
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	/* sun_path[0] stays 0: a name without a file */
	int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, BW_AGENT_ATTACH_NAME,
			 (int)getpid());
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, size) || listen(fd, 4)) {
		BW_LOG(WARN, "agent", "no debugger will be able to attach: %s", strerror(errno));
		if (fd >= 0)
			REAL(close)(fd);
		return;
	}
	listen_fd = bw_agent_fd_move_high(fd);
	bw_agent_fd_own(listen_fd, true);
	if (bw_thread_start(listener, NULL)) {
		bw_agent_fd_own(listen_fd, false);
		REAL(close)(listen_fd);
	}
}

void bw_listen_fork_child(void)
{
	if (listen_fd >= 0) {
		bw_agent_fd_own(listen_fd, false);
		REAL(close)(listen_fd);
	}
	listen_fd = -1;
	atomic_store(&started, false);
}
