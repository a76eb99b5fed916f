/* SPDX-License-Identifier: MIT */
/* Makes a shader keep a record of its variables (spirv_record.h). Compilers of shaders keep
 * variables in registers and say nowhere in which. Here each store to a variable is followed by one
 * of the same value into an array. The driver can only keep that in the lane's scratch memory: its
 * indices have a part that is always zero, which no compiler knows. */
#include "sym/spirv_record_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

/* ---- Types and constants ---- */

/* A built-in variable that every shader of this kind can read, and that no compiler knows. */
static uint32_t source_builtin(const struct bw_spv_record_job *j)
{
	switch (j->s->model) {
	case MODEL_VERTEX:
		return BUILTIN_VERTEX_INDEX;
	case MODEL_PIXEL:
		return BUILTIN_FRAG_COORD;
	case MODEL_CONTROL:
	case MODEL_EVALUATION:
	case MODEL_GEOMETRY:
		return BUILTIN_PRIMITIVE_ID;
	default: /* of compute, mesh and task shaders */
		return BUILTIN_WORKGROUP_ID;
	}
}

/* The type of that variable's value, if the shader does not declare it. */
static uint32_t source_type(const struct bw_spv_record_job *j)
{
	switch (source_builtin(j)) {
	case BUILTIN_FRAG_COORD:
		return j->vec4_type;
	case BUILTIN_WORKGROUP_ID:
		return j->uvec3_type;
	default:
		return j->uint_type;
	}
}

static void find_source(struct bw_spv_record_job *j)
{
	uint32_t builtin;
	for (uint32_t id = 1; id < j->s->bound; id++) {
		const uint32_t *w = bw_spv_def(j->s, id, 4);
		if (!w || bw_spv_op(*w) != OP_VARIABLE || w[3] != STORAGE_INPUT ||
		    !bw_spv_decoration(j->s, id, NO_MEMBER, DECO_BUILTIN, &builtin) ||
		    builtin != source_builtin(j))
			continue;
		j->source = id;
		j->source_type = bw_spv_record_pointee(j, w[1], STORAGE_INPUT);
		return;
	}
	j->adds_source = true;
	j->source = bw_spv_new_id(j);
	j->source_type = source_type(j);
	j->input_type = TYPE(j, &j->adds_input, OP_TYPE_POINTER, STORAGE_INPUT, j->source_type);
}

static void choose_ids(struct bw_spv_record_job *j)
{
	const uint32_t none[] = {0};
	j->uint_type = TYPE(j, &j->adds_uint, OP_TYPE_INT, 32, 0);
	j->uvec2_type = TYPE(j, &j->adds_uvec2, OP_TYPE_VECTOR, j->uint_type, 2);
	j->uvec3_type = TYPE(j, &j->adds_uvec3, OP_TYPE_VECTOR, j->uint_type, 3);
	j->bool_type = bw_spv_find_type(j, OP_TYPE_BOOL, none, 0, &j->adds_bool);
	j->pointer_type = TYPE(j, &j->adds_pointer, OP_TYPE_POINTER, STORAGE_PRIVATE, j->uint_type);
	if (j->s->model == MODEL_PIXEL) {
		j->float_type = TYPE(j, &j->adds_float, OP_TYPE_FLOAT, 32);
		j->vec4_type = TYPE(j, &j->adds_vec4, OP_TYPE_VECTOR, j->float_type, 4);
	}
	find_source(j);
	j->record = bw_spv_new_id(j);
}

