/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_PROFILE_H
#define BW_VGPU_DEVICE_PROFILE_H

/* What differs between GPUs, as one row of data each. The numbers of Navi31 are those a real card
 * reports (doc/hardware/mesa.md 2.2). */

#include <stddef.h>
#include <stdint.h>

struct bw_profile {
	const char *name; /* "navi31" */
	const char *gfx;  /* "gfx1100" */
	const char *marketing_name;
	uint32_t gc_version; /* 0x0b0000: major << 16 | minor << 8 | revision */
	uint16_t pci_device, pci_subdevice, pci_revision;
	const char *pci_address; /* "0000:03:00.0" */
	uint32_t family, external_rev;
	uint8_t n_se, sa_per_se, wgp_per_sa, simd_per_wgp, waves_per_simd;
	uint32_t vgprs_per_simd;   /* registers of 32 lanes: 1536 */
	uint32_t vgpr_granule_w32; /* 24; wave64 half of it */
	uint32_t lds_per_wgp_b, lds_max_group_b;
	uint32_t lds_granule_b;
	uint8_t max_groups_per_wgp; /* 32 */
	uint64_t vram_size_b, sysmem_size_b;
	/* dwords, as ip_discovery */
	uint32_t gc_segment[5], mmhub_segment[5], osssys_segment[5], hdp_segment[5];
	uint32_t gb_addr_config;
};

extern const struct bw_profile bw_profile_navi31;
/* All of them, in the order they are listed in. */
const struct bw_profile *const *bw_profile_all(size_t *out_n);
const struct bw_profile *bw_profile_find(const char *name); /* NULL when there is none */

#endif
