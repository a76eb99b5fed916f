/* SPDX-License-Identifier: MIT */
#include "vgpu/device/draw_tiles.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/util.h"

struct helper {
	struct bw_tiles *tiles;
	pthread_t thread;
	unsigned number;
};

struct bw_tiles {
	pthread_mutex_t lock;
	pthread_cond_t begun, done;
	uint64_t round; /* number of pieces of work so far */
	unsigned n_running;
	bool stop;
	bw_tiles_fn *fn;
	void *cookie;
	unsigned n_helpers;
	struct helper helper[BW_TILE_MOST - 1];
};

static void *helper_main(void *cookie)
{
	struct helper *h = cookie;
	struct bw_tiles *t = h->tiles;
	pthread_mutex_lock(&t->lock);
	for (uint64_t seen = 0;;) {
		while (t->round == seen && !t->stop)
			pthread_cond_wait(&t->begun, &t->lock);
		if (t->stop)
			break;
		seen = t->round;
		pthread_mutex_unlock(&t->lock);
		t->fn(t->cookie, h->number);
		pthread_mutex_lock(&t->lock);
		if (!--t->n_running)
			pthread_cond_signal(&t->done);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

struct bw_tiles *bw_tiles_create(unsigned n)
{
	struct bw_tiles *t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->begun, NULL);
	pthread_cond_init(&t->done, NULL);
	for (unsigned i = 0; i + 1 < BW_MIN(n, (unsigned)BW_TILE_MOST); i++) {
		struct helper *h = &t->helper[i];
		h->tiles = t;
		h->number = i + 1;
		if (pthread_create(&h->thread, NULL, helper_main, h))
			break;
		t->n_helpers++;
	}
	return t;
}

void bw_tiles_destroy(struct bw_tiles *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->begun);
	pthread_mutex_unlock(&t->lock);
	for (unsigned i = 0; i < t->n_helpers; i++)
		pthread_join(t->helper[i].thread, NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->begun);
	pthread_cond_destroy(&t->done);
	free(t);
}

unsigned bw_tiles_parts(const struct bw_tiles *t)
{
	return t->n_helpers + 1;
}

void bw_tiles_run(struct bw_tiles *t, bw_tiles_fn *fn, void *cookie)
{
	pthread_mutex_lock(&t->lock);
	t->fn = fn;
	t->cookie = cookie;
	t->n_running = t->n_helpers;
	t->round++;
	pthread_cond_broadcast(&t->begun);
	pthread_mutex_unlock(&t->lock);
	fn(cookie, 0);
	pthread_mutex_lock(&t->lock);
	while (t->n_running)
		pthread_cond_wait(&t->done, &t->lock);
	pthread_mutex_unlock(&t->lock);
}
