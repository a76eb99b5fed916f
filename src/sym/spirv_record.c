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

/* ---- Writing words ---- */

static void put(struct bw_spv_record_job *j, const uint32_t *words, size_t n)
{
	if (!j->err && n)
		j->err = bw_vec_reserve(&j->out, j->out.len + n);
	if (j->err || !n)
		return;
	memcpy(j->out.data + j->out.len, words, n * sizeof(*words));
	j->out.len += n;
}

static void put_op(struct bw_spv_record_job *j, uint32_t op, const uint32_t *operands, size_t n)
{
	const uint32_t first = op | (uint32_t)(n + 1) << 16;
	put(j, &first, 1);
	put(j, operands, n);
}
#define EMIT(j, op, ...)                                                                           \
	put_op(j, op, (const uint32_t[]){__VA_ARGS__},                                             \
	       sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t new_id(struct bw_spv_record_job *j)
{
	if (j->next_id >= IDS_MAX && !j->err)
		j->err = bw_errorf(BW_E_UNSUPPORTED, "the shader has too many ids");
	return j->next_id++;
}

/* An instruction with a result of a type; its id. */
#define EMIT_NEW(j, op, type, ...)                                                                 \
	({                                                                                         \
		uint32_t id_ = new_id(j);                                                          \
		EMIT(j, op, type, id_, __VA_ARGS__);                                               \
		id_;                                                                               \
	})

/* An instruction whose operands end in a text: `first` is the one before it. */
static void put_text(struct bw_spv_record_job *j, uint32_t op, uint32_t first, const char *text)
{
	size_t n = strlen(text) / 4 + 1;
	_cleanup_free_ uint32_t *words = calloc(n + 1, sizeof(*words));
	if (!words) {
		if (!j->err)
			j->err = bw_error_nomem();
		return;
	}
	words[0] = first;
	memcpy(words + 1, text, strlen(text));
	put_op(j, op, words, n + 1);
}

/* ---- Types and constants ---- */

static uint32_t new_constant(struct bw_spv_record_job *j, uint32_t value)
{
	uint32_t id = new_id(j);
	if (!j->err)
		j->err = bw_vec_push(&j->constants, value);
	if (!j->err)
		j->err = bw_vec_push(&j->constants, id);
	return id;
}

static uint32_t constant(struct bw_spv_record_job *j, uint32_t value)
{
	for (size_t i = 0; i < j->constants.len; i += 2)
		if (j->constants.data[i] == value)
			return j->constants.data[i + 1];
	return new_constant(j, value);
}

/* A type of these operands; a new id where there is none yet. */
static uint32_t find_type(struct bw_spv_record_job *j, uint32_t op, const uint32_t *operands,
			  uint32_t n, bool *is_new)
{
	unsigned here, words;
	for (size_t at = SPV_HEADER; bw_spv_inst(j->s, at, &here, &words) && here != OP_FUNCTION;
	     at += words)
		if (here == op && words == n + 2 &&
		    !memcmp(&j->s->words[at + 2], operands, n * sizeof(*operands)))
			return j->s->words[at + 1];
	*is_new = true;
	return new_id(j);
}
#define TYPE(j, is_new, op, ...)                                                                   \
	find_type(j, op, (const uint32_t[]){__VA_ARGS__},                                          \
		  sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), is_new)

/* A vector of two of this float. Its declaration is put behind those of the shader, which has the
 * float's. */
static uint32_t pair_type(struct bw_spv_record_job *j, uint32_t type)
{
	bool is_new = false;
	for (size_t i = 0; i < j->pairs.len; i += 2)
		if (j->pairs.data[i] == type)
			return j->pairs.data[i + 1];
	uint32_t id = TYPE(j, &is_new, OP_TYPE_VECTOR, type, 2);
	if (is_new && !j->err)
		j->err = bw_vec_push(&j->pairs, type);
	if (is_new && !j->err)
		j->err = bw_vec_push(&j->pairs, id);
	return id;
}

static uint32_t find_workgroup_id(struct bw_spv_record_job *j)
{
	uint32_t builtin;
	for (uint32_t id = 1; id < j->s->bound; id++)
		if (bw_spv_record_op(j, id) == OP_VARIABLE &&
		    bw_spv_decoration(j->s, id, NO_MEMBER, DECO_BUILTIN, &builtin) &&
		    builtin == BUILTIN_WORKGROUP_ID)
			return id;
	j->adds_workgroup = true;
	return new_id(j);
}

