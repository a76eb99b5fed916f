// SPDX-License-Identifier: MIT
/* Locations that hold too early or too long: values that the optimizer has moved away from the
 * statement that assigns them. */
#include <string.h>

#include "sym/assigned.h"
#include "sym/frames.h"
#include "sym/lines_priv.h"
#include "sym/variables.h"

struct text {
	struct bw_lines *l;
	const char *file;
};

static const char *text_line(void *ctx, unsigned line)
{
	const struct text *t = ctx;
	return bw_lines_text(t->l, t->file, line);
}

/* The line that the function of that level is at. */
static bool line_at(struct bw_lines *l, uint64_t addr, unsigned level, struct text *out,
		    unsigned *out_line)
{
	struct bw_frame_info inside;
	struct bw_line line;
	if (level) {
		if (!bw_lines_frame(l, addr, level - 1, &inside) || !inside.call_file)
			return false;
		*out = (struct text){l, inside.call_file};
		*out_line = inside.call_line;
		return true;
	}
	if (!bw_lines_at(l, addr, &line) || line.approximate)
		return false;
	*out = (struct text){l, line.file};
	*out_line = line.line;
	return true;
}

/* The line whose code has just made what is in a register from start on; 0: not known. */
static unsigned line_before(struct bw_lines *l, uint64_t start, const char *file)
{
	struct bw_line line;
	if (start < 4 || !bw_lines_at(l, start - 4, &line) || line.approximate ||
	    strcmp(line.file, file) != 0)
		return 0;
	return line.line;
}

/* ---- Memory ---- */

/* Whether the code around addr was optimized: clang lists the calls of such functions only. */
static bool is_optimized(const struct bw_lines *l, uint64_t addr)
{
	const struct function *f, *outermost = NULL;
	for (unsigned i = 0; (f = bw_lines_function_around(l, addr, i)); i++)
		outermost = f;
	return outermost && outermost->lists_calls;
}

static bool is_code_of(const struct bw_lines *l, uint64_t die, uint64_t addr)
{
	bw_vec_each(&l->function_ranges, r)
		if (addr >= r->start && addr < r->end && l->functions.data[r->function].die == die)
			return true;
	return false;
}

/* A variable in memory has its place in the whole of its scope, but the optimizer moves the stores
 * to it, and drops those that nothing reads. Its memory is believed where the code has the order of
 * the text: all code of the lines that write to it, and stand before this one, lies before addr,
 * and none of the others. */
static bool memory_is_stale(const struct bw_lines *l, const struct bw_variable *v,
			    const struct bw_assigned *a, const char *file, uint64_t addr)
{
	unsigned lines[BW_ASSIGNED_MAX];
	bool has_code[BW_ASSIGNED_MAX] = {false};
	size_t n;
	if (!is_optimized(l, addr) || !bw_assigned_lines(a, lines, &n))
		return false;
	bw_vec_each(&l->rows, r) {
		for (size_t i = 0; i < n; i++) {
			if (r->line != lines[i] || r->start >= r->end ||
			    strcmp(l->files.data[r->file], file) != 0 ||
			    !is_code_of(l, v->function_die, r->start))
				continue;
			has_code[i] = true;
			if (lines[i] < a->at_line ? r->end > addr : r->start < addr)
				return true;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (lines[i] < a->at_line && !has_code[i] &&
		    !(v->is_param && lines[i] == v->decl_line))
			return true;
	return false;
}

bool bw_variable_is_stale(struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			  unsigned level, const struct bw_location *at)
{
	struct text text;
	struct bw_source_file source;
	struct bw_assigned a = {.line = text_line,
				.ctx = &text,
				.name = v->name,
				.type = v->type,
				.decl_line = v->decl_line,
				.is_param = v->is_param};
	bool is_constant = !at->n_pieces && at->kind == BW_LOC_CONSTANT;
	bool is_register = at->kind == BW_LOC_VGPR || at->kind == BW_LOC_SGPR;
	for (unsigned i = 0; i < at->n_pieces; i++) {
		is_constant |= at->piece[i].kind == BW_LOC_CONSTANT;
		is_register |= at->piece[i].kind == BW_LOC_VGPR || at->piece[i].kind == BW_LOC_SGPR;
	}
	bool is_memory = !at->n_pieces && at->kind == BW_LOC_PRIVATE;
	if (l->spirv || (!is_constant && !is_register && !is_memory) || v->is_static ||
	    !v->decl_line || !line_at(l, addr, level, &text, &a.at_line) ||
	    !bw_lines_source(l, text.file, &source) || !source.path || source.is_newer)
		return false;
	if (is_memory)
		return memory_is_stale(l, v, &a, text.file, addr);
	if (is_constant && !bw_assigned_constant(&a, at->value, at->n_pieces > 0))
		return true;
	unsigned line = is_register ? line_before(l, at->start, text.file) : 0;
	return line && !bw_assigned_in_line(&a, line, at->n_pieces > 0);
}
