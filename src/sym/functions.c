/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "sym/lines_priv.h"

/* Functions of the debug information: which one an address lies in, inlined ones among them, and
 * what its parameters are. */

enum {
	MAX_DEPTH = 64,
	MAX_PEELED = 32,     /* typedefs and qualifiers around a type */
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
		/* what the linker discarded starts at 0 */
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

static struct bw_error *add_function(struct bw_lines *l, Dwarf_Die *die, unsigned depth)
{
	enum { LOOK_AT = 64 }; /* parameters come first */
	Dwarf_Die origin, param;
	struct function f = {
		.name = dwarf_diename(die),
		.die = dwarf_dieoffset(die),
		.depth = depth,
		.is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine,
		.has_params = find_param(die, 0, LOOK_AT, &param),
	};
	if (!f.has_params && origin_of(die, &origin))
		f.has_params = find_param(&origin, 0, LOOK_AT, &param);
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
			BW_TRY(add_function(l, die, depth));
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

bool bw_lines_function_at(const struct bw_lines *l, uint64_t addr, struct bw_function *out)
{
	const struct function *best = NULL;
	bool has_params = false;
	bw_vec_each(&l->function_ranges, r) {
		const struct function *f = &l->functions.data[r->function];
		if (addr < r->start || addr >= r->end)
			continue;
		if (!best || f->depth > best->depth)
			best = f;
		if (!f->is_inlined)
			has_params = f->has_params;
	}
	if (!best)
		return false;
	*out = (struct bw_function){.name = best->name,
				    .is_inlined = best->is_inlined,
				    .has_params = has_params,
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

/* ---- Parameters ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

/* Typedefs and qualifiers off. */
static bool peel(Dwarf_Die *type)
{
	for (int i = 0; i < MAX_PEELED; i++) {
		Dwarf_Die inner;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!type_of(type, &inner))
				return false;
			*type = inner;
			break;
		default:
			return true;
		}
	}
	return false;
}

/* A number's type by how it is encoded, as the words of the metadata have it. */
static const char *number_name(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;
	/* clang-format off */
	static const struct {
		uint8_t encoding, size_b;
		const char *name;
	} rows[] = {
		{DW_ATE_float, 2, "half"},	      {DW_ATE_float, 4, "float"},
		{DW_ATE_float, 8, "double"},	      {DW_ATE_signed_char, 1, "char"},
		{DW_ATE_unsigned_char, 1, "unsigned char"}, {DW_ATE_boolean, 1, "bool"},
		{DW_ATE_signed, 1, "char"},	      {DW_ATE_signed, 2, "short"},
		{DW_ATE_signed, 4, "int"},	      {DW_ATE_signed, 8, "long"},
		{DW_ATE_unsigned, 1, "unsigned char"}, {DW_ATE_unsigned, 2, "unsigned short"},
		{DW_ATE_unsigned, 4, "unsigned int"},  {DW_ATE_unsigned, 8, "unsigned long"},
	};
	/* clang-format on */
	int size_b = dwarf_bytesize(type);
	if (dwarf_tag(type) != DW_TAG_base_type || !dwarf_attr(type, DW_AT_encoding, &attr) ||
	    dwarf_formudata(&attr, &encoding))
		return NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].encoding == encoding && rows[i].size_b == size_b)
			return rows[i].name;
	return NULL;
}

/* A vector's elements, as a pointer's, are what its numbers are. */
static bool element_of(Dwarf_Die *type, Dwarf_Die *out)
{
	return type_of(type, out) && peel(out);
}

static void describe_type(Dwarf_Die *type, struct bw_param *out)
{
	Dwarf_Die elem;
	bool pointer = dwarf_tag(type) == DW_TAG_pointer_type;
	const char *name = NULL;
	if (pointer || dwarf_tag(type) == DW_TAG_array_type) {
		if (!element_of(type, &elem))
			return; /* void * */
		if (dwarf_tag(&elem) == DW_TAG_array_type && !element_of(&elem, &elem))
			return;
		name = number_name(&elem);
	} else {
		int size_b = dwarf_bytesize(type);
		out->size_b = size_b > 0 ? (unsigned)size_b : 0;
		name = number_name(type);
	}
	if (name)
		snprintf(out->type_name, sizeof(out->type_name), "%s%s", name, pointer ? " *" : "");
}

bool bw_lines_param(const struct bw_lines *l, uint64_t addr, size_t i, struct bw_param *out)
{
	enum { LOOK_AT = 4096 };
	bw_vec_each(&l->function_ranges, r) {
		const struct function *f = &l->functions.data[r->function];
		Dwarf_Die die, param, type;
		if (f->is_inlined || addr < r->start || addr >= r->end ||
		    !dwarf_offdie(l->dwarf, f->die, &die) || !find_param(&die, i, LOOK_AT, &param))
			continue;
		*out = (struct bw_param){0};
		const char *name = dwarf_diename(&param);
		if (name)
			snprintf(out->name, sizeof(out->name), "%s", name);
		if (type_of(&param, &type) && peel(&type))
			describe_type(&type, out);
		return true;
	}
	return false;
}
