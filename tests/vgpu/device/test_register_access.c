/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "vgpu/device/register_map.h"

static void test_storage_and_defaults(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	rig_write(&r, REG(SCRATCH_REG0), 0xcafedead);
	assert_int_equal(rig_read(&r, REG(SCRATCH_REG0)), 0xcafedead);
	assert_int_equal(rig_read(&r, REG(GB_ADDR_CONFIG)), 0x545);
	assert_int_equal(rig_read(&r, REG(GRBM_GFX_INDEX)), 0xe0000000);
	assert_int_equal(rig_read(&r, REG(SQ_DEBUG)) & 1, 1);
	assert_int_equal(rig_read(&r, REG(CP_STAT)), 0);
	assert_int_equal(rig_read(&r, REG(GRBM_STATUS)) >> 27 & 1, 0); /* ANY_ACTIVE */
	assert_int_equal(rig_read(&r, 0xde3), 25753026560 >> 20);      /* RCC_CONFIG_MEMSIZE, MiB */
	rig_write(&r, 0xe26, 0x55);
	assert_int_equal(rig_read(&r, 0xe27), 0x55); /* HDP flush: DONE follows REQ */
	/* Outside of the space: nothing, and no harm. */
	rig_write(&r, 0x2402c00, 1);
	assert_int_equal(rig_read(&r, 0x2402c00), 0);
	rig_write(&r, ~0u, 1);
	rig_stop(&r);
}

/* What the hardware alone sets, by nvd.h's and the register headers' names. */
static void test_read_only(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	const uint32_t regs[] = {REG(GB_ADDR_CONFIG),
				 REG(GCVM_L2_PROTECTION_FAULT_STATUS),
				 REG(GCVM_L2_PROTECTION_FAULT_ADDR_LO32),
				 REG(GRBM_STATUS),
				 REG(CP_STAT),
				 0xde3 /* RCC_CONFIG_MEMSIZE */,
				 0xe27 /* GPU_HDP_FLUSH_DONE */};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(regs); i++) {
		uint32_t before = rig_read(&r, regs[i]);
		rig_write(&r, regs[i], ~before);
		assert_int_equal(rig_read(&r, regs[i]), before);
	}
	rig_stop(&r);
}

/* Values of gc_11_0_0_default.h, and of each register of a row. */
static void test_reset_values(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	uint32_t context = REG(GCVM_CONTEXT0_CNTL);
	for (unsigned v = 8; v < 16; v++) /* the rig has set up those before it */
		assert_int_equal(rig_read(&r, context + v), 0x01fffe00);
	assert_int_equal(rig_read(&r, REG(GCMC_VM_AGP_BOT)), 0xffffff);
	rig_stop(&r);
}

static void test_vmid_banks(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	const uint32_t regs[] = {REG(SQ_SHADER_TBA_LO),	      REG(SQ_SHADER_TBA_HI),
				 REG(SQ_SHADER_TMA_LO),	      REG(SQ_SHADER_TMA_HI),
				 REG(SPI_GDBG_PER_VMID_CNTL), REG(SH_MEM_CONFIG)};
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
		rig_write(&r, REG(GRBM_GFX_CNTL), v << 4);
		assert_int_equal(rig_read(&r, REG(SQ_SHADER_TBA_LO)), 0x100 * v);
	}
	rig_stop(&r);
}

static void test_queue_banks(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	for (unsigned i = 0; i < 5; i++)
		rig_hqd_write(&r, i, REG(CP_HQD_PQ_RPTR_REPORT_ADDR), 0x1000 + i);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(rig_hqd(&r, i, REG(CP_HQD_PQ_RPTR_REPORT_ADDR)), 0x1000 + i);
		assert_int_equal(rig_hqd(&r, i, REG(CP_HQD_ACTIVE)), 1);
		assert_int_equal(rig_hqd(&r, i, REG(CP_HQD_ERROR)), 0);
	}
	/* The graphics ring is ME 0; queue 1 of pipe 0 is another queue, not set up. */
	struct bw_bank b = {.use_srbm = true, .me = 1, .queue = 1};
	assert_int_equal(bw_device_reg_read(r.dev, &b, REG(CP_HQD_ACTIVE)), 0);
	rig_stop(&r);
}

