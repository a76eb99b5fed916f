/* SPDX-License-Identifier: MIT */
/* Memory instructions by examples of the rules of doc/rules.md (numbers in comments), from
 * their encodings, and what the model test leaves out: scalar loads, lane permutations, append and
 * consume, cache control. */
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "isa/ops.h"
#include "mem_env.h"

static struct env e;

static int setup(void **state)
{
	env_init(&e, 32);
	return 0;
}

static int teardown(void **state)
{
	env_fini(&e);
	return 0;
}

/* Decodes and executes; the words are what llvm-mc-19 gives for the text beside them. */
static enum bw_mem_result run(uint32_t w0, uint32_t w1)
{
	uint32_t words[2] = {w0, w1};
	bool illegal;
	assert_true(bw_isa_decode(BW_ISA_GFX11, words, 2, &e.inst));
	enum bw_mem_result result = env_run(&e, &illegal);
	assert_false(illegal);
	return result;
}

static void ok(uint32_t w0, uint32_t w1)
{
	assert_int_equal(run(w0, w1), BW_MEM_OK);
}

static void poke(uint64_t va, const void *data, size_t size_b)
{
	for (size_t i = 0; i < size_b; i++)
		*env_byte(&e, va + i, false) = ((const uint8_t *)data)[i];
}

static void poke32(uint64_t va, uint32_t v)
{
	poke(va, &v, 4);
}

static uint32_t peek32(uint64_t va)
{
	uint32_t v = 0;
	for (unsigned i = 0; i < 4; i++)
		v |= (uint32_t)*env_byte(&e, va + i, false) << 8 * i;
	return v;
}

static void set_s64(unsigned code, uint64_t v)
{
	e.w.s[code] = (uint32_t)v;
	e.w.s[code + 1] = (uint32_t)(v >> 32);
}

static void set_v64(unsigned reg, uint64_t v)
{
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, reg, i) = (uint32_t)v;
		*env_v(&e, reg + 1, i) = (uint32_t)(v >> 32);
	}
}

static void set_v(unsigned reg, uint32_t v)
{
	for (unsigned i = 0; i < e.w.lanes; i++)
		*env_v(&e, reg, i) = v;
}

static uint32_t lds32(unsigned at)
{
	uint32_t v;
	memcpy(&v, e.lds + at, 4);
	return v;
}

static void set_lds32(unsigned at, uint32_t v)
{
	memcpy(e.lds + at, &v, 4);
}

/* ---- scalar ---- */

static void smem_offsets(void **state)
{
	poke32(ENV_VA + 100, 0x11112222);
	poke32(ENV_VA + 300, 0x33334444);
	set_s64(2, ENV_VA + 200);
	e.w.s[5] = 0xdeadbeef;
	ok(0xf4000101, 0xf81fff9c); /* s_load_b32 s4, s[2:3], -0x64                      rule 331 */
	assert_int_equal(e.w.s[4], 0x11112222);
	assert_int_equal(e.w.s[5], 0xdeadbeef);
	e.w.s[8] = 60;
	ok(0xf4000201, 0x10000028); /* s_load_b32 s8, s[2:3], s8 offset:0x28: SOFFSET first  332 */
	assert_int_equal(e.w.s[8], 0x33334444);
	set_s64(2, ENV_VA + 103);
	ok(0xf4000101, 0xf8000000); /* s_load_b32 s4, s[2:3], null: low bits cleared */
	assert_int_equal(e.w.s[4], 0x11112222);
}

