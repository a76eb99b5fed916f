/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_LIVE_H
#define BW_LIVE_LIVE_H

/* A target on a GPU at work: the kernel interface (src/kmd) on one side, the agent inside the
 * program (wire/agent_proto.h) on the other, and between them the debug area that waves and
 * debugger share. */

#include "target/open.h"

/* Opens the target of a program that is started, or of a process that runs already. */
struct bw_error *bw_live_open(const struct bw_target_source *source,
			      struct bw_target **out) BW_MUST_CHECK;

#endif
