/* SPDX-License-Identifier: MIT */
/* The names after --check=. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = malloc(size + 1);
	unsigned what;
	if (!list)
		return 0;
	memcpy(list, data, size);
	list[size] = '\0';
	struct bw_error *err = bw_checks_parse("--check", list, &what);
	if (!err && !what)
		abort();
	bw_error_free(err);
	free(list);
	return 0;
}