static void smem_sizes(void **state)
{
	static const struct {
		uint32_t w0;
		unsigned n;
	} loads[] = {
		{0xf4040101, 2},
		{0xf4080101, 4},
		{0xf40c0101, 8},
		{0xf4100101, 16},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(loads); i++) {
		/* across a page */
		uint64_t va = ENV_VA + BW_PAGE_B - 4;
		for (unsigned k = 0; k < loads[i].n; k++)
			poke32(va + 4 * k, 0xabc00000 + k);
		set_s64(2, va);
		memset(&e.w.s[4], 0x55, 4 * 20);
		e.w.s[BW_SRC_EXEC_LO] = 0; /* scalar memory ignores EXEC: rule 17 */
		ok(loads[i].w0, 0xf8000000);
		for (unsigned k = 0; k < loads[i].n; k++)
			assert_int_equal(e.w.s[4 + k], 0xabc00000 + k);
		assert_int_equal(e.w.s[4 + loads[i].n], 0x55555555);
	}
}

static void smem_destinations(void **state)
{
	for (unsigned k = 0; k < 4; k++)
		poke32(ENV_VA + 4 * k, 0x100 + k);
	set_s64(2, ENV_VA);
	e.w.s[BW_SRC_TTMP0 + 4] = 7;
	ok(0xf4001c01, 0xf8000000); /* s_load_b32 ttmp4 ...: dropped without privilege       30 */
	assert_int_equal(e.w.s[BW_SRC_TTMP0 + 4], 7);
	e.w.status |= BW_STATUS_PRIV;
	ok(0xf4001c01, 0xf8000000);
	assert_int_equal(e.w.s[BW_SRC_TTMP0 + 4], 0x100);
	set_s64(BW_SRC_TTMP0 + 2, ENV_VA + 8);
	ok(0xf4000137, 0xf8000000); /* s_load_b32 s4, ttmp[2:3], null */
	assert_int_equal(e.w.s[4], 0x102);
	ok(0xf4001f01, 0xf8000000); /* s_load_b32 null ... */
	assert_int_equal(e.w.s[BW_SRC_NULL], 0);
	ok(0xf4041a81, 0xf8000000); /* s_load_b64 vcc, s[2:3], null */
	assert_int_equal(e.w.s[BW_SRC_VCC_LO], 0x100);
	assert_int_equal(e.w.s[BW_SRC_VCC_HI], 0x101);
	ok(0xf4081a01, 0xf8000000); /* s_load_b128 s[104:107], s[2:3], null */
	assert_int_equal(e.w.s[105], 0x101);
	assert_int_equal(e.w.s[BW_SRC_VCC_HI], 0x103);
	e.w.s[BW_SRC_TTMP0] = 3;
	e.inst = (struct bw_inst){
		.op = bw_isa_op_by_name("s_load_b256"), .dst = 104, .saddr = 2, .soffset = 124};
	bool illegal;
	assert_int_equal(env_run(&e, &illegal), BW_MEM_OK); /* beyond VCC nothing is written   35 */
	assert_int_equal(e.w.s[BW_SRC_VCC_HI], 0x103);
	assert_int_equal(e.w.s[BW_SRC_TTMP0], 3);
}

static void smem_faults(void **state)
{
	set_s64(2, ENV_VA + ENV_PAGES * BW_PAGE_B - 4);
	e.w.s[4] = 0x1234;
	/* s_load_b64: second dword */
	assert_int_equal(run(0xf4040101, 0xf8000000), BW_MEM_FAULT_PAGE);
	assert_int_equal(e.w.fault.va, ENV_VA + ENV_PAGES * BW_PAGE_B);
	assert_int_equal(e.w.fault_lanes, 0);
	assert_int_equal(e.w.s[4], 0x1234); /* data is not written: rule 339 */
	set_s64(2, 0x1234567812345678);
	assert_int_equal(run(0xf4000101, 0xf8000000), BW_MEM_FAULT_APERTURE);
	set_s64(2, ENV_PRT_VA);
	ok(0xf4000101, 0xf8000000);
	assert_int_equal(e.w.s[4], 0);
}

