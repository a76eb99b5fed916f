/* SPDX-License-Identifier: MIT */
#include "sym/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sym/lines_priv.h"
#include "sym/types_priv.h"

/* Types of the debug information. A type is made together with all that can be reached from it, by
 * a list of those that are still to be filled in: nothing here calls itself deeper than MAX_HEIGHT,
 * and each entry is read once. */

/* MAX_HEIGHT: of types that lie in each other by value */
enum { MAX_HEIGHT = 64, MAX_DIMENSIONS = 16, MAX_MEMBERS = 1 << 16 };

static const struct bw_ctype type_void = {.kind = BW_CTYPE_VOID, .name = "void"};
static const struct bw_ctype type_damaged = {.kind = BW_CTYPE_UNKNOWN, .name = "damaged type"};
static const struct bw_ctype type_virtual_base = {.kind = BW_CTYPE_UNKNOWN,
						  .name = "a virtual base class"};
static const struct bw_ctype type_no_memory = {.kind = BW_CTYPE_UNKNOWN, .name = "out of memory"};

bool bw_types_may_look(struct bw_types *t)
{
	if (!t->dies_left)
		return false;
	t->dies_left--;
	return true;
}

void bw_types_free(struct bw_types *t)
{
	bw_vec_each(&t->nodes, n) {
		free((*n)->members);
		free((*n)->params);
		free((*n)->enumerators);
		free(*n);
	}
	bw_vec_free(&t->nodes);
	bw_vec_free(&t->names);
	bw_vec_free(&t->qualified);
	bw_strings_free(&t->texts);
	free(t->slots);
	t->slots = NULL;
}

const char *bw_types_keep(struct bw_types *t, const char *text)
{
	char *copy = strdup(text);
	struct bw_error *err = copy ? bw_vec_push(&t->texts, copy) : NULL;
	if (err) {
		bw_error_free(err);
		free(copy);
		copy = NULL;
	}
	return copy;
}

/* ---- The table ---- */

/* The slot of an entry: by its address, which is different for those of .debug_types too. */
static struct type_node **slot_of(const struct bw_types *t, const void *addr)
{
	size_t at = (size_t)((uintptr_t)addr * 0x9e3779b97f4a7c15ull >> 20) & (t->n_slots - 1);
	while (t->slots[at] && t->slots[at]->die.addr != addr)
		at = (at + 1) & (t->n_slots - 1);
	return &t->slots[at];
}

static bool grow(struct bw_types *t)
{
	struct type_node **old = t->slots;
	size_t n_old = t->n_slots, n = n_old ? 2 * n_old : 256;
	struct type_node **slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	t->slots = slots;
	t->n_slots = n;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*slot_of(t, old[i]->die.addr) = old[i];
	free(old);
	return true;
}

static struct type_node *new_node(struct bw_types *t)
{
	struct type_node *n = calloc(1, sizeof(*n));
	struct bw_error *err = n ? bw_vec_push(&t->nodes, n) : NULL;
	if (err) {
		bw_error_free(err);
		free(n);
		return NULL;
	}
	if (n)
		n->type = type_damaged;
	return n;
}

/* The type of an entry; when it is new it is filled in later. */
static const struct bw_ctype *intern(struct bw_types *t, Dwarf_Die *die)
{
	if (2 * t->n_hashed >= t->n_slots && !grow(t))
		return &type_no_memory;
	struct type_node **slot = slot_of(t, die->addr);
	if (*slot)
		return &(*slot)->type;
	struct type_node *n = new_node(t);
	if (!n)
		return &type_no_memory;
	n->die = *die;
	*slot = n;
	t->n_hashed++;
	return &n->type;
}

/* ---- Attributes ---- */

static bool read_number(Dwarf_Die *die, unsigned name, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value))
		return false;
	*out = value;
	return true;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	uint64_t value;
	return read_number(die, name, &value) ? value : otherwise;
}

static bool flag_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool set = false;
	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formflag(&attr, &set) && set;
}

