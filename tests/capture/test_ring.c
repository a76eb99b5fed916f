/* SPDX-License-Identifier: MIT */
/* The ring of the last submissions: what it writes holds the memory that a model, which remembers
 * everything, has at each of the submissions that are left; what is dropped is freed; records that
 * make no sense cost their own address space alone. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "base/memfd.h"
#include "capture/reader.h"
#include "capture/ring.h"
#include "capture/seek.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, PAGES = 8, BUFFERS = 6, SPACES = 2, STEPS = 400 };

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void fill_page(uint8_t *page, uint32_t n)
{
	memset(page, 0, PAGE_B);
	if (!n)
		return;
	memcpy(page, &n, sizeof(n));
	memcpy(page + PAGE_B - sizeof(n), &n, sizeof(n));
}

static uint32_t random_state = 12345;
static uint32_t next_random(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

/* What every buffer of a space holds: the model. */
struct model {
	struct {
		uint64_t id; /* 0: there is none */
		uint32_t page[PAGES];
		bool is_unseen[PAGES]; /* changed by submissions behind which nobody has looked */
	} buffer[BUFFERS];
	uint64_t last_id;
	uint32_t object; /* the one that the program has now */
};

struct ids BW_VEC(uint64_t);

static uint64_t put_page(struct bw_capture_ring *r, uint32_t n, struct ids *ids)
{
	uint8_t page[PAGE_B];
	uint64_t id;
	fill_page(page, n);
	ok(bw_capture_ring_page(r, page, &id));
	ok(bw_vec_push(ids, id));
	return id;
}

static void release(struct bw_capture_ring *r, struct ids *ids)
{
	bw_capture_ring_release(r, ids->data, ids->len);
	bw_vec_free(ids);
}

/* Some pages of some buffers become others, some of them zero. */
static void change(struct bw_capture_ring *r, struct model *m, struct bw_capture_runs *runs,
		   struct ids *ids)
{
	for (unsigned k = 0; k < 5; k++) {
		unsigned b = next_random(BUFFERS), p = next_random(PAGES);
		uint32_t content = next_random(3) ? next_random(50) : 0;
		if (!m->buffer[b].id)
			continue;
		m->buffer[b].page[p] = content;
		ok(bw_capture_runs_add(runs, (struct bw_capture_run){m->buffer[b].id, p, 1,
								     put_page(r, content, ids)}));
	}
}

/* Buffers come and go; then some content changes. */
static void submit(struct bw_capture_ring *r, struct model *m, uint32_t space, uint32_t number)
{
	struct bw_capture_submission s = {.summary = {.number = number, .space = space}};
	struct ids ids = {0};
	unsigned b = next_random(BUFFERS);
	if (m->buffer[b].id)
		ok(bw_vec_push(&s.gone, m->buffer[b].id));
	memset(&m->buffer[b], 0, sizeof(m->buffer[b]));
	if (next_random(2)) {
		m->buffer[b].id = ++m->last_id;
		ok(bw_vec_push(&s.buffers, ((struct bw_capture_buffer){.id = m->last_id,
								       .size_b = PAGES * PAGE_B})));
	}
	s.has_objects = !m->object || number % 5 == 0;
	if (s.has_objects) {
		m->object = number;
		ok(bw_vec_push(&s.objects,
			       ((struct bw_capture_object){.kind = BW_CAPTURE_OBJECT_BUFFER,
							   .id = number})));
	}
	s.has_maps = true;
	for (unsigned i = 0; i < BUFFERS; i++)
		if (m->buffer[i].id)
			ok(bw_vec_push(&s.maps,
				       ((struct bw_capture_map){.va = i * 0x100000ull,
								.size_b = PAGES * PAGE_B,
								.buffer = m->buffer[i].id})));
	change(r, m, &s.runs, &ids);
	ok(bw_capture_ring_submission(r, &s, number));
	release(r, &ids);
}

