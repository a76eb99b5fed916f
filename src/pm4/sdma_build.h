/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_SDMA_BUILD_H
#define BW_PM4_SDMA_BUILD_H

/* Building command streams of the SDMA engines, version 6.0 (sdma_v6_0.c of Linux 6.12). */

#include "pm4/build.h"
#include "pm4/sdma.h"
#include "pm4/sdma_building.h" /* generated */

/* Like BW_PM4_BUILD(). */
#define BW_SDMA_BUILD(s, form, ...) bw_sdma_build_##form(s, &(struct bw_sdma_##form){__VA_ARGS__})

/* Appends n words of NOP as one packet, whose COUNT covers the other words. */
void bw_sdma_put_nops(struct bw_pm4_stream *s, uint32_t n);
void bw_sdma_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value);
/* Waits until (register & mask) == ref. */
void bw_sdma_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask);
/* Appends a cache action. gcr: BW_PM4_GCR_*. */
void bw_sdma_put_gcr(struct bw_pm4_stream *s, uint32_t gcr);
/* Writes 32 bits when all earlier packets are done. */
void bw_sdma_put_fence(struct bw_pm4_stream *s, uint64_t va, uint32_t value);
enum { BW_SDMA_INDIRECT_DW = 6 };
void bw_sdma_put_indirect(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw, unsigned vmid);
void bw_sdma_put_trap(struct bw_pm4_stream *s);

#endif
