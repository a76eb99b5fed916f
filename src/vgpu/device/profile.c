/* SPDX-License-Identifier: MIT */
#include "vgpu/device/profile.h"

#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "regs/regs.h"
#include "wire/vgpu_models.h"

#define GiB (1024ull * 1024 * 1024)

/* ME, PFP, MEC and SDMA are a Navi31's; the others are what one has beside these [I]. */
static const struct bw_profile_firmware navi31_firmware[] = {
	{"ME", 29, 1486},
	{"PFP", 29, 1525},
	{"RLC", 1, 0x70},
	{"MEC", 29, 494},
	{"IMU", 0, 0x0b1f3600},
	{"SOS", 0x00310027, 0x00310027},
	{"ASD", 0x210000a9, 0x210000a9},
	{"SMC", 0, 0x004e7300},
	{"SDMA", 60, 21},
	{"MES_KIQ", 6, 0x6c},
	/* KFD frees a write pointer at the end of a queue that it has not made for schedulers of an
	 * API below 2 (Linux 6.12.117); with 14 and 0x40 it debugs, with 0x47 all queues come by
	 * ADD_QUEUE. */
	{"MES", 14, 0x50},
};

/* doc/hardware/pci.md 4.1 */
static const struct bw_profile_ip navi31_ips[] = {
	{11, 0, 4, "gc", 0, {0}},
	{34, 0, 2, "mmhub", 0, {0}},
	{35, 0, 2, NULL, BW_IP_VERSION(3, 0, 0), {0xc00, 0x2408c00}}, /* ATHUB */
	{40, 0, 2, "osssys", 0, {0}},
	{41, 0, 2, "hdp", 0, {0}},
	/* NBIF */
	{108, 0, 6, NULL, BW_IP_VERSION(4, 3, 0), {0, 0x14, 0xd20, 0x10400, 0x241b000, 0x4040000}},
	/* MP0, MP1 */
	{255,
	 0,
	 5,
	 NULL,
	 BW_IP_VERSION(13, 0, 0),
	 {0x16000, 0x243fc00, 0xdc0000, 0xe00000, 0xe40000}},
	{1, 0, 3, NULL, BW_IP_VERSION(13, 0, 0), {0x16000, 0x2401800, 0x243fc00}},
	{42, 0, 4, "sdma", 0, {0}},
	{43, 0, 4, "sdma", 0, {0}},
	{91, 0, 1, NULL, BW_IP_VERSION(6, 0, 0), {0x45300}},		       /* LSDMA */
	{3, 0, 2, NULL, BW_IP_VERSION(13, 0, 0), {0x16600, 0x2400c00}},	       /* THM */
	{4, 0, 2, NULL, BW_IP_VERSION(13, 0, 6), {0x16800, 0x16a00}},	       /* SMUIO */
	{12, 0, 3, NULL, BW_IP_VERSION(4, 0, 0), {0x7800, 0x7e00, 0x2403000}}, /* VCN */
	{46, 0, 1, NULL, BW_IP_VERSION(4, 3, 0), {0x7000}},		       /* DF */
	{5, 0, 1, NULL, BW_IP_VERSION(13, 0, 0), {0x17400}},		       /* FUSE */
};

/* Sizes and ids: doc/hardware/mesa.md 2.1 and 2.2 (published from a real card); segments:
 * doc/hardware/device.md 1; bus interface: the same, 2. */
