/* SPDX-License-Identifier: MIT */
/* Records of pipelines: what was written is read, from bytes, a file, a ring and a part of a
 * capture; one that was cut off or makes no sense is refused. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "base/memfd.h"
#include "capture/pipeline.h"
#include "capture/reader.h"
#include "capture/reduce.h"
#include "capture/ring.h"

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void refused(struct bw_error *err, const char *words)
{
	assert_non_null(err);
	if (!strstr(err->message, words))
		fail_msg("\"%s\" does not say \"%s\"", err->message, words);
	bw_error_free(err);
}

/* Two sets, of two bindings and of one. k makes records differ. */
static void fill(struct bw_capture_pipeline *p, uint32_t k)
{
	p->head = (struct bw_capture_pipeline_head){.flags = 1ull << 40, .subgroup = 32};
	snprintf(p->head.entry, sizeof(p->head.entry), "main%u", k);
	ok(bw_vec_push(&p->sets, ((struct bw_capture_set){.n_bindings = 2})));
	ok(bw_vec_push(&p->sets, ((struct bw_capture_set){.n_bindings = 1, .flags = 1})));
	for (uint32_t i = 0; i < 3; i++)
		ok(bw_vec_push(&p->bindings,
			       ((struct bw_capture_binding){.binding = i, .type = 7, .count = 1})));
	ok(bw_vec_push(&p->pushes, ((struct bw_capture_push){32, 4, 12, 0})));
	ok(bw_vec_push(&p->constants, ((struct bw_capture_constant){3, 4, 99})));
	for (uint32_t i = 0; i < 5; i++)
		ok(bw_vec_push(&p->spirv, 0x07230203 + i + k));
}

static void encode(uint32_t k, struct bw_capture_bytes *out)
{
	struct bw_capture_pipeline p = {0};
	fill(&p, k);
	ok(bw_capture_pipeline_encode(&p, out));
	bw_capture_pipeline_fini(&p);
}

static void check(const struct bw_capture_pipeline *p, uint32_t k)
{
	struct bw_capture_bytes a = {0}, b = {0};
	encode(k, &a);
	ok(bw_capture_pipeline_encode(p, &b));
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	bw_vec_free(&a);
	bw_vec_free(&b);
}

static void test_bytes(void **state)
{
	struct bw_capture_pipeline p = {0}, without = {0};
	struct bw_capture_bytes bytes = {0}, added = {0};
	encode(1, &bytes);
	ok(bw_capture_pipeline_decode(bytes.data, bytes.len, &p));
	assert_int_equal(p.head.flags, 1ull << 40);
	assert_string_equal(p.head.entry, "main1");
	assert_int_equal(p.sets.len, 2);
	assert_int_equal(p.bindings.data[2].binding, 2);
	assert_int_equal(p.pushes.data[0].size_b, 12);
	assert_int_equal(p.constants.data[0].value, 99);
	assert_int_equal(p.spirv.data[4], 0x07230203 + 5);
	for (size_t n = 0; n < bytes.len; n++)
		refused(bw_capture_pipeline_decode(bytes.data, n, &without), "too short");
	/* the SPIR-V may come later */
	fill(&without, 1);
	without.spirv.len = 0;
	ok(bw_capture_pipeline_encode(&without, &added));
	ok(bw_capture_pipeline_add_spirv(&added, p.spirv.data, p.spirv.len * 4));
	assert_int_equal(added.len, bytes.len);
	assert_memory_equal(added.data, bytes.data, bytes.len);
	bw_capture_pipeline_fini(&p);
	bw_capture_pipeline_fini(&without);
	bw_vec_free(&bytes);
	bw_vec_free(&added);
}