static void smem_buffers(void **state)
{
	for (unsigned k = 0; k < 8; k++)
		poke32(ENV_VA + 64 + 4 * k, 0x700 + k);
	set_s64(0, (ENV_VA + 64) | (uint64_t)8 << 48);
	e.w.s[2] = 2; /* records of 8 bytes: 16 bytes in all (rule 334) */
	e.w.s[3] = 0;
	ok(0xf4280100, 0xf8000008); /* s_buffer_load_b128 s[4:7], s[0:3], 0x8 */
	assert_int_equal(e.w.s[4], 0x702);
	assert_int_equal(e.w.s[5], 0x703);
	assert_int_equal(e.w.s[6], 0);
	assert_int_equal(e.w.s[7], 0);
	set_s64(0, ENV_VA + 64); /* stride 0: NUM_RECORDS are bytes */
	e.w.s[2] = 4;
	ok(0xf4240100, 0xf8000000); /* s_buffer_load_b64 */
	assert_int_equal(e.w.s[4], 0x700);
	assert_int_equal(e.w.s[5], 0);
	set_s64(0, 0); /* nothing is in range of a null descriptor, so nothing is touched */
	e.w.s[2] = 0;
	ok(0xf4200100, 0xf8000000);
	assert_int_equal(e.w.s[4], 0);
}

static void cache_control(void **state)
{
	ok(0xf4840000, 0xf8000000); /* s_dcache_inv */
	ok(0xf4800000, 0xf8000000); /* s_gl1_inv */
	ok(0xe0ac0000, 0x80000000); /* buffer_gl0_inv */
	ok(0xe0b00000, 0x80000000); /* buffer_gl1_inv */
	ok(0xd8500000, 0x00000000); /* ds_nop */
}

/* ---- global ---- */

static void global_examples(void **state)
{
	poke32(ENV_VA + 100, 0xcafe1234);
	set_v64(2, ENV_VA + 200);
	/* global_load_b32 v1, v[2:3], off offset:-100 rule 373 */
	ok(0xdc521f9c, 0x017c0002);
	assert_int_equal(*env_v(&e, 1, 31), 0xcafe1234);
	set_s64(2, ENV_VA + 200);
	set_v(2, 0);
	ok(0xdc521f9c, 0x01020002); /* global_load_b32 v1, v2, s[2:3] offset:-100 */
	assert_int_equal(*env_v(&e, 1, 0), 0xcafe1234);

	/* rule 386: a 16-bit store at byte 1 and at byte 3 */
	e.w.s[BW_SRC_EXEC_LO] = 1;
	poke32(ENV_VA + 400, 0xddccbbaa);
	poke32(ENV_VA + 404, 0x44332211);
	set_v(1, 0xbeef);
	set_v64(2, ENV_VA + 401);
	ok(0xdc660000, 0x007c0102); /* global_store_b16 v[2:3], v1, off */
	assert_int_equal(peek32(ENV_VA + 400), 0xddbeefaa);
	set_v64(2, ENV_VA + 403);
	ok(0xdc660000, 0x007c0102);
	assert_int_equal(peek32(ENV_VA + 400), 0xefbeefaa);
	assert_int_equal(peek32(ENV_VA + 404), 0x443322be);

	/* rule 387: the address lies inside the destination */
	for (unsigned k = 0; k < 4; k++)
		poke32(ENV_VA + 512 + 4 * k, 0x50 + k);
	set_v64(2, ENV_VA + 512);
	ok(0xdc5e0000, 0x017c0002); /* global_load_b128 v[1:4], v[2:3], off */
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(*env_v(&e, 1 + k, 0), 0x50 + k);

	/* rule 388: d16_hi keeps the low half of VDST */
	poke32(ENV_VA + 600, 0x1234);
	set_v64(2, ENV_VA + 600);
	set_v(1, 0xaaaabbbb);
	ok(0xdc8e0000, 0x017c0002); /* global_load_d16_hi_b16 v1, v[2:3], off */
	assert_int_equal(*env_v(&e, 1, 0), 0x1234bbbb);
	assert_int_equal(*env_v(&e, 1, 1), 0xaaaabbbb);
}

