/* SPDX-License-Identifier: MIT */
#include "wire/peer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"
#include "wire/message.h"

enum { NOBODY = 65534 };

static char folder[64], path[80];

static int begin(void **state)
{
	strcpy(folder, "/tmp/bw-test-peer-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/s", folder);
	return chmod(folder, 0777);
}

static int end(void **state)
{
	unlink(path);
	return rmdir(folder);
}

static bool cannot_play(void)
{
	if (!geteuid())
		return false;
	print_message("skipped: only root can play the other user\n");
	return true;
}

static void says(struct bw_error *err, const char *what)
{
	assert_non_null(err);
	if (!strstr(err->message, what))
		fail_msg("\"%s\" does not say \"%s\"", err->message, what);
	bw_error_free(err);
}

static void the_rule(void **state)
{
	const uid_t other = geteuid() + 4711;
	assert_true(bw_peer_is_allowed(&(struct bw_peer){1, geteuid()}, BW_NO_USER));
	assert_true(bw_peer_is_allowed(&(struct bw_peer){1, 0}, BW_NO_USER));
	assert_false(bw_peer_is_allowed(&(struct bw_peer){1, other}, BW_NO_USER));
	assert_true(bw_peer_is_allowed(&(struct bw_peer){1, other}, other));
	assert_false(bw_peer_is_allowed(&(struct bw_peer){1, other + 1}, other));
	assert_false(bw_peer_is_allowed(&(struct bw_peer){1, BW_NO_USER}, BW_NO_USER));
	assert_true(bw_peer_may_debug_us(&(struct bw_peer){1, 0}));
	assert_false(bw_peer_may_debug_us(&(struct bw_peer){1, other}));
}

static void in_child(void (*fn)(void))
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void dropped(void)
{
	const struct bw_peer nobody = {1, NOBODY}, root = {1, 0};
	/* a daemon that was root: its memory may still hold what root knew */
	if (setresuid(NOBODY, NOBODY, NOBODY) || bw_peer_may_debug_us(&nobody) ||
	    !bw_peer_may_debug_us(&root))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	if (!bw_peer_may_debug_us(&nobody))
		_exit(2);
}

static void half_dropped(void)
{
	/* effective user nobody, saved user root: nobody's processes may not debug it */
	if (setresuid((uid_t)-1, NOBODY, 0))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	if (bw_peer_may_debug_us(&(struct bw_peer){1, NOBODY}))
		_exit(2);
}

static void who_was_root(void **state)
{
	if (cannot_play())
		return;
	in_child(dropped);
	in_child(half_dropped);
}

/* A server of another user, who sees whether a byte comes. */
static void listen_as_nobody(int ready)
{
	int fd = -1;
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    bw_sock_listen(path, &fd))
		_exit(1);
	if (write(ready, "", 1) != 1)
		_exit(1);
	int got = accept(fd, NULL, NULL);
	char byte;
	_exit(got < 0 || recv(got, &byte, 1, 0) != 0); /* closed without a byte */
}

static void a_foreign_server_hears_nothing(void **state)
{
	int ready[2], fd = -1, status;
	char byte;
	if (cannot_play())
		return;
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (!pid)
		listen_as_nobody(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	says(bw_sock_connect(path, BW_NO_USER, &fd), "belongs to another user (uid 65534)");
	assert_int_equal(fd, -1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(ready[1]);
}

static void where_there_is_a_reason(void **state)
{
	int ready[2], fd = -1;
	char byte;
	struct bw_peer peer;
	if (cannot_play())
		return;
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (!pid)
		listen_as_nobody(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_null(bw_sock_connect(path, NOBODY, &fd));
	assert_null(bw_peer_of(fd, &peer));
	assert_int_equal(peer.pid, pid);
	assert_int_equal(peer.uid, NOBODY);
	close(fd);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

static void a_foreign_client_is_not_heard(void **state)
{
	int listening = -1, fd = -1, status;
	if (cannot_play())
		return;
	assert_null(bw_sock_listen(path, &listening));
	assert_int_equal(chmod(path, 0666), 0);
	pid_t pid = fork();
	if (!pid) {
		char byte;
		int sock = -1;
		if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
		    bw_sock_connect(path, BW_NO_USER, &sock))
			_exit(1);
		send(sock, "hello", 5, MSG_NOSIGNAL);
		_exit(recv(sock, &byte, 1, 0) > 0);
	}
	says(bw_sock_accept(listening, &fd, NULL), "another user (uid 65534");
	assert_int_equal(fd, -1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(listening);
}

TESTS_EACH(begin, end, the_rule, who_was_root, a_foreign_server_hears_nothing,
	   where_there_is_a_reason, a_foreign_client_is_not_heard);
