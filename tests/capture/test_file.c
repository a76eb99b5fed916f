/* SPDX-License-Identifier: MIT */
/* Capture files: what was written is read, and of a file that was cut off at any byte, or damaged
 * at any byte, what is whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "base/memfd.h"
#include "base/util.h"
#include "capture/reader.h"
#include "capture/state.h"
#include "capture/writer.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, N = 3, BUFFER_PAGES = 4 };

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

/* A page that no other of these numbers is like; 0: zero. */
static void fill_page(uint8_t *page, unsigned n)
{
	for (unsigned i = 0; i < PAGE_B; i++)
		page[i] = n ? (uint8_t)(n * 31 + i * 7 + i / 256) : 0;
}

static uint64_t put_page(struct bw_capture_writer *w, unsigned n)
{
	uint8_t page[PAGE_B];
	uint64_t number;
	fill_page(page, n);
	ok(bw_capture_writer_page(w, page, &number));
	return number;
}

/* Submission k: page k of the buffer becomes content k + 1 before, and page 0 content 100 + k
 * behind. */
static void put_submission(struct bw_capture_writer *w, unsigned k)
{
	struct bw_capture_submission s = {.summary = {.number = k + 1,
						      .space = 1,
						      .pid = 77,
						      .ip_type = 1,
						      .n_ibs = 1,
						      .comm = "program"}};
	struct bw_capture_result r = {.number = k + 1, .has_ended = 1, .changed_pages = 1};
	struct bw_capture_runs after = {0};
	if (!k) {
		ok(bw_vec_push(&s.buffers,
			       ((struct bw_capture_buffer){
				       .id = 5, .size_b = BUFFER_PAGES * PAGE_B, .domains = 4})));
		ok(bw_vec_push(&s.maps, ((struct bw_capture_map){.va = 0x100000,
								 .size_b = BUFFER_PAGES * PAGE_B,
								 .buffer = 5,
								 .flags = 6})));
		s.has_maps = true;
	}
	ok(bw_capture_runs_add(&s.runs, (struct bw_capture_run){5, k, 1, put_page(w, k + 1)}));
	ok(bw_vec_push(&s.ibs,
		       ((struct bw_capture_ib){.va = 0x101000 + k, .size_b = 64, .ip_type = 1})));
	struct bw_capture_chunk c = {.id = 6, .size_b = 4, .data = malloc(4)};
	memcpy(c.data, "abcd", 4);
	ok(bw_vec_push(&s.chunks, c));
	ok(bw_vec_push(&s.dispatches,
		       ((struct bw_capture_dispatch){.code_va = 0x1000, .label = "l"})));
	ok(bw_capture_writer_submission(w, &s));
	ok(bw_capture_runs_add(&after, (struct bw_capture_run){5, 0, 1, put_page(w, 100 + k)}));
	ok(bw_capture_writer_result(w, &r, &after));
	bw_vec_free(&after);
	bw_capture_submission_fini(&s);
}

/* The bytes of a whole file; the caller frees them. */
static uint8_t *make_file(size_t *out_b)
{
	const struct bw_capture_device device = {.gc_version = 0x0b0000, .name = "gfx1100"};
	struct bw_capture_writer *w;
	int fd = bw_memfd("capture");
	ok(bw_capture_writer_create(fd, &device, &w));
	for (unsigned k = 0; k < N; k++)
		put_submission(w, k);
	ok(bw_capture_writer_end(w));
	*out_b = bw_capture_writer_bytes(w);
	bw_capture_writer_free(w);
	uint8_t *bytes = malloc(*out_b);
	assert_int_equal(pread(fd, bytes, *out_b, 0), *out_b);
	close(fd);
	return bytes;
}

static struct bw_error *open_bytes(const uint8_t *bytes, size_t size_b,
				   struct bw_capture_reader **out)
{
	int fd = bw_memfd("capture");
	assert_int_equal(pwrite(fd, bytes, size_b, 0), size_b);
	return bw_capture_reader_of(fd, "test.bwc", out);
}

