/* SPDX-License-Identifier: MIT */
/* How long a capture of 1 GiB takes to open, and to seek in. bench_capture FILE: makes it there,
 * and prints a JSON object. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/seek.h"
#include "capture/writer.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, SUBMISSIONS = 4096, PAGES = 64, BUFFER_PAGES = 1 << 16 };

static void ok(struct bw_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_capture: %s\n", err->message);
	exit(1);
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Random, so that zstd cannot make it smaller (xorshift). */
static void fill(uint64_t *page)
{
	static uint64_t x = 88172645463325252ull;
	for (size_t i = 0; i < PAGE_B / sizeof(*page); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		page[i] = x;
	}
}

static void write_one(struct bw_capture_writer *w, uint32_t number)
{
	struct bw_capture_submission s = {
		.summary = {.number = number, .space = 1, .n_ibs = 1, .comm = "bench"}};
	const struct bw_capture_result r = {.number = number, .has_ended = 1};
	struct bw_capture_runs none = {0};
	if (number == 1)
		ok(bw_vec_push(&s.buffers,
			       ((struct bw_capture_buffer){
				       .id = 1, .size_b = (uint64_t)BUFFER_PAGES * PAGE_B})));
	for (uint32_t i = 0; i < PAGES; i++) {
		uint64_t page[PAGE_B / 8];
		struct bw_capture_run run = {1, (number * PAGES + i) % BUFFER_PAGES, 1, 0};
		fill(page);
		ok(bw_capture_writer_page(w, page, &run.page));
		ok(bw_capture_runs_add(&s.runs, run));
	}
	ok(bw_capture_writer_submission(w, &s));
	ok(bw_capture_writer_result(w, &r, &none));
	bw_capture_submission_fini(&s);
}

static uint64_t write_file(const char *path)
{
	const struct bw_capture_device device = {.name = "gfx1100"};
	struct bw_capture_writer *w;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		perror(path);
		exit(1);
	}
	ok(bw_capture_writer_create(fd, &device, &w));
	for (uint32_t k = 1; k <= SUBMISSIONS; k++)
		write_one(w, k);
	ok(bw_capture_writer_end(w));
	uint64_t size_b = bw_capture_writer_bytes(w);
	bw_capture_writer_free(w);
	close(fd);
	return size_b;
}

int main(int argc, char **argv)
{
	struct bw_capture_space space = {0};
	struct bw_capture_submission sub = {0};
	struct bw_capture_reader *r;
	uint8_t page[PAGE_B];
	if (argc != 2)
		return 2;
	double start = now_s();
	uint64_t size_b = write_file(argv[1]);
	double written = now_s();
	ok(bw_capture_reader_open(argv[1], &r));
	double opened = now_s();
	ok(bw_capture_seek(r, SUBMISSIONS - 1, &space, &sub));
	ok(bw_capture_reader_page(r, bw_capture_space_buffer(&space, 1)->page[0], page));
	double sought = now_s();
	printf("{\"bytes\": %llu, \"write_s\": %.3f, \"open_s\": %.4f, \"seek_s\": %.4f}\n",
	       (unsigned long long)size_b, written - start, opened - written, sought - opened);
	bw_capture_space_fini(&space);
	bw_capture_submission_fini(&sub);
	bw_capture_reader_close(r);
}
