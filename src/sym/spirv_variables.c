/* SPDX-License-Identifier: MIT */
/* The variables of a shader. Their places are those of the API: sets and bindings, push constants,
 * built-in variables. SPIR-V does not have the places that a compiler chooses for others. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/spirv_priv.h"
#include "sym/spirv_record.h"

enum { VARIABLES_MAX = 1 << 14 };

static struct bw_error *add_shared(struct bw_spirv *s, const struct bw_variable *v,
				   const struct bw_location *at, uint32_t function, uint32_t shared)
{
	struct spv_variable new = {.v = *v, .at = *at, .function = function, .shared = shared};
	if (s->variables.len >= VARIABLES_MAX)
		return NULL;
	new.at.start = 0;
	new.at.end = UINT64_MAX;
	new.v.die = s->variables.len;
	return bw_vec_push(&s->variables, new);
}

static struct bw_error *add_variable(struct bw_spirv *s, const struct bw_variable *v,
				     const struct bw_location *at, uint32_t function)
{
	return add_shared(s, v, at, function, 0);
}

/* The place of a variable of a function or of the module: in the shader's record, if that has
 * it. */
static struct bw_location place_of(const struct bw_spirv *s, uint32_t id)
{
	bw_vec_each(&s->recorded, r)
		if (r->id == id)
			return (struct bw_location){
				.kind = BW_LOC_RECORD, .offset = r->offset_b, .value = r->flag_b};
	return (struct bw_location){.kind = BW_LOC_OPTIMIZED_OUT};
}

static void unknown(struct bw_location *out, const char *why)
{
	*out = (struct bw_location){.kind = BW_LOC_UNKNOWN};
	snprintf(out->why, sizeof(out->why), "%s", why);
}

/* A buffer, or an array of them, or push constants. */
static struct bw_error *add_block(struct bw_spirv *s, uint32_t id, uint32_t type_id,
				  struct bw_location at)
{
	struct bw_variable v = {.name = bw_spv_name(s, id, NO_MEMBER), .is_param = true};
	const uint32_t *type = bw_spv_def(s, type_id, 3);
	uint64_t count = 0;
	uint32_t op = type ? bw_spv_op(*type) : 0;
	if (op == OP_TYPE_ARRAY || op == OP_TYPE_RUNTIME_ARRAY) {
		if (op == OP_TYPE_ARRAY && bw_spv_n_words(*type) > 3)
			bw_spv_constant(s, type[3], &count);
		v.type = bw_spv_pointers_to(s, bw_spv_type(s, type[2]),
					    BW_MIN(count, 4096u) + !count);
		at.offset = (int64_t)BW_MIN(count, 4096u);
		if (!count)
			unknown(&at, "an array of buffers without a length");
		return *v.name ? add_variable(s, &v, &at, 0) : NULL;
	}
	v.type = bw_spv_type(s, type_id);
	if (*v.name)
		return add_variable(s, &v, &at, 0);
	for (size_t i = 0; i < v.type->n_members; i++) {
		const struct bw_cmember *m = &v.type->members[i];
		struct bw_variable member = {.name = m->name, .type = m->type, .is_param = true};
		at.offset = (int64_t)m->offset_b;
		if (m->name)
			BW_TRY(add_variable(s, &member, &at, 0));
	}
	at.offset = 0;
	v.is_param = false;
	v.is_static = true; /* its members are listed */
	v.name = v.type->name;
	return v.name ? add_variable(s, &v, &at, 0) : NULL;
}

/* The LDS of a shader that has one variable there begins with it. Mesa drops what no function
 * names. */
static size_t count_shared(const struct bw_spirv *s)
{
	size_t n = 0;
	for (uint32_t id = 0; id < s->bound; id++) {
		const uint32_t *w = bw_spv_def(s, id, 4);
		n += w && bw_spv_op(*w) == OP_VARIABLE && w[3] == STORAGE_WORKGROUP && s->used[id];
	}
	return n;
}

