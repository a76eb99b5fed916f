/* SPDX-License-Identifier: MIT */
/* The archive, read back by the rules of the kernel's document on it
 * (Documentation/driver-api/early-userspace/buffer-format.rst): a header of 110 bytes in ASCII, the
 * name, the data, both padded to 4 bytes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "guest/guest_priv.h"

enum { HEADER_B = 110 };

static unsigned field(const char *header, unsigned i)
{
	char digits[9] = "";
	unsigned value;
	memcpy(digits, header + 6 + 8 * i, 8);
	assert_int_equal(sscanf(digits, "%8X", &value), 1);
	return value;
}

/* Checks one member and returns where the next one begins. */
static size_t member(const struct bw_str *a, size_t at, const char *name, unsigned mode,
		     const char *data)
{
	const char *h = a->data + at;
	assert_true(at % 4 == 0 && at + HEADER_B <= a->len);
	assert_memory_equal(h, "070701", 6);
	assert_int_equal(field(h, 1), mode);
	assert_int_equal(field(h, 6), strlen(data));
	assert_int_equal(field(h, 11), strlen(name) + 1);
	assert_string_equal(h + HEADER_B, name);
	size_t data_at = (at + HEADER_B + strlen(name) + 1 + 3) & ~3ul;
	assert_memory_equal(a->data + data_at, data, strlen(data));
	return (data_at + strlen(data) + 3) & ~3ul;
}

static void test_members(void **state)
{
	(void)state;
	struct bw_str a = {0};
	bw_cpio_add(&a, "dev", 0040755, "", 0);
	bw_cpio_add(&a, "init", 0100755, "seven b", 7);
	bw_cpio_add(&a, "ab", 0100644, "1234", 4);
	bw_cpio_end(&a);
	size_t at = member(&a, 0, "dev", 0040755, "");
	at = member(&a, at, "init", 0100755, "seven b");
	at = member(&a, at, "ab", 0100644, "1234");
	at = member(&a, at, "TRAILER!!!", 0, "");
	assert_int_equal(at, a.len);
	bw_str_free(&a);
}

TESTS(test_members);
