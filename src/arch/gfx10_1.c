/* SPDX-License-Identifier: MIT */
/* gfx10.1 (RDNA1: Navi10, 12, 14 and Cyan Skillfish, the BC-250). */
#include "arch/gfx10_1_bits.h"
#define BW_ARCH_GEN GFX10_1
#include "arch/row.h"
#include "arch/gfx10_1_flags.h"
#include "arch/gfx10_1_places.h"
#include "regs/regs.h"

/* GC versions: gfx_target_version in amdkfd/kfd_device.c of Linux 6.12. VGPRs: AMDGPU.td of LLVM
 * 19. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(10, 1, 1), "gfx1012", 1024},  {BW_IP_VERSION(10, 1, 2), "gfx1011", 1024},
	{BW_IP_VERSION(10, 1, 3), "gfx1013", 1024},  {BW_IP_VERSION(10, 1, 4), "gfx1013", 1024},
	{BW_IP_VERSION(10, 1, 10), "gfx1010", 1024},
};

#define BW_GFX10_ROW bw_arch_gfx10_1
#define BW_GFX10_NAME "gfx10.1"
#define BW_GFX10_MINOR 1
#define BW_GFX10_WAVES_PER_SIMD 20
#include "arch/gfx10_row.h"
