/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/code.h"
#include "debug/expressions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Commands about source files and what is in them: info line. */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

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
			    r->line, base_name(r->file), bw_str_text(&start), bw_str_text(&end));
		break;
	case BW_RANGE_EMPTY:
		bw_out_line(c->out, "Line %u of \"%s\" is at address %s but contains no code.",
			    r->line, base_name(r->file), bw_str_text(&start));
		break;
	case BW_RANGE_OUTSIDE:
		bw_out_line(c->out, "Line number %u is out of range for \"%s\".", r->line,
			    base_name(r->file));
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
