/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CHANNEL_CHANNEL_H
#define BW_AGENT_CHANNEL_CHANNEL_H

/* The agent's end of a connection to a process that serves or watches the program: it says HELLO,
 * waits for the answer, and sends messages. One for captures and one for breadcrumbs; a debugger's,
 * which asks by itself, has a life of its own (agent/debugger). Nothing is locked here: calls for
 * one channel are made under its owner's lock. */

#include <stdbool.h>

#include "wire/message.h"

struct bw_channel {
	const char *what; /* "capture", for messages */
	enum bw_channel_state {
		BW_CHANNEL_UNTRIED,
		BW_CHANNEL_OPEN,
		BW_CHANNEL_ENDED, /* and is not tried again */
	} state;
	int sock; /* a descriptor of the agent's own; -1: none */
};

/* Connects to the socket at path, once. */
bool bw_channel_connect(struct bw_channel *c, const char *path);
/* Uses a connection that somebody else has made, as of now. Takes ownership of fd. */
void bw_channel_use(struct bw_channel *c, int fd);
/* Sends a message and waits for an answer of that type, which may bring a descriptor (*out_fd, the
 * caller's; -1: none; out_fd NULL: closed). n, parts: of the message. */
struct bw_channel_answer {
	uint16_t type;
	void *body; /* body_b bytes; NULL: any */
	size_t body_b;
	int *out_fd;
};
struct bw_error *bw_channel_ask(struct bw_channel *c, uint16_t type,
				const struct bw_msg_part *parts, size_t n,
				const struct bw_channel_answer *answer) BW_MUST_CHECK;
/* The first message, a bw_hello, and what answers it: its body begins with an int32, 0 or -errno
 * for a refusal. */
struct bw_error *bw_channel_greet(struct bw_channel *c, uint16_t type, uint32_t version,
				  const struct bw_channel_answer *answer) BW_MUST_CHECK;
/* Logs why, and closes. */
void bw_channel_end(struct bw_channel *c, const struct bw_error *why);
/* In a forked child, which makes one of its own. */
void bw_channel_fork_child(struct bw_channel *c);

#endif
