/* SPDX-License-Identifier: MIT */
/* Sums and sizes are of an image that Linux 6.12's driver has accepted; where numbers lie:
 * discovery.h and atomfirmware.h of the same. */
#include "vgpu/device/discovery.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "vgpu/device/profile.h"
#include "vgpu/device/vbios.h"

static uint8_t image[BW_DISCOVERY_MAX_B];

static unsigned get(const uint8_t *from, size_t at, unsigned n)
{
	unsigned v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (unsigned)from[at + i] << 8 * i;
	return v;
}

/* The driver's sum of bytes (amdgpu_discovery_calculate_checksum). */
static unsigned sum(size_t at, size_t size)
{
	unsigned s = 0;
	for (size_t i = 0; i < size; i++)
		s += image[at + i];
	return s & 0xffff;
}

/* The image with 15 blocks, one SDMA engine among them. */
static void the_image_has_the_sums_of_one_that_was_accepted(void **state)
{
	struct bw_profile p = bw_profile_navi31;
	struct bw_profile_ip ips[32];
	struct bw_discovery_gc gc;
	unsigned n = 0;
	for (size_t i = 0; i < p.n_ips; i++)
		if (p.ips[i].hw_id != 43)
			ips[n++] = p.ips[i];
	p.ips = ips;
	p.n_ips = n;
	assert_int_equal(n, 15);
	bw_discovery_gc_of(&p, &gc);
	gc.gl2c = 16;
	gc.gprs = 1024;
	gc.gl1c_kib = 32;
	/* The one that was accepted ended at 0x22c, behind GC. */
	assert_int_equal(bw_discovery_make(&p, &gc, image), 0x22c + 0x88);
	assert_int_equal(get(image, 0x00, 4), 0x28211407);
	assert_int_equal(get(image, 0x08, 2), sum(0x0a, 0x22c + 0x88 - 0x0a));
	assert_int_equal(get(image, 0x0a, 2), 0x22c + 0x88);
	assert_int_equal(get(image, 0x0c, 2), 0x3c); /* IP list */
	assert_int_equal(get(image, 0x0e, 2), 0x1ad8);
	assert_int_equal(get(image, 0x10, 2), 0x16c);
	assert_int_equal(get(image, 0x14, 2), 0x1a8); /* GC */
	assert_int_equal(get(image, 0x16, 2), 0x02c0);
	assert_int_equal(get(image, 0x18, 2), 0x84);
}

/* The driver wants the signature and the sum of such a table if there is one, and umr -ddt ends
 * with an error where there is none. */
static void no_block_is_harvested(void **state)
{
	struct bw_discovery_gc gc;
	bw_discovery_gc_of(&bw_profile_navi31, &gc);
	size_t end = bw_discovery_make(&bw_profile_navi31, &gc, image);
	size_t at = get(image, 0x1c, 2), size = get(image, 0x20, 2);
	assert_int_equal(size, 8 + 32 * 4); /* struct harvest_table */
	assert_int_equal(at + size, end);
	assert_memory_equal(image + at, "HARV", 4);
	assert_int_equal(get(image, 0x1e, 2), sum(at, size));
	assert_int_equal(get(image, at + 8, 2), 0); /* the id at which the list ends */
}

static void the_shape_is_the_profiles(void **state)
{
	struct bw_discovery_gc gc;
	const struct bw_profile *p = &bw_profile_navi31;
	bw_discovery_gc_of(p, &gc);
	bw_discovery_make(p, &gc, image);
	size_t at = get(image, 0x14, 2);
	assert_int_equal(get(image, at, 4), 0x4347);
	assert_int_equal(get(image, at + 12, 4), p->n_se);
	/* compute units: engines, arrays, two units in each WGP of both kinds */
	assert_int_equal(get(image, at + 12, 4) * get(image, at + 12 + 16 * 4, 4) * 2 *
				 (get(image, at + 16, 4) + get(image, at + 20, 4)),
			 96);
	assert_int_equal(get(image, at + 12 + 29 * 4, 4), 6144);
	/* what DEV_INFO has of silicon (num_shader_visible_vgprs) */
	assert_int_equal(get(image, at + 12 + 5 * 4, 4), 1536);
}

