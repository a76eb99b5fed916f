/* SPDX-License-Identifier: MIT */
/* A file of anyone's as a capture: opened, every submission read and applied, pages of it read. The
 * checksums of headers are put right before, as people could who made such a file. With a first
 * byte of 1 the rest is the record of a submission without its file; with 2, records on their way
 * through the ring of the last ones, each with its length before it; with 3, the record of a
 * pipeline. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memfd.h"
#include "capture/reader.h"
#include "capture/ring.h"
#include "capture/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void read_space(struct bw_capture_reader *r, const struct bw_capture_space *s)
{
	uint8_t page[BW_CAPTURE_PAGE_B];
	bw_vec_each(&s->buffers, b) {
		bw_error_free(bw_capture_reader_page(r, b->page[0], page));
		bw_error_free(bw_capture_reader_page(r, b->page[b->n_pages - 1], page));
	}
}

static void read_pipeline(struct bw_capture_reader *r, uint32_t number)
{
	struct bw_capture_pipeline p = {0};
	bw_error_free(bw_capture_reader_pipeline(r, number, &p));
	bw_capture_pipeline_fini(&p);
}

static void repair(uint8_t *bytes, size_t n)
{
	const size_t at_check = offsetof(struct bw_capture_block, summary_b);
	for (size_t at = 0; at + sizeof(struct bw_capture_block) <= n; at++) {
		struct bw_capture_block b;
		memcpy(&b, bytes + at, sizeof(b));
		size_t size_b = sizeof(b) - at_check + b.summary_b;
		if (b.magic != BW_CAPTURE_BLOCK_MAGIC || b.summary_b > BW_CAPTURE_SUMMARY_MAX_B ||
		    size_b > n - at - at_check)
			continue;
		b.check = bw_capture_check(bytes + at + at_check, size_b);
		memcpy(bytes + at, &b, sizeof(b));
	}
}

static void read_file(const uint8_t *given, size_t n)
{
	struct bw_capture_space s = {.number = 1};
	struct bw_capture_reader *r;
	size_t n_entries;
	int fd = bw_memfd("fuzz");
	uint8_t *bytes = malloc(n + 1);
	if (fd < 0 || !bytes)
		return;
	memcpy(bytes, given, n);
	repair(bytes, n);
	ssize_t put = pwrite(fd, bytes, n, 0);
	free(bytes);
	if (put != (ssize_t)n)
		return;
	struct bw_error *err = bw_capture_reader_of(fd, "fuzz.bwc", &r);
	if (err) {
		assert(*err->message);
		bw_error_free(err);
		return;
	}
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n_entries);
	for (size_t i = 0; i < n_entries && i < 8; i++) {
		struct bw_capture_submission sub = {0};
		struct bw_capture_runs runs = {0};
		err = bw_capture_reader_submission(r, &e[i], &sub);
		if (!err)
			err = bw_capture_space_apply(&s, &sub);
		if (!err && e[i].has_result)
			err = bw_capture_reader_result(r, &e[i], &runs);
		if (!err)
			err = bw_capture_space_apply_runs(&s, &runs);
		bw_vec_each(&sub.dispatches, d)
			if (d->draw)
				read_pipeline(r, bw_capture_draw_of(&sub, d)->made_of);
		if (sub.dispatches.len)
			read_pipeline(r, sub.dispatches.data[0].made_of);
		bw_capture_submission_fini(&sub);
		bw_vec_free(&runs);
		bw_error_free(err);
		read_space(r, &s);
	}
	bw_capture_space_fini(&s);
	bw_capture_reader_close(r);
}

static void read_record(const uint8_t *bytes, size_t n, uint32_t version)
{
	struct bw_capture_space s = {.number = 1};
	struct bw_capture_submission sub = {0};
	struct bw_capture_bytes again = {0};
	struct bw_error *err = bw_capture_submission_decode(bytes, n, version, &sub);
	if (!err && version == BW_CAPTURE_VERSION) {
		/* what was read is written as it was, but for the ends of names */
		err = bw_capture_submission_encode(&sub, &again);
		assert(err || again.len == n);
	}
	bw_error_free(err);
	bw_error_free(bw_capture_space_apply(&s, &sub));
	bw_vec_free(&again);
	bw_capture_submission_fini(&sub);
	bw_capture_space_fini(&s);
}

