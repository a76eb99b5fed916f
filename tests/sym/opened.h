/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SYM_OPENED_H
#define TESTS_SYM_OPENED_H

/* A sample with its debug information. */

#include "samples.h"
#include "sym/lines.h"

struct opened {
	struct bw_code_object *co;
	struct bw_lines *lines;
};

static inline struct opened opened(const char *name)
{
	struct opened o = {sample(name), NULL};
	struct bw_error *err = bw_lines_open(o.co, &o.lines);
	if (err)
		fail_msg("%s", err->message);
	return o;
}

static inline void closed(struct opened o)
{
	bw_lines_close(o.lines);
	bw_code_object_close(o.co);
}

/* The address of a symbol, and where it ends. */
static inline uint64_t symbol(const struct opened *o, const char *name, uint64_t *out_end)
{
	size_t n;
	*out_end = 0;
	const struct bw_symbol *s = bw_code_object_symbols(o->co, &n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(s[i].name, name) != 0)
			continue;
		*out_end = s[i].addr + s[i].size_b;
		return s[i].addr;
	}
	fail_msg("no symbol %s", name);
	return 0;
}

#endif