/* A kernel of ROCm has a code object in place of SPIR-V. */
static void test_code(void **state)
{
	struct bw_capture_pipeline p = {.code_base = 0x7f0000001000}, back = {0};
	struct bw_capture_bytes bytes = {0};
	strcpy(p.head.entry, "file:///a.co");
	ok(bw_capture_pipeline_encode(&p, &bytes));
	const size_t without = bytes.len;
	bytes.len = 0;
	for (uint8_t i = 0; i < 100; i++)
		ok(bw_vec_push(&p.code, i));
	ok(bw_capture_pipeline_encode(&p, &bytes));
	ok(bw_capture_pipeline_decode(bytes.data, bytes.len, &back));
	assert_true(back.code_base == p.code_base && back.code.len == 100);
	assert_memory_equal(back.code.data, p.code.data, 100);
	assert_string_equal(back.head.entry, "file:///a.co");
	bw_capture_pipeline_fini(&back);
	for (size_t n = without + 1; n < bytes.len; n++)
		refused(bw_capture_pipeline_decode(bytes.data, n, &back), "is damaged");
	memset(bytes.data + without + 8, 0, 8); /* a code object of no bytes */
	refused(bw_capture_pipeline_decode(bytes.data, without + 16, &back), "of no bytes");
	bw_vec_free(&bytes);
	bw_capture_pipeline_fini(&p);
}

static void test_nonsense(void **state)
{
	struct bw_capture_pipeline p = {0}, back = {0};
	struct bw_capture_bytes bytes = {0};
	fill(&p, 1);
	p.sets.data[1].n_bindings = 2;
	ok(bw_capture_pipeline_encode(&p, &bytes));
	refused(bw_capture_pipeline_decode(bytes.data, bytes.len, &back), "other bindings");
	p.sets.data[1].n_bindings = 1;
	p.constants.data[0].size_b = 9;
	bytes.len = 0;
	ok(bw_capture_pipeline_encode(&p, &bytes));
	refused(bw_capture_pipeline_decode(bytes.data, bytes.len, &back), "a constant");
	p.constants.data[0].size_b = 8;
	memset(p.head.entry, 'x', sizeof(p.head.entry));
	bytes.len = 0;
	ok(bw_capture_pipeline_encode(&p, &bytes));
	refused(bw_capture_pipeline_decode(bytes.data, bytes.len, &back), "has no end");
	p.head.entry[0] = 0;
	for (unsigned i = 0; i < BW_CAPTURE_PUSHES_MAX; i++)
		ok(bw_vec_push(&p.pushes, p.pushes.data[0]));
	bytes.len = 0;
	ok(bw_capture_pipeline_encode(&p, &bytes));
	refused(bw_capture_pipeline_decode(bytes.data, bytes.len, &back), "more of something");
	p.pushes.len = 1;
	bytes.len = 0;
	ok(bw_capture_pipeline_encode(&p, &bytes));
	ok(bw_vec_push(&bytes, 0));
	refused(bw_capture_pipeline_decode(bytes.data, bytes.len, &back), "too long");
	bw_vec_free(&bytes);
	bw_capture_pipeline_fini(&p);
}

/* ---- In files ---- */

static struct bw_capture_writer *open_writer(int *out_fd)
{
	const struct bw_capture_device device = {.name = "test"};
	struct bw_capture_writer *w;
	*out_fd = bw_memfd("capture");
	ok(bw_capture_writer_create(*out_fd, &device, &w));
	return w;
}

/* A submission with a dispatch of each of these pipelines. */
static void fill_submission(struct bw_capture_submission *s, uint32_t number, uint32_t a,
			    uint32_t b)
{
	s->summary.number = number;
	s->summary.space = 1;
	s->has_maps = true;
	ok(bw_vec_push(&s->dispatches, ((struct bw_capture_dispatch){.made_of = a})));
	ok(bw_vec_push(&s->dispatches, ((struct bw_capture_dispatch){.made_of = b})));
}

static void check_file(int fd, uint32_t n, uint32_t first_k, uint32_t second_k)
{
	struct bw_capture_reader *r;
	struct bw_capture_submission s = {0};
	struct bw_capture_pipeline p = {0};
	size_t n_entries;
	ok(bw_capture_reader_of(fd, "test.bwc", &r));
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n_entries);
	assert_int_equal(n_entries, n);
	ok(bw_capture_reader_submission(r, &e[n - 1], &s));
	assert_int_equal(s.dispatches.len, 2);
	ok(bw_capture_reader_pipeline(r, s.dispatches.data[0].made_of, &p));
	check(&p, first_k);
	bw_capture_pipeline_fini(&p);
	ok(bw_capture_reader_pipeline(r, s.dispatches.data[1].made_of, &p));
	check(&p, second_k);
	bw_capture_pipeline_fini(&p);
	refused(bw_capture_reader_pipeline(r, 77, &p), "does not hold the record of pipeline 77");
	bw_capture_submission_fini(&s);
	bw_capture_reader_close(r);
}

