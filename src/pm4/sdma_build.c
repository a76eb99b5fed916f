/* SPDX-License-Identifier: MIT */
#include "pm4/sdma_build.h"

#include "base/util.h"
#include "pm4/sdma.h"

void bw_sdma_put_nops(struct bw_pm4_stream *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		bw_pm4_put(s, BW_SDMA_NOP | (i ? 0 : (n - 1) << 16));
}

void bw_sdma_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	bw_pm4_put(s, BW_SDMA_SRBM_WRITE | 0xfu << 28); /* BYTE_EN: all */
	bw_pm4_put(s, addr_dw);
	bw_pm4_put(s, value);
}

void bw_sdma_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	bw_pm4_put(s, BW_SDMA_POLL_REGMEM | 3u << 28); /* FUNC: equal */
	bw_pm4_put(s, addr_dw << 2);
	bw_pm4_put(s, 0);
	bw_pm4_put(s, ref);
	bw_pm4_put(s, mask);
	bw_pm4_put(s, 0xfffu << 16 | 10); /* as often as it takes, every 10 clocks */
}

void bw_sdma_put_gcr(struct bw_pm4_stream *s, uint32_t gcr)
{
	bw_pm4_put(s, BW_SDMA_GCR_REQ);
	bw_pm4_put(s, 0);
	bw_pm4_put(s, (gcr & 0xffff) << 16);
	bw_pm4_put(s, gcr >> 16);
	bw_pm4_put(s, 0);
}

static void put_va(struct bw_pm4_stream *s, uint64_t va)
{
	bw_pm4_put(s, bw_lo32(va));
	bw_pm4_put(s, bw_hi32(va));
}

void bw_sdma_put_fence(struct bw_pm4_stream *s, uint64_t va, uint32_t value)
{
	bw_pm4_put(s, BW_SDMA_FENCE | 3 << 16); /* MTYPE: uncached */
	put_va(s, va);
	bw_pm4_put(s, value);
}

void bw_sdma_put_indirect(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw, unsigned vmid)
{
	bw_pm4_put(s, BW_SDMA_INDIRECT | vmid << 16);
	put_va(s, va & ~0x1full);
	bw_pm4_put(s, size_dw);
	bw_pm4_put(s, 0);
	bw_pm4_put(s, 0);
}

void bw_sdma_put_trap(struct bw_pm4_stream *s)
{
	bw_pm4_put(s, BW_SDMA_TRAP);
	bw_pm4_put(s, 0);
}
