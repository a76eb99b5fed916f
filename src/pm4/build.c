/* SPDX-License-Identifier: MIT */
#include "pm4/build.h"
#include "pm4/pm4.h"

#include <assert.h>

void bw_pm4_stream_free(struct bw_pm4_stream *s)
{
	free(s->data);
	*s = (struct bw_pm4_stream){0};
}

void bw_pm4_put(struct bw_pm4_stream *s, uint32_t dw)
{
	struct bw_error *err = bw_vec_push(s, dw);
	if (err) {
		bw_error_free(err);
		s->failed = true;
	}
}

static void put64(struct bw_pm4_stream *s, uint64_t v)
{
	bw_pm4_put(s, (uint32_t)v);
	bw_pm4_put(s, (uint32_t)(v >> 32));
}

void bw_pm4_put_header(struct bw_pm4_stream *s, enum bw_pm4_op op, uint32_t n_body)
{
	assert(n_body >= 1 && n_body <= 0x4000);
	bw_pm4_put(s, 3u << 30 | (n_body - 1) << 16 | (uint32_t)op << 8);
}

void bw_pm4_put_nop(struct bw_pm4_stream *s, uint32_t size_dw)
{
	assert(size_dw >= 1 && size_dw <= 0x3fff);
	if (size_dw == 1) {
		bw_pm4_put(s, 0xffff1000);
		return;
	}
	bw_pm4_put_header(s, BW_PM4_NOP, size_dw - 1);
	for (uint32_t i = 1; i < size_dw; i++)
		bw_pm4_put(s, 0);
}

void bw_pm4_put_sh(struct bw_pm4_stream *s, uint32_t addr_dw, const uint32_t *values, uint32_t n)
{
	assert(addr_dw >= BW_PM4_SH_BEGIN_DW && addr_dw + n <= BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH);
	bw_pm4_put_header(s, BW_PM4_SET_SH_REG, n + 1);
	bw_pm4_put(s, addr_dw - BW_PM4_SH_BEGIN_DW);
	for (uint32_t i = 0; i < n; i++)
		bw_pm4_put(s, values[i]);
}

void bw_pm4_put_uconfig(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	bw_pm4_put_header(s, BW_PM4_SET_UCONFIG_REG, 2);
	bw_pm4_put(s, addr_dw - BW_PM4_UCONFIG_BEGIN_DW);
	bw_pm4_put(s, value);
}

void bw_pm4_put_dispatch(struct bw_pm4_stream *s, const uint32_t dim[3], uint32_t initiator)
{
	/* with the shader type bit: compute */
	bw_pm4_put(s, 3u << 30 | 3u << 16 | (uint32_t)BW_PM4_DISPATCH_DIRECT << 8 | 1u << 1);
	for (unsigned i = 0; i < 3; i++)
		bw_pm4_put(s, dim[i]);
	bw_pm4_put(s, initiator);
}

void bw_pm4_put_event(struct bw_pm4_stream *s, unsigned type, unsigned index)
{
	bw_pm4_put_header(s, BW_PM4_EVENT_WRITE, 1);
	bw_pm4_put(s, type | index << 8);
}

enum { WR_CONFIRM = 1 << 20 };

void bw_pm4_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	bw_pm4_put_header(s, BW_PM4_WRITE_DATA, 4);
	bw_pm4_put(s, WR_CONFIRM);
	put64(s, addr_dw);
	bw_pm4_put(s, value);
}

void bw_pm4_put_write_mem(struct bw_pm4_stream *s, uint64_t va, const uint32_t *values, uint32_t n)
{
	bw_pm4_put_header(s, BW_PM4_WRITE_DATA, 3 + n);
	bw_pm4_put(s, WR_CONFIRM | BW_PM4_WRITE_MEM << 8);
	put64(s, va);
	for (uint32_t i = 0; i < n; i++)
		bw_pm4_put(s, values[i]);
}

static void put_wait(struct bw_pm4_stream *s, uint32_t control, uint64_t address, uint32_t ref,
		     uint32_t mask)
{
	bw_pm4_put_header(s, BW_PM4_WAIT_REG_MEM, 6);
	bw_pm4_put(s, control);
	put64(s, address);
	bw_pm4_put(s, ref);
	bw_pm4_put(s, mask);
	bw_pm4_put(s, 0x20);
}

void bw_pm4_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	put_wait(s, 3, addr_dw, ref, mask);
}

void bw_pm4_put_write_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t addr2_dw,
			       uint32_t ref, uint32_t mask)
{
	put_wait(s, 3 | 1 << 6, addr_dw | (uint64_t)addr2_dw << 32, ref, mask);
}

void bw_pm4_put_wait_mem(struct bw_pm4_stream *s, uint64_t va, unsigned function, uint32_t ref,
			 uint32_t mask)
{
	put_wait(s, function | 1 << 4, va, ref, mask);
}

void bw_pm4_put_indirect_buffer(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw,
				unsigned vmid, bool chain)
{
	bw_pm4_put_header(s, BW_PM4_INDIRECT_BUFFER, 3);
	put64(s, va & ~3ull);
	bw_pm4_put(s, size_dw | (chain ? 1u << 20 : 0) | 1u << 23 | vmid << 24);
}

void bw_pm4_put_fence(struct bw_pm4_stream *s, uint64_t va, uint64_t value, bool interrupt)
{
	bw_pm4_put_header(s, BW_PM4_RELEASE_MEM, 7);
	/* CACHE_FLUSH_AND_INV_TS_EVENT, index 5, with the GCR bits the kernel sets: SEQ, GL2_WB,
	 * GLM */
	bw_pm4_put(s, 0x14 | 5 << 8 | 1 << 22 | 1 << 21 | 3 << 12 | 3 << 25);
	bw_pm4_put(s, (uint32_t)BW_PM4_DATA_64 << 29 |
			      (uint32_t)(interrupt ? BW_PM4_INT_AFTER_WRITE : BW_PM4_INT_NONE)
				      << 24);
	put64(s, va);
	put64(s, value);
	bw_pm4_put(s, 0);
}

void bw_pm4_put_acquire(struct bw_pm4_stream *s, uint32_t gcr)
{
	bw_pm4_put_header(s, BW_PM4_ACQUIRE_MEM, 7);
	bw_pm4_put(s, 0);
	bw_pm4_put(s, 0xffffffff);
	bw_pm4_put(s, 0xff);
	put64(s, 0);
	bw_pm4_put(s, 0xa);
	bw_pm4_put(s, gcr);
}
