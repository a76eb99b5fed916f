/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_REGS_H
#define BW_CLI_REGS_H

/* The common declarations of breakwater regs. */

#include "cli/look/look.h"

enum { BW_LOOK_MAX_FIELDS = 64 };

/* Shows the fields of a word in rows: Field, Bits, Value. */
void bw_look_fields(struct bw_out *o, const struct bw_reg *reg, uint64_t word);

/* The options for live registers. */
struct bw_look_regs {
	struct bw_look *look;
	bool bits, watch, has_xcc;
	uint64_t rounds;	 /* rounds of --watch; 0: until interrupted */
	struct bw_kmd_bank bank; /* --bank, --queue, --xcc */
};
struct bw_error *bw_look_regs_read(struct bw_look_regs *r) BW_MUST_CHECK;
struct bw_error *bw_look_regs_write(struct bw_look_regs *r) BW_MUST_CHECK;
struct bw_error *bw_look_regs_set(struct bw_look_regs *r) BW_MUST_CHECK;

#endif
