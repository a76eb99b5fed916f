/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_PCI_CONFIG_SPACE_H
#define BW_VGPU_PCI_CONFIG_SPACE_H

/* The PCI function's configuration space (doc/hardware/pci.md 3). The client emulates BARs and
 * MSI itself; what the guest writes of them arrives here too, and is kept where it reads back.
 * Pure. */

#include <stddef.h>
#include <stdint.h>

struct bw_profile;

enum { BW_CONFIG_SPACE_B = 4096 };

struct bw_config_space {
	uint8_t bytes[BW_CONFIG_SPACE_B];
	uint8_t writable[BW_CONFIG_SPACE_B]; /* the bits that a write changes */
};

void bw_config_space_init(struct bw_config_space *c, const struct bw_profile *profile);
/* offset_b + size_b must not exceed BW_CONFIG_SPACE_B. */
void bw_config_space_write(struct bw_config_space *c, uint32_t offset_b, const uint8_t *data,
			   uint32_t size_b);

#endif
