/* SPDX-License-Identifier: MIT */
#include "pm4/sdma_build.h"

void bw_sdma_put_nops(struct bw_pm4_stream *s, uint32_t n)
{
	if (n)
		BW_SDMA_BUILD(s, nop, .n_data = n - 1);
}

void bw_sdma_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	BW_SDMA_BUILD(s, srbm_write, .byte_enable = 0xf, .register_ = addr_dw, .value = value);
}

void bw_sdma_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	BW_SDMA_BUILD(s, poll_regmem, .function = BW_PM4_EQUAL, .register_ = addr_dw,
		      .reference = ref, .mask = mask, .interval = 10,
		      .retry_count = 0xfff /* as often as it takes */);
}

void bw_sdma_put_gcr(struct bw_pm4_stream *s, uint32_t gcr)
{
	BW_SDMA_BUILD(s, gcr_req, .gcr = gcr);
}

void bw_sdma_put_fence(struct bw_pm4_stream *s, uint64_t va, uint32_t value)
{
	BW_SDMA_BUILD(s, fence, .mtype = 3 /* uncached */, .address = va, .value = value);
}

void bw_sdma_put_indirect(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw, unsigned vmid)
{
	BW_SDMA_BUILD(s, indirect, .vmid = (uint8_t)vmid, .address = va, .n_dw = size_dw);
}

void bw_sdma_put_trap(struct bw_pm4_stream *s)
{
	BW_SDMA_BUILD(s, trap, 0);
}
