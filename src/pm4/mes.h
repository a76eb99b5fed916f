/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_MES_H
#define BW_PM4_MES_H

/* Frames on the rings of the MES, the firmware that schedules queues: the driver's requests to it.
 * Each frame has 64 words. Source: mes_v11_api_def.h and mes_v12_api_def.h of Linux 6.12, which
 * agree in the members that are read here. Pure. */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { BW_MES_FRAME_DW = 64 };

/* The name of a frame: "ADD_QUEUE"; "unknown frame" if there is none for the header. */
const char *bw_mes_name(uint32_t header);
/* Appends a line for each known member of a frame. n: number of words that are there. */
void bw_mes_describe(const uint32_t *frame, size_t n, struct bw_str *out);

#endif
