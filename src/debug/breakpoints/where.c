// SPDX-License-Identifier: MIT
/* Places as users write them: saxpy, saxpy+8, saxpy.s:12, 12, *0x7f0000001000. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/breakpoints/entered.h"
#include "debug/variables/variables_priv.h"
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/expressions.h"
#include "debug/frames.h"
#include "debug/waves/waves_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/frames.h"

enum { MAX_ADDRS_A_LINE = 64 };

void bw_where_spec_fini(struct bw_where_spec *s)
{
	free(s->name);
	*s = (struct bw_where_spec){0};
}

/* The selected frame; false: no wave is stopped. */
static bool selected_frame(struct bw_debug *d, struct bw_stack_frame *out)
{
	struct bw_wave_record *w = bw_debug_focus_priv(d);
	if (!w)
		return false;
	struct bw_error *err = bw_debug_selected_frame(d, out);
	if (err)
		*out = (struct bw_stack_frame){.pc = w->info.pc, .at = w->info.pc};
	bw_error_free(err);
	return true;
}

/* The file to which a line number without a file refers: that of the selected frame, otherwise that
 * of the kernel or shader to run. */
static const char *default_file(struct bw_debug *d)
{
	struct bw_stack_frame f;
	struct bw_line line;
	bool stopped = selected_frame(d, &f);

	if (stopped && f.has_line)
		return f.file;
	const struct bw_load *l = stopped ? bw_debug_load_at(d, f.at) : NULL;
	if (l && l->module->lines && bw_lines_shader_file(l->module->lines))
		return bw_lines_shader_file(l->module->lines);
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const struct bw_kernel *k = bw_module_kernels(*m, &n);
		for (size_t i = 0; (*m)->lines && i < n; i++)
			if ((!d->code->kernel || strcmp(k[i].name, d->code->kernel) == 0) &&
			    bw_lines_at((*m)->lines, k[i].entry, &line))
				return line.file;
	}
	return d->code->shader ? bw_lines_shader_file(d->code->shader) : NULL;
}