/* Memory behind the last submission, page by page, is what was written. */
static void check_memory(struct bw_capture_reader *r, const struct bw_capture_entry *e, size_t n)
{
	struct bw_capture_space s = {.number = 1};
	uint8_t page[PAGE_B], expected[PAGE_B];
	for (size_t i = 0; i < n; i++) {
		struct bw_capture_submission sub = {0};
		struct bw_capture_runs after = {0};
		ok(bw_capture_reader_submission(r, &e[i], &sub));
		assert_int_equal(sub.ibs.len, 1);
		assert_int_equal(sub.ibs.data[0].va, 0x101000 + i);
		assert_int_equal(sub.chunks.len, 1);
		assert_memory_equal(sub.chunks.data[0].data, "abcd", 4);
		assert_string_equal(sub.dispatches.data[0].label, "l");
		ok(bw_capture_space_apply(&s, &sub));
		if (e[i].has_result)
			ok(bw_capture_reader_result(r, &e[i], &after));
		ok(bw_capture_space_apply_runs(&s, &after));
		bw_vec_free(&after);
		bw_capture_submission_fini(&sub);
	}
	const struct bw_capture_state_buffer *b = bw_capture_space_buffer(&s, 5);
	for (unsigned k = 0; n && k < BUFFER_PAGES; k++) {
		/* page 0 is what the last submission with a result has left */
		unsigned content = k < n ? k + 1 : 0;
		if (!k && (n > 1 || e[0].has_result))
			content =
				e[n - 1].has_result ? 100 + (unsigned)n - 1 : 100 + (unsigned)n - 2;
		ok(bw_capture_reader_page(r, b->page[k], page));
		fill_page(expected, content);
		assert_memory_equal(page, expected, PAGE_B);
	}
	bw_capture_space_fini(&s);
}

static void test_whole(void **state)
{
	size_t size_b, n;
	uint8_t *bytes = make_file(&size_b);
	struct bw_capture_reader *r;
	ok(open_bytes(bytes, size_b, &r));
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	assert_int_equal(n, N);
	assert_true(bw_capture_reader_is_whole(r));
	assert_int_equal(bw_capture_reader_skipped_b(r), 0);
	assert_int_equal(bw_capture_reader_pages(r), 2 * N);
	assert_string_equal(bw_capture_reader_device(r)->name, "gfx1100");
	for (unsigned k = 0; k < N; k++) {
		assert_int_equal(e[k].summary.number, k + 1);
		assert_string_equal(e[k].summary.comm, "program");
		assert_true(e[k].has_result);
	}
	check_memory(r, e, n);
	bw_capture_reader_close(r);
	free(bytes);
}

static void test_cut(void **state)
{
	size_t size_b, last_n = 0;
	uint8_t *bytes = make_file(&size_b);
	for (size_t cut = 0; cut < size_b; cut++) {
		struct bw_capture_reader *r;
		size_t n;
		struct bw_error *err = open_bytes(bytes, cut, &r);
		if (err) {
			assert_true(cut < sizeof(struct bw_capture_file_header));
			assert_non_null(strstr(err->message, "test.bwc"));
			bw_error_free(err);
			continue;
		}
		assert_true(cut >= sizeof(struct bw_capture_file_header));
		const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
		assert_false(bw_capture_reader_is_whole(r));
		assert_int_equal(bw_capture_reader_skipped_b(r), 0);
		assert_true(n == last_n || n == last_n + 1);
		last_n = n;
		for (size_t i = 0; i + 1 < n; i++)
			assert_true(e[i].has_result);
		check_memory(r, e, n);
		bw_capture_reader_close(r);
	}
	assert_int_equal(last_n, N);
	free(bytes);
}

/* One byte of it is wrong: all submissions but the one that the byte is in are there, and what is
 * read of each is what was written, or an error. */
static void test_damaged(void **state)
{
	size_t size_b;
	uint8_t *bytes = make_file(&size_b);
	for (size_t at = sizeof(struct bw_capture_file_header); at < size_b; at++) {
		struct bw_capture_reader *r;
		size_t n;
		bytes[at] ^= 0x41;
		ok(open_bytes(bytes, size_b, &r));
		const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
		assert_true(n >= N - 1);
		unsigned n_wrong = N - (unsigned)n;
		for (size_t i = 0; i < n; i++) {
			struct bw_capture_submission sub = {0};
			struct bw_error *err = bw_capture_reader_submission(r, &e[i], &sub);
			if (!err)
				assert_int_equal(sub.ibs.data[0].va,
						 0x101000 + e[i].summary.number - 1);
			n_wrong += err != NULL;
			bw_error_free(err);
			bw_capture_submission_fini(&sub);
		}
		assert_true(n_wrong <= 1);
		for (uint64_t p = 1; p <= 2 * N; p++) {
			/* pages 1, 2, 3... of the file are contents 1, 100, 2, 101... */
			uint8_t page[PAGE_B], expected[PAGE_B];
			struct bw_error *err = bw_capture_reader_page(r, p, page);
			fill_page(expected, (unsigned)(p % 2 ? p / 2 + 1 : 100 + p / 2 - 1));
			if (!err)
				assert_memory_equal(page, expected, PAGE_B);
			bw_error_free(err);
		}
		bw_capture_reader_close(r);
		bytes[at] ^= 0x41;
	}
	free(bytes);
}

