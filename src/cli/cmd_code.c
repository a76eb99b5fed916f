/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/code.h"
#include "debug/dispatches.h"
#include "debug/frames.h"
#include "debug/source.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

/* Commands that show code: disassemble, list. */

/* "/sr " */
static struct bw_error *take_modifiers(const char **args, unsigned *out_flags)
{
	*out_flags = 0;
	while (**args == '/') {
		char word[16];
		bw_take_word(args, word, sizeof(word));
		for (const char *p = word + 1; *p; p++) {
			if (*p == 's')
				*out_flags |= BW_DIS_SOURCE;
			else if (*p == 'm')
				*out_flags |= BW_DIS_BY_LINE;
			else if (*p == 'r')
				*out_flags |= BW_DIS_RAW;
			else
				return bw_errorf(
					BW_E_INVALID,
					"\"disassemble\" has the modifiers s, m and r, not \"%c\"",
					*p);
		}
	}
	if (*out_flags & BW_DIS_SOURCE && *out_flags & BW_DIS_BY_LINE)
		return bw_errorf(BW_E_INVALID, "Cannot specify both /m and /s");
	return NULL;
}

/* Splits at the first comma outside brackets and parentheses. */
static char *split_comma(char *text)
{
	int depth = 0;
	for (char *p = text; *p; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		else if (*p == ')' || *p == ']')
			depth--;
		else if (*p == ',' && depth == 0) {
			*p = '\0';
			return p + 1;
		}
	}
	return NULL;
}

struct bw_error *bw_cmd_disassemble(struct bw_cli *c, const char *args)
{
	unsigned flags;
	BW_TRY(take_modifiers(&args, &flags));
	_cleanup_free_ char *text = strdup(args);
	if (!text)
		return bw_error_nomem();
	char *second = split_comma(text);
	enum bw_space space;
	uint64_t start, end;
	if (text[0]) {
		BW_TRY(bw_cli_eval_address(c, text, &space, &start));
	} else {
		const struct bw_wave_info *w = bw_debug_focus(c->debug);
		const struct bw_dispatch_info *held = w ? NULL : bw_debug_held(c->debug);
		struct bw_stack_frame f = {.at = held ? held->desc.code_va : 0};
		if (!held) {
			BW_TRY(bw_session_need_wave(c->session, &w));
			BW_TRY(bw_debug_selected_frame(c->debug, &f));
		}
		start = f.at;
	}
	if (!second) {
		uint64_t at = start;
		struct bw_error *err = bw_debug_function_range(c->debug, at, &start, &end);
		if (bw_error_catch(&err, BW_E_NOT_FOUND)) {
			/* Code without symbols: what comes next. */
			start = at;
			end = at + 64;
		}
		BW_TRY(err);
	} else {
		second = (char *)bw_skip_blanks(second);
		bool length = *second == '+';
		BW_TRY(bw_cli_eval_address(c, second + length, &space, &end));
		if (length)
			end += start;
		if (end <= start)
			return bw_errorf(BW_E_INVALID, "The range ends at 0x%llx, before it begins",
					 (unsigned long long)end);
	}
	_cleanup_free_ struct bw_dis_line *lines = NULL;
	size_t n;
	BW_TRY(bw_debug_disassemble(c->debug, start, end, 0, &lines, &n));
	const struct bw_code_listing listing = {lines, n, flags, second != NULL, start, end};
	bw_show_code(c->out, c->debug, &listing);
	return NULL;
}

enum { LIST_LINES = 10 };

void bw_cli_forget_list(struct bw_cli *c)
{
	free(c->shown.list_file);
	c->shown.list_file = NULL;
}

unsigned bw_cli_list_size(const struct bw_cli *c)
{
	return c->shown.list_size ? c->shown.list_size : LIST_LINES;
}

