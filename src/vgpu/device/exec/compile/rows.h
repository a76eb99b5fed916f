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
};

/* fn: the handler of the record in the interpreter. */
enum bw_row_kind bw_rows_kind(struct bw_exec *x, const struct bw_rec *rec, bw_handler *fn);
bool bw_rows_writes_exec(const struct bw_rec *rec, enum bw_row_kind kind);
/* masked: for the lanes of EXEC; otherwise all are active. */
void bw_rows_emit(struct bw_emit *e, struct bw_exec *x, const struct bw_rec *rec,
		  enum bw_row_kind kind, bool masked);

#endif
