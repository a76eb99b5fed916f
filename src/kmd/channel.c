/* SPDX-License-Identifier: MIT */
#include "kmd/client_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"

enum { CHANNELS_MAX = 1024 };

static void sock_close(struct bw_vgpu_client *c, int fd)
{
	if (c->hooks.fd_close)
		c->hooks.fd_close(&fd);
	else if (fd >= 0)
		close(fd);
}

static void channel_free(struct bw_vgpu_client *c, struct bw_vgpu_channel *ch)
{
	sock_close(c, ch->sock);
	bw_msg_fini(&ch->in);
	free(ch->scratch);
	free(ch);
}

void bw_vgpu_mark_gone(struct bw_vgpu_client *c)
{
	if (!atomic_exchange(&c->gone, true) && c->hooks.gone)
		c->hooks.gone();
}

/* The error when no server can be reached, with what can be done. */
static struct bw_error *connect_error(struct bw_vgpu_client *c, struct bw_error *err)
{
	if (err->errnum != ECONNREFUSED && err->errnum != ENOENT)
		return err;
	bw_error_free(err);
	return bw_errorf(
		BW_E_NOT_FOUND,
		"no server listens on %s any more. Without " BW_VGPU_SOCKET_ENV
		" in the environment breakwater starts one by itself; \"breakwater vgpu serve\" "
		"starts one that stays",
		c->path);
}

bool bw_vgpu_is_interrupted(const struct bw_error *err)
{
	return err->code == BW_E_INTERRUPTED || err->errnum == EINTR;
}

/* Connects and says HELLO; the first reply fills c->hello. */
static struct bw_error *handshake(struct bw_vgpu_client *c, int *out_sock)
{
	int sock = -1;
	struct bw_peer peer;
	struct bw_error *err = bw_sock_connect(c->path, c->hooks.server_user, &sock);
	if (err)
		return connect_error(c, err);
	if (c->hooks.fd_keep)
		sock = c->hooks.fd_keep(sock);

	struct bw_vgpu_hello hello = {.version = BW_VGPU_PROTO_VERSION,
				      .pid = (uint32_t)getpid(),
				      .client = c->hello.client};
	_cleanup_close_ int comm = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = comm < 0 ? -1 : read(comm, hello.comm, sizeof(hello.comm) - 1);
	if (n > 0 && hello.comm[n - 1] == '\n')
		hello.comm[n - 1] = 0;

	struct bw_msg reply = BW_MSG_INIT;
	struct bw_msg_part part = {&hello, sizeof(hello)};
	err = bw_peer_of(sock, &peer);
	if (!err)
		err = bw_msg_send(sock, BW_VGPU_HELLO, 1, &part, 1, -1);
	if (!err)
		/* A server that has answered before may be stopped, and continue later. */
		err = bw_msg_recv(sock, c->hello.client ? -1 : 10000, &reply);
	struct bw_vgpu_hello_reply got = {0};
	if (!err && (reply.type != (BW_VGPU_HELLO | BW_VGPU_REPLY) || reply.body_b < sizeof(got)))
		err = bw_errorf(BW_E_INVALID, "%s does not speak the virtual GPU's protocol",
				c->path);
	if (!err) {
		memcpy(&got, reply.body, sizeof(got));
		got.pci_address[sizeof(got.pci_address) - 1] = 0;
		got.root[sizeof(got.root) - 1] = 0;
		if (got.version != BW_VGPU_PROTO_VERSION)
			err = bw_errorf(BW_E_UNSUPPORTED,
					"the virtual GPU at %s is %s than this program: it speaks "
					"version %u of the protocol, not %d. Start it again, from "
					"the same installation",
					c->path,
					got.version < BW_VGPU_PROTO_VERSION ? "older" : "newer",
					got.version, BW_VGPU_PROTO_VERSION);
		else if (got.result)
			err = bw_error_errno(-got.result,
					     "the virtual GPU at %s refuses this process", c->path);
	}
	bw_msg_fini(&reply);
	if (err) {
		sock_close(c, sock);
		return err;
	}
	if (!c->hello.client) {
		c->hello = got;
		c->server = peer.pid;
	}
	*out_sock = sock;
	return NULL;
}

struct bw_error *bw_vgpu_client_open(const char *socket_path,
				     const struct bw_vgpu_client_hooks *hooks,
				     struct bw_vgpu_client **out)
{
	struct bw_vgpu_client *c = calloc(1, sizeof(*c));
	if (!c)
		return bw_error_nomem();
	c->liveness = -1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->idle, NULL);
	if (hooks)
		c->hooks = *hooks;
	struct bw_error *err = NULL;
	c->path = strdup(socket_path);
	if (!c->path)
		err = bw_error_nomem();
	else
		err = handshake(c, &c->liveness);
	if (err) {
		bw_vgpu_client_close(c);
		return bw_error_wrap(err, "cannot reach the virtual GPU");
	}
	*out = c;
	return NULL;
}

void bw_vgpu_client_close(struct bw_vgpu_client *c)
{
	if (!c)
		return;
	bw_vec_each(&c->channels, it)
		channel_free(c, *it);
	bw_vec_free(&c->channels);
	sock_close(c, c->liveness);
	pthread_cond_destroy(&c->idle);
	pthread_mutex_destroy(&c->lock);
	free(c->path);
	free(c);
}

