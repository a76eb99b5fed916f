/* SPDX-License-Identifier: MIT */
/* Source text and a question about one of its variables. Six bytes say what is asked: the line of
 * the declaration, the line of the statement, the line of the code, the type, the value, whether it
 * is a parameter (1) and a member (2). The line behind them is the variable's name, the rest the
 * source. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/assigned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

enum { ASKED_B = 6, MOST_LINES = 2000 };

static const struct bw_cenumerator colors[] = {{"RED", 0}, {"BLUE", 6}, {NULL, 1}};
static const struct bw_ctype types[] = {
	{.kind = BW_CTYPE_INT, .size_b = 4, .is_signed = true},
	{.kind = BW_CTYPE_FLOAT, .size_b = 4},
	{.kind = BW_CTYPE_FLOAT, .size_b = 2},
	{.kind = BW_CTYPE_ENUM, .size_b = 4, .enumerators = colors, .n_enumerators = 3},
	{.kind = BW_CTYPE_POINTER, .size_b = 8},
	{.kind = BW_CTYPE_INT, .size_b = 1},
};

struct source {
	char *line[MOST_LINES];
	unsigned n;
};

static const char *line_of(void *ctx, unsigned line)
{
	const struct source *s = ctx;
	return line && line <= s->n ? s->line[line - 1] : NULL;
}

/* Whether a value is possible does not depend on when it is asked. */
static void same_twice(bool a, bool b)
{
	if (a != b)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	struct source s = {.n = 0};
	if (size_b < ASKED_B)
		return 0;
	char *text = strndup((const char *)data + ASKED_B, size_b - ASKED_B), *rest = text;
	const char *name = text ? strsep(&rest, "\n") : NULL;
	while (rest && s.n < MOST_LINES)
		s.line[s.n++] = strsep(&rest, "\n");
	if (name && *name) {
		struct bw_assigned a = {.line = line_of,
					.ctx = &s,
					.name = name,
					.type = &types[data[3] % (sizeof(types) / sizeof(*types))],
					.decl_line = data[0],
					.at_line = data[1],
					.is_param = data[5] & 1};
		bool part = data[5] & 2;
		uint64_t value = (uint64_t)(int64_t)(int8_t)data[4];
		same_twice(bw_assigned_constant(&a, value, part),
			   bw_assigned_constant(&a, value, part));
		struct bw_assigned_last last = {0}, again = {0};
		same_twice(bw_assigned_last(&a, part, &last), bw_assigned_last(&a, part, &again));
		if (last.n != again.n || last.n > BW_ASSIGNED_MAX)
			abort();
		/* what nothing assigns with references, nothing assigns without them */
		if (bw_assigned_never(&a, true) && !bw_assigned_never(&a, false))
			abort();
	}
	free(text);
	return 0;
}
