/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_MES_H
#define BW_PM4_MES_H

/* Frames on the rings of the MES, the firmware that schedules queues: what the driver asks of it.
 * Each takes 64 words. Source: mes_v11_api_def.h and mes_v12_api_def.h of Linux 6.12, which agree
 * in what is read here. Pure. */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { BW_MES_FRAME_DW = 64 };

/* "ADD_QUEUE"; "unknown frame" for what is none. */
const char *bw_mes_name(uint32_t header);
/* What is in a frame, a line each, for those whose members are known here; n: words that are
 * there. */
void bw_mes_describe(const uint32_t *frame, size_t n, struct bw_str *out);

#endif
