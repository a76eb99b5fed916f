/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_GUARD_H
#define BW_LIVE_GUARD_H

/* The guard process (src/guard) of a live target: it is started before the program, records the
 * state that must be restored, and restores it when we exit or are killed; in the latter case it
 * removes the socket's folder, too. */

#include "live/live_priv.h"

/* Messages to the guard. */
enum bw_guard_msg {
	BW_GUARD_REG = BW_GUARD_OWN,
	BW_GUARD_AGENT,	 /* bw_guard_agent, with its end of the connection */
	BW_GUARD_AREA,	 /* with the area */
	BW_GUARD_FINISH, /* bw_guard_finish */
};
struct bw_guard_agent {
	uint32_t proc; /* bw_live_proc.number */
	int32_t pid;   /* 0: not known */
};
struct bw_guard_area {
	uint64_t size_b;
	uint64_t handler_va, displaced_va;
	uint32_t handler_b, displaced_b;
	uint32_t proc, vm; /* its owner */
};
/* The part of the session that has ended: all of it; a process, whose agent has been told to detach
 * or is gone; an address space that its program has closed. */
struct bw_guard_finish {
	uint32_t all;
	uint32_t proc, vm;
	uint32_t vmids; /* the VMIDs whose registers are restored, a bit each */
};

struct bw_error *bw_live_guard_start(struct bw_live *l) BW_MUST_CHECK;
struct bw_error *bw_live_guard_reg(struct bw_live *l, const struct bw_saved_reg *r) BW_MUST_CHECK;
/* Connects the guard with an agent that has said hello. */
struct bw_error *bw_live_guard_agent(struct bw_live *l, const struct bw_live_proc *p) BW_MUST_CHECK;
struct bw_error *bw_live_guard_area(struct bw_live *l, const struct bw_live_vm *vm,
				    int area_fd) BW_MUST_CHECK;
/* Has registers restored once no wave needs them. */
void bw_live_guard_finish(struct bw_live *l, const struct bw_guard_finish *what);

#endif
