/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "sym/lines_priv.h"
#include "sym/names.h"

/* Functions of the debug information: which one an address lies in, inlined ones among them, and
 * what its parameters are. */

enum {
	MAX_DEPTH = 64,
	LANG_ASSEMBLY = 0x31 /* DW_LANG_Assembly: dwarf.h of elfutils 0.188 lacks it */
};

static bool may_look(struct bw_lines *l)
{
	if (!l->dies_left)
		return false;
	l->dies_left--;
	return true;
}

static struct bw_error *add_ranges(struct bw_lines *l, Dwarf_Die *die, uint32_t function)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	while (may_look(l) && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* functions that the linker discarded start at 0 */
		if (!start || start >= end)
			continue;
		struct function_range r = {start, end, function};
		BW_TRY(bw_vec_push(&l->function_ranges, r));
	}
	return NULL;
}

static struct bw_error *add_unit(struct bw_lines *l, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int language = dwarf_srclang(unit);
	bool assembly = language == DW_LANG_Mips_Assembler || language == LANG_ASSEMBLY;
	while (may_look(l) && (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		struct unit_range r = {start, end, assembly};
		if (start < end)
			BW_TRY(bw_vec_push(&l->units, r));
	}
	return NULL;
}

static bool origin_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, out);
}

/* The i-th formal parameter among the children. */
static bool find_param(Dwarf_Die *die, size_t i, size_t limit, Dwarf_Die *out)
{
	int more = dwarf_child(die, out);
	for (; !more && limit; limit--, more = dwarf_siblingof(out, out))
		if (dwarf_tag(out) == DW_TAG_formal_parameter && i-- == 0)
			return true;
	return false;
}

static struct bw_error *add_function(struct bw_lines *l, Dwarf_Die *die, Dwarf_Die *unit,
				     unsigned depth)
{
	enum { LOOK_AT = 64 }; /* parameters come first */
	Dwarf_Die origin, param;
	struct function f = {
		.name = bw_die_name(die),
		.die = dwarf_dieoffset(die),
		.depth = depth,
		.is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine,
		.has_params = find_param(die, 0, LOOK_AT, &param),
	};
	if (!f.has_params && origin_of(die, &origin))
		f.has_params = find_param(&origin, 0, LOOK_AT, &param);
	BW_TRY(bw_lines_describe_function(l, die, unit, &f));
	BW_TRY(bw_vec_push(&l->functions, f));
	return add_ranges(l, die, (uint32_t)l->functions.len - 1);
}

/* Whether code may lie in what the DIE holds. */
static bool holds_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

struct bw_error *bw_lines_read_functions(struct bw_lines *l, Dwarf_Die *unit)
{
	Dwarf_Die path[MAX_DEPTH];
	unsigned depth = 0;
	BW_TRY(add_unit(l, unit));
	if (dwarf_child(unit, &path[0]))
		return NULL;
	while (may_look(l)) {
		Dwarf_Die *die = &path[depth];
		int tag = dwarf_tag(die);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			BW_TRY(add_function(l, die, unit, depth));
		else if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
			BW_TRY(bw_lines_add_call(l, die));
		if (holds_code(tag) && depth + 1 < MAX_DEPTH &&
		    !dwarf_child(die, &path[depth + 1])) {
			depth++;
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth])) {
			if (!depth)
				return NULL;
			depth--;
		}
	}
	return NULL;
}

enum bw_language bw_lines_language(const struct bw_lines *l, uint64_t addr)
{
	bw_vec_each(&l->units, u)
		if (addr >= u->start && addr < u->end)
			return u->is_assembly ? BW_LANGUAGE_ASSEMBLY : BW_LANGUAGE_COMPILED;
	return BW_LANGUAGE_UNKNOWN;
}

const struct function *bw_lines_function_around(const struct bw_lines *l, uint64_t addr, unsigned i)
{
	const struct function *found = NULL;
	do {
		const struct function *inside = found;
		found = NULL;
		bw_vec_each(&l->function_ranges, r) {
			const struct function *f = &l->functions.data[r->function];
			if (addr >= r->start && addr < r->end &&
			    (!inside || f->depth < inside->depth) &&
			    (!found || f->depth > found->depth))
				found = f;
		}
		if (inside && !inside->is_inlined)
			return NULL;
	} while (found && i--);
	return found;
}