static void global_atomics(void **state)
{
	e.w.s[BW_SRC_EXEC_LO] = 1;
	set_v64(2, ENV_VA + 64);
	poke32(ENV_VA + 64, 100);
	set_v(1, 50);
	/* global_atomic_add_u32 v5, v[2:3], v1, off glc rule 390 */
	ok(0xdcd64000, 0x057c0102);
	assert_int_equal(*env_v(&e, 5, 0), 100);
	assert_int_equal(peek32(ENV_VA + 64), 150);
	poke32(ENV_VA + 64, 10);
	set_v(1, 100);
	set_v(5, 77);
	ok(0xdcfe0000, 0x057c0102); /* global_atomic_inc_u32 v[2:3], v1, off: no return */
	assert_int_equal(peek32(ENV_VA + 64), 11);
	assert_int_equal(*env_v(&e, 5, 0), 77);
	poke32(ENV_VA + 64, 10);
	ok(0xdd020000, 0x057c0102); /* global_atomic_dec_u32 */
	assert_int_equal(peek32(ENV_VA + 64), 9);

	/* All lanes add 1: each gets the value before its own (426). */
	e.w.s[BW_SRC_EXEC_LO] = UINT32_MAX;
	poke32(ENV_VA + 64, 0);
	set_v(1, 1);
	ok(0xdcd64000, 0x057c0102);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(*env_v(&e, 5, i), i);
	assert_int_equal(peek32(ENV_VA + 64), 32);

	/* Unaligned: a violation in that lane, and no lane's memory has changed (391). */
	*env_v(&e, 2, 7) += 2;
	assert_int_equal(run(0xdcd64000, 0x057c0102), BW_MEM_FAULT_APERTURE);
	assert_int_equal(e.w.fault_lanes, 1 << 7);
	assert_int_equal(e.w.fault.va, ENV_VA + 66);
	assert_int_equal(peek32(ENV_VA + 64), 32);
}

/* Denormals and NaNs of atomics on floats: rules 421 to 425. */
static void float_atomics(void **state)
{
	static const struct {
		uint32_t memory, data, sum, min, max;
	} rows[] = {
		{0x3f800000, 0x40000000, 0x40400000, 0x3f800000, 0x40000000},
		/* a denormal goes in */
		{0x00000001, 0x3f800000, 0x3f800000, 0x00000001, 0x3f800000},
		{0x80000001, 0x80000001, 0x80000000, 0x80000001, 0x80000001}, /* keeps its sign */
		{0x00900000, 0x80800000, 0x00000000, 0x80800000, 0x00900000}, /* and comes out */
		{0x80000000, 0x00000000, 0x00000000, 0x80000000, 0x00000000}, /* -0 < +0 */
		/* a number wins over NaN */
		{0x7fc00000, 0x3f800000, 0x7fc00000, 0x3f800000, 0x3f800000},
		{0x3f800000, 0x7fc01234, 0x7fc01234, 0x3f800000, 0x3f800000},
		/* a signalling one is quieted */
		{0x3f800000, 0x7f800001, 0x7fc00001, 0x7fc00001, 0x7fc00001},
		{0xff800000, 0x7f800000, 0, 0xff800000, 0x7f800000},
	};
	e.w.s[BW_SRC_EXEC_LO] = 1;
	set_v64(2, ENV_VA + 64);
	e.w.mode = 0xff; /* memory does not look at MODE: round toward zero, keep denormals */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		set_v(1, rows[i].data);
		if (i + 1 < BW_ARRAY_SIZE(rows)) {
			poke32(ENV_VA + 64, rows[i].memory);
			ok(0xdd5a0000, 0x007c0102); /* global_atomic_add_f32 v[2:3], v1, off */
			assert_int_equal(peek32(ENV_VA + 64), rows[i].sum);
		}
		poke32(ENV_VA + 64, rows[i].memory);
		ok(0xdd460000, 0x007c0102); /* global_atomic_min_f32 */
		assert_int_equal(peek32(ENV_VA + 64), rows[i].min);
		poke32(ENV_VA + 64, rows[i].memory);
		ok(0xdd4a0000, 0x007c0102); /* global_atomic_max_f32 */
		assert_int_equal(peek32(ENV_VA + 64), rows[i].max);
	}
	/* cmpswap: +0 equals -0; NaN equals nothing */
	poke32(ENV_VA + 64, 0x80000000);
	set_v(1, 0x1111);
	set_v64(4, 0);
	*env_v(&e, 4, 0) = 0x2222;
	*env_v(&e, 5, 0) = 0;
	ok(0xdd420000, 0x007c0402); /* global_atomic_cmpswap_f32 v[2:3], v[4:5], off */
	assert_int_equal(peek32(ENV_VA + 64), 0x2222);
	poke32(ENV_VA + 64, 0x7fc00000);
	*env_v(&e, 5, 0) = 0x7fc00000;
	ok(0xdd420000, 0x007c0402);
	assert_int_equal(peek32(ENV_VA + 64), 0x7fc00000);
	/* LDS follows MODE: denormals kept here, flushed there. */
	set_v(0, 0);
	set_v(1, 1);
	set_lds32(0, 1);
	e.w.mode = 0x30;
	ok(0xd8540000, 0x00000100); /* ds_add_f32 v0, v1 */
	assert_int_equal(lds32(0), 2);
	e.w.mode = 0;
	ok(0xd8540000, 0x00000100);
	assert_int_equal(lds32(0), 0);
}

