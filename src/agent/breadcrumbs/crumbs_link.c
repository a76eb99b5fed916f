/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/breadcrumbs/crumbs_priv.h"
#include "base/cleanup.h"
#include "base/log.h"

static struct {
	pthread_mutex_t lock;
	enum { UNTRIED, OPEN, ENDED } state;
	int sock;
	struct bw_crumbs_go go;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .sock = -1};

static void end_connection(const struct bw_error *err)
{
	BW_LOG(WARN, "agent", "breadcrumbs: %s", err->message);
	bw_agent_fd_own(g.sock, false);
	REAL(close)(g.sock);
	g.sock = -1;
	g.state = ENDED;
}

static struct bw_error *greet(void)
{
	struct bw_crumbs_hello hello = {.version = BW_CRUMBS_VERSION, .pid = (uint32_t)getpid()};
	struct bw_msg_part part = {&hello, sizeof(hello)};
	struct bw_msg m = BW_MSG_INIT;
	pthread_getname_np(pthread_self(), hello.comm, sizeof(hello.comm));
	struct bw_error *err = bw_msg_send(g.sock, BW_CRUMBS_HELLO, 0, &part, 1, -1);
	if (!err)
		err = bw_msg_recv(g.sock, -1, &m);
	if (!err && (m.type != BW_CRUMBS_GO || m.body_b != sizeof(g.go)))
		err = bw_errorf(BW_E_INVALID, "the listener's answer is wrong");
	if (!err)
		memcpy(&g.go, m.body, sizeof(g.go));
	bw_msg_fini(&m);
	if (!err && g.go.result)
		err = bw_error_errno(-g.go.result, "they are refused");
	return err;
}

static void connect_once(void)
{
	int sock;
	g.state = ENDED;
	_cleanup_error_ struct bw_error *err =
		bw_sock_connect(bw_agent_config()->crumbs_socket, BW_NO_USER, &sock);
	if (err) {
		BW_LOG(WARN, "agent", "breadcrumbs: %s", err->message);
		return;
	}
	g.sock = bw_agent_fd_move_high(sock);
	bw_agent_fd_own(g.sock, true);
	g.state = OPEN;
	if ((err = greet()))
		end_connection(err);
}

const struct bw_crumbs_go *bw_crumbs_link(void)
{
	pthread_mutex_lock(&g.lock);
	if (g.state == UNTRIED)
		connect_once();
	bool is_open = g.state == OPEN;
	pthread_mutex_unlock(&g.lock);
	return is_open ? &g.go : NULL;
}

bool bw_crumbs_send(enum bw_crumbs_msg type, const struct bw_msg_part *parts, size_t n, int fd)
{
	pthread_mutex_lock(&g.lock);
	if (g.state == OPEN) {
		_cleanup_error_ struct bw_error *err =
			bw_msg_send(g.sock, (uint16_t)type, 0, parts, n, fd);
		if (err)
			end_connection(err);
	}
	bool is_open = g.state == OPEN;
	pthread_mutex_unlock(&g.lock);
	return is_open;
}

void bw_crumbs_link_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	if (g.state == OPEN) {
		bw_agent_fd_own(g.sock, false);
		REAL(close)(g.sock);
	}
	g.sock = -1;
	g.state = UNTRIED;
}