/* Numbers of the two; the first record is written once, whoever asks. */
static void put_two(struct bw_capture_writer *w, uint32_t out[2])
{
	uint32_t again;
	for (uint32_t k = 0; k < 2; k++) {
		struct bw_capture_bytes bytes = {0};
		encode(k, &bytes);
		ok(bw_capture_writer_pipeline(w, bytes.data, bytes.len, &out[k]));
		uint64_t written_b = bw_capture_writer_bytes(w);
		ok(bw_capture_writer_pipeline(w, bytes.data, bytes.len, &again));
		assert_int_equal(again, out[k]);
		assert_int_equal(bw_capture_writer_bytes(w), written_b);
		bw_vec_free(&bytes);
	}
}

static void test_file(void **state)
{
	struct bw_capture_submission s = {0};
	uint32_t number[2];
	int fd;
	struct bw_capture_writer *w = open_writer(&fd);
	put_two(w, number);
	fill_submission(&s, 1, number[1], number[0]);
	ok(bw_capture_writer_submission(w, &s));
	ok(bw_capture_writer_end(w));
	bw_capture_writer_free(w);
	bw_capture_submission_fini(&s);
	check_file(fd, 1, 1, 0);
}

/* The ring has dropped the submission that came first with them. */
static void test_ring(void **state)
{
	const struct bw_capture_ring_limits limits = {.submissions = 1};
	struct bw_capture_ring *r;
	uint32_t id[2], again, n;
	int fd;
	ok(bw_capture_ring_new(&limits, &r));
	for (uint32_t k = 0; k < 2; k++) {
		struct bw_capture_bytes bytes = {0};
		encode(k, &bytes);
		ok(bw_capture_ring_pipeline(r, bytes.data, bytes.len, &id[k]));
		ok(bw_capture_ring_pipeline(r, bytes.data, bytes.len, &again));
		assert_int_equal(again, id[k]);
		bw_vec_free(&bytes);
	}
	for (uint32_t i = 1; i <= 3; i++) {
		struct bw_capture_submission s = {0};
		fill_submission(&s, i, id[1], id[i == 3]);
		ok(bw_capture_ring_submission(r, &s, i));
		const struct bw_capture_result done = {.number = i, .has_ended = 1};
		struct bw_capture_runs none = {0};
		ok(bw_capture_ring_result(r, 1, &done, &none));
	}
	struct bw_capture_writer *w = open_writer(&fd);
	ok(bw_capture_ring_write(r, w, &n));
	ok(bw_capture_writer_end(w));
	bw_capture_writer_free(w);
	bw_capture_ring_free(r);
	check_file(fd, 1, 1, 1);
}

/* A part of a capture has the records of its own dispatches. */
static void test_reduce(void **state)
{
	const bool kept[2] = {false, true};
	const struct bw_capture_reduction how = {.kept = kept, .last = 1};
	struct bw_capture_reduced said;
	struct bw_capture_reader *r;
	uint32_t number[2];
	int fd, small;
	struct bw_capture_writer *w = open_writer(&fd);
	put_two(w, number);
	for (uint32_t i = 1; i <= 2; i++) {
		struct bw_capture_submission s = {0};
		fill_submission(&s, i, number[i == 2], number[1]);
		ok(bw_capture_writer_submission(w, &s));
		bw_capture_submission_fini(&s);
	}
	ok(bw_capture_writer_end(w));
	bw_capture_writer_free(w);
	ok(bw_capture_reader_of(fd, "test.bwc", &r));
	w = open_writer(&small);
	ok(bw_capture_reduce(r, &how, w, &said));
	bw_capture_writer_free(w);
	bw_capture_reader_close(r);
	check_file(small, 1, 1, 1);
}

TESTS(test_bytes, test_code, test_nonsense, test_file, test_ring, test_reduce);
