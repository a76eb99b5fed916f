/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_PROGRAMS_PRIV_H
#define BW_DEBUG_PROGRAMS_PRIV_H

/* The programs and their address spaces (session/inferiors.c). */

#include "debug/debug_priv.h"

/* An address space of a program; each wave and dispatch is in one. */
struct bw_space_of {
	uint32_t number, inferior;
};

struct bw_programs {
	struct BW_VEC(struct bw_space_of) spaces;
	struct BW_VEC(struct bw_inferior_info) all;
	/* number last given to an inferior; number of the current one */
	uint32_t last_number, current;
	/* of the current inferior, or of the last one if all have ended */
	pid_t pid;
	char comm[17];
	int exit_status;
	bool exit_known;
};
void bw_programs_fini(struct bw_programs *p);
/* Forgets all inferiors and address spaces. */
void bw_programs_forget(struct bw_debug *d);

/* The number of the inferior that has the address space; 0: none. */
uint32_t bw_debug_inferior_of_space(const struct bw_debug *d, uint32_t space);
struct bw_error *bw_debug_on_program(struct bw_debug *d,
				     const struct bw_target_event *ev) BW_MUST_CHECK;
struct bw_error *bw_debug_on_space(struct bw_debug *d, uint32_t space, pid_t pid) BW_MUST_CHECK;
void bw_debug_on_space_gone(struct bw_debug *d, uint32_t space);
void bw_debug_on_program_gone(struct bw_debug *d, const struct bw_target_event *ev);

#endif
