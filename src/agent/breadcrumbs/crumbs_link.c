/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "agent/breadcrumbs/crumbs_priv.h"
#include "agent/channel/channel.h"
#include "base/cleanup.h"

static struct {
	pthread_mutex_t lock;
	struct bw_channel channel;
	struct bw_crumbs_go go;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .channel = BW_CHANNEL_INIT(BW_AGENT_CRUMBS)};

const struct bw_crumbs_go *bw_crumbs_link(void)
{
	const struct bw_channel_answer go = {BW_CRUMBS_GO, &g.go, sizeof(g.go), NULL};
	pthread_mutex_lock(&g.lock);
	bool is_open = bw_channel_open(&g.channel, BW_CRUMBS_HELLO, BW_CRUMBS_VERSION, &go);
	pthread_mutex_unlock(&g.lock);
	return is_open ? &g.go : NULL;
}

bool bw_crumbs_send(enum bw_crumbs_msg type, const struct bw_msg_part *parts, size_t n, int fd)
{
	pthread_mutex_lock(&g.lock);
	if (g.channel.state == BW_CHANNEL_OPEN) {
		_cleanup_error_ struct bw_error *err =
			bw_msg_send(g.channel.sock, (uint16_t)type, 0, parts, n, fd);
		if (err)
			bw_channel_end(&g.channel, err);
	}
	bool is_open = g.channel.state == BW_CHANNEL_OPEN;
	pthread_mutex_unlock(&g.lock);
	return is_open;
}

void bw_crumbs_link_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	bw_channel_fork_child(&g.channel);
}
