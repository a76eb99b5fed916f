/* SPDX-License-Identifier: MIT */
#include "capture/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/util.h"

enum { CACHED_BLOCKS = 64, SCAN_B = 1 << 16, ENTRIES_MAX = 1 << 24 };

struct pages_block {
	uint64_t first, count;
	uint64_t at; /* of its header */
};

struct cached {
	uint8_t *data; /* owned; NULL: free */
	size_t block;
	uint64_t used; /* when: the oldest makes room */
};

struct bw_capture_reader {
	int fd;
	char *name;
	uint64_t size_b, skipped_b, n_pages, clock;
	bool is_whole;
	uint32_t version;
	struct bw_capture_device device;
	struct BW_VEC(struct bw_capture_entry) entries;
	struct BW_VEC(struct pages_block) pages; /* by number */
	struct BW_VEC(struct pipeline_block {
		uint32_t number;
		uint64_t at; /* of its header */
	}) pipelines;
	struct cached cache[CACHED_BLOCKS];
	ZSTD_DCtx *zstd;
};

/* Bytes read, fewer at the end of the file. */
static struct bw_error *read_at(const struct bw_capture_reader *r, uint64_t at, void *out,
				size_t size_b, size_t *out_done)
{
	size_t done = 0;
	while (done < size_b) {
		ssize_t n = pread(r->fd, (uint8_t *)out + done, size_b - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bw_error_errno(errno, "%s cannot be read", r->name);
		if (!n)
			break;
		done += (size_t)n;
	}
	*out_done = done;
	return NULL;
}

/* ---- the chain of blocks ---- */

/* A header with the summary after it. */
struct head {
	struct bw_capture_block block;
	uint8_t summary[BW_CAPTURE_SUMMARY_MAX_B];
};

static uint64_t length_of(const struct bw_capture_block *b)
{
	return sizeof(*b) + b->summary_b + b->stored_b;
}

static size_t summary_size(uint32_t kind, uint32_t version)
{
	switch (kind) {
	case BW_CAPTURE_BLOCK_DEVICE:
		return sizeof(struct bw_capture_device);
	case BW_CAPTURE_BLOCK_SUBMISSION:
		return version < BW_CAPTURE_VERSION_DRAWS
			       ? offsetof(struct bw_capture_summary, n_draws)
			       : sizeof(struct bw_capture_summary);
	case BW_CAPTURE_BLOCK_RESULT:
		return sizeof(struct bw_capture_result);
	default:
		return 0;
	}
}

/* Is this the start of a block, all of which lies in the file? */
static bool is_block(const struct bw_capture_reader *r, uint64_t at, const struct head *h,
		     size_t have_b)
{
	const struct bw_capture_block *b = &h->block;
	const size_t checked_at = offsetof(struct bw_capture_block, summary_b);
	return have_b >= sizeof(*b) && b->magic == BW_CAPTURE_BLOCK_MAGIC &&
	       b->summary_b == summary_size(b->kind, r->version) &&
	       sizeof(*b) + b->summary_b <= have_b && b->raw_b <= BW_CAPTURE_BODY_MAX_B &&
	       b->check == bw_capture_check((const uint8_t *)h + checked_at,
					    sizeof(*b) - checked_at + b->summary_b) &&
	       b->stored_b <= r->size_b - at - sizeof(*b) - b->summary_b;
}

static struct bw_capture_entry *entry_of(struct bw_capture_reader *r, uint32_t number)
{
	for (size_t i = r->entries.len; i-- > 0;)
		if (r->entries.data[i].summary.number <= number)
			return r->entries.data[i].summary.number == number ? &r->entries.data[i]
									   : NULL;
	return NULL;
}

static struct bw_error *note_pages(struct bw_capture_reader *r, uint64_t at,
				   const struct bw_capture_block *b)
{
	const struct pages_block *last = r->pages.len ? &r->pages.data[r->pages.len - 1] : NULL;
	struct pages_block one = {b->first, b->raw_b / BW_CAPTURE_PAGE_B, at};
	/* a block that does not fit the order, its header damaged on purpose, is skipped */
	if (!one.first || !one.count || one.count > BW_CAPTURE_BLOCK_PAGES_MAX ||
	    b->raw_b % BW_CAPTURE_PAGE_B || one.first > UINT64_MAX - one.count ||
	    (last && one.first < last->first + last->count))
		return NULL;
	r->n_pages += one.count;
	return bw_vec_push(&r->pages, one);
}

static struct bw_error *note_block(struct bw_capture_reader *r, uint64_t at, const struct head *h)
{
	struct bw_capture_entry e = {.at = at};
	struct bw_capture_result result;
	size_t n = r->entries.len;
	switch (h->block.kind) {
	case BW_CAPTURE_BLOCK_DEVICE:
		memcpy(&r->device, h->summary, sizeof(r->device));
		r->device.name[sizeof(r->device.name) - 1] = '\0';
		r->device.pci_address[sizeof(r->device.pci_address) - 1] = '\0';
		r->device.made_by[sizeof(r->device.made_by) - 1] = '\0';
		return NULL;
	case BW_CAPTURE_BLOCK_PAGES:
		return note_pages(r, at, &h->block);
	case BW_CAPTURE_BLOCK_SUBMISSION:
		memcpy(&e.summary, h->summary, h->block.summary_b);
		e.summary.comm[sizeof(e.summary.comm) - 1] = '\0';
		if (!e.summary.number || n >= ENTRIES_MAX ||
		    (n && r->entries.data[n - 1].summary.number >= e.summary.number))
			return NULL;
		return bw_vec_push(&r->entries, e);
	case BW_CAPTURE_BLOCK_RESULT: {
		memcpy(&result, h->summary, sizeof(result));
		struct bw_capture_entry *of = entry_of(r, result.number);
		if (of && !of->has_result) {
			of->has_result = true;
			of->result = result;
			of->result_at = at;
		}
		return NULL;
	}
	case BW_CAPTURE_BLOCK_PIPELINE:
		if (!h->block.first || h->block.first > BW_CAPTURE_PIPELINES_MAX ||
		    r->pipelines.len >= BW_CAPTURE_PIPELINES_MAX)
			return NULL;
		return bw_vec_push(&r->pipelines,
				   ((struct pipeline_block){(uint32_t)h->block.first, at}));
	case BW_CAPTURE_BLOCK_END:
		r->is_whole = true;
		return NULL;
	default:
		return NULL; /* a kind of a later version */
	}
}

/* The next place at or after `at` where a block could begin; the end of the file if there is none.
 */
static struct bw_error *find_magic(const struct bw_capture_reader *r, uint64_t at, uint64_t *out)
{
	const uint32_t magic = BW_CAPTURE_BLOCK_MAGIC;
	_cleanup_free_ uint8_t *buf = malloc(SCAN_B);
	if (!buf)
		return bw_error_nomem();
	while (at < r->size_b) {
		size_t have;
		BW_TRY(read_at(r, at, buf, SCAN_B, &have));
		const uint8_t *found = have ? memmem(buf, have, &magic, sizeof(magic)) : NULL;
		if (found) {
			*out = at + (uint64_t)(found - buf);
			return NULL;
		}
		if (have < sizeof(magic))
			break;
		at += have - (sizeof(magic) - 1);
	}
	*out = r->size_b;
	return NULL;
}

static struct bw_error *walk(struct bw_capture_reader *r)
{
	uint64_t at = sizeof(struct bw_capture_file_header), good_end = at;
	while (at < r->size_b && !r->is_whole) {
		struct head h;
		size_t have;
		BW_TRY(read_at(r, at, &h, sizeof(h), &have));
		if (is_block(r, at, &h, have)) {
			r->skipped_b += at - good_end;
			BW_TRY(note_block(r, at, &h));
			at += length_of(&h.block);
			good_end = at;
			continue;
		}
		/* A block that the file ends in is not damage: nothing is found after it. */
		BW_TRY(find_magic(r, at + 1, &at));
	}
	return NULL;
}

/* ---- opening ---- */

static struct bw_error *check_header(struct bw_capture_reader *r)
{
	struct bw_capture_file_header h;
	size_t have;
	BW_TRY(read_at(r, 0, &h, sizeof(h), &have));
	if (have < sizeof(h.magic) || memcmp(h.magic, BW_CAPTURE_MAGIC, sizeof(h.magic)))
		return bw_errorf(BW_E_INVALID,
				 "%s is not a capture: \"breakwater capture\" makes one (*.bwc)",
				 r->name);
	if (have < sizeof(h))
		return bw_errorf(BW_E_INVALID, "%s is cut off in its first bytes", r->name);
	if (h.version < BW_CAPTURE_VERSION_OLDEST || h.version > BW_CAPTURE_VERSION)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is a capture of version %u, and this Breakwater reads versions %u to "
			"%u: read it with the Breakwater that made it",
			r->name, h.version, BW_CAPTURE_VERSION_OLDEST, BW_CAPTURE_VERSION);
	r->version = h.version;
	return NULL;
}

