/* SPDX-License-Identifier: MIT */
#include "cli/dap_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

struct bw_error *bw_dap_port_open(uint16_t port, int *out_fd, uint16_t *out_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int on = 1;
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return bw_error_errno(errno, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&at, &n))
		return bw_error_errno(errno, "cannot listen on port %u of 127.0.0.1", port);
	*out_port = ntohs(at.sin_port);
	*out_fd = bw_take_fd(fd);
	return NULL;
}

/* Who owns the socket at the other end: sockets of TCP have no SO_PEERCRED, so the kernel's table
 * says it. A row: "0: 0100007F:9C40 0100007F:1F90 01 ... uid" (Linux,
 * Documentation/networking/proc_net_tcp.rst), numbers in hexadecimal, ports in host order. */
static bool peer_user(int fd, uid_t *out)
{
	struct sockaddr_in peer, us;
	socklen_t peer_n = sizeof(peer), us_n = sizeof(us);
	char line[512];
	_cleanup_fclose_ FILE *f = fopen("/proc/self/net/tcp", "re");
	if (!f || getpeername(fd, (struct sockaddr *)&peer, &peer_n) ||
	    getsockname(fd, (struct sockaddr *)&us, &us_n))
		return false;
	while (fgets(line, sizeof(line), f)) {
		unsigned from_addr, from_port, to_addr, to_port, uid;
		if (sscanf(line, " %*u: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %u", &from_addr,
			   &from_port, &to_addr, &to_port, &uid) != 5)
			continue;
		if (from_addr != peer.sin_addr.s_addr || from_port != ntohs(peer.sin_port) ||
		    to_addr != us.sin_addr.s_addr || to_port != ntohs(us.sin_port))
			continue;
		*out = uid;
		return true;
	}
	return false;
}

struct bw_error *bw_dap_port_accept(int listener, int *out_fd)
{
	for (;;) {
		uid_t user;
		_cleanup_close_ int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && (errno == ECONNABORTED || errno == EAGAIN))
			continue;
		if (fd < 0)
			return bw_error_errno(errno, "cannot accept a connection");
		/* The prompt's commands can do all that we can. */
		if (peer_user(fd, &user) && user == geteuid()) {
			*out_fd = bw_take_fd(fd);
			return NULL;
		}
		fprintf(stderr, "breakwater: a connection of another user was refused.\n");
	}
}
