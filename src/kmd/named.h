/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_NAMED_H
#define BW_KMD_NAMED_H

/* The memory that an ioctl names, beside its argument: all that a server may read or write while it
 * works on the call, as a driver would. Found out by our own reading of the structs, when a server
 * asks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct bw_vgpu_range {
	uint64_t va, size_b;
	bool is_written; /* by the driver; else read */
};

struct bw_vgpu_named {
	bool is_known;
	struct BW_VEC(struct bw_vgpu_range) ranges; /* owned */
};

/* arg: _IOC_SIZE(cmd) bytes, as they were sent. Nothing is named where memory is short or cannot be
 * read. */
void bw_vgpu_named_find(struct bw_vgpu_named *n, uint32_t cmd, const void *arg);
/* Do these bytes lie in one range that is named for this direction? */
bool bw_vgpu_named_has(const struct bw_vgpu_named *n, bool is_written, uint64_t va,
		       uint64_t size_b);
void bw_vgpu_named_fini(struct bw_vgpu_named *n);

#endif
