/* SPDX-License-Identifier: MIT */
#include "pm4/sdma_build.h"

#include "base/util.h"
#include "pm4/fields.h"
#include "pm4/sdma.h"

static void put_all(struct bw_pm4_stream *s, const uint32_t *dw, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		bw_pm4_put(s, dw[i]);
}

void bw_sdma_put_nops(struct bw_pm4_stream *s, uint32_t n)
{
	uint32_t first = BW_SDMA_NOP;
	if (n)
		bw_words_put(&first, BW_SDMA_NOP_COUNT, n - 1);
	for (uint32_t i = 0; i < n; i++)
		bw_pm4_put(s, i ? BW_SDMA_NOP : first);
}

void bw_sdma_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	uint32_t dw[3] = {BW_SDMA_SRBM_WRITE, 0, value};
	bw_words_put(dw, BW_SDMA_SRBM_BYTE_EN, 0xf);
	bw_words_put(dw, BW_SDMA_SRBM_ADDR, addr_dw);
	put_all(s, dw, 3);
}

void bw_sdma_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	uint32_t dw[6] = {BW_SDMA_POLL_REGMEM, 0, 0, ref, mask, 0};
	bw_words_put(dw, BW_SDMA_POLL_FUNC, BW_PM4_EQUAL);
	bw_words_put(dw, BW_SDMA_POLL_REG_0, addr_dw);
	bw_words_put(dw, BW_SDMA_POLL_RETRY_COUNT, 0xfff); /* as often as it takes */
	bw_words_put(dw, BW_SDMA_POLL_INTERVAL, 10);
	put_all(s, dw, 6);
}

void bw_sdma_put_gcr(struct bw_pm4_stream *s, uint32_t gcr)
{
	uint32_t dw[5] = {BW_SDMA_GCR_REQ};
	bw_words_put(dw, BW_SDMA_GCR_CONTROL, gcr);
	put_all(s, dw, 5);
}

static void put_va(struct bw_pm4_stream *s, uint64_t va)
{
	bw_pm4_put(s, bw_lo32(va));
	bw_pm4_put(s, bw_hi32(va));
}

void bw_sdma_put_fence(struct bw_pm4_stream *s, uint64_t va, uint32_t value)
{
	uint32_t header = BW_SDMA_FENCE;
	bw_words_put(&header, BW_SDMA_FENCE_MTYPE, 3); /* uncached */
	bw_pm4_put(s, header);
	put_va(s, va);
	bw_pm4_put(s, value);
}

void bw_sdma_put_indirect(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw, unsigned vmid)
{
	uint32_t dw[6] = {BW_SDMA_INDIRECT, bw_lo32(va & ~0x1full), bw_hi32(va)};
	bw_words_put(dw, BW_SDMA_IB_VMID, vmid);
	bw_words_put(dw, BW_SDMA_IB_SIZE, size_dw);
	put_all(s, dw, 6);
}

void bw_sdma_put_trap(struct bw_pm4_stream *s)
{
	bw_pm4_put(s, BW_SDMA_TRAP);
	bw_pm4_put(s, 0);
}