static void choose_ids(struct bw_spv_record_job *j)
{
	const uint32_t none[] = {0};
	j->uint_type = TYPE(j, &j->adds_uint, OP_TYPE_INT, 32, 0);
	j->uvec2_type = TYPE(j, &j->adds_uvec2, OP_TYPE_VECTOR, j->uint_type, 2);
	j->uvec3_type = TYPE(j, &j->adds_uvec3, OP_TYPE_VECTOR, j->uint_type, 3);
	j->bool_type = find_type(j, OP_TYPE_BOOL, none, 0, &j->adds_bool);
	j->pointer_type = TYPE(j, &j->adds_pointer, OP_TYPE_POINTER, STORAGE_PRIVATE, j->uint_type);
	j->workgroup_id = find_workgroup_id(j);
	if (j->adds_workgroup)
		j->input_type =
			TYPE(j, &j->adds_input, OP_TYPE_POINTER, STORAGE_INPUT, j->uvec3_type);
	j->record = new_id(j);
}

/* The constants come last: the functions, which are written already, have asked for them. */
static void put_declarations(struct bw_spv_record_job *j)
{
	uint32_t length = constant(j, BW_MAX(j->n_words, (uint32_t)MIN_WORDS));
	if (j->adds_uint)
		EMIT(j, OP_TYPE_INT, j->uint_type, 32, 0);
	if (j->adds_uvec2)
		EMIT(j, OP_TYPE_VECTOR, j->uvec2_type, j->uint_type, 2);
	if (j->adds_uvec3)
		EMIT(j, OP_TYPE_VECTOR, j->uvec3_type, j->uint_type, 3);
	if (j->adds_bool)
		EMIT(j, OP_TYPE_BOOL, j->bool_type);
	if (j->adds_pointer)
		EMIT(j, OP_TYPE_POINTER, j->pointer_type, STORAGE_PRIVATE, j->uint_type);
	if (j->adds_input)
		EMIT(j, OP_TYPE_POINTER, j->input_type, STORAGE_INPUT, j->uvec3_type);
	for (size_t i = 0; i < j->pairs.len; i += 2)
		EMIT(j, OP_TYPE_VECTOR, j->pairs.data[i + 1], j->pairs.data[i], 2);
	for (size_t i = 0; i < j->constants.len; i += 2)
		EMIT(j, OP_CONSTANT, j->uint_type, j->constants.data[i + 1], j->constants.data[i]);
	uint32_t array = new_id(j), to_array = new_id(j);
	EMIT(j, OP_TYPE_ARRAY, array, j->uint_type, length);
	EMIT(j, OP_TYPE_POINTER, to_array, STORAGE_PRIVATE, array);
	EMIT(j, OP_VARIABLE, to_array, j->record, STORAGE_PRIVATE);
	if (j->adds_workgroup)
		EMIT(j, OP_VARIABLE, j->input_type, j->workgroup_id, STORAGE_INPUT);
}

/* ---- Stores to the record ---- */

/* Word 0 of the record, a zero. It is read again for each store: to the compiler each may be at any
 * place of the array, and so none is moved over another. */
static uint32_t load_zero(struct bw_spv_record_job *j)
{
	uint32_t p = EMIT_NEW(j, OP_ACCESS_CHAIN, j->pointer_type, j->record, j->opaque);
	return EMIT_NEW(j, OP_LOAD, j->uint_type, p, ACCESS_VOLATILE);
}

static void store_at(struct bw_spv_record_job *j, uint32_t base, uint32_t word, uint32_t value)
{
	uint32_t index = EMIT_NEW(j, OP_I_ADD, j->uint_type, base, constant(j, word));
	uint32_t p = EMIT_NEW(j, OP_ACCESS_CHAIN, j->pointer_type, j->record, index);
	EMIT(j, OP_STORE, p, value, ACCESS_VOLATILE);
}

/* The bits of a scalar of 32 bits or less, as a word. */
static uint32_t word_of(struct bw_spv_record_job *j, uint32_t type, uint32_t value)
{
	const uint32_t op = bw_spv_record_op(j, type);
	uint64_t size_b = bw_spv_record_ctype(j, type)->size_b;
	if (op == OP_TYPE_BOOL) {
		uint32_t one = constant(j, 1), none = constant(j, 0);
		return EMIT_NEW(j, OP_SELECT, j->uint_type, value, one, none);
	}
	if (op == OP_TYPE_INT && size_b < 4)
		return EMIT_NEW(j, OP_U_CONVERT, j->uint_type, value);
	if (op == OP_TYPE_FLOAT && size_b < 4) { /* shaders may have no integers of 16 bits */
		uint32_t two =
			EMIT_NEW(j, OP_COMPOSITE_CONSTRUCT, pair_type(j, type), value, value);
		return EMIT_NEW(j, OP_BITCAST, j->uint_type, two);
	}
	return type == j->uint_type ? value : EMIT_NEW(j, OP_BITCAST, j->uint_type, value);
}