static void test_other_files(void **state)
{
	size_t size_b;
	uint8_t *bytes = make_file(&size_b);
	struct bw_capture_reader *r;
	bytes[8] = 9;
	struct bw_error *err = open_bytes(bytes, size_b, &r);
	assert_non_null(err);
	assert_string_equal(
		err->message,
		"test.bwc is a capture of version 9, and this Breakwater reads versions 1 to 8: "
		"read it with the Breakwater that made it");
	bw_error_free(err);
	memcpy(bytes,
	       "\x7f"
	       "ELF",
	       4);
	err = open_bytes(bytes, size_b, &r);
	assert_non_null(err);
	assert_string_equal(err->message,
			    "test.bwc is not a capture: \"breakwater capture\" makes one (*.bwc)");
	bw_error_free(err);
	free(bytes);
}

/* Records of older versions: dispatches of 176 bytes (1), which say nothing of their shader, and of
 * 376 (2), which do not name the record of their pipeline, and of 384 (3, 4), which do not say what
 * they were given, and of 416 (5), whose labels are cut; up to 7 there are no draws after them. */
static void check_older_record(uint32_t version, size_t old_b)
{
	/* the number of chunks; from version 5 on those of four parts that were given, too; from
	 * version 6 on that of labels */
	enum { CHUNKS_B = 8, GIVEN_B = 4 * 8, LABELS_B = 8, DRAWS_B = 8 };
	const size_t last_b = CHUNKS_B + (version < 5 ? 0 : GIVEN_B) + (version < 6 ? 0 : LABELS_B);
	const struct bw_capture_dispatch given[] = {
		{.code_va = 0x1000, .pipeline = "p", .label = "l", .hash = 7, .made_of = 1},
		{.code_va = 0x2000, .groups = {1, 2, 3}, .hash = 8, .file = "f"}};
	const size_t new_b = sizeof(given[0]), n = BW_ARRAY_SIZE(given);
	struct bw_capture_submission s = {0}, back = {0};
	struct bw_capture_bytes bytes = {0};
	for (size_t i = 0; i < n; i++)
		ok(bw_vec_push(&s.dispatches, given[i]));
	ok(bw_capture_submission_encode(&s, &bytes));
	ok(bw_capture_submission_decode(bytes.data, bytes.len, BW_CAPTURE_VERSION, &back));
	assert_memory_equal(back.dispatches.data, given, sizeof(given));
	bw_capture_submission_fini(&back);
	uint8_t *first =
		bytes.data + bytes.len - CHUNKS_B - GIVEN_B - LABELS_B - DRAWS_B - n * new_b;
	for (size_t i = 0; i < n; i++)
		memmove(first + i * old_b, first + i * new_b, old_b);
	memset(first + n * old_b, 0, last_b);
	bytes.len = (size_t)(first - bytes.data) + n * old_b + last_b;
	ok(bw_capture_submission_decode(bytes.data, bytes.len, version, &back));
	assert_int_equal(back.dispatches.len, n);
	assert_string_equal(back.dispatches.data[0].label, "l");
	assert_int_equal(back.dispatches.data[1].code_va, 0x2000);
	assert_int_equal(back.dispatches.data[1].groups[2], 3);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(back.dispatches.data[i].hash, version == 1 ? 0 : given[i].hash);
		assert_string_equal(back.dispatches.data[i].file,
				    version == 1 ? "" : given[i].file);
		assert_int_equal(back.dispatches.data[i].made_of,
				 version < 3 ? 0 : given[i].made_of);
		assert_int_equal(back.dispatches.data[i].push_b, 0);
	}
	bw_capture_submission_fini(&back);
	struct bw_error *err = bw_capture_submission_decode(bytes.data, bytes.len,
							    version < 3	  ? version + 1
							    : version < 5 ? 5
							    : version < 6 ? 6
									  : 8,
							    &back);
	assert_non_null(err);
	bw_error_free(err);
	bw_vec_free(&bytes);
	bw_capture_submission_fini(&s);
}