/* The constants come last: the functions, which are written already, have asked for them. */
static void put_declarations(struct bw_spv_record_job *j)
{
	uint32_t length = bw_spv_constant_id(j, BW_MAX(j->n_words, (uint32_t)MIN_WORDS));
	if (j->adds_uint)
		EMIT(j, OP_TYPE_INT, j->uint_type, 32, 0);
	if (j->adds_uvec2)
		EMIT(j, OP_TYPE_VECTOR, j->uvec2_type, j->uint_type, 2);
	if (j->adds_uvec3)
		EMIT(j, OP_TYPE_VECTOR, j->uvec3_type, j->uint_type, 3);
	if (j->adds_float)
		EMIT(j, OP_TYPE_FLOAT, j->float_type, 32);
	if (j->adds_vec4)
		EMIT(j, OP_TYPE_VECTOR, j->vec4_type, j->float_type, 4);
	if (j->adds_bool)
		EMIT(j, OP_TYPE_BOOL, j->bool_type);
	if (j->adds_pointer)
		EMIT(j, OP_TYPE_POINTER, j->pointer_type, STORAGE_PRIVATE, j->uint_type);
	if (j->adds_input)
		EMIT(j, OP_TYPE_POINTER, j->input_type, STORAGE_INPUT, j->source_type);
	for (size_t i = 0; i < j->pairs.len; i += 2)
		EMIT(j, OP_TYPE_VECTOR, j->pairs.data[i + 1], j->pairs.data[i], 2);
	for (size_t i = 0; i < j->constants.len; i += 2)
		EMIT(j, OP_CONSTANT, j->uint_type, j->constants.data[i + 1], j->constants.data[i]);
	uint32_t array = bw_spv_new_id(j), to_array = bw_spv_new_id(j);
	EMIT(j, OP_TYPE_ARRAY, array, j->uint_type, length);
	EMIT(j, OP_TYPE_POINTER, to_array, STORAGE_PRIVATE, array);
	EMIT(j, OP_VARIABLE, to_array, j->record, STORAGE_PRIVATE);
	if (j->adds_source)
		EMIT(j, OP_VARIABLE, j->input_type, j->source, STORAGE_INPUT);
}

/* ---- Functions ---- */

static bool is_entry(const struct bw_spv_record_job *j, uint32_t function)
{
	bw_vec_each(&j->entries, e)
		if (*e == function)
			return true;
	return false;
}

/* No variable has been assigned: those of the function, or all of them in an entry point. */
static void clear_flags(struct bw_spv_record_job *j, uint32_t zero, uint32_t index, bool all)
{
	for (size_t i = 0; i < j->variables.len; i++) {
		const struct recorded r = j->variables.data[i];
		if (!r.is_dropped && (all || r.function == index))
			bw_spv_record_store(j, zero, r.flag, bw_spv_constant_id(j, 0));
	}
}

/* The record can be found only after the lane has initialized it. */
static void begin_record(struct bw_spv_record_job *j)
{
	uint32_t p = EMIT_NEW(j, OP_ACCESS_CHAIN, j->pointer_type, j->record, j->opaque);
	EMIT(j, OP_STORE, p, bw_spv_constant_id(j, 0), ACCESS_VOLATILE);
	uint32_t zero = bw_spv_record_zero(j);
	clear_flags(j, zero, 0, true);
	bw_spv_record_store(j, zero, 2, bw_spv_constant_id(j, 0));
	const bool is_second = bw_spirv_first_mark(j->s) == BW_SPIRV_RECORD_SECOND;
	bw_spv_record_store(j, zero, 3,
			    bw_spv_constant_id(j, is_second ? BW_SPIRV_RECORD_MAGIC_SECOND
							    : BW_SPIRV_RECORD_MAGIC));
	bw_spv_record_store(j, bw_spv_record_zero(j), 1,
			    bw_spv_constant_id(j, BW_SPIRV_RECORD_LIVE));
}

/* The next wave with this memory has not noted what is in it. */
static void end_record(struct bw_spv_record_job *j)
{
	bw_spv_record_store(j, bw_spv_record_zero(j), 1,
			    bw_spv_constant_id(j, BW_SPIRV_RECORD_ENDED));
}

