/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_REGISTER_WINDOW_H
#define BW_VGPU_DEVICE_REGISTER_WINDOW_H

/* The registers that a debugger needs, of a GPU whose other registers are those of another one
 * (bw_profile.registers_of): they are where the GPU itself has them and have its fields, and act on
 * the registers that the device has. For MI300X and Raven2, whose registers are Navi31's here:
 * where traps go, SQ_CMD, SQ_IND, watches, which program has which VMID, and where its page tables
 * are. Any thread. */

#include "vgpu/device/device.h"

struct bw_register_window;
/* NULL where the profile's registers are its own. */
struct bw_error *bw_register_window_new(struct bw_device *dev,
					struct bw_register_window **out) BW_MUST_CHECK;
void bw_register_window_free(struct bw_register_window *w);
/* False: it is none of them. */
bool bw_register_window_read(struct bw_register_window *w, const struct bw_bank *bank,
			     uint32_t addr_dw, uint32_t *out);
bool bw_register_window_write(struct bw_register_window *w, const struct bw_bank *bank,
			      uint32_t addr_dw, uint32_t value);
/* n registers of a wave, as SQ_IND_DATA gives them after SQ_IND_INDEX was written. */
void bw_register_window_wave(struct bw_register_window *w, const struct bw_bank *bank,
			     uint32_t index, uint32_t n, uint32_t *out);

#endif