/* Lines [first, last] of the file that is listed; fewer where it ends. */
static struct bw_error *show_lines(struct bw_cli *c, unsigned first, unsigned last)
{
	unsigned i = first;
	struct bw_source_info info;
	bool known = bw_debug_source_info(c->debug, c->shown.list_file, &info);
	if (known && info.file.path && first > info.file.n_lines)
		return bw_errorf(BW_E_NOT_FOUND,
				 "Line number %u out of range; \"%s\" has %zu lines", first,
				 c->shown.list_file, info.file.n_lines);
	json_t *lines = json_array();
	if (known && !info.file.path) { /* gdb's sentence, and no error */
		bw_show_source_line(c->out, c->debug, c->shown.list_file, first);
		i = last + 1;
	}
	for (; i <= last; i++) {
		const char *source = bw_debug_source_line(c->debug, c->shown.list_file, i);
		if (!source)
			break;
		bw_out_painted(c->out, BW_PAINT_SOURCE, "%u\t%s", i, source);
		json_array_append_new(lines, bw_json_text(source));
	}
	bw_out_str(c->out, "file", c->shown.list_file);
	bw_out_int(c->out, "line", first);
	bw_out_json(c->out, "source", lines);
	c->shown.list_first = first;
	c->shown.list_next = i;
	if (i != first)
		return NULL;
	struct bw_error *err =
		bw_errorf(BW_E_NOT_FOUND, "No source file is named %s in what is known so far",
			  c->shown.list_file);
	bw_cli_forget_list(c);
	return err;
}

/* A function's first line, as gdb lists it: not that where a breakpoint on it stops. */
static bool function_line(struct bw_cli *c, const char *text, char **out_file, unsigned *out_line)
{
	_cleanup_free_ struct bw_code_range *list = NULL;
	size_t n = 0, i = 0;
	while (isalnum((unsigned char)text[i]) || text[i] == '_')
		i++;
	if (!i || text[i] || isdigit((unsigned char)text[0]))
		return false;
	struct bw_error *err = bw_debug_line_ranges(c->debug, text, &list, &n);
	bool found = !err && list[0].file;
	bw_error_free(err);
	*out_file = found ? strdup(list[0].file) : NULL;
	if (*out_file)
		*out_line = list[0].line;
	return *out_file != NULL;
}

/* The line of a place, whose file is the one that is listed from here on. */
static struct bw_error *take_place(struct bw_cli *c, const char *text, unsigned *out_line)
{
	char *file;
	uint64_t line;
	/* a number alone is a line of what is listed */
	if (c->shown.list_file && bw_parse_u64(text, &line) && line && line < 1u << 30) {
		*out_line = (unsigned)line;
		return NULL;
	}
	if (!function_line(c, text, &file, out_line))
		BW_TRY(bw_debug_source_of(c->debug, text, &file, out_line));
	free(c->shown.list_file);
	c->shown.list_file = file;
	return NULL;
}

/* "FIRST,LAST", "FIRST,", ",LAST" */
static struct bw_error *list_range(struct bw_cli *c, char *first_text, char *last_text)
{
	unsigned first = 0, last = 0, size = bw_cli_list_size(c);
	if (!first_text[0] && !last_text[0])
		return bw_errorf(BW_E_INVALID, "Two empty arguments do not say what lines to list");
	if (first_text[0])
		BW_TRY(take_place(c, first_text, &first));
	if (last_text[0])
		BW_TRY(take_place(c, last_text, &last));
	if (!first)
		first = last > size - 1 ? last - (size - 1) : 1;
	if (!last)
		last = first + size - 1;
	if (last < first)
		return bw_errorf(BW_E_INVALID, "The range ends in line %u, before it begins (%u)",
				 last, first);
	return show_lines(c, first, last);
}

struct bw_error *bw_cmd_list(struct bw_cli *c, const char *args)
{
	unsigned line, size = bw_cli_list_size(c);
	if (!strcmp(args, "-")) {
		if (!c->shown.list_file || c->shown.list_first <= 1)
			return bw_errorf(BW_E_STATE, "Already at the start%s%s",
					 c->shown.list_file ? " of " : "",
					 c->shown.list_file ? c->shown.list_file : "");
		unsigned first = c->shown.list_first > size ? c->shown.list_first - size : 1;
		return show_lines(c, first, c->shown.list_first - 1);
	}
	if (!args[0] && c->shown.list_file)
		return show_lines(c, c->shown.list_next, c->shown.list_next + size - 1);
	_cleanup_free_ char *text = strdup(args);
	if (!text)
		return bw_error_nomem();
	char *comma = split_comma(text);
	if (comma)
		return list_range(c, text, (char *)bw_skip_blanks(comma));
	BW_TRY(take_place(c, text, &line));
	unsigned first = line > size / 2 ? line - size / 2 : 1;
	return show_lines(c, first, first + size - 1);
}
