/* SPDX-License-Identifier: MIT */
#include "wire/message.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"

static int pair[2];

static int make_pair(void **state)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static void must(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void must_fail(struct bw_error *err, enum bw_error_code code)
{
	assert_non_null(err);
	if (err->code != code)
		fail_msg("code %d, not %d: %s", err->code, code, err->message);
	bw_error_free(err);
}

static void send_bytes(const void *bytes, size_t n)
{
	assert_int_equal(send(pair[0], bytes, n, MSG_NOSIGNAL), n);
}

static unsigned open_fds(void)
{
	unsigned n = 0;
	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void parts_arrive_as_one_body(void **state)
{
	struct bw_msg m = BW_MSG_INIT;
	const struct bw_msg_part parts[] = {{"abc", 3}, {NULL, 0}, {"defg", 4}};
	must(bw_msg_send(pair[0], 7, 42, parts, 3, -1));
	must(bw_msg_send(pair[0], 8, 43, NULL, 0, -1));
	must(bw_msg_recv(pair[1], -1, &m));
	assert_int_equal(m.type, 7);
	assert_int_equal(m.seq, 42);
	assert_int_equal(m.body_b, 7);
	assert_memory_equal(m.body, "abcdefg", 7);
	assert_int_equal(m.fd, -1);
	must(bw_msg_recv(pair[1], 1000, &m));
	assert_int_equal(m.type, 8);
	assert_int_equal(m.body_b, 0);
	bw_msg_fini(&m);
}

static void the_header_is_the_documented_one(void **state)
{
	must(bw_msg_send(pair[0], 0x8004, 0x01020304, &(struct bw_msg_part){"xy", 2}, 1, -1));
	uint8_t bytes[18];
	assert_int_equal(recv(pair[1], bytes, sizeof(bytes), MSG_WAITALL), 18);
	static const uint8_t expected[18] = {'B', 'r', 'A', 'K', 4, 0x80, 0, 0,	  4,
					     3,	  2,   1,   2,	 0, 0,	  0, 'x', 'y'};
	assert_memory_equal(bytes, expected, sizeof(expected));
}

static void a_descriptor_travels_with_its_message(void **state)
{
	unsigned before = open_fds();
	int pipe_fd[2];
	assert_int_equal(pipe(pipe_fd), 0);
	struct bw_msg m = BW_MSG_INIT;
	must(bw_msg_send(pair[0], 1, 1, &(struct bw_msg_part){"a", 1}, 1, pipe_fd[1]));
	must(bw_msg_send(pair[0], 2, 2, NULL, 0, -1));
	must(bw_msg_recv(pair[1], -1, &m));
	assert_true(m.fd >= 0);
	assert_true(fcntl(m.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(m.fd, "z", 1), 1);
	char c = 0;
	assert_int_equal(read(pipe_fd[0], &c, 1), 1);
	assert_int_equal(c, 'z');
	must(bw_msg_recv(pair[1], -1, &m)); /* closes the first message's descriptor */
	assert_int_equal(m.fd, -1);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	bw_msg_fini(&m);
	assert_int_equal(open_fds(), before);
}

/* One byte with n descriptors in the control data of a raw sendmsg. */
static void send_with_fds(const void *bytes, size_t size_b, unsigned n)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec iov = {(void *)bytes, size_b};
	struct msghdr mh = {.msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int))};
	control.align = (struct cmsghdr){CMSG_LEN(n * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	for (unsigned i = 0; i < n; i++)
		memcpy(CMSG_DATA(&control.align) + i * sizeof(int), &pair[0], sizeof(int));
	assert_int_equal(sendmsg(pair[0], &mh, MSG_NOSIGNAL), size_b);
}

static void wrong_descriptors_are_refused_and_closed(void **state)
{
	struct bw_msg_header h = {BW_MSG_MAGIC, 1, 0, 1, 0};
	unsigned before = open_fds();
	struct bw_msg m = BW_MSG_INIT;
	send_with_fds(&h, sizeof(h), 1); /* not announced */
	must_fail(bw_msg_recv(pair[1], -1, &m), BW_E_INVALID);
	h.flags = BW_MSG_HAS_FD;
	send_with_fds(&h, sizeof(h), 2);
	must_fail(bw_msg_recv(pair[1], -1, &m), BW_E_INVALID);
	assert_int_equal(open_fds(), before);
}

static void an_announced_descriptor_must_come(void **state)
{
	struct bw_msg_header h = {BW_MSG_MAGIC, 1, BW_MSG_HAS_FD, 1, 0};
	struct bw_msg m = BW_MSG_INIT;
	send_bytes(&h, sizeof(h));
	must_fail(bw_msg_recv(pair[1], -1, &m), BW_E_INVALID);
}

static void hostile_headers_are_refused(void **state)
{
	static const struct bw_msg_header bad[] = {
		{0x12345678, 1, 0, 1, 0},
		{BW_MSG_MAGIC, 1, 0, 1, BW_MSG_MAX_BODY_B + 1},
		{BW_MSG_MAGIC, 1, 0, 1, UINT32_MAX},
		{BW_MSG_MAGIC, 1, 2, 1, 0},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bw_msg m = BW_MSG_INIT;
		send_bytes(&bad[i], sizeof(bad[i]));
		must_fail(bw_msg_recv(pair[1], -1, &m), BW_E_INVALID);
		assert_int_equal(m.body_cap, 0); /* nothing was allocated for it */
		bw_msg_fini(&m);
	}
}

static void a_body_too_long_is_not_sent(void **state)
{
	must_fail(bw_msg_send(pair[0], 1, 1,
			      (struct bw_msg_part[]){{"", BW_MSG_MAX_BODY_B}, {"", 1}}, 2, -1),
		  BW_E_INVALID);
	must_fail(
		bw_msg_send(pair[0], 1, 1, (struct bw_msg_part[]){{"", 1}, {"", SIZE_MAX}}, 2, -1),
		BW_E_INVALID);
	char c;
	assert_int_equal(recv(pair[1], &c, 1, MSG_DONTWAIT), -1);
}

static void the_end_of_the_stream_is_gone(void **state)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_msg_header h = {BW_MSG_MAGIC, 1, 0, 1, 100};
	send_bytes(&h, sizeof(h));
	send_bytes("only a part", 11);
	shutdown(pair[0], SHUT_WR);
	must_fail(bw_msg_recv(pair[1], -1, &m), BW_E_GONE);
	must_fail(bw_msg_recv(pair[1], -1, &m), BW_E_GONE);
	close(pair[1]);
	pair[1] = -1;
	must_fail(bw_msg_send(pair[0], 1, 1, NULL, 0, -1), BW_E_GONE);
	bw_msg_fini(&m);
}

static void a_timeout_leaves_the_stream_whole(void **state)
{
	struct bw_msg m = BW_MSG_INIT;
	must_fail(bw_msg_recv(pair[1], 20, &m), BW_E_TIMEOUT);
	must_fail(bw_msg_recv(pair[1], 0, &m), BW_E_TIMEOUT);
	must(bw_msg_send(pair[0], 9, 1, NULL, 0, -1));
	must(bw_msg_recv(pair[1], 0, &m));
	assert_int_equal(m.type, 9);
}

/* A header and eight bytes of body; the first byte is sent before the receiver looks. */
static void dribble_bytes(uint8_t bytes[24])
{
	struct bw_msg_header h = {BW_MSG_MAGIC, 3, 0, 5, 8};
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h), "12345678", 8);
}