static void store_scalar(struct bw_spv_record_job *j, uint32_t base, uint32_t type, uint32_t word,
			 uint32_t value)
{
	if (bw_spv_record_ctype(j, type)->size_b != 8) {
		store_at(j, base, word, word_of(j, type, value));
		return;
	}
	uint32_t both = EMIT_NEW(j, OP_BITCAST, j->uvec2_type, value);
	for (uint32_t i = 0; i < 2; i++)
		store_at(j, base, word + i,
			 EMIT_NEW(j, OP_COMPOSITE_EXTRACT, j->uint_type, both, i));
}

static void store_value(struct bw_spv_record_job *j, uint32_t base, uint32_t type, uint32_t word,
			uint32_t value)
{
	uint32_t op = bw_spv_record_op(j, type);
	if (op == OP_TYPE_BOOL || op == OP_TYPE_INT || op == OP_TYPE_FLOAT ||
	    op == OP_TYPE_POINTER) {
		store_scalar(j, base, type, word, value);
		return;
	}
	uint64_t n = bw_spv_record_count(j, type);
	for (uint32_t i = 0; i < n && !j->err; i++) {
		uint32_t at = word, e = bw_spv_record_element(j, type, i, &at);
		if (e)
			store_value(j, base, e, at, EMIT_NEW(j, OP_COMPOSITE_EXTRACT, e, value, i));
	}
}

/* Where the indices of a pointer lead, none of them beyond its array. */
static uint32_t add_dynamic(struct bw_spv_record_job *j, uint32_t base, const struct pointer *p)
{
	for (unsigned i = 0; i < p->n_dynamic; i++) {
		const struct dynamic *d = &p->dynamic[i];
		uint32_t last = constant(j, d->count - 1), n = constant(j, d->count);
		uint32_t index = d->index;
		if (j->int_type[index] != j->uint_type)
			index = EMIT_NEW(j, OP_BITCAST, j->uint_type, index);
		uint32_t is_inside = EMIT_NEW(j, OP_U_LESS_THAN, j->bool_type, index, n);
		index = EMIT_NEW(j, OP_SELECT, j->uint_type, is_inside, index, last);
		index = EMIT_NEW(j, OP_I_MUL, j->uint_type, index, constant(j, d->stride));
		base = EMIT_NEW(j, OP_I_ADD, j->uint_type, base, index);
	}
	return base;
}

static void record(struct bw_spv_record_job *j, const struct pointer *p, uint32_t value)
{
	const struct recorded *r = &j->variables.data[p->variable];
	uint32_t zero = load_zero(j);
	store_value(j, add_dynamic(j, zero, p), p->type, p->word, value);
	store_at(j, zero, r->flag, constant(j, 1));
}

/* What a call or the like may have written. */
static void record_again(struct bw_spv_record_job *j, uint32_t id)
{
	const struct pointer *p = bw_spv_record_pointer(j, id);
	if (p)
		record(j, p, EMIT_NEW(j, OP_LOAD, p->type, id));
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
			store_at(j, zero, r.flag, constant(j, 0));
	}
}

/* It is found when all of it is the lane's own. */
static void begin_record(struct bw_spv_record_job *j)
{
	uint32_t p = EMIT_NEW(j, OP_ACCESS_CHAIN, j->pointer_type, j->record, j->opaque);
	EMIT(j, OP_STORE, p, constant(j, 0), ACCESS_VOLATILE);
	uint32_t zero = load_zero(j);
	clear_flags(j, zero, 0, true);
	store_at(j, zero, 2, constant(j, 0));
	store_at(j, zero, 3, constant(j, BW_SPIRV_RECORD_MAGIC));
	store_at(j, load_zero(j), 1, constant(j, BW_SPIRV_RECORD_LIVE));
}

/* The next wave with this memory has not noted what is in it. */
static void end_record(struct bw_spv_record_job *j)
{
	store_at(j, load_zero(j), 1, constant(j, BW_SPIRV_RECORD_ENDED));
}

