/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_GFX12_EXTRA_H
#define BW_ARCH_GFX12_EXTRA_H

/* What the register database does not say of gfx12, as in gfx11_extra.h. */

#include "arch/gfx12_bits.h"
#include "arch/gfx12_words.h"

/* At entry into the trap handler: cwsr_trap_handler_gfx12.asm of Linux 6.12,
 * S_SAVE_PC_HI_TRAP_ID_MASK */
#define BW_GFX12_TTMP1__PC_HI 0xffff
#define BW_GFX12_TTMP1__PC_HI_LO 0
#define BW_GFX12_TTMP1__PC_HI_WIDTH 16
#define BW_GFX12_TTMP1__TRAP_ID 0xf0000000
#define BW_GFX12_TTMP1__TRAP_ID_LO 28
#define BW_GFX12_TTMP1__TRAP_ID_WIDTH 4

/* From SPI. LLVM 19 reads the workgroup there (tests/arch); the packet: ROCdbgapi, architecture.cpp
 */
#define BW_GFX12_TTMP8__PACKET 0x1ffffff
#define BW_GFX12_TTMP8__PACKET_LO 0
#define BW_GFX12_TTMP8__PACKET_WIDTH 25
#define BW_GFX12_TTMP8__WAVE_IN_GROUP 0x3e000000
#define BW_GFX12_TTMP8__WAVE_IN_GROUP_LO 25
#define BW_GFX12_TTMP8__WAVE_IN_GROUP_WIDTH 5
#define BW_GFX12_TTMP9__WORKGROUP_X 0xffffffff
#define BW_GFX12_TTMP9__WORKGROUP_X_LO 0
#define BW_GFX12_TTMP9__WORKGROUP_X_WIDTH 32
#define BW_GFX12_TTMP7__WORKGROUP_Y 0xffff
#define BW_GFX12_TTMP7__WORKGROUP_Y_LO 0
#define BW_GFX12_TTMP7__WORKGROUP_Y_WIDTH 16
#define BW_GFX12_TTMP7__WORKGROUP_Z 0xffff0000
#define BW_GFX12_TTMP7__WORKGROUP_Z_LO 16
#define BW_GFX12_TTMP7__WORKGROUP_Z_WIDTH 16

#endif
