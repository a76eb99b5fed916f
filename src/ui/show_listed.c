// SPDX-License-Identifier: MIT
/* Lists of all functions, variables and types, as gdb shows them. */
#include "ui/show_program.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/demangle.h"

struct row {
	const struct bw_listed *x;
	char *text; /* owned */
};

struct listing {
	enum bw_listed_kind kind;
	const char *pattern;
	regex_t regex;
	struct BW_VEC(struct row) rows;
	struct BW_VEC(struct bw_debug_listed) objects;
	json_t *json;
};

static bool is_wanted(const struct listing *s, const char *name)
{
	return !s->pattern[0] || !regexec(&s->regex, name, 0, NULL, 0);
}

/* "static int f(int, float *);" */
static void text_of(const struct listing *s, const struct bw_listed *x, struct bw_str *out)
{
	char name[BW_TYPE_NAME_MAX];
	const struct bw_ctype *t = x->type;
	if (x->is_static)
		bw_str_add(out, "static ");
	if (s->kind == BW_LISTED_FUNCTIONS) {
		bw_ctype_name(t, name, sizeof(name));
		size_t n = strlen(name);
		bw_str_addf(out, "%s%s%s(%s);", name, n && name[n - 1] == '*' ? "" : " ", x->name,
			    x->params);
	} else if (s->kind == BW_LISTED_VARIABLES) {
		bw_show_declared(t, x->name, out);
		bw_str_add(out, ";");
	} else if (x->is_typedef) {
		bw_str_add(out, "typedef ");
		bw_show_declared(t->elem ? t->elem : t, x->name, out);
		bw_str_add(out, ";");
	} else {
		bw_ctype_name(t, name, sizeof(name));
		bw_str_addf(out, "%s%s", name, x->line ? ";" : "");
	}
}

static int compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

static int by_file(const void *pa, const void *pb)
{
	const struct bw_listed *a = ((const struct row *)pa)->x, *b = ((const struct row *)pb)->x;
	int order = compare(a->file, b->file);
	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static struct bw_error *gather(struct listing *s, struct bw_debug *d)
{
	struct bw_debug_listed x;
	struct bw_error *err = NULL;
	for (size_t i = 0; bw_debug_list(d, i, s->kind, &x, &err); i++) {
		BW_TRY(err);
		err = bw_vec_push(&s->objects, x);
		if (err) {
			bw_listed_free(x.list, x.n);
			free(x.symbols);
			return err;
		}
		for (size_t k = 0; k < x.n; k++) {
			struct bw_str text = {0};
			if (!is_wanted(s, x.list[k].name))
				continue;
			text_of(s, &x.list[k], &text);
			struct row row = {&x.list[k], strdup(bw_str_text(&text))};
			bw_str_free(&text);
			err = row.text ? bw_vec_push(&s->rows, row) : bw_error_nomem();
			if (err) {
				free(row.text);
				return err;
			}
		}
	}
	if (s->rows.len)
		qsort(s->rows.data, s->rows.len, sizeof(s->rows.data[0]), by_file);
	return NULL;
}

static void show_rows(const struct listing *s, struct bw_out *o)
{
	const struct row *before = NULL;
	for (size_t i = 0; i < s->rows.len; i++) {
		const struct row *row = &s->rows.data[i];
		const struct bw_listed *x = row->x;
		/* a header's are in each code object that includes it */
		if (before && !by_file(before, row) && !strcmp(before->text, row->text))
			continue;
		if (!before || compare(before->x->file, x->file))
			bw_out_line(o, "\nFile %s:", x->file ? x->file : "<unknown>");
		if (x->line)
			bw_out_line(o, "%u:\t%s", x->line, row->text);
		else
			bw_out_line(o, "\t%s", row->text);
		json_t *entry = json_object();
		json_object_set_new(entry, "name", bw_json_text(x->name));
		if (x->file)
			json_object_set_new(entry, "file", bw_json_text(x->file));
		if (x->line)
			json_object_set_new(entry, "line", json_integer(x->line));
		json_object_set_new(entry, "text", bw_json_text(row->text));
		json_array_append_new(s->json, entry);
		before = row;
	}
}

static void show_symbols(const struct listing *s, struct bw_out *o)
{
	bool any = false;
	bw_vec_each(&s->objects, x) {
		for (size_t i = 0; i < x->n_symbols; i++) {
			const struct bw_symbol *symbol = x->symbols[i];
			uint64_t address = x->base + symbol->addr;
			_cleanup_free_ char *pretty = bw_demangle(symbol->name);
			const char *name = pretty ? pretty : symbol->name;
			if (!is_wanted(s, name))
				continue;
			if (!any)
				bw_out_line(o, "\nNon-debugging symbols:");
			any = true;
			bw_out_line(o, "0x%016" PRIx64 "  %s", address, name);
			json_t *entry = json_object();
			json_object_set_new(entry, "name", bw_json_text(name));
			json_object_set_new(entry, "address", json_integer((json_int_t)address));
			json_array_append_new(s->json, entry);
		}
	}
}

static void free_listing(struct listing *s)
{
	bw_vec_each(&s->rows, row)
		free(row->text);
	bw_vec_each(&s->objects, x) {
		bw_listed_free(x->list, x->n);
		free(x->symbols);
	}
	bw_vec_free(&s->rows);
	bw_vec_free(&s->objects);
	json_decref(s->json);
	if (s->pattern[0])
		regfree(&s->regex);
}

struct bw_error *bw_show_regex(const char *text, regex_t *out)
{
	int bad = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
	if (!bad)
		return NULL;
	char why[128];
	regerror(bad, out, why, sizeof(why));
	return bw_errorf(BW_E_INVALID, "Invalid regexp: %s: %s", why, text);
}

struct bw_error *bw_show_listed(struct bw_out *o, struct bw_debug *d, enum bw_listed_kind kind,
				const char *regex)
{
	static const char *const words[] = {"functions", "variables", "types"};
	struct listing s = {.kind = kind, .pattern = regex};
	if (regex[0])
		BW_TRY(bw_show_regex(regex, &s.regex));
	s.json = json_array();
	struct bw_error *err = gather(&s, d);
	if (!err) {
		if (regex[0])
			bw_out_line(o, "All %s matching regular expression \"%s\":", words[kind],
				    regex);
		else
			bw_out_line(o, "All defined %s:", words[kind]);
		show_rows(&s, o);
		show_symbols(&s, o);
		bw_out_json(o, "symbols", json_incref(s.json));
	}
	free_listing(&s);
	return err;
}
