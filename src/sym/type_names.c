/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/lines_priv.h"
#include "sym/names.h"
#include "sym/types_priv.h"

/* Names of types: with namespaces, found by name, and types as C declares them. The table of names
 * is made when a name is asked for the first time, in one walk over the debug information. */

enum {
	MAX_NESTED = 32, /* namespaces, classes and functions around a type */
	MAX_PARAMS_IN_PARAMS = 4,
	MAX_DECLARED = 64, /* pointers and arrays around a type whose name is wanted */
	MAX_NAME_B = 1024,
	LANG_CPP17 = 0x2b, /* dwarf.h of elfutils 0.188 lacks these */
	LANG_CPP20 = 0x2c,
	LANG_HIP = 0x29,
	LANG_CPP_OPENCL = 0x37
};

bool bw_is_cplusplus(Dwarf_Die *die)
{
	Dwarf_Die unit;
	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CPP17:
	case LANG_CPP20:
	case LANG_HIP:
	case LANG_CPP_OPENCL:
		return true;
	default:
		return false;
	}
}

/* ---- The table of names ---- */

static bool is_named_type(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_base_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_unspecified_type;
}

static bool names_what_it_holds(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool holds_types(int tag)
{
	return names_what_it_holds(tag) || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_module;
}

static struct bw_error *add_name(struct bw_types *t, Dwarf_Die *die, const struct bw_str *prefix)
{
	Dwarf_Attribute attr;
	const char *name = bw_die_name(die);
	if (!name || !*name)
		return NULL;
	struct named_type n = {name, *die, dwarf_hasattr(die, DW_AT_declaration)};
	_cleanup_(bw_str_free) struct bw_str full = {0};
	if (prefix->len && !dwarf_attr(die, DW_AT_specification, &attr)) {
		bw_str_addn(&full, prefix->data, prefix->len);
		bw_str_add(&full, name);
		n.name = full.failed ? NULL : bw_types_keep(t, full.data);
		if (!n.name)
			return bw_error_nomem();
		BW_TRY(bw_vec_push(&t->qualified, n));
	}
	return bw_vec_push(&t->names, n);
}

static void enter(struct bw_str *prefix, Dwarf_Die *die, bool cplusplus)
{
	const char *name = bw_die_name(die);
	int tag = dwarf_tag(die);
	if (!cplusplus || !names_what_it_holds(tag) || prefix->len > MAX_NAME_B)
		return;
	if (!name && tag == DW_TAG_namespace)
		name = "(anonymous namespace)";
	if (name)
		bw_str_addf(prefix, "%s::", name);
}

static struct bw_error *read_names(struct bw_types *t, Dwarf_Die *unit)
{
	Dwarf_Die path[MAX_NESTED];
	size_t prefix_b[MAX_NESTED] = {0}; /* of the names around each level */
	unsigned depth = 0;
	_cleanup_(bw_str_free) struct bw_str prefix = {0};
	bool cplusplus = bw_is_cplusplus(unit);
	if (dwarf_child(unit, &path[0]))
		return NULL;
	while (bw_types_may_look(t)) {
		Dwarf_Die *die = &path[depth];
		int tag = dwarf_tag(die);
		if (is_named_type(tag))
			BW_TRY(add_name(t, die, &prefix));
		if (holds_types(tag) && depth + 1 < MAX_NESTED &&
		    !dwarf_child(die, &path[depth + 1])) {
			prefix_b[depth + 1] = prefix.len;
			depth++;
			enter(&prefix, die, cplusplus);
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth])) {
			if (!depth)
				return NULL;
			prefix.len = prefix_b[depth--];
		}
	}
	return NULL;
}

static int by_name(const void *pa, const void *pb)
{
	const struct named_type *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);
	if (order)
		return order;
	if (a->is_declaration != b->is_declaration)
		return a->is_declaration ? 1 : -1; /* definitions first */
	return a->die.addr < b->die.addr ? -1 : a->die.addr > b->die.addr;
}

static int by_entry(const void *pa, const void *pb)
{
	const struct named_type *a = pa, *b = pb;
	return a->die.addr < b->die.addr ? -1 : a->die.addr > b->die.addr;
}

