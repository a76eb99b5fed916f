/* SPDX-License-Identifier: MIT */
#include "crash/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

const char *bw_crash_after(const char *line, const char *word)
{
	const char *at = strstr(line, word);
	return at ? at + strlen(word) : NULL;
}

bool bw_crash_number(const char **p, int base, uint64_t *out)
{
	char *end;
	if (!isxdigit((unsigned char)**p))
		return false;
	uint64_t v = strtoull(*p, &end, base);
	if (end == *p)
		return false;
	*out = v;
	*p = end;
	return true;
}

bool bw_crash_number_after(const char *line, const char *word, uint64_t *out)
{
	const char *p = bw_crash_after(line, word);
	return p && bw_crash_number(&p, p[0] == '0' && p[1] == 'x' ? 16 : 10, out);
}

void bw_crash_copy(char *out, size_t out_b, const char *text, size_t n)
{
	n = BW_MIN(n, out_b - 1);
	memcpy(out, text, n);
	out[n] = '\0';
}
