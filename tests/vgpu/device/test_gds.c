/* SPDX-License-Identifier: MIT */
/* The global data share, by the text of AMD's RDNA3 ISA document: its instructions in a wave, and
 * the packets that read what shaders have counted. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "isa/ops.h"
#include "pm4/pm4.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/gds.h"

enum { LANES = 32, N_VGPRS = 8, WAIT_MS = 60000, ADDRESS = 1, DATA = 2, RESULT = 3, LANE = 5 };

struct fixture {
	struct rig r;
	struct bw_wave w;
	uint32_t v[N_VGPRS * LANES];
};

/* Lane 5 is the first active one; the others have numbers that must not count. */
static struct fixture *begin(void)
{
	static struct fixture f;
	memset(&f, 0, sizeof(f));
	rig_start(&f.r, NULL);
	f.w.v = f.v;
	f.w.n_vgprs = N_VGPRS;
	f.w.lanes = LANES;
	f.w.s[BW_SRC_EXEC_LO] = 0xffffffe0;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(f.v); i++)
		f.v[i] = 1000 + i;
	return &f;
}

/* Executes op at the address with the data. What the first active lane gets. */
static uint32_t run(struct fixture *f, enum bw_op op, uint16_t offset, uint32_t address,
		    uint32_t data)
{
	const struct bw_inst in = {.op = op,
				   .fmt = BW_FMT_DS,
				   .gds = true,
				   .imm = offset,
				   .offset0 = (uint8_t)offset,
				   .offset1 = (uint8_t)(offset >> 8),
				   .vaddr = ADDRESS,
				   .vdata = DATA,
				   .dst = RESULT};
	f->v[ADDRESS * LANES + LANE] = address;
	f->v[DATA * LANES + LANE] = data;
	assert_true(bw_gds_instruction(f->r.dev, &f->w, &in));
	for (unsigned i = 0; i < LANES; i++)
		if (i != LANE)
			assert_int_equal(f->v[RESULT * LANES + i], 1000 + RESULT * LANES + i);
	return f->v[RESULT * LANES + LANE];
}

static void counters(void **state)
{
	struct fixture *f = begin();
	rig_write(&f->r, REG(GDS_STRMOUT_DWORDS_WRITTEN_0), 100);
	rig_write(&f->r, REG(GDS_STRMOUT_DWORDS_WRITTEN_3), 7);
	assert_int_equal(run(f, BW_OP_DS_ADD_GS_REG_RTN, 0, 77, 20), 100);
	assert_int_equal(run(f, BW_OP_DS_ADD_GS_REG_RTN, 12, 77, 0xffffffff), 7);
	assert_int_equal(run(f, BW_OP_DS_SUB_GS_REG_RTN, 0, 77, 50), 120);
	assert_int_equal(rig_read(&f->r, REG(GDS_STRMOUT_DWORDS_WRITTEN_0)), 70);
	assert_int_equal(rig_read(&f->r, REG(GDS_STRMOUT_DWORDS_WRITTEN_1)), 0);
	assert_int_equal(rig_read(&f->r, REG(GDS_STRMOUT_DWORDS_WRITTEN_3)), 6);
	/* without an active lane nothing happens */
	f->w.s[BW_SRC_EXEC_LO] = 0;
	run(f, BW_OP_DS_ADD_GS_REG_RTN, 0, 77, 1);
	assert_int_equal(rig_read(&f->r, REG(GDS_STRMOUT_DWORDS_WRITTEN_0)), 70);
	rig_stop(&f->r);
}

/* Registers that drivers do not use, and other operations. */
static void others_are_refused(void **state)
{
	static const struct bw_inst others[] = {
		{.op = BW_OP_DS_ADD_GS_REG_RTN, .imm = 16},
		{.op = BW_OP_DS_SUB_GS_REG_RTN, .imm = 60},
		{.op = BW_OP_DS_LOAD_B32},
		{.op = BW_OP_DS_ADD_U64},
	};
	struct fixture *f = begin();
	for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++)
		assert_false(bw_gds_instruction(f->r.dev, &f->w, &others[i]));
	rig_stop(&f->r);
}