/* Writes the instructions before the first statement of a function. */
static void put_head(struct bw_spv_record_job *j, uint32_t function, uint32_t index)
{
	uint32_t one = bw_spv_constant_id(j, 1);
	uint32_t x = EMIT_NEW(j, OP_LOAD, j->source_type, j->source);
	if (j->s->model == MODEL_PIXEL) {
		x = EMIT_NEW(j, OP_COMPOSITE_EXTRACT, j->float_type, x, 0);
		x = EMIT_NEW(j, OP_BITCAST, j->uint_type, x);
	} else if (source_builtin(j) == BUILTIN_WORKGROUP_ID) {
		x = EMIT_NEW(j, OP_COMPOSITE_EXTRACT, j->uint_type, x, 0);
	} else if (j->source_type != j->uint_type) {
		x = EMIT_NEW(j, OP_BITCAST, j->uint_type, x);
	}
	uint32_t next = EMIT_NEW(j, OP_I_ADD, j->uint_type, x, one);
	uint32_t product = EMIT_NEW(j, OP_I_MUL, j->uint_type, x, next); /* always even */
	j->opaque = EMIT_NEW(j, OP_BITWISE_AND, j->uint_type, product, one);
	if (is_entry(j, function))
		begin_record(j);
	else
		clear_flags(j, bw_spv_record_zero(j), index, false);
	for (size_t i = 0; i < j->variables.len; i++) {
		const struct recorded r = j->variables.data[i];
		if ((r.function == index && (r.is_param || r.has_initializer)) ||
		    (!r.function && r.has_initializer && is_entry(j, function)))
			bw_spv_record_again(j, r.id);
	}
}

static bool is_terminator(uint32_t op)
{
	return (op >= OP_BRANCH && op <= OP_UNREACHABLE) || op == OP_SELECTION_MERGE ||
	       op == OP_LOOP_MERGE || op == OP_EMIT_MESH_TASKS;
}

/* A new line begins, or goes on after a call or in another block: its mark is stored. glslang does
 * not repeat the line in the blocks of an expression, as for ?: and &&. */
static void put_mark(struct bw_spv_record_job *j, uint32_t function, uint32_t op)
{
	const bool is_same = j->file == j->marked_file && j->line == j->marked_line;
	const struct begun_line begun = {j->file, j->line, function,
					 j->is_inherited || (is_same && j->has_called)};
	if (!j->line || (is_same && !j->has_called) || (j->is_inherited && is_terminator(op)) ||
	    j->err || j->lines.len >= BW_SPIRV_RECORD_MARKS_MAX)
		return;
	uint32_t mark = bw_spv_new_constant(j, bw_spirv_first_mark(j->s) + (uint32_t)j->lines.len);
	bw_spv_record_fence(j);
	bw_spv_record_store(j, bw_spv_record_zero(j), 2, mark);
	if (!j->err)
		j->err = bw_vec_push(&j->lines, begun);
	j->marked_file = j->file;
	j->marked_line = j->line;
	j->has_called = false;
}

static void after(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n)
{
	const struct pointer *p;
	switch (bw_spv_op(*w)) {
	case OP_STORE:
		p = n > 2 ? bw_spv_record_pointer(j, w[1]) : NULL;
		if (p)
			bw_spv_record_value(j, p, w[2]);
		break;
	case OP_COPY_MEMORY:
		if (n > 2)
			bw_spv_record_again(j, w[1]);
		break;
	case OP_FUNCTION_CALL:
		for (uint32_t i = 4; i < n; i++)
			bw_spv_record_again(j, w[i]);
		j->has_called = true;
		break;
	case OP_EXT_INST: /* modf and frexp write through pointers; other ids are not pointers */
		for (uint32_t i = 5; i < n && !bw_spv_is_debug(j->s, w); i++)
			bw_spv_record_again(j, w[i]);
		break;
	default:
		break;
	}
}

/* The place up to which the function has been written. */
struct place {
	uint32_t function, index;
	bool in_head;	/* before its first statement */
	bool is_merged; /* the branch follows */
};

