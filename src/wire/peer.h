/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_PEER_H
#define BW_WIRE_PEER_H

/* The process at the other end of a socket, from the kernel (SO_PEERCRED): on a connection that was
 * accepted the process that has connected, on one that was made the process that listens there.
 * Both ends of every connection ask before they read or send anything.
 *
 * The rule (breakwater(1), SECURITY): the peer has our user id, or is root, who can read and change
 * our memory in any case. So root talks only to root, with one exception: root's debugger that is
 * told to attach to a process of another user talks to the agent in that very process, and to the
 * virtual GPU of that user. Their messages are checked like all input from outside. */

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct bw_peer {
	pid_t pid; /* in our PID namespace; 0 for a process that has no number here */
	uid_t uid;
};

#define BW_NO_USER ((uid_t) - 1)

struct bw_error *bw_peer_of(int sock, struct bw_peer *out) BW_MUST_CHECK;
/* also: one more user whom the caller has a reason to talk to, or BW_NO_USER. */
bool bw_peer_is_allowed(const struct bw_peer *p, uid_t also);
/* Like bw_peer_is_allowed, for an agent, which gives a debugger control of its program: a peer that
 * the kernel would let trace this process (ptrace(2): all of our user ids, and root alone where we
 * cannot be dumped). */
bool bw_peer_may_debug_us(const struct bw_peer *p);

#endif
