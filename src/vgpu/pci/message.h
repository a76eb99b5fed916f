/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_PCI_MESSAGE_H
#define BW_VGPU_PCI_MESSAGE_H

/* Messages of vfio-user, the subset that QEMU's vfio-user-pci sends (doc/hardware/pci.md 2):
 * bytes in, structs out, and replies into a buffer. No sockets here. The peer may be hostile:
 * whatever is in a bw_vfu_request has been checked against the length of the message. Numbers
 * are little-endian. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	BW_VFU_HEADER_B = 16,
	BW_VFU_ACCESS_B = 16, /* of a region access, in front of its data */
	BW_VFU_MAX_DATA_B = 1 << 20,
	BW_VFU_MAX_MESSAGE_B = BW_VFU_HEADER_B + BW_VFU_ACCESS_B + BW_VFU_MAX_DATA_B,
	BW_VFU_MAX_FDS = 8,
};

enum bw_vfu_command {
	BW_VFU_VERSION = 1,
	BW_VFU_DMA_MAP = 2,
	BW_VFU_DMA_UNMAP = 3,
	BW_VFU_GET_INFO = 4,
	BW_VFU_GET_REGION_INFO = 5,
	BW_VFU_GET_IRQ_INFO = 7,
	BW_VFU_SET_IRQS = 8,
	BW_VFU_REGION_READ = 9,
	BW_VFU_REGION_WRITE = 10,
	BW_VFU_RESET = 13,
};

enum {
	BW_VFU_REPLY = 1,
	BW_VFU_TYPE_MASK = 0xf,
	BW_VFU_NO_REPLY = 0x10,
	BW_VFU_ERROR = 0x20,

	BW_VFU_MAP_READ = 1,
	BW_VFU_MAP_WRITE = 2,

	BW_VFU_INFO_RESET = 1,
	BW_VFU_INFO_PCI = 2,
	BW_VFU_REGION_MAY_READ = 1,
	BW_VFU_REGION_MAY_WRITE = 2,
	BW_VFU_REGION_MAY_MAP = 4,

	BW_VFU_IRQ_EVENTFD = 1,
	BW_VFU_IRQ_MASKABLE = 2,
	BW_VFU_IRQ_AUTOMASKED = 4,
	BW_VFU_SET_NONE = 1,
	BW_VFU_SET_BOOL = 2,
	BW_VFU_SET_EVENTFD = 4,
	BW_VFU_SET_MASK = 8,
	BW_VFU_SET_UNMASK = 16,
	BW_VFU_SET_TRIGGER = 32,
};

/* The regions of a PCI function. */
enum {
	BW_VFU_BAR0,
	BW_VFU_BAR2 = 2,
	BW_VFU_BAR5 = 5,
	BW_VFU_ROM,
	BW_VFU_CONFIG,
	BW_VFU_VGA,
	BW_VFU_N_REGIONS
};
/* The device's interrupts. */
enum { BW_VFU_INTX, BW_VFU_MSI, BW_VFU_MSIX, BW_VFU_ERR, BW_VFU_REQ, BW_VFU_N_IRQS };

struct bw_vfu_header {
	uint16_t id, command;
	uint32_t size_b; /* of the whole message */
	uint32_t flags, error;
};

struct bw_vfu_request {
	enum bw_vfu_command command;
	union {
		struct {
			uint16_t major, minor;
		} version;
		struct {
			uint32_t flags;
			uint64_t offset_b, address, size_b;
		} map;
		struct {
			uint64_t address, size_b;
		} unmap;
		uint32_t index; /* of a region or an interrupt */
		struct {
			uint32_t flags, index, start, count;
		} irqs;
		struct {
			uint64_t offset_b;
			uint32_t region, size_b;
			const uint8_t *data; /* of a write: borrowed from the message */
		} access;
	};
};

/* The header; an error means that the stream has lost its place. */
struct bw_error *bw_vfu_parse_header(const uint8_t bytes[BW_VFU_HEADER_B],
				     struct bw_vfu_header *out) BW_MUST_CHECK;
/* 0, or the errno that the reply carries: EINVAL for what is malformed, ENOTSUP for a command
 * that is none of the above. n_fds: descriptors that came with it. */
int bw_vfu_parse(const struct bw_vfu_header *h, const uint8_t *body, size_t n_fds,
		 struct bw_vfu_request *out);

/* A reply under construction. bytes has room for BW_VFU_MAX_MESSAGE_B. */
struct bw_vfu_reply {
	uint8_t *bytes;
	size_t size_b;
	int fd; /* to go with it; borrowed, -1: none */
};
void bw_vfu_reply_begin(struct bw_vfu_reply *r, const struct bw_vfu_header *to);
/* Fills in the size and, where error is not 0, makes it an error without a body. */
void bw_vfu_reply_end(struct bw_vfu_reply *r, int error);

void bw_vfu_reply_version(struct bw_vfu_reply *r);
void bw_vfu_reply_unmap(struct bw_vfu_reply *r, uint64_t address, uint64_t size_b);
void bw_vfu_reply_info(struct bw_vfu_reply *r);
void bw_vfu_reply_region(struct bw_vfu_reply *r, uint32_t index, uint32_t flags, uint64_t size_b);
void bw_vfu_reply_irq(struct bw_vfu_reply *r, uint32_t index, uint32_t flags, uint32_t count);
/* Returns where the data of a read is to be put; a write has none. */
uint8_t *bw_vfu_reply_access(struct bw_vfu_reply *r, const struct bw_vfu_request *to);

#endif
