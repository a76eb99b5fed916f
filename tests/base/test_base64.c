/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"

/* The examples of RFC 4648, section 10. */
static void test_base64(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {{"", ""},
		     {"f", "Zg=="},
		     {"fo", "Zm8="},
		     {"foo", "Zm9v"},
		     {"foob", "Zm9vYg=="},
		     {"fooba", "Zm9vYmE="},
		     {"foobar", "Zm9vYmFy"}};
	static const char *const bad[] = {
		"Z", "Zg", "Zg=", "Zh==", "Zm9v\n", "Z===", "Zm-v", "===="};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bw_str s = {0};
		_cleanup_free_ uint8_t *data = NULL;
		size_t n;
		bw_base64_add(&s, (const uint8_t *)cases[i].bytes, strlen(cases[i].bytes));
		assert_string_equal(bw_str_text(&s), cases[i].text);
		assert_null(bw_base64_read("x", cases[i].text, &data, &n));
		assert_int_equal(n, strlen(cases[i].bytes));
		assert_memory_equal(data, cases[i].bytes, n);
		bw_str_free(&s);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint8_t *data;
		size_t n;
		_cleanup_error_ struct bw_error *err = bw_base64_read("x", bad[i], &data, &n);
		assert_non_null(err);
	}
}

TESTS(test_base64);
