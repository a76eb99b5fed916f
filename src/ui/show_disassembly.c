/* SPDX-License-Identifier: MIT */
#include "ui/show.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* Instructions as gdb's "disassemble" lists them, alone or with their source lines. */

enum { ADDRESS_B = 27, WORDS_B = 28 }; /* columns of text */

static bool has_line(const struct bw_dis_line *l)
{
	return l->line.line && !l->line.approximate;
}

static bool same_file(const struct bw_dis_line *a, const struct bw_dis_line *b)
{
	return has_line(a) == has_line(b) && (!has_line(a) || a->line.file == b->line.file ||
					      !strcmp(a->line.file, b->line.file));
}

static bool same_line(const struct bw_dis_line *a, const struct bw_dis_line *b)
{
	return same_file(a, b) && (!has_line(a) || a->line.line == b->line.line);
}

/* "=> 0x7ffe1018 <+24>:  s_waitcnt lgkmcnt(0)"; of a range the function's name is with it */
static void add_instruction(struct bw_out *o, const struct bw_code_listing *c,
			    const struct bw_dis_line *l)
{
	struct bw_str s = {0};
	bw_str_addf(&s, "%s 0x%012llx", l->is_pc ? "=>" : "  ", (unsigned long long)l->addr);
	if (l->function)
		bw_str_addf(&s, " <%s+%llu>", c->is_range ? l->function : "",
			    (unsigned long long)l->offset_b);
	bw_str_add(&s, ":");
	unsigned column = ADDRESS_B + (c->is_range && l->function ? strlen(l->function) : 0);
	bw_str_pad(&s, column);
	if (c->flags & BW_DIS_RAW) {
		for (unsigned i = 0; i < l->size_b / 4u; i++)
			bw_str_addf(&s, " %08x", l->words[i]);
		bw_str_pad(&s, column + WORDS_B);
	}
	bw_str_addf(&s, " %s", l->text);
	bw_out_painted(o, BW_PAINT_CODE, "%s", bw_str_text(&s));
	bw_str_free(&s);
}

static void add_file(struct bw_out *o, const struct bw_dis_line *l)
{
	bw_out_line(o, "%s:", has_line(l) ? bw_base_name(l->line.file) : "unknown");
}

static void add_own_source(struct bw_out *o, struct bw_debug *d, const struct bw_dis_line *l)
{
	if (has_line(l))
		bw_show_source_line(o, d, l->line.file, l->line.line);
	else
		bw_out_line(o, "--- no source info for this pc ---");
}

/* ---- /s: by address ---- */

static bool has_code(const struct bw_code_listing *c, const char *file, unsigned line)
{
	for (size_t i = 0; i < c->n; i++)
		if (has_line(&c->lines[i]) && c->lines[i].line.line == line &&
		    !strcmp(c->lines[i].line.file, file))
			return true;
	return false;
}

/* The first source line to show before l: those between it and what was shown last, as far as they
 * have no code that is shown at another place; at the start of a function, its header. */
static unsigned first_to_show(const struct bw_code_listing *c, const struct bw_dis_line *l,
			      const struct bw_dis_line *before)
{
	unsigned first = l->line.line;
	if (!before)
		return l->first_line && l->first_line < first ? l->first_line : first;
	if (!same_file(l, before) || before->line.line >= first)
		return first;
	while (first - 1 > before->line.line && !has_code(c, l->line.file, first - 1))
		first--;
	return first;
}

static void add_by_address(struct bw_out *o, struct bw_debug *d, const struct bw_code_listing *c)
{
	const struct bw_dis_line *before = NULL;
	for (size_t i = 0; i < c->n; i++) {
		const struct bw_dis_line *l = &c->lines[i];
		if (!before || !same_line(l, before)) {
			if (before)
				bw_out_line(o, "%s", "");
			if (!before || !same_file(l, before))
				add_file(o, l);
			unsigned k = has_line(l) ? first_to_show(c, l, before) : 0;
			for (; k < l->line.line && has_line(l); k++)
				bw_show_source_line(o, d, l->line.file, k);
			add_own_source(o, d, l);
		}
		add_instruction(o, c, l);
		before = l;
	}
}

