// SPDX-License-Identifier: MIT
/* Variables and types of the program in expressions: names, members, elements, pointers. */
#include "base/str.h"
#include "debug/expressions/expr_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ---- */

static bool frame_of(struct bw_expr *x, struct bw_variables_frame *out)
{
	if (!x->at)
		return bw_variables_frame(x->d, x->wave, out);
	*out = *x->at;
	return true;
}

/* HIP's headers declare threadIdx and similar names as objects without data, whose members are
 * calls: the debugger's own meaning is the one that has values. */
static bool is_place_of_hip(const struct bw_variable *v)
{
	const struct bw_ctype *t = bw_ctype_strip(v->type);
	return bw_expr_is_dim3(v->name) && t->kind == BW_CTYPE_STRUCT && !t->n_members;
}

bool bw_expr_is_variable(struct bw_expr *x, const char *name)
{
	struct bw_variables_frame f;
	const struct bw_variable *v = frame_of(x, &f) ? bw_variables_find(x->d, &f, name) : NULL;
	return v && !is_place_of_hip(v);
}

struct bw_error *bw_expr_variable(struct bw_expr *x, const char *name, bool *out_found,
				  struct bw_value *out)
{
	struct bw_variables_frame f;
	struct bw_value_of who = bw_expr_of(x);
	*out_found = false;
	if (!frame_of(x, &f))
		return NULL;
	const struct bw_variable *v = bw_variables_find(x->d, &f, name);
	if (!v)
		return NULL;
	*out_found = true;
	BW_IN_SPACE(x->d, x->wave ? x->wave->info.space : x->d->space);
	return bw_variables_value(&who, &f, v, out);
}

struct bw_error *bw_expr_entry(struct bw_expr *x, const char *name, struct bw_value *out)
{
	struct bw_variables_frame f;
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_variable *v = frame_of(x, &f) ? bw_variables_find(x->d, &f, name) : NULL;
	if (!v)
		return bw_errorf(BW_E_NOT_FOUND, "No symbol \"%s\" in current context", name);
	BW_IN_SPACE(x->d, x->wave ? x->wave->info.space : x->d->space);
	return bw_variables_entry_value(&who, &f, v, out);
}

bool bw_expr_enumerator(struct bw_expr *x, const char *name, struct bw_value *out)
{
	struct bw_variables_frame f;
	const struct bw_ctype *type;
	int64_t value;
	if (!frame_of(x, &f) || !bw_variables_enumerator(x->d, &f, name, &type, &value))
		return false;
	*out = (struct bw_value){.type = bw_type_of(type)};
	out->bits = bw_type_extend(&out->type, (uint64_t)value);
	return true;
}

/* ---- Types ---- */

/* "struct", "union", "enum" */
static bool is_tag_word(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "union") || !strcmp(word, "enum");
}

/* A vector type of OpenCL such as "float4", which is known even if the program does not use it.
 * NULL: there is no such type. */
static const struct bw_ctype *vector_named(struct bw_expr *x, const char *name)
{
	static const unsigned counts[] = {2, 3, 4, 8, 16};
	struct bw_type type;
	char elem[16];
	uint64_t count;
	size_t n = strcspn(name, "0123456789");
	if (!n || n >= sizeof(elem) || !bw_parse_u64(name + n, &count))
		return NULL;
	snprintf(elem, sizeof(elem), "%.*s", (int)n, name);
	const struct bw_ctype *t =
		bw_type_parse(elem, &type) ? bw_expr_plain_ctype(type.kind, type.size_b) : NULL;
	for (size_t i = 0; t && t->size_b && i < BW_ARRAY_SIZE(counts); i++)
		if (counts[i] == count)
			return bw_variables_array_of(x->d, t, count, true);
	return NULL;
}

static const struct bw_ctype *type_named(struct bw_expr *x, const char *name)
{
	const struct bw_ctype *t = bw_debug_type_named(x->d, name);
	return t ? t : vector_named(x, name);
}

bool bw_expr_type_follows(struct bw_expr *x)
{
	if (x->tok.kind != BW_TOK_IDENT)
		return false;
	if (is_tag_word(x->tok.name))
		return true;
	if (bw_expr_is_variable(x, x->tok.name))
		return false;
	return bw_expr_type_word(x->tok.name) || type_named(x, x->tok.name);
}

