/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_GFX942_EXTRA_H
#define BW_ARCH_GFX942_EXTRA_H

/* What the register database does not say of gfx942, as in gfx11_extra.h. */

#include "arch/gfx942_bits.h"
#include "arch/gfx942_words.h"

/* The bits of EXCP: CDNA3 ISA manual, TRAPSTS. The ALU's are in the order of enum bw_excp (wave.h);
 * watches 1 to 3 are in EXCP_HI. */
#define BW_GFX942_TRAPSTS__EXCP_ALU_LO (BW_GFX942_TRAPSTS__EXCP_LO + 0)
#define BW_GFX942_TRAPSTS__EXCP_ALU_WIDTH 7
#define BW_GFX942_TRAPSTS__EXCP_ALU (0x7f << BW_GFX942_TRAPSTS__EXCP_ALU_LO)
#define BW_GFX942_TRAPSTS__ADDR_WATCH0_LO (BW_GFX942_TRAPSTS__EXCP_LO + 7)
#define BW_GFX942_TRAPSTS__ADDR_WATCH0_WIDTH 1
#define BW_GFX942_TRAPSTS__MEM_VIOL_LO (BW_GFX942_TRAPSTS__EXCP_LO + 8)
#define BW_GFX942_TRAPSTS__MEM_VIOL_WIDTH 1
#define BW_GFX942_TRAPSTS__MEM_VIOL (0x1 << BW_GFX942_TRAPSTS__MEM_VIOL_LO)
/* cwsr_trap_handler_gfx9.asm of Linux 6.12, SQ_WAVE_TRAPSTS_WAVE_BEGIN */
#define BW_GFX942_TRAPSTS__WAVESTART 0x800000
#define BW_GFX942_TRAPSTS__WAVESTART_LO 23
#define BW_GFX942_TRAPSTS__WAVESTART_WIDTH 1

/* At entry into the trap handler, PC_HI in 15:0: cwsr_trap_handler_gfx9.asm of Linux 6.12,
 * {TTMP1, TTMP0} = {..., HT[0], trapID[7:0], PC[47:0]} */
#define BW_GFX942_TTMP1__PC_HI 0xffff
#define BW_GFX942_TTMP1__PC_HI_LO 0
#define BW_GFX942_TTMP1__PC_HI_WIDTH 16
#define BW_GFX942_TTMP1__TRAP_ID 0xff0000
#define BW_GFX942_TTMP1__TRAP_ID_LO 16
#define BW_GFX942_TTMP1__TRAP_ID_WIDTH 8
#define BW_GFX942_TTMP1__HOST_TRAP 0x1000000
#define BW_GFX942_TTMP1__HOST_TRAP_LO 24
#define BW_GFX942_TTMP1__HOST_TRAP_WIDTH 1

/* From SPI, where the wave has a trap handler: ROCdbgapi, architecture.cpp */
#define BW_GFX942_TTMP6__PACKET 0x1ffffff
#define BW_GFX942_TTMP6__PACKET_LO 0
#define BW_GFX942_TTMP6__PACKET_WIDTH 25
#define BW_GFX942_TTMP8__WORKGROUP_X_LO 0
#define BW_GFX942_TTMP8__WORKGROUP_X_WIDTH 32
#define BW_GFX942_TTMP9__WORKGROUP_Y_LO 0
#define BW_GFX942_TTMP9__WORKGROUP_Y_WIDTH 32
#define BW_GFX942_TTMP10__WORKGROUP_Z_LO 0
#define BW_GFX942_TTMP10__WORKGROUP_Z_WIDTH 32
#define BW_GFX942_TTMP11__WAVE_IN_GROUP_LO 0
#define BW_GFX942_TTMP11__WAVE_IN_GROUP_WIDTH 6

/* As BW_GFX11_S_TRAP_READS_TRAPSTS (gfx11_extra.h) [I]. */
#define BW_GFX942_S_TRAP_READS_TRAPSTS 0x100

/* The SGPR that a wave's scratch address begins in, and those before it, which shaders may name:
 * LLVM 19, SIRegisterInfo.td */
#define BW_GFX942_FLAT_SCRATCH 102

#endif
