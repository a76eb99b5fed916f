/* SPDX-License-Identifier: MIT */
/* Packets as calls: the rows' fields do not overlap, and the fields of what a row takes make the
 * same words again, as programs of breakwater decompile make them. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/calls.h"
#include "pm4/pm4.h"
#include "pm4/sdma.h"

enum { DATA_MAX_DW = 6, PACKET_MAX_DW = BW_PM4_CALL_MAX_DW + DATA_MAX_DW, ROUNDS = 200 };

static uint32_t random_state = 4711;
static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state ^ random_state >> 15;
}

static void put(uint32_t *dw, unsigned lo, unsigned n_bits, uint64_t value)
{
	for (unsigned i = 0; i < n_bits; i++)
		dw[(lo + i) / 32] |= (uint32_t)(value >> i & 1) << (lo + i) % 32;
}

/* What the header that programs include does with a row (bw_fields in breakwater_edit.h). */
static void make(const struct bw_pm4_call *c, uint32_t flags, const uint64_t *values,
		 uint32_t n_data, uint32_t *out)
{
	memset(out, 0, PACKET_MAX_DW * 4);
	out[0] = (c->is_sdma ? c->code : 3u << 30 | (uint32_t)c->code << 8) | flags;
	for (unsigned i = 0; c->fields[i].name; i++)
		put(out, c->fields[i].lo, c->fields[i].n_bits, values[i]);
	put(out, c->count_lo, c->count_bits, n_data - c->count_less);
	if (!c->is_sdma)
		out[0] |= ((c->n_dw + n_data - 2) & 0x3fffu) << 16;
}

static void rows(void **state)
{
	unsigned n;
	const struct bw_pm4_call *calls = bw_pm4_calls(&n);
	for (unsigned i = 0; i < n; i++) {
		const struct bw_pm4_call *c = &calls[i];
		uint32_t used[PACKET_MAX_DW] = {0};
		unsigned n_fields = 0;
		put(used, c->count_lo, c->count_bits, UINT64_MAX);
		for (const struct bw_pm4_call_field *f = c->fields; f->name; f++, n_fields++) {
			assert_in_range(f->n_bits, 1, 64);
			assert_true(f->lo + f->n_bits <= c->n_dw * 32);
			assert_true(f->lo >= (c->is_sdma ? 16 : 32));
			for (unsigned k = f->lo; k < (unsigned)f->lo + f->n_bits; k++) {
				if (used[k / 32] >> k % 32 & 1)
					fail_msg("%s: %s overlaps", c->name, f->name);
				used[k / 32] |= 1u << k % 32;
			}
		}
		assert_true(n_fields < BW_PM4_CALL_FIELDS_MAX);
		assert_true(c->n_dw <= BW_PM4_CALL_MAX_DW);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(c->name, calls[k].name);
	}
	assert_true(n > 40);
}

static void round_trips(void **state)
{
	unsigned n, n_same = 0;
	const struct bw_pm4_call *calls = bw_pm4_calls(&n);
	for (unsigned i = 0; i < n * ROUNDS; i++) {
		const struct bw_pm4_call *c = &calls[i % n];
		uint32_t dw[PACKET_MAX_DW], again[PACKET_MAX_DW], flags = 0;
		uint64_t values[BW_PM4_CALL_FIELDS_MAX] = {0};
		uint32_t n_data = c->has_data ? 1 + next_random() % DATA_MAX_DW : 0;
		for (unsigned k = 0; c->fields[k].name; k++)
			values[k] = bw_join32(next_random(), next_random()) &
				    ~0ull >> (64 - c->fields[k].n_bits);
		make(c, c->is_sdma ? 0 : next_random() & 3, values, n_data, dw);
		const struct bw_pm4_call *found =
			bw_pm4_call_of(dw, c->n_dw + n_data, c->is_sdma, &flags);
		assert_non_null(found);
		for (unsigned k = 0; found->fields[k].name; k++)
			values[k] = bw_pm4_call_get(&found->fields[k], dw);
		make(found, flags, values, n_data, again);
		assert_memory_equal(dw, again, sizeof(dw));
		n_same += found == c;
	}
	/* where two rows can make the same words, the first one is taken */
	assert_true(n_same >= n * ROUNDS * 9 / 10);
}

/* A bit that no field has: no row makes that packet. */
static void other_bits(void **state)
{
	/* WAIT_REG_MEM with bit 3 of its control word, which no field covers */
	uint32_t wait[7] = {
		bw_pm4_header(BW_PM4_WAIT_REG_MEM, 6), 3 | 1 << 4, 0x1000, 0, 1, ~0u, 4};
	uint32_t fence[4] = {BW_SDMA_FENCE, 0x1000, 0, 7}, flags = 0;
	const struct bw_pm4_call *c = bw_pm4_call_of(wait, 7, false, &flags);
	assert_string_equal(c->name, "wait_reg_mem");
	assert_string_equal(c->fields[5].name, "address");
	assert_int_equal(bw_pm4_call_get(&c->fields[5], wait), 0x1000);
	wait[1] |= 1 << 3;
	assert_null(bw_pm4_call_of(wait, 7, false, &flags));
	/* the count of an SDMA packet that is not its size */
	uint32_t write[6] = {BW_SDMA_WRITE_LINEAR, 0x1000, 0, 1, 5, 6};
	assert_string_equal(bw_pm4_call_of(write, 6, true, &flags)->name, "sdma_write_linear");
	assert_null(bw_pm4_call_of(write, 5, true, &flags));
	/* bits of a header that no field has are flags */
	fence[0] |= 1u << 31;
	assert_string_equal(bw_pm4_call_of(fence, 4, true, &flags)->name, "sdma_fence");
	assert_int_equal(flags, 1u << 31);
}

TESTS(rows, round_trips, other_bits);
