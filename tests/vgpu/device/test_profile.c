/* SPDX-License-Identifier: MIT */
/* Another GPU as data alone: a made-up relative of Navi32, whose registers, segments and counts are
 * not those of Navi31. Addresses come from the register files, fields from gc_11_0_3_sh_mask.h. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/util.h"
#include "regs/regs.h"
#include "vgpu/device/register_map.h"

enum { WAIT_MS = 60000, N_SE = 3, N_SA = 2, N_WGP = 5, N_SIMD = 4, N_SLOTS = 8 };

static struct bw_profile other(void)
{
	struct bw_profile p = bw_profile_navi31;
	p.name = "other";
	p.gfx = "gfx1101";
	p.n_se = N_SE;
	p.sa_per_se = N_SA;
	p.wgp_per_sa = N_WGP;
	p.waves_per_simd = N_SLOTS;
	p.vgprs_per_simd = 1024;
	p.vgpr_granule_w32 = 16;
	p.max_groups_per_wgp = 16;
	p.vram_size_b = 2ull << 30;
	p.gb_addr_config = 0x444;
	/* Packets fix where segments 0 and 1 of GC are. */
	p.gc = (struct bw_profile_block){BW_IP_VERSION(11, 0, 3), {0x1260, 0xa000, 0x1d000}};
	p.sdma = (struct bw_profile_block){BW_IP_VERSION(6, 0, 3), {0x1260, 0xa000, 0x1d000}};
	p.mmhub = (struct bw_profile_block){BW_IP_VERSION(3, 0, 2), {0x1c400, 0x2409000}};
	p.osssys = (struct bw_profile_block){BW_IP_VERSION(6, 1, 0), {0x600, 0x240b000}};
	p.hdp = (struct bw_profile_block){BW_IP_VERSION(6, 0, 0), {0xf40}};
	p.rcc_config_memsize_dw = 0xd03;
	p.gpu_hdp_flush_req_dw = 0xd46;
	p.gpu_hdp_flush_done_dw = 0xd49;
	return p;
}

/* Every register that a file has is where the file says. */
static unsigned check_file(const struct bw_register_map *m, const char *file,
			   const uint32_t *segment)
{
	char path[512], line[4096], name[128];
	unsigned offset, number, n = 0;
	snprintf(path, sizeof(path), "%s/data/regs/%s.txt", getenv("BREAKWATER_SOURCE"), file);
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%127s %x/%u", name, &offset, &number) != 3)
			continue;
		for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++) {
			if (strcmp(bw_register_name(r), name))
				continue;
			if (m->addr_dw[r] != segment[number] + offset)
				fail_msg("%s is at 0x%x", name, m->addr_dw[r]);
			n++;
		}
	}
	return n;
}

static void test_addresses(void **state)
{
	struct bw_profile p = other();
	struct bw_register_map m;
	struct bw_error *err = bw_register_map_init(&m, &p);
	if (err)
		fail_msg("%s", err->message);
	unsigned n = check_file(&m, "gc-11.0.3", p.gc.segment) +
		     check_file(&m, "mmhub-3.0.2", p.mmhub.segment) +
		     check_file(&m, "osssys-6.1.0", p.osssys.segment);
	/* The bus interface has 14, SMUIO two; GC 11.0.3 has no engines 3 to 5 to have a status. */
	assert_int_equal(n + 3 + 14 + 2, BW_N_REGISTERS - 1);
	for (unsigned se = 0; se < 6; se++)
		assert_int_equal(m.addr_dw[BW_REG_GRBM_STATUS_SE0 + se] >= BW_REG_SPACE_DW,
				 se >= N_SE);
	/* Not where Navi31 has them: 0x1260 + 0x1688, and 0x1260 + 0x1690 in gc_11_0_3_offset.h */
	assert_int_not_equal(m.addr_dw[BW_REG_GCVM_CONTEXT0_CNTL], 0x1260 + 0x1688);
	bw_register_map_fini(&m);
}

