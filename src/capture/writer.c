/* SPDX-License-Identifier: MIT */
#include "capture/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "capture/pipeline.h"

enum { LEVEL = 1, FIRST_SLOTS = 1 << 12 };

struct slot {
	struct bw_capture_hash hash;
	uint64_t page; /* 0: the slot is free */
};

struct bw_capture_writer {
	int fd;
	uint64_t written_b;
	ZSTD_CCtx *zstd;
	uint64_t next_page; /* from 1 */
	/* pages that are not written yet: the last of those numbers */
	uint8_t *pending;
	size_t n_pending;
	/* every page of the file by its hash; open addressing, a power of two of slots */
	struct slot *slots;
	size_t n_slots, n_used;
	/* written pipelines, by number - 1 */
	struct BW_VEC(struct written_pipeline {
		uint64_t check;
		size_t size_b;
	}) pipelines;
};

/* A pipe takes less than all at a time. */
static struct bw_error *write_all(struct bw_capture_writer *w, const void *data, size_t size_b)
{
	const uint8_t *at = data;
	while (size_b) {
		ssize_t n = write(w->fd, at, size_b);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bw_error_errno(errno, "the capture could not be written");
		at += n;
		size_b -= (size_t)n;
		w->written_b += (size_t)n;
	}
	return NULL;
}

/* The parts of one block. */
struct block {
	enum bw_capture_block_kind kind;
	uint64_t first;
	const void *summary;
	size_t summary_b;
	const void *body;
	size_t body_b;
};

static struct bw_error *write_block(struct bw_capture_writer *w, const struct block *b)
{
	struct bw_capture_block h = {.magic = BW_CAPTURE_BLOCK_MAGIC,
				     .kind = b->kind,
				     .summary_b = (uint32_t)b->summary_b,
				     .raw_b = b->body_b,
				     .first = b->first};
	const size_t checked_at = offsetof(struct bw_capture_block, summary_b);
	size_t room = b->body_b ? ZSTD_compressBound(b->body_b) : 0;
	if (b->body_b > BW_CAPTURE_BODY_MAX_B)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "a record of %zu bytes is more than a capture can hold",
				 b->body_b);
	/* Header, summary and body go out in one call, so that what reads a growing file rarely
	 * sees half of a block. */
	_cleanup_free_ uint8_t *all = malloc(sizeof(h) + b->summary_b + room);
	if (!all)
		return bw_error_nomem();
	if (b->body_b) {
		size_t n = ZSTD_compress2(w->zstd, all + sizeof(h) + b->summary_b, room, b->body,
					  b->body_b);
		if (ZSTD_isError(n))
			return bw_errorf(BW_E_NOMEM, "zstd: %s", ZSTD_getErrorName(n));
		h.stored_b = n;
	}
	memcpy(all, &h, sizeof(h));
	if (b->summary_b)
		memcpy(all + sizeof(h), b->summary, b->summary_b);
	h.check = bw_capture_check(all + checked_at, sizeof(h) - checked_at + b->summary_b);
	memcpy(all, &h, sizeof(h));
	return write_all(w, all, sizeof(h) + b->summary_b + h.stored_b);
}

struct bw_error *bw_capture_writer_create(int fd, const struct bw_capture_device *device,
					  struct bw_capture_writer **out)
{
	const struct bw_capture_file_header h = {.magic = BW_CAPTURE_MAGIC,
						 .version = BW_CAPTURE_VERSION};
	struct bw_capture_writer *w = calloc(1, sizeof(*w));
	if (!w)
		return bw_error_nomem();
	w->fd = fd;
	w->next_page = 1;
	w->zstd = ZSTD_createCCtx();
	w->pending = malloc((size_t)BW_CAPTURE_BLOCK_PAGES_MAX * BW_CAPTURE_PAGE_B);
	w->n_slots = FIRST_SLOTS;
	w->slots = calloc(w->n_slots, sizeof(*w->slots));
	struct bw_error *err = w->zstd && w->pending && w->slots ? NULL : bw_error_nomem();
	if (!err) {
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
		err = write_all(w, &h, sizeof(h));
	}
	if (!err)
		err = write_block(w, &(struct block){.kind = BW_CAPTURE_BLOCK_DEVICE,
						     .summary = device,
						     .summary_b = sizeof(*device)});
	if (err) {
		bw_capture_writer_free(w);
		return err;
	}
	*out = w;
	return NULL;
}

void bw_capture_writer_free(struct bw_capture_writer *w)
{
	if (!w)
		return;
	ZSTD_freeCCtx(w->zstd);
	free(w->pending);
	free(w->slots);
	bw_vec_free(&w->pipelines);
	free(w);
}

/* ---- pages ---- */

