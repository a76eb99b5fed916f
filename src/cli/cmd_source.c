/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/code.h"
#include "debug/expressions.h"
#include "debug/frames.h"
#include "debug/source.h"
#include "debug/variables.h"
#include "ui/show_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"

/* Commands about source files and what is in them: info line, info source, info sources, info
 * address; directory and set substitute-path. */

/* "0x7f001018 <kernel+16>" */
static void add_address(struct bw_cli *c, uint64_t va, struct bw_str *out)
{
	char name[256];
	bw_debug_symbolize(c->debug, va, name, sizeof(name));
	bw_str_addf(out, "0x%llx%s%s", (unsigned long long)va, name[0] ? " " : "", name);
}

/* ---- info line ---- */

static void show_range(struct bw_cli *c, const struct bw_code_range *r)
{
	struct bw_str start = {0}, end = {0};
	add_address(c, r->start, &start);
	add_address(c, r->end, &end);
	switch (r->kind) {
	case BW_RANGE_CODE:
		bw_out_line(c->out, "Line %u of \"%s\" starts at address %s and ends at %s.",
			    r->line, bw_base_name(r->file), bw_str_text(&start), bw_str_text(&end));
		break;
	case BW_RANGE_EMPTY:
		bw_out_line(c->out, "Line %u of \"%s\" is at address %s but contains no code.",
			    r->line, bw_base_name(r->file), bw_str_text(&start));
		break;
	case BW_RANGE_OUTSIDE:
		bw_out_line(c->out, "Line number %u is out of range for \"%s\".", r->line,
			    bw_base_name(r->file));
		break;
	case BW_RANGE_NO_LINE:
		bw_out_line(c->out, "No line number information available for address %s",
			    bw_str_text(&start));
		break;
	}
	bw_str_free(&start);
	bw_str_free(&end);
}

static json_t *range_json(const struct bw_code_range *r)
{
	json_t *row = json_object();
	json_object_set_new(row, "file", bw_json_text(r->file));
	json_object_set_new(row, "line", json_integer(r->line));
	json_object_set_new(row, "has_code", json_boolean(r->kind == BW_RANGE_CODE));
	if (r->kind == BW_RANGE_OUTSIDE)
		return row;
	json_object_set_new(row, "start", json_sprintf("0x%llx", (unsigned long long)r->start));
	json_object_set_new(row, "end", json_sprintf("0x%llx", (unsigned long long)r->end));
	return row;
}

struct bw_error *bw_info_line(struct bw_cli *c, const char *args)
{
	_cleanup_free_ struct bw_code_range *list = NULL;
	size_t n;
	BW_TRY(bw_debug_line_ranges(c->debug, args, &list, &n));
	json_t *rows = json_array();
	for (size_t i = 0; i < n; i++) {
		show_range(c, &list[i]);
		if (list[i].kind != BW_RANGE_NO_LINE)
			json_array_append_new(rows, range_json(&list[i]));
	}
	if (list[0].kind == BW_RANGE_CODE || list[0].kind == BW_RANGE_EMPTY)
		bw_cli_examine_next(c, list[0].start);
	if (!json_array_size(rows)) {
		json_decref(rows);
		return NULL;
	}
	struct bw_where where;
	bw_debug_where(c->debug, list[0].start, &where);
	bw_out_str(c->out, "file", list[0].file);
	bw_out_int(c->out, "line", list[0].line);
	if (where.function && list[0].kind != BW_RANGE_OUTSIDE) {
		bw_out_str(c->out, "function", where.function);
		bw_out_int(c->out, "offset", (int64_t)where.offset_b);
	}
	bw_out_json(c->out, "ranges", rows);
	return NULL;
}

/* ---- info source, info sources ---- */