static void test_registers(void **state)
{
	struct bw_profile p = other();
	struct rig r;
	rig_start_profile(&r, &p, NULL);
	assert_int_equal(rig_read(&r, 0xd03), 2048); /* MiB */
	rig_write(&r, 0xd46, 0x55);
	assert_int_equal(rig_read(&r, 0xd49), 0x55);
	assert_int_equal(rig_read(&r, REG(GB_ADDR_CONFIG)), 0x444);
	assert_int_equal(rig_read(&r, REG(GRBM_STATUS_SE2)), 6); /* DB_CLEAN, CB_CLEAN */
	assert_int_equal(rig_read(&r, REG(GCMC_VM_FB_LOCATION_TOP)) -
				 rig_read(&r, REG(GCMC_VM_FB_LOCATION_BASE)),
			 127); /* 2 GiB in 16 MiB */
	/* What Navi31 has elsewhere is nothing here: no bank for each VMID, no reaction. */
	struct bw_bank unit = {.use_grbm = true, .se = 2, .sa = 1, .instance = 4 << 2 | 3};
	bw_device_reg_write(r.dev, &unit, REG(SQ_IND_INDEX), 8 << 16);
	assert_int_equal(bw_device_reg_read(r.dev, &unit, REG(SQ_IND_DATA)), 0);
	unit.se = 3;
	assert_int_equal(bw_device_reg_read(r.dev, &unit, REG(SQ_IND_DATA)), 0xbebebeef);
	unit = (struct bw_bank){.use_grbm = true, .instance = 5 << 2};
	assert_int_equal(bw_device_reg_read(r.dev, &unit, REG(SQ_IND_DATA)), 0xbebebeef);
	rig_stop(&r);
}

/* A program with its own page tables, on all of the units and on no others; its end comes as an
 * interrupt. */
static void test_dispatch(void **state)
{
	enum { GROUPS = 400, THREADS = 64 };
	const struct bw_device_options one_thread = {.deterministic = true};
	struct bw_profile p = other();
	bool used[N_SE][N_SA][N_WGP] = {0};
	struct rig r;
	rig_start_profile(&r, &p, &one_thread);
	struct rig_launch l = {.kernel = "hwid",
			       .groups = {GROUPS},
			       .threads = {THREADS},
			       .n_user = 3,
			       .user = {(uint32_t)RIG_DATA, RIG_DATA >> 32, THREADS}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	const uint32_t *id = rig_ptr(&r, RIG_DATA);
	for (unsigned i = 0; i < GROUPS * THREADS; i++) {
		/* HW_ID1: WAVE_ID 4:0, SIMD_ID 9:8, WGP_ID 13:10, SA_ID 16, SE_ID 20:18 */
		unsigned slot = id[i] & 0x1f, wgp = id[i] >> 10 & 0xf, sa = id[i] >> 16 & 1,
			 se = id[i] >> 18 & 7;
		if (slot >= N_SLOTS || wgp >= N_WGP || se >= N_SE)
			fail_msg("item %u ran in 0x%x", i, id[i]);
		used[se][sa][wgp] = true;
	}
	for (unsigned i = 0; i < N_SE * N_SA * N_WGP; i++)
		assert_true(used[i / N_WGP / N_SA][i / N_WGP % N_SA][i % N_WGP]);
	struct rig_vector v;
	assert_true(rig_next_vector(&r, &v, WAIT_MS));
	assert_int_equal(v.source, 181); /* CP_EOP_INTERRUPT of irqsrcs_gfx_11_0_0.h */
	struct bw_device_stats s;
	bw_device_stats(r.dev, &s);
	assert_int_equal(s.waves_launched, GROUPS * THREADS / 32);
	rig_stop(&r);
}

static void refused(const struct bw_profile *p, const char *what)
{
	const struct bw_device_options options = {.threads = 1};
	struct bw_device *dev = NULL;
	struct bw_error *err = bw_device_create(p, &options, NULL, NULL, &dev);
	assert_non_null(err);
	assert_null(dev);
	if (!strstr(err->message, what))
		fail_msg("'%s' does not say '%s'", err->message, what);
	bw_error_free(err);
}

static void test_refused(void **state)
{
	struct bw_profile p = other();
	p.gc.version = BW_IP_VERSION(99, 0, 0);
	refused(&p, "gc");
	p = other();
	p.gc.version = BW_IP_VERSION(11, 5, 0); /* gc_11_5_0_sh_mask.h: 6:0 */
	refused(&p, "GRBM_GFX_INDEX.INSTANCE_INDEX");
	p = other();
	p.gc.segment[0] = 0x2000;
	refused(&p, "SET_SH_REG");
	p = other();
	p.osssys.segment[0] = 0x240b000;
	refused(&p, "outside of the register space");
	p = other();
	p.osssys.segment[0] = p.mmhub.segment[0] + 0x700;
	refused(&p, "are both at");
	p = other();
	p.n_se = 9;
	refused(&p, "shader engines");
	p = other();
	p.waves_per_simd = 17;
	refused(&p, "waves");
}

TESTS(test_addresses, test_registers, test_dispatch, test_refused);
