/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MFMA_H
#define BW_VGPU_EXEC_MFMA_H

#include "vgpu/device/exec/core/exec_priv.h"

/* Matrix instructions of gfx942. */
extern const struct bw_wave_row bw_mfma_rows[];
extern const size_t bw_n_mfma_rows;

#endif
