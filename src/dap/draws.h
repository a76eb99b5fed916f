/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_DRAWS_H
#define BW_DAP_DRAWS_H

/* Draws in an editor: the scopes of a lane's inputs and outputs, and the requests about draws. */

#include "dap/dap_priv.h"

/* Whether a wave has the scope INPUTS or OUTPUTS. */
bool bw_dap_has_draw_scope(struct bw_dap *s, const struct bw_wave_info *w,
			   enum bw_dap_ref_kind kind);
/* Adds what the GPU says of the focus lane's inputs or outputs, or the parts of an attribute: the
 * variables of INPUTS, OUTPUTS and ATTRIBUTE that have no name in the shader. */
struct bw_error *bw_dap_draw_values(struct bw_dap *s, const struct bw_dap_ref *ref,
				    json_t *list) BW_MUST_CHECK;

bw_dap_request_fn bw_dap_draws, bw_dap_attachment, bw_dap_pixel_history;

#endif
