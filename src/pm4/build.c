/* SPDX-License-Identifier: MIT */
#include "pm4/build.h"

#include <assert.h>

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

static void put64(struct bw_pm4_stream *s, uint64_t v)
{
	bw_pm4_put(s, bw_lo32(v));
	bw_pm4_put(s, bw_hi32(v));
}

void bw_pm4_put_header(struct bw_pm4_stream *s, enum bw_pm4_op op, uint32_t n_body)
{
	bw_pm4_put(s, bw_pm4_header(op, n_body));
}

/* A packet whose body has fields in more dwords than the first. */
static void put_body(struct bw_pm4_stream *s, enum bw_pm4_op op, const uint32_t *body,
		     uint32_t n_body)
{
	bw_pm4_put_header(s, op, n_body);
	for (uint32_t i = 0; i < n_body; i++)
		bw_pm4_put(s, body[i]);
}

static void set64(uint32_t *dw, uint64_t v)
{
	dw[0] = bw_lo32(v);
	dw[1] = bw_hi32(v);
}

void bw_pm4_put_nop(struct bw_pm4_stream *s, uint32_t size_dw)
{
	assert(size_dw >= 1 && size_dw <= BW_PM4_COUNT_MAX);
	if (size_dw == 1) {
		bw_pm4_put(s, BW_PM4_NOP_1DW);
		return;
	}
	bw_pm4_put_header(s, BW_PM4_NOP, size_dw - 1);
	bw_pm4_put_copies(s, 0, size_dw - 1);
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
	uint32_t header = bw_pm4_header(BW_PM4_DISPATCH_DIRECT, 4);
	bw_words_put(&header, BW_PM4_HEADER_COMPUTE, 1);
	bw_pm4_put(s, header);
	for (unsigned i = 0; i < 3; i++)
		bw_pm4_put(s, dim[i]);
	bw_pm4_put(s, initiator);
}

void bw_pm4_put_event(struct bw_pm4_stream *s, unsigned type, unsigned index)
{
	uint32_t body = 0;
	bw_words_put(&body, BW_PM4_EVENT_WRITE_TYPE, type);
	bw_words_put(&body, BW_PM4_EVENT_WRITE_INDEX, index);
	put_body(s, BW_PM4_EVENT_WRITE, &body, 1);
}

static uint32_t write_control(unsigned dst_sel)
{
	uint32_t control = 0;
	bw_words_put(&control, BW_PM4_WRITE_DATA_CONFIRM, 1);
	bw_words_put(&control, BW_PM4_WRITE_DATA_DESTINATION, dst_sel);
	return control;
}

void bw_pm4_put_write_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t value)
{
	bw_pm4_put_header(s, BW_PM4_WRITE_DATA, 4);
	bw_pm4_put(s, write_control(BW_PM4_WRITE_REG));
	put64(s, addr_dw);
	bw_pm4_put(s, value);
}

void bw_pm4_put_write_mem(struct bw_pm4_stream *s, uint64_t va, const uint32_t *values, uint32_t n)
{
	bw_pm4_put_header(s, BW_PM4_WRITE_DATA, 3 + n);
	bw_pm4_put(s, write_control(BW_PM4_WRITE_MEM));
	put64(s, va);
	for (uint32_t i = 0; i < n; i++)
		bw_pm4_put(s, values[i]);
}

enum { POLL_INTERVAL = 0x20 }; /* clocks times 16, as the kernel's packets have it */

static void put_wait(struct bw_pm4_stream *s, const struct bw_pm4_wait *w)
{
	uint32_t body[6] = {[3] = bw_lo32(w->ref), bw_lo32(w->mask), POLL_INTERVAL};
	bw_words_put(body, BW_PM4_WAIT_REG_MEM_FUNCTION, w->function);
	bw_words_put(body, BW_PM4_WAIT_REG_MEM_IN_MEMORY, w->is_memory);
	bw_words_put(body, BW_PM4_WAIT_REG_MEM_OPERATION, w->write_first);
	set64(&body[1],
	      w->is_memory ? w->address : bw_join32(bw_lo32(w->address2), bw_lo32(w->address)));
	put_body(s, BW_PM4_WAIT_REG_MEM, body, 6);
}