static void end_submission(struct bw_capture_ring *r, struct model *m, uint32_t space,
			   uint32_t number)
{
	struct bw_capture_result result = {.number = number, .has_ended = 1};
	struct bw_capture_runs runs = {0};
	struct ids ids = {0};
	change(r, m, &runs, &ids);
	for (unsigned i = 0; i < BUFFERS * PAGES; i++) {
		bool *is_unseen = &m->buffer[i / PAGES].is_unseen[i % PAGES];
		if (*is_unseen)
			ok(bw_capture_runs_add(
				&runs,
				(struct bw_capture_run){
					m->buffer[i / PAGES].id, i % PAGES, 1,
					put_page(r, m->buffer[i / PAGES].page[i % PAGES], &ids)}));
		*is_unseen = false;
	}
	ok(bw_capture_ring_result(r, space, &result, &runs));
	release(r, &ids);
}

/* The same where nobody looks at memory behind it. */
static void end_unseen(struct bw_capture_ring *r, struct model *m, uint32_t space, uint32_t number)
{
	struct bw_capture_result result = {
		.number = number, .has_ended = 1, .flags = BW_CAPTURE_UNSEEN};
	struct bw_capture_runs none = {0};
	for (unsigned k = 0; k < 5; k++) {
		unsigned b = next_random(BUFFERS), p = next_random(PAGES);
		if (!m->buffer[b].id)
			continue;
		m->buffer[b].page[p] = next_random(50);
		m->buffer[b].is_unseen[p] = true;
	}
	ok(bw_capture_ring_result(r, space, &result, &none));
}

/* The capture that the ring writes. */
static struct bw_capture_reader *written(struct bw_capture_ring *r, uint32_t *out_n)
{
	const struct bw_capture_device device = {.name = "gfx1100"};
	struct bw_capture_writer *w;
	struct bw_capture_reader *reader;
	int fd = bw_memfd("capture");
	ok(bw_capture_writer_create(fd, &device, &w));
	ok(bw_capture_ring_write(r, w, out_n));
	ok(bw_capture_writer_end(w));
	bw_capture_writer_free(w);
	ok(bw_capture_reader_of(fd, "ring.bwc", &reader));
	assert_true(bw_capture_reader_is_whole(reader));
	return reader;
}

/* Memory before entry `at`, as a replay from the first submission of the file finds it. */
static void check_entry(struct bw_capture_reader *r, size_t at, const struct model *m)
{
	struct bw_capture_space space = {0};
	struct bw_capture_submission sub = {0};
	unsigned n = 0, mapped = 0;
	ok(bw_capture_seek(r, at, &space, &sub));
	for (unsigned b = 0; b < BUFFERS; b++) {
		if (!m->buffer[b].id)
			continue;
		const struct bw_capture_state_buffer *found =
			bw_capture_space_buffer(&space, m->buffer[b].id);
		assert_non_null(found);
		n++;
		bw_vec_each(&space.maps, map)
			mapped += map->buffer == m->buffer[b].id && map->va == b * 0x100000ull;
		for (unsigned p = 0; p < PAGES; p++) {
			uint8_t page[PAGE_B], expected[PAGE_B];
			ok(bw_capture_reader_page(r, found->page[p], page));
			fill_page(expected, m->buffer[b].page[p]);
			assert_memory_equal(page, expected, PAGE_B);
		}
	}
	assert_int_equal(space.buffers.len, n);
	assert_int_equal(space.maps.len, n);
	assert_int_equal(mapped, n);
	assert_int_equal(space.objects.len, 1);
	assert_int_equal(space.objects.data[0].id, m->object);
	bw_capture_space_fini(&space);
	bw_capture_submission_fini(&sub);
}

static void keeps_the_memory_of_the_last(void **state)
{
	const struct bw_capture_ring_limits limits = {.submissions = 7};
	static struct model now[SPACES], before[STEPS + 1];
	static uint32_t space_of[STEPS + 1];
	struct bw_capture_ring *r;
	uint32_t n = 0;
	ok(bw_capture_ring_new(&limits, &r));
	for (uint32_t k = 1; k <= STEPS; k++) {
		space_of[k] = 1 + next_random(SPACES);
		struct model *m = &now[space_of[k] - 1];
		submit(r, m, space_of[k], k);
		before[k] = *m;
		/* the last one has no end */
		if (k < STEPS)
			end_submission(r, m, space_of[k], k);
		assert_int_equal(bw_capture_ring_kept(r), k < 7 ? k : 7);
	}
	struct bw_capture_reader *reader = written(r, &n);
	assert_int_equal(n, 7);
	assert_int_equal(bw_capture_ring_kept(r), 0);
	bw_capture_ring_free(r);
	size_t n_entries;
	const struct bw_capture_entry *e = bw_capture_reader_entries(reader, &n_entries);
	assert_int_equal(n_entries, 7);
	for (size_t i = 0; i < n_entries; i++) {
		uint32_t number = STEPS - 6 + (uint32_t)i;
		assert_int_equal(e[i].summary.number, number);
		assert_int_equal(e[i].summary.space, space_of[number]);
		assert_int_equal(e[i].has_result, number < STEPS);
		check_entry(reader, i, &before[number]);
	}
	bw_capture_reader_close(reader);
}

