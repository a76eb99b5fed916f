/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_COMPILE_ROWS_H
#define BW_VGPU_EXEC_COMPILE_ROWS_H

/* Which records have stencils, and the machine code of each of them. */

#include "vgpu/device/exec/compile/emit.h"
#include "vgpu/device/exec/core/rec.h"

enum bw_row_kind {
	BW_ROW_NONE, /* interpreted */
	BW_ROW_NOTHING,
	BW_ROW_MAP,
	BW_ROW_DUAL,
	BW_ROW_SCALAR,
	BW_ROW_MEMORY, /* memory.h */
};

/* fn: the handler of the record in the interpreter. */
enum bw_row_kind bw_rows_kind(struct bw_exec *x, const struct bw_rec *rec, bw_handler *fn);
/* Whether it changes which lanes are active, and if so, whether for a branch: a compare or
 * s_and_saveexec, after which mostly some lanes are active. After other writes, such as s_or_b32
 * exec, all may be. */
enum bw_exec_write { BW_EXEC_KEPT, BW_EXEC_NARROWED, BW_EXEC_SET };
enum bw_exec_write bw_rows_exec_write(const struct bw_rec *rec, enum bw_row_kind kind);
/* masked: for the lanes of EXEC; otherwise all are active. */
void bw_rows_emit(struct bw_emit *e, struct bw_exec *x, const struct bw_rec *rec,
		  enum bw_row_kind kind, bool masked);

#endif