static void show_unit(struct bw_cli *c, const struct bw_source_unit *u)
{
	bw_out_line(c->out, "Source language is %s.", u->language);
	bw_out_str(c->out, "language", u->language);
	if (u->producer) {
		bw_out_line(c->out, "Producer is %s.", u->producer);
		bw_out_str(c->out, "producer", u->producer);
	}
	bw_out_line(c->out, "Compiled with DWARF %u debugging format.", u->dwarf_version);
	bw_out_int(c->out, "dwarf", u->dwarf_version);
}

struct bw_error *bw_info_source(struct bw_cli *c, const char *args)
{
	_cleanup_free_ char *found = NULL;
	unsigned line = c->shown.list_first;
	struct bw_source_info info;
	if (!c->shown.list_file)
		BW_TRY(bw_debug_source_of(c->debug, "", &found, &line));
	const char *file = c->shown.list_file ? c->shown.list_file : found;
	bw_out_line(c->out, "Current source file is %s, line %u.", bw_base_name(file), line);
	bw_out_str(c->out, "file", file);
	bw_out_int(c->out, "line", line);
	if (!bw_debug_source_info(c->debug, file, &info))
		return NULL;
	if (info.has_unit && info.unit.folder)
		bw_out_line(c->out, "Compilation directory is %s", info.unit.folder);
	if (info.file.path) {
		bw_out_line(c->out, "Located in %s", info.file.path);
		bw_out_line(c->out, "Contains %zu line%s.", info.file.n_lines,
			    info.file.n_lines == 1 ? "" : "s");
		bw_out_str(c->out, "located", info.file.path);
		bw_out_int(c->out, "lines", (int64_t)info.file.n_lines);
		bw_out_bool(c->out, "changed", info.file.is_newer);
	} else {
		bw_out_line(c->out,
			    "It cannot be read: %s (\"directory\" and \"set "
			    "substitute-path\" say where else it may be)",
			    file);
	}
	if (info.file.is_newer)
		bw_out_line(c->out, "It was changed after it was compiled.");
	if (info.has_unit)
		show_unit(c, &info.unit);
	return NULL;
}

struct bw_error *bw_info_sources(struct bw_cli *c, const char *args)
{
	const char *object, *const *files;
	size_t n;
	json_t *list = json_array();
	for (size_t i = 0; bw_debug_source_files(c->debug, i, &object, &files, &n); i++) {
		struct bw_str s = {0};
		for (size_t k = 0; k < n; k++) {
			if (!strstr(files[k], args))
				continue;
			bw_str_add_next(&s, files[k]);
			json_array_append_new(list, bw_json_text(files[k]));
		}
		bw_out_line(c->out, "%s:", object);
		bw_out_line(c->out, "%s", n ? "" : "(Objfile has no debug information.)");
		if (n)
			bw_out_line(c->out, "%s\n", bw_str_text(&s));
		bw_str_free(&s);
	}
	bw_out_json(c->out, "files", list);
	return NULL;
}

/* ---- info address ---- */

struct place_range {
	uint64_t start, end;
	struct bw_location at;
};

/* The next range from `start` on in which the variable has a place. False: there is none. */
static bool next_place(struct bw_cli *c, const struct bw_variable *v, uint64_t start, uint64_t end,
		       struct place_range *out)
{
	while (start < end && bw_debug_variable_place(c->debug, start, v, &out->at)) {
		out->start = start;
		out->end = BW_MIN(BW_MAX(out->at.end, start + 4), end);
		if (out->at.n_pieces || out->at.kind != BW_LOC_OPTIMIZED_OUT)
			return true;
		start = out->end;
	}
	return false;
}