/* Before an instruction that other ones may stand before. */
static void before(struct bw_spv_record_job *j, struct place *at, uint32_t op)
{
	if (op == OP_LABEL || op == OP_PHI || op == OP_FUNCTION_END || op == OP_FUNCTION_PARAMETER)
		return;
	if (at->in_head) {
		at->in_head = false;
		put_head(j, at->function, at->index);
	}
	if (!at->is_merged && op != OP_LOOP_MERGE) /* which do {} while has far from its line */
		put_mark(j, at->function, op);
	at->is_merged = op == OP_LOOP_MERGE || op == OP_SELECTION_MERGE;
}

static void put_instruction(struct bw_spv_record_job *j, struct place *at, const uint32_t *w,
			    uint32_t n)
{
	uint32_t op = bw_spv_op(*w), file, line;
	if (op == OP_FUNCTION && n > 2) {
		at->function = w[2];
		bw_spv_record_enter(j, ++at->index);
		at->in_head = true;
		j->line = 0;
	} else if (op == OP_LINE && n > 3) {
		j->is_inherited = false;
		j->file = w[1];
		j->line = w[2];
	} else if (op == OP_NO_LINE) {
		j->line = 0;
	} else if (op == OP_LABEL) {
		j->tie = 0;
		j->is_inherited = true;
		j->marked_line = 0;
		j->has_called = false;
		at->is_merged = false;
	} else if (bw_spv_debug_line(j->s, w, &file, &line)) {
		j->file = file;
		j->line = line;
		j->is_inherited = false;
	} else if (op != OP_VARIABLE && !bw_spv_is_debug(j->s, w)) {
		before(j, at, op);
		/* a pixel, or a task shader's thread, may end in any function */
		if ((op == OP_RETURN && is_entry(j, at->function)) || op == OP_KILL ||
		    op == OP_TERMINATE_INVOCATION || op == OP_EMIT_MESH_TASKS)
			end_record(j);
	}
	_cleanup_free_ uint32_t *copy = calloc(n, sizeof(*copy));
	if (!copy && !j->err)
		j->err = bw_error_nomem();
	if (j->err)
		return;
	bw_spv_put(j, bw_spv_record_tie(j, w, n, copy), n);
	bw_spv_record_follow(j, w, n);
	after(j, w, n);
}

static void put_functions(struct bw_spv_record_job *j, size_t from)
{
	struct place at = {0};
	unsigned op, n;
	for (size_t i = from; bw_spv_inst(j->s, i, &op, &n) && !j->err; i += n)
		put_instruction(j, &at, &j->s->words[i], n);
}

/* ---- The module ---- */

static void put_strings(struct bw_spv_record_job *j)
{
	char text[96];
	bw_vec_each(&j->variables, r) {
		if (r->is_dropped)
			continue;
		snprintf(text, sizeof(text), BW_SPIRV_RECORD_VARIABLE "%u:%u:%u", r->id, r->at * 4,
			 r->flag * 4);
		bw_spv_put_text(j, OP_STRING, bw_spv_new_id(j), text);
	}
	bw_vec_each(&j->lines, l) {
		snprintf(text, sizeof(text), BW_SPIRV_RECORD_LINE "%u:%u:%u:%u", l->file, l->line,
			 l->function, l->goes_on);
		bw_spv_put_text(j, OP_STRING, bw_spv_new_id(j), text);
	}
}

static void put_entry_point(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n)
{
	const uint32_t more[] = {j->record, j->source};
	const bool has_record = j->s->words[1] >= VERSION_1_4;
	const uint32_t first = OP_ENTRY_POINT | (n + has_record + j->adds_source) << 16;
	bw_spv_put(j, &first, 1);
	bw_spv_put(j, w + 1, n - 1);
	if (has_record)
		bw_spv_put(j, &more[0], 1);
	if (j->adds_source)
		bw_spv_put(j, &more[1], 1);
}

