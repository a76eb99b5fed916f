/* SPDX-License-Identifier: MIT */
#include "sym/listed.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/lines_priv.h"
#include "sym/names.h"
#include "sym/namespaces.h"
#include "sym/types_priv.h"

enum { MAX_DIES = 1 << 20, MAX_PARAMS = 256, MAX_TYPE_NAME_B = 1024 };

struct walk {
	struct bw_lines *l;
	enum bw_listed_kind kind;
	size_t dies_left;
	const char *unit_file;
	size_t first; /* of the unit, in the list */
	struct BW_VEC(struct bw_listed) list;
};

static bool may_look(struct walk *w)
{
	if (!w->dies_left)
		return false;
	w->dies_left--;
	return true;
}

static bool has_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool flag;
	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formflag(&attr, &flag) && flag;
}

/* An instance of a function (inlined, or its code) has its name from the abstract one, which is in
 * the list. */
static bool is_listed(struct walk *w, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	const char *name = bw_die_name(die);
	if (!name || !*name || has_flag(die, DW_AT_declaration))
		return false;
	switch (w->kind) {
	case BW_LISTED_FUNCTIONS:
		return tag == DW_TAG_subprogram && !dwarf_hasattr(die, DW_AT_abstract_origin);
	case BW_LISTED_VARIABLES:
		return tag == DW_TAG_variable;
	case BW_LISTED_TYPES:
		return tag == DW_TAG_base_type || tag == DW_TAG_typedef ||
		       tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
	}
	return false;
}

static char *params_of(struct walk *w, Dwarf_Die *function)
{
	Dwarf_Die child;
	char name[MAX_TYPE_NAME_B];
	_cleanup_(bw_str_free) struct bw_str s = {0};
	unsigned n = 0;
	for (int more = dwarf_child(function, &child); !more && may_look(w) && n < MAX_PARAMS;
	     more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_unspecified_parameters)
			bw_str_addf(&s, "%s...", n++ ? ", " : "");
		if (tag != DW_TAG_formal_parameter)
			continue;
		bw_ctype_name(bw_lines_type_of(w->l, &child), name, sizeof(name));
		bw_str_addf(&s, "%s%s", n++ ? ", " : "", name);
	}
	return s.failed ? NULL : strdup(n ? bw_str_text(&s) : "void");
}

static bool is_there(const struct walk *w, const struct bw_listed *x)
{
	for (size_t i = w->first; i < w->list.len; i++) {
		const struct bw_listed *have = &w->list.data[i];
		if (have->line == x->line && !strcmp(have->name, x->name) &&
		    !have->file == !x->file && (!x->file || !strcmp(have->file, x->file)))
			return true;
	}
	return false;
}

/* The file that the unit is named after, in the same words as in its declarations. */
static const char *file_of(Dwarf_Die *unit)
{
	Dwarf_Files *files;
	size_t n;
	const char *name = bw_die_name(unit), *slash = name ? strrchr(name, '/') : NULL;
	if (!name || dwarf_getsrcfiles(unit, &files, &n))
		return name;
	const char *last = slash ? slash + 1 : name;
	for (size_t i = 0; i < n; i++) {
		const char *file = bw_name_line(dwarf_filesrc(files, i, NULL, NULL));
		slash = file ? strrchr(file, '/') : NULL;
		if (slash && !strcmp(slash + 1, last))
			return file;
	}
	return name;
}

static struct bw_error *add_die(struct walk *w, Dwarf_Die *die, const char *prefix)
{
	int line, tag = dwarf_tag(die);
	_cleanup_(bw_str_free) struct bw_str full = {0};
	struct bw_listed x = {.name = bw_die_name(die),
			      .file = bw_name_line(dwarf_decl_file(die)),
			      .line = dwarf_decl_line(die, &line) || line < 0 ? 0 : (unsigned)line,
			      .is_static =
				      w->kind != BW_LISTED_TYPES && !has_flag(die, DW_AT_external),
			      .is_typedef = tag == DW_TAG_typedef};
	/* of file 0 of DWARF 5, its unit's, libdw says that there is none */
	if (!x.file)
		x.file = w->unit_file;
	if (*prefix) {
		bw_str_addf(&full, "%s%s", prefix, x.name);
		x.name = full.failed ? NULL : bw_types_keep(&w->l->types, full.data);
		if (!x.name)
			return bw_error_nomem();
	}
	if (is_there(w, &x))
		return NULL;
	x.type =
		w->kind == BW_LISTED_TYPES ? bw_lines_type(w->l, die) : bw_lines_type_of(w->l, die);
	if (w->kind == BW_LISTED_FUNCTIONS) {
		x.params = params_of(w, die);
		if (!x.params)
			return bw_error_nomem();
	}
	struct bw_error *err = bw_vec_push(&w->list, x);
	if (err)
		free(x.params);
	return err;
}

static struct bw_error *look_at(void *ctx, Dwarf_Die *die, const char *prefix)
{
	struct walk *w = ctx;
	return is_listed(w, die) ? add_die(w, die, prefix) : NULL;
}

static struct bw_error *walk_unit(struct walk *w, Dwarf_Die *unit)
{
	const struct bw_namespaces all = {.unit = unit,
					  .dies_left = &w->dies_left,
					  .anonymous = "(anonymous namespace)::",
					  .entry = look_at,
					  .ctx = w};
	w->first = w->list.len;
	w->unit_file = file_of(unit);
	return bw_namespaces_walk(&all);
}

struct bw_error *bw_lines_listed(struct bw_lines *l, enum bw_listed_kind kind,
				 struct bw_listed **out, size_t *out_n)
{
	struct walk w = {.l = l, .kind = kind, .dies_left = MAX_DIES};
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	struct bw_error *err = NULL;
	while (!err && l->dwarf && !dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		if (unit.addr) /* else one of a kind that libdw does not know */
			err = walk_unit(&w, &unit);
	if (err) {
		bw_listed_free(w.list.data, w.list.len);
		return err;
	}
	*out = w.list.data;
	*out_n = w.list.len;
	return NULL;
}

void bw_listed_free(struct bw_listed *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].params);
	free(list);
}