const struct bw_profile bw_profile_navi31 = {
	.name = BW_VGPU_NAVI31,
	.gfx = BW_VGPU_NAVI31_GFX,
	.gen = BW_ISA_GFX11,
	.marketing_name = "AMD Radeon RX 7900 XTX",
	.pci_class = 0x030000,
	.pci_device = 0x744c,
	.pci_subdevice = 0x0e3b,
	.pci_revision = 0xc8,
	.pci_address = "0000:03:00.0",
	.family = 145,
	.external_rev = 1,
	.n_se = 6,
	.sa_per_se = 2,
	.wgp_per_sa = 4,
	.simd_per_wgp = 4,
	.cus_per_wgp = 2,
	.waves_per_simd = 16,
	.vgprs_per_simd = 1536,
	.vgpr_granule_w32 = 24,
	.waves = {.has_wave32 = true, .max_vgprs = 256, .vgprs_unit = 4, .wave_size_b = 256},
	.lds_per_wgp_b = 128 * 1024,
	.lds_max_group_b = 64 * 1024,
	.lds_granule_b = 1024,
	.max_groups_per_wgp = 32,
	.vram_size_b = 25753026560,
	.sysmem_size_b = 64 * GiB,
	.gc = {BW_IP_VERSION(11, 0, 0), {0x1260, 0xa000, 0x1c000, 0x2402c00}},
	.sdma = {BW_IP_VERSION(6, 0, 0), {0x1260, 0xa000, 0x1c000, 0x2402c00}},
	.mmhub = {BW_IP_VERSION(3, 0, 0), {0x1a000, 0x2408800}},
	.osssys = {BW_IP_VERSION(6, 0, 0), {0x10a0, 0x240a000}},
	.hdp = {BW_IP_VERSION(6, 0, 0), {0xf20, 0x240a400}},
	.tables = {.depth = 3},
	.has_graphics = true,
	.rcc_config_memsize_dw = 0xde3,
	.gpu_hdp_flush_req_dw = 0xe26,
	.gpu_hdp_flush_done_dw = 0xe27,
	.mp0_dw = 0x16000,
	.golden_tsc_count_dw = 0x16a2d,
	.ips = navi31_ips,
	.n_ips = BW_ARRAY_SIZE(navi31_ips),
	.gb_addr_config = 0x545,
	.shader_clock_mhz = 2000,
	.sclk = {500, 1900, 2371},
	.mclk = {96, 1249, 1249},
	.idle_w = 15,
	.full_w = 355,
	.n_rb = 24,
	.n_tcc = 24,
	.vram_type = 9, /* GDDR6 */
	.vram_bus_bits = 384,
	.pcie_gen = 4,
	.pcie_lanes = 16,
	.sqc_per_wgp = 1,
	.tcp_kib = 32,
	.sqc_data_kib = 16,
	.sqc_inst_kib = 32,
	.gl1_kib = 256,
	.gl2_kib = 6144,
	.mall_b = 100663296,
	.vram_pinned_b = 71929856,
	.gs_vgt_table_depth = 32,
	.gs_prim_buffer_depth = 1792,
	.max_gs_waves_per_vgt = 32,
	/* as the guest's driver has them: four watch points, doorbells of 64 bits, and firmware
	 * that tells the runtime of errors */
	.kfd = {.capability = 0x2003a280,
		.debug_prop = 0x5d7,
		.n_queues = 8,
		.waves_per_cu = 32,
		.wave_b = 12,
		.vgprs_b = 0x60000},
	.firmware = navi31_firmware,
	.n_firmware = BW_ARRAY_SIZE(navi31_firmware),
};

static const struct bw_profile *const profiles[] = {&bw_profile_navi31, &bw_profile_mi300x,
						    &bw_profile_raven2};

const struct bw_profile *const *bw_profile_all(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(profiles);
	return profiles;
}

const struct bw_profile *bw_profile_find(const char *name)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(profiles); i++)
		if (!strcmp(profiles[i]->name, name))
			return profiles[i];
	return NULL;
}

const struct bw_profile_block *bw_profile_block(const struct bw_profile *p, const char *name)
{
	const struct {
		const char *name;
		const struct bw_profile_block *block;
	} blocks[] = {
		{"gc", &p->gc},		{"sdma", &p->sdma}, {"mmhub", &p->mmhub},
		{"osssys", &p->osssys}, {"hdp", &p->hdp},   {"sdma0", &p->sdma},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(blocks); i++)
		if (!strcmp(blocks[i].name, name))
			return blocks[i].block;
	return NULL;
}
