/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_LOOK_FAULT_H
#define BW_CLI_LOOK_FAULT_H

/* Shows a page fault (fault.c). */

#include "cli/look/look.h"
#include "crash/log.h"

/* Shows a fault as text, and adds it as an object to list. f: the message of a log about it, or
 * NULL. */
void bw_look_fault(struct bw_look *l, const struct bw_gpuvm_fault_facts *facts,
		   const struct bw_crash_fault *f, json_t *list);

/* Reads the fault that the registers of a hub have recorded. status 0: there is none. */
struct bw_error *bw_look_read_fault(struct bw_kmd *kmd, enum bw_gpuvm_hub hub,
				    struct bw_gpuvm_fault_facts *out) BW_MUST_CHECK;

#endif
