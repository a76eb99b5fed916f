/* SPDX-License-Identifier: MIT */
/* The constants of regs/field.h: values are those of Linux's gc_11_0_0_sh_mask.h,
 * gc_11_0_0_offset.h and osssys_6_0_0_sh_mask.h. */
#include <stdint.h>

#include "../suite.h"
#include "regs/field.h"

/* They are constants of the compiler. */
_Static_assert(BW_FIELD_MASK(GRBM_GFX_INDEX, SE_INDEX) == 0x00ff0000, "SE_INDEX");
enum { AS_ENUMERATOR = BW_FIELD(SQ_CMD, VM_ID, 7) };

static void test_positions(void **state)
{
	assert_int_equal(BW_FIELD_SHIFT(GRBM_GFX_INDEX, SE_INDEX), 16);
	assert_int_equal(BW_FIELD_MASK(GRBM_GFX_INDEX, SE_BROADCAST_WRITES), 0x80000000u);
	assert_int_equal(BW_FIELD_MASK(COMPUTE_PGM_RSRC1, VGPRS), 0x3f);
	assert_int_equal(BW_FIELD_SHIFT(COMPUTE_PGM_RSRC2, LDS_SIZE), 15);
	assert_int_equal(BW_FIELD_MASK(COMPUTE_PGM_RSRC2, LDS_SIZE), 0x00ff8000);
	assert_int_equal(BW_FIELD_MASK(COMPUTE_TMPRING_SIZE, WAVESIZE), 0x07fff000);
	assert_int_equal(BW_FIELD_MASK(IH_RB_CNTL, MC_SPACE), 0x70000000);
	assert_int_equal(BW_FIELD_MASK(COMPUTE_PGM_LO, DATA), 0xffffffffu);
	assert_int_equal(BW_FIELD_MAX(COMPUTE_TMPRING_SIZE, WAVES), 0xfff);
	assert_int_equal(BW_FIELD_MAX(COMPUTE_PGM_LO, DATA), 0xffffffffu);
}

static void test_get_and_set(void **state)
{
	assert_int_equal(AS_ENUMERATOR, 0x70000000);
	assert_int_equal(BW_FIELD_GET(SQ_CMD, VM_ID, 0xa0000095u), 0xa);
	assert_int_equal(BW_FIELD_GET(SQ_CMD, CMD, 0xa0000095u), 5);
	assert_int_equal(BW_FIELD_GET(SQ_CMD, MODE, 0xa0000095u), 1);
	assert_int_equal(BW_FIELD_GET(SQ_CMD, CHECK_VMID, 0xa0000095u), 1);
	assert_int_equal(BW_FIELD_SET(SQ_CMD, VM_ID, 0xa0000095u, 3), 0x30000095);
	assert_int_equal(BW_FIELD_SET(SQ_CMD, CMD, 0xa0000095u, 0), 0xa0000090u);
	/* What is too large touches no other field. */
	assert_int_equal(BW_FIELD(SQ_CMD, CMD, 0x1234), 4);
	assert_int_equal(BW_FIELD_SET(SQ_CMD, MODE, 0, ~0u), 0x70);
	/* Values of more than 32 bits, as parts of addresses come. */
	assert_int_equal(BW_FIELD(IH_RB_BASE_HI, ADDR, 0x123456789abcull >> 40), 0x12);
}

static void test_places(void **state)
{
	assert_int_equal(BW_REG_OFFSET(GRBM_GFX_INDEX), 0x2200);
	assert_int_equal(BW_REG_SEGMENT(GRBM_GFX_INDEX), 1);
	assert_int_equal(BW_REG_OFFSET(TCP_WATCH3_CNTL), 0x2053);
	assert_int_equal(BW_REG_OFFSET(COMPUTE_PGM_LO), 0x1bac);
	assert_int_equal(BW_REG_SEGMENT(COMPUTE_PGM_LO), 0);
	assert_int_equal(BW_REG_INDEX(SQ_WAVE_STATUS), 0x102);
}

TESTS(test_positions, test_get_and_set, test_places);