static struct bw_error *parse_line(struct bw_debug *d, const char *file, size_t file_len,
				   const char *number, struct bw_where_spec *out)
{
	uint64_t line;
	if (!bw_parse_u64(number, &line) || line == 0 || line > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a line number", number);
	if (!file) {
		file = default_file(d);
		if (!file)
			return bw_errorf(
				BW_E_NOT_FOUND,
				"No symbol table is loaded, so line %s names no place: "
				"use FILE:LINE, or a kernel that has debug information (-g)",
				number);
		file_len = strlen(file);
	}
	out->kind = BW_WHERE_LINE;
	out->line = (unsigned)line;
	out->name = strndup(file, file_len);
	return out->name ? NULL : bw_error_nomem();
}

/* Whether the text is "+2" or "-1", a number of lines from the selected frame's line. */
static bool is_line_offset(const char *text)
{
	return (text[0] == '+' || text[0] == '-') &&
	       isdigit((unsigned char)*bw_skip_blanks(text + 1));
}

static struct bw_error *parse_line_offset(struct bw_debug *d, const char *text,
					  struct bw_where_spec *out)
{
	struct bw_stack_frame f;
	uint64_t lines;
	if (!bw_parse_u64(bw_skip_blanks(text + 1), &lines) || lines > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not an offset in lines", text);
	if (!selected_frame(d, &f) || !f.has_line)
		return bw_errorf(BW_E_STATE,
				 "\"%s\" counts lines from where the selected frame is, and %s",
				 text,
				 bw_debug_focus_priv(d) ? "there is no line known there"
							: "no wave is stopped");
	int64_t line = (int64_t)f.line + (text[0] == '-' ? -(int64_t)lines : (int64_t)lines);
	if (line < 1 || line > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "\"%s\" from line %u is not a line", text, f.line);
	out->kind = BW_WHERE_LINE;
	out->line = (unsigned)line;
	out->name = strdup(f.file);
	return out->name ? NULL : bw_error_nomem();
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* The length of a name such as "ns::dots<float>(float*, int)". In C and assembly a name is one
 * word. */
static size_t name_length(const char *text)
{
	size_t n = 0;
	int depth = 0;
	for (; text[n]; n++) {
		char c = text[n];
		bool opens = c == '(' || c == '<', closes = c == ')' || c == '>';
		if (opens && !n)
			return 0;
		if (opens || closes)
			depth += opens ? 1 : -1;
		else if (!depth && !is_name_char(c) && c != '~' &&
			 !(c == ':' && (text[n + 1] == ':' || (n && text[n - 1] == ':'))))
			break;
	}
	return depth ? 0 : n;
}

static struct bw_error *parse_symbol(const char *text, struct bw_where_spec *out)
{
	if (bw_starts_with(text, "::")) /* names here are always global, so the :: can be skipped */
		text += 2;
	size_t n = name_length(text);
	const char *rest = bw_skip_blanks(text + n);
	if (n == 0 || (*rest && *rest != '+'))
		return bw_errorf(BW_E_INVALID,
				 "\"%s\" names no place: use a function, FILE:LINE or *ADDRESS",
				 text);
	out->plain = *rest == 0;
	if (!out->plain) {
		rest = bw_skip_blanks(rest + 1);
		if (!bw_parse_u64(rest, &out->offset_b))
			return bw_errorf(BW_E_INVALID, "\"%s\" is not an offset", rest);
	}
	out->kind = BW_WHERE_SYMBOL;
	out->name = strndup(text, n);
	return out->name ? NULL : bw_error_nomem();
}

static bool any_symbol(struct bw_debug *d, const char *name)
{
	bw_vec_each(&d->code->modules, m)
		if (bw_module_symbol(*m, name))
			return true;
	return false;
}

/* Parses *EXPR. A symbol is kept by its name, so that the place is found again in the next run. */
static struct bw_error *parse_address(struct bw_debug *d, const char *text,
				      struct bw_where_spec *out)
{
	uint64_t va;
	text = bw_skip_blanks(text);
	if (!isdigit((unsigned char)*text)) {
		struct bw_where_spec s = {0};
		struct bw_error *err = parse_symbol(text, &s);
		if (!err && any_symbol(d, s.name)) {
			*out = s;
			out->plain = false;
			return NULL;
		}
		bw_error_free(err);
		bw_where_spec_fini(&s);
	}
	if (!bw_parse_u64(text, &va)) {
		struct bw_value v;
		struct bw_expr_error where;
		BW_TRY(bw_debug_eval(d, text, &v, &where));
		struct bw_error *err = bw_value_need_number(&v);
		va = (uint64_t)bw_value_i64(&v, d->waves->focus_lane);
		bw_value_fini(&v);
		if (err)
			return err;
	}
	if (va % 4)
		return bw_errorf(BW_E_INVALID,
				 "0x%llx is not an instruction address: not a multiple of 4",
				 (unsigned long long)va);
	out->kind = BW_WHERE_ADDRESS;
	out->offset_b = va;
	return NULL;
}

struct bw_error *bw_where_parse(struct bw_debug *d, const char *text, struct bw_where_spec *out)
{
	struct bw_where_spec s = {0};
	struct bw_error *err;

	if (text[0] == 0) {
		struct bw_stack_frame f;
		if (!selected_frame(d, &f))
			return bw_errorf(BW_E_STATE,
					 "No default breakpoint address now: no wave is stopped");
		s.kind = BW_WHERE_ADDRESS;
		s.offset_b = f.pc;
		*out = s;
		return NULL;
	}
	const char *colon = strrchr(text, ':');
	if (text[0] == '*')
		err = parse_address(d, text + 1, &s);
	else if (colon && colon != text && isdigit((unsigned char)colon[1]))
		err = parse_line(d, text, (size_t)(colon - text), colon + 1, &s);
	else if (isdigit((unsigned char)text[0]))
		err = parse_line(d, NULL, 0, text, &s);
	else if (is_line_offset(text))
		err = parse_line_offset(d, text, &s);
	else
		err = parse_symbol(text, &s);
	if (err)
		bw_where_spec_fini(&s);
	else
		*out = s;
	return err;
}

static struct bw_error *push_once(struct bw_addr_vec *v, uint64_t addr)
{
	bw_vec_each(v, it)
		if (*it == addr)
			return NULL;
	return bw_vec_push(v, addr);
}

/* Appends the addresses of a function: it may have several symbols (C++), and places where it was
 * inlined. */
static struct bw_error *symbols_in_module(struct bw_module *m, const struct bw_where_spec *s,
					  uint64_t base, struct bw_addr_vec *out)
{
	uint64_t inlined[MAX_ADDRS_A_LINE];
	for (const struct bw_symbol *sym = NULL; (sym = bw_module_named(m, s->name, sym));) {
		uint64_t at = sym->addr + s->offset_b;
		if (s->plain && sym->is_function && m->lines)
			at = bw_lines_after_prologue(m->lines, sym->addr, sym->addr + sym->size_b);
		if (at % 4)
			return bw_errorf(
				BW_E_INVALID,
				"%s+%llu is not an instruction address: not a multiple of 4",
				s->name, (unsigned long long)s->offset_b);
		BW_TRY(push_once(out, base + at));
	}
	size_t n = s->plain && m->lines
			   ? bw_lines_inlined(m->lines, s->name, inlined, MAX_ADDRS_A_LINE)
			   : 0;
	for (size_t i = 0; i < BW_MIN(n, (size_t)MAX_ADDRS_A_LINE); i++)
		BW_TRY(push_once(out, base + inlined[i]));
	return NULL;
}

/* As in gdb, a place in the prologue of a function means the end of the prologue, where the
 * parameters have their values. */
static uint64_t behind_prologue(const struct bw_module *m, uint64_t addr)
{
	const struct bw_symbol *s = bw_module_symbol_at(m, addr);
	if (!s || !s->is_function || addr >= s->addr + s->size_b)
		return addr;
	return BW_MAX(addr, bw_lines_after_prologue(m->lines, s->addr, s->addr + s->size_b));
}

struct bw_error *bw_where_in_module(struct bw_module *m, const struct bw_where_spec *s,
				    uint64_t base, struct bw_addr_vec *out)
{
	if (s->kind == BW_WHERE_SYMBOL)
		return symbols_in_module(m, s, base, out);
	uint64_t addr[MAX_ADDRS_A_LINE];
	unsigned line;
	size_t n =
		m->lines ? bw_lines_find(m->lines, s->name, s->line, addr, MAX_ADDRS_A_LINE, &line)
			 : 0;
	if (n)
		BW_TRY(bw_lines_keep_first(m->lines, addr, BW_MIN(n, (size_t)MAX_ADDRS_A_LINE),
					   &n));
	for (size_t i = 0; i < n; i++)
		BW_TRY(push_once(out, base + behind_prologue(m, addr[i])));
	return NULL;
}

struct bw_error *bw_where_resolve(struct bw_debug *d, const struct bw_where_spec *s,
				  struct bw_addr_vec *out)
{
	if (s->kind == BW_WHERE_ADDRESS)
		return bw_vec_push(out, s->offset_b);
	bw_vec_each(&d->code->loads, l)
		if (l->space == d->space)
			BW_TRY(bw_where_in_module(l->module, s, l->base, out));
	return NULL;
}

/* ---- Places that do not exist ---- */

/* The file, of those that the shader's SPIR-V names, that the user means. NULL: none. */
static const char *file_meant(const struct bw_lines *l, const char *meant)
{
	const char *const *files;
	size_t n = l && bw_lines_shader_file(l) ? bw_lines_files(l, &files) : 0;
	for (size_t i = 0; i < n; i++)
		if (bw_lines_is_file(files[i], meant))
			return files[i];
	return NULL;
}

/* The number of lines of a shader's file, if the given line is after the last one. 0: it is not, or
 * the number is not known. */
static size_t lines_before(struct bw_lines *l, const struct bw_where_spec *s)
{
	struct bw_source_file f;
	const char *file = s->kind == BW_WHERE_LINE ? file_meant(l, s->name) : NULL;
	bool known = file && bw_lines_source(l, file, &f) && f.path;
	return known && s->line > f.n_lines ? f.n_lines : 0;
}

bool bw_where_why_not(struct bw_debug *d, const struct bw_where_spec *s, char *out, size_t out_b)
{
	for (size_t i = 0; s->kind == BW_WHERE_LINE && i < d->code->modules.len; i++) {
		struct bw_lines *l = d->code->modules.data[i]->lines;
		if (!l || !file_meant(l, s->name))
			continue;
		enum bw_lines_origin origin = bw_lines_origin(l);
		size_t n = lines_before(l, s);
		if (n)
			snprintf(out, out_b, "%s has %zu lines", s->name, n);
		else if (origin == BW_LINES_SOURCE)
			snprintf(out, out_b,
				 "the driver knows no code of line %u of %s, or after it (with "
				 "-O0 the shader notes its lines itself)",
				 s->line, s->name);
		else if (origin == BW_LINES_MARKED)
			snprintf(out, out_b, "no statement begins in line %u of %s, or after it",
				 s->line, s->name);
		else if (origin == BW_LINES_NIR)
			snprintf(out, out_b,
				 "this driver does not know the lines of %s (RADV does from Mesa "
				 "26.1 on; with -O0 the shader notes them itself)",
				 s->name);
		else
			snprintf(out, out_b,
				 "the driver was not asked for the lines of %s (--shader-lines)",
				 s->name);
		return true;
	}
	return false;
}

struct bw_error *bw_where_check(struct bw_debug *d, const struct bw_where_spec *s)
{
	struct bw_addr_vec found = {0};
	struct bw_error *err = NULL;

	size_t n_lines = d->code->shader ? lines_before(d->code->shader, s) : 0;
	if (n_lines)
		return bw_errorf(BW_E_NOT_FOUND, "No line %u in file \"%s\", which has %zu",
				 s->line, s->name, n_lines);
	if (s->kind == BW_WHERE_ADDRESS || d->code->modules.len == 0)
		return NULL;
	/* The place may be in code of the program that is found only when it is dispatched. */
	bool told = false;
	bw_vec_each(&d->code->modules, m)
		told |= !(*m)->is_found;
	if (!told)
		return NULL;
	for (size_t i = 0; !err && i < d->code->modules.len; i++)
		err = bw_where_in_module(d->code->modules.data[i], s, 0, &found);
	size_t n = found.len;
	bw_vec_free(&found);
	return err || n ? err : bw_where_not_found(d, s);
}

bool bw_where_scope(struct bw_debug *d, const struct bw_where_spec *s,
		    struct bw_variables_frame *out)
{
	if (s->kind == BW_WHERE_ADDRESS)
		return bw_variables_frame_at(d, s->offset_b, out);
	bw_vec_each(&d->code->modules, m) {
		struct bw_addr_vec found = {0};
		struct bw_error *err = (*m)->lines ? bw_where_in_module(*m, s, 0, &found) : NULL;
		bool has = !err && found.len;
		if (has)
			*out = (struct bw_variables_frame){
				.lines = (*m)->lines,
				.addr = found.data[0],
				.level = bw_where_not_entered((*m)->lines, s, found.data[0])};
		bw_error_free(err);
		bw_vec_free(&found);
		if (has)
			return true;
	}
	return false;
}

/* ---- For commands ---- */

struct bw_error *bw_debug_places(struct bw_debug *d, const char *text, uint64_t **out,
				 size_t *out_n)
{
	char why[256];
	struct bw_where_spec spec = {0};
	struct bw_addr_vec found = {0};
	struct bw_error *err = bw_where_parse(d, text, &spec);
	if (!err)
		err = bw_where_check(d, &spec);
	if (!err)
		err = bw_where_resolve(d, &spec, &found);
	if (!err && !found.len && bw_where_why_not(d, &spec, why, sizeof(why)))
		err = bw_errorf(BW_E_NOT_FOUND, "\"%s\" has no place: %s", text, why);
	else if (!err && !found.len)
		err = bw_errorf(BW_E_NOT_FOUND, "the code of \"%s\" is not loaded", text);
	bw_where_spec_fini(&spec);
	if (err) {
		bw_vec_free(&found);
		return err;
	}
	*out = found.data;
	*out_n = found.len;
	return NULL;
}

/* Finds the line of a symbol in the image of any module that has it. */
static bool line_in_modules(struct bw_debug *d, const struct bw_where_spec *s, struct bw_line *out)
{
	bw_vec_each(&d->code->modules, m) {
		struct bw_addr_vec found = {0};
		bw_error_free(bw_where_in_module(*m, s, 0, &found));
		bool has = found.len && bw_module_line_from(*m, found.data[0], out);
		bw_vec_free(&found);
		if (has)
			return true;
	}
	return false;
}

static const char *whole_name_in(const struct bw_lines *l, const char *name)
{
	const char *const *files;
	size_t n = l ? bw_lines_files(l, &files) : 0;
	for (size_t i = 0; i < n; i++)
		if (bw_lines_is_file(files[i], name))
			return files[i];
	return NULL;
}

/* The whole path of a file that the user names by the end of its path; the name itself if no file
 * matches. */
static const char *whole_name(struct bw_debug *d, const char *name)
{
	const char *found = NULL;
	for (size_t i = 0; i < d->code->modules.len && !found; i++)
		found = whole_name_in(d->code->modules.data[i]->lines, name);
	if (!found)
		found = whole_name_in(d->code->shader, name);
	return found ? found : name;
}

struct bw_error *bw_debug_source_of(struct bw_debug *d, const char *text, char **out_file,
				    unsigned *out_line)
{
	struct bw_where_spec s = {0};
	struct bw_where where = {0};
	struct bw_stack_frame f;
	if (!text[0] && selected_frame(d, &f) && f.has_line) {
		*out_line = f.line;
		*out_file = strdup(f.file);
		return *out_file ? NULL : bw_error_nomem();
	}
	struct bw_error *err = bw_where_parse(d, text, &s);
	if (!err && s.kind != BW_WHERE_LINE)
		err = bw_where_check(d, &s);
	if (err) {
		bw_where_spec_fini(&s);
		return err;
	}
	const char *file = NULL;
	uint64_t base;
	struct bw_module *m = bw_debug_module_at(d, s.offset_b, &base);
	if (s.kind == BW_WHERE_ADDRESS)
		where.has_line = m && bw_module_line_from(m, s.offset_b - base, &where.line);
	else if (s.kind == BW_WHERE_SYMBOL)
		where.has_line = line_in_modules(d, &s, &where.line);
	else
		file = whole_name(d, s.name);
	*out_line = file ? s.line : where.line.line;
	if (where.has_line)
		file = where.line.file;
	*out_file = file ? strdup(file) : NULL;
	err = !file	   ? bw_errorf(BW_E_NOT_FOUND,
				       "%s%s%s has no source lines; \"disassemble\" shows it",
				       text[0] ? "\"" : "", text[0] ? text : "What runs here",
				       text[0] ? "\"" : "")
	      : !*out_file ? bw_error_nomem()
			   : NULL;
	bw_where_spec_fini(&s);
	return err;
}

bool bw_debug_load(struct bw_debug *d, size_t i, struct bw_load_info *out)
{
	if (i >= d->code->loads.len)
		return false;
	const struct bw_load *l = &d->code->loads.data[i];
	size_t n = 0;
	*out = (struct bw_load_info){.name = l->module->name, .va = l->base, .size_b = l->size_b};
	bw_module_symbols(l->module, &n);
	out->has_symbols = n && l->module->co;
	n = 0;
	if (l->module->lines) {
		const char *const *files;
		n = bw_lines_files(l->module->lines, &files);
	}
	out->has_lines = n;
	return true;
}
