/* SPDX-License-Identifier: MIT */
#include "sym/cl_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/string_list.h"
#include "base/util.h"
#include "sym/cl_priv.h"

/* Declarations of types at file scope, laid out as OpenCL C 3.0 (6.3, 6.12.1) and the C ABI have
 * them: each scalar and vector is aligned to its size, a vector of 3 is as one of 4. */

enum {
	MAX_HEIGHT = 32, /* of types that lie in each other */
	MAX_SIZE_B = 1 << 20,
	MAX_DIMENSIONS = 8,
	MAX_TYPES = 1 << 14,
	MAX_NAMES = 2048,
};

struct node {
	struct bw_ctype type;
	char text[16]; /* its name, where that is a vector's */
	unsigned align_b, height;
	struct BW_VEC(struct bw_cmember) members;
	struct BW_VEC(struct bw_cenumerator) enumerators;
};

struct named {
	const char *name;	 /* owned: "params", "struct params" */
	const struct node *type; /* NULL: not known */
};

struct enumerator {
	const struct bw_cl_token *name;
	int64_t value;
	bool is_known;
};

struct bw_cl_types {
	struct BW_VEC(struct node *) nodes;
	struct bw_strings texts;
	struct BW_VEC(struct named) names;
	struct BW_VEC(struct enumerator) enumerators; /* while it is read */
	const struct bw_cl_token *at;
	bool is_packed_by_pragma, is_full;
};

/* ---- What is made ---- */

static struct node *new_node(struct bw_cl_types *t, enum bw_ctype_kind kind)
{
	struct node *n = t->nodes.len < MAX_TYPES ? calloc(1, sizeof(*n)) : NULL;
	struct bw_error *err = n ? bw_vec_push(&t->nodes, n) : NULL;
	if (!n || err) {
		bw_error_free(err);
		free(n);
		t->is_full = true;
		return NULL;
	}
	n->type.kind = kind;
	n->align_b = 1;
	return n;
}

/* Lives as long as t; NULL: no memory. */
static const char *keep(struct bw_cl_types *t, const char *before, const char *text, size_t len)
{
	char *copy = NULL;
	if (len > 1024 || asprintf(&copy, "%s%.*s", before, (int)len, text) < 0)
		copy = NULL;
	struct bw_error *err = copy ? bw_vec_push(&t->texts, copy) : NULL;
	t->is_full |= !copy || err;
	if (err) {
		bw_error_free(err);
		free(copy);
		return NULL;
	}
	return copy;
}

static struct named *find_named(const struct bw_cl_types *t, const char *name)
{
	bw_vec_each(&t->names, n)
		if (!strcmp(n->name, name))
			return n;
	return NULL;
}

/* A name that has been declared before, or in doubt, is not known. */
static void declare(struct bw_cl_types *t, const char *name, const struct node *type)
{
	struct named *old = name ? find_named(t, name) : NULL;
	if (old)
		old->type = NULL;
	if (!name || old)
		return;
	if (t->names.len >= MAX_NAMES) {
		t->is_full = true;
		return;
	}
	struct bw_error *err = bw_vec_push(&t->names, ((struct named){name, type}));
	t->is_full |= err != NULL;
	bw_error_free(err);
}

/* ---- Scalars and vectors ---- */

static const struct node *array_of(struct bw_cl_types *t, const struct node *elem, uint64_t count,
				   bool is_vector)
{
	uint64_t room = is_vector && count == 3 ? 4 : count, size_b;
	if (!elem || !count || __builtin_mul_overflow(elem->type.size_b, room, &size_b) ||
	    size_b > MAX_SIZE_B || elem->height >= MAX_HEIGHT)
		return NULL;
	struct node *n = new_node(t, is_vector ? BW_CTYPE_VECTOR : BW_CTYPE_ARRAY);
	if (!n)
		return NULL;
	n->type.elem = &elem->type;
	n->type.count = count;
	n->type.size_b = size_b;
	n->align_b = is_vector ? (unsigned)size_b : elem->align_b;
	n->height = elem->height + 1;
	return n;
}

