/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_MESSAGE_H
#define BW_WIRE_MESSAGE_H

/* Message framing on a Unix stream socket: a 16-byte header, a body, and at most one file
 * descriptor with it. Both ends may be hostile: lengths are checked before anything is allocated.
 * One thread at a time for each direction of a socket. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/peer.h"

enum { BW_MSG_MAGIC = 0x4b417242, /* "BrAK" */ BW_MSG_MAX_BODY_B = 16 << 20, BW_MSG_HEADER_B = 16 };

struct bw_msg_header {
	uint32_t magic;
	uint16_t type;	/* of vgpu_proto.h or agent_proto.h */
	uint16_t flags; /* BW_MSG_HAS_FD */
	uint32_t seq;	/* a reply carries its request's; events carry 0 */
	uint32_t body_b;
};
enum { BW_MSG_HAS_FD = 1 };

struct bw_msg {
	uint16_t type;
	uint32_t seq;
	uint32_t body_b;
	uint8_t *body; /* owned; reused by the next receive into the same struct */
	size_t body_cap;
	int fd; /* owned, -1 if none */
};
#define BW_MSG_INIT {.fd = -1}
void bw_msg_fini(struct bw_msg *m);

/* parts: the body in pieces, so that a struct and a payload need no copy. fd: -1 or borrowed.
 * A peer that has closed is BW_E_GONE; SIGPIPE is never raised. */
struct bw_msg_part {
	const void *data;
	size_t size_b;
};
/* BW_E_INTERRUPTED: given up (base/wait.h) before a byte was sent. */
struct bw_error *bw_msg_send(int sock, uint16_t type, uint32_t seq, const struct bw_msg_part *parts,
			     size_t n_parts, int fd) BW_MUST_CHECK;
/* One of up to 1024 bytes that never waits: BW_E_INVALID where the peer has left so many answers
 * unread that there may be no room. part: NULL for an empty body. */
struct bw_error *bw_msg_answer(int sock, uint16_t type, uint32_t seq,
			       const struct bw_msg_part *part, int fd) BW_MUST_CHECK;
/* Waits for one whole message. timeout_ms < 0: for ever. BW_E_TIMEOUT, and BW_E_INTERRUPTED (the
 * wait was given up, base/wait.h): none has begun, and the stream is as it was; a peer that falls
 * silent inside a message is BW_E_GONE. After any other error the stream has lost its place: close
 * it. A wait that was given up inside of a message is BW_E_GONE with errnum EINTR. */
struct bw_error *bw_msg_recv(int sock, int timeout_ms, struct bw_msg *out_msg) BW_MUST_CHECK;

/* A message of which a part has come: what a server of several peers keeps for each of them, so
 * that none can make it wait. */
struct bw_msg_pieces {
	uint8_t header[BW_MSG_HEADER_B];
	size_t got_b; /* of header and body */
	struct bw_msg msg;
};
#define BW_MSG_PIECES_INIT {.msg = BW_MSG_INIT}
void bw_msg_pieces_fini(struct bw_msg_pieces *p);
/* Reads what is there of the next message, up to its end, and never waits. *out_whole: pieces->msg
 * is it, until the next call. After an error the stream has lost its place: close it; BW_E_GONE:
 * the peer has closed. */
struct bw_error *bw_msg_recv_pieces(int sock, struct bw_msg_pieces *pieces,
				    bool *out_whole) BW_MUST_CHECK;

/* The header at the start of `bytes`, checked. out_used: length of the whole message, 0 when there
 * are fewer bytes than that. */
struct bw_error *bw_msg_parse(const void *bytes, size_t size_b, struct bw_msg_header *out_header,
			      size_t *out_used) BW_MUST_CHECK;

/* Sockets by path (up to 107 bytes). Listening sockets are mode 0600. The rule of wire/peer.h must
 * allow the peer; another peer is an error, and nothing has been read or sent. also: one more user
 * to whom connecting is right, or BW_NO_USER. out_peer: may be NULL. */
struct bw_error *bw_sock_listen(const char *path, int *out_fd) BW_MUST_CHECK;
struct bw_error *bw_sock_accept(int listening, int *out_fd, struct bw_peer *out_peer) BW_MUST_CHECK;
struct bw_error *bw_sock_connect(const char *path, uid_t also, int *out_fd) BW_MUST_CHECK;

#endif
