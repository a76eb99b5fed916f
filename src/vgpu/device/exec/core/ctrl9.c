/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/ctrl9.h"

#include "base/words.h"
#include "vgpu/device/exec/core/hwreg9.h"

enum { MSG_SAVE_WAVE = 4, MSG_GET_DOORBELL = 10, MSG_MASK = 15 };

uint32_t bw_ctrl9_getreg(const struct bw_wave *w, const struct bw_exec *x, unsigned id)
{
	uint64_t tba = 0, tma = 0;
	if (id == BW_HWREG9_SH_MEM_BASES)
		return x->host.sh_mem_bases;
	if (id >= BW_HWREG9_TBA_LO && id <= BW_HWREG9_TMA_HI)
		x->host.trap_base(x->host.cookie, w->vmid, &tba, &tma);
	return bw_wave_hwreg9_read(w, id, tba, tma);
}

/* gfx942: what a wave asks for comes in EXEC. The doorbell is one of 32 bits; the handler of
 * ROCr waits until bit 31, which it has set before, is 0. */
void bw_ctrl9_send(struct bw_wave *w, struct bw_exec *x, unsigned msg)
{
	uint64_t save;
	switch (msg & MSG_MASK) {
	case MSG_SAVE_WAVE:
		save = x->host.save_wave ? x->host.save_wave(x->host.cookie, w) : 0;
		w->s[BW_SRC_EXEC_LO] = (uint32_t)save;
		w->s[BW_SRC_EXEC_HI] = bw_hi32(save);
		break;
	case MSG_GET_DOORBELL:
		w->s[BW_SRC_EXEC_LO] =
			x->host.doorbell ? x->host.doorbell(x->host.cookie, w) & INT32_MAX : 0;
		break;
	default:
		break;
	}
}
