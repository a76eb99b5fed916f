// SPDX-License-Identifier: MIT
/* The code of source lines, for "info line". */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code.h"
#include "debug/code/code_priv.h"

#include <stdlib.h>

struct ranges BW_VEC(struct bw_code_range);

/* Code of a module as it lies at base. */
static struct bw_error *add_range(struct ranges *out, const struct bw_line_range *r, uint64_t base)
{
	struct bw_code_range range = {.kind = r->start < r->end ? BW_RANGE_CODE : BW_RANGE_EMPTY,
				      .file = r->file,
				      .line = r->line,
				      .start = base + r->start,
				      .end = base + r->end};
	bw_vec_each(out, it)
		if (it->kind == range.kind && it->start == range.start && it->end == range.end)
			return NULL;
	return bw_vec_push(out, range);
}

/* Adds the line of an address, or the address alone. */
static struct bw_error *add_address(const struct bw_module *m, uint64_t base, uint64_t va,
				    struct ranges *out)
{
	struct bw_line_range r;
	struct bw_code_range none = {.kind = BW_RANGE_NO_LINE, .start = va, .end = va};
	if (m && m->lines && bw_lines_range_at(m->lines, va - base, &r))
		return add_range(out, &r, base);
	return bw_vec_push(out, none);
}

static const char *file_in(const struct bw_module *m, const char *name)
{
	const char *const *files;
	size_t n = m->lines ? bw_lines_files(m->lines, &files) : 0;
	for (size_t i = 0; i < n; i++)
		if (bw_lines_is_file(files[i], name))
			return files[i];
	return NULL;
}

static struct bw_error *in_module(struct bw_module *m, uint64_t base, const struct bw_where_spec *s,
				  struct ranges *out)
{
	struct bw_addr_vec found = {0};
	struct bw_where_spec entry = *s;
	struct bw_line_range *list = NULL;
	size_t n = 0;
	struct bw_error *err = NULL;
	if (s->kind == BW_WHERE_LINE) {
		if (m->lines)
			err = bw_lines_ranges(m->lines, s->name, s->line, &list, &n);
		for (size_t i = 0; !err && i < n; i++)
			err = add_range(out, &list[i], base);
		free(list);
		return err;
	}
	/* the line of a function is that of its first instruction, before the prologue */
	entry.plain = false;
	err = bw_where_in_module(m, &entry, base, &found);
	if (!err && !found.len)
		err = bw_where_in_module(m, s, base, &found);
	for (size_t i = 0; !err && i < found.len; i++)
		err = add_address(m, base, found.data[i], out);
	bw_vec_free(&found);
	return err;
}

/* Finds the ranges in the loaded code or, if it has none, in the images of the code objects. */
static struct bw_error *in_all(struct bw_debug *d, const struct bw_where_spec *s,
			       struct ranges *out)
{
	bw_vec_each(&d->code->loads, l)
		if (l->space == d->space)
			BW_TRY(in_module(l->module, l->base, s, out));
	for (size_t i = 0; !out->len && i < d->code->modules.len; i++)
		BW_TRY(in_module(d->code->modules.data[i], 0, s, out));
	return NULL;
}

static struct bw_error *find_ranges(struct bw_debug *d, const struct bw_where_spec *s,
				    struct ranges *out)
{
	if (s->kind == BW_WHERE_ADDRESS) {
		struct bw_load *l = bw_debug_load_at(d, s->offset_b);
		return add_address(l ? l->module : NULL, l ? l->base : 0, s->offset_b, out);
	}
	BW_TRY(in_all(d, s, out));
	bw_vec_each(&d->code->modules, m) {
		bool wanted = !out->len && s->kind == BW_WHERE_LINE;
		const char *file = wanted ? file_in(*m, s->name) : NULL;
		struct bw_code_range outside = {
			.kind = BW_RANGE_OUTSIDE, .file = file, .line = s->line};
		if (file)
			return bw_vec_push(out, outside);
	}
	if (out->len)
		return NULL;
	BW_TRY(bw_where_check(d, s));
	return bw_errorf(BW_E_NOT_FOUND, "The code of \"%s\" is not known", s->name);
}

struct bw_error *bw_debug_line_ranges(struct bw_debug *d, const char *where,
				      struct bw_code_range **out, size_t *out_n)
{
	struct bw_where_spec spec = {0};
	struct ranges found = {0};
	struct bw_error *err = bw_where_parse(d, where, &spec);
	if (!err)
		err = find_ranges(d, &spec, &found);
	bw_where_spec_fini(&spec);
	if (err) {
		bw_vec_free(&found);
		return err;
	}
	*out = found.data;
	*out_n = found.len;
	return NULL;
}