/* Out of memory leaves what is there. */
static void need_names(struct bw_lines *l)
{
	struct bw_types *t = &l->types;
	struct bw_error *err = NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	if (t->has_names || !l->dwarf)
		return;
	t->has_names = true;
	while (!err && !dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		if (unit.addr) /* else one of a kind that libdw does not know */
			err = read_names(t, &unit);
	bw_error_free(err);
	if (t->names.len)
		qsort(t->names.data, t->names.len, sizeof(t->names.data[0]), by_name);
	if (t->qualified.len)
		qsort(t->qualified.data, t->qualified.len, sizeof(t->qualified.data[0]), by_entry);
}

/* The first of that name; names.len when there is none. */
static size_t first_named(const struct bw_types *t, const char *name)
{
	size_t lo = 0, hi = t->names.len;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(t->names.data[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->names.len && !strcmp(t->names.data[lo].name, name) ? lo : t->names.len;
}

const char *bw_types_name_of(struct bw_lines *l, Dwarf_Die *die, const char *keyword)
{
	struct bw_types *t = &l->types;
	const char *name = bw_die_name(die);
	if (!name || !*name)
		return NULL;
	if (bw_is_cplusplus(die)) {
		need_names(l);
		struct named_type key = {.die = *die};
		const struct named_type *n =
			t->qualified.len ? bsearch(&key, t->qualified.data, t->qualified.len,
						   sizeof(key), by_entry)
					 : NULL;
		return n ? n->name : name;
	}
	if (!*keyword)
		return name;
	_cleanup_(bw_str_free) struct bw_str full = {0};
	bw_str_addf(&full, "%s%s", keyword, name);
	const char *kept = full.failed ? NULL : bw_types_keep(t, full.data);
	return kept ? kept : name;
}

bool bw_types_definition(struct bw_lines *l, Dwarf_Die *declaration, Dwarf_Die *out)
{
	struct bw_types *t = &l->types;
	const char *name = bw_types_name_of(l, declaration, "");
	int tag = dwarf_tag(declaration);
	if (!name)
		return false;
	need_names(l);
	for (size_t i = first_named(t, name); i < t->names.len; i++) {
		const struct named_type *n = &t->names.data[i];
		Dwarf_Die die = n->die;
		if (n->is_declaration || strcmp(n->name, name))
			break;
		if (dwarf_tag(&die) == tag) {
			*out = die;
			return true;
		}
	}
	return false;
}

/* Whether users name a type of this tag by this keyword. */
static bool fits(Dwarf_Die *die, const char *keyword)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return *keyword ? !strcmp(keyword, "struct ") || !strcmp(keyword, "class ")
				: bw_is_cplusplus(die);
	case DW_TAG_union_type:
		return *keyword ? !strcmp(keyword, "union ") : bw_is_cplusplus(die);
	case DW_TAG_enumeration_type:
		return *keyword ? !strcmp(keyword, "enum ") : bw_is_cplusplus(die);
	default:
		return !*keyword;
	}
}

size_t bw_last_part(const char *name)
{
	size_t at = 0;
	unsigned depth = 0;
	for (size_t i = 0; name[i]; i++) {
		depth += name[i] == '<';
		depth -= name[i] == '>' && depth;
		if (!depth && name[i] == ':' && name[i + 1] == ':')
			at = i + 2;
	}
	return at;
}

size_t bw_ctype_enum_scope(const struct bw_ctype *t)
{
	if (!t->name)
		return 0;
	size_t at = bw_last_part(t->name);
	return t->is_enum_class ? strlen(t->name) : at ? at - 2 : 0;
}

/* Whether name is the last part of full: "c" means "b::c" if there is no "c". */
static bool is_last_part(const char *full, const char *name)
{
	size_t n = strlen(full), m = strlen(name);
	return n > m + 2 && !strcmp(full + n - m, name) && !memcmp(full + n - m - 2, "::", 2);
}

const struct bw_ctype *bw_lines_type_named(struct bw_lines *l, const char *name)
{
	if (l->spirv)
		return bw_spirv_type_named(l->spirv, name);
	static const char *const keywords[] = {"struct ", "class ", "union ", "enum "};
	struct bw_types *t = &l->types;
	const char *keyword = "";
	for (size_t i = 0; i < BW_ARRAY_SIZE(keywords); i++)
		if (bw_starts_with(name, keywords[i]))
			keyword = keywords[i];
	name = bw_skip_blanks(name + strlen(keyword));
	if (bw_starts_with(name, "::")) /* from outside of all namespaces, as all names are here */
		name += 2;
	if (!*name)
		return NULL;
	need_names(l);
	for (size_t i = first_named(t, name); i < t->names.len; i++) {
		Dwarf_Die die = t->names.data[i].die;
		if (strcmp(t->names.data[i].name, name))
			break;
		if (fits(&die, keyword))
			return bw_lines_type(l, &die);
	}
	bw_vec_each(&t->names, n)
		if (is_last_part(n->name, name) && fits(&n->die, keyword))
			return bw_lines_type(l, &n->die);
	return NULL;
}

/* ---- Types as C declares them ---- */

/* A declaration around the name that it lacks: "(*", "[4]" ... */
struct declarator {
	char text[256];
	size_t first; /* text from here on; what comes in front is put before it */
	size_t end;
	bool too_long;
};

static void put_before(struct declarator *d, const char *text)
{
	size_t n = strlen(text);
	if (n > d->first) {
		d->too_long = true;
		return;
	}
	d->first -= n;
	memcpy(d->text + d->first, text, n);
}

static void put_behind(struct declarator *d, const char *text)
{
	size_t n = strlen(text);
	if (n > sizeof(d->text) - 1 - d->end) {
		d->too_long = true;
		return;
	}
	memcpy(d->text + d->end, text, n);
	d->end += n;
}

static bool starts_with_pointer(const struct declarator *d)
{
	return d->first < d->end && (d->text[d->first] == '*' || d->text[d->first] == '&');
}

/* "*", with the words that belong to the pointer after it: "* const". */
static void put_pointer(struct declarator *d, const struct bw_ctype *t, const char *words)
{
	if (*words) {
		if (d->first < d->end && d->text[d->first] != '[')
			put_before(d, " ");
		put_before(d, words);
		put_before(d, " ");
	}
	put_before(d, t->is_reference ? "&" : "*");
}

static void put_name(const struct bw_ctype *t, bool unrolled, unsigned depth, char *out,
		     size_t out_b);

/* "(int, float *)": types of parameters are never unrolled. */
static void put_params(struct declarator *d, const struct bw_ctype *t, unsigned depth)
{
	char name[sizeof(d->text)];
	put_behind(d, "(");
	if (!t->n_params && t->is_prototyped)
		put_behind(d, "void");
	for (size_t i = 0; i < t->n_params && !d->too_long; i++) {
		if (depth < MAX_PARAMS_IN_PARAMS && t->params[i])
			put_name(t->params[i], false, depth + 1, name, sizeof(name));
		else
			snprintf(name, sizeof(name), "...");
		put_behind(d, i ? ", " : "");
		put_behind(d, name);
	}
	put_behind(d, ")");
}

static void put_array(struct declarator *d, const struct bw_ctype *t, unsigned depth)
{
	char count[32] = "[]";
	if (starts_with_pointer(d)) {
		put_before(d, "(");
		put_behind(d, ")");
	}
	if (t->kind == BW_CTYPE_FUNCTION) {
		put_params(d, t, depth);
		return;
	}
	if (t->count)
		snprintf(count, sizeof(count), "[%llu]", (unsigned long long)t->count);
	put_behind(d, count);
}

static const char *base_name(const struct bw_ctype *t)
{
	if (t->name)
		return t->name;
	return t->kind == BW_CTYPE_STRUCT  ? "struct {...}"
	       : t->kind == BW_CTYPE_UNION ? "union {...}"
	       : t->kind == BW_CTYPE_ENUM  ? "enum {...}"
					   : "...";
}

static void add_word(char *words, size_t words_b, const char *word)
{
	size_t n = strlen(words);
	if (n < words_b)
		snprintf(words + n, words_b - n, "%s%s", n ? " " : "", word);
}

uint64_t bw_ctype_stride(const struct bw_ctype *t)
{
	return t->stride_b ? t->stride_b : bw_ctype_strip(t->elem)->size_b;
}

const char *bw_address_class_name(enum bw_address_class class)
{
	return class == BW_ADDRESS_PRIVATE ? "__private"
	       : class == BW_ADDRESS_LOCAL ? "__local"
					   : "";
}

static void put_name(const struct bw_ctype *t, bool unrolled, unsigned depth, char *out,
		     size_t out_b)
{
	struct declarator d = {.first = sizeof(d.text) / 2, .end = sizeof(d.text) / 2};
	char words[64] = "", vector[MAX_NAME_B];
	const char *base = NULL;
	for (int i = 0; !base; i++) {
		if (i == MAX_DECLARED || d.too_long) {
			base = "...";
			break;
		}
		switch (t->kind) {
		case BW_CTYPE_POINTER:
			put_pointer(&d, t, words);
			snprintf(words, sizeof(words), "%s",
				 bw_address_class_name(t->address_class));
			t = t->elem;
			break;
		case BW_CTYPE_ARRAY:
		case BW_CTYPE_FUNCTION:
			put_array(&d, t, depth);
			t = t->elem;
			break;
		case BW_CTYPE_QUALIFIED:
			add_word(words, sizeof(words), t->name);
			t = t->elem;
			break;
		case BW_CTYPE_TYPEDEF:
			if (unrolled)
				t = t->elem;
			else
				base = base_name(t);
			break;
		case BW_CTYPE_VECTOR:
			if (t->name && *t->name) { /* of GLSL and HLSL */
				base = t->name;
				break;
			}
			/* types of C have names from typedefs, or none */
			snprintf(vector, sizeof(vector), "%s __attribute__((vector_size(%llu)))",
				 base_name(t->elem), (unsigned long long)t->count);
			base = vector;
			break;
		case BW_CTYPE_VOID:
		case BW_CTYPE_BOOL:
		case BW_CTYPE_INT:
		case BW_CTYPE_FLOAT:
		case BW_CTYPE_ENUM:
		case BW_CTYPE_STRUCT:
		case BW_CTYPE_UNION:
		case BW_CTYPE_UNKNOWN:
			base = base_name(t);
			break;
		}
	}
	d.text[d.end] = 0;
	snprintf(out, out_b, "%s%s%s%s%s", words, *words ? " " : "", base,
		 d.first < d.end ? " " : "", d.text + d.first);
}

void bw_ctype_name(const struct bw_ctype *t, char *out, size_t out_b)
{
	put_name(t, false, 0, out, out_b);
}

void bw_ctype_name_unrolled(const struct bw_ctype *t, char *out, size_t out_b)
{
	put_name(t, true, 0, out, out_b);
}
