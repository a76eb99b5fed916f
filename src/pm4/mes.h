/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_MES_H
#define BW_PM4_MES_H

/* Frames on the rings of the MES, the firmware that schedules queues: the driver's requests to it.
 * data/pm4/mes.txt has their fields; struct bw_mes_<frame>, bw_mes_<frame>_at() and the texts are
 * generated from it. Pure. */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/util.h"
#include "base/words.h"

enum { BW_MES_FRAME_DW = 64, BW_MES_SCHEDULER = 1 /* MES_API_TYPE_SCHEDULER */ };

#include "pm4/mes_frames.h" /* generated */

/* Fields of the header: union MES_API_HEADER. */
#define BW_MES_HEADER_TYPE 0, 4
#define BW_MES_HEADER_OPCODE 4, 8
#define BW_MES_HEADER_SIZE_DW 12, 8

struct bw_mes_info {
	const char *name;
	unsigned fence_dw; /* two dwords: an address; the next two: the value written there */
};

/* Finds the frame that has this header; false: there is none. */
bool bw_mes_info(uint32_t header, struct bw_mes_info *out);
/* The name of a frame: "ADD_QUEUE"; "unknown frame" if there is none for the header. */
const char *bw_mes_name(uint32_t header);
/* Appends a line for each field of a frame, except flags that are not set. n: number of words that
 * are there. */
void bw_mes_describe(const uint32_t *frame, size_t n, struct bw_str *out);

#endif
