/* SPDX-License-Identifier: MIT */
#include "pm4/calls.h"

#include <string.h>

#include "base/util.h"
#include "pm4/fields.h"
#include "pm4/pm4.h"
#include "pm4/sdma.h"

/* clang-format off */

#define SDMA_LO(lo, n_bits)       (lo)
#define SDMA_BITS(lo, n_bits)     (n_bits)
#define S(name, field)            {name, SDMA_LO(field), SDMA_BITS(field), BW_PM4_CALL_NUMBER}
/* A dword, and two of them: dw counts from the header. */
#define D(name, dw)               {name, (dw) * 32, 32, BW_PM4_CALL_NUMBER}
#define Q(name, dw)               {name, (dw) * 32, 64, BW_PM4_CALL_NUMBER}
#define ADDRESS(name, dw)         {name, (dw) * 32, 64, BW_PM4_CALL_ADDRESS}
#define STREAM(dw)                {"address", (dw) * 32, 64, BW_PM4_CALL_STREAM}
#define STREAM_SIZE(field)        {"n_dw", SDMA_LO(field), SDMA_BITS(field), BW_PM4_CALL_STREAM_SIZE}
#define SDMA(name, op, n_dw)      name, BW_SDMA_##op, true, n_dw, false, 0, 0, 0

/* Sides of SDMA's windows; at: the first dword of the side. */
#define SIDE(prefix, at) ADDRESS(prefix "_address", at), \
	{prefix "_x", ((at) + 2) * 32, 14, 0}, {prefix "_y", ((at) + 2) * 32 + 16, 14, 0}, {prefix "_z", ((at) + 3) * 32, 13, 0}
#define LINEAR(prefix, at, pitch_at) SIDE(prefix, at), \
	{prefix "_pitch_less_1", ((at) + 3) * 32 + (pitch_at), 32 - (pitch_at), 0}, {prefix "_slice_pitch_less_1", ((at) + 4) * 32, 28, 0}
#define TILED(prefix, at) SIDE(prefix, at), \
	{prefix "_width_less_1", ((at) + 3) * 32 + 16, 14, 0}, {prefix "_height_less_1", ((at) + 4) * 32, 14, 0}, \
	{prefix "_depth_less_1", ((at) + 4) * 32 + 16, 13, 0}, {prefix "_layout", ((at) + 5) * 32, 32, 0}
#define RECTANGLE(at) \
	{"width_less_1", (at) * 32, 14, 0}, {"height_less_1", (at) * 32 + 16, 14, 0}, {"depth_less_1", ((at) + 1) * 32, 13, 0}

