/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void bw_base64_add(struct bw_str *out, const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i += 3) {
		size_t have = n - i < 3 ? n - i : 3;
		unsigned v = (unsigned)data[i] << 16 | (have > 1 ? (unsigned)data[i + 1] << 8 : 0) |
			     (have > 2 ? data[i + 2] : 0);
		char four[4];
		for (size_t k = 0; k < 4; k++)
			four[k] = k <= have ? digits[v >> (18 - 6 * k) & 63] : '=';
		bw_str_addn(out, four, 4);
	}
}

struct bw_error *bw_base64_read(const char *what, const char *text, uint8_t **out, size_t *out_n)
{
	size_t n = strlen(text), pad = 0, done = 0;
	while (pad < 2 && pad < n && text[n - 1 - pad] == '=')
		pad++;
	uint8_t *data = malloc(n / 4 * 3 + 3);
	if (!data)
		return bw_error_nomem();
	bool good = n % 4 == 0;
	unsigned bits = 0, have = 0;
	for (size_t i = 0; good && i < n - pad; i++) {
		const char *digit = memchr(digits, text[i], 64);
		good = digit != NULL;
		bits = bits << 6 | (digit ? (unsigned)(digit - digits) : 0);
		have += 6;
		if (have >= 8) {
			have -= 8;
			data[done++] = (uint8_t)(bits >> have);
			bits &= (1u << have) - 1;
		}
	}
	if (!good || bits) {
		free(data);
		return bw_errorf(BW_E_INVALID, "%s is not in base64", what);
	}
	*out = data;
	*out_n = done;
	return NULL;
}