static void read_pipeline_record(const uint8_t *bytes, size_t n)
{
	struct bw_capture_pipeline p = {0};
	struct bw_capture_bytes again = {0};
	struct bw_error *err = bw_capture_pipeline_decode(bytes, n, &p);
	if (!err) {
		err = bw_capture_pipeline_encode(&p, &again);
		assert(err || (again.len == n && !memcmp(again.data, bytes, n)));
	}
	bw_error_free(err);
	bw_vec_free(&again);
	bw_capture_pipeline_fini(&p);
}

/* As the collector has it: runs name pages that the ring holds. */
static void name_page(struct bw_capture_runs *runs, uint64_t id)
{
	bw_vec_each(runs, r) {
		r->page = r->page && r->count < 16 ? id : 0;
		r->count = r->page ? 1 : r->count;
	}
}

static void write_ring(struct bw_capture_ring *ring, bool closed)
{
	const struct bw_capture_device device = {.name = "fuzz"};
	struct bw_capture_writer *w;
	uint32_t n = 0, kept = bw_capture_ring_kept(ring);
	int fd = bw_memfd("fuzz");
	if (fd < 0)
		return;
	if (closed)
		bw_capture_ring_close_space(ring, 1);
	struct bw_error *err = bw_capture_writer_create(fd, &device, &w);
	if (!err) {
		bw_error_free(bw_capture_ring_write(ring, w, &n));
		bw_capture_writer_free(w);
		assert(n <= kept && !bw_capture_ring_kept(ring));
	}
	bw_error_free(err);
	close(fd);
}

static void fill_ring(const uint8_t *bytes, size_t n)
{
	const struct bw_capture_ring_limits limits = {.submissions = n ? bytes[0] % 4 : 0};
	static const uint8_t page[BW_CAPTURE_PAGE_B] = {1};
	struct bw_capture_ring *ring;
	uint64_t id = 0;
	uint32_t number = 0;
	uint16_t size_b;
	bw_error_free(bw_capture_ring_new(&limits, &ring));
	bw_error_free(bw_capture_ring_page(ring, page, &id));
	for (size_t at = 1; at + 3 <= n; at += size_b) {
		struct bw_capture_submission sub = {0};
		uint8_t space = bytes[at] % 2;
		bool is_result = bytes[at] & 2;
		const uint32_t flags = bytes[at] & 8 ? BW_CAPTURE_UNSEEN : 0;
		memcpy(&size_b, bytes + at + 1, sizeof(size_b));
		at += 3;
		if (size_b > n - at)
			break;
		struct bw_error *err =
			bw_capture_submission_decode(bytes + at, size_b, BW_CAPTURE_VERSION, &sub);
		name_page(&sub.runs, id);
		sub.summary.space = space;
		sub.summary.number = is_result ? number : ++number;
		if (!err && is_result) {
			const struct bw_capture_result r = {
				.number = number, .has_ended = 1, .flags = flags};
			err = bw_capture_ring_result(ring, space, &r, &sub.runs);
		} else if (!err) {
			err = bw_capture_ring_submission(ring, &sub, number);
		}
		bw_capture_submission_fini(&sub);
		bw_error_free(err);
	}
	write_ring(ring, n && bytes[0] & 4);
	bw_capture_ring_release(ring, &id, 1);
	bw_capture_ring_free(ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n && bytes[0] == 2)
		fill_ring(bytes + 1, n - 1);
	else if (n && bytes[0] == 3)
		read_pipeline_record(bytes + 1, n - 1);
	else if (n && bytes[0] == 1)
		for (uint32_t v = BW_CAPTURE_VERSION_OLDEST; v <= BW_CAPTURE_VERSION; v++)
			read_record(bytes + 1, n - 1, v);
	else
		read_file(bytes, n);
	return 0;
}