/* Where memory is looked at behind one of four submissions: the last seven are there, and of each
 * space as many before them as it takes to begin with memory that is known. */
static void begins_where_memory_is_known(void **state)
{
	const struct bw_capture_ring_limits limits = {.submissions = 7};
	static struct model now[SPACES], before[STEPS + 1];
	struct bw_capture_ring *r;
	uint32_t n = 0, n_known = 0;
	bool has_begun[SPACES] = {0};
	ok(bw_capture_ring_new(&limits, &r));
	for (uint32_t k = 1; k <= STEPS; k++) {
		uint32_t space = 1 + next_random(SPACES);
		struct model *m = &now[space - 1];
		submit(r, m, space, k);
		before[k] = *m;
		if (next_random(4))
			end_unseen(r, m, space, k);
		else
			end_submission(r, m, space, k);
	}
	struct bw_capture_reader *reader = written(r, &n);
	bw_capture_ring_free(r);
	size_t n_entries;
	const struct bw_capture_entry *e = bw_capture_reader_entries(reader, &n_entries);
	assert_int_equal(n_entries, n);
	assert_in_range(n, 7, 60);
	assert_int_equal(e[n - 7].summary.number, STEPS - 6);
	for (size_t i = 0; i < n; i++) {
		uint32_t space = e[i].summary.space;
		/* what is older than the last seven is there for what comes behind it alone */
		if (i + 7 < n)
			assert_false(bw_capture_is_seen(&e[i].result));
		if (has_begun[space - 1] && !bw_capture_knows_before(reader, i))
			continue;
		has_begun[space - 1] = true;
		n_known++;
		check_entry(reader, i, &before[e[i].summary.number]);
	}
	assert_true(n_known >= SPACES);
	bw_capture_reader_close(reader);
}

static struct bw_capture_ring *ring_of(struct bw_capture_ring_limits limits)
{
	struct bw_capture_ring *r;
	ok(bw_capture_ring_new(&limits, &r));
	return r;
}

/* One buffer of `pages` pages, all of them new ones each time. */
static void submit_pages(struct bw_capture_ring *r, uint32_t number, uint32_t pages,
			 uint64_t now_ns)
{
	struct bw_capture_submission s = {.summary = {.number = number, .space = 1}};
	struct ids ids = {0};
	if (number == 1)
		ok(bw_vec_push(&s.buffers,
			       ((struct bw_capture_buffer){.id = 1, .size_b = 64ull * PAGE_B})));
	for (uint32_t p = 0; p < pages; p++)
		ok(bw_capture_runs_add(
			&s.runs,
			(struct bw_capture_run){1, p, 1, put_page(r, number * 1000 + p, &ids)}));
	ok(bw_capture_ring_submission(r, &s, now_ns));
	release(r, &ids);
}

static void submit_done(struct bw_capture_ring *r, uint32_t number, uint32_t pages, uint64_t now_ns,
			uint32_t flags)
{
	const struct bw_capture_result result = {.number = number, .has_ended = 1, .flags = flags};
	struct bw_capture_runs none = {0};
	submit_pages(r, number, pages, now_ns);
	ok(bw_capture_ring_result(r, 1, &result, &none));
}