static void test_sq_ind_banks(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct bw_bank b = {.use_grbm = true, .se = 5, .sa = 1, .instance = 3 << 2 | 2};
	bw_device_reg_write(r.dev, &b, REG(SQ_IND_INDEX), 8 << 16);
	assert_int_equal(bw_device_reg_read(r.dev, &b, REG(SQ_IND_INDEX)), 8 << 16);
	assert_int_equal(bw_device_reg_read(r.dev, &b, REG(SQ_IND_DATA)), 0); /* not busy */
	struct bw_bank other = b;
	other.instance = 3 << 2 | 1;
	assert_int_equal(bw_device_reg_read(r.dev, &other, REG(SQ_IND_INDEX)), 0);
	/* AUTO_INCR moves the index at each read. */
	bw_device_reg_write(r.dev, &b, REG(SQ_IND_INDEX), 0x200 << 16 | 1 << 11);
	bw_device_reg_read(r.dev, &b, REG(SQ_IND_DATA));
	bw_device_reg_read(r.dev, &b, REG(SQ_IND_DATA));
	assert_int_equal(bw_device_reg_read(r.dev, &b, REG(SQ_IND_INDEX)), 0x202 << 16 | 1 << 11);
	/* A unit that the device does not have. */
	struct bw_bank none = {.use_grbm = true, .se = 6};
	assert_int_equal(bw_device_reg_read(r.dev, &none, REG(SQ_IND_DATA)), 0xbebebeef);
	/* The raw select register: SE 23:16, SA 15:8, INSTANCE 7:0. */
	rig_write(&r, REG(GRBM_GFX_INDEX), 5 << 16 | 1 << 8 | (3 << 2 | 2));
	assert_int_equal(rig_read(&r, REG(SQ_IND_INDEX)), 0x202 << 16 | 1 << 11);
	rig_stop(&r);
}

static void test_clock(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	rig_write(&r, REG(RLC_CAPTURE_GPU_CLOCK_COUNT), 1);
	uint32_t a = rig_read(&r, REG(RLC_GPU_CLOCK_COUNT_LSB));
	rig_sleep_ms(2);
	assert_int_equal(rig_read(&r, REG(RLC_GPU_CLOCK_COUNT_LSB)), a);
	rig_write(&r, REG(RLC_CAPTURE_GPU_CLOCK_COUNT), 1);
	assert_true(rig_read(&r, REG(RLC_GPU_CLOCK_COUNT_LSB)) - a >= 200000); /* 100 MHz */
	/* The driver reads the same clock in SMUIO 13.0.6, whose second base is 0x16a00
	 * (gfx_v11_0_get_gpu_clock_counter of Linux 6.12): INFO TIMESTAMP. */
	enum { UPPER = 0x16a00 + 0x2d, LOWER = 0x16a00 + 0x2e };
	a = rig_read(&r, LOWER);
	uint32_t upper = rig_read(&r, UPPER);
	rig_write(&r, LOWER, 0);
	rig_sleep_ms(2);
	assert_true(rig_read(&r, LOWER) - a >= 200000);
	assert_true(rig_read(&r, UPPER) >= upper);
	rig_stop(&r);
}

/* The map of navi31 against the register files themselves, which come from the kernel's headers. */
static void test_addresses(void **state)
{
	const struct bw_profile *p = &bw_profile_navi31;
	const struct {
		const char *file;
		const uint32_t *segment;
	} files[] = {{"gc-11.0.0", p->gc.segment},
		     {"osssys-6.0.0", p->osssys.segment},
		     {"mmhub-3.0.0", p->mmhub.segment}};
	struct bw_register_map m;
	unsigned n = 0, n_bus = 0;
	assert_null(bw_register_map_init(&m, p));
	for (size_t i = 0; i < BW_ARRAY_SIZE(files); i++) {
		char path[512], line[4096], name[128];
		unsigned offset, segment;
		snprintf(path, sizeof(path), "%s/data/regs/%s.txt", getenv("BREAKWATER_SOURCE"),
			 files[i].file);
		_cleanup_fclose_ FILE *f = fopen(path, "r");
		assert_non_null(f);
		while (fgets(line, sizeof(line), f)) {
			if (sscanf(line, "%127s %x/%u", name, &offset, &segment) != 3)
				continue;
			for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++) {
				if (strcmp(bw_register_name(r), name))
					continue;
				if (m.addr_dw[r] != files[i].segment[segment] + offset)
					fail_msg("%s is at 0x%x", name, m.addr_dw[r]);
				assert_int_equal(m.number[m.addr_dw[r]], r);
				n++;
			}
		}
	}
	for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++)
		n_bus += bw_register_names[r].block == bw_n_register_blocks;
	assert_int_equal(n_bus, 16);
	assert_int_equal(n + n_bus, BW_N_REGISTERS - 1);
	/* GRBM_GFX_INDEX of doc/hardware/device.md 2, an address seen on a real bus. */
	assert_int_equal(m.addr_dw[BW_REG_GRBM_GFX_INDEX], 0xc200);
	assert_int_equal(m.addr_dw[BW_REG_SQ_IND_INDEX], 0x2378);
	assert_int_equal(m.addr_dw[BW_REG_CP_HQD_ACTIVE], 0x320b);
	assert_int_equal(m.addr_dw[BW_REG_IH_RB_CNTL], 0x1120);
	assert_int_equal(m.addr_dw[BW_REG_GCVM_INVALIDATE_ENG0_ACK], 0x291d);
	bw_register_map_fini(&m);
}

TESTS(test_storage_and_defaults, test_read_only, test_reset_values, test_vmid_banks,
      test_queue_banks, test_sq_ind_banks, test_clock, test_addresses);
