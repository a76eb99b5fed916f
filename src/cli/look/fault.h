/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_FAULT_H
#define BW_CLI_LOOK_FAULT_H

/* A page fault shown (fault.c). */

#include "cli/look/look.h"
#include "crash/log.h"

/* In text, and as an object that is added to list. f: what a log said of it, or NULL. */
void bw_look_fault(struct bw_look *l, const struct bw_gpuvm_fault_facts *facts,
		   const struct bw_crash_fault *f, json_t *list);

/* What the registers of a hub have recorded; status 0: nothing. */
struct bw_error *bw_look_read_fault(struct bw_kmd *kmd, enum bw_gpuvm_hub hub,
				    struct bw_gpuvm_fault_facts *out) BW_MUST_CHECK;

#endif
