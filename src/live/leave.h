/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_LEAVE_H
#define BW_LIVE_LEAVE_H

/* Restoring a GPU's registers while the program's waves run on. The agent has restored the code,
 * has had the instruction caches invalidated, and resumes stopped waves. Where the program has
 * ended before that, its code stays as it is, with s_traps in it, and waves that meet one end in
 * the handler; that holds for those of later dispatches, too, so then its jobs must be over. Of the
 * registers the trap base is the critical one: a wave that meets an s_trap of ours without a
 * handler would treat it as a no-op and skip the instruction that it replaces. So nothing depends
 * on a time. Every wave slot is looked at until the wave in it cannot need the handler any more,
 * and only then its address is removed. */

#include "live/guard.h"

struct bw_leave {
	struct bw_kmd *kmd;
	const struct bw_live_regs *regs;
	const struct bw_target_facts *facts;
	const struct bw_saved_reg *saved; /* in the order in which they were changed */
	size_t n_saved;
	/* where waves may be in the handler, and in copies of instructions that end in an s_trap */
	const struct bw_guard_area *areas;
	size_t n_areas;
	uint32_t enables; /* our reasons for which waves enter the handler (trap.h) */
	/* Called between two looks. False: stop waiting. out_patched: a program has ended with its
	 * code still patched. */
	bool (*meanwhile)(void *cookie, bool *out_patched);
	void *cookie;
};

/* Restores watches and exceptions first, then the trap base when no wave needs it any more, then
 * the registers that the handler reads. A register that another process has written since stays as
 * it is. */
struct bw_error *bw_leave_registers(const struct bw_leave *v) BW_MUST_CHECK;

#endif