static struct slot *slot_of(struct slot *slots, size_t n_slots, struct bw_capture_hash h)
{
	size_t at = h.word[0] & (n_slots - 1);
	while (slots[at].page && !bw_capture_hash_same(slots[at].hash, h))
		at = (at + 1) & (n_slots - 1);
	return &slots[at];
}

/* Keeps at least half of the slots free. */
static struct bw_error *make_room(struct bw_capture_writer *w)
{
	if (w->n_used < w->n_slots / 2)
		return NULL;
	struct slot *more = calloc(w->n_slots * 2, sizeof(*more));
	if (!more)
		return bw_error_nomem();
	for (size_t i = 0; i < w->n_slots; i++)
		if (w->slots[i].page)
			*slot_of(more, w->n_slots * 2, w->slots[i].hash) = w->slots[i];
	free(w->slots);
	w->slots = more;
	w->n_slots *= 2;
	return NULL;
}

static struct bw_error *write_pages(struct bw_capture_writer *w)
{
	if (!w->n_pending)
		return NULL;
	BW_TRY(write_block(w, &(struct block){.kind = BW_CAPTURE_BLOCK_PAGES,
					      .first = w->next_page - w->n_pending,
					      .body = w->pending,
					      .body_b = w->n_pending * BW_CAPTURE_PAGE_B}));
	w->n_pending = 0;
	return NULL;
}

struct bw_error *bw_capture_writer_page(struct bw_capture_writer *w, const void *page,
					uint64_t *out_number)
{
	struct bw_capture_hash h = bw_capture_hash_page(page);
	if (!h.word[0] && !h.word[1]) {
		*out_number = 0;
		return NULL;
	}
	BW_TRY(make_room(w));
	struct slot *slot = slot_of(w->slots, w->n_slots, h);
	if (!slot->page) {
		if (w->n_pending == BW_CAPTURE_BLOCK_PAGES_MAX)
			BW_TRY(write_pages(w));
		memcpy(w->pending + w->n_pending++ * BW_CAPTURE_PAGE_B, page, BW_CAPTURE_PAGE_B);
		*slot = (struct slot){h, w->next_page++};
		w->n_used++;
	}
	*out_number = slot->page;
	return NULL;
}

/* ---- records ---- */

struct bw_error *bw_capture_writer_submission(struct bw_capture_writer *w,
					      const struct bw_capture_submission *s)
{
	struct bw_capture_bytes body = {0};
	BW_TRY(write_pages(w));
	struct bw_error *err = bw_capture_submission_encode(s, &body);
	if (!err)
		err = write_block(w, &(struct block){.kind = BW_CAPTURE_BLOCK_SUBMISSION,
						     .summary = &s->summary,
						     .summary_b = sizeof(s->summary),
						     .body = body.data,
						     .body_b = body.len});
	bw_vec_free(&body);
	return err;
}

struct bw_error *bw_capture_writer_result(struct bw_capture_writer *w,
					  const struct bw_capture_result *r,
					  const struct bw_capture_runs *runs)
{
	struct bw_capture_bytes body = {0};
	BW_TRY(write_pages(w));
	struct bw_error *err = bw_capture_runs_encode(runs, &body);
	if (!err)
		err = write_block(w, &(struct block){.kind = BW_CAPTURE_BLOCK_RESULT,
						     .summary = r,
						     .summary_b = sizeof(*r),
						     .body = body.data,
						     .body_b = body.len});
	bw_vec_free(&body);
	return err;
}

struct bw_error *bw_capture_writer_pipeline(struct bw_capture_writer *w, const void *bytes,
					    size_t size_b, uint32_t *out_number)
{
	const struct written_pipeline new = {bw_capture_check(bytes, size_b), size_b};
	for (size_t i = 0; i < w->pipelines.len; i++) {
		if (w->pipelines.data[i].check != new.check ||
		    w->pipelines.data[i].size_b != size_b)
			continue;
		*out_number = (uint32_t)i + 1;
		return NULL;
	}
	*out_number = 0;
	if (w->pipelines.len == BW_CAPTURE_PIPELINES_MAX)
		return NULL;
	BW_TRY(bw_vec_push(&w->pipelines, new));
	BW_TRY(write_block(w, &(struct block){.kind = BW_CAPTURE_BLOCK_PIPELINE,
					      .first = w->pipelines.len,
					      .body = bytes,
					      .body_b = size_b}));
	*out_number = (uint32_t)w->pipelines.len;
	return NULL;
}

struct bw_error *bw_capture_writer_end(struct bw_capture_writer *w)
{
	BW_TRY(write_pages(w));
	return write_block(w, &(struct block){.kind = BW_CAPTURE_BLOCK_END});
}

uint64_t bw_capture_writer_bytes(const struct bw_capture_writer *w)
{
	return w->written_b;
}