static void is_bounded(void **state)
{
	enum { LIMIT_B = 512 << 10 };
	struct bw_capture_ring *r = ring_of((struct bw_capture_ring_limits){.size_b = LIMIT_B});
	for (uint32_t k = 1; k <= 1000; k++) {
		submit_done(r, k, 16, k, 0);
		assert_true(bw_capture_ring_bytes(r) <= LIMIT_B);
	}
	/* 64 KiB each, and the memory that the first one starts with */
	assert_in_range(bw_capture_ring_kept(r), 4, 7);
	bw_capture_ring_free(r);
	/* by age, seen from the last one */
	r = ring_of((struct bw_capture_ring_limits){.time_ns = 100});
	for (uint32_t k = 1; k <= 50; k++)
		submit_done(r, k, 1, k * 10, 0);
	assert_int_equal(bw_capture_ring_kept(r), 11);
	bw_capture_ring_free(r);
	/* what one submission needs is kept, however much it is */
	r = ring_of((struct bw_capture_ring_limits){.size_b = PAGE_B});
	submit_done(r, 1, 64, 1, 0);
	submit_pages(r, 2, 64, 2);
	assert_int_equal(bw_capture_ring_kept(r), 1);
	uint32_t n = 0;
	struct bw_capture_reader *reader = written(r, &n);
	assert_int_equal(n, 1);
	assert_int_equal(bw_capture_reader_pages(reader), 64);
	bw_capture_reader_close(reader);
	bw_capture_ring_free(r);
	/* a sender that never looks is left out, sooner or later */
	r = ring_of((struct bw_capture_ring_limits){.size_b = LIMIT_B});
	for (uint32_t k = 1; k <= 100; k++) {
		submit_done(r, k, 16, k, BW_CAPTURE_UNSEEN);
		assert_true(bw_capture_ring_bytes(r) <= 3ull * LIMIT_B);
	}
	bw_capture_ring_free(r);
}

/* The memory of a program that has ended is freed with its last record. */
static void frees_what_has_ended(void **state)
{
	struct bw_capture_ring *r = ring_of((struct bw_capture_ring_limits){.submissions = 2});
	struct bw_capture_submission other = {.summary = {.space = 2}};
	submit_done(r, 1, 64, 1, 0);
	uint64_t full_b = bw_capture_ring_bytes(r);
	bw_capture_ring_close_space(r, 1);
	for (uint32_t k = 2; k < 5; k++) {
		other.summary = (struct bw_capture_summary){.space = 2, .number = k};
		ok(bw_capture_ring_submission(r, &other, k));
		const struct bw_capture_result done = {.number = k, .has_ended = 1};
		struct bw_capture_runs none = {0};
		ok(bw_capture_ring_result(r, 2, &done, &none));
	}
	assert_true(bw_capture_ring_bytes(r) < full_b - 60ull * PAGE_B);
	bw_capture_ring_free(r);
}

/* A record that names what is not there: its space is left out, the other one is whole. */
static void survives_nonsense(void **state)
{
	static const struct bw_capture_run bad[] = {
		{9, 0, 1, 0}, {1, 64, 1, 0}, {1, 0, UINT64_MAX, 0}, {1, UINT64_MAX, 2, 0}};
	for (unsigned i = 0; i < 8; i++) {
		/* found when it is dropped, or when the ring is written */
		struct bw_capture_ring *r =
			ring_of((struct bw_capture_ring_limits){.submissions = i < 4 ? 2 : 9});
		struct bw_capture_submission s = {.summary = {.number = 2, .space = 2}};
		uint32_t n = 0;
		submit_done(r, 1, 4, 1, 0);
		ok(bw_vec_push(&s.buffers,
			       ((struct bw_capture_buffer){.id = 1, .size_b = 64ull * PAGE_B})));
		ok(bw_vec_push(&s.runs, bad[i % 4]));
		ok(bw_capture_ring_submission(r, &s, 2));
		const struct bw_capture_result done = {.number = 2, .has_ended = 1};
		struct bw_capture_runs none = {0};
		ok(bw_capture_ring_result(r, 2, &done, &none));
		submit_done(r, 3, 4, 3, 0);
		submit_pages(r, 4, 4, 4);
		struct bw_capture_reader *reader = written(r, &n);
		assert_int_equal(n, i < 4 ? 2 : 3);
		bw_capture_reader_close(reader);
		bw_capture_ring_free(r);
	}
}

TESTS(keeps_the_memory_of_the_last, begins_where_memory_is_known, is_bounded, frees_what_has_ended,
      survives_nonsense);
