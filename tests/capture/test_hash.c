/* SPDX-License-Identifier: MIT */
/* The hash of a page is XXH3's of 128 bits, whichever vectors it is made with: xxhash.h without any
 * is the reference. */
#include <stdint.h>
#include <string.h>

#include "capture/hash_priv.h"

#define XXH_VECTOR XXH_SCALAR
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../suite.h"

enum { PAGES = 200 };

static void check(struct bw_capture_hash got, XXH128_hash_t want)
{
	assert_int_equal(got.word[0], want.low64);
	assert_int_equal(got.word[1], want.high64);
}

static void pages_have_the_hash_of_the_reference(void **state)
{
	/* one byte behind the start of a page: no alignment is relied on */
	static uint8_t bytes[BW_CAPTURE_PAGE_B + 1];
	uint8_t *page = bytes + 1;
	uint32_t random = 1;
	for (unsigned i = 0; i < PAGES; i++) {
		/* more and more of it */
		for (unsigned k = 0; k < BW_CAPTURE_PAGE_B * (i + 1) / PAGES; k++) {
			random = random * 1664525 + 1013904223;
			page[k] = (uint8_t)(random >> 24);
		}
		XXH128_hash_t want = XXH3_128bits(page, BW_CAPTURE_PAGE_B);
		check(bw_capture_hash_page(page), want);
		check(bw_capture_hash_plain(page), want);
#ifdef BW_HAS_HASH_AVX2
		if (__builtin_cpu_supports("avx2"))
			check(bw_capture_hash_avx2(page), want);
#endif
	}
}

static void a_page_of_zeros_has_none(void **state)
{
	static uint8_t page[BW_CAPTURE_PAGE_B];
	struct bw_capture_hash h = bw_capture_hash_page(page);
	assert_true(!h.word[0] && !h.word[1]);
	page[BW_CAPTURE_PAGE_B - 1] = 1;
	h = bw_capture_hash_page(page);
	assert_true(h.word[0] || h.word[1]);
}

TESTS(pages_have_the_hash_of_the_reference, a_page_of_zeros_has_none);
