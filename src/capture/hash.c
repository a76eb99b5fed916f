/* SPDX-License-Identifier: MIT */
#include "capture/capture.h"

#include <string.h>

enum { LANES = 4, LANE_B = 8 };

static const uint64_t primes[LANES] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
				       0xd6e8feb86659fd93};

/* Products of 64 bits folded: every bit of the input reaches every bit of the result. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

struct bw_capture_hash bw_capture_hash_page(const void *page)
{
	const uint8_t *at = page;
	uint64_t lane[LANES], any = 0;
	memcpy(lane, primes, sizeof(lane));
	for (unsigned i = 0; i < BW_CAPTURE_PAGE_B; i += LANES * LANE_B) {
		uint64_t w[LANES];
		memcpy(w, at + i, sizeof(w));
		for (unsigned l = 0; l < LANES; l++) {
			any |= w[l];
			/* a rotation between, so that the order of words counts */
			lane[l] = (lane[l] << 29 | lane[l] >> 35) ^ w[l];
			lane[l] *= primes[l];
		}
	}
	if (!any)
		return (struct bw_capture_hash){{0, 0}};
	struct bw_capture_hash h = {{fold(lane[0] ^ primes[2], lane[1] ^ primes[3]) ^
					     fold(lane[2] ^ primes[0], lane[3] ^ primes[1]),
				     fold(lane[0] ^ primes[1], lane[2] ^ primes[3]) +
					     fold(lane[1] ^ primes[0], lane[3] ^ primes[2])}};
	if (!h.word[0] && !h.word[1])
		h.word[0] = 1;
	return h;
}

uint64_t bw_capture_check(const void *bytes, size_t size_b)
{
	const uint8_t *at = bytes;
	uint64_t h = primes[0] ^ size_b;
	for (; size_b >= LANE_B; size_b -= LANE_B, at += LANE_B) {
		uint64_t w;
		memcpy(&w, at, sizeof(w));
		h = fold(h ^ w ^ primes[1], primes[2]) + w;
	}
	uint64_t rest = 0;
	memcpy(&rest, at, size_b);
	return fold(h ^ rest ^ primes[3], primes[2]);
}
