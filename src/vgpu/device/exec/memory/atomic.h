/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_ATOMIC_H
#define BW_VGPU_EXEC_MEM_ATOMIC_H

#include "vgpu/device/exec/memory/rmw.h"
#include "vgpu/device/exec/memory/span.h"

/* Does op for every active lane on the located elements, lowest lane first; old values go to p->dst
 * when p->has_return. */
void bw_span_atomic(const struct bw_span *s, struct bw_wave *w, const struct bw_mem_prep *p,
		    const struct bw_rmw *op);

#endif
