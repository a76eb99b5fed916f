/* SPDX-License-Identifier: MIT */
#include "sym/lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "opened.h"

/* Functions of tests/e2e/kernels/scale.cl and of the samples: expectations are from their source,
 * and ranges from llvm-dwarfdump-19 and the symbol table. */

static void inlined_and_called(void **state)
{
	struct opened o = opened("scale.O2");
	struct bw_function f;
	struct bw_line line;
	uint64_t end, start = symbol(&o, "launch", &end);
	unsigned n_inlined = 0, n_own = 0;

	for (uint64_t at = start; at < end; at += 4) {
		assert_true(bw_lines_function_at(o.lines, at, &f));
		assert_true(f.has_params);
		assert_int_equal(bw_lines_language(o.lines, at), BW_LANGUAGE_COMPILED);
		assert_true(bw_lines_at(o.lines, at, &line));
		if (line.line == 10) { /* of shift */
			n_inlined++;
			assert_true(f.is_inlined);
			assert_string_equal(f.name, "shift");
			assert_false(bw_lines_function_covers(o.lines, f.index, start));
		} else {
			n_own++;
			assert_false(f.is_inlined);
			assert_string_equal(f.name, "launch");
			assert_true(bw_lines_function_covers(o.lines, f.index, start));
		}
	}
	assert_true(n_inlined > 0 && n_own > 0);
	start = symbol(&o, "scale", &end);
	assert_true(bw_lines_function_at(o.lines, end - 4, &f));
	assert_string_equal(f.name, "scale");
	assert_false(f.is_inlined);
	assert_true(bw_lines_function_covers(o.lines, f.index, start));
	assert_false(bw_lines_function_covers(o.lines, f.index, end));
	assert_false(bw_lines_function_at(o.lines, 0, &f));
	closed(o);
}

static void check_param(const struct opened *o, uint64_t addr, size_t i, const char *name,
			const char *type)
{
	struct bw_param p;
	assert_true(bw_lines_param(o->lines, addr, i, &p));
	assert_string_equal(p.name, name);
	assert_string_equal(p.type_name, type);
}

static void parameters(void **state)
{
	static const char *const objects[] = {"kern_nolib.O0", "kern_nolib.O2", "kern_nolib.w64"};
	for (size_t i = 0; i < 3; i++) {
		struct opened o = opened(objects[i]);
		struct bw_param p;
		uint64_t end, start = symbol(&o, "kern", &end);
		check_param(&o, start, 0, "out", "int *");
		check_param(&o, start, 1, "in", "int *");
		check_param(&o, start, 2, "k", "float");
		check_param(&o, start, 3, "n", "int");
		assert_false(bw_lines_param(o.lines, start, 4, &p));
		closed(o);
	}
}

static void assembly_and_nothing(void **state)
{
	struct bw_function f;
	struct bw_param p;
	struct opened o = opened("meta"), plain = opened("kern_nolib.plain");
	uint64_t end, start = symbol(&o, "scale", &end);
	assert_int_equal(bw_lines_language(o.lines, start), BW_LANGUAGE_ASSEMBLY);
	assert_int_equal(bw_lines_language(o.lines, end), BW_LANGUAGE_UNKNOWN);
	assert_false(bw_lines_function_at(o.lines, start, &f));
	start = symbol(&plain, "kern", &end);
	assert_int_equal(bw_lines_language(plain.lines, start), BW_LANGUAGE_UNKNOWN);
	assert_false(bw_lines_function_at(plain.lines, start, &f));
	assert_false(bw_lines_param(plain.lines, start, 0, &p));
	closed(o);
	closed(plain);
}

/* The metadata of HIP has no names of arguments; the debug information has parameters. */
static void names_of_arguments(void **state)
{
	static const struct {
		const char *name, *type;
	} expected[] = {{"c", ""}, {"out", "float *"}, {"n", "int"}};
	struct opened o = opened("types.hip.O2");
	size_t n, found = 0;
	const struct bw_kernel *k = bw_code_object_kernels(o.co, &n);
	assert_int_equal(n, 1);
	assert_string_equal(k->args[0].name, "");
	assert_null(bw_code_object_name_args(o.co, o.lines));
	for (size_t i = 0; i < k->n_args; i++) {
		if (k->args[i].kind == BW_ARG_HIDDEN) {
			assert_string_equal(k->args[i].name, "");
			continue;
		}
		assert_true(found < BW_ARRAY_SIZE(expected));
		assert_string_equal(k->args[i].name, expected[found].name);
		assert_string_equal(k->args[i].type_name, expected[found++].type);
	}
	assert_int_equal(found, BW_ARRAY_SIZE(expected));
	closed(o);
}

TESTS(inlined_and_called, parameters, assembly_and_nothing, names_of_arguments);
