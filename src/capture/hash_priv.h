/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_HASH_PRIV_H
#define BW_CAPTURE_HASH_PRIV_H

/* XXH3 of a page, by the vectors of every x86-64 and by those of AVX2: the same 128 bits (xxhash's
 * specification does not know of vectors), three times as fast while the page is in a cache. */

#include "capture/capture.h"

struct bw_capture_hash bw_capture_hash_plain(const void *page);
/* For processors that have AVX2; not in every build (BW_HAS_HASH_AVX2). */
struct bw_capture_hash bw_capture_hash_avx2(const void *page);

#endif
