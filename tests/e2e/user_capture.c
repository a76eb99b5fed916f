/* SPDX-License-Identifier: MIT */
/* Writes a capture of one submission, as of a program that shares a page of its own memory with the
 * GPU: the submission writes VALUE to it, and a thread of the program has written other bytes of
 * the page meanwhile.
 *
 *   user_capture FILE user|plain VALUE
 *
 * "plain": the page is in a buffer that is not the program's memory. VALUE: what the capture says
 * that the submission has left; 4660 is what it leaves. */
#include <amdgpu_drm.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/writer.h"
#include "pm4/build.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, WRITTEN = 4660, GPU_AT = 8, PROGRAM_AT = 600 }; /* in dwords */
enum { CODE = 1, DATA = 2 };
#define CODE_VA 0x100000000ull
#define DATA_VA 0x100010000ull

static void ok(struct bw_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "user_capture: %s\n", err->message);
	exit(1);
}

static uint32_t fill_code(uint32_t *page)
{
	const uint32_t value = WRITTEN;
	struct bw_pm4_stream s = {0};
	bw_pm4_put_write_mem(&s, DATA_VA + GPU_AT * 4, &value, 1);
	if (s.failed)
		exit(1);
	uint32_t size_b = (uint32_t)s.len * 4;
	memcpy(page, s.data, size_b);
	bw_pm4_stream_free(&s);
	return size_b;
}

static void write_one(struct bw_capture_writer *w, uint32_t data_flags, uint32_t value)
{
	const uint32_t flags =
		AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE;
	uint32_t page[PAGE_B / 4] = {0}, code_b = fill_code(page);
	struct bw_capture_submission s = {.summary = {.number = 1,
						      .space = 1,
						      .n_ibs = 1,
						      .ib_b = code_b,
						      .ip_type = AMDGPU_HW_IP_COMPUTE,
						      .comm = "user"}};
	const struct bw_capture_result r = {.number = 1, .has_ended = 1, .changed_pages = 1};
	struct bw_capture_runs after = {0};
	struct bw_capture_run code = {CODE, 0, 1, 0}, data = {DATA, 0, 1, 0};
	ok(bw_capture_writer_page(w, page, &code.page));
	ok(bw_vec_push(&s.buffers,
		       ((struct bw_capture_buffer){CODE, PAGE_B, AMDGPU_GEM_DOMAIN_GTT, 0})));
	ok(bw_vec_push(&s.buffers, ((struct bw_capture_buffer){DATA, PAGE_B, AMDGPU_GEM_DOMAIN_GTT,
							       data_flags})));
	ok(bw_vec_push(&s.maps, ((struct bw_capture_map){CODE_VA, PAGE_B, 0, CODE, flags, 0})));
	ok(bw_vec_push(&s.maps, ((struct bw_capture_map){DATA_VA, PAGE_B, 0, DATA, flags, 0})));
	s.has_maps = true;
	ok(bw_capture_runs_add(&s.runs, code));
	ok(bw_vec_push(&s.ibs,
		       ((struct bw_capture_ib){
			       .va = CODE_VA, .size_b = code_b, .ip_type = AMDGPU_HW_IP_COMPUTE})));
	memset(page, 0, sizeof(page));
	page[GPU_AT] = value;
	page[PROGRAM_AT] = 0x01020304;
	ok(bw_capture_writer_page(w, page, &data.page));
	ok(bw_capture_runs_add(&after, data));
	ok(bw_capture_writer_submission(w, &s));
	ok(bw_capture_writer_result(w, &r, &after));
	bw_capture_submission_fini(&s);
	bw_vec_free(&after);
}

int main(int argc, char **argv)
{
	const struct bw_capture_device device = {.gc_version = 0x0b0000, .name = "gfx1100"};
	struct bw_capture_writer *w;
	if (argc != 4)
		return 2;
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	ok(bw_capture_writer_create(fd, &device, &w));
	write_one(w, strcmp(argv[2], "user") ? 0 : BW_CAPTURE_USERPTR,
		  (uint32_t)strtoul(argv[3], NULL, 10));
	ok(bw_capture_writer_end(w));
	bw_capture_writer_free(w);
	close(fd);
	return 0;
}
