/* SPDX-License-Identifier: MIT */
#include "wire/peer.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct bw_error *bw_peer_of(int sock, struct bw_peer *out)
{
	struct ucred c;
	socklen_t size = sizeof(c);
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &c, &size) < 0)
		return bw_error_errno(errno, "cannot find out who is at the other end of a socket");
	*out = (struct bw_peer){.pid = c.pid, .uid = c.uid};
	return NULL;
}

bool bw_peer_is_allowed(const struct bw_peer *p, uid_t also)
{
	return p->uid == geteuid() || p->uid == 0 || (also != BW_NO_USER && p->uid == also);
}

bool bw_peer_may_debug_us(const struct bw_peer *p)
{
	uid_t real, effective, saved;
	if (p->uid == 0)
		return true;
	return !getresuid(&real, &effective, &saved) && p->uid == real && p->uid == effective &&
	       p->uid == saved && prctl(PR_GET_DUMPABLE) == 1;
}
