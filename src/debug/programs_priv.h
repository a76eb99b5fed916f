/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_PROGRAMS_PRIV_H
#define BW_DEBUG_PROGRAMS_PRIV_H

/* Programs and their address spaces, as they come and go (session/inferiors.c). */

#include "debug/debug_priv.h"

/* An address space of a program: waves and dispatches are in one. */
struct bw_space_of {
	uint32_t number, inferior;
};

struct bw_programs {
	struct BW_VEC(struct bw_space_of) spaces;
	struct BW_VEC(struct bw_inferior_info) all;
	uint32_t last_number, current; /* given to an inferior; its number */
	/* of the current one, or of the last one that there was */
	pid_t pid;
	char comm[17];
	int exit_status;
	bool exit_known;
};
void bw_programs_fini(struct bw_programs *p);
/* Forgets which ones there are. */
void bw_programs_forget(struct bw_debug *d);

/* The number of the inferior that has it, 0 for none. */
uint32_t bw_debug_inferior_of_space(const struct bw_debug *d, uint32_t space);
struct bw_error *bw_debug_on_program(struct bw_debug *d,
				     const struct bw_target_event *ev) BW_MUST_CHECK;
struct bw_error *bw_debug_on_space(struct bw_debug *d, uint32_t space, pid_t pid) BW_MUST_CHECK;
void bw_debug_on_space_gone(struct bw_debug *d, uint32_t space);
void bw_debug_on_program_gone(struct bw_debug *d, const struct bw_target_event *ev);

#endif