static void memory(void **state)
{
	struct fixture *f = begin();
	f->w.s[BW_SRC_M0] = 0x100; /* 256 bytes from 0 on */
	run(f, BW_OP_DS_ADD_U32, 8, 16, 5);
	run(f, BW_OP_DS_ADD_U32, 0, 24, 6);
	run(f, BW_OP_DS_ADD_U32, 0, 0x100, 1); /* beyond the size */
	run(f, BW_OP_DS_ADD_U32, 0xffff, 0xffffffff, 1);
	assert_int_equal(bw_gds_read(f->r.dev, 24), 11);
	assert_int_equal(bw_gds_read(f->r.dev, 0x100), 0);
	/* 16 bytes at the end, of which an instruction may name more */
	f->w.s[BW_SRC_M0] = 0xff0u << 16 | 0xffff;
	run(f, BW_OP_DS_ADD_U32, 0, 12, 3);
	run(f, BW_OP_DS_ADD_U32, 0, 16, 3);
	assert_int_equal(bw_gds_read(f->r.dev, 0xffc), 3);
	assert_int_equal(bw_gds_read(f->r.dev, 0x1000), 0);
	assert_int_equal(bw_gds_read(f->r.dev, UINT64_MAX), 0);
	assert_int_equal(bw_gds_read(f->r.dev, 0), 0);
	/* here the lower half of M0 is the subgroup's number; dword 2 of those from 32 on */
	f->w.s[BW_SRC_M0] = 32u << 16 | 3;
	assert_int_equal(run(f, BW_OP_DS_ORDERED_COUNT, 2 << 2, 9, 77), 0);
	assert_int_equal(run(f, BW_OP_DS_ORDERED_COUNT, 2 << 2 | 3 << 8, 1, 77), 9);
	assert_int_equal(bw_gds_read(f->r.dev, 40), 10);
	f->w.s[BW_SRC_M0] = 0xffffu << 16;
	assert_int_equal(run(f, BW_OP_DS_ORDERED_COUNT, 63 << 2, 9, 77), 0);
	rig_stop(&f->r);
}

/* COPY_DATA from the share to memory, 32 and 64 bits, and beyond its end. */
static void packets_read_it(void **state)
{
	enum { FROM_GDS = 3, TO_MEMORY = 5 << 8, IS_64 = 1 << 16 };
	static const struct {
		uint32_t flags, from, expected[2];
	} rows[] = {
		{0, 24, {11, 77}},    {IS_64, 24, {11, 12}},	   {IS_64, 0xffc, {13, 0}},
		{0, 0x1000, {0, 77}}, {IS_64, 0xfffffffc, {0, 0}},
	};
	struct fixture *f = begin();
	struct bw_pm4_stream s = {0};
	uint32_t *to = rig_ptr(&f->r, RIG_DATA);
	f->w.s[BW_SRC_M0] = 0xffff;
	run(f, BW_OP_DS_ADD_U32, 0, 24, 11);
	run(f, BW_OP_DS_ADD_U32, 0, 28, 12);
	run(f, BW_OP_DS_ADD_U32, 0, 0xffc, 13);
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		to[2 * i] = to[2 * i + 1] = 77;
		const uint32_t words[] = {
			0xc0044000, FROM_GDS | TO_MEMORY | rows[i].flags, rows[i].from,
			0,	    (uint32_t)RIG_DATA + 8 * i,		  0};
		bw_pm4_put_words(&s, words, BW_ARRAY_SIZE(words));
	}
	assert_true(rig_wait(&f->r, 0, rig_submit(&f->r, 0, &s), WAIT_MS));
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		assert_memory_equal(&to[2 * i], rows[i].expected, 8);
	rig_stop(&f->r);
}

/* What conditional rendering does where not all primitives have been stored: pairs of counts, of
 * which any may tell. */
static void missing_primitives(void **state)
{
	enum { PRIMCOUNT = 2 << 16, IF_NOTHING_MISSING = 1 << 8, N = 3 };
	const uint32_t continues = 1u << 31;
	static const uint64_t counts[N][4] = {
		{5, 7, 9, 11}, /* four of four */
		{5, 7, 9, 12}, /* four of five */
		{0, 0, 0, 1},
	};
	static const struct {
		uint32_t flags[2], at[2];
		bool executed;
	} rows[] = {
		{{IF_NOTHING_MISSING}, {0}, true},
		{{IF_NOTHING_MISSING}, {1}, false},
		{{0}, {0}, false},
		{{0}, {2}, true},
		{{0, continues}, {1, 0}, true},
		{{0, continues}, {0, 1}, true},
		{{IF_NOTHING_MISSING, IF_NOTHING_MISSING | continues}, {0, 1}, false},
		{{IF_NOTHING_MISSING, IF_NOTHING_MISSING | continues}, {0, 0}, true},
	};
	struct fixture *f = begin();
	struct bw_pm4_stream s = {0};
	uint64_t *count = rig_ptr(&f->r, RIG_DATA);
	uint32_t *to = rig_ptr(&f->r, RIG_DATA + 0x1000);
	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < 4; k++)
			count[4 * i + k] = counts[i][k] | 1ull << 63;
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		to[i] = 0;
		for (unsigned k = 0; k < (rows[i].flags[1] ? 2 : 1); k++) {
			const uint32_t words[] = {0xc0022000, PRIMCOUNT | rows[i].flags[k],
						  (uint32_t)RIG_DATA + 32 * rows[i].at[k], 0};
			bw_pm4_put_words(&s, words, BW_ARRAY_SIZE(words));
		}
		size_t at = s.len;
		bw_pm4_put_write_mem(&s, RIG_DATA + 0x1000 + 4 * i, &(uint32_t){7}, 1);
		s.data[at] |= 1; /* with the predicate bit */
	}
	assert_true(rig_wait(&f->r, 0, rig_submit(&f->r, 0, &s), WAIT_MS));
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		assert_int_equal(to[i], rows[i].executed ? 7 : 0);
	rig_stop(&f->r);
}

TESTS(counters, others_are_refused, memory, packets_read_it, missing_primitives);
