/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CHANNEL_LISTEN_H
#define BW_AGENT_CHANNEL_LISTEN_H

/* Debuggers and captures that come to a program already running (`breakwater attach PID`, `capture
 * --pid`). A program started by `breakwater exec` listens on a name of its own (BW_AGENT_NAME in
 * wire/agent_proto.h) from when it opens the GPU. Only a peer that may trace this process anyway is
 * accepted (wire/peer.h), and connections that send nothing do not block others. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The requests that a peer may make by a bw_agent_call. */
struct bw_service {
	uint32_t magic, version;
	/* Takes ownership of fd, which the program does not see, and answers: by
	 * bw_listen_answer, or by bw_listen_accept where it keeps fd. Called by the listening
	 * thread. */
	void (*take)(int fd);
};

/* Begins to listen, once. services: n of them, static. */
void bw_listen_start(const struct bw_service *services, size_t n);
/* r: -errno; takes fd. */
void bw_listen_answer(int fd, int32_t r);
/* Says 0; false: the peer has gone already. The connection stays the caller's. */
bool bw_listen_accept(int fd);
/* In a forked child: the name is its parent's. */
void bw_listen_fork_child(void);

#endif
