/* SPDX-License-Identifier: MIT */
#include "capture/page_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_B = BW_CAPTURE_PAGE_B, FIRST_BUCKETS = 1 << 10 };

void bw_page_store_fini(struct bw_page_store *s)
{
	bw_vec_each(&s->pages, p)
		free(p->data);
	bw_vec_free(&s->pages);
	free(s->buckets);
	memset(s, 0, sizeof(*s));
}

static struct bw_stored_page *page_of(const struct bw_page_store *s, uint64_t id)
{
	assert(id && id <= s->pages.len && s->pages.data[id - 1].data);
	return &s->pages.data[id - 1];
}

static uint64_t *bucket_of(const struct bw_page_store *s, struct bw_capture_hash h)
{
	return &s->buckets[h.word[0] & (s->n_buckets - 1)];
}

/* Keeps at least as many buckets as pages. */
static struct bw_error *make_room(struct bw_page_store *s)
{
	if (s->n_used < s->n_buckets)
		return NULL;
	size_t n = s->n_buckets ? s->n_buckets * 2 : FIRST_BUCKETS;
	uint64_t *buckets = calloc(n, sizeof(*buckets));
	if (!buckets)
		return bw_error_nomem();
	free(s->buckets);
	s->buckets = buckets;
	s->n_buckets = n;
	for (uint64_t id = 1; id <= s->pages.len; id++) {
		struct bw_stored_page *p = &s->pages.data[id - 1];
		if (!p->data)
			continue;
		uint64_t *bucket = bucket_of(s, p->hash);
		p->next = *bucket;
		*bucket = id;
	}
	return NULL;
}

static struct bw_error *take_id(struct bw_page_store *s, uint64_t *out)
{
	if (!s->free_id) {
		BW_TRY(bw_vec_push(&s->pages, ((struct bw_stored_page){.data = NULL})));
		*out = s->pages.len;
		return NULL;
	}
	*out = s->free_id;
	s->free_id = s->pages.data[*out - 1].next;
	return NULL;
}

struct bw_error *bw_page_store_add(struct bw_page_store *s, const void *page, uint64_t *out_id)
{
	struct bw_capture_hash h = bw_capture_hash_page(page);
	uint64_t id = 0;
	if (!h.word[0] && !h.word[1]) {
		*out_id = 0;
		return NULL;
	}
	BW_TRY(make_room(s));
	uint64_t *bucket = bucket_of(s, h);
	for (id = *bucket; id; id = s->pages.data[id - 1].next) {
		if (!bw_capture_hash_same(s->pages.data[id - 1].hash, h))
			continue;
		s->pages.data[id - 1].refs++;
		*out_id = id;
		return NULL;
	}
	uint8_t *data = malloc(PAGE_B);
	if (!data)
		return bw_error_nomem();
	struct bw_error *err = take_id(s, &id);
	if (err) {
		free(data);
		return err;
	}
	memcpy(data, page, PAGE_B);
	s->pages.data[id - 1] =
		(struct bw_stored_page){.hash = h, .data = data, .refs = 1, .next = *bucket};
	*bucket = id;
	s->n_used++;
	*out_id = id;
	return NULL;
}

void bw_page_store_ref(struct bw_page_store *s, uint64_t id)
{
	if (id)
		page_of(s, id)->refs++;
}

void bw_page_store_unref(struct bw_page_store *s, uint64_t id)
{
	struct bw_stored_page *p = id ? page_of(s, id) : NULL;
	if (!p || --p->refs)
		return;
	uint64_t *at = bucket_of(s, p->hash);
	while (*at != id)
		at = &s->pages.data[*at - 1].next;
	*at = p->next;
	free(p->data);
	*p = (struct bw_stored_page){.next = s->free_id};
	s->free_id = id;
	s->n_used--;
}

const uint8_t *bw_page_store_data(const struct bw_page_store *s, uint64_t id)
{
	return page_of(s, id)->data;
}

uint64_t *bw_page_store_tag(struct bw_page_store *s, uint64_t id)
{
	return id ? &page_of(s, id)->tag : NULL;
}

uint64_t bw_page_store_bytes(const struct bw_page_store *s)
{
	return s->n_used * PAGE_B + s->pages.len * sizeof(*s->pages.data) +
	       s->n_buckets * sizeof(*s->buckets);
}
