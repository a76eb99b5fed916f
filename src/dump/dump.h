/* SPDX-License-Identifier: MIT */
#ifndef BW_DUMP_DUMP_H
#define BW_DUMP_DUMP_H

/* A target: what a GPU has left behind (src/crash). Its waves, their registers, the memory and the
 * dispatches are those that the files hold; nothing can be run or changed. What a file does not
 * tell is an error that says so, or BW_GROUP_UNKNOWN. */

#include "target/open.h"

/* A bw_target_open_fn, for BW_SOURCE_CRASH. BW_E_UNSUPPORTED: a GPU whose waves are not known
 * here. */
struct bw_error *bw_dump_open(const struct bw_target_source *source,
			      struct bw_target **out) BW_MUST_CHECK;

#endif