/* "float", "uint", "int4"; NULL: it is not a built-in type. */
static const struct node *builtin(struct bw_cl_types *t, const char *name, size_t len)
{
	struct bw_ctype type;
	unsigned lanes;
	struct node *n = bw_cl_scalar(name, len, &type, &lanes) ? new_node(t, type.kind) : NULL;
	if (!n)
		return NULL;
	n->type = type;
	n->align_b = (unsigned)type.size_b;
	if (!lanes)
		return n;
	const struct node *vector = array_of(t, n, lanes, true);
	struct node *v = vector ? new_node(t, BW_CTYPE_TYPEDEF) : NULL;
	if (!v)
		return NULL;
	snprintf(v->text, sizeof(v->text), "%.*s", (int)len, name);
	v->type.name = v->text;
	v->type.elem = &vector->type;
	v->type.size_b = vector->type.size_b;
	v->align_b = vector->align_b;
	v->height = vector->height + 1;
	return v;
}

/* "unsigned int", "long": t->at is at its first word and goes past its last. */
static const struct node *words_of_c(struct bw_cl_types *t)
{
	bool is_unsigned = false;
	char name[8] = "int";
	for (bool seen = false;; t->at++) {
		bool sign = bw_cl_is(t->at, "unsigned") || bw_cl_is(t->at, "signed");
		is_unsigned |= bw_cl_is(t->at, "unsigned");
		if (sign)
			continue;
		bool word = bw_cl_is(t->at, "char") || bw_cl_is(t->at, "short") ||
			    bw_cl_is(t->at, "int") || bw_cl_is(t->at, "long");
		if (!word)
			break;
		if (!seen || !bw_cl_is(t->at, "int"))
			snprintf(name, sizeof(name), "%.*s", (int)t->at->len, t->at->text);
		seen = true;
	}
	char full[10];
	snprintf(full, sizeof(full), "%s%s", is_unsigned ? "u" : "", name);
	return builtin(t, full, strlen(full));
}

/* ---- Declarations ---- */

static bool take_token(struct bw_cl_types *t, const char *text)
{
	bool is = bw_cl_is(t->at, text);
	t->at += is;
	return is;
}

static bool enumerator_value(void *ctx, const struct bw_cl_token *name, int64_t *out)
{
	const struct bw_cl_types *t = ctx;
	bw_vec_each(&t->enumerators, e) {
		if (e->name->len != name->len || memcmp(e->name->text, name->text, name->len) != 0)
			continue;
		*out = e->value;
		return e->is_known;
	}
	return false;
}

struct attributes {
	bool is_packed;
	unsigned align_b; /* 0: not said */
};

/* False: one that is not understood. */
static bool attributes(struct bw_cl_types *t, struct attributes *out)
{
	while (take_token(t, "__attribute__")) {
		if (!take_token(t, "(") || !take_token(t, "("))
			return false;
		do {
			int64_t align = 0;
			if (take_token(t, "packed") || take_token(t, "__packed__")) {
				out->is_packed = true;
			} else if (take_token(t, "aligned") || take_token(t, "__aligned__")) {
				if (!take_token(t, "(") ||
				    !bw_cl_constant(&t->at, enumerator_value, t, &align) ||
				    !take_token(t, ")") || align < 1 || align > 4096 ||
				    (align & (align - 1)))
					return false;
				out->align_b = BW_MAX(out->align_b, (unsigned)align);
			} else {
				return false;
			}
		} while (take_token(t, ","));
		if (!take_token(t, ")") || !take_token(t, ")"))
			return false;
	}
	return true;
}

static const struct node *type_of(struct bw_cl_types *t, unsigned depth);

/* "name[4][N]" of a type; attributes after it. NULL: it is not understood. */
static const struct node *declarator(struct bw_cl_types *t, const struct node *type,
				     const struct bw_cl_token **out_name, struct attributes *a)
{
	int64_t counts[MAX_DIMENSIONS];
	unsigned n = 0;
	if (t->at->kind != BW_CL_NAME)
		return NULL;
	*out_name = t->at++;
	for (; take_token(t, "["); n++)
		if (n >= MAX_DIMENSIONS ||
		    !bw_cl_constant(&t->at, enumerator_value, t, &counts[n]) || counts[n] < 1 ||
		    counts[n] > MAX_SIZE_B || !take_token(t, "]"))
			return NULL;
	while (n--)
		type = array_of(t, type, (uint64_t)counts[n], false);
	return attributes(t, a) ? type : NULL;
}

