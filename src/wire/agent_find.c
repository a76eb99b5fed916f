// SPDX-License-Identifier: MIT
#include "wire/agent_find.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "wire/peer.h"

/* Connects to this name (without the zero byte in front of it) to see who listens there. 0, or
 * -errno: EAGAIN where its queue is full; another process may keep it full on purpose. */
static int try_name(const char *name, size_t name_b, int *out_fd, struct bw_peer *out_peer)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	if (name_b > sizeof(a.sun_path) - 1)
		return -ENAMETOOLONG;
	memcpy(a.sun_path + 1, name, name_b);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name_b)))
		return -errno;
	_cleanup_error_ struct bw_error *err = bw_peer_of(fd, out_peer);
	if (err)
		return -EIO;
	*out_fd = bw_take_fd(fd);
	return 0;
}

/* The name in a line of /proc/net/unix, if an agent may listen there; "@" stands for the zero
 * byte. */
static const char *name_in(char *line)
{
	unsigned flags, type;
	int at = 0;
	line[strcspn(line, "\n")] = '\0';
	/* Num RefCount Protocol Flags Type St Inode Path; __SO_ACCEPTCON: it listens */
	if (sscanf(line, "%*s %*x %*x %x %x %*x %*u %n", &flags, &type, &at) < 2 || !at ||
	    !(flags & 0x10000) || type != SOCK_STREAM ||
	    strncmp(line + at, "@" BW_AGENT_NAME, strlen("@" BW_AGENT_NAME)))
		return NULL;
	return line + at + 1;
}

/* Goes through all names once. -ENOENT: the process listens on none of them; -EAGAIN: some could
 * not be connected to. */
static int find_agent_once(pid_t pid, int *out_fd, struct bw_peer *out_peer)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	char own[64];
	int result = -ENOENT, fd = -1;
	/* first the name that it normally has, which is needed when the list cannot be read */
	int n = snprintf(own, sizeof(own), BW_AGENT_NAME "%d", (int)pid);
	_cleanup_fclose_ FILE *f = fopen("/proc/net/unix", "re");
	for (const char *name = own; name;) {
		int r = try_name(name, name == own ? (size_t)n : strlen(name), &fd, out_peer);
		if (!r && out_peer->pid == pid) {
			*out_fd = fd;
			return 0;
		}
		if (!r)
			close(fd);
		if (r == -EAGAIN)
			result = r;
		for (name = NULL; f && !name && getline(&line, &cap, f) > 0;)
			name = name_in(line);
	}
	return result;
}

/* A name proves nothing: the kernel says (SO_PEERCRED) which one the process itself listens on. */
static int find_socket(pid_t pid, int *out_fd, struct bw_peer *out_peer)
{
	enum { TRIES = 50, PIECE_NS = 100000000 };
	int r = find_agent_once(pid, out_fd, out_peer);
	for (int i = 0; r == -EAGAIN && i < TRIES; i++) {
		nanosleep(&(struct timespec){.tv_nsec = PIECE_NS}, NULL);
		r = find_agent_once(pid, out_fd, out_peer);
	}
	return r;
}

/* 0 or -errno */
static int call_agent(pid_t pid, const struct bw_agent_call *call, int *out_fd)
{
	const struct timeval patience = {.tv_sec = 10}, for_ever = {0};
	struct bw_peer peer;
	int32_t r = 0;
	_cleanup_close_ int fd = -1;
	int e = find_socket(pid, &fd, &peer);
	if (e)
		return e;
	if (!bw_peer_is_allowed(&peer, geteuid() == 0 ? peer.uid : BW_NO_USER))
		return -EPERM;
	fcntl(fd, F_SETFL, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(fd, call, sizeof(*call), MSG_NOSIGNAL) != (ssize_t)sizeof(*call) ||
	    recv(fd, &r, sizeof(r), MSG_WAITALL) != (ssize_t)sizeof(r))
		return -ETIME;
	if (r)
		return r < 0 ? r : -EPROTO;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof(for_ever));
	*out_fd = bw_take_fd(fd);
	return 0;
}

static struct bw_error *refusal(pid_t pid, int e, const char *done, const char *busy)
{
	switch (e) {
	case ENOENT:
	case ENODEV:
		return bw_errorf(BW_E_NOT_FOUND,
				 "process %d cannot be %s: it was not started by \"breakwater "
				 "exec\", or has not opened the GPU yet",
				 (int)pid, done);
	case EBUSY:
		return bw_errorf(BW_E_STATE, "process %d %s", (int)pid, busy);
	case EALREADY:
		return bw_errorf(BW_E_STATE, "the debugger of process %d is still leaving",
				 (int)pid);
	case EPERM:
		return bw_errorf(BW_E_SYSTEM, "process %d belongs to another user", (int)pid);
	case EPROTO:
	case EINVAL:
		return bw_errorf(BW_E_UNSUPPORTED,
				 "the agent in process %d is of another version of Breakwater",
				 (int)pid);
	case ETIME:
		return bw_errorf(BW_E_TIMEOUT, "process %d does not answer", (int)pid);
	default:
		return bw_error_errno(e, "process %d cannot be %s", (int)pid, done);
	}
}

struct bw_error *bw_agent_find(pid_t pid, const struct bw_agent_call *call, const char *done,
			       const char *busy, int *out_fd)
{
	int e = call_agent(pid, call, out_fd);
	struct bw_error *err = e ? refusal(pid, -e, done, busy) : NULL;
	if (err)
		err->errnum = -e;
	return err;
}
