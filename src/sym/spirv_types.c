/* SPDX-License-Identifier: MIT */
/* Types of SPIR-V as those of the debugger. Offsets and strides of buffers are decorations; what
 * has none (variables in LDS) lies as Mesa lays it out: each scalar aligned to its own size,
 * without holes between vectors (glsl_get_natural_size_align_bytes). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sym/spirv_priv.h"

enum {
	MAX_HEIGHT = 64,
	NODES_MAX = 1 << 17,
	MEMBERS_MAX = 1 << 16,
	BFLOAT16 = 0, /* SPV_KHR_bfloat16 */
};

static const struct bw_ctype type_damaged = {.kind = BW_CTYPE_UNKNOWN, .name = "damaged type"};
static const struct bw_ctype type_row_major = {.kind = BW_CTYPE_UNKNOWN,
					       .name = "row-major matrix"};

static struct spv_node *new_node(struct bw_spirv *s)
{
	struct spv_node *n = s->nodes.len < NODES_MAX ? calloc(1, sizeof(*n)) : NULL;
	struct bw_error *err = n ? bw_vec_push(&s->nodes, n) : NULL;
	if (err) {
		bw_error_free(err);
		free(n);
		return NULL;
	}
	return n;
}

/* The decorations that lay out a member's type. */
struct layout {
	uint32_t matrix_stride_b; /* 0: none is given */
	bool row_major;
	bool by_pointer; /* it does not lie in what is being made */
	unsigned height;
};

static const struct bw_ctype *type_of(struct bw_spirv *s, uint32_t id, struct layout l);

static const char *scalar_name(const struct bw_spirv *s, enum bw_ctype_kind kind, unsigned width,
			       bool is_signed)
{
	static const struct {
		enum bw_ctype_kind kind;
		unsigned width;
		bool is_signed;
		const char *name;
	} rows[] = {{BW_CTYPE_FLOAT, 16, true, "float16_t"}, {BW_CTYPE_FLOAT, 32, true, "float"},
		    {BW_CTYPE_FLOAT, 64, true, "double"},    {BW_CTYPE_INT, 8, true, "int8_t"},
		    {BW_CTYPE_INT, 8, false, "uint8_t"},     {BW_CTYPE_INT, 16, true, "int16_t"},
		    {BW_CTYPE_INT, 16, false, "uint16_t"},   {BW_CTYPE_INT, 32, true, "int"},
		    {BW_CTYPE_INT, 32, false, "uint"},	     {BW_CTYPE_INT, 64, true, "int64_t"},
		    {BW_CTYPE_INT, 64, false, "uint64_t"},   {BW_CTYPE_BOOL, 32, false, "bool"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].kind == kind && rows[i].width == width &&
		    rows[i].is_signed == is_signed)
			return rows[i].name;
	return NULL;
}

static const struct bw_ctype *scalar(struct bw_spirv *s, enum bw_ctype_kind kind, unsigned width,
				     bool is_signed)
{
	struct spv_node *n = new_node(s);
	const char *name = scalar_name(s, kind, width, is_signed);
	if (!n || !name)
		return &type_damaged;
	n->type = (struct bw_ctype){
		.kind = kind, .name = name, .size_b = width / 8, .is_signed = is_signed};
	return &n->type;
}

/* "vec3", "uvec2", "f16vec4"; of HLSL "float3". */
static void vector_name(const struct bw_spirv *s, const struct bw_ctype *elem, uint32_t count,
			struct spv_node *n)
{
	const char *prefix = "?";
	if (s->is_hlsl) {
		snprintf(n->text, sizeof(n->text), "%s%u", elem->name, count);
		return;
	}
	if (elem->kind == BW_CTYPE_FLOAT)
		prefix = elem->is_bfloat     ? "bf16"
			 : elem->size_b == 4 ? ""
			 : elem->size_b == 8 ? "d"
					     : "f16";
	else if (elem->kind == BW_CTYPE_BOOL)
		prefix = "b";
	else if (elem->size_b == 4)
		prefix = elem->is_signed ? "i" : "u";
	else
		prefix = elem->is_signed ? (elem->size_b == 1	? "i8"
					    : elem->size_b == 2 ? "i16"
								: "i64")
					 : (elem->size_b == 1	? "u8"
					    : elem->size_b == 2 ? "u16"
								: "u64");
	snprintf(n->text, sizeof(n->text), "%svec%u", prefix, count);
}

static const struct bw_ctype *vector_of(struct bw_spirv *s, const struct bw_ctype *elem,
					uint32_t count)
{
	struct spv_node *n = new_node(s);
	bool number = elem->kind == BW_CTYPE_FLOAT || elem->kind == BW_CTYPE_INT ||
		      elem->kind == BW_CTYPE_BOOL;
	if (!n || !number || count < 2 || count > 16)
		return &type_damaged;
	vector_name(s, elem, count, n);
	n->type = (struct bw_ctype){.kind = BW_CTYPE_VECTOR,
				    .name = n->text,
				    .elem = elem,
				    .count = count,
				    .size_b = count * elem->size_b};
	return &n->type;
}