static bool add_member(struct bw_cl_types *t, struct node *to, const struct node *type,
		       const struct bw_cl_token *name, const struct attributes *a, bool is_packed)
{
	unsigned align_b = is_packed || a->is_packed ? 1 : type->align_b;
	align_b = BW_MAX(align_b, a->align_b);
	bool is_union = to->type.kind == BW_CTYPE_UNION;
	struct bw_cmember m = {.type = &type->type};
	m.offset_b = is_union ? 0 : bw_align_up(to->type.size_b, align_b);
	if (name)
		m.name = keep(t, "", name->text, name->len);
	struct bw_error *err = (name && !m.name) || to->members.len >= MAX_TYPES
				       ? bw_error_nomem()
				       : bw_vec_push(&to->members, m);
	if (err) {
		bw_error_free(err);
		return false;
	}
	to->type.size_b = BW_MAX(to->type.size_b, m.offset_b + type->type.size_b);
	to->align_b = BW_MAX(to->align_b, align_b);
	to->height = BW_MAX(to->height, type->height + 1);
	return to->type.size_b <= MAX_SIZE_B && to->height < MAX_HEIGHT;
}

/* "float x, y[2];", up to the semicolon. */
static bool members_of(struct bw_cl_types *t, struct node *to, bool is_packed, unsigned depth)
{
	const struct node *type = type_of(t, depth);
	bool is_aggregate =
		type && (type->type.kind == BW_CTYPE_STRUCT || type->type.kind == BW_CTYPE_UNION);
	if (!type)
		return false;
	if (is_aggregate && !type->type.name && take_token(t, ";"))
		return add_member(t, to, type, NULL, &(struct attributes){0}, is_packed);
	do {
		const struct bw_cl_token *name;
		struct attributes a = {0};
		const struct node *whole = declarator(t, type, &name, &a);
		if (!whole || !add_member(t, to, whole, name, &a, is_packed))
			return false;
	} while (take_token(t, ","));
	return take_token(t, ";");
}

/* Whether it is packed is said in front of the members or after them. */
static bool is_packed_behind(struct bw_cl_types *t)
{
	const struct bw_cl_token *members = t->at;
	struct attributes a = {0};
	unsigned depth = 1;
	for (; t->at->kind != BW_CL_END && depth; t->at++)
		depth += bw_cl_is(t->at, "{") ? 1u : bw_cl_is(t->at, "}") ? UINT32_MAX : 0u;
	bool is = attributes(t, &a) && a.is_packed;
	t->at = members;
	return is;
}

/* After "struct" or "union"; NULL: not known. */
static const struct node *aggregate(struct bw_cl_types *t, enum bw_ctype_kind kind, unsigned depth)
{
	const char *word = kind == BW_CTYPE_UNION ? "union " : "struct ", *name = NULL;
	struct attributes a = {0};
	bool good = attributes(t, &a);
	if (t->at->kind == BW_CL_NAME) {
		name = keep(t, word, t->at->text, t->at->len);
		t->at++;
	}
	if (!take_token(t, "{")) {
		const struct named *n = good && name ? find_named(t, name) : NULL;
		return n ? n->type : NULL;
	}
	struct node *to = new_node(t, kind);
	bool is_packed = a.is_packed || is_packed_behind(t);
	good &= to && !t->is_packed_by_pragma && depth < MAX_HEIGHT;
	while (good && !bw_cl_is(t->at, "}"))
		good = members_of(t, to, is_packed, depth);
	good = good && take_token(t, "}") && attributes(t, &a) && to->members.len;
	if (good) {
		to->align_b = BW_MAX(to->align_b, a.align_b);
		to->type.align_b = a.align_b;
		to->type.size_b = bw_align_up(to->type.size_b, to->align_b);
		to->type.name = name;
		to->type.members = to->members.data;
		to->type.n_members = to->members.len;
	}
	if (name)
		declare(t, name, good ? to : NULL);
	return good ? to : NULL;
}

static bool add_enumerator(struct bw_cl_types *t, struct node *to, int64_t *next)
{
	const struct bw_cl_token *name = t->at;
	struct bw_cenumerator e = {.value = *next};
	if (name->kind != BW_CL_NAME || !(e.name = keep(t, "", name->text, name->len)))
		return false;
	t->at++;
	if (take_token(t, "=") && !bw_cl_constant(&t->at, enumerator_value, t, &e.value))
		return false;
	if (e.value < INT32_MIN || e.value > INT32_MAX || to->enumerators.len >= MAX_TYPES)
		return false;
	*next = e.value + 1;
	struct bw_error *err = bw_vec_push(&to->enumerators, e);
	if (!err)
		err = bw_vec_push(&t->enumerators, ((struct enumerator){name, e.value, true}));
	bool done = !err;
	bw_error_free(err);
	return done;
}

