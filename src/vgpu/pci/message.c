/* SPDX-License-Identifier: MIT */
#include "vgpu/pci/message.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"

/* Without "write_multiple", so that command 15 never comes. */
static const char capabilities[] =
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576}}";

struct bw_error *bw_vfu_parse_header(const uint8_t bytes[BW_VFU_HEADER_B],
				     struct bw_vfu_header *out)
{
	struct bw_cursor c = bw_cursor(bytes, BW_VFU_HEADER_B);
	struct bw_vfu_header h = {.id = bw_cursor_u16(&c)};
	h.command = bw_cursor_u16(&c);
	h.size_b = bw_cursor_u32(&c);
	h.flags = bw_cursor_u32(&c);
	h.error = bw_cursor_u32(&c);
	if (h.size_b < BW_VFU_HEADER_B || h.size_b > BW_VFU_MAX_MESSAGE_B)
		return bw_errorf(BW_E_INVALID,
				 "a vfio-user message of command %u claims %u bytes; there can be "
				 "%u to %u",
				 h.command, h.size_b, (unsigned)BW_VFU_HEADER_B,
				 (unsigned)BW_VFU_MAX_MESSAGE_B);
	if ((h.flags & BW_VFU_TYPE_MASK) != 0)
		return bw_errorf(BW_E_INVALID,
				 "a vfio-user message of command %u is not of type command",
				 h.command);
	*out = h;
	return NULL;
}

static bool parse_access(struct bw_cursor *c, struct bw_vfu_request *r)
{
	r->access.offset_b = bw_cursor_u64(c);
	r->access.region = bw_cursor_u32(c);
	r->access.size_b = bw_cursor_u32(c);
	r->access.data = NULL;
	if (!r->access.size_b || r->access.size_b > BW_VFU_MAX_DATA_B ||
	    r->access.offset_b + r->access.size_b < r->access.offset_b)
		return false;
	if (r->command == BW_VFU_REGION_WRITE)
		r->access.data = bw_cursor_bytes(c, r->access.size_b);
	return true;
}

/* argsz is what the sender has room for, structs of this version included. */
static bool has_argsz(struct bw_cursor *c, uint32_t least)
{
	return bw_cursor_u32(c) >= least;
}

static bool parse_irqs(struct bw_cursor *c, struct bw_vfu_request *r, size_t n_fds)
{
	bool ok = has_argsz(c, 20);
	r->irqs.flags = bw_cursor_u32(c);
	r->irqs.index = bw_cursor_u32(c);
	r->irqs.start = bw_cursor_u32(c);
	r->irqs.count = bw_cursor_u32(c);
	uint32_t data = r->irqs.flags & 7, action = r->irqs.flags & 0x38;
	if (!ok || (r->irqs.flags & ~0x3fu) || !data || data & (data - 1) || !action ||
	    action & (action - 1))
		return false;
	if (r->irqs.count > BW_VFU_MAX_FDS || r->irqs.start > BW_VFU_MAX_FDS)
		return false;
	if (data == BW_VFU_SET_BOOL)
		bw_cursor_bytes(c, r->irqs.count);
	return data == BW_VFU_SET_EVENTFD ? n_fds <= r->irqs.count : n_fds == 0;
}