static void faults(void **state)
{
	/* Lane 3 goes to a hole, lane 9 to a read-only page, the others are fine: a store changes
	 * nothing. */
	for (unsigned i = 0; i < 32; i++) {
		*env_v(&e, 2, i) = (uint32_t)(ENV_VA + 8 * i);
		*env_v(&e, 3, i) = ENV_VA >> 32;
	}
	*env_v(&e, 2, 3) = (uint32_t)(ENV_VA + 0x80000);
	*env_v(&e, 2, 9) = (uint32_t)(ENV_VA + ENV_RO_PAGE * BW_PAGE_B + 12);
	poke32(ENV_VA, 0x77);
	set_v(1, 0x99);
	assert_int_equal(run(0xdc6a0000, 0x007c0102), BW_MEM_FAULT_PAGE); /* global_store_b32 */
	assert_int_equal(e.w.fault_lanes, 1 << 3 | 1 << 9);
	assert_int_equal(e.w.fault.va, ENV_VA + 0x80000);
	assert_true(e.w.fault.access & BW_ACCESS_WRITE);
	assert_int_equal(peek32(ENV_VA), 0x77);
	assert_int_equal(run(0xdc520000, 0x017c0002), BW_MEM_FAULT_PAGE); /* global_load_b32 v1 */
	assert_int_equal(e.w.fault_lanes, 1 << 3); /* the read-only page can be read */
	assert_int_equal(*env_v(&e, 1, 0), 0x99);
	e.w.s[BW_SRC_EXEC_LO] = ~(1u << 3); /* inactive lanes do not fault: rule 18 */
	ok(0xdc520000, 0x017c0002);
	assert_int_equal(*env_v(&e, 1, 0), 0x77);
	e.w.s[BW_SRC_EXEC_LO] = 0;
	ok(0xdc6a0000, 0x007c0102);
}

/* ---- LDS ---- */

