/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_FIDELITY_H
#define BW_VGPU_EXEC_FIDELITY_H

/* How exactly the executor models the hardware, by opcode. Pure; the tables are the executor's
 * own. */

#include "isa/inst.h"

enum bw_fidelity {
	BW_FIDELITY_EXACT,
	BW_FIDELITY_ULP1, /* within 1 ULP of the hardware's result */
	/* approximate; what the hardware computes is not documented that closely */
	BW_FIDELITY_LOOSE,
	BW_FIDELITY_ABSENT,  /* not executed */
	BW_FIDELITY_UNUSUAL, /* of one use of an instruction: executed, in an unusual way that may
			      * be an error */
	BW_FIDELITY_COUNT,
};

struct bw_op_fidelity {
	enum bw_fidelity kind;
	const char *why; /* static; NULL when exact */
};

/* Of an opcode on that generation. */
struct bw_op_fidelity bw_exec_fidelity(enum bw_isa_gen gen, unsigned op);
/* "exact", "within 1 ULP", "approximate", "absent", "unusual" */
const char *bw_fidelity_name(enum bw_fidelity kind);

#endif
