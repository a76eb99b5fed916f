/* SPDX-License-Identifier: MIT */
#include "agent/channel/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/channel/listen.h"
#include "base/cleanup.h"
#include "base/log.h"

static const char *const names[] = {
	[BW_AGENT_DEBUGGER] = "debugger",
	[BW_AGENT_CAPTURE] = "capture",
	[BW_AGENT_CRUMBS] = "breadcrumbs",
};

int bw_channel_dial(enum bw_agent_offer service)
{
	char path[BW_AGENT_PATH_B];
	int sock;
	if (!bw_agent_offer_path(service, NULL, path))
		return -1;
	_cleanup_error_ struct bw_error *err = bw_sock_connect(path, BW_NO_USER, &sock);
	if (err)
		BW_LOG(WARN, "agent", "%s: %s", names[service], err->message);
	return err ? -1 : bw_agent_fd_keep(sock);
}

struct bw_hello bw_channel_hello(uint32_t version)
{
	struct bw_hello hello = {.version = version, .pid = (uint32_t)getpid()};
	_cleanup_close_ int fd = REAL(open64)("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : REAL(read)(fd, hello.comm, sizeof(hello.comm) - 1);
	if (n > 0 && hello.comm[n - 1] == '\n')
		hello.comm[n - 1] = '\0';
	return hello;
}

bool bw_channel_is_wanted(struct bw_channel *c)
{
	return bw_agent_config()->folders[c->service] ||
	       atomic_load(&c->given) != BW_CHANNEL_NOT_GIVEN;
}

void bw_channel_take(struct bw_channel *c, int fd)
{
	int none = BW_CHANNEL_NOT_GIVEN;
	if (bw_agent_config()->folders[c->service] ||
	    !atomic_compare_exchange_strong(&c->given, &none, BW_CHANNEL_IS_ANSWERED)) {
		bw_listen_answer(fd, -EBUSY);
		return;
	}
	/* only then may the program's threads say hello on it */
	if (!bw_listen_accept(fd))
		bw_agent_fd_close(&fd);
	atomic_store(&c->given, fd);
}

static struct bw_error *check(const struct bw_msg *m, const struct bw_channel_answer *answer)
{
	if (m->type == answer->type && (!answer->body || m->body_b == answer->body_b))
		return NULL;
	return bw_errorf(BW_E_INVALID, "the answer to it makes no sense");
}

struct bw_error *bw_channel_ask(struct bw_channel *c, uint16_t type,
				const struct bw_msg_part *parts, size_t n,
				const struct bw_channel_answer *answer)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = bw_msg_send(c->sock, type, 0, parts, n, -1);
	if (!err)
		err = bw_msg_recv(c->sock, -1, &m);
	if (!err)
		err = check(&m, answer);
	if (!err && answer->body)
		memcpy(answer->body, m.body, answer->body_b);
	if (!err && answer->out_fd)
		*answer->out_fd = bw_take_fd(m.fd);
	bw_msg_fini(&m);
	return err;
}

static struct bw_error *greet(struct bw_channel *c, uint16_t type, uint32_t version,
			      const struct bw_channel_answer *answer)
{
	const struct bw_hello hello = bw_channel_hello(version);
	const struct bw_msg_part part = {&hello, sizeof(hello)};
	int32_t result;
	BW_TRY(bw_channel_ask(c, type, &part, 1, answer));
	memcpy(&result, answer->body, sizeof(result));
	return result ? bw_error_errno(-result, "it is refused") : NULL;
}

/* The connection that was given; < 0: none. The other side knows that it was taken a moment before
 * it is here: a call of the program in between is not to be left out. */
static int given_to(struct bw_channel *c)
{
	enum { TRIES = 10000, SLEEP_NS = 100000 };
	for (unsigned i = 0; i < TRIES && atomic_load(&c->given) == BW_CHANNEL_IS_ANSWERED; i++)
		REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = SLEEP_NS},
				      NULL);
	return atomic_load(&c->given); /* nobody else takes it away: the lock is held */
}

bool bw_channel_open(struct bw_channel *c, uint16_t type, uint32_t version,
		     const struct bw_channel_answer *answer)
{
	if (c->state == BW_CHANNEL_OPEN)
		return true;
	c->sock = given_to(c);
	if (c->sock >= 0)
		atomic_store(&c->given, BW_CHANNEL_IN_USE);
	else
		c->sock = c->state == BW_CHANNEL_UNTRIED ? bw_channel_dial(c->service) : -1;
	c->state = c->sock >= 0 ? BW_CHANNEL_OPEN : BW_CHANNEL_ENDED;
	_cleanup_error_ struct bw_error *err =
		c->sock >= 0 ? greet(c, type, version, answer) : NULL;
	if (err)
		bw_channel_end(c, err);
	return c->state == BW_CHANNEL_OPEN;
}

void bw_channel_end(struct bw_channel *c, const struct bw_error *why)
{
	BW_LOG(WARN, "agent", "%s: %s", names[c->service], why->message);
	bw_agent_fd_close(&c->sock);
	c->state = BW_CHANNEL_ENDED;
	atomic_store(&c->given, BW_CHANNEL_NOT_GIVEN); /* another one may come */
}

void bw_channel_fork_child(struct bw_channel *c)
{
	int given = atomic_exchange(&c->given, BW_CHANNEL_NOT_GIVEN);
	bw_agent_fd_close(&given);
	bw_agent_fd_close(&c->sock);
	c->state = BW_CHANNEL_UNTRIED;
}
