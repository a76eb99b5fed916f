/* SPDX-License-Identifier: MIT */
#include "pm4/build.h"

#include <assert.h>
#include <string.h>

#include "pm4/fields.h"
#include "pm4/pm4.h"

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

void bw_pm4_put_copies(struct bw_pm4_stream *s, uint32_t dw, uint32_t n)
{
	struct bw_error *err = bw_vec_reserve(s, s->len + n);
	if (err) {
		bw_error_free(err);
		s->failed = true;
		return;
	}
	uint32_t *to = s->data + s->len;
	for (uint32_t i = 0; i < n; i++)
		to[i] = dw;
	s->len += n;
}

void bw_pm4_put_words(struct bw_pm4_stream *s, const uint32_t *dw, size_t n)
{
	bw_pm4_put_copies(s, 0, (uint32_t)n);
	if (!s->failed && dw && n)
		memcpy(s->data + s->len - n, dw, n * sizeof(*dw));
}

void bw_pm4_put_header(struct bw_pm4_stream *s, enum bw_pm4_op op, uint32_t n_body)
{
	bw_pm4_put(s, bw_pm4_header(op, n_body));
}

void bw_pm4_put_nop(struct bw_pm4_stream *s, uint32_t size_dw)
{
	assert(size_dw >= 1 && size_dw <= BW_PM4_COUNT_MAX);
	if (size_dw == 1)
		bw_pm4_put(s, BW_PM4_NOP_1DW);
	else
		BW_PM4_BUILD(s, nop, .n_data = size_dw - 1);
}

void bw_pm4_put_sh(struct bw_pm4_stream *s, uint32_t addr_dw, const uint32_t *values, uint32_t n)
{
	assert(addr_dw >= BW_PM4_SH_BEGIN_DW && addr_dw + n <= BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH);
	bw_pm4_put_header(s, BW_PM4_SET_SH_REG, n + 1);
	bw_pm4_put(s, addr_dw - BW_PM4_SH_BEGIN_DW);
	bw_pm4_put_words(s, values, n);
}

void bw_pm4_put_uconfig(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	bw_pm4_put_header(s, BW_PM4_SET_UCONFIG_REG, 2);
	bw_pm4_put(s, addr_dw - BW_PM4_UCONFIG_BEGIN_DW);
	bw_pm4_put(s, value);
}

void bw_pm4_put_dispatch(struct bw_pm4_stream *s, const uint32_t dim[3], uint32_t initiator)
{
	const size_t at = s->len;
	BW_PM4_BUILD(s, dispatch_direct, .x = dim[0], .y = dim[1], .z = dim[2],
		     .initiator = initiator);
	if (!s->failed)
		bw_words_put(s->data + at, BW_PM4_HEADER_COMPUTE, 1);
}

void bw_pm4_put_event(struct bw_pm4_stream *s, unsigned type, unsigned index)
{
	BW_PM4_BUILD(s, event_write, .type = (uint8_t)type, .index = (uint8_t)index);
}

void bw_pm4_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	BW_PM4_BUILD(s, write_data, .destination = BW_PM4_WRITE_REG, .confirm = true,
		     .register_ = addr_dw, .data = &value, .n_data = 1);
}

void bw_pm4_put_write_mem(struct bw_pm4_stream *s, uint64_t va, const uint32_t *values, uint32_t n)
{
	BW_PM4_BUILD(s, write_data, .destination = BW_PM4_WRITE_MEM, .confirm = true, .address = va,
		     .data = values, .n_data = n);
}

enum { POLL_INTERVAL = 0x20 }; /* clocks times 16, as the kernel's packets have it */

void bw_pm4_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	BW_PM4_BUILD(s, wait_reg_mem, .function = BW_PM4_EQUAL, .register_ = addr_dw,
		     .reference = ref, .mask = mask, .poll_interval = POLL_INTERVAL);
}

void bw_pm4_put_write_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t addr2_dw,
			       uint32_t ref, uint32_t mask)
{
	BW_PM4_BUILD(s, wait_reg_mem, .function = BW_PM4_EQUAL, .operation = 1,
		     .register_ = addr_dw, .second_register = addr2_dw, .reference = ref,
		     .mask = mask, .poll_interval = POLL_INTERVAL);
}

void bw_pm4_put_wait_mem(struct bw_pm4_stream *s, uint64_t va, unsigned function, uint32_t ref,
			 uint32_t mask)
{
	BW_PM4_BUILD(s, wait_reg_mem, .function = (uint8_t)function, .in_memory = true,
		     .address = va, .reference = ref, .mask = mask, .poll_interval = POLL_INTERVAL);
}

void bw_pm4_put_indirect_buffer(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw,
				unsigned vmid, bool chain)
{
	BW_PM4_BUILD(s, indirect_buffer, .address = va, .n_dw = size_dw, .chain = chain,
		     .valid = true, .vmid = (uint8_t)vmid);
}

void bw_pm4_put_fence(struct bw_pm4_stream *s, uint64_t va, uint64_t value, bool interrupt)
{
	/* the bits that the kernel sets, and its cache policy */
	BW_PM4_BUILD(s, release_mem, .event = BW_PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
		     .index = BW_PM4_EVENT_INDEX_TS,
		     .gcr = BW_PM4_RELEASE_SEQ | BW_PM4_RELEASE_GL2_WB | BW_PM4_RELEASE_GLM_INV |
			    BW_PM4_RELEASE_GLM_WB,
		     .cache_policy = 3, .data_is = BW_PM4_DATA_64,
		     .interrupt = interrupt ? BW_PM4_INT_AFTER_WRITE : BW_PM4_INT_NONE,
		     .address = va, .value = value);
}

void bw_pm4_put_acquire(struct bw_pm4_stream *s, uint32_t gcr)
{
	BW_PM4_BUILD(s, acquire_mem, .size_256b = UINT64_MAX /* all of memory */,
		     .poll_interval = 0xa, .gcr = gcr);
}
