/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_GFX11_EXTRA_H
#define BW_ARCH_GFX11_EXTRA_H

/* What the register database and the encodings do not say of gfx11, in the form of gfx11_bits.h.
 * For C and for assembler. */

#include "arch/gfx11_bits.h"
#include "arch/gfx11_words.h"

/* The bits of EXCP and EXCP_EN: RDNA3 ISA manual, TRAPSTS and MODE. The ALU's are in the order of
 * enum bw_excp (wave.h); watches 1 to 3 are in EXCP_HI. */
#define BW_GFX11_TRAPSTS__EXCP_ALU_LO (BW_GFX11_TRAPSTS__EXCP_LO + 0)
#define BW_GFX11_TRAPSTS__EXCP_ALU_WIDTH 7
#define BW_GFX11_TRAPSTS__EXCP_ALU (0x7f << BW_GFX11_TRAPSTS__EXCP_ALU_LO)
#define BW_GFX11_TRAPSTS__ADDR_WATCH0_LO (BW_GFX11_TRAPSTS__EXCP_LO + 7)
#define BW_GFX11_TRAPSTS__ADDR_WATCH0_WIDTH 1
#define BW_GFX11_TRAPSTS__ADDR_WATCH0 (0x1 << BW_GFX11_TRAPSTS__ADDR_WATCH0_LO)
#define BW_GFX11_TRAPSTS__MEM_VIOL_LO (BW_GFX11_TRAPSTS__EXCP_LO + 8)
#define BW_GFX11_TRAPSTS__MEM_VIOL_WIDTH 1
#define BW_GFX11_TRAPSTS__MEM_VIOL (0x1 << BW_GFX11_TRAPSTS__MEM_VIOL_LO)
#define BW_GFX11_MODE__EXCP_EN_ALU_LO (BW_GFX11_MODE__EXCP_EN_LO + 0)
#define BW_GFX11_MODE__EXCP_EN_ALU_WIDTH 7
#define BW_GFX11_MODE__EXCP_EN_ALU (0x7f << BW_GFX11_MODE__EXCP_EN_ALU_LO)
#define BW_GFX11_MODE__EXCP_EN_WATCH_LO (BW_GFX11_MODE__EXCP_EN_LO + 7)
#define BW_GFX11_MODE__EXCP_EN_WATCH_WIDTH 1
#define BW_GFX11_MODE__EXCP_EN_WATCH (0x1 << BW_GFX11_MODE__EXCP_EN_WATCH_LO)

/* At entry into the trap handler, PC_HI in 15:0: cwsr_trap_handler_gfx10.asm of Linux 6.12,
 * S_SAVE_PC_HI_TRAP_ID_MASK and S_SAVE_PC_HI_HT_MASK */
#define BW_GFX11_TTMP1__PC_HI 0xffff
#define BW_GFX11_TTMP1__PC_HI_LO 0
#define BW_GFX11_TTMP1__PC_HI_WIDTH 16
#define BW_GFX11_TTMP1__TRAP_ID 0xff0000
#define BW_GFX11_TTMP1__TRAP_ID_LO 16
#define BW_GFX11_TTMP1__TRAP_ID_WIDTH 8
#define BW_GFX11_TTMP1__HOST_TRAP 0x1000000
#define BW_GFX11_TTMP1__HOST_TRAP_LO 24
#define BW_GFX11_TTMP1__HOST_TRAP_WIDTH 1

/* From SPI, where the wave has a trap handler: ROCdbgapi, architecture.cpp */
#define BW_GFX11_TTMP6__PACKET 0x1ffffff
#define BW_GFX11_TTMP6__PACKET_LO 0
#define BW_GFX11_TTMP6__PACKET_WIDTH 25
#define BW_GFX11_TTMP8__WORKGROUP_X 0xffffffff
#define BW_GFX11_TTMP8__WORKGROUP_X_LO 0
#define BW_GFX11_TTMP8__WORKGROUP_X_WIDTH 32
#define BW_GFX11_TTMP9__WORKGROUP_Y 0xffffffff
#define BW_GFX11_TTMP9__WORKGROUP_Y_LO 0
#define BW_GFX11_TTMP9__WORKGROUP_Y_WIDTH 32
#define BW_GFX11_TTMP10__WORKGROUP_Z 0xffffffff
#define BW_GFX11_TTMP10__WORKGROUP_Z_LO 0
#define BW_GFX11_TTMP10__WORKGROUP_Z_WIDTH 32
#define BW_GFX11_TTMP11__WAVE_IN_GROUP 0x3f
#define BW_GFX11_TTMP11__WAVE_IN_GROUP_LO 0
#define BW_GFX11_TTMP11__WAVE_IN_GROUP_WIDTH 6

/* Where SGPRs and VGPRs of a wave begin in SQ_IND: soc21_enum.h of Linux 6.12,
 * SQIND_WAVE_SGPRS_OFFSET and SQIND_WAVE_VGPRS_OFFSET */
#define BW_GFX11_IND_SGPRS 0x200
#define BW_GFX11_IND_VGPRS 0x400

/* In the s_trap of a breakpoint over an s_getreg of TRAPSTS: the hardware has the id in bits 7:0
 * and looks at no other (doc/hardware/encodings.md); the virtual GPU keeps float exceptions for
 * code with it. */
#define BW_GFX11_S_TRAP_READS_TRAPSTS 0x100

#endif
