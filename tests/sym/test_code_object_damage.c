/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "exercise.h"
#include "samples.h"

/* Damaged code objects: whatever is wrong, the answer is an error or an object that keeps its
 * promises. Run it under the sanitizers to see what it is for. */

static uint8_t *bytes_of(const char *name, size_t *out_size_b)
{
	struct bw_code_object *co = sample(name);
	const void *file = bw_code_object_file(co, out_size_b);
	uint8_t *copy = malloc(*out_size_b);
	assert_non_null(copy);
	memcpy(copy, file, *out_size_b);
	bw_code_object_close(co);
	return copy;
}

static void truncated(void **state)
{
	static const char *const names[] = {"add", "relocs", "kern_nolib.O2", "types.hip.O2"};
	for (size_t k = 0; k < 4; k++) {
		size_t size_b, opened = 0;
		uint8_t *whole = bytes_of(names[k], &size_b);
		size_t step = size_b / 1000 + 1;
		for (size_t n = 0; n < size_b; n += step) {
			/* its own allocation, so that a read past the end is seen */
			uint8_t *part = malloc(n ? n : 1);
			memcpy(part, whole, n);
			opened += exercise(part, n);
			free(part);
		}
		/* the section table ends the file */
		if (k == 0)
			assert_int_equal(opened, 0);
		free(whole);
	}
}

static void one_byte_changed(void **state)
{
	static const char *const names[] = {"add", "meta", "relocs", "kern_nolib.O2",
					    "types.hip.O2"};
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	for (size_t k = 0; k < 5; k++) {
		size_t size_b, opened = 0, tried = 0;
		uint8_t *bytes = bytes_of(names[k], &size_b);
		for (size_t i = 0; i < size_b; i++) {
			uint8_t before = bytes[i];
			/* the large objects: every byte once; the small ones with every value */
			for (size_t v = k < 3 ? 0 : i % 5; v < (k < 3 ? 5 : i % 5 + 1); v++) {
				bytes[i] = values[v];
				opened += exercise(bytes, size_b);
				tried++;
			}
			bytes[i] = before;
		}
		/* most bytes are code, text and debug information; yet some must be noticed */
		assert_true(opened > tried / 2 && opened < tried);
		free(bytes);
	}
}

/* Fields of eight bytes with the numbers that overflow sums. */
static void large_numbers(void **state)
{
	static const uint64_t values[] = {UINT64_MAX, UINT64_MAX - 7,	  1ull << 63,
					  1ull << 32, 0x7fffffffffffff00, 256ull << 20};
	static const char *const names[] = {"relocs", "kern_nolib.O2"};
	for (size_t k = 0; k < 2; k++) {
		size_t size_b, refused = 0;
		uint8_t *bytes = bytes_of(names[k], &size_b);
		for (size_t i = 0; i + 8 <= size_b; i += 8) {
			uint64_t before;
			memcpy(&before, bytes + i, 8);
			for (size_t v = 0; v < 6; v++) {
				memcpy(bytes + i, &values[v], 8);
				refused += !exercise(bytes, size_b);
			}
			memcpy(bytes + i, &before, 8);
		}
		assert_true(refused > 100);
		free(bytes);
	}
}

TESTS(truncated, one_byte_changed, large_numbers);