bool bw_lines_function_at(const struct bw_lines *l, uint64_t addr, struct bw_function *out)
{
	const struct function *best = bw_lines_function_around(l, addr, 0), *own = best;
	if (!best)
		return false;
	for (unsigned i = 1; own && own->is_inlined; i++)
		own = bw_lines_function_around(l, addr, i);
	*out = (struct bw_function){.name = best->name,
				    .is_inlined = best->is_inlined,
				    .has_params = own && own->has_params,
				    .index = (uint32_t)(best - l->functions.data)};
	return true;
}

bool bw_lines_function_covers(const struct bw_lines *l, uint32_t index, uint64_t addr)
{
	bw_vec_each(&l->function_ranges, r)
		if (r->function == index && addr >= r->start && addr < r->end)
			return true;
	return false;
}

const struct bw_ctype *bw_lines_function_type(struct bw_lines *l, uint64_t entry)
{
	Dwarf_Die die;
	for (size_t i = 0; l->dwarf && entry && i < l->functions.len; i++) {
		const struct function *f = &l->functions.data[i];
		if (f->entry == entry && !f->is_inlined && dwarf_offdie(l->dwarf, f->die, &die))
			return bw_lines_type(l, &die);
	}
	return NULL;
}

/* ---- Parameters ---- */

/* A number's type by its kind and size, as the words of the metadata have it. */
static const char *number_name(const struct bw_ctype *t)
{
	/* clang-format off */
	static const struct {
		enum bw_ctype_kind kind;
		bool is_signed;
		uint8_t size_b;
		const char *name;
	} rows[] = {
		{BW_CTYPE_FLOAT, false, 2, "half"},  {BW_CTYPE_FLOAT, false, 4, "float"},
		{BW_CTYPE_FLOAT, false, 8, "double"}, {BW_CTYPE_BOOL, false, 1, "bool"},
		{BW_CTYPE_INT, true, 1, "char"},     {BW_CTYPE_INT, false, 1, "unsigned char"},
		{BW_CTYPE_INT, true, 2, "short"},    {BW_CTYPE_INT, false, 2, "unsigned short"},
		{BW_CTYPE_INT, true, 4, "int"},      {BW_CTYPE_INT, false, 4, "unsigned int"},
		{BW_CTYPE_INT, true, 8, "long"},     {BW_CTYPE_INT, false, 8, "unsigned long"},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows) && !t->is_bfloat; i++)
		if (rows[i].kind == t->kind && rows[i].is_signed == t->is_signed &&
		    rows[i].size_b == t->size_b)
			return rows[i].name;
	return NULL;
}

/* A vector's elements, as a pointer's, are what its numbers are; of an enumeration, the integer
 * that it is stored as. */
static const struct bw_ctype *number_in(const struct bw_ctype *t)
{
	if (t->kind == BW_CTYPE_POINTER)
		t = bw_ctype_strip(t->elem);
	if (t->kind == BW_CTYPE_VECTOR || t->kind == BW_CTYPE_ARRAY)
		t = bw_ctype_strip(t->elem);
	return t->kind == BW_CTYPE_ENUM && t->elem ? bw_ctype_strip(t->elem) : t;
}

static void describe_type(const struct bw_ctype *t, struct bw_param *out)
{
	bool pointer = t->kind == BW_CTYPE_POINTER;
	const char *name = number_name(number_in(t));
	if (!pointer)
		out->size_b = t->size_b > UINT32_MAX ? 0 : (unsigned)t->size_b;
	if (name)
		snprintf(out->type_name, sizeof(out->type_name), "%s%s", name, pointer ? " *" : "");
}

bool bw_lines_param(struct bw_lines *l, uint64_t addr, size_t i, struct bw_param *out)
{
	enum { LOOK_AT = 4096 };
	bw_vec_each(&l->function_ranges, r) {
		const struct function *f = &l->functions.data[r->function];
		Dwarf_Die die, param;
		if (!l->dwarf || f->is_inlined || addr < r->start || addr >= r->end ||
		    !dwarf_offdie(l->dwarf, f->die, &die) || !find_param(&die, i, LOOK_AT, &param))
			continue;
		*out = (struct bw_param){0};
		const char *name = bw_die_name(&param);
		if (name)
			snprintf(out->name, sizeof(out->name), "%s", name);
		describe_type(bw_ctype_strip(bw_lines_type_of(l, &param)), out);
		return true;
	}
	return false;
}
