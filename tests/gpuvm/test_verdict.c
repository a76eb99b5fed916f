/* SPDX-License-Identifier: MIT */
/* Fault status words of doc/hardware/page-tables.md 7, and what a walk says about why. */
#include <stdint.h>

#include "../suite.h"
#include "base/util.h"
#include "gpuvm/gpuvm.h"

static void test_status_words(void **state)
{
	static const struct {
		uint32_t word;
		struct bw_gpuvm_status want;
	} cases[] = {
		{0x00841050, {.permission = 5, .client = 8, .write = true, .vmid = 8}},
		{0x00301030, {.permission = 3, .client = 8, .vmid = 3}},
		{0x001008bc, {.walker_error = 6, .permission = 0xb, .client = 4, .vmid = 1}},
		{0x001008b4, {.walker_error = 2, .permission = 0xb, .client = 4, .vmid = 1}},
		{0x001008ba, {.walker_error = 5, .permission = 0xb, .client = 4, .vmid = 1}},
		{0x0010003c, {.walker_error = 6, .permission = 3, .vmid = 1}},
		{0x00000b32,
		 {.walker_error = 1, .permission = 3, .mapping_error = true, .client = 5}},
		{0x00040a40, {.permission = 4, .client = 5, .write = true}},
		{0x00103a11, {.more = true, .permission = 1, .client = 0x1d, .vmid = 1}},
		{0x00405631, {.more = true, .permission = 3, .client = 0x2b, .vmid = 4}},
		{0x00801031, {.more = true, .permission = 3, .client = 8, .vmid = 8}},
		{0x00841051,
		 {.more = true, .permission = 5, .client = 8, .write = true, .vmid = 8}},
		{0, {0}},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_status s = bw_gpuvm_status_decode(BW_GPUVM_GFX11, cases[i].word);
		assert_int_equal(s.more, cases[i].want.more);
		assert_int_equal(s.walker_error, cases[i].want.walker_error);
		assert_int_equal(s.permission, cases[i].want.permission);
		assert_int_equal(s.mapping_error, cases[i].want.mapping_error);
		assert_int_equal(s.client, cases[i].want.client);
		assert_int_equal(s.write, cases[i].want.write);
		assert_int_equal(s.vmid, cases[i].want.vmid);
		/* each field back in its place: all bits up to VF, as the kernel's masks are */
		uint32_t again = 0;
		for (unsigned p = BW_GPUVM_STATUS_MORE; p <= BW_GPUVM_STATUS_VF; p++)
			again |= bw_gpuvm_status_put(
				BW_GPUVM_GFX11, p,
				bw_gpuvm_status_get(BW_GPUVM_GFX11, p, cases[i].word));
		assert_int_equal(again, cases[i].word & 0x1ffffff);
	}
}

static void test_clients(void **state)
{
	assert_string_equal(bw_gpuvm_gfxhub_client(BW_GPUVM_GFX11, 8), "TCP");
	assert_string_equal(bw_gpuvm_gfxhub_client(BW_GPUVM_GFX9, 0), "CB");
	assert_string_equal(bw_gpuvm_gfxhub_client(BW_GPUVM_GFX12, 0x14), "PA");
	assert_string_equal(bw_gpuvm_gfxhub_client(BW_GPUVM_GFX11, 0x2b), "unknown");
}

static struct bw_gpuvm_range range(enum bw_gpuvm_verdict verdict, unsigned level, uint64_t entry)
{
	return (struct bw_gpuvm_range){.verdict = verdict,
				       .level = (uint8_t)level,
				       .entry = bw_gpuvm_pte(BW_GPUVM_GFX11, entry),
				       .n_steps = 1,
				       .step = {{(uint8_t)level, false, 0x3f8, entry}}};
}

/* 8.2: an unmapped page shows bit 0 with what was asked for: load 3, store 5, fetch 0xb. */
static void test_fault_fields(void **state)
{
	struct bw_gpuvm_range hole = range(BW_GPUVM_NOT_VALID, 0, 0x10);
	assert_int_equal(bw_gpuvm_fault_of(&hole, BW_GPUVM_READ).permission, 3);
	assert_int_equal(bw_gpuvm_fault_of(&hole, BW_GPUVM_WRITE).permission, 5);
	assert_int_equal(bw_gpuvm_fault_of(&hole, BW_GPUVM_EXECUTE).permission, 0xb);
	assert_int_equal(bw_gpuvm_fault_of(&hole, BW_GPUVM_READ).walker_error, 0);

	struct bw_gpuvm_range pde1 = range(BW_GPUVM_NOT_VALID, 2, 0);
	assert_int_equal(bw_gpuvm_fault_of(&pde1, BW_GPUVM_READ).walker_error, 3);
	struct bw_gpuvm_range outside = {.verdict = BW_GPUVM_OUT_OF_RANGE};
	assert_int_equal(bw_gpuvm_fault_of(&outside, BW_GPUVM_READ).walker_error, 1);

	struct bw_gpuvm_range read_only = range(BW_GPUVM_MAPPED, 0, 0x31);
	assert_true(bw_gpuvm_allows(&read_only, BW_GPUVM_READ | BW_GPUVM_EXECUTE));
	assert_int_equal(bw_gpuvm_fault_of(&read_only, BW_GPUVM_READ).permission, 0);
	assert_false(bw_gpuvm_allows(&read_only, BW_GPUVM_WRITE));
	assert_int_equal(bw_gpuvm_fault_of(&read_only, BW_GPUVM_WRITE).permission, 4);
}

static void check_text(struct bw_gpuvm_range r, unsigned access, const char *want)
{
	struct bw_str s = {0};
	bw_gpuvm_explain(&r, access, &s);
	assert_string_equal(bw_str_text(&s), want);
	bw_str_free(&s);
}

static void test_explain(void **state)
{
	check_text(range(BW_GPUVM_NOT_VALID, 0, 0x10), BW_GPUVM_READ,
		   "the PTB entry 0x0000000000000010 at vram 0x3f8 is not valid");
	check_text(range(BW_GPUVM_NOT_VALID, 1, 0), BW_GPUVM_READ,
		   "the PDB0 entry 0x0000000000000000 at vram 0x3f8 is not valid");
	check_text(range(BW_GPUVM_MAPPED, 0, 0x31), BW_GPUVM_WRITE,
		   "the page is mapped without write permission (PTB entry 0x0000000000000031 at "
		   "vram 0x3f8)");
	check_text(range(BW_GPUVM_UNREADABLE, 255, 0), BW_GPUVM_READ,
		   "the PTB (further) entry at vram 0x3f8 cannot be read");
}

TESTS(test_status_words, test_clients, test_fault_fields, test_explain);