static void ds_examples(void **state)
{
	e.w.s[BW_SRC_EXEC_LO] = 1;
	set_v(0, 0);
	set_lds32(300, 0x5a5a);
	/* ds_load_b32 v5, v0 offset:300 rule 395 */
	ok(0xd8d8012c, 0x05000000);
	assert_int_equal(*env_v(&e, 5, 0), 0x5a5a);

	/* rule 405: DATA0 the new value, DATA1 the one to compare with */
	set_lds32(0, 100);
	set_v(1, 200);
	set_v(2, 50);
	ok(0xd8400000, 0x00020100); /* ds_cmpstore_b32 v0, v1, v2 */
	assert_int_equal(lds32(0), 100);
	set_v(2, 100);
	ok(0xd8400000, 0x00020100);
	assert_int_equal(lds32(0), 200);

	/* rule 408 */
	set_lds32(0, 0);
	set_v(1, 10);
	ok(0xd8100000, 0x00000100); /* ds_dec_u32 v0, v1 */
	assert_int_equal(lds32(0), 10);
	set_lds32(0, 5);
	ok(0xd80c0000, 0x00000100); /* ds_inc_u32 v0, v1 */
	assert_int_equal(lds32(0), 6);

	/* rule 412 */
	set_v(1, 0xbeef1234);
	ok(0xd87c0000, 0x00000100); /* ds_store_b16 v0, v1 */
	ok(0xda840002, 0x00000100); /* ds_store_b16_d16_hi v0, v1 offset:2 */
	assert_int_equal(lds32(0), 0xbeef1234);

	/* rule 398: beyond the allocation */
	set_v(0, ENV_LDS_B);
	ok(0xd8d80000, 0x05000000);
	assert_int_equal(*env_v(&e, 5, 0), 0);
	ok(0xd8340000, 0x00000100); /* ds_store_b32 v0, v1 */
	set_v(0, 2);
	/* ds_add_u32: rule 401 */
	assert_int_equal(run(0xd8000000, 0x00000100), BW_MEM_FAULT_APERTURE);
	assert_int_equal(e.w.fault_lanes, 1);
}

static void ds_append_consume(void **state)
{
	e.w.s[BW_SRC_M0] = 0xabcd0010;
	e.w.s[BW_SRC_EXEC_LO] = 0x0000f00f;
	set_lds32(0x20, 40);
	set_v(5, 1);
	/* ds_append v5 offset:16 rule 404 */
	ok(0xd8f80010, 0x05000000);
	assert_int_equal(lds32(0x20), 48);
	assert_int_equal(*env_v(&e, 5, 0), 40);
	assert_int_equal(*env_v(&e, 5, 12), 40);
	assert_int_equal(*env_v(&e, 5, 4), 1);
	ok(0xd8f40010, 0x05000000); /* ds_consume v5 offset:16 */
	assert_int_equal(lds32(0x20), 40);
	assert_int_equal(*env_v(&e, 5, 15), 48);
}

static void permutes(void **state)
{
	/* rule 253: four lanes all sending to lane 0 leave the last one's value there */
	for (unsigned i = 0; i < 32; i++) {
		*env_v(&e, 0, i) = 0;
		*env_v(&e, 1, i) = 100 + i;
		*env_v(&e, 5, i) = 0xdead;
	}
	e.w.s[BW_SRC_EXEC_LO] = 0xf;
	ok(0xdac80000, 0x05000100); /* ds_permute_b32 v5, v0, v1 */
	assert_int_equal(*env_v(&e, 5, 0), 103);
	assert_int_equal(*env_v(&e, 5, 1), 0);
	assert_int_equal(*env_v(&e, 5, 4), 0xdead);
	/* rule 254: neighbours swap; lane 3 is inactive and gives lane 2 a 0 */
	for (unsigned i = 0; i < 32; i++)
		*env_v(&e, 0, i) = 4 * (i ^ 1);
	e.w.s[BW_SRC_EXEC_LO] = 0x7;
	ok(0xdacc0000, 0x05000100); /* ds_bpermute_b32 v5, v0, v1 */
	assert_int_equal(*env_v(&e, 5, 0), 101);
	assert_int_equal(*env_v(&e, 5, 1), 100);
	assert_int_equal(*env_v(&e, 5, 2), 0);
}

