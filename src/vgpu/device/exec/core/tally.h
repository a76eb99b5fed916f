/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_TALLY_H
#define BW_VGPU_EXEC_TALLY_H

/* Counts of what was executed and how exactly (`--fidelity`). Each decoded instruction has a cell
 * to count in, chosen when it is decoded: its opcode, and what is remarkable about this use of it.
 * Without --fidelity the records' handlers are not wrapped, and counting costs nothing. Cells
 * belong to one executor, whose thread alone adds to them; any thread may read. */

#include <stdatomic.h>

#include "vgpu/device/exec/core/rec.h"
#include "vgpu/device/exec/core/fidelity.h"

struct bw_tally_cell {
	_Atomic(struct bw_tally_cell *) next;
	unsigned op;
	enum bw_fidelity kind;
	const char *why; /* static; NULL: exact, and nothing to say */
	bool is_second;	 /* the Y half of a VOPD pair: no instruction of its own */
	_Atomic uint64_t n;
};

struct bw_tally {
	_Atomic(struct bw_tally_cell *) first;
};

/* Beside the records of a page: the cell that bw_h_tally counts in, and the handler that it
 * continues with. */
struct bw_tally_slot {
	bw_handler *fn;
	struct bw_tally_cell *cell, *cell_y;
};

struct bw_code_page;
void bw_tally_fini(struct bw_tally *t);
/* Puts the counter in front of a record that has just been built. */
void bw_tally_wrap(struct bw_tally *t, struct bw_code_page *page, struct bw_rec *rec);
/* The instruction of rec, which was counted already, turned out not to be executed. */
void bw_tally_refused(struct bw_tally *t, const struct bw_code_page *page, const struct bw_rec *rec,
		      const char *why);

#endif