/* The entry that DW_AT_type names: 1; 0: it has none; -1: damaged. */
static int type_entry(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	return dwarf_formref_die(&attr, out) ? 1 : -1;
}

static const struct bw_ctype *elem_of(struct bw_types *t, Dwarf_Die *die)
{
	Dwarf_Die elem;
	int found = type_entry(die, &elem);
	return found > 0 ? intern(t, &elem) : found ? &type_damaged : &type_void;
}

/* ---- Kinds ---- */

static void unknown(struct bw_ctype *out, const char *why)
{
	out->kind = BW_CTYPE_UNKNOWN;
	out->name = why;
}

static void fill_base(struct bw_lines *l, Dwarf_Die *die, struct bw_ctype *out)
{
	out->name = bw_types_name_of(l, die, "");
	switch (number_of(die, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		out->kind = BW_CTYPE_BOOL;
		break;
	case DW_ATE_signed_char:
		out->is_char = true;
		[[fallthrough]];
	case DW_ATE_signed:
		out->is_signed = true;
		out->kind = BW_CTYPE_INT;
		break;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		out->is_char = true;
		[[fallthrough]];
	case DW_ATE_unsigned:
	case DW_ATE_address:
		out->kind = BW_CTYPE_INT;
		break;
	case DW_ATE_float:
		out->kind = BW_CTYPE_FLOAT;
		out->is_bfloat = out->name && (!strcmp(out->name, "__bf16") ||
					       !strcmp(out->name, "__hip_bfloat16"));
		break;
	default:
		out->kind = BW_CTYPE_UNKNOWN;
		if (!out->name)
			out->name = "a number of unknown encoding";
	}
}

static void fill_pointer(struct bw_types *t, Dwarf_Die *die, struct bw_ctype *out)
{
	uint64_t class = number_of(die, DW_AT_address_class, 0);
	out->kind = BW_CTYPE_POINTER;
	out->is_reference = dwarf_tag(die) != DW_TAG_pointer_type;
	out->elem = elem_of(t, die);
	if (class > BW_ADDRESS_LOCAL)
		unknown(out, "a pointer into an unknown address space");
	else
		out->address_class = (enum bw_address_class) class;
	if (!out->size_b)
		out->size_b = out->address_class == BW_ADDRESS_GENERIC ? 8 : 4;
}

static uint64_t count_of(Dwarf_Die *subrange)
{
	uint64_t count;
	if (read_number(subrange, DW_AT_count, &count))
		return count;
	if (read_number(subrange, DW_AT_upper_bound, &count) && count < UINT64_MAX)
		return count + 1;
	return 0;
}

/* Several dimensions are arrays of arrays: the inner ones have no entry of their own. */
static void fill_array(struct bw_types *t, Dwarf_Die *die, struct bw_ctype *out)
{
	uint64_t counts[MAX_DIMENSIONS];
	unsigned n = 0;
	Dwarf_Die child;
	bool vector = flag_of(die, DW_AT_GNU_vector);
	for (int more = dwarf_child(die, &child); !more && bw_types_may_look(t);
	     more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		if (tag != DW_TAG_subrange_type && tag != DW_TAG_enumeration_type)
			continue;
		if (n == MAX_DIMENSIONS || vector > (n == 0)) {
			unknown(out, "an array of too many dimensions");
			return;
		}
		counts[n++] = count_of(&child);
	}
	const struct bw_ctype *elem = elem_of(t, die);
	while (n > 1) {
		struct type_node *inner = new_node(t);
		if (!inner) {
			unknown(out, type_no_memory.name);
			return;
		}
		inner->type = (struct bw_ctype){
			.kind = BW_CTYPE_ARRAY, .elem = elem, .count = counts[--n]};
		elem = &inner->type;
	}
	out->kind = vector ? BW_CTYPE_VECTOR : BW_CTYPE_ARRAY;
	out->elem = elem;
	out->count = n ? counts[0] : 0;
	if (vector && !out->count)
		unknown(out, "a vector without elements");
}

static void fill_enum(struct bw_lines *l, Dwarf_Die *die, struct type_node *n)
{
	struct bw_types *t = &l->types;
	struct BW_VEC(struct bw_cenumerator) all = {0};
	struct bw_ctype *out = &n->type;
	Dwarf_Die child;
	for (int more = dwarf_child(die, &child); !more && bw_types_may_look(t);
	     more = dwarf_siblingof(&child, &child)) {
		struct bw_cenumerator e = {.name = bw_die_name(&child)};
		Dwarf_Attribute attr;
		Dwarf_Sword value;
		if (dwarf_tag(&child) != DW_TAG_enumerator || !e.name ||
		    !dwarf_attr(&child, DW_AT_const_value, &attr) || dwarf_formsdata(&attr, &value))
			continue;
		e.value = value;
		struct bw_error *err =
			all.len < MAX_MEMBERS ? bw_vec_push(&all, e) : bw_error_nomem();
		if (err) {
			bw_error_free(err);
			break;
		}
	}
	out->kind = BW_CTYPE_ENUM;
	out->is_enum_class = dwarf_hasattr(die, DW_AT_enum_class);
	out->elem = elem_of(t, die);
	out->enumerators = n->enumerators = all.data;
	out->n_enumerators = all.len;
}

/* Reads the place of a bit field: DW_AT_data_bit_offset, or in DWARF 3 counted from the highest bit
 * of the number that holds it. */
static void fill_bits(Dwarf_Die *die, struct bw_cmember *m)
{
	uint64_t size = number_of(die, DW_AT_bit_size, 0), at, from_top, holder;
	if (!size || size > 64)
		return;
	if (read_number(die, DW_AT_bit_offset, &from_top)) {
		holder = number_of(die, DW_AT_byte_size, 4);
		if (holder > 8 || from_top + size > 8 * holder)
			return;
		at = 8 * holder - from_top - size;
	} else {
		at = number_of(die, DW_AT_data_bit_offset, 0);
	}
	m->offset_b += at / 8;
	m->bit_offset = (unsigned)(at % 8);
	m->bit_size = (unsigned)size;
}

static bool read_member(struct bw_types *t, Dwarf_Die *die, struct bw_cmember *out)
{
	int tag = dwarf_tag(die);
	bool is_base = tag == DW_TAG_inheritance;
	/* static members of C++ are variables: DWARF 4 calls them members */
	if ((tag != DW_TAG_member && !is_base) || flag_of(die, DW_AT_declaration) ||
	    flag_of(die, DW_AT_external))
		return false;
	*out = (struct bw_cmember){
		.name = is_base ? NULL : bw_die_name(die),
		.type = elem_of(t, die),
		.offset_b = number_of(die, DW_AT_data_member_location, 0),
		.is_base = is_base,
	};
	if (is_base && number_of(die, DW_AT_virtuality, 0))
		out->type = &type_virtual_base;
	fill_bits(die, out);
	/* a bit field without a name is padding */
	return out->name || !dwarf_hasattr(die, DW_AT_bit_size);
}

static void fill_struct(struct bw_lines *l, Dwarf_Die *die, struct type_node *n)
{
	struct bw_types *t = &l->types;
	struct BW_VEC(struct bw_cmember) all = {0};
	struct bw_ctype *out = &n->type;
	Dwarf_Die child;
	for (int more = dwarf_child(die, &child); !more && bw_types_may_look(t);
	     more = dwarf_siblingof(&child, &child)) {
		struct bw_cmember m;
		if (!read_member(t, &child, &m))
			continue;
		struct bw_error *err =
			all.len < MAX_MEMBERS ? bw_vec_push(&all, m) : bw_error_nomem();
		if (err) {
			bw_error_free(err);
			break;
		}
	}
	out->kind = dwarf_tag(die) == DW_TAG_union_type ? BW_CTYPE_UNION : BW_CTYPE_STRUCT;
	out->members = n->members = all.data;
	out->n_members = all.len;
}

/* Reads the result type and the parameters: those of its declaration, if it has none itself. */
static void fill_function(struct bw_lines *l, Dwarf_Die *die, struct type_node *n)
{
	struct bw_types *t = &l->types;
	struct BW_VEC(const struct bw_ctype *) all = {0};
	struct bw_ctype *out = &n->type;
	Dwarf_Die child, origin, unit;
	Dwarf_Attribute attr;
	bool has_origin = (dwarf_attr(die, DW_AT_abstract_origin, &attr) ||
			   dwarf_attr(die, DW_AT_specification, &attr)) &&
			  dwarf_formref_die(&attr, &origin);
	for (int more = dwarf_child(has_origin ? &origin : die, &child);
	     !more && bw_types_may_look(t); more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		bool rest = tag == DW_TAG_unspecified_parameters;
		if (tag != DW_TAG_formal_parameter && !rest)
			continue;
		const struct bw_ctype *type = rest ? NULL : elem_of(t, &child);
		struct bw_error *err =
			all.len < MAX_MEMBERS ? bw_vec_push(&all, type) : bw_error_nomem();
		if (err) {
			bw_error_free(err);
			break;
		}
	}
	out->kind = BW_CTYPE_FUNCTION;
	out->elem = elem_of(t, die);
	/* clang says it of C alone, but in OpenCL and C++ () is (void) */
	out->is_prototyped =
		flag_of(die, DW_AT_prototyped) || bw_is_cplusplus(die) ||
		(dwarf_diecu(die, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_OpenCL);
	out->params = n->params = all.data;
	out->n_params = all.len;
}

static const char *keyword_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_class_type:
		return "class ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

static const char *qualifier_of(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
		return "const";
	case DW_TAG_volatile_type:
		return "volatile";
	case DW_TAG_restrict_type:
		return "restrict";
	default:
		return "_Atomic";
	}
}

static void fill(struct bw_lines *l, struct type_node *n)
{
	struct bw_types *t = &l->types;
	struct bw_ctype *out = &n->type;
	Dwarf_Die die = n->die;
	int tag = dwarf_tag(&die);
	const char *keyword = keyword_of(tag);
	if (*keyword && flag_of(&die, DW_AT_declaration))
		bw_types_definition(l, &n->die, &die);
	*out = (struct bw_ctype){.size_b = number_of(&die, DW_AT_byte_size, 0),
				 .align_b = number_of(&die, DW_AT_alignment, 0)};
	out->convention = (uint8_t)number_of(&die, DW_AT_calling_convention, 0);
	switch (tag) {
	case DW_TAG_base_type:
		fill_base(l, &die, out);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		fill_pointer(t, &die, out);
		break;
	case DW_TAG_array_type:
		fill_array(t, &die, out);
		break;
	case DW_TAG_enumeration_type:
		fill_enum(l, &die, n);
		out->name = bw_types_name_of(l, &die, keyword);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		fill_struct(l, &die, n);
		out->name = bw_types_name_of(l, &die, keyword);
		break;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		fill_function(l, &die, n);
		break;
	case DW_TAG_typedef:
		out->kind = BW_CTYPE_TYPEDEF;
		out->name = bw_types_name_of(l, &die, "");
		out->elem = elem_of(t, &die);
		break;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		out->kind = BW_CTYPE_QUALIFIED;
		out->name = qualifier_of(tag);
		out->elem = elem_of(t, &die);
		break;
	case DW_TAG_ptr_to_member_type:
		unknown(out, "a pointer to a member");
		break;
	case DW_TAG_unspecified_type:
		unknown(out, bw_die_name(&die));
		break;
	default:
		unknown(out, "a type of an unknown kind");
	}
	if (out->kind == BW_CTYPE_UNKNOWN && !out->name)
		out->name = "a type without a name";
}

/* ---- Finishing: sizes, and no rings of types that lie in each other ---- */

static struct type_node *node_of(const struct bw_ctype *t)
{
	if (t == &type_void || t == &type_damaged || t == &type_no_memory ||
	    t == &type_virtual_base)
		return NULL;
	return BW_CONTAINER_OF((struct bw_ctype *)t, struct type_node, type);
}

static uint64_t size_of_array(const struct bw_ctype *t)
{
	uint64_t size;
	return __builtin_mul_overflow(t->count, t->elem->size_b, &size) ? 0 : size;
}

static void finish(struct type_node *n, unsigned depth);

/* The type of a value inside of `outer`; a cycle, or a depth that no program has, means damage. */
static const struct bw_ctype *inside(struct type_node *outer, const struct bw_ctype *t,
				     unsigned depth)
{
	struct type_node *n = node_of(t);
	if (!n)
		return t;
	if (!n->finished && !n->active && depth < MAX_HEIGHT)
		finish(n, depth + 1);
	if (!n->finished || n->height >= MAX_HEIGHT)
		return &type_damaged;
	outer->height = BW_MAX(outer->height, (uint8_t)(n->height + 1));
	return t;
}

static void finish_members(struct type_node *n, unsigned depth)
{
	struct bw_ctype *t = &n->type;
	for (size_t i = 0; i < t->n_members; i++) {
		struct bw_cmember *m = &n->members[i];
		m->type = inside(n, m->type, depth);
		uint64_t size_b =
			m->bit_size ? (m->bit_offset + m->bit_size + 7) / 8 : m->type->size_b;
		if (m->offset_b > t->size_b || size_b > t->size_b - m->offset_b)
			*m = (struct bw_cmember){
				.name = m->name, .type = &type_damaged, .is_base = m->is_base};
	}
}

static void finish(struct type_node *n, unsigned depth)
{
	struct bw_ctype *t = &n->type;
	n->active = true;
	switch (t->kind) {
	case BW_CTYPE_TYPEDEF:
	case BW_CTYPE_QUALIFIED:
		t->elem = inside(n, t->elem, depth);
		t->size_b = t->elem->size_b;
		break;
	case BW_CTYPE_ENUM:
		t->elem = inside(n, t->elem, depth);
		t->size_b = t->size_b ? t->size_b : t->elem->size_b;
		t->is_signed = bw_ctype_strip(t->elem)->is_signed;
		break;
	case BW_CTYPE_ARRAY:
	case BW_CTYPE_VECTOR:
		t->elem = inside(n, t->elem, depth);
		if (!t->size_b || t->size_b < size_of_array(t))
			t->size_b = size_of_array(t);
		break;
	case BW_CTYPE_STRUCT:
	case BW_CTYPE_UNION:
		finish_members(n, depth);
		break;
	case BW_CTYPE_VOID:
	case BW_CTYPE_BOOL:
	case BW_CTYPE_INT:
	case BW_CTYPE_FLOAT:
	case BW_CTYPE_POINTER:
	case BW_CTYPE_FUNCTION:
	case BW_CTYPE_UNKNOWN:
		break;
	}
	n->finished = true;
}

const struct bw_ctype *bw_lines_type(struct bw_lines *l, Dwarf_Die *die)
{
	struct bw_types *t = &l->types;
	size_t first = t->nodes.len;
	const struct bw_ctype *type = intern(t, die);
	for (size_t i = first; i < t->nodes.len; i++) /* filling one in adds others */
		if (t->nodes.data[i]->die.addr && bw_types_may_look(t))
			fill(l, t->nodes.data[i]);
	for (size_t i = first; i < t->nodes.len; i++)
		if (!t->nodes.data[i]->finished)
			finish(t->nodes.data[i], 0);
	return type;
}

const struct bw_ctype *bw_lines_type_of(struct bw_lines *l, Dwarf_Die *die)
{
	Dwarf_Die type;
	int found = type_entry(die, &type);
	return found > 0 ? bw_lines_type(l, &type) : found ? &type_damaged : &type_void;
}

const struct bw_ctype *bw_ctype_strip(const struct bw_ctype *t)
{
	for (int i = 0; t && i <= MAX_HEIGHT; i++) {
		if (t->kind != BW_CTYPE_TYPEDEF && t->kind != BW_CTYPE_QUALIFIED)
			return t;
		t = t->elem;
	}
	return &type_damaged;
}
