/* SPDX-License-Identifier: MIT */
#include "wire/capture_area.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"

static struct bw_capture_area reader, writer;
static int fd;

static void must(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static int begin(void **state)
{
	must(bw_capture_area_make(&reader, &fd));
	must(bw_capture_area_map(fd, &writer));
	return 0;
}

static int end(void **state)
{
	bw_capture_area_unmap(&reader);
	bw_capture_area_unmap(&writer);
	close(fd);
	return 0;
}

/* The next message is this one. */
static void must_be(uint16_t type, uint64_t time_ns, const void *body, uint32_t body_b)
{
	struct bw_capture_area_entry e;
	struct bw_msg m = BW_MSG_INIT;
	bool has = false;
	bw_capture_area_begin(&reader);
	must(bw_capture_area_peek(&reader, &e, &has));
	assert_true(has);
	assert_int_equal(e.time_ns, time_ns);
	must(bw_capture_area_take(&reader, &e, &m));
	assert_int_equal(m.type, type);
	assert_int_equal(m.body_b, body_b);
	if (body_b)
		assert_memory_equal(m.body, body, body_b);
	bw_msg_fini(&m);
}

static void must_be_empty(void)
{
	struct bw_capture_area_entry e;
	bool has = true;
	bw_capture_area_begin(&reader);
	must(bw_capture_area_peek(&reader, &e, &has));
	assert_false(has);
}

static void in_order(void **state)
{
	const struct bw_msg_part parts[] = {{"one", 3}, {"", 0}, {"two34", 5}};
	must_be_empty();
	assert_true(bw_capture_area_put(&writer, 7, 100, parts, 3));
	assert_true(bw_capture_area_put(&writer, 8, 101, NULL, 0));
	must_be(7, 100, "onetwo34", 8);
	assert_true(bw_capture_area_put(&writer, 9, 102, parts, 1));
	must_be(8, 101, "", 0);
	must_be(9, 102, "one", 3);
	must_be_empty();
	assert_false(bw_capture_area_is_over(&writer));
	bw_capture_area_end(&reader);
	assert_true(bw_capture_area_is_over(&writer));
}

/* Messages that do not divide the memory, each read when the next one finds no room: what goes in
 * comes out, around the end as well, and nothing is written over. */
static void around_the_end(void **state)
{
	enum { SIZE = 3000001, N = 100 };
	uint8_t *bytes = malloc(SIZE);
	unsigned n_read = 0, n_full = 0;
	for (unsigned i = 0; i < N; i++) {
		const struct bw_msg_part parts[] = {{bytes, 1001}, {bytes + 1001, SIZE - 1001}};
		for (;;) {
			memset(bytes, (int)i, SIZE);
			bytes[SIZE - 1] = 0xee;
			if (bw_capture_area_put(&writer, (uint16_t)i, i, parts, 2))
				break;
			n_full++;
			memset(bytes, (int)n_read, SIZE);
			bytes[SIZE - 1] = 0xee;
			must_be((uint16_t)n_read, n_read, bytes, SIZE);
			n_read++;
		}
	}
	assert_int_equal(N - n_read, BW_CAPTURE_AREA_B / (SIZE + 16));
	assert_true(n_full > 0);
	for (; n_read < N; n_read++) {
		memset(bytes, (int)n_read, SIZE);
		bytes[SIZE - 1] = 0xee;
		must_be((uint16_t)n_read, n_read, bytes, SIZE);
	}
	must_be_empty();
	free(bytes);
}

static void lengths(void **state)
{
	uint8_t *bytes = calloc(1, BW_MSG_MAX_BODY_B + 1u);
	struct bw_msg_part part = {bytes, BW_MSG_MAX_BODY_B + 1u};
	assert_false(bw_capture_area_put(&writer, 1, 0, &part, 1));
	part.size_b--;
	assert_true(bw_capture_area_put(&writer, 1, 0, &part, 1));
	assert_false(bw_capture_area_put(&writer, 1, 0, &part, 1));
	must_be(1, 0, bytes, BW_MSG_MAX_BODY_B);
	assert_true(bw_capture_area_put(&writer, 1, 0, &part, 1));
	free(bytes);
}

/* What a writer wrote is there when it has died. */
static void outlives_its_writer(void **state)
{
	const struct bw_msg_part part = {"last words", 10};
	pid_t pid = fork();
	if (!pid) {
		bw_capture_area_put(&writer, 3, 5, &part, 1);
		abort();
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	must_be(3, 5, "last words", 10);
}

/* Whoever has the memory can write anything into it. */
static void hostile(void **state)
{
	struct bw_capture_area_entry e;
	uint64_t *words = (uint64_t *)(void *)writer.shared; /* how much was written: the first */
	uint32_t *entry = (uint32_t *)(void *)((uint8_t *)writer.shared + 4096);
	bool has;
	static const struct {
		uint64_t written;
		uint32_t body_b;
	} cases[] = {
		{UINT64_MAX, 0},
		{BW_CAPTURE_AREA_B + 1u, 0},
		{8, 0},			       /* half an entry */
		{16, 1},		       /* a body that was not written */
		{4096, UINT32_MAX},	       /* whose length overflows */
		{BW_CAPTURE_AREA_B, 17 << 20}, /* longer than any */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		words[0] = cases[i].written;
		entry[0] = cases[i].body_b;
		bw_capture_area_begin(&reader);
		struct bw_error *err = bw_capture_area_peek(&reader, &e, &has);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_INVALID);
		bw_error_free(err);
	}
	assert_int_not_equal(ftruncate(fd, 4096), 0);
}

TESTS_EACH(begin, end, in_order, around_the_end, lengths, outlives_its_writer, hostile);
