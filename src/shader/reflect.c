/* SPDX-License-Identifier: MIT */
#include "shader/reflect_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shown.h"
#include "base/spirv_numbers.h"
#include "base/str.h"
#include "base/util.h"
#include "shader/group.h"
#include "shader/validate.h"

enum { MAX_FILE_B = 64 << 20 };

struct bw_error *bw_shader_library_error(const struct bw_shader_reader *r, const char *doing)
{
	const char *said = spvc_context_get_last_error_string(r->context);
	return bw_errorf(BW_E_INVALID, "%s: %s", doing,
			 said && *said ? said : "SPIRV-Cross failed");
}

/* ---- The file ---- */

static struct bw_error *not_spirv(void)
{
	return bw_errorf(BW_E_INVALID, "it is not SPIR-V");
}

static struct bw_error *read_words(const char *path, struct bw_shader *s)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	if (!f)
		return bw_error_errno(errno, "cannot read %s", path);
	size_t room = 0, n = 0;
	for (;;) {
		if (n == room) {
			room = room ? 2 * room : 1 << 14;
			if (room > MAX_FILE_B)
				return bw_errorf(BW_E_INVALID, "it is too large for a shader");
			uint32_t *words = realloc(s->words, room);
			if (!words)
				return bw_error_nomem();
			s->words = words;
		}
		size_t got = fread((uint8_t *)s->words + n, 1, room - n, f);
		n += got;
		if (!got)
			break;
	}
	s->n_words = n / 4;
	return n % 4 ? not_spirv() : NULL;
}

/* ---- Types ---- */

static bool scalar_of(spvc_basetype base, enum bw_scalar *out)
{
	static const struct {
		spvc_basetype base;
		enum bw_scalar type;
	} rows[] = {
		{SPVC_BASETYPE_BOOLEAN, BW_SCALAR_U32}, {SPVC_BASETYPE_INT8, BW_SCALAR_I8},
		{SPVC_BASETYPE_UINT8, BW_SCALAR_U8},	{SPVC_BASETYPE_INT16, BW_SCALAR_I16},
		{SPVC_BASETYPE_UINT16, BW_SCALAR_U16},	{SPVC_BASETYPE_INT32, BW_SCALAR_I32},
		{SPVC_BASETYPE_UINT32, BW_SCALAR_U32},	{SPVC_BASETYPE_INT64, BW_SCALAR_I64},
		{SPVC_BASETYPE_UINT64, BW_SCALAR_U64},	{SPVC_BASETYPE_FP16, BW_SCALAR_F16},
		{SPVC_BASETYPE_FP32, BW_SCALAR_F32},	{SPVC_BASETYPE_FP64, BW_SCALAR_F64},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (rows[i].base == base) {
			*out = rows[i].type;
			return true;
		}
	}
	return false;
}

/* Finds the length of an array, if it is not an array of arrays and its length is not a
 * specialization constant; and for all arrays whether it ends with its buffer. Dimensions are
 * listed from the innermost on. */
static bool array_length(spvc_type type, uint64_t *out_count, bool *out_runtime)
{
	unsigned n = spvc_type_get_num_array_dimensions(type);
	*out_count = 1;
	*out_runtime = n && spvc_type_array_dimension_is_literal(type, n - 1) &&
		       !spvc_type_get_array_dimension(type, n - 1);
	if (n > 1 || (n && !spvc_type_array_dimension_is_literal(type, 0)))
		return false;
	if (n)
		*out_count = spvc_type_get_array_dimension(type, 0);
	return true;
}