struct bw_error *bw_capture_reader_of(int fd, const char *name, struct bw_capture_reader **out)
{
	struct stat st;
	struct bw_capture_reader *r = calloc(1, sizeof(*r));
	if (!r) {
		close(fd);
		return bw_error_nomem();
	}
	r->fd = fd;
	r->name = strdup(name);
	r->zstd = ZSTD_createDCtx();
	struct bw_error *err = r->name && r->zstd ? NULL : bw_error_nomem();
	if (!err && fstat(fd, &st))
		err = bw_error_errno(errno, "%s", name);
	else if (!err && !S_ISREG(st.st_mode))
		err = bw_errorf(BW_E_INVALID,
				"%s is not a regular file, from which a capture is read", name);
	if (!err) {
		r->size_b = (uint64_t)st.st_size;
		err = check_header(r);
	}
	if (!err)
		err = walk(r);
	if (err) {
		bw_capture_reader_close(r);
		return err;
	}
	*out = r;
	return NULL;
}

struct bw_error *bw_capture_reader_open(const char *path, struct bw_capture_reader **out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return bw_error_errno(errno, "cannot open %s", path);
	return bw_capture_reader_of(fd, path, out);
}

void bw_capture_reader_close(struct bw_capture_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < CACHED_BLOCKS; i++)
		free(r->cache[i].data);
	bw_vec_free(&r->entries);
	bw_vec_free(&r->pages);
	bw_vec_free(&r->pipelines);
	ZSTD_freeDCtx(r->zstd);
	close(r->fd);
	free(r->name);
	free(r);
}

