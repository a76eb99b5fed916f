/* SPDX-License-Identifier: MIT */
/* URIs of code objects. The texts with values are the forms of "Code Object URI" in LLVM's
 * AMDGPUUsage, and what ROCr 6.1 was seen to write. */
#include <string.h>

#include "../suite.h"
#include "sym/code_uri.h"

static void test_memory(void **state)
{
	struct bw_code_uri u;
	assert_true(bw_code_uri_read("memory://1234#offset=0x7f0000001000&size=13496", &u));
	assert_false(u.is_file);
	assert_int_equal(u.offset_b, 0x7f0000001000);
	assert_int_equal(u.size_b, 13496);
	assert_true(bw_code_uri_read("memory://1?size=0x10&offset=64", &u));
	assert_int_equal(u.offset_b, 64);
	assert_int_equal(u.size_b, 16);
}

static void test_file(void **state)
{
	struct bw_code_uri u;
	assert_true(bw_code_uri_read("file:///opt/my%20app/lib%2523.so#offset=4096&size=512", &u));
	assert_true(u.is_file);
	assert_string_equal(u.path, "/opt/my app/lib%23.so");
	assert_int_equal(u.offset_b, 4096);
	assert_int_equal(u.size_b, 512);
	assert_true(bw_code_uri_read("file:///a.co", &u));
	assert_string_equal(u.path, "/a.co");
	assert_int_equal(u.offset_b, 0);
	assert_int_equal(u.size_b, 0);
	assert_true(bw_code_uri_read("file:///odd%zz%4", &u));
	assert_string_equal(u.path, "/odd%zz%4");
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"memory://",
		"memory://1",
		"memory://1#offset=0x10",
		"memory://1#size=16",
		"memory://1#offset=0x10&size=0",
		"memory://1#offset=0x10&size=-1",
		"memory://1#offset=99999999999999999999&size=1",
		"memory://1#offset=1&size=1x",
		"memory://1#size=1&where=2",
		"file://",
		"file://#offset=1",
		"file:///a%00b",
		"http://a/b",
		"file:/a",
	};
	struct bw_code_uri u;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (bw_code_uri_read(bad[i], &u))
			fail_msg("\"%s\" is read", bad[i]);
	char text[2000] = "file:///";
	memset(text + 8, 'a', sizeof(text) - 9);
	text[sizeof(text) - 1] = 0;
	assert_false(bw_code_uri_read(text, &u));
}

/* RFC 3986: what is not unreserved is %XX. */
static void test_written(void **state)
{
	struct bw_code_uri u = {.is_file = true, .path = "/opt/my app/lib%23#.so"}, read;
	char text[64] = "as it was";
	assert_true(bw_code_uri_write(&u, text, sizeof(text)));
	assert_string_equal(text, "file:///opt/my%20app/lib%2523%23.so");
	u.offset_b = 20480;
	u.size_b = 90784;
	assert_true(bw_code_uri_write(&u, text, sizeof(text)));
	assert_string_equal(text, "file:///opt/my%20app/lib%2523%23.so#offset=20480&size=90784");
	assert_true(bw_code_uri_read(text, &read));
	assert_memory_equal(&read, &u, sizeof(u));
	assert_false(bw_code_uri_write(&u, text, strlen(text)));
	assert_string_equal(text, "file:///opt/my%20app/lib%2523%23.so#offset=20480&size=90784");
}

TESTS(test_memory, test_file, test_refused, test_written);
