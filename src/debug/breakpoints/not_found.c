/* SPDX-License-Identifier: MIT */
/* A place that is in none of the code that is known: the nearest names. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code/code_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/string_list.h"
#include "sym/demangle.h"

enum { MAX_NEAREST = 3 };

/* A function as users type it: without parameters, and, as the word, without namespaces. */
static char *typed_name(const char *pretty, bool is_scoped)
{
	size_t len;
	const char *base = bw_name_base(pretty, &len);
	for (size_t i = len; !is_scoped && i-- > 0;) {
		if (base[i] != ':')
			continue;
		base += i + 1;
		len -= i + 1;
		break;
	}
	return strndup(base, len);
}

static struct bw_error *collect_names(struct bw_debug *d, const struct bw_where_spec *spec,
				      struct bw_strings *out)
{
	bool is_scoped = spec->kind == BW_WHERE_SYMBOL && strstr(spec->name, "::");
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const char *const *files = NULL;
		const struct bw_symbol *symbols = NULL;
		if (spec->kind == BW_WHERE_SYMBOL)
			symbols = bw_module_symbols(*m, &n);
		else
			n = (*m)->lines ? bw_lines_files((*m)->lines, &files) : 0;
		for (size_t i = 0; i < n; i++) {
			char *name =
				symbols ? typed_name(bw_module_pretty(*m, &symbols[i]), is_scoped)
					: strdup(bw_base_name(files[i]));
			BW_TRY(bw_strings_take(out, name));
		}
	}
	return NULL;
}

struct bw_error *bw_where_not_found(struct bw_debug *d, const struct bw_where_spec *s)
{
	struct bw_strings names = {0};
	size_t near[MAX_NEAREST];
	const char *word = s->kind == BW_WHERE_LINE ? bw_base_name(s->name) : s->name;

	struct bw_error *err = collect_names(d, s, &names);
	if (err) {
		bw_strings_free(&names);
		return err;
	}
	size_t n = bw_nearest(word, (const char *const *)names.data, names.len, near, MAX_NEAREST);
	struct bw_str text = {0};
	for (size_t i = 0; i < n; i++) {
		bool twice = false;
		for (size_t j = 0; j < i; j++)
			twice |= strcmp(names.data[near[i]], names.data[near[j]]) == 0;
		if (!twice)
			bw_str_addf(&text, "%s%s", text.len ? ", " : " (did you mean ",
				    names.data[near[i]]);
	}
	if (text.len)
		bw_str_add(&text, "?)");
	if (s->kind == BW_WHERE_SYMBOL) {
		err = bw_errorf(BW_E_NOT_FOUND, "Function \"%s\" not defined%s", s->name,
				bw_str_text(&text));
	} else {
		bool known = false;
		for (size_t i = 0; i < names.len; i++)
			known |= strcmp(names.data[i], word) == 0;
		err = known ? bw_errorf(BW_E_NOT_FOUND, "No code at or after line %u of %s",
					s->line, word)
			    : bw_errorf(BW_E_NOT_FOUND, "No source file named %s%s", s->name,
					bw_str_text(&text));
	}
	bw_str_free(&text);
	bw_strings_free(&names);
	return err;
}
