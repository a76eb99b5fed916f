/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_PCI_VBIOS_H
#define BW_VGPU_PCI_VBIOS_H

/* A video BIOS of our own making: what a driver asks of ATOM tables before it uses the GPU, and
 * not one byte of code (doc/hardware/pci.md 5). It lies at the start of VRAM, from where a
 * driver copies it when the card is posted already. Pure. */

#include <stdint.h>

struct bw_profile;

enum {
	BW_VBIOS_B = 8 << 10,
	BW_VBIOS_SCRATCH_DW = 0x4c, /* BIOS_SCRATCH_0, as its firmware table says */
};

void bw_vbios_make(const struct bw_profile *profile, uint8_t out[BW_VBIOS_B]);

#endif
