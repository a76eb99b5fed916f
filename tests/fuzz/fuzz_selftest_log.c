// SPDX-License-Identifier: MIT
/* The kernel log, from which the self-test takes lines: two texts, the second after a 0. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/selftest_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 2);
	if (!text)
		return 0;
	memcpy(text, data, size);
	const char *now = text + strlen(text) + 1;
	if (now > text + size)
		now = text + size;
	for (const char *at = bw_selftest_log_after(text, now); *at;) {
		struct bw_str line = {0};
		size_t n = strcspn(at, "\n");
		if (!bw_selftest_log_line(at, n, &line) && line.len)
			__builtin_trap(); /* a line of others has left something */
		bw_str_free(&line);
		at += n + (at[n] == '\n');
	}
	free(text);
	return 0;
}
