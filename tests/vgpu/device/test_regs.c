/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "regs/regs.h"

static void test_storage_and_defaults(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	rig_write(&r, BW_REG_SCRATCH_REG0, 0xcafedead);
	assert_int_equal(rig_read(&r, BW_REG_SCRATCH_REG0), 0xcafedead);
	assert_int_equal(rig_read(&r, BW_REG_GB_ADDR_CONFIG), 0x545);
	assert_int_equal(rig_read(&r, BW_REG_GRBM_GFX_INDEX), 0xe0000000);
	assert_int_equal(rig_read(&r, BW_REG_SQ_DEBUG) & 1, 1);
	assert_int_equal(rig_read(&r, BW_REG_CP_STAT), 0);
	assert_int_equal(rig_read(&r, BW_REG_GRBM_STATUS) >> 27 & 1, 0); /* ANY_ACTIVE */
	assert_int_equal(rig_read(&r, 0xde3), 25753026560 >> 20); /* RCC_CONFIG_MEMSIZE, MiB */
	rig_write(&r, 0xe26, 0x55);
	assert_int_equal(rig_read(&r, 0xe27), 0x55); /* HDP flush: DONE follows REQ */
	/* Outside of the space: nothing, and no harm. */
	rig_write(&r, 0x2402c00, 1);
	assert_int_equal(rig_read(&r, 0x2402c00), 0);
	rig_write(&r, ~0u, 1);
	rig_stop(&r);
}

static void test_vmid_banks(void **state)
{
	static const uint32_t regs[] = {BW_REG_SQ_SHADER_TBA_LO,       BW_REG_SQ_SHADER_TBA_HI,
					BW_REG_SQ_SHADER_TMA_LO,       BW_REG_SQ_SHADER_TMA_HI,
					BW_REG_SPI_GDBG_PER_VMID_CNTL, BW_REG_SH_MEM_CONFIG};
	struct rig r;
	rig_start(&r, NULL);
	for (unsigned v = 0; v < 16; v++) {
		struct bw_bank b = {.use_srbm = true, .vmid = v};
		for (unsigned i = 0; i < BW_ARRAY_SIZE(regs); i++)
			bw_device_reg_write(r.dev, &b, regs[i], 0x100 * v + i * 2);
	}
	for (unsigned v = 0; v < 16; v++) {
		struct bw_bank b = {.use_srbm = true, .vmid = v};
		for (unsigned i = 0; i < BW_ARRAY_SIZE(regs); i++)
			assert_int_equal(bw_device_reg_read(r.dev, &b, regs[i]), 0x100 * v + i * 2);
		/* The same through GRBM_GFX_CNTL (VMID 7:4). */
		rig_write(&r, BW_REG_GRBM_GFX_CNTL, v << 4);
		assert_int_equal(rig_read(&r, BW_REG_SQ_SHADER_TBA_LO), 0x100 * v);
	}
	rig_stop(&r);
}

static void test_queue_banks(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	for (unsigned i = 0; i < 5; i++)
		rig_hqd_write(&r, i, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, 0x1000 + i);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(rig_hqd(&r, i, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR), 0x1000 + i);
		assert_int_equal(rig_hqd(&r, i, BW_REG_CP_HQD_ACTIVE), 1);
		assert_int_equal(rig_hqd(&r, i, BW_REG_CP_HQD_ERROR), 0);
	}
	/* The graphics ring is ME 0; queue 1 of pipe 0 is another queue, not set up. */
	struct bw_bank b = {.use_srbm = true, .me = 1, .queue = 1};
	assert_int_equal(bw_device_reg_read(r.dev, &b, BW_REG_CP_HQD_ACTIVE), 0);
	rig_stop(&r);
}