const struct bw_vgpu_hello_reply *bw_vgpu_client_hello(const struct bw_vgpu_client *c)
{
	return &c->hello;
}

bool bw_vgpu_client_is_gone(const struct bw_vgpu_client *c)
{
	return atomic_load(&((struct bw_vgpu_client *)c)->gone);
}

pid_t bw_vgpu_client_server_pid(const struct bw_vgpu_client *c)
{
	return c->server;
}

int bw_vgpu_client_liveness_fd(const struct bw_vgpu_client *c)
{
	return c->liveness;
}

void bw_vgpu_client_fork_prepare(struct bw_vgpu_client *c)
{
	pthread_mutex_lock(&c->lock);
}

void bw_vgpu_client_fork_parent(struct bw_vgpu_client *c)
{
	pthread_mutex_unlock(&c->lock);
}

/* The child's copies of the sockets are the parent's streams: two processes on one stream would mix
 * their messages. Threads that were inside a call do not exist here, so every channel can go. */
void bw_vgpu_client_fork_child(struct bw_vgpu_client *c)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->idle, NULL);
	c->is_kept = false;
	bw_vec_each(&c->channels, it)
		channel_free(c, *it);
	bw_vec_free(&c->channels);
	sock_close(c, c->liveness);
	c->liveness = -1;
}

/* Lock held. */
static struct bw_vgpu_channel *take_idle(struct bw_vgpu_client *c)
{
	bw_vec_each(&c->channels, it) {
		if (!(*it)->busy) {
			(*it)->busy = true;
			return *it;
		}
	}
	return NULL;
}

/* Called after bw_vgpu_client_keep(). False: there is no channel to wait for. */
static bool wait_idle(struct bw_vgpu_client *c, struct bw_vgpu_channel **out)
{
	struct bw_vgpu_channel *idle = NULL;
	pthread_mutex_lock(&c->lock);
	while (c->is_kept && c->channels.len && !(idle = take_idle(c)))
		pthread_cond_wait(&c->idle, &c->lock);
	pthread_mutex_unlock(&c->lock);
	if (idle)
		*out = idle;
	return idle;
}

int bw_vgpu_acquire(struct bw_vgpu_client *c, struct bw_vgpu_channel **out)
{
	if (atomic_load(&c->gone))
		return -ENODEV;
	pthread_mutex_lock(&c->lock);
	struct bw_vgpu_channel *idle = take_idle(c);
	size_t n = c->channels.len;
	pthread_mutex_unlock(&c->lock);
	if (idle) {
		*out = idle;
		return 0;
	}
	if (n >= CHANNELS_MAX)
		return -EMFILE;

	struct bw_vgpu_channel *ch = calloc(1, sizeof(*ch));
	if (!ch)
		return -ENOMEM;
	ch->sock = -1;
	ch->in.fd = -1;
	ch->busy = true;
	_cleanup_error_ struct bw_error *err = handshake(c, &ch->sock);
	if (err) {
		BW_LOG(WARN, "kmd", "new channel: %s", err->message);
		bool no_fds = err->code == BW_E_SYSTEM &&
			      (err->errnum == EMFILE || err->errnum == ENFILE);
		free(ch);
		if (wait_idle(c, out))
			return 0;
		if (bw_vgpu_is_interrupted(err))
			return -EINTR;
		if (no_fds)
			return -EMFILE;
		bw_vgpu_mark_gone(c);
		return -ENODEV;
	}
	pthread_mutex_lock(&c->lock);
	_cleanup_error_ struct bw_error *full = bw_vec_push(&c->channels, ch);
	pthread_mutex_unlock(&c->lock);
	if (full) {
		channel_free(c, ch);
		return -ENOMEM;
	}
	*out = ch;
	return 0;
}

void bw_vgpu_release(struct bw_vgpu_client *c, struct bw_vgpu_channel *ch)
{
	if (ch->in.fd >= 0) { /* no caller expects a descriptor */
		close(ch->in.fd);
		ch->in.fd = -1;
	}
	pthread_mutex_lock(&c->lock);
	ch->busy = false;
	pthread_cond_signal(&c->idle);
	pthread_mutex_unlock(&c->lock);
}

void bw_vgpu_client_keep(struct bw_vgpu_client *c)
{
	enum { KEPT = 4 }; /* a thread that waits for a fence has one for itself */
	struct bw_vgpu_channel *ch[KEPT];
	unsigned n = 0;
	while (n < KEPT && !c->is_kept && !bw_vgpu_acquire(c, &ch[n]))
		n++;
	for (unsigned i = 0; i < n; i++)
		bw_vgpu_release(c, ch[i]);
	pthread_mutex_lock(&c->lock);
	c->is_kept |= n > 0;
	pthread_mutex_unlock(&c->lock);
}

void bw_vgpu_discard(struct bw_vgpu_client *c, struct bw_vgpu_channel *ch)
{
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->channels.len; i++) {
		if (c->channels.data[i] == ch) {
			bw_vec_remove(&c->channels, i);
			break;
		}
	}
	pthread_cond_broadcast(&c->idle); /* perhaps there is none left to wait for */
	pthread_mutex_unlock(&c->lock);
	channel_free(c, ch);
}
