/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_SCAN_H
#define BW_PM4_SCAN_H

/* Finding the dispatches of a command stream. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pm4/pm4.h"

/* Carries register state from one IB of a submission to the next; zero it before the first. */
struct bw_pm4_scan {
	uint32_t sh[BW_PM4_N_SH]; /* by address - BW_PM4_SH_BEGIN_DW: what SET_SH_REG has set */
	uint64_t base[4];	  /* SET_BASE */
	/* Where the value of each register was set, and where the buffer lies that is looked at:
	 * the caller may set va, and has addresses then */
	uint64_t sh_va[BW_PM4_N_SH], va;
};
struct bw_pm4_dispatch {
	uint32_t dim[3], initiator;
};
enum bw_pm4_found { BW_PM4_FOUND_DISPATCH, BW_PM4_FOUND_INDIRECT_BUFFER, BW_PM4_FOUND_BAD };
struct bw_pm4_find {
	enum bw_pm4_found what;
	size_t pos_dw; /* of the packet in this buffer */
	const struct bw_pm4_scan *state;
	struct bw_pm4_dispatch dispatch; /* dim: ~0 each when read from memory at indirect_va */
	bool indirect;
	uint64_t indirect_va;
	struct bw_pm4_flow flow;
};
/* Reports what it finds in order, until the end or until the callback returns false. Follows
 * nothing: an INDIRECT_BUFFER is the caller's to read and scan with the same state (a chain ends
 * this buffer). */
typedef bool bw_pm4_find_fn(void *cookie, const struct bw_pm4_find *found);
void bw_pm4_find_dispatches(struct bw_pm4_scan *state, const uint32_t *dw, size_t n_dw,
			    bw_pm4_find_fn *fn, void *cookie);

#endif
