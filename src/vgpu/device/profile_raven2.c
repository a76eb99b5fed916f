/* SPDX-License-Identifier: MIT */
/* A Raven2, an APU of GC 9.2.2, for its page tables: translate-further, three levels of which the
 * hardware's PTE level is the middle one. Inside, the device has Navi31's registers (registers_of),
 * as for the MI300X. */
#include "vgpu/device/profile.h"

#include "base/util.h"
#include "wire/vgpu_models.h"

#define MiB (1024ull * 1024)
#define GiB (1024 * MiB)

/* Which versions a machine has beside its firmware files is not known here [I]. */
static const struct bw_profile_firmware firmware[] = {
	{"ME", 52, 163},    {"PFP", 52, 192}, {"RLC", 1, 0x31b},
	{"MEC", 52, 0x1cb}, {"SMC", 0, 0},    {"SDMA", 41, 0xab},
};

/* Ids: soc15_hw_ip.h. Versions: what amdgpu_discovery.c of Linux 6.12 has for a Raven2, which has
 * no such table itself. Bases: vega10_reg_base_init. */
static const struct bw_profile_ip ips[] = {
	{11, 0, 2, "gc", 0, {0}},
	{34, 0, 1, "mmhub", 0, {0}},
	{35, 0, 1, NULL, BW_IP_VERSION(9, 2, 0), {0xc00}}, /* ATHUB */
	{40, 0, 1, "osssys", 0, {0}},
	{41, 0, 1, "hdp", 0, {0}},
	{108, 0, 4, NULL, BW_IP_VERSION(7, 0, 1), {0, 0x14, 0xd20, 0x10400}}, /* NBIF */
	{255, 0, 1, NULL, BW_IP_VERSION(10, 0, 1), {0x16000}},		      /* MP0 */
	{1, 0, 1, NULL, BW_IP_VERSION(10, 0, 1), {0x16000}},		      /* MP1 */
	{42, 0, 1, "sdma", 0, {0}},
	{3, 0, 1, NULL, BW_IP_VERSION(10, 1, 0), {0x16600}},	    /* THM */
	{4, 0, 1, NULL, BW_IP_VERSION(10, 0, 1), {0x16800}},	    /* SMUIO */
	{46, 0, 1, NULL, BW_IP_VERSION(2, 1, 1), {0x7000}},	    /* DF */
	{12, 0, 2, NULL, BW_IP_VERSION(1, 0, 1), {0x7800, 0x7e00}}, /* VCN */
};

/* nbio_v7_0.c: RCC_DEV0_EPF0_STRAP0.ATI_REV_ID, of which 8 and more are a Raven2. */
static const struct bw_profile_value boot[] = {{0xd2f, 8 << 24}};

/* Ids and sizes: seed reports of such a machine (1002:15d8, revision 0xdf, 512 MiB of VRAM); one
 * shader engine with three CUs: AMD's data sheet of the Ryzen 3 3200U. Waves: LLVM 19 (AMDGPU.td)
 * for gfx902. GB_ADDR_CONFIG: gfx_v9_0.c of Linux 6.12. */
const struct bw_profile bw_profile_raven2 = {
	.name = BW_VGPU_RAVEN2,
	.gfx = BW_VGPU_RAVEN2_GFX,
	.gen = BW_ISA_GFX902,
	.no_draws = "raven2 draws nothing: of graphics the virtual GPU has Navi31's alone",
	.marketing_name = "AMD Radeon Vega 3 Graphics",
	.pci_class = 0x038000,
	.pci_device = 0x15d8,
	.pci_subdevice = 0x380a,
	.pci_revision = 0xdf,
	.pci_address = "0000:04:00.0",
	.family = 142,
	.external_rev = 0x89,
	.n_se = 1,
	.sa_per_se = 1,
	.wgp_per_sa = 3,
	.simd_per_wgp = 4,
	.cus_per_wgp = 1,
	.waves_per_simd = 10,
	.vgprs_per_simd = 512, /* 256 of 64 lanes */
	.vgpr_granule_w32 = 8,
	.waves = {.max_vgprs = 256,
		  .vgprs_unit = 4,
		  .wave_size_b = 1024,
		  .scratch_is_of_gpu = true,
		  .separate_ids = true,
		  .scratch_in_sgprs = true},
	.lds_per_wgp_b = 64 * 1024,
	.lds_max_group_b = 64 * 1024,
	.lds_granule_b = 512,
	.max_groups_per_wgp = 32,
	.vram_size_b = 512 * MiB,
	.sysmem_size_b = 64 * GiB,
	.gc = {BW_IP_VERSION(9, 2, 2), {0x2000, 0xa000}},
	.sdma = {BW_IP_VERSION(4, 1, 1), {0x1260}},
	.mmhub = {BW_IP_VERSION(9, 2, 0), {0x1a000}},
	.osssys = {BW_IP_VERSION(4, 1, 1), {0x10a0}},
	.hdp = {BW_IP_VERSION(4, 1, 1), {0xf20}},
	.registers_of = &bw_profile_navi31,
	/* gmc_v9_0.c and gfxhub_v1_0.c: VM_CONTEXTn_CNTL 0x007ffecb in a guest */
	.tables = {.depth = 1, .block = 9, .bfs = 9},
	.rcc_config_memsize_dw = 0xde3,
	.gpu_hdp_flush_req_dw = 0xe26,
	.gpu_hdp_flush_done_dw = 0xe27,
	.mp0_dw = 0x16000,
	.golden_tsc_count_dw = 0x16a2d,
	.ips = ips,
	.n_ips = BW_ARRAY_SIZE(ips),
	.boot = boot,
	.n_boot = BW_ARRAY_SIZE(boot),
	.gb_addr_config = 0x26013041,
	.shader_clock_mhz = 1200,
	.sclk = {200, 1200, 1200},
	.mclk = {400, 1200, 1200},
	.idle_w = 2,
	.full_w = 15,
	.n_rb = 1,
	.n_tcc = 2,
	.vram_type = 8, /* DDR4 */
	.vram_bus_bits = 128,
	.pcie_gen = 3,
	.pcie_lanes = 16,
	.sqc_per_wgp = 1,
	.tcp_kib = 16,
	.sqc_data_kib = 16,
	.sqc_inst_kib = 32,
	.gl2_kib = 512,
	.vram_pinned_b = 16 * MiB,
	/* as Navi31's, without its debugger */
	.kfd = {.capability = 0x0000a280,
		.n_queues = 8,
		.waves_per_cu = 40,
		.waves_per_se = 512,
		.wave_b = 8,
		.vgprs_b = 0x40000},
	.firmware = firmware,
	.n_firmware = BW_ARRAY_SIZE(firmware),
};
