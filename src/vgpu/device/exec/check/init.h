/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_INIT_H
#define BW_VGPU_EXEC_CHECK_INIT_H

/* The checker for values that nobody has written: registers, LDS and scratch start undefined, each
 * instruction passes that on (undef.c), and what matters of it is a finding: a branch, an address,
 * a value that is stored to global memory. Parts:
 *
 *     undef.c        results of instructions (pure)
 *     undef_rules.c  the rule of each opcode
 *     init.c         waves and groups; what is done before each instruction
 *     init_alu.c     the ALU's operands and results
 *     init_memory.c  LDS and scratch
 *     init_report.c  findings, and where their values come from
 *
 * All of an instruction is done before it is executed, in place of its handler, which then follows.
 * A group's waves are run by one thread, so only findings need a lock. */

#include "vgpu/device/exec/check/check.h"

struct bw_init_group;
struct bw_code_page;

struct bw_init_launch {
	uint64_t code_va;
	unsigned n_sgprs, n_vgprs; /* that the launch fills, from the first on */
	bool has_flat_scratch;	   /* FLAT_SCRATCH is a pair of SGPRs, which it fills */
};
/* A workgroup starts; out of memory: it is not checked. */
void bw_init_group_begin(struct bw_check *c, struct bw_workgroup *wg, uint64_t code_va);
/* A wave of it starts, with its registers filled. */
void bw_init_wave_begin(struct bw_wave *w, const struct bw_init_launch *launch);
/* A wave, the group has ended. */
void bw_init_wave_end(struct bw_wave *w);
void bw_init_group_end(struct bw_workgroup *wg);

/* Wraps the record that has just been built, of an executor that checks this. */
void bw_init_wrap(struct bw_exec *x, struct bw_code_page *page, struct bw_rec *rec,
		  const struct bw_inst *inst);
bool bw_init_is_on(const struct bw_check *c);

struct bw_init;
struct bw_init *bw_init_create(void);
void bw_init_destroy(struct bw_init *i);

#endif
