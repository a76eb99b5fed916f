/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_CLIENT_PRIV_H
#define BW_KMD_CLIENT_PRIV_H

/* Channels (channel.c), over which client.c makes calls: connections to the server, one for each
 * thread that is inside a call. */

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "kmd/client.h"
#include "wire/message.h"

struct bw_vgpu_channel {
	int sock; /* -1: free place */
	bool busy;
	uint32_t seq;
	struct bw_msg in;
	uint8_t *scratch; /* owned: answers to USER_READ */
	size_t scratch_cap_b;
};

struct bw_vgpu_client {
	char *path;
	struct bw_vgpu_client_hooks hooks;
	struct bw_vgpu_hello_reply hello;
	pthread_mutex_t lock; /* protects what is below; held for short moments only */
	pthread_cond_t idle;  /* a channel is not busy any more, or gone */
	bool is_kept;	      /* bw_vgpu_client_keep(): a new channel may be refused */
	struct BW_VEC(struct bw_vgpu_channel *) channels;
	int liveness;
	pid_t server;
	atomic_bool gone;
};

/* A channel for one call, which nobody else has. 0 or -errno. */
int bw_vgpu_acquire(struct bw_vgpu_client *c, struct bw_vgpu_channel **out);
void bw_vgpu_release(struct bw_vgpu_client *c, struct bw_vgpu_channel *ch);
/* Closes a channel after an error: its stream can no longer be trusted. */
void bw_vgpu_discard(struct bw_vgpu_client *c, struct bw_vgpu_channel *ch);
void bw_vgpu_mark_gone(struct bw_vgpu_client *c);
/* The user has given up a wait: the server may be alive. */
bool bw_vgpu_is_interrupted(const struct bw_error *err);

#endif