static void test_older_records(void **state)
{
	check_older_record(1, 176);
	check_older_record(2, 376);
	check_older_record(3, 384);
	check_older_record(4, 384);
	check_older_record(5, 416);
	check_older_record(7, 424);
}

/* ---- What dispatches were given ---- */

static struct bw_capture_submission make_given(void)
{
	static const uint8_t pushes[] = {1, 2, 3, 4, 5, 6, 7, 8};
	const struct bw_capture_object object = {
		.kind = BW_CAPTURE_OBJECT_BUFFER, .id = 3, .va = 0x1000, .size_b = 64, .name = "o"};
	struct bw_capture_submission s = {.has_objects = true};
	for (size_t i = 0; i < sizeof(pushes); i++)
		ok(bw_vec_push(&s.pushes, pushes[i]));
	for (uint32_t i = 0; i < 3; i++)
		ok(bw_vec_push(&s.bound, ((struct bw_capture_bound){.binding = i, .va = i})));
	ok(bw_vec_push(
		&s.args,
		((struct bw_capture_arg){
			.kind = BW_CAPTURE_ARG_VALUE, .offset_b = 8, .name = "a", .type = "int"})));
	ok(bw_vec_push(&s.objects, object));
	ok(bw_vec_push(&s.dispatches,
		       ((struct bw_capture_dispatch){
			       .push_b = 4, .n_bound = 2, .n_args = 1, .block_va = 0x2000})));
	ok(bw_vec_push(&s.dispatches,
		       ((struct bw_capture_dispatch){
			       .push_at = 4, .push_b = 4, .bound_at = 2, .n_bound = 1})));
	return s;
}

static struct bw_error *decode_given(const struct bw_capture_submission *s,
				     struct bw_capture_submission *out)
{
	struct bw_capture_bytes bytes = {0};
	ok(bw_capture_submission_encode(s, &bytes));
	struct bw_error *err =
		bw_capture_submission_decode(bytes.data, bytes.len, BW_CAPTURE_VERSION, out);
	bw_vec_free(&bytes);
	return err;
}

static void test_given(void **state)
{
	struct bw_capture_submission s = make_given(), back = {0};
	struct bw_capture_space space = {.number = 1};
	memset(s.args.data[0].type, 'x', sizeof(s.args.data[0].type));
	memset(s.objects.data[0].name, 'y', sizeof(s.objects.data[0].name));
	ok(decode_given(&s, &back));
	assert_int_equal(back.pushes.len, 8);
	assert_int_equal(back.pushes.data[back.dispatches.data[1].push_at], 5);
	assert_int_equal(back.bound.data[back.dispatches.data[1].bound_at].binding, 2);
	assert_int_equal(back.dispatches.data[0].block_va, 0x2000);
	assert_string_equal(back.args.data[0].name, "a");
	/* texts end */
	assert_int_equal(strlen(back.args.data[0].type), sizeof(back.args.data[0].type) - 1);
	assert_int_equal(strlen(back.objects.data[0].name), sizeof(back.objects.data[0].name) - 1);
	/* objects stay as long as no record has others */
	ok(bw_capture_space_apply(&space, &back));
	back.has_objects = false;
	back.objects.len = 0;
	ok(bw_capture_space_apply(&space, &back));
	assert_int_equal(space.objects.len, 1);
	assert_int_equal(space.objects.data[0].va, 0x1000);
	back.has_objects = true;
	ok(bw_capture_space_apply(&space, &back));
	assert_int_equal(space.objects.len, 0);
	bw_capture_space_fini(&space);
	bw_capture_submission_fini(&back);
	bw_capture_submission_fini(&s);
}

static void expect_refused(const struct bw_capture_submission *s, const char *why)
{
	struct bw_capture_submission back = {0};
	struct bw_error *err = decode_given(s, &back);
	assert_non_null(err);
	assert_non_null(strstr(err->message, why));
	assert_int_equal(back.dispatches.len, 0);
	bw_error_free(err);
}

static void check_refused(struct bw_capture_submission *s, const char *why)
{
	expect_refused(s, why);
	bw_capture_submission_fini(s);
}

