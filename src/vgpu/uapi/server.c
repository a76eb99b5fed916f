/* SPDX-License-Identifier: MIT */
/* Connections: one thread each, one request at a time. A client is the connections of one process;
 * its files are closed with the last connection, even in the middle of a call. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/server_priv.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

/* ---- asking the program during a call ---- */

bool bw_conn_ask(struct bw_conn *c, uint16_t type, const struct bw_msg_part *parts, size_t n_parts,
		 struct bw_msg **out_reply)
{
	if (c->broken)
		return false;
	struct bw_error *err = bw_msg_send(c->sock, type, c->seq, parts, n_parts, -1);
	if (!err)
		err = bw_msg_recv(c->sock, -1, &c->answer);
	if (!err && (c->answer.type != (type | BW_VGPU_REPLY) || c->answer.seq != c->seq))
		err = bw_errorf(BW_E_INVALID, "message %u in place of the answer to %u",
				c->answer.type, type);
	if (err) {
		BW_LOG(INFO, "uapi", "asking for user memory: %s", err->message);
		bw_error_free(err);
		c->broken = true;
		return false;
	}
	*out_reply = &c->answer;
	return true;
}

bool bw_conn_gone(struct bw_conn *c)
{
	struct pollfd p = {.fd = c->sock, .events = POLLRDHUP};
	return c->broken ||
	       (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)));
}

int bw_conn_pid(struct bw_conn *c)
{
	struct bw_peer peer = {0};
	bw_error_free(bw_peer_of(c->sock, &peer));
	return BW_MAX((int)peer.pid, 0);
}

bool bw_conn_capable(struct bw_conn *c, unsigned cap)
{
	char path[64], line[256];
	unsigned long long caps = 0;
	int pid = bw_conn_pid(c);
	if (!pid)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (status)
		fclose(status);
	return caps >> cap & 1;
}

/* ---- life of a connection ---- */

static void client_gone(struct bw_uapi *u, struct bw_client *client)
{
	BW_LOG(INFO, "uapi", "client %s pid %d has gone", client->comm, client->pid);
	bw_ids_each(&client->files, i)
		bw_client_file_unref(u, client->files.slot[i]);
	bw_ids_fini(&client->files);
	bw_kfd_destroy(client->kfd);
	pthread_mutex_lock(&u->lock);
	bw_drm_account_unref(client->account);
	pthread_mutex_unlock(&u->lock);
	free(client);
}

static void disconnect(struct bw_conn *c)
{
	struct bw_uapi *u = c->u;
	struct bw_client *client = c->client;
	pthread_mutex_lock(&u->lock);
	bool last = client && !--client->n_connections;
	for (size_t i = 0; last && i < u->clients.len; i++) {
		if (u->clients.data[i] == client) {
			bw_vec_remove_fast(&u->clients, i);
			break;
		}
	}
	pthread_mutex_unlock(&u->lock);
	if (last)
		client_gone(u, client);
	/* Done while this connection still counts, as the driver may be destroyed when there is
	 * none. */
	bw_uapi_tell_clients(u);

	pthread_mutex_lock(&u->lock);
	for (size_t i = 0; i < u->socks.len; i++) {
		if (u->socks.data[i] == c->sock) {
			bw_vec_remove_fast(&u->socks, i);
			break;
		}
	}
	close(c->sock);
	u->n_connections--;
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
}

static void count_connection(struct bw_uapi *u)
{
	pthread_mutex_lock(&u->lock);
	u->n_connections++;
	pthread_mutex_unlock(&u->lock);
}

/* Serves a connection that is counted already. */
static void serve(struct bw_uapi *u, int sock)
{
	struct bw_conn c = {.u = u, .sock = sock, .request = BW_MSG_INIT, .answer = BW_MSG_INIT};
	fcntl(sock, F_SETFL, fcntl(sock, F_GETFL) & ~O_NONBLOCK);
	pthread_mutex_lock(&u->lock);
	struct bw_error *err = u->stopping ? bw_errorf(BW_E_GONE, "the server is stopping")
					   : bw_vec_push(&u->socks, sock);
	pthread_mutex_unlock(&u->lock);
	while (!err && !c.broken) {
		err = bw_msg_recv(sock, -1, &c.request);
		if (!err)
			bw_conn_handle(&c);
	}
	if (err && err->code != BW_E_GONE)
		BW_LOG(WARN, "uapi", "a connection is closed: %s", err->message);
	bw_error_free(err);
	bw_msg_fini(&c.request);
	bw_msg_fini(&c.answer);
	disconnect(&c);
}

void bw_uapi_serve(struct bw_uapi *u, int sock)
{
	count_connection(u);
	serve(u, sock);
}

struct connection {
	struct bw_uapi *u;
	int sock;
};

static void *serve_connection(void *arg)
{
	struct connection c = *(struct connection *)arg;
	free(arg);
	serve(c.u, c.sock);
	return NULL;
}

struct bw_error *bw_uapi_serve_on_thread(struct bw_uapi *u, int sock)
{
	struct connection *c = malloc(sizeof(*c));
	pthread_t thread;
	if (!c) {
		close(sock);
		return bw_error_nomem();
	}
	*c = (struct connection){u, sock};
	/* Counted before there is a thread: the driver may be destroyed before that runs. */
	count_connection(u);
	int r = pthread_create(&thread, NULL, serve_connection, c);
	if (!r) {
		pthread_detach(thread);
		return NULL;
	}
	free(c);
	close(sock);
	pthread_mutex_lock(&u->lock);
	u->n_connections--;
	pthread_mutex_unlock(&u->lock);
	return bw_error_errno(r, "no thread for a connection");
}

void bw_uapi_tell_clients(struct bw_uapi *u)
{
	if (u->on_clients)
		u->on_clients(u->on_clients_cookie);
}

void bw_uapi_clients(struct bw_uapi *u, unsigned *out_now, uint64_t *out_ever)
{
	pthread_mutex_lock(&u->lock);
	*out_now = (unsigned)u->clients.len;
	*out_ever = u->clients_ever;
	pthread_mutex_unlock(&u->lock);
}

void bw_uapi_on_clients(struct bw_uapi *u, void (*fn)(void *cookie), void *cookie)
{
	u->on_clients_cookie = cookie;
	u->on_clients = fn;
}
