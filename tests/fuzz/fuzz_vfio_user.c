/* SPDX-License-Identifier: MIT */
/* Messages of a hostile vfio-user client, with what its driver then makes the device do: none
 * may crash or hang the server. Each message is {command, flags, descriptors, size} and its
 * body. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/memfd.h"
#include "base/util.h"
#include "vgpu/pci/pci.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

/* A sealed file of some pages, or an eventfd: what clients send. */
static int some_fd(unsigned kind)
{
	if (kind & 1)
		return eventfd(0, EFD_CLOEXEC);
	int fd = bw_memfd("guest");
	if (fd >= 0 && (ftruncate(fd, 1 << 20) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0))
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	static uint8_t *reply_bytes;
	const struct bw_pci_options options = {.device = {.deterministic = true},
					       .vram_size_b = BW_PCI_VRAM_MIN_B};
	struct bw_pci *p;
	struct bw_cursor c = bw_cursor(data, size_b);
	if (!reply_bytes && !(reply_bytes = malloc(BW_VFU_MAX_MESSAGE_B)))
		abort();
	struct bw_error *err = bw_pci_create(&bw_profile_navi31, &options, &p);
	if (err) {
		bw_error_free(err);
		return 0;
	}
	for (unsigned n = 0; n < 64 && bw_cursor_left(&c) >= 4; n++) {
		struct bw_vfu_header h = {.id = (uint16_t)n, .command = bw_cursor_u8(&c) & 0xf};
		unsigned flags = bw_cursor_u8(&c);
		size_t body_b = bw_cursor_u16(&c) % 256, n_fds = 0;
		int fds[BW_VFU_MAX_FDS];
		body_b = BW_MIN(body_b, bw_cursor_left(&c));
		const uint8_t *body = bw_cursor_bytes(&c, body_b);
		h.size_b = (uint32_t)(BW_VFU_HEADER_B + body_b);
		h.flags = flags & BW_VFU_NO_REPLY;
		while (n_fds < (flags & 3))
			fds[n_fds++] = some_fd(flags >> 2);
		struct bw_vfu_reply reply = {.bytes = reply_bytes};
		if (bw_pci_message(p, &h, body, fds, n_fds, &reply) &&
		    (reply.size_b < BW_VFU_HEADER_B || reply.size_b > BW_VFU_MAX_MESSAGE_B))
			abort();
	}
	bw_pci_destroy(p);
	return 0;
}
