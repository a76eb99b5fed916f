/* SPDX-License-Identifier: MIT */
#include "capture/hash_priv.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { WORD_B = 8 };

static const uint64_t primes[] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
				  0xd6e8feb86659fd93};

/* Each word equals the one before it, and the first is zero. */
static bool is_zero(const uint8_t *page)
{
	uint64_t first;
	memcpy(&first, page, sizeof(first));
	return !first && !memcmp(page, page + WORD_B, BW_CAPTURE_PAGE_B - WORD_B);
}

struct bw_capture_hash bw_capture_hash_plain(const void *page)
{
	XXH128_hash_t h = XXH3_128bits(page, BW_CAPTURE_PAGE_B);
	return (struct bw_capture_hash){{h.low64, h.high64}};
}

struct bw_capture_hash bw_capture_hash_page(const void *page)
{
	if (is_zero(page))
		return (struct bw_capture_hash){{0, 0}};
#ifdef BW_HAS_HASH_AVX2
	struct bw_capture_hash h = __builtin_cpu_supports("avx2") ? bw_capture_hash_avx2(page)
								  : bw_capture_hash_plain(page);
#else
	struct bw_capture_hash h = bw_capture_hash_plain(page);
#endif
	if (!h.word[0] && !h.word[1])
		h.word[0] = 1;
	return h;
}

/* Products of 64 bits folded: every bit of the input reaches every bit of the result. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

uint64_t bw_capture_check(const void *bytes, size_t size_b)
{
	const uint8_t *at = bytes;
	uint64_t h = primes[0] ^ size_b;
	for (; size_b >= WORD_B; size_b -= WORD_B, at += WORD_B) {
		uint64_t w;
		memcpy(&w, at, sizeof(w));
		h = fold(h ^ w ^ primes[1], primes[2]) + w;
	}
	uint64_t rest = 0;
	memcpy(&rest, at, size_b);
	return fold(h ^ rest ^ primes[3], primes[2]);
}
