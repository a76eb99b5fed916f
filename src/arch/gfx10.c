/* SPDX-License-Identifier: MIT */
/* gfx10.3 (RDNA2). */
#include "arch/gfx10_bits.h"
#define BW_ARCH_GEN GFX10
#include "arch/row.h"
#include "arch/gfx10_flags.h"
#include "arch/gfx10_places.h"
#include "regs/regs.h"

/* GC versions: gfx_target_version in amdkfd/kfd_device.c of Linux 6.12. VGPRs: AMDGPU.td of LLVM
 * 19. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(10, 3, 0), "gfx1030", 1024}, {BW_IP_VERSION(10, 3, 1), "gfx1033", 1024},
	{BW_IP_VERSION(10, 3, 2), "gfx1031", 1024}, {BW_IP_VERSION(10, 3, 3), "gfx1035", 1024},
	{BW_IP_VERSION(10, 3, 4), "gfx1032", 1024}, {BW_IP_VERSION(10, 3, 5), "gfx1034", 1024},
	{BW_IP_VERSION(10, 3, 6), "gfx1036", 1024}, {BW_IP_VERSION(10, 3, 7), "gfx1036", 1024},
};

#define BW_GFX10_ROW bw_arch_gfx10
#define BW_GFX10_NAME "gfx10"
#define BW_GFX10_MINOR 3
#define BW_GFX10_WAVES_PER_SIMD 16
#include "arch/gfx10_row.h"