void bw_pm4_put_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	put_wait(s,
		 &(struct bw_pm4_wait){
			 .function = BW_PM4_EQUAL, .address = addr_dw, .ref = ref, .mask = mask});
}

void bw_pm4_put_write_wait_reg(struct bw_pm4_stream *s, uint32_t addr_dw, uint32_t addr2_dw,
			       uint32_t ref, uint32_t mask)
{
	put_wait(s, &(struct bw_pm4_wait){.function = BW_PM4_EQUAL,
					  .write_first = true,
					  .address = addr_dw,
					  .address2 = addr2_dw,
					  .ref = ref,
					  .mask = mask});
}

void bw_pm4_put_wait_mem(struct bw_pm4_stream *s, uint64_t va, unsigned function, uint32_t ref,
			 uint32_t mask)
{
	put_wait(s, &(struct bw_pm4_wait){.function = (uint8_t)function,
					  .is_memory = true,
					  .address = va,
					  .ref = ref,
					  .mask = mask});
}

void bw_pm4_put_indirect_buffer(struct bw_pm4_stream *s, uint64_t va, uint32_t size_dw,
				unsigned vmid, bool chain)
{
	uint32_t body[3] = {0};
	set64(body, va & ~3ull);
	bw_words_put(body, BW_PM4_INDIRECT_BUFFER_N_DW, size_dw);
	bw_words_put(body, BW_PM4_INDIRECT_BUFFER_CHAIN, chain);
	bw_words_put(body, BW_PM4_INDIRECT_BUFFER_VALID, 1);
	bw_words_put(body, BW_PM4_INDIRECT_BUFFER_VMID, vmid);
	put_body(s, BW_PM4_INDIRECT_BUFFER, body, 3);
}

void bw_pm4_put_fence(struct bw_pm4_stream *s, uint64_t va, uint64_t value, bool interrupt)
{
	uint32_t body[7] = {0};
	bw_words_put(body, BW_PM4_RELEASE_MEM_EVENT, BW_PM4_EVENT_CACHE_FLUSH_AND_INV_TS);
	bw_words_put(body, BW_PM4_RELEASE_MEM_INDEX, BW_PM4_EVENT_INDEX_TS);
	/* the bits that the kernel sets, and its cache policy */
	bw_words_put(body, BW_PM4_RELEASE_MEM_GCR,
		     BW_PM4_RELEASE_SEQ | BW_PM4_RELEASE_GL2_WB | BW_PM4_RELEASE_GLM_INV |
			     BW_PM4_RELEASE_GLM_WB);
	bw_words_put(body, BW_PM4_RELEASE_MEM_CACHE_POLICY, 3);
	bw_words_put(body, BW_PM4_RELEASE_MEM_DATA_IS, BW_PM4_DATA_64);
	bw_words_put(body, BW_PM4_RELEASE_MEM_INTERRUPT,
		     interrupt ? BW_PM4_INT_AFTER_WRITE : BW_PM4_INT_NONE);
	set64(&body[2], va);
	set64(&body[4], value);
	put_body(s, BW_PM4_RELEASE_MEM, body, 7);
}

void bw_pm4_put_acquire(struct bw_pm4_stream *s, uint32_t gcr)
{
	uint32_t body[7] = {[6] = gcr};
	bw_words_put(body, BW_PM4_ACQUIRE_MEM_SIZE_256B, UINT64_MAX); /* all of memory */
	bw_words_put(body, BW_PM4_ACQUIRE_MEM_POLL_INTERVAL, 0xa);
	put_body(s, BW_PM4_ACQUIRE_MEM, body, 7);
}
