/* SPDX-License-Identifier: MIT */
/* Bytes from a hostile peer, as a buffer, through a socket, and through one in pieces: whatever
 * comes in must end in messages or in an error, and all three ways agree on which messages. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

/* Some bytes at a time, as many as the bytes themselves say; never waits. How many messages. */
static unsigned in_pieces(const uint8_t *data, size_t size_b)
{
	struct bw_msg_pieces p = BW_MSG_PIECES_INIT;
	struct bw_error *err = NULL;
	unsigned n = 0;
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	for (size_t at = 0; !err && at < size_b;) {
		size_t some = BW_MIN(size_b - at, (size_t)data[at] + 1);
		bool whole = true;
		if (send(pair[0], data + at, some, MSG_NOSIGNAL) != (ssize_t)some)
			abort();
		at += some;
		while (!err && whole) {
			err = bw_msg_recv_pieces(pair[1], &p, &whole);
			assert(!err || !whole);
			n += whole;
		}
	}
	bw_error_free(err);
	bw_msg_pieces_fini(&p);
	close(pair[0]);
	close(pair[1]);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	unsigned n = 0;
	size_b = BW_MIN(size_b, (size_t)32 << 10); /* what a socket buffers without a reader */
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 0;
	if (size_b && send(pair[0], data, size_b, MSG_NOSIGNAL) != (ssize_t)size_b) {
		close(pair[0]);
		close(pair[1]);
		return 0;
	}
	close(pair[0]);

	struct bw_msg m = BW_MSG_INIT;
	for (size_t at = 0;;) {
		struct bw_msg_header h = {0};
		size_t used = 0;
		struct bw_error *parse_err = bw_msg_parse(data + at, size_b - at, &h, &used);
		struct bw_error *recv_err = bw_msg_recv(pair[1], -1, &m);
		/* A descriptor is announced and cannot have come: only the socket knows. */
		bool whole = !parse_err && used && !(h.flags & BW_MSG_HAS_FD);
		assert(whole == !recv_err);
		if (whole) {
			assert(m.type == h.type && m.seq == h.seq && m.body_b == h.body_b);
			assert(!memcmp(m.body_b ? m.body : data,
				       m.body_b ? data + at + BW_MSG_HEADER_B : data, m.body_b));
			at += used;
			n++;
		}
		bw_error_free(parse_err);
		bw_error_free(recv_err);
		if (!whole)
			break;
	}
	bw_msg_fini(&m);
	close(pair[1]);
	assert(in_pieces(data, size_b) == n);
	return 0;
}
