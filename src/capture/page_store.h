/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_PAGE_STORE_H
#define BW_CAPTURE_PAGE_STORE_H

/* Pages in memory, each content once, with a count of those who use it. Id 0 is the page of zeros,
 * which is not stored and not counted. One that is all zero is an empty store. */

#include "capture/capture.h"

struct bw_stored_page {
	struct bw_capture_hash hash;
	uint8_t *data; /* owned; NULL: the id is free */
	uint64_t refs, tag;
	uint64_t next; /* in its bucket, or among the free ids; 0: the last one */
};

struct bw_page_store {
	struct BW_VEC(struct bw_stored_page) pages; /* id - 1 */
	uint64_t *buckets;			    /* owned; the first id */
	size_t n_buckets;			    /* a power of two */
	uint64_t free_id, n_used;
};
void bw_page_store_fini(struct bw_page_store *s);

/* A page of BW_CAPTURE_PAGE_B bytes, with one reference more. */
struct bw_error *bw_page_store_add(struct bw_page_store *s, const void *page,
				   uint64_t *out_id) BW_MUST_CHECK;
/* ids: of this store, in use; or 0. */
void bw_page_store_ref(struct bw_page_store *s, uint64_t id);
/* The last one frees it. */
void bw_page_store_unref(struct bw_page_store *s, uint64_t id);
const uint8_t *bw_page_store_data(const struct bw_page_store *s, uint64_t id); /* id not 0 */
/* A number of the user's for the page, 0 at first; id 0: NULL. */
uint64_t *bw_page_store_tag(struct bw_page_store *s, uint64_t id);
uint64_t bw_page_store_bytes(const struct bw_page_store *s); /* of memory */

#endif
