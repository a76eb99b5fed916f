/* SPDX-License-Identifier: MIT */
#ifndef BW_GPUVM_APERTURES_H
#define BW_GPUVM_APERTURES_H

/* The apertures by which FLAT instructions reach LDS (shared) and scratch (private): 4 GiB each, at
 * the address that a field of SH_MEM_BASES has, in units of 2^48. */

#include <stdint.h>

/* The fields as amdgpu programs them: for the VMIDs of graphics and compute jobs
 * (gmc_v11_0_vram_gtt_location), and for KFD's (DEFAULT_SH_MEM_BASES of gfx_v11_0.c: both fields,
 * scratch 4 GiB above LDS). Nothing else lies at these addresses. */
enum {
	BW_APERTURE_PRIVATE_BASE = 0x1000,
	BW_APERTURE_SHARED_BASE = 0x2000,
	BW_APERTURE_KFD_BASE = 0x6000,
};

/* Bits 63:32 of an aperture's addresses. */
static inline uint32_t bw_aperture_hi(uint32_t base)
{
	return base << 16;
}

#endif
