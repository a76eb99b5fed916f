/* SPDX-License-Identifier: MIT */
/* Table shapes against those that other drivers and Linux use: {bytes an entry covers, entries of a
 * block, bytes of a block}, published for a gfx9 APU, and the indices that follow from them. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "gpuvm/layout.h"

#define GiB (1ull << 30)

static const struct {
	const char *name;
	struct bw_gpuvm_layout_spec spec;
	unsigned n;
	struct {
		const char *name;
		uint64_t covers, entries, block;
	} level[5];
} cases[] = {
	{"AMDRadeonX5000: translate-further with blocks of 64 KiB",
	 {.depth = 1, .block = 7, .further = true, .bfs = 4, .size_b = 128 * GiB},
	 3,
	 {{"PDB1", 0x10000000, 0x200, 0x1000},
	  {"PDB0", 0x10000, 0x1000, 0x8000},
	  {"PTB", 0x1000, 0x10, 0x1000}}},
	{"AMDRadeonX4000: two levels",
	 {.depth = 1, .block = 7, .size_b = 128 * GiB},
	 2,
	 {{"PDB0", 0x10000000, 0x200, 0x1000}, {"PTB", 0x1000, 0x10000, 0x80000}}},
	{"Linux with translate-further",
	 {.depth = 1, .block = 9, .further = true, .bfs = 9, .size_b = 128 * GiB},
	 3,
	 {{"PDB1", 0x40000000, 0x80, 0x1000},
	  {"PDB0", 0x200000, 0x200, 0x1000},
	  {"PTB", 0x1000, 0x200, 0x1000}}},
	{"Linux without translate-further",
	 {.depth = 2, .block = 0, .size_b = 128 * GiB},
	 3,
	 {{"PDB1", 0x40000000, 0x80, 0x1000},
	  {"PDB0", 0x200000, 0x200, 0x1000},
	  {"PTB", 0x1000, 0x200, 0x1000}}},
	{"one level", {.depth = 0, .size_b = 16 * GiB}, 1, {{"PTB", 0x1000, 0x400000, 0x2000000}}},
	/* gfx9 to gfx12.0, and gfx12.1: doc/hardware/page-tables.md 3.2 */
	{"48 bits",
	 {.depth = 3, .size_b = 1ull << 48},
	 4,
	 {{"PDB2", 0x8000000000, 0x200, 0x1000},
	  {"PDB1", 0x40000000, 0x200, 0x1000},
	  {"PDB0", 0x200000, 0x200, 0x1000},
	  {"PTB", 0x1000, 0x200, 0x1000}}},
	{"57 bits",
	 {.depth = 4, .size_b = 1ull << 57},
	 5,
	 {{"PDB3", 0x1000000000000, 0x200, 0x1000},
	  {"PDB2", 0x8000000000, 0x200, 0x1000},
	  {"PDB1", 0x40000000, 0x200, 0x1000},
	  {"PDB0", 0x200000, 0x200, 0x1000},
	  {"PTB", 0x1000, 0x200, 0x1000}}},
};

static void test_levels(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_layout l;
		struct bw_error *err = bw_gpuvm_layout(&cases[i].spec, &l);
		if (err)
			fail_msg("%s: %s", cases[i].name, err->message);
		assert_int_equal(l.n_levels, cases[i].n);
		for (unsigned k = 0; k < l.n_levels; k++) {
			assert_string_equal(l.level[k].name, cases[i].level[k].name);
			if (l.level[k].covers_b != cases[i].level[k].covers ||
			    l.level[k].n_entries != cases[i].level[k].entries ||
			    l.level[k].block_b != cases[i].level[k].block)
				fail_msg("%s: %s is {0x%llx, 0x%llx, 0x%llx}", cases[i].name,
					 l.level[k].name, (unsigned long long)l.level[k].covers_b,
					 (unsigned long long)l.level[k].n_entries,
					 (unsigned long long)l.level[k].block_b);
			/* incr of a level = incr * entryCount of the next one */
			if (k)
				assert_true(l.level[k - 1].covers_b ==
					    l.level[k].covers_b * l.level[k].n_entries);
		}
		assert_true(l.level[0].covers_b * l.level[0].n_entries == cases[i].spec.size_b);
	}
}

/* Which entries the addresses of that report select; the space starts at 0x400000000. */
static void test_indices(void **state)
{
	static const struct {
		unsigned shape;
		uint64_t va, index[3];
	} want[] = {
		{0, 0x400480000, {0, 0x48, 0}},		 {0, 0x40047f000, {0, 0x47, 0xf}},
		{0, 0x400280000, {0, 0x28, 0}},		 {0, 0x40027f000, {0, 0x27, 0xf}},
		{3, 0x400480000, {0, 2, 0x80}},		 {3, 0x40047f000, {0, 2, 0x7f}},
		{3, 0x23fffff000, {0x7f, 0x1ff, 0x1ff}},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(want); i++) {
		struct bw_gpuvm_layout l;
		struct bw_error *err = bw_gpuvm_layout(&cases[want[i].shape].spec, &l);
		assert_null(err);
		for (unsigned k = 0; k < 3; k++)
			assert_true(bw_gpuvm_layout_index(&l, k, want[i].va - 0x400000000) ==
				    want[i].index[k]);
	}
}

static void test_block_sizes(void **state)
{
	static const struct {
		unsigned driver, block;
		bool further;
	} good[] = {{9, 0, false}, {16, 7, false}, {9, 9, true}, {24, 15, false}};
	static const struct {
		unsigned driver;
		bool further;
	} bad[] = {{8, false}, {25, false}, {16, true}};
	unsigned block;
	for (size_t i = 0; i < BW_ARRAY_SIZE(good); i++) {
		struct bw_error *err =
			bw_gpuvm_layout_block(good[i].driver, good[i].further, &block);
		assert_null(err);
		assert_int_equal(block, good[i].block);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++) {
		_cleanup_error_ struct bw_error *err =
			bw_gpuvm_layout_block(bad[i].driver, bad[i].further, &block);
		assert_non_null(err);
	}
}

static void test_refused(void **state)
{
	static const struct bw_gpuvm_layout_spec bad[] = {
		{.depth = 8, .size_b = GiB},
		{.depth = 1, .block = 16, .size_b = GiB},
		{.depth = 1, .bfs = 10, .size_b = GiB},
		{.depth = 0, .further = true, .size_b = GiB},
		{.depth = 6, .size_b = GiB},
		{.depth = 1, .size_b = 100},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++) {
		struct bw_gpuvm_layout l;
		_cleanup_error_ struct bw_error *err = bw_gpuvm_layout(&bad[i], &l);
		if (!err)
			fail_msg("case %zu is taken", i);
	}
}

TESTS(test_levels, test_indices, test_block_sizes, test_refused);
