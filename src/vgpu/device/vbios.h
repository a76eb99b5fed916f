/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_VBIOS_H
#define BW_VGPU_DEVICE_VBIOS_H

/* A video BIOS of our own making: what a driver asks of ATOM tables before it uses the GPU, and
 * not one byte of code (doc/hardware/pci.md 5). It lies at the start of VRAM, from where a
 * driver copies it when the card is posted already. Pure. */

#include <stdint.h>

#include "wire/vgpu_proto.h"

struct bw_profile;

enum {
	BW_VBIOS_B = 8 << 10,
	/* The size that the driver copies from VRAM (igp_read_bios_from_vram) as the image: zeros
	 * follow the image. */
	BW_VBIOS_COPIED_B = 256 << 10,
	BW_VBIOS_SCRATCH_DW = 0x4c, /* BIOS_SCRATCH_0, as its firmware table says */
};

void bw_vbios_make(const struct bw_profile *profile, uint8_t out[BW_VBIOS_B]);
/* The image's identity in messages of Linux's driver: the part number, by atom_get_vbios_pn();
 * version and date are the same for all. */
#define BW_VBIOS_PART_NUMBER BW_VGPU_MARK "-%s" /* with the profile's name */
#define BW_VBIOS_VERSION "001.000.000.000"
#define BW_VBIOS_DATE "2026/11/22 12:00"

#endif