static struct bw_error *add_global(struct bw_spirv *s, uint32_t id, uint32_t storage,
				   uint32_t type_id, size_t n_shared)
{
	struct bw_variable v = {.name = bw_spv_name(s, id, NO_MEMBER)};
	struct bw_location at = {.kind = BW_LOC_OPTIMIZED_OUT};
	uint32_t set = 0, binding = 0, builtin, shared = 0;
	switch (storage) {
	case STORAGE_UNIFORM:
	case STORAGE_BUFFER:
		bw_spv_decoration(s, id, NO_MEMBER, DECO_SET, &set);
		if (!bw_spv_decoration(s, id, NO_MEMBER, DECO_BINDING, &binding))
			unknown(&at, "the shader names no binding");
		else
			at = (struct bw_location){
				.kind = BW_LOC_BOUND, .reg = set, .value = binding};
		return add_block(s, id, type_id, at);
	case STORAGE_PUSH_CONSTANT:
		at.kind = BW_LOC_PUSH;
		return add_block(s, id, type_id, at);
	case STORAGE_INPUT:
		if (!*v.name)
			return NULL;
		at = place_of(s, id); /* also what is built in, in a vertex or pixel shader */
		v.is_input = at.kind == BW_LOC_RECORD;
		if (!bw_spv_decoration(s, id, NO_MEMBER, DECO_BUILTIN, &builtin)) {
			v.is_param = true;
			break;
		}
		if (at.kind == BW_LOC_RECORD) {
			v.is_static = true;
			break;
		}
		at.kind = BW_LOC_BUILTIN;
		at.reg = builtin;
		v.is_static = true;
		break;
	case STORAGE_WORKGROUP:
		shared = id;
		if (s->used[id] && n_shared == 1)
			at.kind = BW_LOC_LDS;
		else if (s->used[id])
			unknown(&at, "LDS offset unknown");
		break;
	case STORAGE_UNIFORM_CONSTANT:
		v.is_param = true;
		unknown(&at, "an image or sampler: \"info buffers\" lists images");
		break;
	case STORAGE_OUTPUT:
		if (!*v.name || bw_spv_decoration(s, id, NO_MEMBER, DECO_BUILTIN, &builtin))
			return NULL;
		v.is_static = true;
		at = place_of(s, id);
		v.is_output = at.kind == BW_LOC_RECORD;
		break;
	case STORAGE_TASK_PAYLOAD:
		v.is_static = true;
		at = place_of(s, id);
		v.is_input = at.kind == BW_LOC_RECORD;
		if (!v.is_input)
			unknown(&at, s->model == MODEL_TASK
					     ? "the threads of a group share it; the mesh shader "
					       "that the group launches has it (-O0)"
					     : "known where the shader notes its inputs (-O0)");
		break;
	case STORAGE_PRIVATE:
		if (!strcmp(v.name, BW_SPIRV_RECORD_NAME))
			return NULL;
		v.is_static = true;
		at = place_of(s, id);
		break;
	default:
		return NULL;
	}
	v.type = bw_spv_type(s, type_id);
	return *v.name ? add_shared(s, &v, &at, 0, shared) : NULL;
}

static bool is_spec(uint32_t op)
{
	return op >= OP_SPEC_TRUE && op <= OP_SPEC;
}

static struct bw_error *add_constant(struct bw_spirv *s, uint32_t id, uint32_t type_id)
{
	struct bw_variable v = {.name = bw_spv_name(s, id, NO_MEMBER), .is_param = true};
	struct bw_location at = {.kind = BW_LOC_CONSTANT};
	if (!*v.name || !bw_spv_constant(s, id, &at.value))
		return NULL;
	v.type = bw_spv_type(s, type_id);
	if (v.type->kind == BW_CTYPE_INT && v.type->is_signed && v.type->size_b == 4)
		at.value = (uint64_t)(int64_t)(int32_t)at.value;
	return add_variable(s, &v, &at, 0);
}

/* The type that a pointer type points to; 0: it is not a pointer type. */
static uint32_t pointee(const struct bw_spirv *s, uint32_t type_id)
{
	const uint32_t *w = bw_spv_def(s, type_id, 4);
	return w && bw_spv_op(*w) == OP_TYPE_POINTER ? w[3] : 0;
}

static bool is_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		if ((p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) &&
		    !isalnum((unsigned char)p[len]) && p[len] != '_')
			return true;
	return false;
}

/* Whether glslang has made the variable: for an argument of a call, and for a constant array that
 * is indexed. Their names do not occur in the source, as far as that is in the SPIR-V. */