/* Walks the list as the driver does, and finds the blocks of the profile's rows there. */
static void blocks_are_where_the_device_has_them(void **state)
{
	struct bw_discovery_gc gc;
	const struct bw_profile *p = &bw_profile_navi31;
	bw_discovery_gc_of(p, &gc);
	bw_discovery_make(p, &gc, image);
	size_t die = get(image, 0x3c + 14 + 2, 2);
	assert_int_equal(get(image, die, 2), 0);
	unsigned n = get(image, die + 2, 2), found = 0;
	size_t at = die + 4;
	for (unsigned i = 0; i < n; i++) {
		unsigned id = get(image, at, 2), bases = image[at + 3];
		const struct bw_profile_block *b = id == 11   ? &p->gc
						   : id == 34 ? &p->mmhub
						   : id == 40 ? &p->osssys
						   : id == 41 ? &p->hdp
						   : id == 42 ? &p->sdma
						   : id == 43 ? &p->sdma
							      : NULL;
		if (b) {
			found++;
			assert_int_equal(get(image, at + 8, 4), b->segment[0]);
			assert_int_equal((unsigned)image[at + 4] << 16 | image[at + 5] << 8 |
						 image[at + 6],
					 b->version);
		}
		at += 8 + bases * 4u;
	}
	assert_int_equal(found, 6);
	assert_int_equal(at, get(image, 0x14, 2));
}

/* gc_info_v2_1: with 2.0 KFD says "no cache info found", and ROCm's runtime ends. */
static void gfx9_has_a_shape_of_its_own(void **state)
{
	struct bw_discovery_gc gc;
	bw_discovery_gc_of(&bw_profile_mi300x, &gc);
	bw_discovery_make(&bw_profile_mi300x, &gc, image);
	size_t at = get(image, 0x14, 2);
	assert_int_equal(get(image, at, 4), 0x4347);
	assert_int_equal(get(image, at + 4, 4), 2 | 1 << 16);
	assert_int_equal(get(image, at + 8, 4), 12 + 24 * 4);
	assert_int_equal(get(image, 0x16, 2), sum(at, 12 + 24 * 4));
	at += 12;
	assert_int_equal(get(image, at, 4), 4);		    /* gc_num_se */
	assert_int_equal(get(image, at + 4, 4), 10);	    /* gc_num_cu_per_sh */
	assert_int_equal(get(image, at + 5 * 4, 4), 512);   /* gc_num_gprs, of 64 lanes */
	assert_int_equal(get(image, at + 11 * 4, 4), 64);   /* gc_wave_size */
	assert_int_equal(get(image, at + 18 * 4, 4), 32);   /* gc_tcp_size_per_cu, KiB */
	assert_int_equal(get(image, at + 23 * 4, 4), 4096); /* gc_tcc_size */
}

static void the_vbios_has_what_a_driver_looks_for(void **state)
{
	static uint8_t rom[BW_VBIOS_B];
	bw_vbios_make(&bw_profile_navi31, rom);
	assert_int_equal(get(rom, 0, 2), 0xaa55);
	assert_int_equal(rom[2] * 512, sizeof(rom));
	assert_int_equal(rom[0x2f], 0);
	assert_memory_equal(rom + 0x30, " 761295520", 10);
	size_t header = get(rom, 0x48, 2);
	assert_memory_equal(rom + header + 4, "ATOM", 4);
	assert_true(strlen((char *)rom + 0x80) > 0 && strlen((char *)rom + 0x80) < 44);
	size_t data = get(rom, header + 0x20, 2);
	assert_int_equal(rom[data + 2], 2);
	size_t firmware = get(rom, data + 4 + 4 * 2, 2), gfx = get(rom, data + 4 + 14 * 2, 2);
	assert_int_equal(rom[firmware + 2], 3);
	assert_int_equal(rom[firmware + 3], 1);
	assert_int_equal(get(rom, firmware + 0x18, 4), 0x4c);
	assert_true(get(rom, firmware + 8, 4) > 0);
	assert_int_equal(rom[gfx + 2], 2);
	assert_int_equal(rom[gfx + 3], 2);
	assert_int_equal(get(rom, gfx + 0x28, 4), 10000);
	/* vram_info 3.0: channels of 16 bits of GDDR6 */
	size_t memory = get(rom, data + 4 + 28 * 2, 2);
	assert_int_equal(get(rom, memory + 2, 2), 0x0003);
	assert_int_equal(rom[memory + 24], 0x70);
	assert_int_equal(rom[memory + 25] * 16, 384);
	/* table 23 is followed without a check: offset 0 + 4 must not hold 1 */
	assert_int_equal(get(rom, data + 4 + 23 * 2, 2), 0);
	assert_int_not_equal(rom[4], 1);
	uint8_t sum = 0;
	for (size_t i = 0; i < sizeof(rom); i++)
		sum = (uint8_t)(sum + rom[i]);
	assert_int_equal(sum, 0);
}

TESTS(the_image_has_the_sums_of_one_that_was_accepted, no_block_is_harvested,
      the_shape_is_the_profiles, blocks_are_where_the_device_has_them, gfx9_has_a_shape_of_its_own,
      the_vbios_has_what_a_driver_looks_for);
