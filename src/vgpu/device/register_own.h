/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_REGISTER_OWN_H
#define BW_VGPU_DEVICE_REGISTER_OWN_H

/* All registers of a GPU whose device has those of another one (bw_profile.registers_of): those of
 * the window that debuggers have (register_window.h), those that make queues, translation,
 * interrupts and SDMA work, and storage for all others. A driver that is not this project's
 * (bw_device_options.foreign_driver) has them in dev->own, which is NULL otherwise; with this
 * project's driver debugfs has them. Any thread. */

#include "vgpu/device/device_priv.h"

/* From the registers of an SDMA engine to those of the next one [I]. */
enum { BW_OWN_SDMA_DW = 0x800 };

struct bw_register_window;

struct bw_error *bw_own_create(struct bw_device *dev) BW_MUST_CHECK;
void bw_own_destroy(struct bw_device *dev);
/* The same for somebody who says with each access what it selects; NULL where the profile's
 * registers are its own. bw_register_window_free() ends it. */
struct bw_error *bw_own_window(struct bw_device *dev,
			       struct bw_register_window **out) BW_MUST_CHECK;
uint32_t bw_own_window_read(struct bw_register_window *w, const struct bw_bank *bank,
			    uint32_t addr_dw);
void bw_own_window_write(struct bw_register_window *w, const struct bw_bank *bank, uint32_t addr_dw,
			 uint32_t value);
/* By the GPU's own address. The bank is what the driver has selected by GRBM_GFX_CNTL and
 * GRBM_GFX_INDEX. */
uint32_t bw_own_read(struct bw_device *dev, uint32_t addr_dw);
void bw_own_write(struct bw_device *dev, uint32_t addr_dw, uint32_t value);
/* The register that a packet means by an address. */
uint32_t bw_own_packet_address(const struct bw_device *dev, uint32_t addr_dw);
/* The device's form of a word that a queue's descriptor has for one of its registers. */
uint32_t bw_own_queue_word(const struct bw_device *dev, enum bw_register reg, uint32_t value);
/* The number by which the driver knows the device's micro engine. */
unsigned bw_own_me(const struct bw_device *dev, unsigned me);

#endif
