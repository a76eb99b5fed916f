/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_HWREG_H
#define BW_VGPU_EXEC_HWREG_H

/* Hardware register numbers of s_getreg and s_setreg (doc/hardware/encodings.md 7). */
enum bw_hwreg {
	BW_HWREG_MODE = 1,
	BW_HWREG_STATUS = 2,
	BW_HWREG_TRAPSTS = 3,
	BW_HWREG_GPR_ALLOC = 5,
	BW_HWREG_LDS_ALLOC = 6,
	BW_HWREG_IB_STS = 7,
	BW_HWREG_PC_LO = 8,
	BW_HWREG_PC_HI = 9,
	BW_HWREG_IB_DBG1 = 13,
	BW_HWREG_SH_MEM_BASES = 15,
	BW_HWREG_FLAT_SCRATCH_LO = 20,
	BW_HWREG_FLAT_SCRATCH_HI = 21,
	BW_HWREG_HW_ID1 = 23,
	BW_HWREG_HW_ID2 = 24,
	BW_HWREG_IB_STS2 = 28,
	BW_HWREG_SHADER_CYCLES = 29,
};

/* Bits that exist beside those wave.h names. */
enum {
	BW_MODE_ROUND = 0xf,
	BW_MODE_DENORM = 0xf0,
	BW_MODE_WAVE_END = 1u << 21, /* arms the trap at s_endpgm: doc/rules.md 298 */
	BW_MODE_BITS = 0x08bfffff,
	BW_MODE_EXCP_EN_SHIFT = 12,
	BW_MODE_EXCP_EN_FLOAT = 0x7f << 12, /* invalid to integer division by zero */
	BW_STATUS_USER_PRIO = 3u << 3,
	BW_STATUS_COND_DBG_USER = 1u << 20,
	BW_STATUS_COND_DBG_SYS = 1u << 21,
	/* What the trap handler may write: SCC, both priorities, HALT, SKIP_EXPORT, the debug
	 * conditions. [I] the rest is the hardware's own. */
	BW_STATUS_PRIV_WRITABLE = 0x0034201f,
	BW_TRAPSTS_BITS = 0x101ffdff,	  /* bits 9, 21-27, 29-31 read 0: doc/rules.md 296 */
	BW_TRAPSTS_USER_WRITABLE = 0x1ff, /* the sticky exception flags */
	BW_SHADER_CYCLES_BITS = 0xfffff,
	BW_IB_STS2_WAVE64 = 1u << 11,
};

#endif
