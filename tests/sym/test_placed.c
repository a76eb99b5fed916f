/* SPDX-License-Identifier: MIT */
/* The image of a code object, put somewhere into a memory of this test's. */
#include "sym/placed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "samples.h"

#define BASE 0x7fff00042000ull /* a multiple of a page, as drivers place images */
enum { PAGE_B = 4096 };

struct memory {
	uint64_t first; /* nothing is there before it */
	uint8_t *bytes; /* from BASE on */
	size_t size_b;
};

static size_t read_memory(void *cookie, uint64_t va, void *out, size_t size_b)
{
	const struct memory *m = cookie;
	if (va < m->first || va < BASE || va - BASE >= m->size_b)
		return 0;
	size_t left = m->size_b - (size_t)(va - BASE), n = size_b < left ? size_b : left;
	memcpy(out, m->bytes + (va - BASE), n);
	return n;
}

static struct memory place(const struct bw_code_object *co)
{
	struct memory m = {.first = BASE};
	const void *image = bw_code_object_image(co, &m.size_b);
	m.bytes = malloc(m.size_b);
	assert_non_null(m.bytes);
	memcpy(m.bytes, image, m.size_b);
	return m;
}

static unsigned find(const struct bw_code_object *co, struct memory *m, uint64_t pc,
		     uint64_t *out_base)
{
	struct bw_placed_window w;
	bw_placed_look(pc, read_memory, m, &w);
	*out_base = 0;
	return bw_placed_find(co, &w, out_base);
}

/* Each instruction's address of the kernel leads to the base. */
static void wherever_a_wave_is(void **state)
{
	struct bw_code_object *co = sample("kern_nolib.O0");
	const struct bw_kernel *k = bw_code_object_kernel(co, "kern");
	struct memory m = place(co);
	uint64_t base;
	assert_true(k->end > k->entry + 64);
	for (uint64_t at = k->entry; at < k->end; at += 4) {
		assert_int_equal(find(co, &m, BASE + at, &base), 100);
		assert_int_equal(base, BASE);
	}
	/* at an address that does not fit the place in its page */
	assert_true(find(co, &m, BASE + k->entry + PAGE_B / 2, &base) < BW_PLACED_ENOUGH);
	free(m.bytes);
	bw_code_object_close(co);
}

static void code_with_breakpoints(void **state)
{
	struct bw_code_object *co = sample("kern_nolib.O0");
	const struct bw_kernel *k = bw_code_object_kernel(co, "kern");
	struct memory m = place(co);
	uint64_t base, pc = BASE + k->entry + 32;
	const uint32_t s_trap = 0xbf90007f;
	memcpy(m.bytes + k->entry + 32, &s_trap, 4);
	memcpy(m.bytes + k->entry, &s_trap, 4);
	unsigned like = find(co, &m, pc, &base);
	assert_in_range(like, BW_PLACED_ENOUGH, 99);
	assert_int_equal(base, BASE);
	/* the code of something else */
	memset(m.bytes + k->entry, 0x55, k->end - k->entry);
	assert_int_equal(find(co, &m, pc, &base), 0);
	free(m.bytes);
	bw_code_object_close(co);
}

/* What cannot be read is not compared; where nothing can be, nothing is found. */
static void memory_with_holes(void **state)
{
	struct bw_code_object *co = sample("kern_nolib.O0");
	const struct bw_kernel *k = bw_code_object_kernel(co, "kern");
	struct memory m = place(co);
	uint64_t base, pc = BASE + k->entry + 64;
	m.first = pc & ~(uint64_t)(PAGE_B - 1);
	assert_int_equal(find(co, &m, pc, &base), 100);
	assert_int_equal(base, BASE);
	m.size_b = k->entry + 64 + 8;
	assert_int_equal(find(co, &m, pc, &base), 100);
	m.size_b = 0;
	assert_int_equal(find(co, &m, pc, &base), 0);
	m.first = 0;
	assert_int_equal(find(co, &m, 0, &base), 0);
	assert_int_equal(find(co, &m, 0x100, &base), 0);
	free(m.bytes);
	bw_code_object_close(co);
}

TESTS(wherever_a_wave_is, code_with_breakpoints, memory_with_holes);
