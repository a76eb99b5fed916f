/* SPDX-License-Identifier: MIT */
#ifndef BW_SCAN_TARGET_H
#define BW_SCAN_TARGET_H

/* A target: the waves that are on a GPU when it is opened, without a trap handler, so those too of
 * a program that hangs and that no debugger was there for. Their registers are as they were read:
 * all of one moment where the waves are halted meanwhile (halt.h), which lasts until the target is
 * closed or this process is killed. Memory is that of now, through the page tables of a wave's
 * VMID, whose number is that of its address space. Nothing can be run or changed. */

#include "target/open.h"

/* A bw_target_open_fn, for BW_SOURCE_WAVES. BW_E_UNSUPPORTED: a GPU whose waves are not known
 * here. */
struct bw_error *bw_scan_open(const struct bw_target_source *source,
			      struct bw_target **out) BW_MUST_CHECK;

#endif
