/* SPDX-License-Identifier: MIT */
#include "agent/vulkan/sha1.h"

#include <string.h>

static uint32_t rol(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One block of 64 bytes (FIPS 180-4, 6.1.2). */
static void block(uint32_t h[5], const uint8_t *data)
{
	uint32_t w[80];
	for (unsigned i = 0; i < 16; i++)
		w[i] = be32(data + i * 4);
	for (unsigned i = 16; i < 80; i++)
		w[i] = rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
	for (unsigned i = 0; i < 80; i++) {
		uint32_t f, k;
		if (i < 20) {
			f = (b & c) | (~b & d);
			k = 0x5a827999;
		} else if (i < 40) {
			f = b ^ c ^ d;
			k = 0x6ed9eba1;
		} else if (i < 60) {
			f = (b & c) | (b & d) | (c & d);
			k = 0x8f1bbcdc;
		} else {
			f = b ^ c ^ d;
			k = 0xca62c1d6;
		}
		uint32_t t = rol(a, 5) + f + e + k + w[i];
		e = d;
		d = c;
		c = rol(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

uint64_t bw_sha1_64(const void *data, size_t size_b)
{
	uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	const uint8_t *p = data;
	uint8_t last[128] = {0};
	size_t left = size_b;
	for (; left >= 64; left -= 64, p += 64)
		block(h, p);
	if (left)
		memcpy(last, p, left);
	last[left] = 0x80;
	size_t end = left < 56 ? 64 : 128;
	for (unsigned i = 0; i < 8; i++)
		last[end - 1 - i] = (uint8_t)((uint64_t)size_b * 8 >> 8 * i);
	block(h, last);
	if (end == 128)
		block(h, last + 64);
	return (uint64_t)h[0] << 32 | h[1];
}