struct bw_error *bw_expr_program_type(struct bw_expr *x, const struct bw_ctype **out)
{
	char name[2 * BW_NAME_MAX + 2];
	struct bw_tok word = x->tok;
	*out = NULL;
	if (word.kind != BW_TOK_IDENT)
		return NULL;
	if (!is_tag_word(word.name)) {
		*out = type_named(x, word.name);
		if (*out)
			bw_expr_next(x);
		return NULL;
	}
	bw_expr_next(x);
	if (x->tok.kind != BW_TOK_IDENT)
		return bw_expr_syntax(x);
	snprintf(name, sizeof(name), "%s %s", word.name, x->tok.name);
	*out = bw_debug_type_named(x->d, name);
	if (!*out)
		return bw_expr_at(
			x, x->tok.column,
			bw_errorf(BW_E_NOT_FOUND, "No %s type named %s", word.name, x->tok.name));
	bw_expr_next(x);
	return NULL;
}

struct bw_error *bw_expr_pointer_type(struct bw_expr *x, const struct bw_ctype *elem,
				      enum bw_space space, struct bw_type *out)
{
	const struct bw_ctype *p = bw_variables_pointer_to(x->d, elem, space);
	if (!p)
		return bw_error_nomem();
	*out = bw_type_of(p);
	return NULL;
}

/* ---- Parts ---- */

/* Finds a member by its name, also in anonymous structs and unions, and in base classes. */
static const struct bw_cmember *find_member(const struct bw_ctype *s, const char *name,
					    unsigned depth, uint64_t *out_base_b)
{
	for (size_t i = 0; i < s->n_members; i++) {
		const struct bw_cmember *m = &s->members[i];
		if (m->name && !m->is_base && strcmp(m->name, name) == 0) {
			*out_base_b = 0;
			return m;
		}
	}
	for (size_t i = 0; i < s->n_members && depth < 16; i++) {
		const struct bw_cmember *m = &s->members[i];
		const struct bw_ctype *inner = bw_ctype_strip(m->type);
		if ((m->name && !m->is_base) ||
		    (inner->kind != BW_CTYPE_STRUCT && inner->kind != BW_CTYPE_UNION))
			continue;
		const struct bw_cmember *found = find_member(inner, name, depth + 1, out_base_b);
		if (found) {
			*out_base_b += m->offset_b;
			return found;
		}
	}
	return NULL;
}

/* The components of a vector that "xyzw", "rgba", "stpq" (GLSL), "s03", "lo", "hi", "even" or "odd"
 * names. 0: the name is none of these. */
static unsigned swizzle(const char *name, unsigned count, unsigned out[16])
{
	static const char digits[] = "0123456789abcdef";
	unsigned n = 0, padded = count == 3 ? 4 : count;
	bool hi = !strcmp(name, "hi"), odd = !strcmp(name, "odd");
	if (hi || odd || !strcmp(name, "lo") || !strcmp(name, "even")) {
		for (unsigned i = 0; i < padded / 2 && i < 16; i++) {
			out[n] = hi		       ? padded / 2 + i
				 : odd		       ? 2 * i + 1
				 : !strcmp(name, "lo") ? i
						       : 2 * i;
			if (out[n++] >= count)
				return 0;
		}
		return n;
	}
	bool numbered = (name[0] == 's' || name[0] == 'S') && isxdigit((unsigned char)name[1]);
	const char *set = numbered		  ? digits
			  : strchr("xyzw", *name) ? "xyzw"
			  : strchr("rgba", *name) ? "rgba"
						  : "stpq";
	for (const char *p = name + numbered; *p; p++) {
		char c = numbered && *p >= 'A' && *p <= 'F' ? (char)(*p - 'A' + 'a') : *p;
		const char *at = strchr(set, c);
		if (!at || n == 16 || (unsigned)(at - set) >= count)
			return 0;
		out[n++] = (unsigned)(at - set);
	}
	return n;
}

static struct bw_error *no_member(const char *name)
{
	return bw_errorf(BW_E_NOT_FOUND, "There is no member named %s", name);
}

static struct bw_error *no_component(const struct bw_type *type, uint64_t count, const char *name)
{
	char text[BW_TYPE_NAME_MAX];
	return bw_errorf(
		BW_E_NOT_FOUND,
		"%s has no component named %s: its components are %.*s%ss0 to s%llx, and lo, "
		"hi, even, odd",
		bw_type_name(type, text), name, count <= 4 ? (int)count : 0, "xyzw",
		count <= 4 ? ", " : "", (unsigned long long)count - 1);
}

