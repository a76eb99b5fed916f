/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_HANDLES_H
#define BW_AGENT_HANDLES_H

/* What is known of a program's handles: one record of one size for each. Any thread may ask. */

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

/* A handle that is known already is a new thing of the same name. Where memory is short it is not
 * known afterwards. */
void bw_handles_put(struct bw_handles *h, uint64_t handle, const void *record);
/* False, and out as it was: not known. */
bool bw_handles_get(struct bw_handles *h, uint64_t handle, void *out);
void bw_handles_drop(struct bw_handles *h, uint64_t handle);

#endif
