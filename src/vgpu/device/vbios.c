/* SPDX-License-Identifier: MIT */
/* Offsets: atom.h and atomfirmware.h of Linux 6.12; what the driver follows: atom.c,
 * amdgpu_atomfirmware.c. */
#include "vgpu/device/vbios.h"

#include <stdio.h>
#include <string.h>

#include "vgpu/device/profile.h"
#include "vgpu/device/image.h"

enum {
	STRING_COUNT = 0x2f, /* 0: none */
	MAGIC = 0x30,
	HEADER_POINTER = 0x48,
	DATE = 0x50,
	STRINGS = 0x6e,
	PART_NUMBER = 0x80,
	PART_NUMBER_MAX_B = 43,
	VERSION = 0x280,
	HEADER = 0x300,
	HEADER_B = 0x24,
	COMMANDS = 0x340, /* the list of command tables: none */
	DATA = 0x350,	  /* the list of data tables */
	N_DATA = 35,
	FIRMWARE_INFO = 0x400,
	FIRMWARE_INFO_B = 0x70,
	GFX_INFO = 0x480,
	GFX_INFO_B = 0x40,
	VRAM_INFO = 0x500, /* atom_vram_info_header_v3_0 */
	VRAM_INFO_B = 608,
	VRAM_TYPE_GDDR6 = 9,	     /* AMDGPU_VRAM_TYPE_* */
	ATOM_VRAM_TYPE_GDDR6 = 0x70, /* the same in ATOM's numbers */
	CHANNEL_BITS = 16,

	DATA_FIRMWARE_INFO = 4,
	DATA_GFX_INFO = 14,
	DATA_VRAM_INFO = 28,
};

/* {size, format, content}: every table begins so. */
static void put_table(uint8_t *out, size_t at, unsigned size, unsigned format, unsigned content)
{
	bw_image_put16(out, at, size);
	out[at + 2] = (uint8_t)format;
	out[at + 3] = (uint8_t)content;
}

void bw_vbios_make(const struct bw_profile *p, uint8_t out[BW_VBIOS_B])
{
	memset(out, 0, BW_VBIOS_B);
	out[0] = 0x55;
	out[1] = 0xaa;
	out[2] = BW_VBIOS_B / 512;
	memcpy(out + MAGIC, " 761295520", 10);
	bw_image_put16(out, HEADER_POINTER, HEADER);
	memcpy(out + DATE, "11/22/26 12:00", 14); /* BW_VBIOS_DATE */
	bw_image_put16(out, STRINGS, 0);
	snprintf((char *)out + PART_NUMBER, PART_NUMBER_MAX_B, BW_VBIOS_PART_NUMBER, p->name);
	memcpy(out + VERSION, "ATOMBIOSBK-AMD VER" BW_VBIOS_VERSION, 34);

	bw_image_put16(out, HEADER, HEADER_B);
	memcpy(out + HEADER + 4, "ATOM", 4);
	bw_image_put16(out, HEADER + 0x1e, COMMANDS);
	bw_image_put16(out, HEADER + 0x20, DATA);
	put_table(out, COMMANDS, 4, 1, 1);

	put_table(out, DATA, 4 + N_DATA * 2, 2, 1);
	bw_image_put16(out, DATA + 4 + DATA_FIRMWARE_INFO * 2, FIRMWARE_INFO);
	bw_image_put16(out, DATA + 4 + DATA_GFX_INFO * 2, GFX_INFO);

	/* clocks in 10 kHz */
	put_table(out, FIRMWARE_INFO, FIRMWARE_INFO_B, 3, 1);
	bw_image_put32(out, FIRMWARE_INFO + 0x08, p->sclk.min_mhz * 100);
	bw_image_put32(out, FIRMWARE_INFO + 0x0c, p->mclk.standard_mhz * 100);
	bw_image_put32(out, FIRMWARE_INFO + 0x18, BW_VBIOS_SCRATCH_DW);
	put_table(out, GFX_INFO, GFX_INFO_B, 2, 2);
	bw_image_put32(out, GFX_INFO + 0x28, 10000); /* the time stamps' clock: 100 MHz */

	if (p->vram_type == VRAM_TYPE_GDDR6) {
		bw_image_put16(out, DATA + 4 + DATA_VRAM_INFO * 2, VRAM_INFO);
		put_table(out, VRAM_INFO, VRAM_INFO_B, 3, 0);
		out[VRAM_INFO + 0x14] = 1; /* modules */
		out[VRAM_INFO + 0x18] = ATOM_VRAM_TYPE_GDDR6;
		out[VRAM_INFO + 0x19] = (uint8_t)(p->vram_bus_bits / CHANNEL_BITS);
		out[VRAM_INFO + 0x1a] = 4; /* log2 of a channel's bits */
	}

	/* The bytes of the image add up to 0, as those of every option ROM. */
	uint8_t s = 0;
	for (unsigned i = 0; i < BW_VBIOS_B; i++)
		s = (uint8_t)(s + out[i]);
	out[BW_VBIOS_B - 1] = (uint8_t)-s;
}
