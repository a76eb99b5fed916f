/* SPDX-License-Identifier: MIT */
/* test_validate VALID MALFORMED COMPUTED...: modules. What is not SPIR-V is refused with a reason,
 * before SPIRV-Cross reads it, and so is what SPIRV-Cross cannot read: workgroups of a computed
 * size. */
#include "shader/reflect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "shader/validate.h"

static const char *valid, *malformed;
static char *const *computed; /* NULL ends them */

static void a_valid_one(void **state)
{
	struct bw_shader *s;
	assert_null(bw_shader_load(valid, NULL, &s));
	bw_shader_free(s);
}

static void a_malformed_one(void **state)
{
	struct bw_shader *s;
	_cleanup_error_ struct bw_error *err = bw_shader_load(malformed, NULL, &s);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "it is not valid SPIR-V: "));
	assert_non_null(strstr(err->message, "OpName"));
}

static void computed_groups(void **state)
{
	struct bw_shader *s;
	for (char *const *path = computed; *path; path++) {
		_cleanup_error_ struct bw_error *err = bw_shader_load(*path, NULL, &s);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_UNSUPPORTED);
		assert_non_null(strstr(err->message, "the size of its workgroups is computed"));
	}
}

/* A module that ends early, wherever, is refused. */
static void cut_short(void **state)
{
	enum { MAX = 4096 };
	static uint32_t words[MAX];
	_cleanup_fclose_ FILE *f = fopen(valid, "rbe");
	assert_non_null(f);
	size_t n = fread(words, sizeof(*words), MAX, f);
	assert_in_range(n, 100, MAX - 1);
	assert_null(bw_shader_validate(words, n));
	for (size_t i = 0; i < n; i++) {
		_cleanup_error_ struct bw_error *err = bw_shader_validate(words, i);
		assert_non_null(err);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_valid_one),
		cmocka_unit_test(a_malformed_one),
		cmocka_unit_test(computed_groups),
		cmocka_unit_test(cut_short),
	};
	if (argc < 4)
		return 1;
	valid = argv[1];
	malformed = argv[2];
	computed = argv + 3;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
