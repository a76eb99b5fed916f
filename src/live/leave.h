/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_LEAVE_H
#define BW_LIVE_LEAVE_H

/* Giving a GPU back while the program's waves run on. The agent has put code back, has had the
 * instruction caches emptied and lets stopped waves go; what is left are the registers, of which
 * the trap base is the delicate one: a wave that comes to an s_trap of ours without it would take
 * it for nothing and skip what stood there. So nothing is done at a guessed time. Every wave slot
 * is looked at until what stands in it cannot need the handler any more, and only then its address
 * goes. */

#include "live/live_priv.h"

struct bw_leave {
	struct bw_kmd *kmd;
	const struct bw_live_regs *regs;
	const struct bw_target_facts *facts;
	const struct bw_saved_reg *saved; /* in the order in which they were changed */
	size_t n_saved;
	/* where waves may be in the handler, and in copies of instructions that end in an s_trap */
	const struct bw_guard_area *areas;
	size_t n_areas;
	uint32_t enables; /* what waves enter the handler for because of us (trap.h) */
	/* Called between two looks. False: it is not worth to wait any longer. */
	bool (*meanwhile)(void *cookie);
	void *cookie;
};

/* Watches and exceptions first, then the trap base when no wave will need it, then what the handler
 * reads on its way. A register that somebody else has written since stays as it is. */
struct bw_error *bw_leave_registers(const struct bw_leave *v) BW_MUST_CHECK;

#endif