static const struct node *enumeration(struct bw_cl_types *t)
{
	const char *name = NULL;
	int64_t next = 0;
	if (t->at->kind == BW_CL_NAME) {
		name = keep(t, "enum ", t->at->text, t->at->len);
		t->at++;
	}
	if (!take_token(t, "{")) {
		const struct named *n = name ? find_named(t, name) : NULL;
		return n ? n->type : NULL;
	}
	struct node *to = new_node(t, BW_CTYPE_ENUM);
	bool good = to, is_signed = false;
	while (good && !bw_cl_is(t->at, "}")) {
		good = add_enumerator(t, to, &next);
		if (good && !take_token(t, ",") && !bw_cl_is(t->at, "}"))
			good = false;
	}
	good = good && take_token(t, "}") && !bw_cl_is(t->at, "__attribute__");
	if (good) {
		bw_vec_each(&to->enumerators, e)
			is_signed |= e->value < 0;
		const struct node *stored =
			builtin(t, is_signed ? "int" : "uint", is_signed ? 3 : 4);
		good = stored;
		to->type.elem = stored ? &stored->type : NULL;
		to->type.size_b = to->align_b = 4;
		to->type.is_signed = is_signed;
		to->type.name = name;
		to->type.enumerators = to->enumerators.data;
		to->type.n_enumerators = to->enumerators.len;
		to->height = 1;
	}
	if (name)
		declare(t, name, good ? to : NULL);
	return good ? to : NULL;
}

/* The type in front of declarators. NULL: not known; where t->at is then is not told. */
static const struct node *type_of(struct bw_cl_types *t, unsigned depth)
{
	static const char *const words[] = {"unsigned", "signed", "char", "short", "int", "long"};
	const struct node *type = NULL;
	while (take_token(t, "const") || take_token(t, "volatile"))
		;
	bool of_c = false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		of_c |= bw_cl_is(t->at, words[i]);
	if (of_c) {
		type = words_of_c(t);
	} else if (take_token(t, "struct")) {
		type = aggregate(t, BW_CTYPE_STRUCT, depth + 1);
	} else if (take_token(t, "union")) {
		type = aggregate(t, BW_CTYPE_UNION, depth + 1);
	} else if (take_token(t, "enum")) {
		type = enumeration(t);
	} else if (t->at->kind == BW_CL_NAME) {
		_cleanup_free_ char *name = strndup(t->at->text, t->at->len);
		const struct named *n = name ? find_named(t, name) : NULL;
		type = n ? n->type : builtin(t, t->at->text, t->at->len);
		t->at++;
	}
	while (take_token(t, "const") || take_token(t, "volatile"))
		;
	return type;
}

/* After "typedef", up to the semicolon. False: it is not understood. */
static bool typedefs(struct bw_cl_types *t)
{
	const struct node *type = type_of(t, 0);
	if (!type)
		return false;
	do {
		const struct bw_cl_token *name;
		struct attributes a = {0};
		if (bw_cl_is(t->at, "*") && t->at[1].kind == BW_CL_NAME) {
			declare(t, keep(t, "", t->at[1].text, t->at[1].len), NULL);
			t->at += 2;
			continue;
		}
		const struct node *whole = declarator(t, type, &name, &a);
		/* after the name, packed says nothing, and aligned is of the new name only */
		if (!whole || a.is_packed || a.align_b)
			return false;
		struct node *to = new_node(t, BW_CTYPE_TYPEDEF);
		const char *text = keep(t, "", name->text, name->len);
		if (!to || !text || whole->height >= MAX_HEIGHT)
			return false;
		to->type.name = text;
		to->type.elem = &whole->type;
		to->type.size_b = whole->type.size_b;
		to->align_b = whole->align_b;
		to->height = whole->height + 1;
		declare(t, text, to);
	} while (take_token(t, ","));
	return bw_cl_is(t->at, ";");
}

/* The end of the declaration that begins here: after its semicolon, or the function's body. */
static const struct bw_cl_token *end_of(const struct bw_cl_token *begin, bool is_type,
					bool *in_doubt)
{
	const struct bw_cl_token *at = begin;
	bool has_body = !is_type; /* braces that end it */
	unsigned depth = 0;
	for (; at->kind != BW_CL_END; at++) {
		*in_doubt |= at->in_doubt;
		if (bw_cl_is(at, "(") && !depth && at > begin && at[-1].kind == BW_CL_NAME)
			has_body |= !bw_cl_is(at - 1, "__attribute__");
		if (bw_cl_is(at, "{") || bw_cl_is(at, "("))
			depth++;
		if (bw_cl_is(at, ")") && depth)
			depth--;
		if (bw_cl_is(at, "}") && (!depth || !--depth) && has_body)
			return at + 1;
		if (bw_cl_is(at, ";") && !depth)
			return at + 1;
	}
	return at;
}