const struct bw_capture_device *bw_capture_reader_device(const struct bw_capture_reader *r)
{
	return &r->device;
}

uint32_t bw_capture_reader_version(const struct bw_capture_reader *r)
{
	return r->version;
}

uint64_t bw_capture_reader_size(const struct bw_capture_reader *r)
{
	return r->size_b;
}

uint64_t bw_capture_reader_pages(const struct bw_capture_reader *r)
{
	return r->n_pages;
}

const struct bw_capture_entry *bw_capture_reader_entries(const struct bw_capture_reader *r,
							 size_t *out_n)
{
	*out_n = r->entries.len;
	return r->entries.data;
}

bool bw_capture_reader_is_whole(const struct bw_capture_reader *r)
{
	return r->is_whole;
}

uint64_t bw_capture_reader_skipped_b(const struct bw_capture_reader *r)
{
	return r->skipped_b;
}

/* ---- bodies ---- */

/* The body of the block at `at`, decompressed; owned by the caller. */
static struct bw_error *read_body(struct bw_capture_reader *r, uint64_t at, uint8_t **out,
				  size_t *out_b)
{
	struct head h;
	size_t have;
	BW_TRY(read_at(r, at, &h, sizeof(h), &have));
	if (!is_block(r, at, &h, have))
		return bw_errorf(BW_E_INVALID, "%s has changed while it was read", r->name);
	/* raw_b is checked against the frame before it is believed */
	_cleanup_free_ uint8_t *stored = malloc(h.block.stored_b ? h.block.stored_b : 1);
	if (!stored)
		return bw_error_nomem();
	BW_TRY(read_at(r, at + sizeof(h.block) + h.block.summary_b, stored, h.block.stored_b,
		       &have));
	unsigned long long says = ZSTD_getFrameContentSize(stored, have);
	if (have != h.block.stored_b || (h.block.raw_b && says != h.block.raw_b))
		return bw_errorf(BW_E_INVALID, "%s is damaged at byte %llu", r->name,
				 (unsigned long long)at);
	_cleanup_free_ uint8_t *raw = malloc(h.block.raw_b ? h.block.raw_b : 1);
	if (!raw)
		return bw_error_nomem();
	size_t n =
		h.block.raw_b ? ZSTD_decompressDCtx(r->zstd, raw, h.block.raw_b, stored, have) : 0;
	if (ZSTD_isError(n) || n != h.block.raw_b)
		return bw_errorf(BW_E_INVALID, "%s is damaged at byte %llu", r->name,
				 (unsigned long long)at);
	*out = bw_take(raw);
	*out_b = n;
	return NULL;
}

