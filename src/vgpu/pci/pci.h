/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_PCI_PCI_H
#define BW_VGPU_PCI_PCI_H

/* The PCI front end: the virtual GPU as a PCI function over vfio-user, for the amdgpu driver of a
 * guest (doc/hardware/pci.md). It has no driver in it: accesses to BARs go to the device's
 * registers and doorbells, guest memory becomes the device's system memory, and its interrupts
 * become MSI.
 *
 * One client at a time. bw_pci_message is called by one thread; interrupts come from the
 * device's. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vgpu/device/device.h"
#include "vgpu/pci/message.h"

struct bw_pci;

struct bw_pci_options {
	struct bw_device_options device;
	uint64_t vram_size_b; /* a power of two from 256 MiB to 16 GiB; all of it is in BAR0 */
};

enum {
	BW_PCI_DOORBELLS_B = 2 << 20,
	BW_PCI_REGISTERS_B = 1 << 20,
};
#define BW_PCI_VRAM_MIN_B (256ull << 20)
#define BW_PCI_VRAM_MAX_B (16ull << 30)
#define BW_PCI_VRAM_DEFAULT_B (1ull << 30)

struct bw_error *bw_pci_create(const struct bw_profile *profile,
			       const struct bw_pci_options *options,
			       struct bw_pci **out) BW_MUST_CHECK;
void bw_pci_destroy(struct bw_pci *p);
/* The GPU model of the PCI device, for tests; another one after DEVICE_RESET. */
struct bw_device *bw_pci_device(struct bw_pci *p);

/* Carries out one message and makes its reply. body: size_b - BW_VFU_HEADER_B bytes of it. fds:
 * came with it; each one is taken or closed. False: it wants no reply. */
bool bw_pci_message(struct bw_pci *p, const struct bw_vfu_header *h, const uint8_t *body,
		    const int *fds, size_t n_fds, struct bw_vfu_reply *reply);

/* server.c: serves one connection until it ends, or stop_fd becomes readable. The socket stays the
 * caller's. NULL: the peer has closed it, or stop_fd. */
struct bw_error *bw_pci_serve(struct bw_pci *p, int sock, int stop_fd) BW_MUST_CHECK;

#endif
