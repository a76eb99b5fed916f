/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* Commands that show code: disassemble, list. */

/* "/sr " -> flags */
static struct bw_error *take_modifiers(const char **args, unsigned *out_flags)
{
	*out_flags = 0;
	while (**args == '/') {
		char word[16];
		bw_take_word(args, word, sizeof(word));
		for (const char *p = word + 1; *p; p++) {
			if (*p == 's' || *p == 'm')
				*out_flags |= BW_DIS_SOURCE;
			else if (*p == 'r')
				*out_flags |= BW_DIS_RAW;
			else
				return bw_errorf(BW_E_INVALID, "\"disassemble\" has the modifiers s and r, not \"%c\"", *p);
		}
	}
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
		if (!held)
			BW_TRY(bw_cli_need_wave(c, &w));
		start = held ? held->desc.code_va : w->pc;
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
			return bw_errorf(BW_E_INVALID, "The range ends at 0x%llx, before it begins", (unsigned long long)end);
	}
	_cleanup_free_ struct bw_dis_line *lines = NULL;
	size_t n;
	BW_TRY(bw_debug_disassemble(c->debug, start, end, 0, &lines, &n));
	bw_show_code(c->out, lines, n, flags);
	return NULL;
}

/* The file and line that "list" without a place begins with. */
static struct bw_error *current_place(struct bw_cli *c, const char **out_file, unsigned *out_line)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_cli_need_wave(c, &w));
	struct bw_where where;
	bw_debug_where(c->debug, w->pc, &where);
	if (!where.has_line)
		return bw_errorf(BW_E_NOT_FOUND, "The code at 0x%llx has no source lines; \"disassemble\" shows it",
				 (unsigned long long)w->pc);
	*out_file = where.line.file;
	*out_line = where.line.line;
	return NULL;
}

struct bw_error *bw_cmd_list(struct bw_cli *c, const char *args)
{
	const char *file = c->list_file;
	unsigned first = c->list_next;
	_cleanup_free_ char *text = strdup(args);
	if (!text)
		return bw_error_nomem();
	char *colon = strrchr(text, ':');
	uint64_t line;
	if (args[0]) {
		if (!bw_parse_u64(colon ? colon + 1 : text, &line) || !line || line > 1u << 30)
			return bw_errorf(BW_E_INVALID, "\"list\" takes LINE or FILE:LINE, not \"%s\"", args);
		unsigned unused;
		if (colon)
			*colon = '\0', file = text;
		else if (!file)
			BW_TRY(current_place(c, &file, &unused));
		first = line > 5 ? (unsigned)line - 5 : 1;
	} else if (!file) {
		unsigned at;
		BW_TRY(current_place(c, &file, &at));
		first = at > 5 ? at - 5 : 1;
	}
	char *kept = strdup(file);
	if (!kept)
		return bw_error_nomem();
	free(c->list_file);
	c->list_file = kept;
	unsigned i = first;
	for (; i < first + 10; i++) {
		const char *source = bw_debug_source_line(c->debug, kept, i);
		if (!source)
			break;
		bw_out_line(c->out, "%u\t%s", i, source);
	}
	c->list_next = i;
	if (i == first)
		return bw_errorf(BW_E_NOT_FOUND, "There is no line %u in %s", first, kept);
	return NULL;
}
