/* SPDX-License-Identifier: MIT */
#include "sym/variables.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/lines_priv.h"
#include "sym/names.h"
#include "sym/namespaces.h"
#include "sym/types_priv.h"
#include "sym/variables_priv.h"

/* Variables by scope. Those of a function are read when it is asked for the first time, together
 * with its blocks; those of the files once. */

enum {
	MAX_DEPTH = 64,	   /* of blocks */
	MAX_FRAMES = 256,  /* functions inlined in each other around an address */
	MAX_MERGED = 1024, /* variables of an inlined block: they are compared with each other */
};

static bool may_look(struct bw_scopes *s)
{
	if (!s->dies_left)
		return false;
	s->dies_left--;
	return true;
}

void bw_scopes_free(struct bw_scopes *s)
{
	for (size_t i = 0; s->functions && i < s->n_functions; i++) {
		bw_vec_free(&s->functions[i].blocks);
		bw_vec_free(&s->functions[i].ranges);
		bw_vec_free(&s->functions[i].variables);
	}
	free(s->functions);
	s->functions = NULL;
	bw_vec_free(&s->files);
}

/* ---- Reading a function ---- */

struct reader {
	struct bw_scopes *scopes;
	struct function_scope *f;
};

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool origin_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, out);
}

static bool describe(Dwarf_Die *die, struct scope_variable *out)
{
	int line;
	const char *name = bw_die_name(die);
	if (!name || !*name)
		return false;
	*out = (struct scope_variable){
		.die = *die,
		.name = name,
		.decl_line = dwarf_decl_line(die, &line) || line < 0 ? 0 : (unsigned)line,
		.is_param = dwarf_tag(die) == DW_TAG_formal_parameter,
	};
	return true;
}

/* Index among the variables from `first` on of one that is an instance of the abstract one. */
static size_t instance_of(const struct reader *r, size_t first, const void *abstract)
{
	for (size_t i = first; i < r->f->variables.len; i++) {
		Dwarf_Die die = r->f->variables.data[i].die, origin;
		if (origin_of(&die, &origin) && origin.addr == abstract)
			return i;
	}
	return r->f->variables.len;
}

/* An inlined block only has those of its variables that have a place; the others are in the
 * function that it was made from. In the order of that one, since it is the source's. */
static struct bw_error *add_abstract(struct reader *r, Dwarf_Die *origin, size_t first)
{
	Dwarf_Die child;
	size_t sorted = first;
	for (int more = dwarf_child(origin, &child); !more && may_look(r->scopes);
	     more = dwarf_siblingof(&child, &child)) {
		struct scope_variable v;
		if (!is_variable(dwarf_tag(&child)) || !describe(&child, &v))
			continue;
		if (r->f->variables.len - first >= MAX_MERGED)
			break;
		size_t at = instance_of(r, first, child.addr);
		if (at == r->f->variables.len)
			BW_TRY(bw_vec_push(&r->f->variables, v));
		if (at < sorted) /* damaged: two for one */
			continue;
		v = r->f->variables.data[at];
		memmove(&r->f->variables.data[sorted + 1], &r->f->variables.data[sorted],
			(at - sorted) * sizeof(v));
		r->f->variables.data[sorted++] = v;
	}
	return NULL;
}

static struct bw_error *add_variables(struct reader *r, Dwarf_Die *die)
{
	size_t first = r->f->variables.len;
	struct scope_variable v;
	Dwarf_Die child, origin;
	for (int more = dwarf_child(die, &child); !more && may_look(r->scopes);
	     more = dwarf_siblingof(&child, &child))
		if (is_variable(dwarf_tag(&child)) && describe(&child, &v))
			BW_TRY(bw_vec_push(&r->f->variables, v));
	return origin_of(die, &origin) ? add_abstract(r, &origin, first) : NULL;
}

static struct bw_error *add_block(struct reader *r, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	struct function_scope *f = r->f;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	struct scope_block block = {.parent = parent,
				    .depth = depth,
				    .first_range = f->ranges.len,
				    .first_variable = f->variables.len};
	uint32_t index = (uint32_t)f->blocks.len;
	while (index && may_look(r->scopes) &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct scope_range range = {start, end};
		BW_TRY(bw_vec_push(&f->ranges, range));
	}
	block.n_ranges = f->ranges.len - block.first_range;
	BW_TRY(add_variables(r, die));
	block.n_variables = f->variables.len - block.first_variable;
	return bw_vec_push(&f->blocks, block);
}

