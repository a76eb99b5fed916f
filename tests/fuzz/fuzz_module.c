/* SPDX-License-Identifier: MIT */
/* A kernel module's file: its dependencies are found, or there is an error, for any bytes. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "guest/guest_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *names = NULL;
	/* As a mapping is: aligned, and with its end at the end of the file. */
	void *copy = malloc(n ? n : 1);
	assert(copy);
	memcpy(copy, bytes, n);
	struct bw_error *err = bw_guest_module_depends(copy, n, &names);
	assert(!err == (names != NULL));
	bw_error_free(err);
	free(names);
	free(copy);
	return 0;
}
