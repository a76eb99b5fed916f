/* SPDX-License-Identifier: MIT */
/* What is not SPIR-V is refused with a reason, before SPIRV-Cross reads it, and so is what
 * SPIRV-Cross cannot read: workgroups of a computed size. */
#include "shader/reflect.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "shader/validate.h"

/* In the folder that a variable of the environment names; good until the next call. */
static const char *path_in(const char *variable, const char *file)
{
	static char path[512];
	snprintf(path, sizeof(path), "%s/%s", getenv(variable), file);
	return path;
}

static const char *valid(void)
{
	return path_in("BREAKWATER_BUILD", "tests/vulkan/step.spv");
}

static void a_valid_one(void **state)
{
	struct bw_shader *s;
	assert_null(bw_shader_load(valid(), NULL, &s));
	bw_shader_free(s);
}

static void a_malformed_one(void **state)
{
	struct bw_shader *s;
	_cleanup_error_ struct bw_error *err = bw_shader_load(
		path_in("BREAKWATER_SOURCE", "tests/shader/malformed.spv"), NULL, &s);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "it is not valid SPIR-V: "));
	assert_non_null(strstr(err->message, "OpName"));
}

static void computed_groups(void **state)
{
	static const char *const files[] = {"tests/fuzz/corpus/shader/computed.spv",
					    "tests/fuzz/corpus/shader/vector.spv"};
	struct bw_shader *s;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_error_ struct bw_error *err =
			bw_shader_load(path_in("BREAKWATER_SOURCE", files[i]), NULL, &s);
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
	_cleanup_fclose_ FILE *f = fopen(valid(), "rbe");
	assert_non_null(f);
	size_t n = fread(words, sizeof(*words), MAX, f);
	assert_in_range(n, 100, MAX - 1);
	assert_null(bw_shader_validate(words, n));
	for (size_t i = 0; i < n; i++) {
		_cleanup_error_ struct bw_error *err = bw_shader_validate(words, i);
		assert_non_null(err);
	}
}

TESTS(a_valid_one, a_malformed_one, computed_groups, cut_short);
