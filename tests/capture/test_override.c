/* SPDX-License-Identifier: MIT */
/* Override files: what is in them comes out, and what is wrong with one is said. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "capture/override.h"

/* A file with two IBs and two parts, by doc/capture.md. */
struct file {
	uint8_t magic[8];
	uint32_t version, number, n_ibs, n_parts;
	struct {
		uint64_t captured_va, va;
		uint32_t captured_b, size_b;
	} ibs[2];
	struct {
		uint64_t va, size_b;
		uint32_t flags, reserved;
		uint8_t bytes[16];
	} parts[2];
};

static struct file good(void)
{
	return (struct file){
		.magic = {0x89, 'B', 'W', 'O', 'v', 'r', '\r', '\n'},
		.version = 1,
		.number = 3,
		.n_ibs = 2,
		.n_parts = 2,
		.ibs = {{0x1000, 0x1000, 64, 32}, {0x2000, 0x900000, 128, 256}},
		.parts = {{0x1000, 13, 0, 0, "in place"}, {0x900000, 16, 1, 0, "new"}},
	};
}

static void whole(void **state)
{
	const struct file f = good();
	struct bw_override o = {0};
	assert_true(bw_override_is(&f, sizeof(f)));
	assert_null(bw_override_decode(&f, sizeof(f), &o));
	assert_int_equal(o.number, 3);
	assert_int_equal(o.ibs.len, 2);
	assert_int_equal(o.ibs.data[1].captured_va, 0x2000);
	assert_int_equal(o.ibs.data[1].va, 0x900000);
	assert_int_equal(o.ibs.data[1].captured_b, 128);
	assert_int_equal(o.ibs.data[1].size_b, 256);
	assert_int_equal(o.parts.len, 2);
	assert_int_equal(o.parts.data[0].size_b, 13);
	assert_false(o.parts.data[0].is_new);
	assert_string_equal(o.parts.data[0].bytes, "in place");
	assert_true(o.parts.data[1].is_new);
	assert_string_equal(o.parts.data[1].bytes, "new");
	bw_override_fini(&o);
}

static void refuse(const void *bytes, size_t size_b, const char *words)
{
	struct bw_override o = {0};
	struct bw_error *err = bw_override_decode(bytes, size_b, &o);
	assert_non_null(err);
	if (!strstr(err->message, words))
		fail_msg("\"%s\" does not say \"%s\"", err->message, words);
	assert_int_equal(o.ibs.len + o.parts.len, 0);
	bw_error_free(err);
}

static void damaged(void **state)
{
	struct file f = good();
	for (size_t n = sizeof(f.magic); n < sizeof(f); n++)
		refuse(&f, n, "was cut off");
	refuse(&f, 7, "not an override file");
	uint8_t longer[sizeof(f) + 1] = {0};
	memcpy(longer, &f, sizeof(f));
	refuse(longer, sizeof(longer), "1 bytes after its end");
#define BAD(change, words)                                                                         \
	f = good();                                                                                \
	f.change;                                                                                  \
	refuse(&f, sizeof(f), words)
	BAD(version = 2, "has version 2");
	BAD(n_ibs = 0, "0 IBs");
	BAD(n_ibs = 257, "257 IBs");
	BAD(n_parts = 5000, "5000 parts");
	BAD(ibs[1].size_b = 30, "not whole dwords");
	BAD(ibs[0].va = 2, "not whole dwords");
	BAD(parts[0].flags = 2, "not known (0x2)");
	BAD(parts[0].size_b = 0, "0 bytes at 0x1000");
	BAD(parts[0].size_b = UINT64_MAX, "was cut off");
	BAD(parts[0].va = UINT64_MAX, "13 bytes at");
	BAD(parts[1].va = 0x900100, "16 bytes at 0x900100");
	BAD(parts[1].va = 0, "16 bytes at 0x0");
}

TESTS(whole, damaged);
