/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_HWREG9_H
#define BW_VGPU_EXEC_HWREG9_H

#include "arch/gfx942_extra.h"
#include "vgpu/device/exec/core/exec.h"

/* Hardware registers of waves of gfx942. A wave's state is kept in the form of gfx11 (wave.h); what
 * code of gfx942 reads and writes is translated here. Only MODE has a bit of its own. */

/* Numbers of s_getreg and s_setreg: the index in SQ_IND from 0x10 on. */
#define HWREG9(name) (BW_GFX942_##name - 0x10)
enum bw_hwreg9 {
	BW_HWREG9_MODE = HWREG9(MODE),
	BW_HWREG9_STATUS = HWREG9(STATUS),
	BW_HWREG9_TRAPSTS = HWREG9(TRAPSTS),
	BW_HWREG9_HW_ID = HWREG9(HW_ID),
	BW_HWREG9_GPR_ALLOC = HWREG9(GPR_ALLOC),
	BW_HWREG9_LDS_ALLOC = HWREG9(LDS_ALLOC),
	BW_HWREG9_IB_STS = HWREG9(IB_STS),
	/* SQ_IND does not reach these: LLVM, AMDGPUAsmUtils.cpp */
	BW_HWREG9_SH_MEM_BASES = 15,
	BW_HWREG9_TBA_LO,
	BW_HWREG9_TBA_HI,
	BW_HWREG9_TMA_LO,
	BW_HWREG9_TMA_HI,
	BW_HWREG9_XCC_ID,
};
#undef HWREG9

/* In bw_wave.mode of a wave of gfx942, where gfx11 has DISABLE_PERF. */
enum { BW_MODE9_GPR_IDX_EN = BW_GFX942_MODE__GPR_IDX_EN };

/* tba and tma: of the wave's VMID. A register that there is not reads 0. */
uint32_t bw_wave_hwreg9_read(const struct bw_wave *w, unsigned id, uint64_t tba, uint64_t tma);
void bw_wave_hwreg9_write(struct bw_wave *w, unsigned id, uint32_t value, bool privileged);

#endif
