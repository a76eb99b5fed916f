/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_ISA_FACTS_H
#define BW_TESTS_ISA_FACTS_H

/* The columns of tests/golden/isa/facts*.vec and implicit.vec. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "isa/inst.h"

static inline bool has(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == n && !memcmp(p, name, n))
			return true;
	return false;
}

static inline unsigned implicit_set(const char *text)
{
	static const char *const names[] = {"SCC", "VCC", "EXEC", "M0", "FLAT_SCR", "MODE"};
	unsigned set = 0;
	while (*text && *text != '-') {
		size_t n = strcspn(text, ","), i = 0;
		while (i < BW_ARRAY_SIZE(names) &&
		       (strlen(names[i]) != n || memcmp(names[i], text, n)))
			i++;
		if (i == BW_ARRAY_SIZE(names))
			fail_msg("LLVM's register %s is new", text);
		set |= 1u << i;
		text += n + (text[n] == ',');
	}
	return set;
}

/* Numbers of registers (0: a lane mask), sorted. */
struct widths {
	unsigned n, regs[16];
};

static inline void add_width(struct widths *w, unsigned regs)
{
	unsigned i = w->n++;
	assert_true(w->n <= BW_ARRAY_SIZE(w->regs));
	for (; i && w->regs[i - 1] > regs; i--)
		w->regs[i] = w->regs[i - 1];
	w->regs[i] = regs;
}

static inline struct widths llvm_widths(const char *list)
{
	struct widths w = {0};
	for (const char *p = list; *p && *p != '-'; p += strcspn(p, ","), p += *p == ',')
		add_width(&w, *p == 'm' ? 0 : (unsigned)(strtoul(p, NULL, 10) + 31) / 32);
	return w;
}

static inline bool same_widths(const struct widths *a, const struct widths *b)
{
	return a->n == b->n && !memcmp(a->regs, b->regs, a->n * sizeof(a->regs[0]));
}

#endif
