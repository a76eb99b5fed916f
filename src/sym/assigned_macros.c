// SPDX-License-Identifier: MIT
#include "sym/assigned_priv.h"

#include <string.h>

#include "base/str.h"

/* The facts about the macro that were found so far. */
struct macro {
	bool is_open, assigns, names;
};

static bool is_assignment(const char *text, const char *p)
{
	bool is_equal = *p == '=' && p > text && !strchr("=!<>", p[-1]) && p[1] != '=';
	bool is_shift = !strncmp(p, "<<=", 3) || !strncmp(p, ">>=", 3);
	return is_equal || is_shift || !strncmp(p, "++", 2) || !strncmp(p, "--", 2);
}

static void look_at(struct macro *m, const char *text, const char *name)
{
	for (const char *p = text; *p;) {
		size_t n = bw_word_length(p);
		m->assigns |= is_assignment(text, p);
		m->names |= n && (!name || bw_word_is(p, name));
		p += n ? n : 1;
	}
}

bool bw_macros_assign(const struct bw_assigned *a, unsigned last_line, const char *name)
{
	struct macro m = {0};
	for (unsigned i = 1; i <= last_line; i++) {
		const char *text = a->line(a->ctx, i);
		if (!text)
			return true;
		const char *p = bw_skip_blanks(text);
		if (!m.is_open && *p == '#' && bw_word_is(bw_skip_blanks(p + 1), "define"))
			m = (struct macro){.is_open = true};
		if (m.is_open)
			look_at(&m, text, name);
		if (m.is_open && m.assigns && m.names)
			return true;
		size_t n = strlen(text);
		m.is_open &= n && text[n - 1] == '\\';
	}
	return false;
}
