/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_CHECKED_H
#define BW_VGPU_EXEC_MEM_CHECKED_H

/* In the set of memory instructions that is compiled for the checker (BW_MEM_CHECK): each tells the
 * checker what it touches. In the others BW_MEM_IS_CHECKED is 0. */

#include "vgpu/device/exec/core/limits.h"
#include "vgpu/device/exec/core/touch.h"
#include "vgpu/device/exec/memory/span.h"

/* By lane, what a store puts into memory. */
typedef uint8_t bw_span_values[64][BW_MEM_MAX_B];

#ifdef BW_MEM_CHECK
enum { BW_MEM_IS_CHECKED = 1 };
#else
enum { BW_MEM_IS_CHECKED = 0 };
#endif
/* To be called if BW_MEM_IS_CHECKED, when the places are known, and before anything is moved.
 * Private memory and places without an effect are left out; of stores to private memory it is told
 * by itself. values: of a store. */
void bw_span_touch(const struct bw_span *s, struct bw_wave *w, enum bw_touch_kind kind,
		   const bw_span_values *values, unsigned size_b);

/* One lane's element lies outside of an object. */
static inline void bw_mem_outside(struct bw_wave *w, const struct bw_outside *o)
{
	if (BW_MEM_IS_CHECKED)
		bw_check_outside(w, o);
}

/* An atomic operation on LDS. */
static inline void bw_lds_touch(struct bw_wave *w, unsigned lane, uint8_t *host,
				const uint8_t *outside, unsigned size_b)
{
	if (BW_MEM_IS_CHECKED && host != outside && w->wg->is_touch_checked)
		bw_check_touch_one(w, BW_TOUCH_ATOMIC, lane, host, size_b);
}

#endif