bool bw_spv_is_of_compiler(const struct bw_spirv *s, const char *name)
{
	bool is_known = false;
	if (strcmp(name, "param") != 0 && strcmp(name, "indexable") != 0)
		return false;
	bw_vec_each(&s->files, f) {
		is_known |= f->text != NULL;
		if (f->text && is_word(f->text, name))
			return false;
	}
	return is_known;
}

/* Adds the variables of functions: SPIR-V has the form before the driver's optimizations. */
static struct bw_error *add_locals(struct bw_spirv *s)
{
	unsigned op, n;
	uint32_t function = 0;
	for (size_t at = SPV_HEADER; bw_spv_inst(s, at, &op, &n); at += n) {
		const uint32_t *w = &s->words[at];
		function += op == OP_FUNCTION;
		if (!function || n < 3 || (op != OP_VARIABLE && op != OP_FUNCTION_PARAMETER))
			continue;
		const struct bw_location at_v = place_of(s, w[2]);
		struct bw_variable v = {.name = bw_spv_name(s, w[2], NO_MEMBER),
					.is_param = op == OP_FUNCTION_PARAMETER};
		uint32_t type = pointee(s, w[1]);
		if (!*v.name || bw_spv_is_of_compiler(s, v.name))
			continue;
		v.type = bw_spv_type(s, type ? type : w[1]);
		const size_t before = s->variables.len;
		BW_TRY(add_variable(s, &v, &at_v, function));
		if (s->variables.len > before) /* there were not too many */
			s->variables.data[before].id = w[2];
	}
	return bw_spv_find_scopes(s);
}

static bool has_builtin(const struct bw_spirv *s, unsigned which)
{
	bw_vec_each(&s->variables, v)
		if (v->at.kind == BW_LOC_BUILTIN && v->at.reg == which)
			return true;
	return false;
}

/* GLSL declares these (4.60, 7.1.6) whether the shader uses them or not; SPIR-V has those that it
 * uses. */
static struct bw_error *add_builtins_of_glsl(struct bw_spirv *s)
{
	static const struct {
		const char *name;
		unsigned builtin, components;
	} rows[] = {{"gl_NumWorkGroups", 24, 3},      {"gl_WorkGroupSize", 25, 3},
		    {"gl_WorkGroupID", 26, 3},	      {"gl_LocalInvocationID", 27, 3},
		    {"gl_GlobalInvocationID", 28, 3}, {"gl_LocalInvocationIndex", 29, 1}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const struct bw_location at = {.kind = BW_LOC_BUILTIN, .reg = rows[i].builtin};
		struct bw_variable v = {.name = rows[i].name, .is_static = true};
		if (has_builtin(s, rows[i].builtin))
			continue;
		v.type = bw_spv_uints(s, rows[i].components);
		BW_TRY(add_variable(s, &v, &at, 0));
	}
	return NULL;
}

struct bw_error *bw_spv_read_variables(struct bw_spirv *s)
{
	const size_t n_shared = count_shared(s);
	BW_TRY(add_locals(s));
	for (uint32_t id = 0; id < s->bound; id++) {
		const uint32_t *w = bw_spv_def(s, id, 3);
		uint32_t op = w ? bw_spv_op(*w) : 0, type;
		if (is_spec(op))
			BW_TRY(add_constant(s, id, w[1]));
		if (op != OP_VARIABLE || bw_spv_n_words(*w) < 4 || w[3] == STORAGE_FUNCTION)
			continue;
		type = pointee(s, w[1]);
		if (type)
			BW_TRY(add_global(s, id, w[3], type, n_shared));
	}
	return s->is_glsl && (s->model == MODEL_COMPUTE || s->model == MODEL_TASK)
		       ? add_builtins_of_glsl(s)
		       : NULL;
}

const struct bw_variable *bw_spirv_variable(const struct bw_spirv *s, size_t i)
{
	return i < s->variables.len ? &s->variables.data[i].v : NULL;
}

bool bw_spirv_is_visible(const struct bw_spirv *s, size_t i, uint32_t function)
{
	uint32_t own = s->variables.data[i].function;
	return !own || own == function;
}

void bw_spirv_location(const struct bw_spirv *s, size_t i, struct bw_location *out)
{
	*out = s->variables.data[i].at;
}
