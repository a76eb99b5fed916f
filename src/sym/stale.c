// SPDX-License-Identifier: MIT
/* Locations that hold too early or too long: values that the optimizer has moved away from the
 * statement that assigns them. */
#include <string.h>

#include "sym/assigned.h"
#include "sym/frames.h"
#include "sym/lines_priv.h"
#include "sym/types_priv.h"
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

/* The level of the variable's function at that address; -1: it is not there. */
static int level_of(const struct bw_lines *l, const struct bw_variable *v, uint64_t at)
{
	const struct function *f;
	for (unsigned level = 0; (f = bw_lines_function_around(l, at, level)); level++)
		if (f->die == v->function_die)
			return (int)level;
	return -1;
}

bool bw_variable_is_of_code(const struct bw_lines *l, const struct bw_variable *v, uint64_t at)
{
	return level_of(l, v, at) >= 0;
}

/* The line of the variable's function that an instruction belongs to; 0: of none, or not known. */
static unsigned line_of(struct bw_lines *l, const struct bw_variable *v, const char *file,
			uint64_t at, bool *is_inside)
{
	struct bw_line line;
	struct text text;
	unsigned number = 0;
	int level = level_of(l, v, at);
	*is_inside = level >= 0;
	if (level < 0 || (!level && bw_lines_at(l, at, &line) && line.approximate))
		return 0;
	if (!line_at(l, at, (unsigned)level, &text, &number) || strcmp(text.file, file) != 0)
		return 0;
	return number;
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

/* Whether it is code of that line in the variable's function. */
static bool is_row_of(const struct bw_lines *l, const struct bw_variable *v, const char *file,
		      const struct row *r, unsigned line)
{
	return r->line == line && r->start < r->end && strcmp(l->files.data[r->file], file) == 0 &&
	       is_code_of(l, v->function_die, r->start);
}

struct store_check {
	struct bw_lines *l;
	const struct bw_variable *v;
	const char *file;
	struct bw_assigned_place place[BW_ASSIGNED_MAX];
	bool has_code[BW_ASSIGNED_MAX], has_call[BW_ASSIGNED_MAX];
	uint64_t stored_b[BW_ASSIGNED_MAX]; /* by the code of the line */
	size_t n;
};

static void note_store(void *ctx, uint64_t at, unsigned size_b)
{
	struct store_check *c = ctx;
	bool is_inside;
	unsigned line = line_of(c->l, c->v, c->file, at, &is_inside);
	for (size_t i = 0; line && i < c->n; i++) {
		if (c->place[i].line != line)
			continue;
		c->stored_b[i] += size_b;
		c->has_call[i] |= !size_b;
	}
}

/* Whether the code of the i-th place stores all that its line assigns. For a declaration any code
 * is enough: its unstored bytes are tracked one by one. */
static bool is_stored(const struct store_check *c, size_t i)
{
	uint64_t wanted_b = 0;
	bool is_any = false;
	if (c->place[i].line == c->v->decl_line)
		return c->v->is_param || c->has_code[i];
	for (size_t k = 0; k < c->n; k++) {
		if (c->place[k].line != c->place[i].line)
			continue;
		wanted_b += c->place[k].size_b;
		is_any |= !c->place[k].size_b;
	}
	return is_any ? c->stored_b[i] || c->has_call[i] : c->stored_b[i] >= wanted_b;
}

/* A variable in memory has its place in the whole of its scope, but the optimizer moves the stores
 * to it, and drops those that nothing reads. Its memory is believed where the code has the order of
 * the text: all code of the lines that write to it, and stand before this one, lies before addr and
 * stores as much as they assign, and none of the others. Others must store that, too: stores that
 * have no code of their own may be part of earlier ones. */
static bool memory_is_stale(struct bw_lines *l, const struct bw_variable *v,
			    const struct bw_assigned *a, const char *file, uint64_t addr,
			    const struct bw_location_origins *o)
{
	struct store_check c = {.l = l, .v = v, .file = file};
	if (!bw_lines_is_optimized(l, addr))
		return false;
	if (!bw_assigned_places(a, c.place, &c.n))
		return true;
	bw_vec_each(&l->rows, r) {
		for (size_t i = 0; i < c.n; i++) {
			unsigned line = c.place[i].line;
			if (!is_row_of(l, v, file, r, line))
				continue;
			c.has_code[i] = true;
			if (line < a->at_line ? r->end > addr : r->start < addr)
				return true;
		}
	}
	o->stores(o->ctx, note_store, &c);
	for (size_t i = 0; i < c.n; i++)
		if (!is_stored(&c, i))
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
	uint32_t needed;	       /* bits of the register that are the variable's */
	unsigned head;		       /* the line of the function's start */
	unsigned at_line;	       /* the line that addr belongs to */
	uint64_t addr;		       /* where the location is asked for; UINT64_MAX: after all */
	struct bw_location at_entry;   /* of the variable, where the function starts */
	bool is_of_kernel;
};

static bool mark_made(struct origin_check *c, unsigned line)
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

static unsigned n_registers(uint64_t size_b)
{
	return size_b > 64 ? 16 : size_b <= 4 ? 1 : (unsigned)((size_b + 3) / 4);
}

/* Whether a parameter comes in that register, as far as its location at the entry says. */
static bool comes_in(const struct origin_check *c, const struct bw_location_origin *o)
{
	const struct bw_location *l = &c->at_entry;
	enum bw_location_kind kind = o->is_vgpr ? BW_LOC_VGPR : BW_LOC_SGPR;
	bool is_register = l->kind == BW_LOC_VGPR || l->kind == BW_LOC_SGPR;
	if (l->n_pieces || !is_register)
		return true;
	return l->kind == kind && o->reg >= l->reg &&
	       o->reg < l->reg + n_registers(c->v->type->size_b);
}

/* A statement in front of this line whose code lies after addr: the register has what the code
 * left there in the round before, and the value of this round is not loaded or computed yet. The
 * header of a "for" is in front of its body, and the code of its last part after that. */
static bool is_of_round_before(const struct origin_check *c, const struct bw_location_origin *o,
			       unsigned line)
{
	return line && line < c->at_line && o->at > c->addr &&
	       !bw_lines_is_for(c->l, c->file, line);
}

/* A statement that loads its value from memory, whose instruction copies a register: the value was
 * loaded elsewhere, or the copy is that of another variable, which the compiler has put into the
 * line. */
static bool is_copy_in_load(const struct origin_check *c, const struct bw_location_origin *o,
			    unsigned line)
{
	bool is_asked = o->is_copy && line && c->addr != UINT64_MAX;
	const char *text = is_asked ? bw_lines_text(c->l, c->file, line) : NULL;
	const char *equals = text ? strstr(text, c->v->name) : NULL;
	equals = equals ? strchr(equals, '=') : NULL;
	return equals && (strchr(equals, '[') || strstr(equals, "->"));
}

static bool accept_origin(void *ctx, const struct bw_location_origin *o)
{
	struct origin_check *c = ctx;
	bool is_inside;
	if (o->at == BW_ORIGIN_ENTRY) {
		if (!is_input(c, o) || (c->v->is_param && !comes_in(c, o)))
			return false;
		if (c->v->is_param && c->has_last)
			return mark_made(c, c->v->decl_line);
		return !c->has_last || c->last.n == 1;
	}
	unsigned line = line_of(c->l, c->v, c->file, o->at, &is_inside);
	/* bits that nobody needs may be those of another value */
	if (c->needed & ~o->demanded)
		return false;
	if (!c->has_last)
		return true;
	if (is_of_round_before(c, o, line) || is_copy_in_load(c, o, line))
		return false;
	/* the code in front of a function's first statement takes its parameters over, and prepares
	 * other values: those that it computes are none of them */
	bool is_taken = c->v->is_param && line == c->head && o->is_load;
	if (line && (mark_made(c, line) || (is_taken && mark_made(c, c->v->decl_line))))
		return true;
	if (c->v->is_param && !is_inside) /* of an inlined function: an argument */
		return mark_made(c, c->v->decl_line);
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
		if (f->die != c->v->function_die || f->is_inlined)
			continue;
		bw_variable_location(c->l, c->v, f->entry, NULL, &c->at_entry);
		if (bw_lines_at(c->l, f->entry, &line))
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

/* Locations can begin before the instruction that makes the value, where that was moved down, or at
 * it, where that is half of a VOPD. They end after it then, as after others that write to the
 * register, and the variable is nowhere, or elsewhere: with its value, an entry for the register
 * would follow. Of register reg + k. */
static bool is_made_at_end(const struct origin_check *c, const struct bw_location *at,
			   const struct bw_location_origins *o, bool is_vgpr, unsigned reg,
			   unsigned k)
{
	struct origin_check end = *c;
	struct bw_location_origin origin;
	struct bw_location next;
	if (!c->has_last || !o->at_end(o->ctx, is_vgpr, reg + k, &origin))
		return false;
	end.addr = UINT64_MAX;
	bw_variable_location(c->l, c->v, at->end, NULL, &next);
	enum bw_location_kind kind = is_vgpr ? BW_LOC_VGPR : BW_LOC_SGPR;
	bool goes_on = !next.n_pieces && next.kind == kind && next.reg == reg;
	for (unsigned i = 0; i < next.n_pieces; i++)
		goes_on |= next.piece[i].kind == kind && next.piece[i].reg == reg;
	return !goes_on && (origin.at == at->start || accept_origin(&end, &origin));
}

static uint32_t needed_bits(const struct bw_ctype *type, uint64_t bytes)
{
	if (bw_ctype_strip(type)->kind == BW_CTYPE_BOOL)
		return 1;
	return bytes < 4 ? (1u << 8 * bytes) - 1 : UINT32_MAX;
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
		for (unsigned k = 0; k < n_registers(size_b); k++) {
			c->needed = needed_bits(c->v->type, size_b - 4 * k);
			bool is_vgpr = kind == BW_LOC_VGPR;
			if (!is_made_by_all(c, o, is_vgpr, reg + k) ||
			    is_made_at_end(c, at, o, is_vgpr, reg, k))
				return true;
		}
	}
	return false;
}

/* Whether an assignment in front of this line may have its code after addr: then it has not been
 * executed yet, and a constant at addr is that of another assignment. */
static bool is_assigned_later(const struct origin_check *c, unsigned at_line, uint64_t addr)
{
	if (!c->has_last || c->last.n < 2 || !bw_lines_is_optimized(c->l, addr))
		return false;
	bw_vec_each(&c->l->rows, r)
		for (size_t i = 0; i < c->last.n && r->end > addr; i++)
			if (c->last.line[i] < at_line &&
			    is_row_of(c->l, c->v, c->file, r, c->last.line[i]))
				return true;
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
		return memory_is_stale(l, v, &a, text.file, addr, origins);
	if (is_constant && bw_lines_is_optimized(l, addr) &&
	    !bw_assigned_constant(&a, at->value, at->n_pieces > 0))
		return true;
	struct origin_check c = {
		.l = l, .v = v, .file = text.file, .at_line = a.at_line, .addr = addr};
	c.has_last = bw_assigned_last(&a, at->n_pieces > 0, &c.last);
	find_function(&c, addr);
	if (is_constant && is_assigned_later(&c, a.at_line, addr))
		return true;
	return is_register && bw_lines_is_optimized(l, addr) &&
	       registers_are_stale(&c, at, origins);
}

/* ---- Parameters of kernels ---- */

bool bw_variable_is_of_kernel(const struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			      uint64_t *out_entry)
{
	const struct function *f;
	if (l->spirv || !v->is_param)
		return false;
	for (unsigned i = 0; (f = bw_lines_function_around(l, addr, i)); i++) {
		if (f->die != v->function_die || f->is_inlined || !f->is_kernel)
			continue;
		*out_entry = f->entry;
		return true;
	}
	return false;
}

bool bw_variable_is_never_assigned(struct bw_lines *l, const struct bw_variable *v, uint64_t addr)
{
	struct text text;
	struct bw_source_file source;
	struct bw_assigned a = {.line = text_line,
				.ctx = &text,
				.name = v->name,
				.type = v->type,
				.decl_line = v->decl_line,
				.is_param = v->is_param,
				.at_line = v->decl_line};
	uint64_t entry;
	struct bw_line line;
	Dwarf_Die die;
	if (!bw_variable_is_of_kernel(l, v, addr, &entry) || !v->decl_line ||
	    !bw_lines_at(l, entry, &line) || !dwarf_offdie(l->dwarf, v->die, &die) ||
	    !bw_lines_source(l, line.file, &source) || !source.path || source.is_newer)
		return false;
	text = (struct text){l, line.file};
	return bw_assigned_never(&a, bw_is_cplusplus(&die));
}