static void test_damaged_given(void **state)
{
	enum { WRONG = 7 };
	for (unsigned i = 0; i < WRONG; i++) {
		struct bw_capture_submission s = make_given();
		struct bw_capture_dispatch *d = s.dispatches.data;
		uint32_t *const wrong[WRONG] = {
			&d[0].push_at, &d[0].push_b, &d[0].bound_at,	     &d[1].n_bound,
			&d[0].args_at, &d[1].n_args, &s.objects.data[0].kind};
		*wrong[i] = i % 2 ? 1000 : UINT32_MAX;
		check_refused(&s,
			      i + 1 < WRONG
				      ? "a dispatch refers to data that the record does not have"
				      : "an object has an unknown kind");
	}
	/* the same part of two dispatches, by which a small record could become a large one */
	struct bw_capture_submission s = make_given();
	s.dispatches.data[1].bound_at = 0;
	s.dispatches.data[1].n_bound = 3;
	check_refused(&s, "a dispatch refers to data that the record does not have");
}

/* ---- Draws ---- */

static struct bw_capture_submission make_draws(void)
{
	struct bw_capture_submission s = {.summary = {.number = 1, .space = 1}};
	const struct bw_capture_dispatch pixel = {
		.code_va = 0x3000, .hash = 9, .made_of = 2, .pipeline = "p", .file = "f"};
	struct bw_capture_draw draw = {.n_vertices = 6, .n_instances = 2, .n_draws = 1};
	bw_capture_set_pixel_shader(&draw, &pixel);
	ok(bw_capture_add_work(&s, &(struct bw_capture_dispatch){.code_va = 0x1000}, NULL));
	ok(bw_capture_add_work(&s, &(struct bw_capture_dispatch){.code_va = 0x2000}, &draw));
	draw.n_vertices = 3;
	ok(bw_capture_add_work(&s, &(struct bw_capture_dispatch){.code_va = 0x2100}, &draw));
	return s;
}

static void test_draws(void **state)
{
	struct bw_capture_submission s = make_draws(), back = {0};
	assert_int_equal(s.summary.n_dispatches, 1);
	assert_int_equal(s.summary.n_draws, 2);
	assert_string_equal(bw_capture_work_name(&s, 2), "dispatches and draws");
	memset(s.draws.data[1].entry, 'x', sizeof(s.draws.data[1].entry));
	ok(decode_given(&s, &back));
	assert_null(bw_capture_draw_of(&back, &back.dispatches.data[0]));
	const struct bw_capture_draw *d = bw_capture_draw_of(&back, &back.dispatches.data[1]);
	const struct bw_capture_dispatch pixel = bw_capture_pixel_shader(d);
	assert_int_equal(d->n_vertices, 6);
	assert_int_equal(d->n_instances, 2);
	assert_int_equal(pixel.code_va, 0x3000);
	assert_int_equal(pixel.hash, 9);
	assert_int_equal(pixel.made_of, 2);
	assert_string_equal(pixel.pipeline, "p");
	assert_string_equal(bw_capture_shader_name(pixel.pipeline, pixel.file), "f");
	d = bw_capture_draw_of(&back, &back.dispatches.data[2]);
	assert_int_equal(d->n_vertices, 3);
	assert_int_equal(strlen(d->entry), sizeof(d->entry) - 1);
	bw_capture_submission_fini(&back);
	/* each draw is of one dispatch */
	s.dispatches.data[0].draw = 1;
	expect_refused(&s, "its draws are not in their order");
	s.dispatches.data[0].draw = 0;
	s.dispatches.data[2].draw = 7;
	expect_refused(&s, "its draws are not in their order");
	s.dispatches.data[2].draw = 0;
	expect_refused(&s, "other draws than its dispatches say");
	bw_capture_submission_fini(&s);
}

/* Long labels are whole, up to a limit, and end where the record says. */
static void test_labels(void **state)
{
	static const struct {
		size_t n, want;
	} cases[] = {{0, 0}, {63, 63}, {64, 64}, {600, 600}, {5000, BW_CAPTURE_LABEL_MAX_B - 1}};
	struct bw_capture_submission s = {0}, back = {0};
	char text[5000];
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_capture_dispatch d = {.code_va = i};
		ok(bw_capture_set_label(&s, &d, text, cases[i].n));
		ok(bw_vec_push(&s.dispatches, d));
	}
	ok(decode_given(&s, &back));
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		const char *label = bw_capture_label(&back, &back.dispatches.data[i]);
		assert_int_equal(strlen(label), cases[i].want);
		assert_int_equal(strcspn(label, "."),
				 cases[i].n > cases[i].want ? cases[i].want - 3 : cases[i].n);
	}
	bw_capture_submission_fini(&back);
	struct bw_capture_dispatch *d = s.dispatches.data;
	d[2].label_at = d[3].label_at; /* of two */
	d[2].label_b = d[3].label_b;
	expect_refused(&s, "the record does not have the label of a dispatch");
	d[2].label_at = 0;
	d[2].label_b = 64; /* without its end */
	expect_refused(&s, "the record does not have the label of a dispatch");
	d[2].label_b = UINT32_MAX;
	expect_refused(&s, "the record does not have the label of a dispatch");
	d[2].label_b = 65;
	ok(decode_given(&s, &back));
	bw_capture_submission_fini(&back);
	bw_capture_submission_fini(&s);
}

