/* SPDX-License-Identifier: MIT */
/* Chooses the target that opens what is to be debugged. This is the only place that knows all
 * targets. */
#include "session/programs.h"

#include "dump/dump.h"
#include "live/live.h"
#include "scan/target.h"

static bw_target_open_fn *const openers[BW_SOURCE_COUNT] = {
	[BW_SOURCE_PROGRAM] = bw_live_open,
	[BW_SOURCE_PROCESS] = bw_live_open,
	[BW_SOURCE_CRASH] = bw_dump_open,
	[BW_SOURCE_WAVES] = bw_scan_open,
};

struct bw_error *bw_open_target(const struct bw_target_source *source, struct bw_target **out)
{
	return openers[source->kind](source, out);
}
