/* SPDX-License-Identifier: MIT */
/* Compiled for processors with AVX2. */
#include "capture/hash_priv.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct bw_capture_hash bw_capture_hash_avx2(const void *page)
{
	XXH128_hash_t h = XXH3_128bits(page, BW_CAPTURE_PAGE_B);
	return (struct bw_capture_hash){{h.low64, h.high64}};
}
