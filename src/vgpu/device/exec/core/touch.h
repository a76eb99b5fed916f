/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_TOUCH_H
#define BW_VGPU_EXEC_TOUCH_H

/* What memory instructions tell the checker (exec/check), just before they move anything. Only a
 * set of them that is compiled for that does so (memory/set.h); others do not ask. */

#include "vgpu/device/exec/core/wave.h"

enum bw_touch_kind { BW_TOUCH_LOAD, BW_TOUCH_STORE, BW_TOUCH_ATOMIC };

/* Bytes of one lane's element that are in one piece on the host. */
struct bw_touch {
	uint8_t *host;
	const uint8_t *value; /* what a store puts there */
	uint8_t lane, size_b;
};

void bw_check_touch(struct bw_wave *w, enum bw_touch_kind kind, const struct bw_touch *touches,
		    unsigned n);

/* The same of private memory, which only `whence` asks about. */
void bw_check_touch_private(struct bw_wave *w, const struct bw_touch *touches, unsigned n);

static inline void bw_check_touch_one(struct bw_wave *w, enum bw_touch_kind kind, unsigned lane,
				      uint8_t *host, unsigned size_b)
{
	const struct bw_touch t = {.host = host, .lane = (uint8_t)lane, .size_b = (uint8_t)size_b};
	bw_check_touch(w, kind, &t, 1);
}

#endif