static void *dribble(void *arg)
{
	uint8_t bytes[24];
	dribble_bytes(bytes);
	for (size_t i = 1; i < sizeof(bytes); i++) {
		usleep(1000);
		send(pair[0], bytes + i, 1, MSG_NOSIGNAL);
	}
	return NULL;
}

static void bytes_may_come_one_at_a_time(void **state)
{
	pthread_t thread;
	struct bw_msg m = BW_MSG_INIT;
	uint8_t bytes[24];
	dribble_bytes(bytes);
	send(pair[0], bytes, 1, MSG_NOSIGNAL);
	pthread_create(&thread, NULL, dribble, NULL);
	/* shorter than the whole takes: it has begun, so it is waited for */
	must(bw_msg_recv(pair[1], 2, &m));
	pthread_join(thread, NULL);
	assert_int_equal(m.body_b, 8);
	assert_memory_equal(m.body, "12345678", 8);
	bw_msg_fini(&m);
}

/* Byte by byte, nothing is waited for; a descriptor comes with its message, and goes with the next
 * one. */
static void pieces_never_wait(void **state)
{
	struct bw_msg_pieces p = BW_MSG_PIECES_INIT;
	unsigned before = open_fds();
	uint8_t bytes[24];
	bool whole = true;
	dribble_bytes(bytes);
	must(bw_msg_recv_pieces(pair[1], &p, &whole));
	assert_false(whole);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		send_bytes(bytes + i, 1);
		must(bw_msg_recv_pieces(pair[1], &p, &whole));
		assert_int_equal(whole, i + 1 == sizeof(bytes));
	}
	assert_int_equal(p.msg.type, 3);
	assert_int_equal(p.msg.seq, 5);
	assert_int_equal(p.msg.body_b, 8);
	assert_memory_equal(p.msg.body, "12345678", 8);
	/* two at once are taken one at a time */
	must(bw_msg_send(pair[0], 4, 6, NULL, 0, pair[0]));
	must(bw_msg_send(pair[0], 5, 7, &(struct bw_msg_part){"xy", 2}, 1, -1));
	must(bw_msg_recv_pieces(pair[1], &p, &whole));
	assert_true(whole && p.msg.type == 4 && p.msg.body_b == 0 && p.msg.fd >= 0);
	must(bw_msg_recv_pieces(pair[1], &p, &whole));
	assert_true(whole && p.msg.type == 5 && p.msg.body_b == 2 && p.msg.fd < 0);
	assert_memory_equal(p.msg.body, "xy", 2);
	assert_int_equal(open_fds(), before);
	/* bytes that are no message; an end in the middle of one */
	send_bytes("nonsense, long enough", 21);
	must_fail(bw_msg_recv_pieces(pair[1], &p, &whole), BW_E_INVALID);
	bw_msg_pieces_fini(&p);
}

