/* SPDX-License-Identifier: MIT */
/* One XCC of an MI300X: gfx942. Inside, the device has Navi31's registers (registers_of), which the
 * driver of this project uses; debuggers and Linux's driver see the GPU's own. */
#include "vgpu/device/profile.h"
#include "vgpu/device/register_own.h"

#include "base/util.h"
#include "wire/vgpu_models.h"

#define GiB (1024ull * 1024 * 1024)
enum { SDMA_DW = 0x1e000 }; /* of the first engine [I] */

/* Which versions a card has beside its firmware files is not known here [I]. */
static const struct bw_profile_firmware firmware[] = {
	{"RLC", 1, 0x4b},	{"MEC", 60, 147}, {"SOS", 0x00360241, 0x00360241},
	{"SMC", 0, 0x00557300}, {"SDMA", 9, 19},
};

/* Ids: soc15_hw_ip.h. Versions: amdgpu_discovery.c of Linux 6.12, which takes these for 9.4.3. */
static const struct bw_profile_ip ips[] = {
	{11, 0, 3, "gc", 0, {0}},
	{34, 0, 1, "mmhub", 0, {0}},
	{35, 0, 1, NULL, BW_IP_VERSION(1, 8, 0), {0xc00}}, /* ATHUB */
	{40, 0, 1, "osssys", 0, {0}},
	{41, 0, 1, "hdp", 0, {0}},
	{108,
	 0,
	 6,
	 NULL,
	 BW_IP_VERSION(7, 9, 0),
	 {0, 0x14, 0xd20, 0x10400, 0x241b000, 0x4040000}},     /* NBIF */
	{255, 0, 1, NULL, BW_IP_VERSION(13, 0, 6), {0x16000}}, /* MP0 */
	{1, 0, 1, NULL, BW_IP_VERSION(13, 0, 6), {0x16000}},   /* MP1 */
	{42, 0, 1, "sdma", 0, {0}},
	{42, 1, 1, NULL, BW_IP_VERSION(4, 4, 2), {SDMA_DW + BW_OWN_SDMA_DW}},
	{3, 0, 1, NULL, BW_IP_VERSION(13, 0, 6), {0x16600}},	      /* THM */
	{4, 0, 2, NULL, BW_IP_VERSION(13, 0, 3), {0x16800, 0x16a00}}, /* SMUIO */
	{46, 0, 1, NULL, BW_IP_VERSION(4, 6, 2), {0x7000}},	      /* DF */
	{12, 0, 2, NULL, BW_IP_VERSION(4, 0, 3), {0x7800, 0x7e00}},   /* VCN */
	{150, 0, 1, NULL, BW_IP_VERSION(12, 0, 0), {0x14000}},	      /* UMC */
};

/* nbio_v7_9.c, smuio_v13_0_3.c and nbio_7_9_0_offset.h of Linux 6.12. */
static const struct bw_profile_value boot[] = {
	{0xd36, 1 << 24},  /* RCC_STRAP0_RCC_DEV0_EPF0_STRAP0: ATI_REV_ID, 0 is a gfx941 */
	{0xe84, 1},	   /* BIF_BX_PF0_PARTITION_MEM_STATUS: NPS1 */
	{0x16a23, 1 << 2}, /* SMUIO_MCM_CONFIG: PKG_TYPE OAM */
};

/* Counts, sizes and clocks: AMD's data sheet of the MI300X and the tables of LLVM 19 (AMDGPU.td)
 * for gfx942. All 40 CUs of the XCC are there, of which a card has two turned off. Segments: those
 * of vega10_reg_base_init, as Linux 6.12 accepts them for this GPU [I]. */
const struct bw_profile bw_profile_mi300x = {
	.name = BW_VGPU_MI300X,
	.gfx = BW_VGPU_MI300X_GFX,
	.gen = BW_ISA_GFX942,
	.marketing_name = "AMD Instinct MI300X",
	.pci_class = 0x120000,
	.pci_device = 0x74a1,
	.pci_subdevice = 0x74a1,
	.pci_address = "0000:0c:00.0",
	.family = 141,
	.external_rev = 0x47,
	.n_se = 4,
	.sa_per_se = 1,
	.wgp_per_sa = 10,
	.simd_per_wgp = 4,
	.cus_per_wgp = 1,
	.waves_per_simd = 8,
	.vgprs_per_simd = 1024, /* 512 of 64 lanes */
	.vgpr_granule_w32 = 16,
	.waves = {.has_accum = true,
		  .max_vgprs = 512,
		  .vgprs_unit = 8,
		  .wave_size_b = 1024,
		  .scratch_is_of_gpu = true},
	.lds_per_wgp_b = 64 * 1024,
	.lds_max_group_b = 64 * 1024,
	.lds_granule_b = 512,
	.max_groups_per_wgp = 32,
	.vram_size_b = 206141652992,
	.sysmem_size_b = 64 * GiB,
	.gc = {BW_IP_VERSION(9, 4, 3), {0x2000, 0xa000, 0x2402c00}},
	.sdma = {BW_IP_VERSION(4, 4, 2), {SDMA_DW}},
	.mmhub = {BW_IP_VERSION(1, 8, 0), {0x1a000}},
	.osssys = {BW_IP_VERSION(4, 4, 2), {0x10a0}},
	.hdp = {BW_IP_VERSION(4, 4, 2), {0xf20}},
	.registers_of = &bw_profile_navi31,
	.tables = {.depth = 3},
	.rcc_config_memsize_dw = 0xde3,
	.gpu_hdp_flush_req_dw = 0xe26,
	.gpu_hdp_flush_done_dw = 0xe27,
	.mp0_dw = 0x16000,
	.golden_tsc_count_dw = 0x16a2d,
	.ips = ips,
	.n_ips = BW_ARRAY_SIZE(ips),
	.boot = boot,
	.n_boot = BW_ARRAY_SIZE(boot),
	.gb_addr_config = 0x2a114042,
	.shader_clock_mhz = 2100,
	.sclk = {132, 2100, 2100},
	.mclk = {900, 1300, 1300},
	.idle_w = 140,
	.full_w = 750,
	.n_tcc = 16,
	.vram_type = 6, /* HBM */
	.vram_bus_bits = 8192,
	.pcie_gen = 5,
	.pcie_lanes = 16,
	.sqc_per_wgp = 1,
	.tcp_kib = 32,
	.sqc_data_kib = 16,
	.sqc_inst_kib = 64,
	.gl2_kib = 4096,
	.mall_b = 268435456,
	.vram_pinned_b = 71929856,
	/* as Navi31's, with the bits of watches that kfd_topology.c has for it, precise memory,
	 * SRAM with ECC, and revision 1: 0 is a gfx941 */
	.kfd = {.capability = 0x2447a280,
		.debug_prop = 0x5e7,
		.n_queues = 24,
		.waves_per_cu = 40,
		.waves_per_se = 512,
		.wave_b = 8,
		.vgprs_b = 0x80000},
	.firmware = firmware,
	.n_firmware = BW_ARRAY_SIZE(firmware),
};