/* ---- /m: by source line ---- */

struct by_line {
	const struct bw_dis_line *l;
	size_t file; /* the first instruction of the file; SIZE_MAX: of none */
};

static int compare(const void *pa, const void *pb)
{
	const struct by_line *a = pa, *b = pb;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->file != SIZE_MAX && a->l->line.line != b->l->line.line)
		return a->l->line.line < b->l->line.line ? -1 : 1;
	return a->l->addr < b->l->addr ? -1 : a->l->addr > b->l->addr;
}

/* Each line once, in the order of the source; other files, of inlined functions, come after the
 * first one. */
static void add_by_line(struct bw_out *o, struct bw_debug *d, const struct bw_code_listing *c)
{
	const struct bw_dis_line *before = NULL;
	_cleanup_free_ struct by_line *list = calloc(c->n ? c->n : 1, sizeof(*list));
	for (size_t i = 0; list && i < c->n; i++) {
		size_t file = 0;
		while (file < i && !same_file(&c->lines[file], &c->lines[i]))
			file++;
		list[i] = (struct by_line){&c->lines[i], has_line(&c->lines[i]) ? file : SIZE_MAX};
	}
	if (list)
		qsort(list, c->n, sizeof(*list), compare);
	for (size_t i = 0; list && i < c->n; i++) {
		const struct bw_dis_line *l = list[i].l;
		bool follows = before && same_file(l, before);
		if (!before || !same_line(l, before)) {
			if (before)
				bw_out_line(o, "%s", "");
			if (before && !follows)
				add_file(o, l);
			unsigned k = follows ? before->line.line + 1 : l->line.line;
			for (; has_line(l) && k < l->line.line; k++)
				bw_show_source_line(o, d, l->line.file, k);
			add_own_source(o, d, l);
		}
		add_instruction(o, c, l);
		before = l;
	}
	bw_out_line(o, "%s", "");
}

/* ---- The listing ---- */

static json_t *row_json(const struct bw_dis_line *l, unsigned flags)
{
	json_t *row = json_object();
	json_object_set_new(row, "address", json_sprintf("0x%llx", (unsigned long long)l->addr));
	json_object_set_new(row, "text", bw_json_text(l->text));
	json_object_set_new(row, "is_pc", json_boolean(l->is_pc));
	if (flags & BW_DIS_RAW) {
		json_t *words = json_array();
		for (unsigned k = 0; k < l->size_b / 4u; k++)
			json_array_append_new(words, json_sprintf("0x%x", l->words[k]));
		json_object_set_new(row, "words", words);
	}
	if (l->function) {
		json_object_set_new(row, "function", bw_json_text(l->function));
		json_object_set_new(row, "offset", json_integer((json_int_t)l->offset_b));
	}
	if (l->line.line) {
		json_object_set_new(row, "file", bw_json_text(l->line.file));
		json_object_set_new(row, "line", json_integer(l->line.line));
	}
	return row;
}

void bw_show_code(struct bw_out *o, struct bw_debug *d, const struct bw_code_listing *c)
{
	json_t *array = json_array();
	const char *function = c->n ? c->lines[0].function : NULL;
	if (c->is_range || !function)
		bw_out_line(o, "Dump of assembler code from 0x%llx to 0x%llx:",
			    (unsigned long long)c->start, (unsigned long long)c->end);
	else
		bw_out_line(o, "Dump of assembler code for function %s:", function);
	if (c->flags & BW_DIS_SOURCE)
		add_by_address(o, d, c);
	else if (c->flags & BW_DIS_BY_LINE)
		add_by_line(o, d, c);
	else
		for (size_t i = 0; i < c->n; i++)
			add_instruction(o, c, &c->lines[i]);
	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(array, row_json(&c->lines[i], c->flags));
	bw_out_line(o, "End of assembler dump.");
	bw_out_json(o, "instructions", array);
}