/* The function at path[0] and the blocks in it, without those of functions inlined in it. */
static struct bw_error *read_blocks(struct reader *r, Dwarf_Die *function)
{
	Dwarf_Die path[MAX_DEPTH];
	uint32_t block[MAX_DEPTH] = {0}; /* that the entries of a level are in */
	unsigned depth = 0;
	BW_TRY(add_block(r, function, 0, 1));
	if (dwarf_child(function, &path[0]))
		return NULL;
	while (may_look(r->scopes)) {
		Dwarf_Die *die = &path[depth];
		if (is_block(dwarf_tag(die)) && depth + 1 < MAX_DEPTH) {
			uint32_t index = (uint32_t)r->f->blocks.len;
			BW_TRY(add_block(r, die, block[depth], depth + 2));
			if (!dwarf_child(die, &path[depth + 1])) {
				block[++depth] = index;
				continue;
			}
		}
		while (dwarf_siblingof(&path[depth], &path[depth])) {
			if (!depth)
				return NULL;
			depth--;
		}
	}
	return NULL;
}

static struct bw_error *function_scope(struct bw_lines *l, size_t index,
				       struct function_scope **out)
{
	struct bw_scopes *s = &l->scopes;
	Dwarf_Die die;
	if (!s->functions) {
		s->functions = calloc(l->functions.len, sizeof(*s->functions));
		if (!s->functions)
			return bw_error_nomem();
		s->n_functions = l->functions.len;
	}
	struct reader r = {s, &s->functions[index]};
	*out = r.f;
	if (r.f->is_read || !dwarf_offdie(l->dwarf, l->functions.data[index].die, &die))
		return NULL;
	r.f->is_read = true;
	return read_blocks(&r, &die);
}

/* ---- Reading the files ---- */

struct file_reader {
	struct bw_lines *l;
	const void *unit;
};

static struct bw_error *add_file_variable(void *ctx, Dwarf_Die *die, const char *prefix)
{
	const struct file_reader *r = ctx;
	struct file_variable f = {.unit = r->unit};
	if (dwarf_tag(die) != DW_TAG_variable || dwarf_hasattr(die, DW_AT_declaration) ||
	    !describe(die, &f.variable))
		return NULL;
	if (*prefix) {
		_cleanup_(bw_str_free) struct bw_str full = {0};
		bw_str_addf(&full, "%s%s", prefix, f.variable.name);
		f.variable.name = full.failed ? NULL : bw_types_keep(&r->l->types, full.data);
		if (!f.variable.name)
			return bw_error_nomem();
	}
	return bw_vec_push(&r->l->scopes.files, f);
}

static struct bw_error *read_file(struct bw_lines *l, Dwarf_Die *unit)
{
	struct file_reader r = {l, unit->addr};
	const struct bw_namespaces all = {.unit = unit,
					  .dies_left = &l->scopes.dies_left,
					  .entry = add_file_variable,
					  .ctx = &r};
	return bw_namespaces_walk(&all);
}