static void pieces_end_with_the_stream(void **state)
{
	struct bw_msg_pieces p = BW_MSG_PIECES_INIT;
	struct bw_msg_header h = {BW_MSG_MAGIC, 1, 0, 1, 100};
	bool whole = true;
	send_bytes(&h, sizeof(h));
	send_bytes("only a part", 11);
	must(bw_msg_recv_pieces(pair[1], &p, &whole));
	assert_false(whole);
	shutdown(pair[0], SHUT_WR);
	must_fail(bw_msg_recv_pieces(pair[1], &p, &whole), BW_E_GONE);
	bw_msg_pieces_fini(&p);
}

static void *send_large(void *arg)
{
	return bw_msg_send(pair[0], 4, 1, arg, 2, -1);
}

static void a_large_body_is_sent_in_pieces(void **state)
{
	enum { HALF = BW_MSG_MAX_BODY_B / 2 };
	uint8_t *bytes = malloc(HALF);
	for (size_t i = 0; i < HALF; i++)
		bytes[i] = (uint8_t)(i * 31 + (i >> 12));
	/* A small, non-blocking sender: every send is partial. */
	int small = 4096;
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	struct bw_msg_part parts[] = {{bytes, HALF}, {bytes, HALF}};
	pthread_t thread;
	pthread_create(&thread, NULL, send_large, parts);
	struct bw_msg m = BW_MSG_INIT;
	must(bw_msg_recv(pair[1], -1, &m));
	void *result;
	pthread_join(thread, &result);
	must(result);
	assert_int_equal(m.body_b, BW_MSG_MAX_BODY_B);
	assert_memory_equal(m.body, bytes, HALF);
	assert_memory_equal(m.body + HALF, bytes, HALF);
	bw_msg_fini(&m);
	free(bytes);
}

static void parse_wants_the_whole_message(void **state)
{
	struct bw_msg_header h = {BW_MSG_MAGIC, 1, 0, 1, 4}, got;
	uint8_t bytes[20] = {0};
	memcpy(bytes, &h, sizeof(h));
	size_t used;
	for (size_t n = 0; n < sizeof(bytes); n++) {
		must(bw_msg_parse(bytes, n, &got, &used));
		assert_int_equal(used, 0);
	}
	must(bw_msg_parse(bytes, sizeof(bytes), &got, &used));
	assert_int_equal(used, 20);
	assert_int_equal(got.body_b, 4);
}

static void says(struct bw_error *err, const char *what)
{
	assert_non_null(err);
	if (!strstr(err->message, what))
		fail_msg("\"%s\" does not say \"%s\"", err->message, what);
	bw_error_free(err);
}

static void sockets_by_path(void **state)
{
	char path[64], longer[200];
	snprintf(path, sizeof(path), "/tmp/bw-test-wire-%d", getpid());
	int listening = -1, client = -1;
	must_fail(bw_sock_connect(path, BW_NO_USER, &client), BW_E_SYSTEM);
	must(bw_sock_listen(path, &listening));
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	says(bw_sock_listen(path, &client), "in use: choose another path");
	must(bw_sock_connect(path, BW_NO_USER, &client));
	int server = -1;
	struct bw_peer peer;
	must(bw_sock_accept(listening, &server, &peer));
	assert_int_equal(peer.pid, getpid());
	assert_int_equal(peer.uid, geteuid());
	struct bw_msg m = BW_MSG_INIT;
	must(bw_msg_send(client, 5, 1, NULL, 0, -1));
	must(bw_msg_recv(server, -1, &m));
	assert_int_equal(m.type, 5);
	close(server);
	close(client);
	close(listening);
	says(bw_sock_listen(path, &listening), "remove it (rm ");
	unlink(path);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	must_fail(bw_sock_listen(longer, &listening), BW_E_INVALID);
	must_fail(bw_sock_connect(longer, BW_NO_USER, &client), BW_E_INVALID);
}

TESTS_EACH(make_pair, close_pair, parts_arrive_as_one_body, the_header_is_the_documented_one,
	   a_descriptor_travels_with_its_message, wrong_descriptors_are_refused_and_closed,
	   an_announced_descriptor_must_come, hostile_headers_are_refused,
	   a_body_too_long_is_not_sent, the_end_of_the_stream_is_gone,
	   a_timeout_leaves_the_stream_whole, bytes_may_come_one_at_a_time, pieces_never_wait,
	   pieces_end_with_the_stream, a_large_body_is_sent_in_pieces);
TESTS(parse_wants_the_whole_message, sockets_by_path);
