/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_COMPILE_MEMORY_H
#define BW_VGPU_EXEC_COMPILE_MEMORY_H

/* Memory instructions in blocks: a stencil that does what is simple, if there is one, and the call
 * of the interpreter's handler for the rest (stencils_memory.h). */

#include "vgpu/device/exec/compile/emit.h"
#include "vgpu/device/exec/core/rec.h"

/* Whether the record of a memory instruction can be in a block: not those that write EXEC. */
bool bw_memory_can(const struct bw_rec *rec, const struct bw_rec_ctx *ctx);
/* Whether it has stencils of its own, for some lanes or all. */
bool bw_memory_has_stencil(const struct bw_rec *rec, const struct bw_rec_ctx *ctx);
void bw_memory_emit(struct bw_emit *e, const struct bw_rec *rec, const struct bw_rec_ctx *ctx,
		    bool masked);

#endif
