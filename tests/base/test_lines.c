/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "../suite.h"
#include "base/str.h"

/* "NUMBER:BYTES " of each piece. */
static void note_line(void *cookie, const char *text, size_t n, unsigned number)
{
	struct bw_str *all = cookie;
	bw_str_addf(all, "%u:%zu ", number, n);
	for (size_t i = 0; i < n; i++)
		assert_true(text[i] != '\n');
}

static void read_all(const char *data, size_t n, const char *expected)
{
	char path[] = "/tmp/bw-test-lines-XXXXXX";
	struct bw_str all = {0};
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
	assert_null(bw_read_lines(path, note_line, &all));
	assert_string_equal(bw_str_text(&all), expected);
	bw_str_free(&all);
	unlink(path);
}

static void lines_are_numbered(void **state)
{
	read_all("", 0, "");
	read_all("\n", 1, "1:0 ");
	read_all("one\n\nthree", 10, "1:3 2:0 3:5 ");
	read_all("a\0b\nc\n", 6, "1:3 2:1 "); /* any bytes */
}

/* Pieces of a long line have one number. */
static void long_lines_come_in_pieces(void **state)
{
	size_t n = BW_LINE_B + 10;
	char *data = malloc(n + 3);
	char expected[64];
	assert_non_null(data);
	memset(data, 'x', n);
	memcpy(data + n, "\ny\n", 3);
	snprintf(expected, sizeof(expected), "1:%d 1:10 2:1 ", BW_LINE_B);
	read_all(data, n + 3, expected);
	free(data);
}

static void missing_files_are_named(void **state)
{
	struct bw_error *err = bw_read_lines("/nonexistent/file", note_line, NULL);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "/nonexistent/file"));
	bw_error_free(err);
}

TESTS(lines_are_numbered, long_lines_come_in_pieces, missing_files_are_named);