static struct bw_error *read_member(struct bw_shader_reader *r, spvc_type block,
				    spvc_type_id block_id, unsigned i, struct bw_shader_member *out)
{
	spvc_type type =
		spvc_compiler_get_type_handle(r->compiler, spvc_type_get_member_type(block, i));
	const char *name = spvc_compiler_get_member_name(r->compiler, block_id, i);
	unsigned offset;
	if (spvc_compiler_type_struct_member_offset(r->compiler, block, i, &offset))
		return bw_shader_library_error(r, "reading where a member is");
	out->offset_b = offset;
	out->rows = spvc_type_get_vector_size(type);
	out->columns = spvc_type_get_columns(type);
	out->is_plain = array_length(type, &out->count, &out->is_runtime) &&
			scalar_of(spvc_type_get_basetype(type), &out->type);
	out->row_major = spvc_compiler_has_member_decoration(r->compiler, block_id, i,
							     SpvDecorationRowMajor);
	unsigned stride = 0;
	if (spvc_type_get_num_array_dimensions(type) &&
	    !spvc_compiler_type_struct_member_array_stride(r->compiler, block, i, &stride))
		out->array_stride_b = stride;
	if (out->columns > 1 &&
	    !spvc_compiler_type_struct_member_matrix_stride(r->compiler, block, i, &stride))
		out->matrix_stride_b = stride;
	out->name = strdup(name ? name : "");
	return out->name ? NULL : bw_error_nomem();
}

/* ---- Resources ---- */

size_t bw_shader_count_elements(spvc_type whole)
{
	enum { MOST = 256 };
	if (!spvc_type_get_num_array_dimensions(whole))
		return 1;
	uint64_t n = 0;
	bool is_runtime;
	bool known = array_length(whole, &n, &is_runtime) && !is_runtime && n <= MOST;
	return known ? n : 0;
}

/* One buffer: element i of n. */
static struct bw_error *read_element(struct bw_shader_reader *r, const spvc_reflected_resource *res,
				     enum bw_shader_block_kind kind, size_t i, size_t n)
{
	spvc_type type = spvc_compiler_get_type_handle(r->compiler, res->base_type_id);
	const char *name = spvc_compiler_get_name(r->compiler, res->id);
	const char *type_name = spvc_compiler_get_name(r->compiler, res->base_type_id);
	struct bw_shader_block zero = {
		.kind = kind, .element = (unsigned)i, .elements = (unsigned)n};
	BW_TRY(bw_vec_push(&r->s->blocks, zero));
	struct bw_shader_block *b = &r->s->blocks.data[r->s->blocks.len - 1];
	const char *known = name && *name ? name : type_name && *type_name ? type_name : res->name;
	if (n > 1 ? asprintf(&b->name, "%s[%zu]", known, i) < 0 : !(b->name = strdup(known)))
		b->name = NULL;
	/* the type's name would mean all of them */
	b->type_name = strdup(type_name && n == 1 ? type_name : "");
	b->is_anonymous = !name || !*name;
	if (!b->name || !b->type_name)
		return bw_error_nomem();
	if (kind != BW_SHADER_PUSH) {
		b->set = spvc_compiler_get_decoration(r->compiler, res->id,
						      SpvDecorationDescriptorSet);
		b->binding =
			spvc_compiler_get_decoration(r->compiler, res->id, SpvDecorationBinding);
	}
	size_t size_b;
	if (spvc_compiler_get_declared_struct_size(r->compiler, type, &size_b))
		return bw_shader_library_error(r, "reading the size of a block");
	b->fixed_b = (uint32_t)BW_MIN(size_b, (size_t)UINT32_MAX);
	for (unsigned k = 0; k < spvc_type_get_num_member_types(type); k++) {
		struct bw_shader_member m = {0};
		struct bw_error *err = read_member(r, type, res->base_type_id, k, &m);
		if (!err)
			err = bw_vec_push(&b->members, m);
		if (err) {
			free(m.name);
			return err;
		}
	}
	return NULL;
}

static struct bw_error *read_block(struct bw_shader_reader *r, const spvc_reflected_resource *res,
				   enum bw_shader_block_kind kind)
{
	size_t n =
		bw_shader_count_elements(spvc_compiler_get_type_handle(r->compiler, res->type_id));
	if (!n)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is an array of buffers whose length is not a plain number of at "
			"most 256, which is not supported",
			spvc_compiler_get_name(r->compiler, res->id));
	for (size_t i = 0; i < n; i++)
		BW_TRY(read_element(r, res, kind, i, n));
	return NULL;
}