struct bw_error *bw_capture_reader_submission(struct bw_capture_reader *r,
					      const struct bw_capture_entry *e,
					      struct bw_capture_submission *out)
{
	_cleanup_free_ uint8_t *body = NULL;
	size_t body_b;
	BW_TRY(read_body(r, e->at, &body, &body_b));
	BW_TRY(bw_error_wrap(bw_capture_submission_decode(body, body_b, r->version, out),
			     "%s, submission %u", r->name, e->summary.number));
	out->summary = e->summary;
	return NULL;
}

struct bw_error *bw_capture_reader_result(struct bw_capture_reader *r,
					  const struct bw_capture_entry *e,
					  struct bw_capture_runs *out)
{
	_cleanup_free_ uint8_t *body = NULL;
	size_t body_b;
	BW_TRY(read_body(r, e->result_at, &body, &body_b));
	return bw_error_wrap(bw_capture_runs_decode(body, body_b, out), "%s, submission %u",
			     r->name, e->summary.number);
}

struct bw_error *bw_capture_reader_pipeline(struct bw_capture_reader *r, uint32_t number,
					    struct bw_capture_pipeline *out)
{
	bw_vec_each(&r->pipelines, p) {
		_cleanup_free_ uint8_t *body = NULL;
		size_t body_b;
		if (p->number != number)
			continue;
		BW_TRY(read_body(r, p->at, &body, &body_b));
		return bw_error_wrap(bw_capture_pipeline_decode(body, body_b, out), "%s", r->name);
	}
	return bw_errorf(BW_E_NOT_FOUND, "%s does not hold the record of pipeline %u: damaged",
			 r->name, number);
}

/* ---- pages ---- */

static const struct pages_block *block_of(const struct bw_capture_reader *r, uint64_t page)
{
	size_t lo = 0, hi = r->pages.len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (r->pages.data[mid].first + r->pages.data[mid].count <= page)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->pages.len && r->pages.data[lo].first <= page ? &r->pages.data[lo] : NULL;
}

static struct bw_error *cache_block(struct bw_capture_reader *r, const struct pages_block *b,
				    struct cached **out)
{
	size_t block = (size_t)(b - r->pages.data);
	struct cached *oldest = &r->cache[0];
	for (size_t i = 0; i < CACHED_BLOCKS; i++) {
		struct cached *c = &r->cache[i];
		if (c->data && c->block == block) {
			c->used = ++r->clock;
			*out = c;
			return NULL;
		}
		if (oldest->data && (!c->data || c->used < oldest->used))
			oldest = c;
	}
	uint8_t *data;
	size_t size_b;
	BW_TRY(read_body(r, b->at, &data, &size_b));
	if (size_b != b->count * BW_CAPTURE_PAGE_B) {
		free(data);
		return bw_errorf(BW_E_INVALID, "%s has changed while it was read", r->name);
	}
	free(oldest->data);
	*oldest = (struct cached){data, block, ++r->clock};
	*out = oldest;
	return NULL;
}

struct bw_error *bw_capture_reader_page(struct bw_capture_reader *r, uint64_t page, void *out)
{
	if (!page) {
		memset(out, 0, BW_CAPTURE_PAGE_B);
		return NULL;
	}
	const struct pages_block *b = block_of(r, page);
	struct cached *c = NULL;
	if (!b)
		return bw_errorf(BW_E_NOT_FOUND,
				 "%s does not hold page %llu of its memory: damaged", r->name,
				 (unsigned long long)page);
	BW_TRY(cache_block(r, b, &c));
	memcpy(out, c->data + (page - b->first) * BW_CAPTURE_PAGE_B, BW_CAPTURE_PAGE_B);
	return NULL;
}
