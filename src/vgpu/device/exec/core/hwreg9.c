/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/hwreg9.h"

#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/exec/core/hwreg.h"

/* Fields that are where gfx11 has them, and those that are not. */
#define SAME(reg, field) (BW_GFX942_##reg##__##field)
#define MOVED(reg, gfx9, gfx11) {BW_GFX942_##reg##__##gfx9, BW_GFX11_##reg##__##gfx11}

enum {
	/* VSKIP and CSP, which belong to instructions that are refused, read 0. */
	MODE_BITS = SAME(MODE, FP_ROUND) | SAME(MODE, FP_DENORM) | SAME(MODE, DX10_CLAMP) |
		    SAME(MODE, IEEE) | SAME(MODE, LOD_CLAMPED) | SAME(MODE, DEBUG_EN) |
		    SAME(MODE, EXCP_EN) | SAME(MODE, FP16_OVFL) | SAME(MODE, GPR_IDX_EN),
	STATUS_SAME = SAME(STATUS, SCC) | SAME(STATUS, SPI_PRIO) | SAME(STATUS, USER_PRIO) |
		      SAME(STATUS, PRIV) | SAME(STATUS, TRAP_EN) | SAME(STATUS, EXECZ) |
		      SAME(STATUS, VCCZ) | SAME(STATUS, IN_TG) | SAME(STATUS, IN_BARRIER) |
		      SAME(STATUS, HALT) | SAME(STATUS, TRAP) | SAME(STATUS, VALID) |
		      SAME(STATUS, SKIP_EXPORT) | SAME(STATUS, COND_DBG_USER) |
		      SAME(STATUS, COND_DBG_SYS) | SAME(STATUS, FATAL_HALT),
	TRAPSTS_SAME = SAME(TRAPSTS, EXCP) | SAME(TRAPSTS, SAVECTX) | SAME(TRAPSTS, ILLEGAL_INST) |
		       SAME(TRAPSTS, EXCP_HI),
};
_Static_assert(SAME(MODE, DEBUG_EN) == BW_GFX11_MODE__TRAP_AFTER_INST_EN &&
		       SAME(MODE, EXCP_EN) == BW_GFX11_MODE__EXCP_EN &&
		       SAME(MODE, FP16_OVFL) == BW_GFX11_MODE__FP16_OVFL &&
		       SAME(MODE, GPR_IDX_EN) == BW_GFX11_MODE__DISABLE_PERF &&
		       SAME(STATUS, COND_DBG_SYS) == BW_GFX11_STATUS__COND_DBG_SYS &&
		       SAME(STATUS, FATAL_HALT) == BW_GFX11_STATUS__FATAL_HALT &&
		       SAME(TRAPSTS, EXCP_HI) == BW_GFX11_TRAPSTS__EXCP_HI,
	       "fields are where gfx11 has them");

struct moved {
	uint32_t gfx9, gfx11;
};
static const struct moved status[] = {MOVED(STATUS, SCRATCH_EN, SCRATCH_EN)};
static const struct moved trapsts[] = {
	MOVED(TRAPSTS, HOST_TRAP, HOST_TRAP),
	MOVED(TRAPSTS, WAVESTART, WAVESTART),
	MOVED(TRAPSTS, WAVE_END, WAVE_END),
	MOVED(TRAPSTS, TRAP_AFTER_INST, TRAP_AFTER_INST),
	MOVED(TRAPSTS, PERF_SNAPSHOT, PERF_SNAPSHOT),
	MOVED(TRAPSTS, XNACK_ERROR, UTC_ERROR),
};

static uint32_t to_gfx9(uint32_t v, uint32_t same, const struct moved *m, size_t n)
{
	uint32_t out = v & same;
	for (size_t i = 0; i < n; i++)
		out |= v & m[i].gfx11 ? m[i].gfx9 : 0;
	return out;
}

static uint32_t to_gfx11(uint32_t v, uint32_t same, const struct moved *m, size_t n)
{
	uint32_t out = v & same;
	for (size_t i = 0; i < n; i++)
		out |= v & m[i].gfx9 ? m[i].gfx11 : 0;
	return out;
}

/* One register has what gfx11 has in two. A WGP is a CU here. */
static uint32_t hw_id(const struct bw_wave *w)
{
#define FROM(reg, from, to)                                                                        \
	((w->reg & BW_GFX11_##from) >> BW_GFX11_##from##_LO << BW_GFX942_HW_ID__##to##_LO &        \
	 BW_GFX942_HW_ID__##to)
	return FROM(hw_id1, HW_ID1__WAVE_ID, WAVE_ID) | FROM(hw_id1, HW_ID1__SIMD_ID, SIMD_ID) |
	       FROM(hw_id1, HW_ID1__WGP_ID, CU_ID) | FROM(hw_id1, HW_ID1__SA_ID, SH_ID) |
	       FROM(hw_id1, HW_ID1__SE_ID, SE_ID) | FROM(hw_id2, HW_ID2__PIPE_ID, PIPE_ID) |
	       FROM(hw_id2, HW_ID2__WG_ID, TG_ID) | FROM(hw_id2, HW_ID2__VM_ID, VM_ID) |
	       FROM(hw_id2, HW_ID2__QUEUE_ID, QUEUE_ID) | FROM(hw_id2, HW_ID2__ME_ID, ME_ID);
#undef FROM
}

uint32_t bw_wave_hwreg9_read(const struct bw_wave *w, unsigned id, uint64_t tba, uint64_t tma)
{
	switch (id) {
	case BW_HWREG9_MODE:
		return w->mode & MODE_BITS;
	case BW_HWREG9_STATUS:
		return to_gfx9(bw_wave_hwreg_read(w, BW_HWREG_STATUS), STATUS_SAME, status,
			       BW_ARRAY_SIZE(status));
	case BW_HWREG9_TRAPSTS:
		return to_gfx9(w->trapsts, TRAPSTS_SAME, trapsts, BW_ARRAY_SIZE(trapsts));
	case BW_HWREG9_HW_ID:
		return hw_id(w);
	case BW_HWREG9_GPR_ALLOC:
		return w->gpr_alloc;
	case BW_HWREG9_LDS_ALLOC:
		return w->lds_alloc;
	case BW_HWREG9_IB_STS:
		return w->ib_sts;
	/* In units of 256 bytes, as gfx11's messages have them. */
	case BW_HWREG9_TBA_LO:
		return (uint32_t)((tba & BW_VA_MASK) / 256);
	case BW_HWREG9_TBA_HI:
		return bw_hi32((tba & BW_VA_MASK) / 256);
	case BW_HWREG9_TMA_LO:
		return (uint32_t)((tma & BW_VA_MASK) / 256);
	case BW_HWREG9_TMA_HI:
		return bw_hi32((tma & BW_VA_MASK) / 256);
	default: /* XCC_ID: there is one XCC */
		return 0;
	}
}

void bw_wave_hwreg9_write(struct bw_wave *w, unsigned id, uint32_t value, bool privileged)
{
	switch (id) {
	case BW_HWREG9_MODE:
		w->mode = (w->mode & ~(uint32_t)MODE_BITS) | (value & MODE_BITS);
		break;
	case BW_HWREG9_STATUS: /* what may be written is where gfx11 has it */
		bw_wave_hwreg_write(w, BW_HWREG_STATUS, value, privileged);
		break;
	case BW_HWREG9_TRAPSTS:
		bw_wave_hwreg_write(w, BW_HWREG_TRAPSTS,
				    to_gfx11(value, TRAPSTS_SAME, trapsts, BW_ARRAY_SIZE(trapsts)),
				    privileged);
		break;
	default:
		break;
	}
}
