/* SPDX-License-Identifier: MIT */
#include "pm4/calls.h"

#include <string.h>

#include "base/util.h"
#include "pm4/fields.h"
#include "pm4/pm4.h"
#include "pm4/sdma.h"

static const struct bw_pm4_call calls[] = {
#include "pm4/calls.inc"
};

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
			 uint32_t out[BW_PM4_CALL_MAX_DW])
{
	memcpy(out, dw, c->n_dw * sizeof(*out));
	for (const struct bw_pm4_call_field *f = c->fields; f->name; f++)
		clear(out, f->lo, f->n_bits);
}

uint32_t bw_pm4_call_unnamed(const struct bw_pm4_call *c, const uint32_t *dw, unsigned at)
{
	uint32_t left[BW_PM4_CALL_MAX_DW];
	find_unnamed(c, dw, left);
	return left[at];
}

/* Whether each bit of the packet's fixed part is a field's, or the header's own. */
static bool makes(const struct bw_pm4_call *c, const uint32_t *dw, uint32_t n_dw,
		  uint32_t *out_flags)
{
	const struct bw_pm4_call_field count = {"", c->count_lo, c->count_bits, 0};
	uint32_t left[BW_PM4_CALL_MAX_DW];
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