/* Notes of which components of which vector the value consists, for assignments. */
static struct bw_error *note_components(const struct bw_value *v, const unsigned *which, unsigned n,
					struct bw_value *out)
{
	struct bw_value *vector = calloc(1, sizeof(*vector));
	if (!vector)
		return bw_error_nomem();
	struct bw_error *err = bw_value_copy(v->vector ? v->vector : v, vector);
	if (err) {
		free(vector);
		return err;
	}
	for (unsigned i = 0; i < n; i++)
		out->component[i] = v->vector ? v->component[which[i]] : (uint8_t)which[i];
	out->vector = vector;
	return NULL;
}

static struct bw_error *several_components(struct bw_expr *x, const struct bw_value *v,
					   const struct bw_ctype *made, const unsigned *which,
					   unsigned n, struct bw_value *out)
{
	struct bw_value_of who = bw_expr_of(x);
	struct bw_value whole = {0}, r = {.type = bw_type_of(made)};
	uint64_t elem_b = bw_ctype_strip(made->elem)->size_b;
	if (x->skip) {
		*out = r;
		return NULL;
	}
	BW_TRY(bw_value_copy(v, &whole));
	struct bw_error *err = bw_variables_fetch(&who, &whole);
	if (!err) {
		r.bytes = bw_bytes_new(made->size_b);
		err = r.bytes ? NULL : bw_error_nomem();
	}
	for (unsigned i = 0; !err && i < n; i++) {
		size_t from = whole.bytes_at + which[i] * elem_b;
		if (from + elem_b > whole.bytes->size_b)
			continue;
		memcpy(r.bytes->data + i * elem_b, whole.bytes->data + from, elem_b);
		memcpy(r.bytes->known + i * elem_b, whole.bytes->known + from, elem_b);
		memcpy(r.bytes->why, whole.bytes->why, sizeof(r.bytes->why));
	}
	bw_value_fini(&whole);
	if (err)
		bw_value_fini(&r);
	else
		*out = r;
	return err;
}

/* Several components together are a new vector, which has no place. */
static struct bw_error *vector_member(struct bw_expr *x, const struct bw_value *v,
				      const struct bw_ctype *t, const char *name,
				      struct bw_value *out)
{
	struct bw_value_of who = bw_expr_of(x);
	unsigned which[16], n = swizzle(name, t->count < 16 ? (unsigned)t->count : 16, which);
	uint64_t elem_b = bw_ctype_strip(t->elem)->size_b;
	if (!n)
		return no_component(&v->type, t->count, name);
	const struct bw_ctype *made =
		n == 1 ? t->elem : bw_variables_array_of(x->d, t->elem, n, true);
	if (!made)
		return bw_error_nomem();
	/* a vector of three has room for four */
	bool in_row = n == 1 || made->size_b == n * elem_b;
	for (unsigned i = 1; i < n; i++)
		in_row &= which[i] == which[0] + i;
	const struct bw_member_at at = {.offset_b = which[0] * elem_b};
	BW_TRY(in_row ? bw_variables_part(&who, v, made, at, out)
		      : several_components(x, v, made, which, n, out));
	struct bw_error *err = in_row && !v->vector ? NULL : note_components(v, which, n, out);
	if (err)
		bw_value_fini(out);
	return err;
}

struct bw_error *bw_expr_member(struct bw_expr *x, const struct bw_value *v, const char *name,
				struct bw_value *out)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *t = bw_type_aggregate(&v->type);
	if (t && t->kind == BW_CTYPE_VECTOR)
		return vector_member(x, v, t, name, out);
	if (v->type.ctype && v->type.kind == BW_TYPE_POINTER) { /* as in gdb, p.x means p->x */
		struct bw_value there;
		BW_TRY(bw_expr_load(x, v, 1, &there));
		struct bw_error *err =
			there.type.kind == BW_TYPE_AGGREGATE
				? bw_expr_member(x, &there, name, out)
				: bw_errorf(BW_E_INVALID,
					    "The -> operator must not be applied to a pointer to "
					    "something that is not a struct");
		bw_value_fini(&there);
		return err;
	}
	if (!t || (t->kind != BW_CTYPE_STRUCT && t->kind != BW_CTYPE_UNION))
		return bw_errorf(
			BW_E_INVALID,
			"Attempt to extract a component of a value that is not a structure.");
	uint64_t base_b;
	const struct bw_cmember *m = find_member(t, name, 0, &base_b);
	if (!m)
		return no_member(name);
	return bw_variables_part(&who, v, m->type,
				 (struct bw_member_at){.offset_b = base_b + m->offset_b,
						       .bit_offset = m->bit_offset,
						       .bit_size = m->bit_size},
				 out);
}