static struct bw_error *read_resources(struct bw_shader_reader *r)
{
	static const struct {
		spvc_resource_type type;
		const char *refused; /* NULL: read as a block of that kind */
		enum bw_shader_block_kind kind;
	} rows[] = {
		{SPVC_RESOURCE_TYPE_STORAGE_BUFFER, NULL, BW_SHADER_STORAGE},
		{SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, NULL, BW_SHADER_UNIFORM},
		{SPVC_RESOURCE_TYPE_PUSH_CONSTANT, NULL, BW_SHADER_PUSH},
		{SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, "an acceleration structure", 0},
		{SPVC_RESOURCE_TYPE_ATOMIC_COUNTER, "an atomic counter", 0},
	};
	spvc_resources resources;
	if (spvc_compiler_create_shader_resources(r->compiler, &resources))
		return bw_shader_library_error(r, "reading the shader's resources");
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const spvc_reflected_resource *list;
		size_t n;
		if (spvc_resources_get_resource_list_for_type(resources, rows[i].type, &list, &n))
			return bw_shader_library_error(r, "reading the shader's resources");
		if (n && rows[i].refused)
			return bw_errorf(
				BW_E_UNSUPPORTED,
				"%s is %s: only buffers, images, samplers, push constants and "
				"specialization constants can be given to a shader here",
				list[0].name, rows[i].refused);
		for (size_t k = 0; k < n; k++)
			BW_TRY(read_block(r, &list[k], rows[i].kind));
	}
	return bw_shader_read_images(r, resources);
}

static struct bw_error *read_constants(struct bw_shader_reader *r)
{
	const spvc_specialization_constant *list;
	size_t n;
	if (spvc_compiler_get_specialization_constants(r->compiler, &list, &n))
		return bw_shader_library_error(r, "reading the specialization constants");
	spvc_specialization_constant size[3];
	spvc_compiler_get_work_group_size_specialization_constants(r->compiler, &size[0], &size[1],
								   &size[2]);
	for (size_t i = 0; i < n; i++) {
		const char *name = spvc_compiler_get_name(r->compiler, list[i].id);
		spvc_constant c = spvc_compiler_get_constant_handle(r->compiler, list[i].id);
		spvc_basetype base = spvc_type_get_basetype(
			spvc_compiler_get_type_handle(r->compiler, spvc_constant_get_type(c)));
		struct bw_shader_constant out = {.id = list[i].constant_id,
						 .is_bool = base == SPVC_BASETYPE_BOOLEAN};
		if (!scalar_of(base, &out.type))
			continue;
		for (unsigned k = 0; k < 3; k++)
			if (size[k].id == list[i].id)
				r->s->group_constant[k] = (int)r->s->constants.len;
		out.name = strdup(name ? name : "");
		struct bw_error *err =
			out.name ? bw_vec_push(&r->s->constants, out) : bw_error_nomem();
		if (err) {
			free(out.name);
			return err;
		}
	}
	return NULL;
}

static struct bw_error *choose_entry(struct bw_shader_reader *r, const char *wanted)
{
	const spvc_entry_point *list;
	const char *found = NULL;
	size_t n, n_compute = 0;
	if (spvc_compiler_get_entry_points(r->compiler, &list, &n))
		return bw_shader_library_error(r, "reading the entry points");
	for (size_t i = 0; i < n; i++) {
		if (list[i].execution_model != SpvExecutionModelGLCompute)
			continue;
		n_compute++;
		if (!wanted || !strcmp(list[i].name, wanted))
			found = list[i].name;
	}
	if (!n_compute)
		return bw_errorf(BW_E_INVALID, "it has no compute shader");
	if (!found)
		return bw_errorf(BW_E_INVALID, "it has no compute shader %s", wanted);
	if (!wanted && n_compute > 1)
		return bw_errorf(BW_E_INVALID,
				 "it has %zu compute shaders: choose one with --kernel NAME",
				 n_compute);
	r->s->entry = strdup(found);
	if (!r->s->entry)
		return bw_error_nomem();
	BW_TRY(bw_shader_check_group(r->s->words, r->s->n_words,
				     bw_shader_entry_id(r->s->words, r->s->n_words, r->s->entry)));
	if (spvc_compiler_set_entry_point(r->compiler, r->s->entry, SpvExecutionModelGLCompute))
		return bw_shader_library_error(r, "choosing the entry point");
	for (unsigned i = 0; i < 3; i++) {
		r->s->group[i] = spvc_compiler_get_execution_mode_argument_by_index(
			r->compiler, SpvExecutionModeLocalSize, i);
		r->s->group_constant[i] = -1;
	}
	return NULL;
}