/* Sections of a module, in their order (specification 2.4). */
static void put_globals(struct bw_spv_record_job *j, size_t end)
{
	bool has_strings = false, has_names = false, has_decorations = false;
	unsigned op, n;
	for (size_t i = SPV_HEADER; i < end && bw_spv_inst(j->s, i, &op, &n); i += n) {
		const uint32_t *w = &j->s->words[i];
		const bool is_name = op == OP_NAME || op == OP_MEMBER_NAME;
		const bool is_later = op >= OP_DECORATE && op <= 75;
		const bool is_declaration = op >= OP_TYPE_VOID && op < OP_FUNCTION;
		if (!has_strings && (op == OP_STRING || is_name || is_later || is_declaration)) {
			put_strings(j);
			has_strings = true;
		}
		if (!has_names && (is_name || is_later || is_declaration)) {
			bw_spv_put_text(j, OP_NAME, j->record, BW_SPIRV_RECORD_NAME);
			has_names = true;
		}
		if (!has_decorations && (is_later || is_declaration)) {
			if (j->adds_source)
				EMIT(j, OP_DECORATE, j->source, DECO_BUILTIN, source_builtin(j));
			has_decorations = true;
		}
		if (op == OP_ENTRY_POINT)
			put_entry_point(j, w, n);
		else
			bw_spv_put(j, w, n);
	}
	put_declarations(j);
}

static size_t find_functions(struct bw_spv_record_job *j)
{
	unsigned op, n;
	size_t at = SPV_HEADER;
	for (; bw_spv_inst(j->s, at, &op, &n) && op != OP_FUNCTION; at += n)
		if (op == OP_ENTRY_POINT && n > 3 && !j->err)
			j->err = bw_vec_push(&j->entries, j->s->words[at + 2]);
	return at;
}

static void write_module(struct bw_spv_record_job *j)
{
	size_t functions = find_functions(j);
	bw_spv_record_plan(j, functions);
	choose_ids(j);
	put_functions(j, functions);
	struct bw_spirv_words body = j->out;
	j->out = (struct bw_spirv_words){0};
	bw_spv_put(j, j->s->words, SPV_HEADER);
	put_globals(j, functions);
	bw_spv_put(j, body.data, body.len);
	bw_vec_free(&body);
	if (!j->err)
		j->out.data[3] = j->next_id;
}

static bool notes_any(const struct bw_spv_record_job *j)
{
	bw_vec_each(&j->variables, r)
		if (!r->is_dropped)
			return true;
	return j->lines.len != 0;
}

struct bw_error *bw_spirv_record(const uint32_t *words, size_t n, struct bw_spirv_words *out)
{
	struct bw_spv_record_job j = {0};
	BW_TRY(bw_spirv_check(words, n));
	BW_TRY(bw_spirv_open(words, n, NULL, NULL, 0, &j.s));
	if (!j.s->entry || j.s->has_models) { /* shaders of several kinds have no zero in common */
		bw_spirv_close(j.s);
		return NULL;
	}
	j.next_id = words[3];
	j.pointer_at = calloc(j.s->bound + 1u, sizeof(*j.pointer_at));
	j.result_type = calloc(j.s->bound + 1u, sizeof(*j.result_type));
	j.ctypes = calloc(j.s->bound + 1u, sizeof(*j.ctypes));
	if (!j.pointer_at || !j.result_type || !j.ctypes)
		j.err = bw_error_nomem();
	else
		write_module(&j);
	const bool is_of_use = notes_any(&j);
	bw_spirv_close(j.s);
	free(j.pointer_at);
	free(j.result_type);
	free(j.ctypes);
	bw_vec_free(&j.variables);
	bw_vec_free(&j.pointers);
	bw_vec_free(&j.entries);
	bw_vec_free(&j.constants);
	bw_vec_free(&j.pairs);
	bw_vec_free(&j.lines);
	if (j.err || !is_of_use)
		bw_vec_free(&j.out);
	*out = j.out;
	return j.err;
}
