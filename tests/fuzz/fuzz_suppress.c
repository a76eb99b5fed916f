/* SPDX-License-Identifier: MIT */
/* A line of --suppress=FILE, and a finding that is compared with it. */
#include <stdint.h>
#include <stdlib.h>

#include "session/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const known[] = {"race", "bounds", NULL};
	static const struct bw_suppressed_place places[] = {{"fill(int*, int)", "hist.cl", 3},
							    {NULL, NULL, 0}};
	struct bw_suppressions s = {0};
	/* a pattern with many stars takes long */
	if (size > 64)
		return 0;
	struct bw_error *err = bw_suppressions_add(&s, (const char *)data, size, 1, known);
	if (err && s.rows.len)
		abort();
	bw_suppressions_find(&s, "race", places, 2);
	bw_error_free(err);
	bw_suppressions_fini(&s);
	return 0;
}