static void show_places(struct bw_cli *c, const struct bw_variable *v, uint64_t start, uint64_t end)
{
	uint64_t size_b = bw_ctype_strip(v->type)->size_b;
	struct place_range r;
	json_t *rows = json_array();
	bool any = next_place(c, v, start, end, &r), one = any && r.start == start && r.end == end;
	if (!any)
		bw_out_line(c->out, "Symbol \"%s\" is optimized out.", v->name);
	else if (!one)
		bw_out_line(c->out, "Symbol \"%s\" is multi-location:", v->name);
	for (; any; any = next_place(c, v, r.end, end, &r)) {
		struct bw_str s = {0};
		bw_show_location(&r.at, size_b, &s);
		if (one)
			bw_out_line(c->out, "Symbol \"%s\" is a variable %s.", v->name,
				    bw_str_text(&s));
		else
			bw_out_line(c->out, "  Range 0x%llx-0x%llx: a variable %s",
				    (unsigned long long)r.start, (unsigned long long)r.end,
				    bw_str_text(&s));
		json_t *row = json_object();
		json_object_set_new(row, "start",
				    json_sprintf("0x%llx", (unsigned long long)r.start));
		json_object_set_new(row, "end", json_sprintf("0x%llx", (unsigned long long)r.end));
		json_object_set_new(row, "place", bw_json_text(bw_str_text(&s)));
		json_array_append_new(rows, row);
		bw_str_free(&s);
	}
	bw_out_json(c->out, "places", rows);
}

/* The variable that the name means in the selected frame; false: none. */
static bool find_variable(struct bw_cli *c, const char *name, struct bw_variable *out)
{
	const struct bw_variable *list;
	size_t n;
	struct bw_error *err = bw_debug_variables(c->debug, &list, &n);
	bool found = false;
	for (size_t i = 0; !err && !found && i < n; i++) {
		found = !strcmp(list[i].name, name);
		if (found)
			*out = list[i];
	}
	bw_error_free(err);
	return found;
}

struct bw_error *bw_info_address(struct bw_cli *c, const char *args)
{
	struct bw_variable v;
	struct bw_stack_frame f;
	enum bw_space space;
	uint64_t start, end, va;
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"info address\" takes a symbol");
	bw_out_str(c->out, "name", args);
	if (find_variable(c, args, &v)) {
		BW_TRY(bw_debug_selected_frame(c->debug, &f));
		BW_TRY(bw_debug_function_range(c->debug, f.at, &start, &end));
		show_places(c, &v, start, end);
		return NULL;
	}
	struct bw_where where = {0};
	struct bw_error *err = bw_cli_eval_address(c, args, &space, &va);
	if (!err)
		bw_debug_where(c->debug, va, &where);
	bw_error_free(err);
	if (err || !where.function || where.offset_b)
		return bw_errorf(BW_E_NOT_FOUND, "No symbol \"%s\" in current context", args);
	bw_out_line(c->out, "Symbol \"%s\" is a function at address 0x%llx.", args,
		    (unsigned long long)va);
	bw_out_hex(c->out, "address", va);
	return NULL;
}

/* ---- directory, set directories, set substitute-path ---- */

/* The sources are listed anew, from where they are found now. */
static void changed(struct bw_cli *c)
{
	bw_cli_forget_list(c);
}

static void show_folders(struct bw_cli *c)
{
	struct bw_str s = {0};
	bw_vec_each(&bw_debug_source_paths(c->debug)->folders, f)
		bw_str_addf(&s, "%s%s", s.len ? ":" : "", *f);
	bw_out_line(c->out, "Source directories searched: %s", bw_str_text(&s));
	bw_out_str(c->out, "directories", bw_str_text(&s));
	bw_str_free(&s);
}

/* An absolute path without "/" at its end; gdb's words for folders stay. Owned. */
static char *absolute(const char *folder)
{
	char *out = NULL;
	_cleanup_free_ char *cwd = folder[0] == '/' || folder[0] == '$' ? NULL : getcwd(NULL, 0);
	if (asprintf(&out, "%s%s%s", cwd ? cwd : "", cwd ? "/" : "", folder) < 0)
		return NULL;
	size_t n = strlen(out);
	while (n > 1 && out[n - 1] == '/')
		out[--n] = 0;
	return out;
}

