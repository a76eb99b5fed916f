/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_CURSOR_H
#define BW_BASE_CURSOR_H

/* A cursor over bytes from outside: little-endian reads that never leave the buffer. Reading past
 * the end gives zeros and sets `overrun`, which sticks: check it once, after a group of reads. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bw_cursor {
	const uint8_t *data;
	size_t len, pos;
	bool overrun;
};

static inline struct bw_cursor bw_cursor(const void *data, size_t len)
{
	return (struct bw_cursor){data, len, 0, false};
}

static inline size_t bw_cursor_left(const struct bw_cursor *c)
{
	return c->len - c->pos;
}

/* n bytes, borrowed from the buffer, or NULL. */
static inline const void *bw_cursor_bytes(struct bw_cursor *c, size_t n)
{
	if (c->overrun || n > bw_cursor_left(c)) {
		c->overrun = true;
		return NULL;
	}
	const void *p = c->data + c->pos;
	c->pos += n;
	return p;
}

static inline void bw_cursor_copy(struct bw_cursor *c, void *out, size_t n)
{
	const void *p = bw_cursor_bytes(c, n);
	if (p)
		memcpy(out, p, n);
	else
		memset(out, 0, n);
}

#define BW_CURSOR_READ(name, type)                                                                 \
	static inline type bw_cursor_##name(struct bw_cursor *c)                                   \
	{                                                                                          \
		type v;                                                                            \
		bw_cursor_copy(c, &v, sizeof(v));                                                  \
		return v;                                                                          \
	}
BW_CURSOR_READ(u8, uint8_t)
BW_CURSOR_READ(u16, uint16_t)
BW_CURSOR_READ(u32, uint32_t)
BW_CURSOR_READ(u64, uint64_t)
#undef BW_CURSOR_READ

/* LEB128 numbers of DWARF; what does not fit in 64 bits is cut off. */
static inline uint64_t bw_cursor_leb128_(struct bw_cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned at = 0;
	uint8_t byte;
	do {
		byte = bw_cursor_u8(c);
		if (at < 64)
			v |= (uint64_t)(byte & 0x7f) << at;
		at += 7;
	} while (byte & 0x80 && at < 7 * 32);
	if (is_signed && byte & 0x40 && at < 64)
		v |= ~0ull << at;
	return v;
}

static inline uint64_t bw_cursor_uleb128(struct bw_cursor *c)
{
	return bw_cursor_leb128_(c, false);
}

static inline int64_t bw_cursor_sleb128(struct bw_cursor *c)
{
	return (int64_t)bw_cursor_leb128_(c, true);
}

#endif
