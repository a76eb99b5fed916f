/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_WAVE_REG_H
#define BW_DEBUG_WAVE_REG_H

/* Names a register of a wave, for registers.h and for values. */

#include <stdint.h>

enum bw_reg_class {
	BW_REG_SPECIAL,
	BW_REG_SGPR,
	BW_REG_VGPR,
	BW_REG_ACC, /* gfx942: AccVGPRs */
	BW_REG_TTMP,
	BW_REG_STATE,
};

struct bw_wave_reg {
	enum bw_reg_class cls;
	uint16_t index; /* SPECIAL: enum bw_reg_special; STATE: enum bw_wreg */
	uint16_t count; /* number of consecutive registers: 2 for s[2:3], otherwise 1 */
};

#endif
