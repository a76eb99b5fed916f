/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TARGET_CONFORMANCE_H
#define TESTS_TARGET_CONFORMANCE_H

/* What every target must do, whatever it is: one suite, run on each of them through target/call.h
 * alone. Where the target lacks a capability, the suite expects the error that says so.
 *
 * To add a target:
 * 1. Write conformance_NAME.c here with a `struct target_case`. Its open() opens the target and
 *    brings it to where at least two waves are stopped in code that the test knows, and nothing is
 *    patched, watched or pending; it fills in what is known. The expected values come from the code
 *    and the data that the test has put there, never from the target.
 * 2. Call target_conformance for it in the function of TESTS_RUN_BY, and add the file to
 *    meson.build.
 * 3. A capability that is new needs a row in calls.c, and a check in conformance.c where something
 *    is to be seen of it. */

#include <stdint.h>

#include "../suite.h"
#include "target/call.h"

/* What the target must show. */
struct target_known {
	/* Code in memory, with a wave at the instruction at `pc`, which neither branches, traps nor
	 * ends the wave, and is step_b long. */
	uint64_t code_va, pc;
	const uint32_t *code;
	size_t code_dw;
	unsigned step_b;
	/* that wave (BW_GROUP_UNKNOWN: the only one at `pc`), and how many are stopped in all */
	uint32_t workgroup[3], wave_in_group;
	unsigned lanes;
	uint64_t exec;
	size_t n_stopped;
	/* one of its SGPRs, and one lane of one of its VGPRs */
	unsigned sgpr, vgpr, lane;
	uint32_t sgpr_value, vgpr_value;
	/* a dword in the LDS of its workgroup, which has at least lds_b bytes; 0: it has none */
	uint32_t lds_b, lds_at_b, lds_value;
	uint32_t scratch_b;   /* of a lane; 0: it has none */
	uint64_t data_va;     /* 64 bytes that can be read and written, and no wave uses */
	uint64_t unmapped_va; /* nothing is there */
	uint64_t end_va;      /* memory ends here, and nothing follows; 0: not known */
	bool ends;	      /* when all waves run on, the program ends with status 0 */
};

/* What has become of the program when the target is closed. */
enum target_fate { TARGET_LEFT, TARGET_ENDED, TARGET_KILLED };

struct target_fixture {
	struct bw_target *t;
	struct target_known known;
	enum target_fate fate;
	void *own; /* the case's */
};

struct target_case {
	const char *name;
	uint32_t lack; /* capabilities to be taken away */
	/* Fails the test when it cannot. */
	void (*open)(const struct target_case *c, struct target_fixture *out);
	/* After the target has been closed: what must have become of what was debugged; NULL:
	 * nothing is to be seen. */
	void (*closed)(const struct target_case *c, struct target_fixture *f);
};

/* A call of each capability (calls.c), up to one without a function. */
extern const struct target_call {
	uint32_t caps;
	/* It changes nothing that a program would notice, and works where the target has them. */
	bool harmless;
	/* slot: of the known wave */
	struct bw_error *(*fn)(struct target_fixture *f, uint32_t slot);
} target_calls[];

/* Runs the suite; returns how many checks have failed. */
int target_conformance(const struct target_case *c);

#define OK(expr) target_ok((expr), #expr, __FILE__, __LINE__)
void target_ok(struct bw_error *err, const char *what, const char *file, int line);

#endif