/* A record that was cut off is refused, also where only the number of chunks is missing. */
static void test_cut_record(void **state)
{
	const struct bw_capture_dispatch given = {.code_va = 0x1000, .pipeline = "p"};
	struct bw_capture_submission s = {0}, back = {0};
	struct bw_capture_bytes bytes = {0};
	ok(bw_vec_push(&s.dispatches, given));
	ok(bw_vec_push(&s.bound, ((struct bw_capture_bound){.binding = 1})));
	ok(bw_capture_submission_encode(&s, &bytes));
	for (size_t n = 0; n < bytes.len; n++) {
		struct bw_error *err =
			bw_capture_submission_decode(bytes.data, n, BW_CAPTURE_VERSION, &back);
		assert_non_null(err);
		bw_error_free(err);
	}
	ok(bw_capture_submission_decode(bytes.data, bytes.len, BW_CAPTURE_VERSION, &back));
	bw_vec_free(&bytes);
	bw_capture_submission_fini(&back);
	bw_capture_submission_fini(&s);
}

static void test_equal_pages(void **state)
{
	const struct bw_capture_device device = {0};
	struct bw_capture_writer *w;
	int fd = bw_memfd("capture");
	ok(bw_capture_writer_create(fd, &device, &w));
	assert_int_equal(put_page(w, 0), 0);
	uint64_t first = put_page(w, 1), second = put_page(w, 2);
	assert_int_equal(first, 1);
	assert_int_equal(second, 2);
	/* more than the table of the writer begins with */
	for (unsigned i = 0; i < 5000; i++) {
		uint8_t page[PAGE_B] = {0};
		uint64_t a, b;
		memcpy(page + 100, &i, sizeof(i));
		page[0] = 1;
		ok(bw_capture_writer_page(w, page, &a));
		ok(bw_capture_writer_page(w, page, &b));
		assert_int_equal(a, b);
		assert_int_equal(a, i + 3);
	}
	assert_int_equal(put_page(w, 1), first);
	bw_capture_writer_free(w);
	close(fd);
}

static void test_records_that_make_no_sense(void **state)
{
	struct bw_capture_space s = {.number = 1};
	struct bw_capture_submission sub = {0};
	struct bw_capture_runs runs = {0};
	ok(bw_vec_push(&sub.buffers, ((struct bw_capture_buffer){.id = 1, .size_b = 3 * PAGE_B})));
	ok(bw_capture_space_apply(&s, &sub));
	struct bw_error *err = bw_capture_space_apply(&s, &sub);
	assert_non_null(err); /* the same buffer again */
	bw_error_free(err);
	const struct bw_capture_run bad[] = {{2, 0, 1, 0},
					     {1, 3, 1, 0},
					     {1, 0, 4, 0},
					     {1, UINT64_MAX, 2, 0},
					     {1, 0, 3, UINT64_MAX - 1},
					     {1, 1, UINT64_MAX, 0}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++) {
		runs.len = 0;
		ok(bw_vec_push(&runs, bad[i]));
		err = bw_capture_space_apply_runs(&s, &runs);
		assert_non_null(err);
		bw_error_free(err);
	}
	sub.buffers.data[0] = (struct bw_capture_buffer){.id = 9, .size_b = 1ull << 60};
	err = bw_capture_space_apply(&s, &sub);
	assert_non_null(err);
	bw_error_free(err);
	bw_vec_free(&runs);
	bw_capture_submission_fini(&sub);
	bw_capture_space_fini(&s);
}

TESTS(test_whole, test_cut, test_damaged, test_other_files, test_older_records, test_given,
      test_damaged_given, test_draws, test_cut_record, test_labels, test_equal_pages,
      test_records_that_make_no_sense);
