/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CHANNEL_CHANNEL_H
#define BW_AGENT_CHANNEL_CHANNEL_H

/* The agent's connections to processes of ours, one for each service: debugger, capture,
 * breadcrumbs. There are two ways in which one comes about. The agent connects (bw_channel_dial)
 * where a process that has started the program offers the service: to the debugger when the program
 * opens a GPU, to the others at its first submission. Or a process comes to the running program,
 * and its first message names the service (listen.h). From then on they are alike: the agent says
 * bw_hello, by which the other side knows process and version.
 *
 * They are connections of their own since their other ends are different processes, each of which
 * may come, end or be killed while the others go on: a capture outlives the debugger. All three may
 * be there at the same time, one of each. A process whose connection ends without notice is treated
 * as one that has left. A forked child has none of them and begins anew; exec ends them, and the
 * new program's agent finds the same environment.
 *
 * struct bw_channel is for services that are asked and told by the agent alone. Nothing is locked
 * here: calls for one channel are made under its owner's lock. */

#include <stdbool.h>

#include "agent/agent.h"
#include "wire/hello.h"

enum { BW_CHANNEL_NOT_GIVEN = -1, BW_CHANNEL_IS_ANSWERED = -2, BW_CHANNEL_IN_USE = -3 };
struct bw_channel {
	enum bw_agent_offer service;
	enum bw_channel_state {
		BW_CHANNEL_UNTRIED,
		BW_CHANNEL_OPEN,
		BW_CHANNEL_ENDED, /* and is not dialled again */
	} state;
	int sock;	  /* a descriptor of the agent's own; -1: none */
	atomic_int given; /* a connection that has come, until it is used; or one of the above */
};
#define BW_CHANNEL_INIT(offer) {.service = (offer), .sock = -1, .given = BW_CHANNEL_NOT_GIVEN}

/* Connects to who offers the service: a descriptor of the agent's own; -1: nobody does, or is there
 * any more. */
int bw_channel_dial(enum bw_agent_offer service);
struct bw_hello bw_channel_hello(uint32_t version);

/* Whether somebody offers the service, or has come; without the lock. */
bool bw_channel_is_wanted(struct bw_channel *c);
/* A process has come to the running program (listen.h): answers it, and its connection is used from
 * the next bw_channel_open on. -EBUSY is the answer if the service is offered, or in use. Takes
 * ownership of fd. Without the lock. */
void bw_channel_take(struct bw_channel *c, int fd);
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
/* Opens it if it is not open, with the connection that has come, or by dialling once: says hello,
 * the message `type`, and waits for the answer, whose body begins with an int32, 0 or -errno for a
 * refusal. */
bool bw_channel_open(struct bw_channel *c, uint16_t type, uint32_t version,
		     const struct bw_channel_answer *answer);
/* Logs why, and closes. */
void bw_channel_end(struct bw_channel *c, const struct bw_error *why);
/* In a forked child, which makes one of its own. */
void bw_channel_fork_child(struct bw_channel *c);

#endif
