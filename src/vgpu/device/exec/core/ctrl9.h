/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CTRL9_H
#define BW_VGPU_EXEC_CTRL9_H

#include "vgpu/device/exec/core/exec_priv.h"

/* What ctrl.c asks for waves of gfx942. */

/* The value of a hardware register. */
uint32_t bw_ctrl9_getreg(const struct bw_wave *w, const struct bw_exec *x, unsigned id);
/* s_sendmsg, but for an interrupt. */
void bw_ctrl9_send(struct bw_wave *w, struct bw_exec *x, unsigned msg);

#endif
