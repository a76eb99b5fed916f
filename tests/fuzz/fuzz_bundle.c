/* SPDX-License-Identifier: MIT */
/* Any file, as a program that may carry HIP kernels, and as an offload bundle. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "sym/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const uint8_t *code = NULL;
	size_t code_b = 0;
	struct bw_error *err = bw_bundle_check_program(bytes, n, "p", "gfx1100");
	assert(!err || strstr(err->message, "has HIP kernels for gfx"));
	bw_error_free(err);
	err = bw_bundle_find(bytes, n, "b", "gfx1100", &code, &code_b);
	assert(err || (code >= bytes && code_b <= n - (size_t)(code - bytes)));
	bw_error_free(err);
	for (size_t at = 0; bw_bundle_next_of_program(bytes, n, "gfx1100", &at, &code, &code_b);)
		assert(code >= bytes && code_b <= n - (size_t)(code - bytes));
	return 0;
}
