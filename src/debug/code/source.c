// SPDX-License-Identifier: MIT
/* Source files of the session's code. */
#include "debug/source.h"
#include "base/str.h"
#include "debug/code/code_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/frames.h"

struct bw_source_paths *bw_debug_source_paths(struct bw_debug *d)
{
	return &d->code->source_paths;
}

/* The lines of the first code object that names the file and for which the file is found; otherwise
 * those of any that names it. */
static struct bw_lines *lines_of(struct bw_debug *d, const char *file, struct bw_source_file *out)
{
	struct bw_lines *named = NULL;
	struct bw_source_file f;
	bw_vec_each(&d->code->modules, m) {
		if (!(*m)->lines || !bw_lines_source((*m)->lines, file, &f) || (named && !f.path))
			continue;
		*out = f;
		named = (*m)->lines;
		if (f.path)
			break;
	}
	if (!named && d->code->shader && bw_lines_source(d->code->shader, file, out))
		named = d->code->shader;
	return named;
}

bool bw_debug_source_info(struct bw_debug *d, const char *file, struct bw_source_info *out)
{
	struct bw_source_info info = {0};
	const struct bw_lines *l = lines_of(d, file, &info.file);
	if (!l)
		return false;
	info.has_unit = bw_lines_unit_of(l, file, &info.unit);
	*out = info;
	return true;
}

bool bw_debug_source_files(struct bw_debug *d, size_t i, const char **out_object,
			   const char *const **out, size_t *out_n)
{
	if (i >= d->code->modules.len)
		return false;
	const struct bw_module *m = d->code->modules.data[i];
	*out_object = m->name;
	*out_n = m->lines ? bw_lines_files(m->lines, out) : 0;
	return true;
}

static bool is_listed(const struct bw_debug_listed *x, const char *name)
{
	for (size_t i = 0; i < x->n; i++) {
		const char *last = strrchr(x->list[i].name, ':');
		if (!strcmp(x->list[i].name, name) || (last && strstr(name, last + 1)))
			return true;
	}
	return false;
}

static struct bw_error *list_symbols(struct bw_module *m, enum bw_listed_kind kind,
				     struct bw_debug_listed *x)
{
	size_t n;
	const struct bw_symbol *s = bw_module_symbols(m, &n);
	if (kind == BW_LISTED_TYPES || !n)
		return NULL;
	x->symbols = calloc(n, sizeof(*x->symbols));
	if (!x->symbols)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		struct bw_frame_info f;
		bool known =
			s[i].is_function && m->lines && bw_lines_frame(m->lines, s[i].addr, 0, &f);
		if (s[i].is_function == (kind == BW_LISTED_FUNCTIONS) && !known &&
		    !is_listed(x, s[i].name))
			x->symbols[x->n_symbols++] = &s[i];
	}
	return NULL;
}

bool bw_debug_list(struct bw_debug *d, size_t i, enum bw_listed_kind kind,
		   struct bw_debug_listed *out, struct bw_error **out_err)
{
	struct bw_debug_listed x = {0};
	if (i >= d->code->modules.len)
		return false;
	struct bw_module *m = d->code->modules.data[i];
	struct bw_error *err = NULL;
	if (m->lines)
		err = bw_lines_listed(m->lines, kind, &x.list, &x.n);
	if (!err)
		err = list_symbols(m, kind, &x);
	bw_vec_each(&d->code->loads, l)
		if (l->module == m && !x.base)
			x.base = l->base;
	if (err) {
		bw_listed_free(x.list, x.n);
		x = (struct bw_debug_listed){0};
	}
	*out_err = err;
	*out = x;
	return true;
}

const char *bw_debug_source_line(struct bw_debug *d, const char *file, unsigned line)
{
	struct bw_source_file f;
	struct bw_lines *l = lines_of(d, file, &f);
	if (!l || !f.path)
		return NULL;
	if (f.is_newer && !*f.told) {
		*f.told = true;
		bw_debug_note(d, BW_NOTICE_WARNING, "Source file is more recent than executable");
	}
	return bw_lines_text(l, file, line);
}

void bw_debug_source_missing(struct bw_debug *d, const char *file, unsigned line, char *out,
			     size_t out_b)
{
	struct bw_source_file f;
	bool first = lines_of(d, file, &f) && !f.path && !*f.told;
	if (first)
		*f.told = true;
	snprintf(out, out_b, first ? "%u\t%s: No such file or directory." : "%u\tin %s", line,
		 first ? file : bw_base_name(file));
}