static struct bw_error *read_files(struct bw_lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	if (l->scopes.has_files || !l->dwarf)
		return NULL;
	l->scopes.has_files = true;
	while (!dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		if (unit.addr) /* else one of a kind that libdw does not know */
			BW_TRY(read_file(l, &unit));
	return NULL;
}

/* ---- What is visible ---- */

static bool covers(const struct function_scope *f, const struct scope_block *b, uint64_t addr)
{
	for (size_t i = 0; i < b->n_ranges; i++) {
		const struct scope_range *r = &f->ranges.data[b->first_range + i];
		if (addr >= r->start && addr < r->end)
			return true;
	}
	return false;
}

/* Finds the blocks around addr. Parents come before the blocks in them. */
static struct bw_error *blocks_around(const struct function_scope *f, uint64_t addr, bool **out)
{
	bool *around = calloc(f->blocks.len ? f->blocks.len : 1, sizeof(*around));
	if (!around)
		return bw_error_nomem();
	for (size_t i = 0; i < f->blocks.len; i++) {
		const struct scope_block *b = &f->blocks.data[i];
		around[i] = !i || (around[b->parent] && covers(f, b, addr));
	}
	*out = around;
	return NULL;
}

/* The block that gdb would have there: one without variables is none of its own. */
struct bw_error *bw_lines_block_at(struct bw_lines *l, uint64_t addr, uint64_t *out)
{
	const struct function *f = bw_lines_function_around(l, addr, 0);
	struct function_scope *scope;
	*out = 0;
	if (!f)
		return NULL;
	size_t index = (size_t)(f - l->functions.data), inner = 0;
	if (l->dwarf) {
		BW_TRY(function_scope(l, index, &scope));
		for (size_t i = 1; i < scope->blocks.len; i++) {
			const struct scope_block *b = &scope->blocks.data[i];
			if (b->n_variables && covers(scope, b, addr) &&
			    b->depth > scope->blocks.data[inner].depth)
				inner = i;
		}
	}
	*out = (uint64_t)(index + 1) << 32 | inner;
	return NULL;
}

struct list BW_VEC(struct bw_variable);

static struct bw_error *list_variable(struct bw_lines *l, const struct scope_variable *v,
				      struct bw_variable as, struct list *out)
{
	Dwarf_Die die = v->die;
	as.name = v->name;
	as.type = bw_lines_type_of(l, &die);
	as.is_param = v->is_param;
	as.decl_line = v->decl_line;
	as.die = dwarf_dieoffset(&die);
	return bw_vec_push(out, as);
}

/* Lists the variables of one block, parameters first. */
static struct bw_error *list_block(struct bw_lines *l, const struct function_scope *f,
				   const struct scope_block *b, struct bw_variable as,
				   struct list *out)
{
	as.scope = b->depth;
	for (int params = 1; params >= 0; params--) {
		for (size_t i = 0; i < b->n_variables; i++) {
			const struct scope_variable *v = &f->variables.data[b->first_variable + i];
			if (v->is_param == params)
				BW_TRY(list_variable(l, v, as, out));
		}
	}
	return NULL;
}

static struct bw_error *list_function(struct bw_lines *l, const struct function *function,
				      uint64_t addr, struct list *out)
{
	struct function_scope *f = NULL;
	struct bw_variable as = {.function_die = function->die};
	unsigned deepest = 0;
	_cleanup_free_ bool *around = NULL;
	BW_TRY(function_scope(l, (size_t)(function - l->functions.data), &f));
	BW_TRY(blocks_around(f, addr, &around));
	bw_vec_each(&f->blocks, b)
		deepest = BW_MAX(deepest, b->depth);
	for (unsigned depth = deepest; depth; depth--)
		for (size_t i = 0; i < f->blocks.len; i++)
			if (f->blocks.data[i].depth == depth && around[i])
				BW_TRY(list_block(l, f, &f->blocks.data[i], as, out));
	return NULL;
}

/* Lists the variables of files, those of the file with the code first: its functions mean these. */
static struct bw_error *list_files(struct bw_lines *l, const void *unit, struct list *out)
{
	struct bw_variable as = {.is_static = true};
	BW_TRY(read_files(l));
	for (int own = 1; own >= 0; own--)
		bw_vec_each(&l->scopes.files, f)
			if ((f->unit == unit) == own)
				BW_TRY(list_variable(l, &f->variable, as, out));
	return NULL;
}

static const void *unit_of(struct bw_lines *l, const struct function *f)
{
	Dwarf_Die die, unit;
	if (!dwarf_offdie(l->dwarf, f->die, &die) || !dwarf_diecu(&die, &unit, NULL, NULL))
		return NULL;
	return unit.addr;
}

static struct bw_error *list_all(struct bw_lines *l, uint64_t addr, unsigned level,
				 struct list *out)
{
	const struct function *f = bw_lines_function_around(l, addr, level);
	if (!f && bw_lines_function_around(l, addr, 0))
		return NULL;
	if (f)
		BW_TRY(list_function(l, f, addr, out));
	return list_files(l, f ? unit_of(l, f) : NULL, out);
}

/* A variable of the module is not a parameter of an inlined function. */
static struct bw_error *add_of_shader(struct list *out, struct bw_variable v, bool is_outside)
{
	v.is_static |= is_outside && v.is_param;
	v.is_param &= !is_outside;
	return bw_vec_push(out, v);
}

static struct bw_error *list_of_shader(struct bw_lines *l, uint64_t addr, unsigned level,
				       struct list *out)
{
	struct bw_line line = {0};
	const struct bw_variable *v;
	if (!l->spirv)
		return NULL;
	if (l->origin == BW_LINES_SOURCE || l->origin == BW_LINES_MARKED)
		bw_lines_at(l, addr, &line);
	const struct function *f = bw_lines_function_around(l, addr, level);
	const struct function *callee = level ? bw_lines_function_around(l, addr, level - 1) : NULL;
	if (callee) {
		line.line = callee->call_line;
		line.file =
			callee->call_file < l->files.len ? l->files.data[callee->call_file] : NULL;
	}
	uint32_t function = f && f->shader_function ? f->shader_function
						    : bw_spirv_function_at(l->spirv, line.line);
	for (size_t i = 0; (v = bw_spirv_variable(l->spirv, i)); i++)
		if (bw_spirv_is_visible(l->spirv, i, function) &&
		    !bw_spirv_is_hidden(l->spirv, i, line.file, line.line))
			BW_TRY(add_of_shader(out, *v,
					     f && f->is_inlined &&
						     bw_spirv_is_visible(l->spirv, i, 0)));
	return NULL;
}

struct bw_error *bw_lines_variables(struct bw_lines *l, uint64_t addr, unsigned level,
				    struct bw_variable **out, size_t *out_n)
{
	struct list all = {0};
	struct bw_error *err = l->origin == BW_LINES_DWARF ? list_all(l, addr, level, &all)
							   : list_of_shader(l, addr, level, &all);
	if (err) {
		bw_vec_free(&all);
		return err;
	}
	*out = all.data;
	*out_n = all.len;
	return NULL;
}