struct bw_error *bw_expr_element(struct bw_expr *x, const struct bw_value *v, int64_t i,
				 struct bw_value *out)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *t = bw_type_aggregate(&v->type);
	/* a shader's buffer that is one array can be indexed by its own name (--arg, HLSL) */
	if (t->is_block && t->n_members == 1 &&
	    bw_ctype_strip(t->members[0].type)->kind == BW_CTYPE_ARRAY) {
		struct bw_value array;
		BW_TRY(bw_variables_part(&who, v, t->members[0].type,
					 (struct bw_member_at){.offset_b = t->members[0].offset_b},
					 &array));
		struct bw_error *err = bw_expr_element(x, &array, i, out);
		bw_value_fini(&array);
		return err;
	}
	if (t->kind != BW_CTYPE_ARRAY && t->kind != BW_CTYPE_VECTOR)
		return bw_errorf(BW_E_INVALID, "cannot subscript something of type `%s'",
				 t->name ? t->name : "struct");
	bool bounded = t->kind == BW_CTYPE_VECTOR || v->bytes;
	if (bounded && (i < 0 || (uint64_t)i >= t->count))
		return bw_errorf(BW_E_NOT_FOUND, "no such vector element");
	/* C does not check bounds of arrays in memory: other memory is before and after them */
	int64_t elem_b = (int64_t)bw_ctype_stride(t), offset_b;
	if (__builtin_mul_overflow(i, elem_b, &offset_b))
		return bw_errorf(BW_E_INVALID, "no such element: %lld", (long long)i);
	return bw_variables_part(&who, v, t->elem,
				 (struct bw_member_at){.offset_b = (uint64_t)offset_b}, out);
}

/* An array stands for the address of its first element. */
struct bw_error *bw_expr_decay(struct bw_expr *x, struct bw_value *v)
{
	const struct bw_ctype *t = bw_type_aggregate(&v->type);
	if (t->kind != BW_CTYPE_ARRAY)
		return bw_errorf(BW_E_INVALID,
				 "Argument to arithmetic operation not a number or boolean.");
	if (v->place != BW_PLACE_MEMORY && !x->skip)
		return bw_errorf(BW_E_INVALID,
				 "Attempt to take address of value not located in memory");
	struct bw_value p = {.bits = v->va};
	BW_TRY(bw_expr_pointer_type(x, t->elem, v->space, &p.type));
	bw_value_fini(v);
	*v = p;
	return NULL;
}

struct bw_error *bw_expr_load_program(struct bw_expr *x, const struct bw_value *ptr, size_t n,
				      struct bw_value *out)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *p = bw_ctype_strip(ptr->type.ctype);
	const struct bw_ctype *elem = p->elem;
	struct bw_place_at at = {.space = ptr->type.space, .va = ptr->bits};
	if (!elem || bw_type_of(elem).kind == BW_TYPE_VOID)
		return bw_errorf(
			BW_E_INVALID,
			"Attempt to take contents of a void pointer: cast it, *(int *)...");
	if (n > 1) {
		elem = bw_variables_array_of(x->d, elem, n, false);
		if (!elem)
			return bw_error_nomem();
	}
	bw_debug_flat_space(&at.space, &at.va);
	return bw_variables_load(&who, elem, at, out);
}

/* ---- Assignment ---- */

/* Converts v to a value that can be assigned to the aggregate `place`. */
static struct bw_error *need_aggregate(struct bw_expr *x, const struct bw_value *place,
				       struct bw_value *v)
{
	char a[BW_TYPE_NAME_MAX], b[BW_TYPE_NAME_MAX];
	const struct bw_ctype *to = bw_type_aggregate(&place->type);
	if (to->kind == BW_CTYPE_VECTOR && v->type.kind != BW_TYPE_AGGREGATE)
		BW_TRY(bw_expr_fill_vector(x, &place->type, v));
	BW_TRY(bw_expr_fit_vector(x, &place->type, v));
	if (to->size_b && v->type.kind == BW_TYPE_AGGREGATE &&
	    bw_expr_same_type(to, bw_type_aggregate(&v->type)))
		return NULL;
	return bw_errorf(BW_E_INVALID, "Invalid assignment: a value of type %s does not fit %s",
			 bw_type_name(&v->type, a), bw_type_name(&place->type, b));
}

static struct bw_error *need_bytes(const struct bw_value_of *who, struct bw_value *v,
				   const struct bw_ctype *to)
{
	BW_TRY(bw_variables_fetch(who, v));
	for (uint64_t i = 0; i < to->size_b; i++)
		if (!v->bytes->known[v->bytes_at + i])
			return bw_variables_missing(v);
	return NULL;
}