static const struct bw_ctype *vector(struct bw_spirv *s, const uint32_t *w, struct layout l)
{
	return vector_of(s, type_of(s, w[2], l), w[3]);
}

const struct bw_ctype *bw_spv_uints(struct bw_spirv *s, unsigned count)
{
	const struct bw_ctype *uint = scalar(s, BW_CTYPE_INT, 32, false);
	return count == 1 ? uint : vector_of(s, uint, count);
}

static const struct bw_ctype *array(struct bw_spirv *s, const struct bw_ctype *elem, uint64_t count,
				    uint64_t stride_b)
{
	struct spv_node *n = new_node(s);
	uint64_t size_b;
	if (!stride_b)
		stride_b = elem->size_b;
	if (!n || __builtin_mul_overflow(stride_b, count, &size_b) || size_b > INT64_MAX)
		return &type_damaged;
	n->type = (struct bw_ctype){.kind = BW_CTYPE_ARRAY,
				    .elem = elem,
				    .count = count,
				    .size_b = size_b,
				    .stride_b = stride_b == elem->size_b ? 0 : stride_b};
	return &n->type;
}

/* A matrix is an array of its columns. */
static const struct bw_ctype *matrix(struct bw_spirv *s, const uint32_t *w, struct layout l)
{
	const struct bw_ctype *column = type_of(s, w[2], l);
	if (l.row_major)
		return &type_row_major;
	if (column->kind != BW_CTYPE_VECTOR || w[3] < 2 || w[3] > 4)
		return &type_damaged;
	return array(s, column, w[3], l.matrix_stride_b);
}

/* The innermost element type of arrays and vectors. */
static const struct bw_ctype *innermost(const struct bw_ctype *t)
{
	for (unsigned depth = 0; depth < MAX_HEIGHT; depth++) {
		if (t->kind != BW_CTYPE_ARRAY && t->kind != BW_CTYPE_VECTOR)
			break;
		t = t->elem;
	}
	return t;
}

/* The alignment of what has no decorations. A struct's was counted when it was made: structs of
 * structs share their members, and a walk through all would double with each level. */
static uint64_t natural_align(const struct bw_ctype *t)
{
	t = innermost(t);
	if (t->kind == BW_CTYPE_STRUCT)
		return ((const struct spv_node *)t)->align_b;
	return BW_MIN(t->size_b ? t->size_b : 1, (uint64_t)8);
}

uint64_t bw_spv_scalar_size(const struct bw_ctype *t)
{
	t = innermost(t);
	if (t->kind == BW_CTYPE_STRUCT)
		return ((const struct spv_node *)t)->scalar_b;
	return t->kind == BW_CTYPE_UNKNOWN ? 0 : t->size_b;
}

static bool fill_struct(struct bw_spirv *s, struct spv_node *n, const uint32_t *w, unsigned words,
			struct layout l)
{
	uint32_t id = w[1], offset, flag;
	uint64_t end = 0, at = 0;
	size_t count = words - 2;
	bool is_uniform = count != 0;
	n->members = calloc(count ? count : 1, sizeof(*n->members));
	if (!n->members || count > MEMBERS_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct bw_cmember *m = &n->members[i];
		struct layout of = {.height = l.height + 1};
		bw_spv_decoration(s, id, i, DECO_MATRIX_STRIDE, &of.matrix_stride_b);
		of.row_major = bw_spv_decoration(s, id, i, DECO_ROW_MAJOR, &flag);
		const char *name = bw_spv_name(s, id, i);
		m->name = *name ? name : NULL;
		m->type = type_of(s, w[2 + i], of);
		if (bw_spv_decoration(s, id, i, DECO_OFFSET, &offset))
			at = offset;
		else
			at = bw_align_up(at, natural_align(m->type));
		n->align_b = BW_MAX(n->align_b, natural_align(m->type));
		is_uniform &= !i || bw_spv_scalar_size(m->type) == n->scalar_b;
		n->scalar_b = bw_spv_scalar_size(m->type);
		m->offset_b = at;
		if (at + m->type->size_b < at || at > UINT32_MAX)
			return false;
		at += m->type->size_b;
		end = BW_MAX(end, at);
	}
	n->scalar_b = is_uniform ? n->scalar_b : 0;
	n->type.members = n->members;
	n->type.n_members = count;
	n->type.size_b = end;
	n->type.is_block = bw_spv_decoration(s, id, NO_MEMBER, DECO_BLOCK, &flag) ||
			   bw_spv_decoration(s, id, NO_MEMBER, DECO_BUFFER_BLOCK, &flag);
	return true;
}

