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
	if (l->spirv || (!is_constant && !is_register) || v->is_static || !v->decl_line ||
	    !line_at(l, addr, level, &text, &a.at_line) ||
	    !bw_lines_source(l, text.file, &source) || !source.path || source.is_newer)
		return false;
	if (is_constant && !bw_assigned_constant(&a, at->value, at->n_pieces > 0))
		return true;
	unsigned line = is_register ? line_before(l, at->start, text.file) : 0;
	return line && !bw_assigned_in_line(&a, line, at->n_pieces > 0);
}