static struct bw_error *assign_aggregate(struct bw_expr *x, struct bw_value *place,
					 struct bw_value *v)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *to = bw_type_aggregate(&place->type);
	BW_TRY(need_aggregate(x, place, v));
	if (x->skip)
		return NULL;
	BW_TRY(need_bytes(&who, v, to));
	return bw_variables_store(&who, place, v->bytes->data + v->bytes_at, to->size_b);
}

/* Each component goes to its own place; nothing is written if one of them has no place. */
static struct bw_error *store_components(struct bw_expr *x, struct bw_value *place,
					 const uint8_t *bytes)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *t = bw_type_aggregate(&place->vector->type);
	const struct bw_ctype *to = bw_type_aggregate(&place->type);
	size_t elem_b = bw_ctype_strip(t->elem)->size_b;
	for (unsigned i = 0; i < (to ? to->count : 1) * 2; i++) {
		unsigned k = i % (unsigned)(to ? to->count : 1);
		struct bw_value part;
		BW_TRY(bw_variables_part(
			&who, place->vector, t->elem,
			(struct bw_member_at){.offset_b = place->component[k] * elem_b}, &part));
		bool is_pass = i >= (to ? to->count : 1);
		struct bw_error *err =
			part.place == BW_PLACE_NONE
				? bw_errorf(BW_E_INVALID,
					    "Left operand of assignment is not an lvalue")
			: part.is_missing ? bw_variables_missing(&part)
			: is_pass ? bw_variables_store(&who, &part, bytes + k * elem_b, elem_b)
				  : NULL;
		bw_value_fini(&part);
		BW_TRY(err);
	}
	return NULL;
}

struct bw_error *bw_expr_assign_components(struct bw_expr *x, struct bw_value *place,
					   struct bw_value *v)
{
	struct bw_value_of who = bw_expr_of(x);
	const struct bw_ctype *to = bw_type_aggregate(&place->type);
	uint64_t bits;
	for (unsigned i = 0; to && i < to->count; i++)
		for (unsigned k = 0; k < i; k++)
			if (place->component[i] == place->component[k])
				return bw_errorf(BW_E_INVALID,
						 "Invalid assignment: the component s%x is named "
						 "twice on the left",
						 place->component[i]);
	if (!to) {
		BW_TRY(bw_expr_scalar(x, v));
		bits = bw_expr_convert(v, &place->type);
		if (!x->skip)
			BW_TRY(store_components(x, place, (const uint8_t *)&bits));
		place->bits = bits;
		return NULL;
	}
	BW_TRY(need_aggregate(x, place, v));
	if (x->skip)
		return NULL;
	BW_TRY(need_bytes(&who, v, to));
	BW_TRY(store_components(x, place, v->bytes->data + v->bytes_at));
	bw_bytes_unref(place->bytes);
	place->bytes = bw_bytes_ref(v->bytes);
	place->bytes_at = v->bytes_at;
	return NULL;
}

struct bw_error *bw_expr_assign_program(struct bw_expr *x, struct bw_value *place,
					struct bw_value *v)
{
	struct bw_value_of who = bw_expr_of(x);
	uint8_t bytes[16] = {0};
	if (place->type.kind == BW_TYPE_AGGREGATE)
		return assign_aggregate(x, place, v);
	BW_TRY(bw_expr_scalar(x, v));
	if (x->skip)
		return NULL;
	uint64_t bits = bw_expr_convert(v, &place->type);
	size_t n = place->type.size_b;
	memcpy(bytes, &bits, sizeof(bits));
	if (place->bit_size) { /* the other bits of its bytes stay */
		n = (place->bit_offset + place->bit_size + 7u) / 8;
		if (place->bytes)
			memcpy(bytes, place->bytes->data + place->bytes_at, n);
		else
			BW_TRY(bw_wave_mem_read(
				x->d,
				&(struct bw_wave_mem){x->wave, x->lane, place->space, place->va},
				bytes, n));
		for (unsigned i = 0; i < place->bit_size; i++) {
			unsigned bit = place->bit_offset + i;
			uint8_t mask = (uint8_t)(1u << bit % 8);
			bytes[bit / 8] =
				(uint8_t)((bytes[bit / 8] & ~mask) | (bits >> i & 1 ? mask : 0));
		}
	}
	BW_TRY(bw_variables_store(&who, place, bytes, n));
	place->bits = place->bit_size ? bw_type_decode(&place->type, bytes, place->bit_offset,
						       place->bit_size)
				      : bits;
	place->is_missing = false;
	return NULL;
}
