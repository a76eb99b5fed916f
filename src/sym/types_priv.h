/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_TYPES_PRIV_H
#define BW_SYM_TYPES_PRIV_H

/* Internals of reading types: types.c makes them from entries of the debug information,
 * type_names.c names them and finds them by name. */

#include <elfutils/libdw.h>

#include "base/str.h"
#include "base/string_list.h"
#include "base/vec.h"
#include "sym/names.h"
#include "sym/types.h"

/* One type. `type` is what users see; the rest is for making it. */
struct type_node {
	struct bw_ctype type;
	Dwarf_Die die;
	struct bw_cmember *members;	/* owned; type.members */
	const struct bw_ctype **params; /* owned; type.params */
	struct bw_cenumerator *enumerators;
	bool active, finished;
	uint8_t height; /* how deep types lie in it by value */
};

/* A type that has a name, with the namespaces and classes around it. */
struct named_type {
	const char *name; /* owned by the table; without "struct" */
	Dwarf_Die die;
	bool is_declaration;
};

struct bw_types {
	struct BW_VEC(struct type_node *) nodes; /* in the order of their making */
	struct type_node **slots;		 /* by the address of their entry: hashed */
	size_t n_slots, n_hashed;
	size_t dies_left; /* how many more entries may be looked at for types */

	bool has_names;				    /* names is filled */
	struct BW_VEC(struct named_type) names;	    /* by name */
	struct BW_VEC(struct named_type) qualified; /* entries of `names` with a "::", by entry */
	struct bw_strings texts;
};

void bw_types_free(struct bw_types *t);
/* The type of an entry, the same each time. Never NULL. */
const struct bw_ctype *bw_lines_type(struct bw_lines *l, Dwarf_Die *die);
/* The type that DW_AT_type of the entry names, or its origin's; void when it has none. */
const struct bw_ctype *bw_lines_type_of(struct bw_lines *l, Dwarf_Die *die);

/* A copy that lives as long as the table; NULL: no memory. */
const char *bw_types_keep(struct bw_types *t, const char *text);
/* The name of a type with the namespaces around it, NULL for none; with the keyword where the
 * language is C. */
const char *bw_types_name_of(struct bw_lines *l, Dwarf_Die *die, const char *keyword);
/* A definition for the declaration of a struct, union or enum; false: there is none. */
bool bw_types_definition(struct bw_lines *l, Dwarf_Die *declaration, Dwarf_Die *out);
bool bw_is_cplusplus(Dwarf_Die *die);
/* Whether one more entry may be looked at. */
bool bw_types_may_look(struct bw_types *t);

#endif
