/* SPDX-License-Identifier: MIT */
#include "vgpu/pci/config_space.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../suite.h"
#include "vgpu/device/profile.h"

static struct bw_config_space c;

static unsigned get(unsigned at, unsigned n)
{
	unsigned v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (unsigned)c.bytes[at + i] << 8 * i;
	return v;
}

/* Numbers: PCI ids of a Navi31, and the layout of a type 0 header. */
static void it_is_a_navi31(void **state)
{
	bw_config_space_init(&c, &bw_profile_navi31);
	assert_int_equal(get(0x00, 4), 0x744c1002);
	assert_int_equal(get(0x08, 4), 0x038000c8); /* a display controller that is no VGA */
	assert_int_equal(get(0x2c, 4), 0x0e3b1002);
	assert_int_equal(get(0x0e, 1), 0);
	assert_int_equal(get(0x10, 4), 0xc);
	assert_int_equal(get(0x18, 4), 0xc);
	assert_int_equal(get(0x24, 4), 0);
	assert_int_equal(get(0x30, 4), 0); /* no ROM */
}

/* Device Capabilities 2 and Device Control 2 of PCI Express Base 5.0, 7.5.3.15 and 7.5.3.16. */
static void atomics_can_be_enabled(void **state)
{
	bw_config_space_init(&c, &bw_profile_navi31);
	unsigned at = get(0x34, 1);
	while (at && get(at, 1) != 0x10)
		at = get(at + 1, 1);
	assert_int_not_equal(at, 0);
	assert_int_equal(get(at + 0x24, 4) >> 6 & 0xf, 6); /* no routing; 32, 64, not 128 bits */
	/* AtomicOp Requester Enable: set from the start, for a driver that sees no root port */
	const uint8_t requester[] = {1 << 6, 0}, nothing[] = {0, 0};
	assert_int_equal(get(at + 0x28, 2), 1 << 6);
	bw_config_space_write(&c, at + 0x28, nothing, 2);
	assert_int_equal(get(at + 0x28, 2), 0);
	bw_config_space_write(&c, at + 0x28, requester, 2);
	assert_int_equal(get(at + 0x28, 2), 1 << 6);
}

static void capabilities_are_a_list_with_an_end(void **state)
{
	bw_config_space_init(&c, &bw_profile_navi31);
	assert_int_equal(get(0x06, 2) & 0x10, 0x10);
	unsigned ids[4] = {0}, n = 0;
	for (unsigned at = get(0x34, 1); at; at = get(at + 1, 1)) {
		assert_true(n < 4);
		ids[n++] = get(at, 1);
	}
	assert_int_equal(n, 2);
	assert_int_equal(ids[0], 0x05); /* MSI */
	assert_int_equal(ids[1], 0x10); /* PCI Express */
	assert_int_equal(get(0x100, 4), 0x0001000b);
}

static void only_what_can_change_changes(void **state)
{
	uint8_t ones[64], before[64];
	bw_config_space_init(&c, &bw_profile_navi31);
	memset(ones, 0xff, sizeof(ones));
	memcpy(before, c.bytes, sizeof(before));
	bw_config_space_write(&c, 0, ones, sizeof(ones));
	assert_int_equal(get(0x00, 4), 0x744c1002);
	assert_int_equal(get(0x04, 2), 0xffff);
	assert_int_equal(get(0x06, 2), 0x0010);
	assert_int_equal(get(0x10, 4), 0xc);
	assert_memory_equal(c.bytes + 0x10, before + 0x10, 0x2c);
	assert_int_equal(get(0x3c, 2), 0x01ff);
	bw_config_space_write(&c, BW_CONFIG_SPACE_B - 1, ones, 1);
	assert_int_equal(c.bytes[BW_CONFIG_SPACE_B - 1], 0);
}

TESTS(it_is_a_navi31, atomics_can_be_enabled, capabilities_are_a_list_with_an_end,
      only_what_can_change_changes);
