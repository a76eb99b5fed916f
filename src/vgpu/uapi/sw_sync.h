/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_SW_SYNC_H
#define BW_VGPU_UAPI_SW_SYNC_H

/* Timelines of fences that a program signals itself: debugfs/sync/sw_sync, as drivers/dma-buf of
 * Linux 6.12 has it. Each opening of the file is a timeline. */

#include "base/str.h"
#include "vgpu/uapi/files.h"

extern const struct bw_file_ops bw_sw_sync_ops;
/* sync/info: the timelines that there are. */
void bw_text_sync_info(struct bw_uapi *u, struct bw_str *s);

#endif
