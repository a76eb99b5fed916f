/* SPDX-License-Identifier: MIT */
#include "sym/frames.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "opened.h"

/* Expectations are from the sources of the samples and from llvm-dwarfdump-19. */

/* The whole kernel rec: wherever twice is, wrapf is around it, called in line 14 of it, and rec
 * around that, from line 21. */
static void inlined_chains(void **state)
{
	struct opened o = opened("rec.O2");
	uint64_t end, start = symbol(&o, "rec", &end);
	unsigned n_twice = 0, n_wrapf = 0, n_rec = 0;
	for (uint64_t at = start; at < end; at += 4) {
		struct bw_frame_info f;
		unsigned i = 0;
		assert_true(bw_lines_frame(o.lines, at, 0, &f));
		if (!strcmp(f.name, "twice")) {
			assert_true(f.is_inlined && !f.is_kernel);
			assert_int_equal(f.call_line, 14);
			assert_string_equal(strrchr(f.call_file, '/'), "/rec.cl");
			assert_true(bw_lines_frame(o.lines, at, ++i, &f));
			assert_string_equal(f.name, "wrapf");
			n_twice++;
		}
		if (!strcmp(f.name, "wrapf")) {
			assert_true(f.is_inlined && !f.is_kernel);
			assert_int_equal(f.call_line, 21);
			assert_true(f.call_column == 13 || f.call_column == 27);
			assert_true(bw_lines_frame(o.lines, at, ++i, &f));
			n_wrapf++;
		}
		assert_string_equal(f.name, "rec");
		assert_true(f.is_kernel && !f.is_inlined);
		assert_true(f.entry == start);
		assert_false(bw_lines_frame(o.lines, at, i + 1, &f));
		n_rec++;
	}
	assert_true(n_twice && n_wrapf > n_twice && n_rec > n_wrapf);
	closed(o);
}

/* DW_CC_LLVM_OpenCLKernel, or a kernel of the code object. */
static void kernels(void **state)
{
	static const struct {
		const char *object, *function;
		bool is_kernel;
	} rows[] = {
		{"rec.O0", "rec", true},   {"rec.O0", "deep", false},	{"rec.O2", "deep", false},
		{"nest.O2", "nest", true}, {"nest.O2", "outer", false}, {"ckern.O0", "ckern", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct opened o = opened(rows[i].object);
		struct bw_frame_info f;
		uint64_t end, start = symbol(&o, rows[i].function, &end);
		assert_true(bw_lines_frame(o.lines, start, 0, &f));
		assert_string_equal(f.name, rows[i].function);
		assert_int_equal(f.is_kernel, rows[i].is_kernel);
		closed(o);
	}
}

/* The call sites of kern_nolib -O2, as llvm-dwarfdump-19 prints them in the object's own addresses:
 * behind each s_swappc_b64 (0xbe9e....) of its code, and nowhere else. */
static void returns(void **state)
{
	static const char *const objects[] = {"kern_nolib.O2", "nest.O2", "rec.O2"};
	static const unsigned n_calls[] = {5, 1, 1};
	static const char *const functions[] = {"kern", "nest", "rec"};
	for (size_t i = 0; i < 3; i++) {
		struct opened o = opened(objects[i]);
		size_t image_b;
		const uint8_t *image = bw_code_object_image(o.co, &image_b);
		uint64_t end, start = symbol(&o, functions[i], &end);
		unsigned found = 0;
		for (uint64_t at = start + 4; at < end; at += 4) {
			uint32_t before;
			memcpy(&before, image + at - 4, 4);
			int yes = bw_lines_returns_to(o.lines, at);
			assert_int_equal(yes, before >> 8 == 0xbe9e49 || before >> 8 == 0xbe9e48);
			found += yes == 1;
		}
		assert_int_equal(found, n_calls[i]);
		closed(o);
	}
}

static void nothing_known(void **state)
{
	struct opened asm_ = opened("add"), plain = opened("kern_nolib.plain");
	struct bw_frame_info f;
	uint64_t end, start = symbol(&asm_, "add", &end);
	assert_false(bw_lines_frame(asm_.lines, start, 0, &f));
	assert_int_equal(bw_lines_returns_to(asm_.lines, start + 4), -1);
	start = symbol(&plain, "kern", &end);
	assert_false(bw_lines_frame(plain.lines, start, 0, &f));
	assert_int_equal(bw_lines_returns_to(plain.lines, 0), -1);
	closed(asm_);
	closed(plain);
}

TESTS(inlined_chains, kernels, returns, nothing_known);