/* Every name in a declaration that is not understood may be declared by it. */
static void put_in_doubt(struct bw_cl_types *t, const struct bw_cl_token *at,
			 const struct bw_cl_token *end)
{
	for (; at < end && !t->is_full; at++) {
		if (at->kind != BW_CL_NAME)
			continue;
		static const char *const before[] = {"", "struct ", "union ", "enum "};
		for (size_t i = 0; i < BW_ARRAY_SIZE(before); i++) {
			const char *name = keep(t, before[i], at->text, at->len);
			declare(t, name, NULL);
			struct named *n = name ? find_named(t, name) : NULL;
			if (n)
				n->type = NULL;
		}
		bw_vec_each(&t->enumerators, e)
			if (e->name->len == at->len && !memcmp(e->name->text, at->text, at->len))
				e->is_known = false;
	}
}

static void read_declarations(struct bw_cl_types *t)
{
	while (t->at->kind != BW_CL_END && !t->is_full) {
		const struct bw_cl_token *begin = t->at;
		bool in_doubt = false, is_typedef = bw_cl_is(begin, "typedef");
		bool is_type = is_typedef || bw_cl_is(begin, "struct") ||
			       bw_cl_is(begin, "union") || bw_cl_is(begin, "enum");
		t->is_packed_by_pragma |= begin->kind == BW_CL_PACK;
		const struct bw_cl_token *end = end_of(begin, is_type, &in_doubt);
		if (begin->kind == BW_CL_PACK)
			end = begin + 1;
		if (is_type && in_doubt) {
			put_in_doubt(t, begin, end);
		} else if (is_typedef) {
			t->at++;
			if (!typedefs(t))
				put_in_doubt(t, begin, end);
		} else if (is_type) {
			type_of(t, 0);
		}
		t->at = end;
	}
}

static void declare_builtins(struct bw_cl_types *t)
{
	static const char *const lanes[] = {"", "2", "3", "4", "8", "16"};
	const char *scalar;
	for (size_t i = 0; (scalar = bw_cl_scalar_name(i)); i++) {
		for (size_t k = 0; k < BW_ARRAY_SIZE(lanes); k++) {
			char name[16];
			snprintf(name, sizeof(name), "%s%s", scalar, lanes[k]);
			if (!find_named(t, name))
				declare(t, keep(t, "", name, strlen(name)),
					builtin(t, name, strlen(name)));
		}
	}
}

/* ---- For others ---- */

void bw_cl_types_close(struct bw_cl_types *t)
{
	if (!t)
		return;
	bw_vec_each(&t->nodes, n) {
		bw_vec_free(&(*n)->members);
		bw_vec_free(&(*n)->enumerators);
		free(*n);
	}
	bw_vec_free(&t->nodes);
	bw_strings_free(&t->texts);
	bw_vec_free(&t->names);
	bw_vec_free(&t->enumerators);
	free(t);
}

struct bw_error *bw_cl_types_open(const char *source, const char *options, struct bw_cl_types **out)
{
	struct bw_cl_tokens tokens = {0};
	struct bw_cl_types *t = calloc(1, sizeof(*t));
	if (!t)
		return bw_error_nomem();
	struct bw_error *err = bw_cl_tokens_of(source, options, &tokens);
	bw_error_catch(&err, BW_E_INVALID);
	bw_error_catch(&err, BW_E_UNSUPPORTED);
	if (err) {
		bw_cl_types_close(t);
		return err;
	}
	t->at = tokens.data;
	if (t->at)
		read_declarations(t);
	if (t->is_full)
		t->names.len = 0;
	t->at = NULL;
	bw_vec_free(&t->enumerators);
	bw_vec_free(&tokens);
	if (!t->is_full)
		declare_builtins(t);
	*out = t;
	return NULL;
}

const struct bw_ctype *bw_cl_types_named(const struct bw_cl_types *t, const char *name)
{
	while (!strncmp(name, "const ", 6))
		name += 6;
	const struct named *n = find_named(t, name);
	return n && n->type ? &n->type->type : NULL;
}
