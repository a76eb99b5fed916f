/* SPDX-License-Identifier: MIT */
/* Captures that are a part of another one: memory before the submissions that are kept is what the
 * whole capture has there, but for the pages, words and buffers that were taken out. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "base/memfd.h"
#include "base/util.h"
#include "capture/reduce.h"
#include "capture/seek.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, N = 4, PAGES = 4, FIRST = 5, LATER = 9 };

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

/* A page of one number. */
static uint64_t put_page(struct bw_capture_writer *w, uint32_t n)
{
	uint32_t page[PAGE_B / 4];
	uint64_t number;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(page); i++)
		page[i] = n;
	ok(bw_capture_writer_page(w, page, &number));
	return number;
}

static void add_run(struct bw_capture_writer *w, struct bw_capture_runs *runs, uint64_t buffer,
		    uint64_t index, uint32_t n)
{
	ok(bw_capture_runs_add(runs, (struct bw_capture_run){buffer, index, 1, put_page(w, n)}));
}

static void add_buffer(struct bw_capture_submission *s, uint64_t id)
{
	ok(bw_vec_push(&s->buffers, ((struct bw_capture_buffer){
					    .id = id, .size_b = PAGES * PAGE_B, .domains = 2})));
}

/* Submission k, from 1: page 0 of the first buffer is 10 + k before it, page 1 is 20 + k behind it;
 * page 2 is 30 from the first on; the second buffer comes with submission 3. */
static void put_submission(struct bw_capture_writer *w, uint32_t k)
{
	struct bw_capture_submission s = {.summary = {.number = k, .space = 1, .comm = "program"}};
	struct bw_capture_result r = {.number = k, .has_ended = 1};
	struct bw_capture_runs after = {0};
	if (k == 1) {
		add_buffer(&s, FIRST);
		add_run(w, &s.runs, FIRST, 2, 30);
	}
	if (k == 3)
		add_buffer(&s, LATER);
	if (k >= 3)
		add_run(w, &s.runs, LATER, 0, 40 + k);
	if (k == 1 || k == 3) {
		s.has_maps = true;
		for (uint64_t id = FIRST; id <= (k == 3 ? LATER : FIRST); id += LATER - FIRST)
			ok(bw_vec_push(&s.maps, ((struct bw_capture_map){.va = id << 20,
									 .size_b = PAGES * PAGE_B,
									 .buffer = id})));
	}
	add_run(w, &s.runs, FIRST, 0, 10 + k);
	for (uint64_t i = 0; i < 2; i++) {
		struct bw_capture_dispatch d = {
			.packet_va = 100 * k + i, .push_at = (uint32_t)i, .push_b = 1};
		char label[100] = {0};
		memset(label, (int)('a' + k + i), sizeof(label) - 1);
		ok(bw_capture_set_label(&s, &d, label, strlen(label)));
		struct bw_capture_draw draw = {.n_vertices = 10 * k + (uint32_t)i};
		ok(bw_capture_add_work(&s, &d, i == 1 ? &draw : NULL));
		ok(bw_vec_push(&s.pushes, (uint8_t)(10 * k + i)));
	}
	s.has_objects = k == 1;
	if (s.has_objects)
		ok(bw_vec_push(&s.objects, ((struct bw_capture_object){
						   .kind = BW_CAPTURE_OBJECT_BUFFER, .id = 9})));
	add_run(w, &after, FIRST, 1, 20 + k);
	ok(bw_capture_writer_submission(w, &s));
	ok(bw_capture_writer_result(w, &r, &after));
	bw_capture_submission_fini(&s);
	bw_vec_free(&after);
}

static struct bw_capture_reader *whole(void)
{
	const struct bw_capture_device device = {.gc_version = 0x0b0000, .name = "test"};
	struct bw_capture_writer *w;
	struct bw_capture_reader *r;
	int fd = bw_memfd("capture");
	ok(bw_capture_writer_create(fd, &device, &w));
	for (uint32_t k = 1; k <= N; k++)
		put_submission(w, k);
	ok(bw_capture_writer_end(w));
	bw_capture_writer_free(w);
	ok(bw_capture_reader_of(fd, "capture", &r));
	return r;
}

static struct bw_capture_reader *reduced(struct bw_capture_reader *r,
					 const struct bw_capture_reduction *how,
					 struct bw_capture_reduced *out)
{
	struct bw_capture_writer *w;
	struct bw_capture_reader *made;
	int fd = bw_memfd("reduced");
	ok(bw_capture_writer_create(fd, bw_capture_reader_device(r), &w));
	ok(bw_capture_reduce(r, how, w, out));
	bw_capture_writer_free(w);
	ok(bw_capture_reader_of(fd, "reduced", &made));
	assert_true(bw_capture_reader_is_whole(made));
	assert_int_equal(bw_capture_reader_device(made)->gc_version, 0x0b0000);
	return made;
}

/* The dword at a place of the memory before submission `index`. */
static uint32_t word(struct bw_capture_reader *r, size_t index, uint64_t buffer, uint64_t offset_b)
{
	struct bw_capture_space s = {0};
	struct bw_capture_submission sub = {0};
	uint32_t value = 0;
	ok(bw_capture_seek(r, index, &s, &sub));
	ok(bw_capture_read(r, &s, (buffer << 20) + offset_b, &value, sizeof(value)));
	bw_capture_space_fini(&s);
	bw_capture_submission_fini(&sub);
	return value;
}