static const struct bw_ctype *structure(struct bw_spirv *s, const uint32_t *w, unsigned words,
					struct layout l)
{
	struct spv_node *n = s->structs[w[1]];
	if (n)
		return n->active && !l.by_pointer ? &type_damaged : &n->type;
	n = new_node(s);
	if (!n)
		return &type_damaged;
	const char *name = bw_spv_name(s, w[1], NO_MEMBER);
	s->structs[w[1]] = n;
	n->active = true;
	n->align_b = 1;
	n->type = (struct bw_ctype){.kind = BW_CTYPE_STRUCT, .name = *name ? name : NULL};
	if (!fill_struct(s, n, w, words, l))
		n->type = type_damaged;
	n->active = false;
	return &n->type;
}

const struct bw_ctype *bw_spv_pointers_to(struct bw_spirv *s, const struct bw_ctype *elem,
					  uint64_t count)
{
	struct spv_node *n = new_node(s);
	if (!n)
		return &type_damaged;
	n->type = (struct bw_ctype){.kind = BW_CTYPE_POINTER, .elem = elem, .size_b = 8};
	return count == 1 ? &n->type : array(s, &n->type, count, 0);
}

static const struct bw_ctype *not_supported(struct bw_spirv *s, const char *what)
{
	struct spv_node *n = new_node(s);
	if (!n)
		return &type_damaged;
	n->type = (struct bw_ctype){.kind = BW_CTYPE_UNKNOWN, .name = what};
	return &n->type;
}

/* A float type that is not of IEEE 754 names its encoding. */
static const struct bw_ctype *floating(struct bw_spirv *s, const uint32_t *w, unsigned words)
{
	if (words < 3)
		return &type_damaged;
	if (words == 3)
		return scalar(s, BW_CTYPE_FLOAT, w[2], true);
	struct spv_node *n = w[3] == BFLOAT16 && w[2] == 16 ? new_node(s) : NULL;
	if (!n)
		return not_supported(s, "float of an extension");
	n->type = (struct bw_ctype){.kind = BW_CTYPE_FLOAT,
				    .name = "bfloat16_t",
				    .size_b = 2,
				    .is_signed = true,
				    .is_bfloat = true};
	return &n->type;
}

static struct layout pointee(struct layout l)
{
	return (struct layout){.height = l.height, .by_pointer = true};
}

static const struct bw_ctype *type_of(struct bw_spirv *s, uint32_t id, struct layout l)
{
	const uint32_t *w = bw_spv_def(s, id, 2);
	unsigned words = w ? bw_spv_n_words(*w) : 0;
	uint32_t stride = 0;
	uint64_t count = 0;
	if (!w || ++l.height > MAX_HEIGHT)
		return &type_damaged;
	switch (bw_spv_op(*w)) {
	case OP_TYPE_BOOL:
		return scalar(s, BW_CTYPE_BOOL, 32, false);
	case OP_TYPE_INT:
		return words > 3 ? scalar(s, BW_CTYPE_INT, w[2], w[3]) : &type_damaged;
	case OP_TYPE_FLOAT:
		return floating(s, w, words);
	case OP_TYPE_VECTOR:
		return words > 3 ? vector(s, w, l) : &type_damaged;
	case OP_TYPE_MATRIX:
		return words > 3 ? matrix(s, w, l) : &type_damaged;
	case OP_TYPE_ARRAY:
		if (words > 3)
			bw_spv_constant(s, w[3], &count);
		/* fall through */
	case OP_TYPE_RUNTIME_ARRAY:
		if (words < 3)
			return &type_damaged;
		bw_spv_decoration(s, id, NO_MEMBER, DECO_ARRAY_STRIDE, &stride);
		return array(s, type_of(s, w[2], l), count, stride);
	case OP_TYPE_STRUCT:
		return structure(s, w, words, l);
	case OP_TYPE_POINTER:
		return words > 3 && w[2] == STORAGE_PHYSICAL
			       ? bw_spv_pointers_to(s, type_of(s, w[3], pointee(l)), 1)
			       : not_supported(s, "pointer");
	case OP_TYPE_IMAGE:
		return not_supported(s, words > 3 && w[3] == DIM_BUFFER ? "texel buffer" : "image");
	case OP_TYPE_SAMPLED_IMAGE:
		return words > 2 ? type_of(s, w[2], pointee(l)) : &type_damaged;
	case OP_TYPE_SAMPLER:
		return not_supported(s, "sampler");
	default:
		return not_supported(s, "type of an extension");
	}
}

const struct bw_ctype *bw_spv_type(struct bw_spirv *s, uint32_t id)
{
	return type_of(s, id, (struct layout){0});
}

const struct bw_ctype *bw_spirv_type_named(const struct bw_spirv *s, const char *name)
{
	bw_vec_each(&s->nodes, n)
		if ((*n)->type.kind == BW_CTYPE_STRUCT && (*n)->type.name &&
		    !strcmp((*n)->type.name, name))
			return &(*n)->type;
	return NULL;
}
