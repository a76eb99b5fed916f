/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_TOUCH_H
#define BW_VGPU_EXEC_TOUCH_H

/* What memory instructions tell the checker (exec/check), just before they move anything. Only a
 * set of them that is compiled for that does so (memory/set.h); others do not ask. */

#include "vgpu/device/exec/core/wave.h"

struct bw_check;

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

/* An instruction loads dwords from LDS, n of each lane, all inside of what the group has. */
struct bw_lds_loads {
	uint32_t at[64]; /* by lane; of one that is not active it is an active one's */
	const uint32_t *offset_b;
	unsigned n;
	uint32_t end_b; /* of the last one */
};
/* True: it is entered. False: it is still to be told by bw_check_touch. */
bool bw_check_lds_loads(struct bw_wave *w, const struct bw_lds_loads *l);

/* Whether the checker looks at other instructions as well, each by its handler. */
bool bw_check_is_everywhere(const struct bw_check *c);

static inline void bw_check_touch_one(struct bw_wave *w, enum bw_touch_kind kind, unsigned lane,
				      uint8_t *host, unsigned size_b)
{
	const struct bw_touch t = {.host = host, .lane = (uint8_t)lane, .size_b = (uint8_t)size_b};
	bw_check_touch(w, kind, &t, 1);
}

#endif