/* What stands before the first statement of a function. */
static void put_head(struct bw_spv_record_job *j, uint32_t function, uint32_t index)
{
	uint32_t one = constant(j, 1);
	uint32_t id = EMIT_NEW(j, OP_LOAD, j->uvec3_type, j->workgroup_id);
	uint32_t x = EMIT_NEW(j, OP_COMPOSITE_EXTRACT, j->uint_type, id, 0);
	uint32_t next = EMIT_NEW(j, OP_I_ADD, j->uint_type, x, one);
	uint32_t product = EMIT_NEW(j, OP_I_MUL, j->uint_type, x, next); /* always even */
	j->opaque = EMIT_NEW(j, OP_BITWISE_AND, j->uint_type, product, one);
	if (is_entry(j, function))
		begin_record(j);
	else
		clear_flags(j, load_zero(j), index, false);
	for (size_t i = 0; i < j->variables.len; i++) {
		const struct recorded r = j->variables.data[i];
		if ((r.function == index && (r.is_param || r.has_initializer)) ||
		    (!r.function && r.has_initializer && is_entry(j, function)))
			record_again(j, r.id);
	}
}

static bool is_terminator(uint32_t op)
{
	return (op >= OP_BRANCH && op <= OP_UNREACHABLE) || op == OP_SELECTION_MERGE ||
	       op == OP_LOOP_MERGE;
}

/* A new line begins, or goes on behind a call or in another block: its mark is stored. glslang does
 * not repeat the line in the blocks of an expression, as for ?: and &&. */
static void put_mark(struct bw_spv_record_job *j, uint32_t function, uint32_t op)
{
	const bool is_same = j->file == j->marked_file && j->line == j->marked_line;
	const struct begun_line begun = {j->file, j->line, function,
					 j->is_inherited || (is_same && j->has_called)};
	if (!j->line || (is_same && !j->has_called) || (j->is_inherited && is_terminator(op)) ||
	    j->err || j->lines.len >= BW_SPIRV_RECORD_MARKS_MAX)
		return;
	uint32_t mark = new_constant(j, BW_SPIRV_RECORD_MARK + (uint32_t)j->lines.len);
	store_at(j, load_zero(j), 2, mark);
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
			record(j, p, w[2]);
		break;
	case OP_COPY_MEMORY:
		if (n > 2)
			record_again(j, w[1]);
		break;
	case OP_FUNCTION_CALL:
		for (uint32_t i = 4; i < n; i++)
			record_again(j, w[i]);
		j->has_called = true;
		break;
	case OP_EXT_INST: /* modf and frexp write through pointers; ids of others are no pointers */
		for (uint32_t i = 5; i < n && !bw_spv_is_debug(j->s, w); i++)
			record_again(j, w[i]);
		break;
	default:
		break;
	}
}

/* How far the function has been written. */
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
		if (op == OP_RETURN && is_entry(j, at->function))
			end_record(j);
	}
	put(j, w, n);
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
		put_text(j, OP_STRING, new_id(j), text);
	}
	bw_vec_each(&j->lines, l) {
		snprintf(text, sizeof(text), BW_SPIRV_RECORD_LINE "%u:%u:%u:%u", l->file, l->line,
			 l->function, l->goes_on);
		put_text(j, OP_STRING, new_id(j), text);
	}
}

static void put_entry_point(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n)
{
	const uint32_t more[] = {j->record, j->workgroup_id};
	const bool has_record = j->s->words[1] >= VERSION_1_4;
	const uint32_t first = OP_ENTRY_POINT | (n + has_record + j->adds_workgroup) << 16;
	put(j, &first, 1);
	put(j, w + 1, n - 1);
	if (has_record)
		put(j, &more[0], 1);
	if (j->adds_workgroup)
		put(j, &more[1], 1);
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
			put_text(j, OP_NAME, j->record, BW_SPIRV_RECORD_NAME);
			has_names = true;
		}
		if (!has_decorations && (is_later || is_declaration)) {
			if (j->adds_workgroup)
				EMIT(j, OP_DECORATE, j->workgroup_id, DECO_BUILTIN,
				     BUILTIN_WORKGROUP_ID);
			has_decorations = true;
		}
		if (op == OP_ENTRY_POINT)
			put_entry_point(j, w, n);
		else
			put(j, w, n);
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
	put(j, j->s->words, SPV_HEADER);
	put_globals(j, functions);
	put(j, body.data, body.len);
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
	j.next_id = words[3];
	j.pointer_at = calloc(j.s->bound + 1u, sizeof(*j.pointer_at));
	j.int_type = calloc(j.s->bound + 1u, sizeof(*j.int_type));
	j.ctypes = calloc(j.s->bound + 1u, sizeof(*j.ctypes));
	if (!j.pointer_at || !j.int_type || !j.ctypes)
		j.err = bw_error_nomem();
	else
		write_module(&j);
	const bool is_of_use = notes_any(&j);
	bw_spirv_close(j.s);
	free(j.pointer_at);
	free(j.int_type);
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
