/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_HANDLES_H
#define BW_AGENT_NAMES_HANDLES_H

/* A table from the program's handles to what is known of each: records of one size. Any thread may
 * call. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_handles {
	size_t record_b;
	pthread_mutex_t lock;
	uint64_t *handles; /* ascending */
	uint8_t *records;
	size_t n, room;
};
#define BW_HANDLES_INIT(type) {.record_b = sizeof(type), .lock = PTHREAD_MUTEX_INITIALIZER}

/* Stores a record; one that exists for the handle is replaced. When out of memory the handle is
 * unknown afterwards. */
void bw_handles_put(struct bw_handles *h, uint64_t handle, const void *record);
/* False: the handle is unknown, and out is unchanged. */
bool bw_handles_get(struct bw_handles *h, uint64_t handle, void *out);
void bw_handles_drop(struct bw_handles *h, uint64_t handle);

#endif
