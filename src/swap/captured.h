/* SPDX-License-Identifier: MIT */
#ifndef BW_SWAP_CAPTURED_H
#define BW_SWAP_CAPTURED_H

/* Shaders of captures as rules see them. */

#include "capture/capture.h"
#include "swap/rules.h"

/* Borrows the texts of d. */
static inline struct bw_swap_shader bw_swap_shader_of(const struct bw_capture_dispatch *d)
{
	return (struct bw_swap_shader){.hash = d->hash,
				       .code_va = d->code_va,
				       .name = d->pipeline,
				       .module = d->module,
				       .entry = d->entry,
				       .file = d->file};
}

#endif