static struct bw_error *add_folder(struct bw_cli *c, const char *folder)
{
	struct stat st;
	_cleanup_free_ char *path = absolute(folder);
	if (!path)
		return bw_error_nomem();
	if (path[0] != '$' && (stat(path, &st) || !S_ISDIR(st.st_mode)))
		bw_out_line(c->out, "Warning: %s: No such file or directory.", path);
	return bw_source_paths_add(bw_debug_source_paths(c->debug), path);
}

/* "A:B C": the first one is searched first. */
static struct bw_error *add_folders(struct bw_cli *c, const char *list)
{
	_cleanup_free_ char *text = strdup(list);
	if (!text)
		return bw_error_nomem();
	for (size_t n = strlen(text); n; n = strlen(text)) {
		while (n && !strchr(": \t", text[n - 1]))
			n--;
		if (text[n])
			BW_TRY(add_folder(c, text + n));
		text[n ? n - 1 : 0] = 0;
	}
	return NULL;
}

struct bw_error *bw_cmd_directory(struct bw_cli *c, const char *args)
{
	if (args[0])
		BW_TRY(add_folders(c, args));
	else
		BW_TRY(bw_source_paths_reset(bw_debug_source_paths(c->debug)));
	changed(c);
	show_folders(c);
	return NULL;
}

struct bw_error *bw_cli_set_folders(struct bw_cli *c, const char *list)
{
	BW_TRY(bw_source_paths_reset(bw_debug_source_paths(c->debug)));
	changed(c);
	return add_folders(c, list);
}

struct bw_error *bw_cli_set_substitute(struct bw_cli *c, const char *args)
{
	char from[1024], to[1024];
	bw_take_word(&args, from, sizeof(from));
	bw_take_word(&args, to, sizeof(to));
	if (!to[0] || args[0])
		return bw_errorf(BW_E_INVALID, "\"set substitute-path\" takes FROM and TO");
	for (char *p = from; *p; p++) /* not "/": it is the root */
		if (*p == '/' && !p[1] && p != from)
			*p = 0;
	changed(c);
	return bw_source_paths_substitute(bw_debug_source_paths(c->debug), from, to);
}

struct bw_error *bw_cmd_unset(struct bw_cli *c, const char *args)
{
	char word[64], from[1024];
	bw_take_word(&args, word, sizeof(word));
	bw_take_word(&args, from, sizeof(from));
	if (strcmp(word, "substitute-path") != 0)
		return bw_errorf(BW_E_INVALID, "\"unset\" takes substitute-path [FROM]");
	changed(c);
	if (!bw_source_paths_forget(bw_debug_source_paths(c->debug), from[0] ? from : NULL) &&
	    from[0])
		return bw_errorf(BW_E_NOT_FOUND, "No substitution rule defined for `%s'", from);
	return NULL;
}

static void show_rules(struct bw_cli *c, const char *path)
{
	json_t *rows = json_array();
	if (path[0])
		bw_out_line(c->out, "Source path substitution rule matching `%s':", path);
	else
		bw_out_line(c->out, "List of all source path substitution rules:");
	bw_vec_each(&bw_debug_source_paths(c->debug)->rules, r) {
		if (path[0] && !bw_source_rule_fits(r, path))
			continue;
		bw_out_line(c->out, "  `%s' -> `%s'.", r->from, r->to);
		json_t *row = json_object();
		json_object_set_new(row, "from", bw_json_text(r->from));
		json_object_set_new(row, "to", bw_json_text(r->to));
		json_array_append_new(rows, row);
	}
	bw_out_json(c->out, "rules", rows);
}

bool bw_cli_show_paths(struct bw_cli *c, const char *word, const char *rest)
{
	bool folders = !strcmp(word, "directories"), rules = !strcmp(word, "substitute-path");
	if (folders)
		show_folders(c);
	else if (rules)
		show_rules(c, rest);
	return folders || rules;
}
