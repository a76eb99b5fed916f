/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "regs/field.h"
#include "swap/code.h"

static void jump_is_what_llvm_says(void **state)
{
	(void)state;
	/* llvm-mc-19 -mcpu=gfx1100 of s_mov_b32 s104, 0x89abcdef; s_mov_b32 s105, 0xffff8001;
	 * s_setpc_b64 s[104:105] */
	static const uint32_t want[] = {0xbee800ff, 0x89abcdef, 0xbee900ff, 0xffff8001, 0xbe804868};
	uint32_t jump[BW_SWAP_JUMP_DW];
	bw_swap_jump(0xffff800189abcdef, jump);
	assert_memory_equal(jump, want, sizeof(want));
	/* numbers that have a short form are literals, too: the jump always has one length */
	bw_swap_jump(0, jump);
	assert_int_equal(jump[1], 0);
	assert_int_equal(jump[4], 0xbe804868);
	uint64_t va = 1;
	assert_true(bw_swap_is_jump(want, &va));
	assert_int_equal(va, 0xffff800189abcdef);
	for (unsigned i = 0; i < BW_SWAP_JUMP_DW; i += 2) { /* 1 and 3 are the address */
		uint32_t other[BW_SWAP_JUMP_DW];
		memcpy(other, want, sizeof(other));
		other[i] ^= 1;
		assert_false(bw_swap_is_jump(other, &va));
	}
}

static struct bw_swap_regs regs(unsigned lanes, unsigned granules, unsigned lds_units)
{
	return (struct bw_swap_regs){lanes,
				     0xa5a5a580 | BW_FIELD(COMPUTE_PGM_RSRC1, VGPRS, granules),
				     BW_FIELD(COMPUTE_PGM_RSRC2, LDS_SIZE, lds_units) | 0x1e};
}

static void more_registers_are_asked_for(void **state)
{
	(void)state;
	struct bw_swap_rule rule = {.code = {{0, 4}, {4, 4}}, .vgprs = {25, 25}, .lds_b = 513};
	struct bw_swap_regs now = regs(64, 5, 0), new;
	/* 24 VGPRs in granules of 4; 25 are 7 granules */
	assert_null(bw_swap_fit(&rule, &now, &new));
	assert_int_equal(BW_FIELD_GET(COMPUTE_PGM_RSRC1, VGPRS, new.rsrc1), 6);
	assert_int_equal(new.rsrc1 & ~BW_FIELD_MASK(COMPUTE_PGM_RSRC1, VGPRS),
			 now.rsrc1 & ~BW_FIELD_MASK(COMPUTE_PGM_RSRC1, VGPRS));
	assert_int_equal(new.rsrc2, BW_FIELD(COMPUTE_PGM_RSRC2, LDS_SIZE, 2) | 0x1e);
	/* in wave32 the granule is 8: 4 of them */
	now = regs(32, 0, 0);
	assert_null(bw_swap_fit(&rule, &now, &new));
	assert_int_equal(BW_FIELD_GET(COMPUTE_PGM_RSRC1, VGPRS, new.rsrc1), 3);
}

static void enough_stays_as_it_is(void **state)
{
	(void)state;
	const struct bw_swap_rule rule = {.code = {{0, 4}, {4, 4}}, .vgprs = {9, 9}, .lds_b = 512};
	struct bw_swap_regs now = regs(64, 11, 8), new;
	assert_null(bw_swap_fit(&rule, &now, &new));
	assert_int_equal(new.rsrc1, now.rsrc1);
	assert_int_equal(new.rsrc2, now.rsrc2);
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	struct bw_swap_rule rule = {.code = {{0, 4}, {0, 0}}, .vgprs = {9, 0}};
	struct bw_swap_regs now = regs(64, 5, 0), new;
	assert_non_null(bw_swap_fit(&rule, &now, &new));
	now.lanes = 32;
	assert_null(bw_swap_fit(&rule, &now, &new));
	rule.vgprs[0] = 257;
	assert_non_null(bw_swap_fit(&rule, &now, &new));
	rule.vgprs[0] = 256;
	rule.lds_b = 65537;
	assert_non_null(bw_swap_fit(&rule, &now, &new));
	rule.lds_b = 65536;
	assert_null(bw_swap_fit(&rule, &now, &new));
	assert_int_equal(BW_FIELD_GET(COMPUTE_PGM_RSRC2, LDS_SIZE, new.rsrc2), 128);
}

TESTS(jump_is_what_llvm_says, more_registers_are_asked_for, enough_stays_as_it_is,
      what_cannot_be_is_refused);
