/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CAPTURE_SHOW_H
#define BW_CLI_CAPTURE_SHOW_H

/* Parts of `breakwater capture show`. */

#include "capture/state.h"
#include "ui/out.h"
#include "ui/table.h"

/* Shows the draws of a submission, by the numbers that they have among its dispatches. */
void bw_capture_show_draws(struct bw_out *o, const struct bw_capture_submission *sub);
/* Shows the inputs of a submission's dispatches and draws (push constants, bound buffers,
 * arguments), and the API's buffers and images that exist then. space: the address space at the
 * submission. */
void bw_capture_show_given(struct bw_out *o, const struct bw_capture_space *space,
			   const struct bw_capture_submission *sub);

#endif