static void test_sq_ind_banks(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct bw_bank b = {.use_grbm = true, .se = 5, .sa = 1, .instance = 3 << 2 | 2};
	bw_device_reg_write(r.dev, &b, BW_REG_SQ_IND_INDEX, 8 << 16);
	assert_int_equal(bw_device_reg_read(r.dev, &b, BW_REG_SQ_IND_INDEX), 8 << 16);
	assert_int_equal(bw_device_reg_read(r.dev, &b, BW_REG_SQ_IND_DATA), 0); /* not busy */
	struct bw_bank other = b;
	other.instance = 3 << 2 | 1;
	assert_int_equal(bw_device_reg_read(r.dev, &other, BW_REG_SQ_IND_INDEX), 0);
	/* AUTO_INCR moves the index at each read. */
	bw_device_reg_write(r.dev, &b, BW_REG_SQ_IND_INDEX, 0x200 << 16 | 1 << 11);
	bw_device_reg_read(r.dev, &b, BW_REG_SQ_IND_DATA);
	bw_device_reg_read(r.dev, &b, BW_REG_SQ_IND_DATA);
	assert_int_equal(bw_device_reg_read(r.dev, &b, BW_REG_SQ_IND_INDEX), 0x202 << 16 | 1 << 11);
	/* A unit that the device does not have. */
	struct bw_bank none = {.use_grbm = true, .se = 6};
	assert_int_equal(bw_device_reg_read(r.dev, &none, BW_REG_SQ_IND_DATA), 0xbebebeef);
	/* The raw select register: SE 23:16, SA 15:8, INSTANCE 7:0. */
	rig_write(&r, BW_REG_GRBM_GFX_INDEX, 5 << 16 | 1 << 8 | (3 << 2 | 2));
	assert_int_equal(rig_read(&r, BW_REG_SQ_IND_INDEX), 0x202 << 16 | 1 << 11);
	rig_stop(&r);
}

static void test_clock(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	rig_write(&r, BW_REG_RLC_CAPTURE_GPU_CLOCK_COUNT, 1);
	uint32_t a = rig_read(&r, BW_REG_RLC_GPU_CLOCK_COUNT_LSB);
	rig_sleep_ms(2);
	assert_int_equal(rig_read(&r, BW_REG_RLC_GPU_CLOCK_COUNT_LSB), a);
	rig_write(&r, BW_REG_RLC_CAPTURE_GPU_CLOCK_COUNT, 1);
	assert_true(rig_read(&r, BW_REG_RLC_GPU_CLOCK_COUNT_LSB) - a >= 200000); /* 100 MHz */
	rig_stop(&r);
}

/* The addresses of gc_11_0_0.h against the register database, which comes from the kernel's
 * headers. */
static void test_addresses(void **state)
{
	static const struct {
		const char *block, *name;
		uint32_t offset_dw;
		int segment;
	} rows[] = {
#define ROW(block, name, offset, segment) {#block, #name, offset, segment},
		BW_DEVICE_REGISTERS(ROW)
#undef ROW
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		bool gc = !strcmp(rows[i].block, "GC"), mm = !strcmp(rows[i].block, "MMHUB");
		const struct bw_regs_block *b;
		struct bw_reg reg;
		assert_null(bw_regs_find(gc   ? "gc"
					 : mm ? "mmhub"
					      : "osssys",
					 gc   ? BW_IP_VERSION(11, 0, 0)
					 : mm ? BW_IP_VERSION(3, 0, 0)
					      : BW_IP_VERSION(6, 0, 0),
					 &b));
		struct bw_error *err = bw_regs_by_name(b, rows[i].name, &reg);
		if (err)
			fail_msg("%s: %s", rows[i].name, err->message);
		if (reg.offset_dw != rows[i].offset_dw || reg.segment != rows[i].segment)
			fail_msg("%s is at 0x%x/%d", rows[i].name, reg.offset_dw, reg.segment);
	}
	/* GRBM_GFX_INDEX of doc/hardware/device.md 2, an address seen on a real bus. */
	assert_int_equal(BW_REG_GRBM_GFX_INDEX, 0xc200);
	assert_int_equal(BW_REG_SQ_IND_INDEX, 0x2378);
	assert_int_equal(BW_REG_CP_HQD_ACTIVE, 0x320b);
	assert_int_equal(BW_REG_IH_RB_CNTL, 0x1120);
	assert_int_equal(BW_REG_GCVM_INVALIDATE_ENG0_ACK, 0x291d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_storage_and_defaults),
		cmocka_unit_test(test_vmid_banks),
		cmocka_unit_test(test_queue_banks),
		cmocka_unit_test(test_sq_ind_banks),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
