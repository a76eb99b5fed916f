/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/hwreg.h"

#include "vgpu/device/exec/core/rec.h"

static uint32_t status_live(const struct bw_wave *w)
{
	uint32_t v = w->status & ~(uint32_t)(BW_STATUS_SCC | BW_STATUS_EXECZ | BW_STATUS_VCCZ);
	uint64_t vcc = w->lanes == 32 ? w->s[BW_SRC_VCC_LO] : bw_wave_s64(w, BW_SRC_VCC_LO);
	if (w->scc)
		v |= BW_STATUS_SCC;
	if (!bw_wave_exec(w))
		v |= BW_STATUS_EXECZ;
	if (!vcc)
		v |= BW_STATUS_VCCZ;
	return v;
}

uint32_t bw_wave_hwreg_read(const struct bw_wave *w, unsigned id)
{
	switch (id) {
	case BW_HWREG_MODE:
		return w->mode & BW_MODE_BITS;
	case BW_HWREG_STATUS:
		return status_live(w);
	case BW_HWREG_TRAPSTS:
		return w->trapsts & BW_TRAPSTS_BITS;
	case BW_HWREG_GPR_ALLOC:
		return w->gpr_alloc;
	case BW_HWREG_LDS_ALLOC:
		return w->lds_alloc;
	case BW_HWREG_IB_STS:
		return w->ib_sts;
	case BW_HWREG_PC_LO:
		return (uint32_t)w->pc;
	case BW_HWREG_PC_HI:
		return bw_hi32(w->pc) & 0xffff;
	case BW_HWREG_FLAT_SCRATCH_LO:
		return (uint32_t)w->flat_scratch;
	case BW_HWREG_FLAT_SCRATCH_HI:
		return bw_hi32(w->flat_scratch);
	case BW_HWREG_HW_ID1:
		return w->hw_id1;
	case BW_HWREG_HW_ID2:
		return w->hw_id2;
	case BW_HWREG_IB_STS2:
		return w->lanes == 64 ? BW_IB_STS2_WAVE64 : 0;
	case BW_HWREG_SHADER_CYCLES:
		return (uint32_t)w->n_executed & BW_SHADER_CYCLES_BITS;
	default:
		/* TBA cannot be read this way (doc/rules.md 301). Registers that do not exist read
		 * 0. */
		return 0;
	}
}

static uint32_t merge(uint32_t old, uint32_t value, uint32_t writable)
{
	return (old & ~writable) | (value & writable);
}

void bw_wave_hwreg_write(struct bw_wave *w, unsigned id, uint32_t value, bool privileged)
{
	switch (id) {
	case BW_HWREG_MODE:
		w->mode = merge(w->mode, value, BW_MODE_BITS);
		break;
	case BW_HWREG_STATUS:
		if (!privileged)
			break;
		w->status = merge(w->status, value, BW_STATUS_PRIV_WRITABLE);
		w->scc = value & BW_STATUS_SCC;
		break;
	case BW_HWREG_TRAPSTS:
		w->trapsts = merge(w->trapsts, value,
				   privileged ? BW_TRAPSTS_BITS : BW_TRAPSTS_USER_WRITABLE);
		break;
	case BW_HWREG_FLAT_SCRATCH_LO:
		if (privileged)
			w->flat_scratch = (w->flat_scratch & ~0xffffffffull) | value;
		break;
	case BW_HWREG_FLAT_SCRATCH_HI:
		if (privileged)
			w->flat_scratch = bw_join32(value, bw_lo32(w->flat_scratch));
		break;
	default:
		break;
	}
}

void bw_wave_enter_trap(struct bw_wave *w, uint64_t tba, unsigned trap_id, bool host_trap)
{
	w->s[BW_SRC_TTMP0] = (uint32_t)w->pc;
	w->s[BW_SRC_TTMP0 + 1] = (bw_hi32(w->pc) & BW_GFX11_TTMP1__PC_HI) |
				 (trap_id << BW_GFX11_TTMP1__TRAP_ID_LO & BW_GFX11_TTMP1__TRAP_ID) |
				 (uint32_t)host_trap << BW_GFX11_TTMP1__HOST_TRAP_LO;
	w->status |= BW_STATUS_PRIV;
	w->pc = tba;
}