static const struct bw_pm4_call calls[] = {
/* The forms of data/pm4/packets.txt */
#include "pm4/calls.inc"

	/* ---- SDMA: fields by sdma_v6_0_0_pkt_open.h of Linux 6.12 ---- */
	{"sdma_nop", BW_SDMA_NOP, true, 1, true, 16, 14, 0, {}},
	{SDMA("sdma_copy_linear", COPY_LINEAR, 7), {S("bytes_less_1", BW_SDMA_COPY_COUNT), D("parameters", 2), ADDRESS("source", 3),
		ADDRESS("destination", 5)}},
	{SDMA("sdma_copy_broadcast", COPY_LINEAR, 9), {S("broadcast", BW_SDMA_COPY_BROADCAST), S("bytes_less_1", BW_SDMA_COPY_COUNT),
		D("parameters", 2), ADDRESS("source", 3), ADDRESS("destination", 5), ADDRESS("destination_2", 7)}},
	{SDMA("sdma_copy_linear_sub_window", COPY_LINEAR_SUB_WINDOW, 13), {S("element_log2", BW_SDMA_WINDOW_ELEMENT_SIZE),
		LINEAR("source", 1, 13), LINEAR("destination", 6, 13), RECTANGLE(11)}},
	{SDMA("sdma_copy_tiled_sub_window", COPY_TILED_SUB_WINDOW, 14), {S("detile", BW_SDMA_WINDOW_DETILE), TILED("tiled", 1),
		LINEAR("linear", 7, 16), RECTANGLE(12)}},
	{SDMA("sdma_copy_t2t_sub_window", COPY_T2T_SUB_WINDOW, 15), {TILED("source", 1), TILED("destination", 7), RECTANGLE(13)}},
	{"sdma_write_linear", BW_SDMA_WRITE_LINEAR, true, 4, true, 32 * 3, 20, 1, {ADDRESS("destination", 1)}},
	{SDMA("sdma_indirect", INDIRECT, 6), {S("vmid", BW_SDMA_IB_VMID), STREAM(1),
		STREAM_SIZE(BW_SDMA_IB_SIZE), ADDRESS("csa", 4)}},
	{SDMA("sdma_fence", FENCE, 4), {S("mtype", BW_SDMA_FENCE_MTYPE), ADDRESS("address", 1), D("value", 3)}},
	{SDMA("sdma_trap", TRAP, 2), {S("int_context", BW_SDMA_TRAP_INT_CONTEXT)}},
	{SDMA("sdma_semaphore", SEMAPHORE, 3), {ADDRESS("address", 1)}},
	{SDMA("sdma_mem_incr", MEM_INCR, 3), {ADDRESS("address", 1)}},
	{SDMA("sdma_poll_regmem", POLL_REGMEM, 6), {S("hdp_flush", BW_SDMA_POLL_HDP_FLUSH), S("function", BW_SDMA_POLL_FUNC),
		S("in_memory", BW_SDMA_POLL_MEM), ADDRESS("address", 1), D("reference", 3), D("mask", 4), S("interval", BW_SDMA_POLL_INTERVAL),
		S("retry_count", BW_SDMA_POLL_RETRY_COUNT)}},
	{SDMA("sdma_poll_reg_write_mem", POLL_REG_WRITE_MEM, 4), {D("register_", 1), ADDRESS("address", 2)}},
	{SDMA("sdma_vm_invalidation", VM_INVALIDATION, 4), {S("engine", BW_SDMA_INVALIDATION_ENG), D("request", 1), D("address_range_lo", 2),
		S("ack", BW_SDMA_INVALIDATION_ACK), {"address_range_hi", 32 * 3 + 16, 16, 0}}},
	{SDMA("sdma_cond_exe", COND_EXE, 5), {ADDRESS("address", 1), D("reference", 3), S("n_dw", BW_SDMA_COND_EXE_COUNT)}},
	{SDMA("sdma_atomic", ATOMIC, 8), {S("loop", BW_SDMA_ATOMIC_LOOP), S("operation", BW_SDMA_ATOMIC_OP), S("is_64", BW_SDMA_ATOMIC_IS_64),
		ADDRESS("address", 1), Q("source", 3), Q("compare", 5), D("loop_interval", 7)}},
	{SDMA("sdma_constant_fill", CONSTANT_FILL, 5), {S("unit_log2", BW_SDMA_FILL_SIZE), ADDRESS("destination", 1), D("value", 3),
		S("bytes_less_1", BW_SDMA_FILL_COUNT)}},
	{SDMA("sdma_ptepde", PTEPDE, 10), {ADDRESS("destination", 1), Q("entry_flags", 3), Q("value", 5), Q("increment", 7),
		S("entries_less_1", BW_SDMA_PTEPDE_COUNT)}},
	{SDMA("sdma_timestamp_set", TIMESTAMP_SET, 3), {Q("value", 1)}},
	{SDMA("sdma_timestamp_get", TIMESTAMP_GET, 3), {ADDRESS("address", 1)}},
	{SDMA("sdma_timestamp_get_global", TIMESTAMP_GET_GLOBAL, 3), {ADDRESS("address", 1)}},
	{SDMA("sdma_srbm_write", SRBM_WRITE, 3), {S("byte_enable", BW_SDMA_SRBM_BYTE_EN), S("register_", BW_SDMA_SRBM_ADDR), D("value", 2)}},
	{SDMA("sdma_pre_exe", PRE_EXE, 2), {S("devices", BW_SDMA_PRE_EXE_DEV_SEL), S("n_dw", BW_SDMA_PRE_EXE_COUNT)}},
	{SDMA("sdma_gcr_req", GCR_REQ, 5), {D("base_lo", 1), {"base_hi", 64, 16, 0}, S("gcr", BW_SDMA_GCR_CONTROL), {"limit_lo", 32 * 3 + 3, 29, 0}, D("limit_hi", 4)}},
};
/* clang-format on */

