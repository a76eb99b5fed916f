/* SPDX-License-Identifier: MIT */
#include "capture/override.h"

#include "base/cursor.h"
#include "base/util.h"

static const uint8_t magic[8] = {0x89, 'B', 'W', 'O', 'v', 'r', '\r', '\n'};

enum { PART_IS_NEW = 1, PAGE_B = 4096 };

bool bw_override_is(const void *bytes, size_t size_b)
{
	return size_b >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

void bw_override_fini(struct bw_override *o)
{
	bw_vec_free(&o->ibs);
	bw_vec_free(&o->parts);
}

static struct bw_error *cut_off(void)
{
	return bw_errorf(BW_E_INVALID, "the override file was cut off");
}

static struct bw_error *read_ib(struct bw_cursor *c, struct bw_override *out)
{
	struct bw_override_ib ib = {.captured_va = bw_cursor_u64(c), .va = bw_cursor_u64(c)};
	ib.captured_b = bw_cursor_u32(c);
	ib.size_b = bw_cursor_u32(c);
	if (c->overrun)
		return cut_off();
	if (ib.size_b % 4 || ib.va % 4)
		return bw_errorf(BW_E_INVALID,
				 "the override file is damaged: IB %zu has %u bytes at 0x%llx, and "
				 "not whole dwords",
				 out->ibs.len, ib.size_b, (unsigned long long)ib.va);
	return bw_vec_push(&out->ibs, ib);
}

static struct bw_error *read_part(struct bw_cursor *c, struct bw_override *out)
{
	struct bw_override_part p = {.va = bw_cursor_u64(c), .size_b = bw_cursor_u64(c)};
	uint32_t flags = bw_cursor_u32(c);
	bw_cursor_u32(c);
	if (c->overrun || p.size_b > bw_cursor_left(c))
		return cut_off();
	p.is_new = flags & PART_IS_NEW;
	if (flags & ~(uint32_t)PART_IS_NEW)
		return bw_errorf(BW_E_INVALID,
				 "the override file has a part of a kind that is not known (0x%x)",
				 flags);
	if (!p.size_b || p.size_b > UINT64_MAX - p.va || (p.is_new && p.va % PAGE_B) ||
	    (p.is_new && !p.va))
		return bw_errorf(BW_E_INVALID,
				 "the override file is damaged: a part has %llu bytes at 0x%llx",
				 (unsigned long long)p.size_b, (unsigned long long)p.va);
	p.bytes = bw_cursor_bytes(c, p.size_b);
	bw_cursor_bytes(c, -p.size_b % 8);
	if (c->overrun)
		return cut_off();
	return bw_vec_push(&out->parts, p);
}

static struct bw_error *read_all(struct bw_cursor *c, struct bw_override *out)
{
	uint32_t version = bw_cursor_u32(c);
	out->number = bw_cursor_u32(c);
	uint32_t n_ibs = bw_cursor_u32(c), n_parts = bw_cursor_u32(c);
	if (c->overrun)
		return cut_off();
	if (version != BW_OVERRIDE_VERSION)
		return bw_errorf(BW_E_INVALID,
				 "the override file has version %u, and this Breakwater reads "
				 "version %u: decompile the submission again",
				 version, BW_OVERRIDE_VERSION);
	if (!n_ibs || n_ibs > BW_OVERRIDE_IBS_MAX || n_parts > BW_OVERRIDE_PARTS_MAX)
		return bw_errorf(BW_E_INVALID,
				 "the override file has %u IBs and %u parts; 1 to %u and up to %u "
				 "are possible",
				 n_ibs, n_parts, BW_OVERRIDE_IBS_MAX, BW_OVERRIDE_PARTS_MAX);
	for (uint32_t i = 0; i < n_ibs; i++)
		BW_TRY(read_ib(c, out));
	for (uint32_t i = 0; i < n_parts; i++)
		BW_TRY(read_part(c, out));
	if (bw_cursor_left(c))
		return bw_errorf(BW_E_INVALID, "the override file has %zu bytes after its end",
				 bw_cursor_left(c));
	return NULL;
}

struct bw_error *bw_override_decode(const void *bytes, size_t size_b, struct bw_override *out)
{
	struct bw_cursor c = bw_cursor(bytes, size_b);
	if (!bw_override_is(bytes, size_b))
		return bw_errorf(BW_E_INVALID, "that is not an override file");
	bw_cursor_bytes(&c, sizeof(magic));
	struct bw_error *err = read_all(&c, out);
	if (err) {
		bw_override_fini(out);
		*out = (struct bw_override){0};
	}
	return err;
}