/* Names of a validated module are shown in the middle of lines. */
static void make_lines_of_names(uint32_t *words, size_t n_words)
{
	for (size_t at = SPV_HEADER; at < n_words; at += bw_spv_n_words(words[at])) {
		const uint32_t op = bw_spv_op(words[at]);
		if (op == OP_FUNCTION)
			return;
		if (op == OP_NAME || op == OP_MEMBER_NAME)
			bw_make_line((char *)&words[at + (op == OP_NAME ? 2 : 3)], 0);
	}
}

static struct bw_error *reflect(struct bw_shader_reader *r, const char *entry)
{
	spvc_parsed_ir ir;
	BW_TRY(bw_shader_validate(r->s->words, r->s->n_words));
	_cleanup_free_ uint32_t *words = malloc(r->s->n_words * sizeof(*words));
	if (!words)
		return bw_error_nomem();
	memcpy(words, r->s->words, r->s->n_words * sizeof(*words));
	make_lines_of_names(words, r->s->n_words);
	if (spvc_context_parse_spirv(r->context, words, r->s->n_words, &ir) ||
	    spvc_context_create_compiler(r->context, SPVC_BACKEND_NONE, ir,
					 SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &r->compiler))
		return bw_shader_library_error(r, "reading the SPIR-V");
	BW_TRY(choose_entry(r, entry));
	BW_TRY(read_resources(r));
	return read_constants(r);
}

/* Reads the module whose words s has. */
static struct bw_error *read_module(struct bw_shader *s, const char *entry)
{
	struct bw_shader_reader r = {.s = s};
	if (s->n_words < SPV_HEADER || s->words[0] != SPV_MAGIC)
		return not_spirv();
	if (spvc_context_create(&r.context))
		return bw_error_nomem();
	struct bw_error *err = reflect(&r, entry);
	spvc_context_destroy(r.context);
	return err;
}

static struct bw_error *give(struct bw_error *err, struct bw_shader *s, struct bw_shader **out)
{
	if (err)
		bw_shader_free(s);
	else
		*out = s;
	return err;
}

struct bw_error *bw_shader_load(const char *path, const char *entry, struct bw_shader **out)
{
	struct bw_shader *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	struct bw_error *err = read_words(path, s);
	if (!err)
		err = read_module(s, entry);
	return give(err, s, out);
}

struct bw_error *bw_shader_read(const uint32_t *words, size_t n_words, const char *entry,
				struct bw_shader **out)
{
	struct bw_shader *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->words = malloc(n_words * sizeof(*words) + 1);
	if (s->words && n_words)
		memcpy(s->words, words, n_words * sizeof(*words));
	s->n_words = n_words;
	return give(s->words ? read_module(s, entry) : bw_error_nomem(), s, out);
}

void bw_shader_free(struct bw_shader *s)
{
	if (!s)
		return;
	bw_vec_each(&s->blocks, b) {
		bw_vec_each(&b->members, m)
			free(m->name);
		bw_vec_free(&b->members);
		free(b->name);
		free(b->type_name);
	}
	bw_vec_each(&s->constants, c)
		free(c->name);
	bw_vec_each(&s->images, i)
		free(i->name);
	bw_vec_free(&s->images);
	bw_vec_free(&s->blocks);
	bw_vec_free(&s->constants);
	free(s->words);
	free(s->entry);
	free(s);
}
