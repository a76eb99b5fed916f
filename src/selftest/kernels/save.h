/* SPDX-License-Identifier: MIT */
#ifndef BW_SELFTEST_KERNELS_SAVE_H
#define BW_SELFTEST_KERNELS_SAVE_H

/* The kernel save.S, for the assembler and for C: the registers that it fills, and its rows. */

#define SAVE_VGPRS 64 /* v0 ... */
#define SAVE_FIRST_SGPR 16
#define SAVE_SGPRS 88 /* s16 ... s103 */
#define SAVE_M0 0x00a0b0c0
#define SAVE_VCC 0x12345678
#define SAVE_EXEC 0x0ff0f00f
#define SAVE_LDS 0x1d500000
/* rows after those of VGPRs and SGPRs: SCC, EXEC, VCC, M0, LDS */
#define SAVE_ROWS (SAVE_VGPRS + SAVE_SGPRS + 5)

#endif