/* One more than a packet of a row has; data is not looked at here. */
enum { FIXED_MAX_DW = 16 };

const struct bw_pm4_call *bw_pm4_calls(unsigned *out_n)
{
	*out_n = BW_ARRAY_SIZE(calls);
	return calls;
}

uint64_t bw_pm4_call_get(const struct bw_pm4_call_field *f, const uint32_t *dw)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < f->n_bits; i++)
		v |= (uint64_t)(dw[(f->lo + i) / 32] >> (f->lo + i) % 32 & 1) << i;
	return v;
}

static void clear(uint32_t *dw, unsigned lo, unsigned n_bits)
{
	for (unsigned i = lo; i < lo + n_bits; i++)
		dw[i / 32] &= ~(1u << i % 32);
}

static bool has_size(const struct bw_pm4_call *c, uint32_t n_dw)
{
	return c->n_dw == n_dw || (c->has_data && n_dw > c->n_dw);
}

const struct bw_pm4_call *bw_pm4_form_of(const uint32_t *dw, uint32_t n_dw)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(calls); i++)
		if (!calls[i].is_sdma && calls[i].code == bw_pm4_opcode(dw[0]) &&
		    has_size(&calls[i], n_dw))
			return &calls[i];
	return NULL;
}

/* The fixed part of a packet without what its fields name. */
static void find_unnamed(const struct bw_pm4_call *c, const uint32_t *dw,
			 uint32_t out[FIXED_MAX_DW])
{
	memcpy(out, dw, c->n_dw * sizeof(*out));
	for (const struct bw_pm4_call_field *f = c->fields; f->name; f++)
		clear(out, f->lo, f->n_bits);
}

uint32_t bw_pm4_call_unnamed(const struct bw_pm4_call *c, const uint32_t *dw, unsigned at)
{
	uint32_t left[FIXED_MAX_DW];
	find_unnamed(c, dw, left);
	return left[at];
}

/* Whether each bit of the packet's fixed part is a field's, or the header's own. */
static bool makes(const struct bw_pm4_call *c, const uint32_t *dw, uint32_t n_dw,
		  uint32_t *out_flags)
{
	const struct bw_pm4_call_field count = {"", c->count_lo, c->count_bits, 0};
	uint32_t left[FIXED_MAX_DW];
	find_unnamed(c, dw, left);
	if (c->count_bits && bw_pm4_call_get(&count, dw) != n_dw - c->n_dw - c->count_less)
		return false;
	clear(left, c->count_lo, c->count_bits);
	if (c->is_sdma) {
		*out_flags = left[0] & 0xffff0000u;
	} else if (n_dw < 2 || (dw[0] & ~0xffu) != bw_pm4_header(c->code, n_dw - 1)) {
		return false;
	} else {
		*out_flags = left[0] & 0xff;
	}
	for (unsigned i = 1; i < c->n_dw; i++)
		if (left[i])
			return false;
	return true;
}

const struct bw_pm4_call *bw_pm4_call_of(const uint32_t *dw, uint32_t n_dw, bool is_sdma,
					 uint32_t *out_flags)
{
	unsigned code = is_sdma ? (unsigned)bw_words_get(dw, BW_SDMA_CODE) : bw_pm4_opcode(dw[0]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(calls); i++) {
		const struct bw_pm4_call *c = &calls[i];
		if (c->is_sdma == is_sdma && c->code == code && has_size(c, n_dw) &&
		    makes(c, dw, n_dw, out_flags))
			return c;
	}
	return NULL;
}
