/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "dap/framing.h"

/* Two messages, whatever the pieces are in which they come. */
static void test_pieces(void **state)
{
	static const char stream[] =
		"Content-Length: 2\r\n\r\n{}"
		"content-length:\t4\r\nContent-Type: x; charset=utf-8\r\n\r\n[12]"
		"Content-Length: 0\r\n\r\n";
	static const char *const expected[] = {"{}", "[12]", ""};
	for (size_t piece = 1; piece < sizeof(stream); piece++) {
		struct bw_dap_frames f = {0};
		size_t seen = 0;
		for (size_t at = 0; at < sizeof(stream) - 1; at += piece) {
			size_t n =
				sizeof(stream) - 1 - at < piece ? sizeof(stream) - 1 - at : piece;
			assert_null(bw_dap_frames_push(&f, stream + at, n));
			for (;;) {
				const char *text;
				size_t size_b;
				assert_null(bw_dap_frames_take(&f, &text, &size_b));
				if (!text)
					break;
				assert_in_range(seen, 0, 2);
				assert_int_equal(size_b, strlen(expected[seen]));
				assert_memory_equal(text, expected[seen], size_b);
				seen++;
			}
		}
		assert_int_equal(seen, 3);
		assert_true(bw_dap_frames_is_empty(&f));
		bw_dap_frames_fini(&f);
	}
}

static void test_no_messages(void **state)
{
	static const struct {
		const char *stream, *why;
	} cases[] = {
		{"\r\n\r\n", "no Content-Length"},
		{"{}\r\n\r\n", "no colon"},
		{"Content-Length: -1\r\n\r\n", "not a number"},
		{"Content-Length: \r\n\r\n", "not a number"},
		{"Content-Length: 1 2\r\n\r\n", "not a number"},
		{"Content-Length: 16777217\r\n\r\n", "limit"},
		{"Content-Length: 18446744073709551617\r\n\r\n", "limit"},
		{"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", "twice"},
		{"Content-Type: x\r\n\r\n", "no Content-Length"},
		{"{\"seq\": 1}\r\n\r\n", "HTTP"},
		{"POST /a:b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", "HTTP"},
		{"Content-Length: 2\r\nOrigin: http://page.example\r\n\r\n{}", "HTTP"},
		{" Content-Length: 2\r\n\r\n{}", "HTTP"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bw_dap_frames f = {0};
		const char *text;
		size_t size_b;
		assert_null(bw_dap_frames_push(&f, cases[i].stream, strlen(cases[i].stream)));
		_cleanup_error_ struct bw_error *err = bw_dap_frames_take(&f, &text, &size_b);
		assert_non_null(err);
		assert_non_null(strstr(err->message, cases[i].why));
		bw_dap_frames_fini(&f);
	}
}

/* A header that never ends is no message, however it comes. */
static void test_long_header(void **state)
{
	struct bw_dap_frames f = {0};
	const char *text;
	size_t size_b;
	struct bw_error *err = NULL;
	size_t pushed = 0;
	while (!err && pushed < 100000) {
		assert_null(bw_dap_frames_push(&f, "xxxxxxxxxx", 10));
		pushed += 10;
		err = bw_dap_frames_take(&f, &text, &size_b);
	}
	assert_non_null(err);
	assert_in_range(pushed, BW_DAP_HEADER_MAX_B, BW_DAP_HEADER_MAX_B + 10);
	bw_error_free(err);
	bw_dap_frames_fini(&f);
}

TESTS(test_pieces, test_no_messages, test_long_header);
