/* SPDX-License-Identifier: MIT */
#include "vgpu/device/profile.h"

#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/gc_11_0_0.h"

#define GiB (1024ull * 1024 * 1024)

/* Sizes and ids: doc/hardware/mesa.md 2.1 and 2.2 (published from a real card); segments:
 * doc/hardware/device.md 1. */
const struct bw_profile bw_profile_navi31 = {
	.name = "navi31",
	.gfx = "gfx1100",
	.marketing_name = "AMD Radeon RX 7900 XTX",
	.gc_version = 0x0b0000,
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
	.waves_per_simd = 16,
	.vgprs_per_simd = 1536,
	.vgpr_granule_w32 = 24,
	.lds_per_wgp_b = 128 * 1024,
	.lds_max_group_b = 64 * 1024,
	.lds_granule_b = 1024,
	.max_groups_per_wgp = 32,
	.vram_size_b = 25753026560,
	.sysmem_size_b = 64 * GiB,
	.gc_segment = {BW_SEG_GC_0, BW_SEG_GC_1, 0x1c000, 0x2402c00},
	.mmhub_segment = {BW_SEG_MMHUB_0, 0x2408800},
	.osssys_segment = {BW_SEG_OSSSYS_0, 0x240a000},
	.hdp_segment = {BW_SEG_HDP_0, 0x240a400},
	.gb_addr_config = 0x545,
};

static const struct bw_profile *const profiles[] = {&bw_profile_navi31};

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