/* The third one alone: what those before it have left is its memory. */
static void test_one(void **state)
{
	const bool kept[N] = {false, false, true, false};
	const struct bw_capture_reduction how = {.kept = kept, .last = 2};
	struct bw_capture_reduced out;
	struct bw_capture_reader *r = whole(), *made = reduced(r, &how, &out);
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(made, &n);
	(void)state;
	assert_int_equal(n, 1);
	assert_int_equal(e[0].summary.number, 3);
	assert_true(e[0].has_result);
	assert_int_equal(e[0].result.changed_pages, 1);
	assert_int_equal(out.n_dispatches, 2);
	/* what it was given, and the objects that an earlier one has brought */
	struct bw_capture_submission sub = {0};
	ok(bw_capture_reader_submission(made, &e[0], &sub));
	assert_int_equal(sub.pushes.data[sub.dispatches.data[1].push_at], 31);
	assert_int_equal(bw_capture_label(&sub, &sub.dispatches.data[1])[98], 'a' + 3 + 1);
	assert_true(sub.has_objects);
	assert_int_equal(sub.objects.len, 1);
	assert_int_equal(sub.objects.data[0].id, 9);
	bw_capture_submission_fini(&sub);
	assert_int_equal(word(made, 0, FIRST, 0), 13);
	assert_int_equal(word(made, 0, FIRST, PAGE_B), 22);
	assert_int_equal(word(made, 0, FIRST, 2 * PAGE_B), 30);
	assert_int_equal(word(made, 0, FIRST, 3 * PAGE_B), 0);
	assert_int_equal(word(made, 0, LATER, 0), 43);
	bw_capture_reader_close(made);
	bw_capture_reader_close(r);
}

/* The second and the fourth: what the third has done is before the fourth. */
static void test_gap(void **state)
{
	const bool kept[N] = {false, true, false, true};
	const struct bw_capture_reduction how = {.kept = kept, .last = 3};
	struct bw_capture_reduced out;
	struct bw_capture_reader *r = whole(), *made = reduced(r, &how, &out);
	(void)state;
	assert_int_equal(out.n_submissions, 2);
	assert_int_equal(word(made, 0, FIRST, 0), 12);
	assert_int_equal(word(made, 0, FIRST, PAGE_B), 21);
	assert_int_equal(word(made, 1, FIRST, 0), 14);
	assert_int_equal(word(made, 1, FIRST, PAGE_B), 23);
	assert_int_equal(word(made, 1, FIRST, 2 * PAGE_B), 30);
	assert_int_equal(word(made, 1, LATER, 0), 44);
	bw_capture_reader_close(made);
	bw_capture_reader_close(r);
}

static void test_less(void **state)
{
	const bool kept[N] = {false, false, false, true}, no_dispatch[2] = {true, false};
	struct bw_capture_reduction how = {
		.kept = kept, .last = 3, .no_dispatch = no_dispatch, .no_runs = true};
	struct bw_capture_reduced out;
	struct bw_capture_space s = {0};
	struct bw_capture_submission sub = {0};
	size_t n;
	(void)state;
	ok(bw_vec_push(&how.gone, LATER));
	ok(bw_vec_push(&how.zeroed, ((struct bw_capture_place){FIRST, 0})));
	ok(bw_vec_push(&how.zeroed, ((struct bw_capture_place){FIRST, 2})));
	ok(bw_vec_push(&how.words, ((struct bw_capture_word){FIRST, PAGE_B + 8, 77})));
	ok(bw_vec_push(&how.words, ((struct bw_capture_word){FIRST, 2 * PAGE_B + 4, 78})));
	struct bw_capture_reader *r = whole(), *made = reduced(r, &how, &out);
	const struct bw_capture_entry *e = bw_capture_reader_entries(made, &n);
	/* a result that was good says nothing any more */
	assert_false(e[0].has_result);
	ok(bw_capture_seek(made, 0, &s, &sub));
	assert_int_equal(s.buffers.len, 1);
	assert_int_equal(s.maps.len, 1);
	assert_int_equal(sub.dispatches.len, 1);
	assert_int_equal(sub.summary.n_dispatches, 0);
	assert_int_equal(sub.summary.n_draws, 1);
	/* the draw goes along with its dispatch */
	assert_int_equal(bw_capture_draw_of(&sub, &sub.dispatches.data[0])->n_vertices, 41);
	assert_int_equal(sub.dispatches.data[0].packet_va, 401);
	assert_int_equal(word(made, 0, FIRST, 0), 0);
	assert_int_equal(word(made, 0, FIRST, PAGE_B + 4), 23);
	assert_int_equal(word(made, 0, FIRST, PAGE_B + 8), 77);
	assert_int_equal(word(made, 0, FIRST, 2 * PAGE_B), 0);
	assert_int_equal(word(made, 0, FIRST, 2 * PAGE_B + 4), 78);
	bw_capture_space_fini(&s);
	bw_capture_submission_fini(&sub);
	bw_capture_reader_close(made);
	bw_capture_reader_close(r);
	bw_vec_free(&how.gone);
	bw_vec_free(&how.zeroed);
	bw_vec_free(&how.words);
}

TESTS(test_one, test_gap, test_less);
