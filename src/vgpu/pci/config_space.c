/* SPDX-License-Identifier: MIT */
#include "vgpu/pci/config_space.h"

#include <string.h>

#include "vgpu/device/profile.h"

/* PCI Local Bus 3.0 chapter 6, PCI Express Base 5.0 chapter 7. */
enum {
	VENDOR_AMD = 0x1002,
	STATUS_CAPABILITIES = 0x0010,
	CLASS_DISPLAY_OTHER = 0x0380, /* VGA would make the guest look for a shadowed ROM */
	BAR_64_PREFETCHABLE = 0xc,
	BAR_32 = 0,
	CAP_MSI = 0x50,
	CAP_PCIE = 0x60,
	EXT_VENDOR = 0x100,
};

static void put16(struct bw_config_space *c, unsigned at, unsigned v)
{
	c->bytes[at] = (uint8_t)v;
	c->bytes[at + 1] = (uint8_t)(v >> 8);
}

static void put32(struct bw_config_space *c, unsigned at, uint32_t v)
{
	put16(c, at, v & 0xffff);
	put16(c, at + 2, v >> 16);
}

static void may_write(struct bw_config_space *c, unsigned at, unsigned n)
{
	memset(c->writable + at, 0xff, n);
}

void bw_config_space_init(struct bw_config_space *c, const struct bw_profile *p)
{
	memset(c, 0, sizeof(*c));
	put16(c, 0x00, VENDOR_AMD);
	put16(c, 0x02, p->pci_device);
	may_write(c, 0x04, 2); /* command */
	put16(c, 0x06, STATUS_CAPABILITIES);
	c->bytes[0x08] = (uint8_t)p->pci_revision;
	put16(c, 0x0a, CLASS_DISPLAY_OTHER);
	may_write(c, 0x0c, 2);		     /* cache line, latency timer */
	put32(c, 0x10, BAR_64_PREFETCHABLE); /* BAR0: VRAM */
	put32(c, 0x18, BAR_64_PREFETCHABLE); /* BAR2: doorbells */
	put32(c, 0x24, BAR_32);		     /* BAR5: registers */
	put16(c, 0x2c, VENDOR_AMD);
	put16(c, 0x2e, p->pci_subdevice);
	c->bytes[0x34] = CAP_MSI;
	may_write(c, 0x3c, 1); /* interrupt line */
	c->bytes[0x3d] = 1;    /* INTA */

	put16(c, CAP_MSI, 0x05 | CAP_PCIE << 8); /* MSI; in 15:8 where the next one is */
	put16(c, CAP_MSI + 2, 0x0080);		 /* 64-bit addresses, one vector */
	c->writable[CAP_MSI + 2] = 0x71;
	may_write(c, CAP_MSI + 4, 10); /* address, data */

	put16(c, CAP_PCIE, 0x10);
	put16(c, CAP_PCIE + 2, 0x0002); /* an endpoint, version 2 */
	put32(c, CAP_PCIE + 4, 0x8000); /* role-based error reporting */
	may_write(c, CAP_PCIE + 8, 2);	/* device control */
	put32(c, CAP_PCIE + 0xc, 0x44); /* 16 GT/s, 4 lanes: what the port below QEMU has */
	put16(c, CAP_PCIE + 0x12, 0x1044);
	may_write(c, CAP_PCIE + 0x10, 2); /* link control */
	/* Device capabilities 2: completes atomics of 32 and 64 bits. Device control 2: may request
	 * them. By this bit, set before a driver has written it, a hypervisor says that what lies
	 * above the function completes them; Linux looks there if it sees no root port above the
	 * function (pci_enable_atomic_ops_to_root, drivers/pci/pci.c, 6.12). */
	put32(c, CAP_PCIE + 0x24, 1u << 7 | 1u << 8);
	put16(c, CAP_PCIE + 0x28, 1u << 6);
	may_write(c, CAP_PCIE + 0x28, 2);

	/* A first extended capability, so that the guest knows that there is extended space. */
	put32(c, EXT_VENDOR, 0x000b | 1u << 16); /* in 19:16 its version */
	put32(c, EXT_VENDOR + 4, 8u << 20);	 /* its own header: length 8 */
}

void bw_config_space_write(struct bw_config_space *c, uint32_t offset_b, const uint8_t *data,
			   uint32_t size_b)
{
	for (uint32_t i = 0; i < size_b; i++) {
		uint8_t mask = c->writable[offset_b + i];
		uint8_t *byte = &c->bytes[offset_b + i];
		*byte = (uint8_t)((*byte & ~mask) | (data[i] & mask));
	}
}