int bw_vfu_parse(const struct bw_vfu_header *h, const uint8_t *body, size_t n_fds,
		 struct bw_vfu_request *out)
{
	struct bw_cursor c = bw_cursor(body, h->size_b - BW_VFU_HEADER_B);
	struct bw_vfu_request r = {.command = h->command};
	bool ok = true;
	size_t max_fds = 0;
	switch (h->command) {
	case BW_VFU_VERSION:
		r.version.major = bw_cursor_u16(&c);
		r.version.minor = bw_cursor_u16(&c);
		break; /* the client's capabilities change nothing here */
	case BW_VFU_DMA_MAP:
		max_fds = 1;
		ok = has_argsz(&c, 32);
		r.map.flags = bw_cursor_u32(&c);
		r.map.offset_b = bw_cursor_u64(&c);
		r.map.address = bw_cursor_u64(&c);
		r.map.size_b = bw_cursor_u64(&c);
		ok = ok && !(r.map.flags & ~3u) && r.map.size_b &&
		     r.map.address + (r.map.size_b - 1) >= r.map.address;
		break;
	case BW_VFU_DMA_UNMAP:
		ok = has_argsz(&c, 24);
		ok = bw_cursor_u32(&c) == 0 && ok;
		r.unmap.address = bw_cursor_u64(&c);
		r.unmap.size_b = bw_cursor_u64(&c);
		break;
	case BW_VFU_GET_INFO:
		ok = has_argsz(&c, 16);
		break;
	case BW_VFU_GET_REGION_INFO:
		ok = has_argsz(&c, 32);
		bw_cursor_u32(&c);
		r.index = bw_cursor_u32(&c);
		ok = ok && r.index < BW_VFU_N_REGIONS;
		break;
	case BW_VFU_GET_IRQ_INFO:
		ok = has_argsz(&c, 16);
		bw_cursor_u32(&c);
		r.index = bw_cursor_u32(&c);
		ok = ok && r.index < BW_VFU_N_IRQS;
		break;
	case BW_VFU_SET_IRQS:
		max_fds = BW_VFU_MAX_FDS;
		ok = parse_irqs(&c, &r, n_fds) && r.irqs.index < BW_VFU_N_IRQS;
		break;
	case BW_VFU_REGION_READ:
	case BW_VFU_REGION_WRITE:
		ok = parse_access(&c, &r);
		break;
	case BW_VFU_RESET:
		break;
	default:
		return ENOTSUP;
	}
	if (!ok || c.overrun || n_fds > max_fds)
		return EINVAL;
	*out = r;
	return 0;
}

/* --- replies --- */

static void append_reply(struct bw_vfu_reply *r, const void *data, size_t n)
{
	memcpy(r->bytes + r->size_b, data, n);
	r->size_b += n;
}

static void put16(struct bw_vfu_reply *r, uint16_t v)
{
	append_reply(r, &v, 2);
}

static void put32(struct bw_vfu_reply *r, uint32_t v)
{
	append_reply(r, &v, 4);
}

static void put64(struct bw_vfu_reply *r, uint64_t v)
{
	append_reply(r, &v, 8);
}

void bw_vfu_reply_begin(struct bw_vfu_reply *r, const struct bw_vfu_header *to)
{
	r->size_b = 0;
	r->fd = -1;
	put16(r, to->id);
	put16(r, to->command);
	put32(r, 0); /* size: bw_vfu_reply_end */
	put32(r, BW_VFU_REPLY);
	put32(r, 0);
}

void bw_vfu_reply_end(struct bw_vfu_reply *r, int error)
{
	if (error) {
		uint32_t flags = BW_VFU_REPLY | BW_VFU_ERROR, number = (uint32_t)error;
		memcpy(r->bytes + 8, &flags, 4);
		memcpy(r->bytes + 12, &number, 4);
		r->size_b = BW_VFU_HEADER_B;
		r->fd = -1;
	}
	uint32_t size = (uint32_t)r->size_b;
	memcpy(r->bytes + 4, &size, 4);
}

void bw_vfu_reply_version(struct bw_vfu_reply *r)
{
	put16(r, 0);
	put16(r, 0);
	append_reply(r, capabilities, sizeof(capabilities));
}

void bw_vfu_reply_unmap(struct bw_vfu_reply *r, uint64_t address, uint64_t size_b)
{
	put32(r, 24);
	put32(r, 0);
	put64(r, address);
	put64(r, size_b);
}

void bw_vfu_reply_info(struct bw_vfu_reply *r)
{
	put32(r, 16);
	put32(r, BW_VFU_INFO_RESET | BW_VFU_INFO_PCI);
	put32(r, BW_VFU_N_REGIONS);
	put32(r, BW_VFU_N_IRQS);
}

void bw_vfu_reply_region(struct bw_vfu_reply *r, uint32_t index, uint32_t flags, uint64_t size_b)
{
	put32(r, 32);
	put32(r, flags);
	put32(r, index);
	put32(r, 0); /* no capabilities */
	put64(r, size_b);
	put64(r, 0); /* offset in the descriptor */
}

void bw_vfu_reply_irq(struct bw_vfu_reply *r, uint32_t index, uint32_t flags, uint32_t count)
{
	put32(r, 16);
	put32(r, flags);
	put32(r, index);
	put32(r, count);
}

uint8_t *bw_vfu_reply_access(struct bw_vfu_reply *r, const struct bw_vfu_request *to)
{
	put64(r, to->access.offset_b);
	put32(r, to->access.region);
	put32(r, to->access.size_b);
	uint8_t *data = r->bytes + r->size_b;
	if (to->command == BW_VFU_REGION_READ)
		r->size_b += to->access.size_b;
	return data;
}
