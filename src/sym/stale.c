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

/* ---- Memory ---- */

/* Whether the code around addr was optimized: clang lists the calls of such functions only. */
bool bw_lines_is_optimized(const struct bw_lines *l, uint64_t addr)
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
	if (!bw_lines_is_optimized(l, addr) || !bw_assigned_lines(a, lines, &n))
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

/* ---- Registers ---- */

struct origin_check {
	struct bw_lines *l;
	const struct bw_variable *v;
	const char *file;
	bool has_last;
	struct bw_assigned_last last;
	bool is_made[BW_ASSIGNED_MAX]; /* by one of the origins, of last.line[] */
	unsigned head;		       /* the line of the function's start */
	bool is_of_kernel;
};

/* The line of the variable's function that an instruction belongs to; 0: of none, or not known. */
static unsigned origin_line(const struct origin_check *c, uint64_t at, bool *is_inside)
{
	const struct function *f;
	struct bw_line line;
	struct text text;
	unsigned number = 0, level = 0;
	*is_inside = false;
	for (; (f = bw_lines_function_around(c->l, at, level)); level++)
		if (f->die == c->v->function_die)
			break;
	if (!f)
		return 0;
	*is_inside = true;
	if (!level && bw_lines_at(c->l, at, &line) && line.approximate)
		return 0;
	if (!line_at(c->l, at, level, &text, &number) || strcmp(text.file, c->file) != 0)
		return 0;
	return number;
}

static bool make(struct origin_check *c, unsigned line)
{
	bool found = false;
	for (size_t i = 0; i < c->last.n; i++)
		if (c->last.line[i] == line)
			found = c->is_made[i] = true;
	return found;
}

/* Registers in which a function gets something: of kernels, work-item ids are packed into v0. */
static bool is_input(const struct origin_check *c, const struct bw_location_origin *o)
{
	return o->reg < (o->is_vgpr ? (c->is_of_kernel ? 1u : 32u) : (c->is_of_kernel ? 32u : 30u));
}

static bool accept_origin(void *ctx, const struct bw_location_origin *o)
{
	struct origin_check *c = ctx;
	bool is_inside;
	if (o->at == BW_ORIGIN_ENTRY) {
		if (!is_input(c, o))
			return false;
		if (c->v->is_param && c->has_last)
			return make(c, c->v->decl_line);
		return !c->has_last || c->last.n == 1;
	}
	unsigned line = origin_line(c, o->at, &is_inside);
	if (!c->has_last)
		return true;
	if (line &&
	    (make(c, line) || (c->v->is_param && line == c->head && make(c, c->v->decl_line))))
		return true;
	if (c->v->is_param && !is_inside) /* of an inlined function: an argument */
		return make(c, c->v->decl_line);
	/* the line of a fused instruction is that of either operation */
	if (!o->follows || (line && !o->is_fused) || c->last.n != 1 || !c->last.is_all)
		return false;
	c->is_made[0] = true;
	return true;
}

static void find_function(struct origin_check *c, uint64_t addr)
{
	const struct function *f;
	struct bw_line line;
	for (unsigned i = 0; (f = bw_lines_function_around(c->l, addr, i)); i++) {
		c->is_of_kernel = !f->is_inlined && f->is_kernel;
		if (f->die == c->v->function_die && !f->is_inlined &&
		    bw_lines_at(c->l, f->entry, &line))
			c->head = line.line;
	}
}

static bool is_made_by_all(struct origin_check *c, const struct bw_location_origins *o,
			   bool is_vgpr, unsigned reg)
{
	memset(c->is_made, 0, sizeof(c->is_made));
	if (!o->of(o->ctx, is_vgpr, reg, accept_origin, c))
		return false;
	for (size_t i = 0; c->has_last && c->last.n > 1 && i < c->last.n; i++)
		if (!c->is_made[i])
			return false;
	return true;
}

static unsigned n_registers(uint64_t size_b)
{
	return size_b > 64 ? 16 : size_b <= 4 ? 1 : (unsigned)((size_b + 3) / 4);
}

static bool registers_are_stale(struct origin_check *c, const struct bw_location *at,
				const struct bw_location_origins *o)
{
	unsigned n = at->n_pieces ? at->n_pieces : 1;
	for (unsigned i = 0; i < n; i++) {
		enum bw_location_kind kind = at->n_pieces ? at->piece[i].kind : at->kind;
		unsigned reg = at->n_pieces ? at->piece[i].reg : at->reg;
		uint64_t size_b = at->n_pieces ? at->piece[i].size_b : c->v->type->size_b;
		if (kind != BW_LOC_VGPR && kind != BW_LOC_SGPR)
			continue;
		for (unsigned k = 0; k < n_registers(size_b); k++)
			if (!is_made_by_all(c, o, kind == BW_LOC_VGPR, reg + k))
				return true;
	}
	return false;
}

bool bw_variable_is_stale(struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			  unsigned level, const struct bw_location *at,
			  const struct bw_location_origins *origins)
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
	bool is_computed = !at->n_pieces && at->kind == BW_LOC_COMPUTED;
	/* The values of instructions that were deleted, computed again. Half of those of random
	 * kernels were wrong: constants of which only some bits mattered (x ^ 31 as x ^ 19, for
	 * which bit 0 is used), and other variables' registers. Nothing is left that could tell. */
	if (!l->spirv && is_computed && bw_lines_is_optimized(l, addr))
		return true;
	if (l->spirv || (!is_constant && !is_register && !is_memory) || v->is_static ||
	    !v->decl_line || !line_at(l, addr, level, &text, &a.at_line) ||
	    !bw_lines_source(l, text.file, &source) || !source.path || source.is_newer)
		return false;
	if (is_memory)
		return memory_is_stale(l, v, &a, text.file, addr);
	if (is_constant && !bw_assigned_constant(&a, at->value, at->n_pieces > 0))
		return true;
	struct origin_check c = {.l = l, .v = v, .file = text.file};
	c.has_last = bw_assigned_last(&a, at->n_pieces > 0, &c.last);
	find_function(&c, addr);
	return is_register && bw_lines_is_optimized(l, addr) &&
	       registers_are_stale(&c, at, origins);
}
