/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_KLOG_H
#define BW_VGPU_UAPI_KLOG_H

/* The kernel log (klog.c), which has a lock of its own. */

#include <stdbool.h>

#include "base/error.h"

struct bw_uapi;
void bw_klog(struct bw_uapi *u, const char *fmt, ...) BW_PRINTF(2, 3);
bool bw_klog_allowed(struct bw_uapi *u); /* printk_ratelimit() */
char *bw_klog_text(struct bw_uapi *u);	 /* a copy, owned by the caller, or NULL */

#endif
