/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_WRITTEN_H
#define BW_ISA_WRITTEN_H

/* The registers that an instruction writes. Pure. */

#include <stdbool.h>
#include <stdint.h>

#include "isa/inst.h"

/* Registers that follow each other; SGPRs by operand code, VCC and EXEC among them. AccVGPRs are
 * VGPRs from BW_WRITTEN_ACC on. */
struct bw_written_run {
	bool is_vgpr;
	uint16_t first, n;
};

enum { BW_WRITTEN_RUNS = 8, BW_WRITTEN_ACC = 256 };
struct bw_written {
	struct bw_written_run run[BW_WRITTEN_RUNS];
	unsigned n;
};

/* For images, all that the instruction can write at most. For calls, without the writes of the
 * called function. */
void bw_written_by(const struct bw_inst *inst, unsigned lanes, struct bw_written *out);
bool bw_written_has(const struct bw_written *w, bool is_vgpr, unsigned reg);

#endif
