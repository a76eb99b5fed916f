/* SPDX-License-Identifier: MIT */
/* Entry words of doc/hardware/page-tables.md 7 (dumped by others) and layouts that differ by
 * generation. */
#include <stdint.h>

#include "../suite.h"
#include "gpuvm/gpuvm.h"

static void test_gfx9_words(void **state)
{
	struct bw_gpuvm_entry e = bw_gpuvm_pte(BW_GPUVM_GFX9, 0x060000006a931077);
	assert_true(e.valid && e.system && e.coherent && e.execute && e.read && e.write);
	assert_false(e.leaf || e.further || e.prt || e.log);
	assert_int_equal(e.mtype, 3);
	assert_int_equal(e.frag, 0);
	assert_int_equal(e.base, 0x6a931000);

	e = bw_gpuvm_pte(BW_GPUVM_GFX9, 0x1018c2f1);
	assert_true(e.valid && !e.system && !e.coherent && e.execute && e.read && e.write);
	assert_int_equal(e.frag, 5);
	assert_int_equal(e.base, 0x1018c000);
}

static void test_directory(void **state)
{
	struct bw_gpuvm_entry e = bw_gpuvm_pde(BW_GPUVM_GFX10, 0x30000001fe4b3001);
	assert_int_equal(e.bfs, 6);
	assert_int_equal(e.base, 0x1fe4b3000);
	e = bw_gpuvm_pde(BW_GPUVM_GFX10, 0x01000001fe4b4201);
	assert_int_equal(e.base, 0x1fe4b4200);
	e = bw_gpuvm_pde(BW_GPUVM_GFX11, 0x32000001fd750001);
	assert_true(e.tfs);
	assert_int_equal(e.bfs, 6);
	/* gfx12: BFS 62:58, TFS 56, P 63 */
	e = bw_gpuvm_pde(BW_GPUVM_GFX12, 1ull << 63 | 9ull << 58 | 1ull << 56 | 0x1fd750001);
	assert_true(e.leaf && e.tfs);
	assert_int_equal(e.bfs, 9);
}

static void test_gfx12_leaf(void **state)
{
	struct bw_gpuvm_entry e = bw_gpuvm_pte(BW_GPUVM_GFX12, 1ull << 63 | 3ull << 54 | 0x1000071);
	assert_true(e.leaf && !e.further);
	assert_int_equal(e.mtype, 3);
	assert_true(bw_gpuvm_pte(BW_GPUVM_GFX12, 0x1000001).further);
	assert_int_equal(bw_gpuvm_pte(BW_GPUVM_GFX12_1, 0x800ff00001000001).base, 0xff00001000000);
	assert_int_equal(bw_gpuvm_pte(BW_GPUVM_GFX12, 0x800ff00001000001).base, 0xf00001000000);
}

static void test_names(void **state)
{
	enum bw_gpuvm_gen gen;
	assert_string_equal(bw_gpuvm_mtype_name(BW_GPUVM_GFX9, 1), "RW");
	assert_string_equal(bw_gpuvm_mtype_name(BW_GPUVM_GFX11, 1), "WC");
	assert_string_equal(bw_gpuvm_mtype_name(BW_GPUVM_GFX12_1, 2), "RW");
	assert_string_equal(bw_gpuvm_mtype_name(BW_GPUVM_GFX11, 7), "reserved");
	assert_true(bw_gpuvm_gen_of(0x0b0000, &gen));
	assert_int_equal(gen, BW_GPUVM_GFX11);
	assert_true(bw_gpuvm_gen_of(0x0c0100, &gen));
	assert_int_equal(gen, BW_GPUVM_GFX12_1);
	assert_false(bw_gpuvm_gen_of(0x080000, &gen));
	assert_false(bw_gpuvm_gen_of(0x0d0000, &gen));
}

TESTS(test_gfx9_words, test_directory, test_gfx12_leaf, test_names);
