/* SPDX-License-Identifier: MIT */
#include "wire/checks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static const struct {
	const char *name;
	unsigned bit;
} checks[] = {
#define ROW(id, name, bit) {name, bit},
	BW_CHECKS(ROW)
#undef ROW
};

struct bw_error *bw_checks_parse(const char *option, const char *list, unsigned *out)
{
	unsigned all = 0, wanted = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(checks); i++)
		all |= checks[i].bit;
	for (const char *at = list; at; at = *at ? at + 1 : NULL) {
		size_t n = strcspn(at, ","), i = 0;
		while (i < BW_ARRAY_SIZE(checks) &&
		       (strlen(checks[i].name) != n || strncmp(at, checks[i].name, n)))
			i++;
		if (i == BW_ARRAY_SIZE(checks))
#define NAME(id, name, bit) " " name
			return bw_errorf(
				BW_E_INVALID,
				"%s: there is no check \"%.*s\"; there are these:" BW_CHECKS(NAME),
				option, (int)BW_MIN(n, (size_t)64), at);
#undef NAME
		wanted |= checks[i].bit;
		at += n;
	}
	*out = list ? wanted : all & ~(unsigned)BW_CHECKS_NAMED;
	return NULL;
}

unsigned bw_checks_wanted(void)
{
	const char *list = getenv(BW_CHECKS_ENV);
	unsigned what = 0;
	if (list)
		bw_error_free(bw_checks_parse(BW_CHECKS_ENV, *list ? list : NULL, &what));
	return what;
}
