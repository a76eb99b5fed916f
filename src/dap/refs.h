/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_REFS_H
#define BW_DAP_REFS_H

#include <stdint.h>

#include "base/vec.h"

/* The meaning of a reference, a number that the editor was given: a frame, or something with
 * variables in it. References are valid until waves are resumed. */
enum bw_dap_ref_kind {
	BW_DAP_REF_FRAME,
	BW_DAP_REF_LOCALS,
	BW_DAP_REF_INPUTS, /* of a lane of a draw */
	BW_DAP_REF_OUTPUTS,
	BW_DAP_REF_ATTRIBUTE, /* parts of row `index` of the inputs */
	BW_DAP_REF_ARGS,
	BW_DAP_REF_SGPRS,
	BW_DAP_REF_VGPRS,
	BW_DAP_REF_VGPR, /* lanes of `index` */
	BW_DAP_REF_STATE,
	BW_DAP_REF_LDS,
	BW_DAP_REF_BUFFERS,
	BW_DAP_REF_VALUE, /* parts of expr */
};
struct bw_dap_ref {
	enum bw_dap_ref_kind kind;
	uint32_t wave;
	unsigned level, index;
	unsigned accum_offset; /* VGPR: of the wave (bw_wave_info) */
	char *expr;	       /* owned */
};
struct bw_dap_refs BW_VEC(struct bw_dap_ref);
enum { BW_DAP_REFS_MAX = 1 << 20 };

#endif