/* rule 255, each mode by what its definition gives for a few lanes */
static void swizzles(void **state)
{
	/* clang-format off */
	static const struct { uint32_t pattern; unsigned lane, from; } rows[] = {
		{0x041f, 0, 1}, {0x041f, 31, 30},   /* xor 1: and 31, or 0, xor 1 */
		{0x7c1f, 3, 28},                    /* xor 31: reversed */
		{0x0010, 21, 16}, {0x0010, 5, 0},   /* and 16: broadcast in each 16 */
		{0x0018 | 3 << 5, 9, 11},           /* and 24, or 3 */
		{0x801b, 4, 7}, {0x801b, 6, 5},     /* quads 3,2,1,0 */
		{0xc020, 0, 1}, {0xc020, 31, 0},    /* rotate by 1: lane i reads i + 1 */
		{0xc420, 0, 31}, {0xc420, 7, 6},    /* and the other way */
		{0xe000, 1, 16}, {0xe000, 6, 12},   /* FFT: bits reversed */
		{0xe010, 1, 8}, {0xe010, 17, 24},   /* inside 16 */
		{0xe01f, 13, 13},                   /* all masked: identity */
	};
	/* clang-format on */
	for (unsigned i = 0; i < 32; i++)
		*env_v(&e, 0, i) = 100 + i;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		set_v(5, 0);
		ok(0xd8d40000 | rows[i].pattern, 0x05000000); /* ds_swizzle_b32 v5, v0 offset:... */
		assert_int_equal(*env_v(&e, 5, rows[i].lane), 100 + rows[i].from);
	}
	e.w.s[BW_SRC_EXEC_LO] = 1;
	ok(0xd8d4041f, 0x05000000);
	assert_int_equal(*env_v(&e, 5, 0), 0); /* its source is inactive */
}

static void refused(void **state)
{
	static const char *const absent[] = {"ds_gws_init", "ds_ordered_count"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(absent); i++) {
		enum bw_op op = bw_isa_op_by_name(absent[i]);
		assert_true(op != BW_OP_ILLEGAL);
		assert_null(bw_exec_mem_row(op));
	}
	bool illegal;
	e.inst = (struct bw_inst){
		.op = bw_isa_op_by_name("ds_load_b32"), .fmt = BW_FMT_DS, .gds = true};
	env_run(&e, &illegal);
	assert_true(illegal);
	e.inst = (struct bw_inst){
		.op = bw_isa_op_by_name("flat_load_b32"), .fmt = BW_FMT_FLAT, .saddr = 4};
	env_run(&e, &illegal);
	assert_true(illegal); /* rule 394 */
}

/* An output register that the wave does not have: nothing happens, memory included (rules 44,
 * 45). */
static void out_of_range(void **state)
{
	set_v64(2, ENV_VA + 64);
	poke32(ENV_VA + 64, 5);
	set_v(1, 1);
	ok(0xdcd64000, 0x187c0102); /* global_atomic_add_u32 v24, v[2:3], v1, off glc */
	assert_int_equal(peek32(ENV_VA + 64), 5);
	ok(0xdcd60000, 0x187c0102); /* without return VDST does not matter */
	assert_int_equal(peek32(ENV_VA + 64), 5 + 32);
	/* Data from a register out of range comes from v0 (40). */
	set_v(0, 0x4711);
	ok(0xdc6a0000, 0x007c1802); /* global_store_b32 v[2:3], v24, off */
	assert_int_equal(peek32(ENV_VA + 64), 0x4711);
}

TESTS_EACH(setup, teardown, smem_offsets, smem_sizes, smem_destinations, smem_faults, smem_buffers,
	   cache_control, global_examples, global_atomics, float_atomics, faults, ds_examples,
	   ds_append_consume, permutes, swizzles, refused, out_of_range);
