/* SPDX-License-Identifier: MIT */
#include "sym/spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shown.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/spirv_priv.h"
#include "sym/spirv_record.h"

enum { LANGUAGE_GLSL = 2, LANGUAGE_HLSL = 5, TEXT_MAX_B = 64 << 20, FILES_MAX = 1000 };

bool bw_spv_inst(const struct bw_spirv *s, size_t at, unsigned *out_op, unsigned *out_n)
{
	if (at >= s->n)
		return false;
	*out_op = bw_spv_op(s->words[at]);
	*out_n = bw_spv_n_words(s->words[at]);
	return *out_n && *out_n <= s->n - at;
}

const uint32_t *bw_spv_def(const struct bw_spirv *s, uint32_t id, unsigned n)
{
	uint32_t at = id < s->bound ? s->defined[id] : 0;
	return at && bw_spv_n_words(s->words[at]) >= n ? &s->words[at] : NULL;
}

/* The text at a word of an instruction, "" where it does not end within that. */
static const char *text_at(const struct bw_spirv *s, size_t at, size_t words)
{
	const char *text = (const char *)&s->words[at];
	return words && memchr(text, 0, words * 4) ? text : "";
}

static int by_key(const void *pa, const void *pb)
{
	const struct spv_note *a = pa, *b = pb;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

bool bw_spv_decoration(const struct bw_spirv *s, uint32_t id, uint32_t member, uint32_t kind,
		       uint32_t *out)
{
	const struct spv_note key = {id, member, kind, 0}, *n = NULL;
	if (s->notes.len)
		n = bsearch(&key, s->notes.data, s->notes.len, sizeof(key), by_key);
	if (n)
		*out = n->value;
	return n;
}

const char *bw_spv_name(const struct bw_spirv *s, uint32_t id, uint32_t member)
{
	uint32_t at;
	return bw_spv_decoration(s, id, member, NOTE_NAME, &at) ? (const char *)&s->words[at] : "";
}

bool bw_spv_constant(const struct bw_spirv *s, uint32_t id, uint64_t *out)
{
	const uint32_t *w = bw_spv_def(s, id, 3);
	uint32_t spec_id, op = w ? bw_spv_op(*w) : 0;
	if (op < OP_CONSTANT_TRUE || op > OP_SPEC || (op > OP_CONSTANT && op < OP_SPEC_TRUE))
		return false;
	if (op >= OP_SPEC_TRUE && bw_spv_decoration(s, id, NO_MEMBER, DECO_SPEC_ID, &spec_id)) {
		for (size_t i = 0; i < s->n_constants; i++) {
			if (s->constants[i].id == spec_id) {
				*out = s->constants[i].value;
				return true;
			}
		}
	}
	if (op == OP_CONSTANT || op == OP_SPEC) {
		if (bw_spv_n_words(*w) < 4)
			return false;
		*out = bw_join32(bw_spv_n_words(*w) > 4 ? w[4] : 0, w[3]);
	} else {
		*out = op == OP_CONSTANT_TRUE || op == OP_SPEC_TRUE;
	}
	return true;
}

/* ---- Reading the module ---- */

static struct bw_error *add_note(struct bw_spirv *s, const struct spv_note *n)
{
	return bw_vec_push(&s->notes, *n);
}

/* A decoration of a number that is a name's here would be read as the place of a text. */
static struct bw_error *add_decoration(struct bw_spirv *s, const struct spv_note *n)
{
	return n->kind < NOTE_NAME ? add_note(s, n) : NULL;
}

/* A name is shown in the middle of lines. */
static void make_line(struct bw_spirv *s, size_t at, unsigned n)
{
	if (*text_at(s, at, n))
		bw_make_line((char *)&s->words[at], 0);
}

static struct bw_error *add_file(struct bw_spirv *s, const char *name, uint32_t *out)
{
	for (*out = 0; *out < s->files.len; ++*out)
		if (!strcmp(s->files.data[*out].name, name))
			return NULL;
	return bw_vec_push(&s->files, ((struct spv_file){.name = name}));
}

/* The file that an OpString names; NULL: it names none, or there are too many. */
static struct spv_file *file_of(struct bw_spirv *s, uint32_t id)
{
	uint32_t i;
	const uint32_t *w = bw_spv_def(s, id, 3);
	if (!w || bw_spv_op(*w) != OP_STRING)
		return NULL;
	if (!s->file_of_id[id]) {
		make_line(s, (size_t)(w + 2 - s->words), bw_spv_n_words(*w) - 2);
		const char *name = text_at(s, (size_t)(w + 2 - s->words), bw_spv_n_words(*w) - 2);
		if (!*name || s->files.len >= FILES_MAX)
			return NULL;
		_cleanup_error_ struct bw_error *err = add_file(s, name, &i);
		if (err)
			return NULL;
		s->file_of_id[id] = i + 1;
	}
	return &s->files.data[s->file_of_id[id] - 1];
}

const struct spv_file *bw_spv_file(struct bw_spirv *s, uint32_t id)
{
	return file_of(s, id);
}

/* OpSource, with the OpSourceContinueds after it. */
static struct bw_error *read_source(struct bw_spirv *s, size_t at, unsigned n)
{
	unsigned op;
	if (n < 3)
		return NULL;
	s->is_glsl = s->words[at + 1] == LANGUAGE_GLSL;
	s->is_hlsl = s->words[at + 1] == LANGUAGE_HLSL;
	struct spv_file *f = n > 3 ? file_of(s, s->words[at + 3]) : NULL;
	if (!f || f->text || n < 5)
		return NULL;
	_cleanup_(bw_str_free) struct bw_str text = {0};
	bw_str_add(&text, text_at(s, at + 4, n - 4));
	for (at += n; bw_spv_inst(s, at, &op, &n) && op == OP_SOURCE_CONTINUED; at += n)
		if (text.len < TEXT_MAX_B && n > 1)
			bw_str_add(&text, text_at(s, at + 1, n - 1));
	f->text = text.len ? bw_str_take(&text) : NULL;
	return NULL;
}

/* DebugSource, with the DebugSourceContinueds after it. */
static struct bw_error *read_debug_source(struct bw_spirv *s, size_t at, unsigned n)
{
	unsigned op;
	struct spv_file *f = file_of(s, bw_spv_debug_file(s, &s->words[at]));
	if (!f || f->text)
		return NULL;
	_cleanup_(bw_str_free) struct bw_str text = {0};
	do {
		const uint32_t *w = bw_spv_def(s, bw_spv_debug_text(s, &s->words[at]), 3);
		if (w && bw_spv_op(*w) == OP_STRING && text.len < TEXT_MAX_B)
			bw_str_add(&text,
				   text_at(s, (size_t)(w + 2 - s->words), bw_spv_n_words(*w) - 2));
		at += n;
	} while (bw_spv_inst(s, at, &op, &n) && bw_spv_debug_goes_on(s, &s->words[at]));
	f->text = text.len ? bw_str_take(&text) : NULL;
	return NULL;
}

static void define(struct bw_spirv *s, uint32_t id, size_t at)
{
	if (id < s->bound && !s->defined[id])
		s->defined[id] = (uint32_t)at;
}

/* "breakwater.line:FILE:LINE:FUNCTION:GOES_ON" */
static struct bw_error *read_marked_line(struct bw_spirv *s, const char *text)
{
	struct spv_marked_line l = {0};
	unsigned goes_on;
	if (s->marked.len >= BW_SPIRV_RECORD_MARKS_MAX ||
	    sscanf(text + strlen(BW_SPIRV_RECORD_LINE), "%u:%u:%u:%u", &l.file_id, &l.line,
		   &l.function_id, &goes_on) != 4)
		return NULL;
	l.goes_on = goes_on;
	return bw_vec_push(&s->marked, l);
}

/* "breakwater.record:ID:OFFSET:FLAG" */
static struct bw_error *read_recorded(struct bw_spirv *s, const char *text)
{
	struct spv_recorded r;
	if (bw_starts_with(text, BW_SPIRV_RECORD_LINE))
		return read_marked_line(s, text);
	if (!bw_starts_with(text, BW_SPIRV_RECORD_VARIABLE) ||
	    sscanf(text + strlen(BW_SPIRV_RECORD_VARIABLE), "%u:%u:%u", &r.id, &r.offset_b,
		   &r.flag_b) != 3 ||
	    r.offset_b % 4 || r.flag_b % 4 || r.offset_b > BW_SPIRV_RECORD_MAX_B ||
	    r.flag_b > BW_SPIRV_RECORD_MAX_B)
		return NULL;
	return bw_vec_push(&s->recorded, r);
}

/* One instruction in front of the functions. */
static struct bw_error *read_global(struct bw_spirv *s, size_t at, unsigned op, unsigned n,
				    const char *entry)
{
	const uint32_t *w = &s->words[at];
	switch (op) {
	case OP_SOURCE:
		return read_source(s, at, n);
	case OP_STRING:
		if (n > 2)
			define(s, w[1], at);
		return n > 2 ? read_recorded(s, text_at(s, at + 2, n - 2)) : NULL;
	case OP_EXT_INST_IMPORT:
		if (n > 2 && !strcmp(text_at(s, at + 2, n - 2), "NonSemantic.DebugPrintf"))
			s->printf_set = w[1];
		return n > 2 && bw_starts_with(text_at(s, at + 2, n - 2), "NonSemantic.")
			       ? bw_vec_push(&s->debug_sets, w[1])
			       : NULL;
	case OP_EXT_INST:
		if (!bw_spv_debug_file(s, w))
			return NULL;
		define(s, w[2], at);
		return read_debug_source(s, at, n);
	case OP_ENTRY_POINT:
		if (n <= 3 || (w[1] > MODEL_COMPUTE && w[1] != MODEL_MESH && w[1] != MODEL_TASK))
			return NULL;
		s->has_models |= s->entry && w[1] != s->model;
		if (!s->entry && (!entry || !strcmp(text_at(s, at + 3, n - 3), entry))) {
			s->entry = w[2];
			s->model = w[1];
		}
		return NULL;
	case OP_NAME:
		make_line(s, at + 2, n > 2 ? n - 2 : 0);
		return n > 2 && *text_at(s, at + 2, n - 2)
			       ? add_note(s, &(struct spv_note){w[1], NO_MEMBER, NOTE_NAME,
								(uint32_t)at + 2})
			       : NULL;
	case OP_MEMBER_NAME:
		make_line(s, at + 3, n > 3 ? n - 3 : 0);
		return n > 3 && *text_at(s, at + 3, n - 3)
			       ? add_note(s, &(struct spv_note){w[1], w[2], NOTE_NAME,
								(uint32_t)at + 3})
			       : NULL;
	case OP_DECORATE:
		return n > 2 ? add_decoration(s, &(struct spv_note){w[1], NO_MEMBER, w[2],
								    n > 3 ? w[3] : 0})
			     : NULL;
	case OP_MEMBER_DECORATE:
		return n > 3 ? add_decoration(
				       s, &(struct spv_note){w[1], w[2], w[3], n > 4 ? w[4] : 0})
			     : NULL;
	case OP_CONSTANT_TRUE:
	case OP_CONSTANT_FALSE:
	case OP_CONSTANT:
	case OP_SPEC_TRUE:
	case OP_SPEC_FALSE:
	case OP_SPEC:
	case OP_VARIABLE:
		if (n > 2)
			define(s, w[2], at);
		return NULL;
	default:
		if (op >= OP_TYPE_VOID && op <= OP_TYPE_POINTER && n > 1)
			define(s, w[1], at);
		return NULL;
	}
}

static struct bw_error *read_functions(struct bw_spirv *s, size_t at)
{
	unsigned op, n;
	for (; bw_spv_inst(s, at, &op, &n); at += n) {
		const uint32_t *w = &s->words[at];
		struct spv_function *f =
			s->functions.len ? &s->functions.data[s->functions.len - 1] : NULL;
		for (unsigned i = 1; i < n && op != OP_LINE; i++)
			if (w[i] < s->bound)
				s->used[w[i]] = true;
		if (op == OP_FUNCTION && n > 2) {
			BW_TRY(bw_vec_push(&s->functions, ((struct spv_function){.id = w[2]})));
			if (w[2] < s->bound && !s->function_of_id[w[2]])
				s->function_of_id[w[2]] = (uint32_t)s->functions.len;
		}
		if ((op == OP_VARIABLE || op == OP_FUNCTION_PARAMETER) && n > 2)
			define(s, w[2], at);
		if (op == OP_FUNCTION_PARAMETER && f)
			f->has_params = true;
		if (op == OP_FUNCTION_CALL && n > 3 && f)
			BW_TRY(bw_vec_push(
				&s->calls,
				((struct spv_call){(uint32_t)s->functions.len - 1, w[3]})));
		uint32_t file = op == OP_LINE && n > 3 ? w[1] : 0, line = file ? w[2] : 0;
		if (!f || (!file && !bw_spv_debug_line(s, w, &file, &line)) || !line)
			continue;
		file_of(s, file);
		f->first_line = f->first_line ? BW_MIN(f->first_line, line) : line;
		f->last_line = BW_MAX(f->last_line, line);
	}
	return NULL;
}

/* Called when all strings and functions are known. */
static void finish_marked_lines(struct bw_spirv *s)
{
	bw_vec_each(&s->marked, l) {
		const struct spv_file *f = file_of(s, l->file_id);
		l->file = f ? f->name : NULL;
		l->function = bw_spv_function(s, l->function_id);
	}
}

static struct bw_error *read_module(struct bw_spirv *s, const char *entry)
{
	unsigned op, n;
	size_t at = SPV_HEADER;
	for (; bw_spv_inst(s, at, &op, &n) && op != OP_FUNCTION; at += n)
		BW_TRY(read_global(s, at, op, n, entry));
	if (s->notes.len)
		qsort(s->notes.data, s->notes.len, sizeof(struct spv_note), by_key);
	BW_TRY(read_functions(s, at));
	finish_marked_lines(s);
	return bw_spv_read_variables(s);
}

struct bw_error *bw_spirv_open(const uint32_t *words, size_t n, const char *entry,
			       const struct bw_spirv_constant *constants, size_t n_constants,
			       struct bw_spirv **out)
{
	if (n < SPV_HEADER || words[0] != SPV_MAGIC)
		return bw_errorf(BW_E_INVALID, "this is not SPIR-V");
	struct bw_spirv *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	/* an id that is of interest is defined by an instruction of two words at least */
	s->bound = (uint32_t)BW_MIN((size_t)words[3], n);
	s->n = n;
	s->n_constants = n_constants;
	s->words = malloc((n + 1) * sizeof(*words));
	s->defined = calloc(s->bound + 1u, sizeof(*s->defined));
	s->file_of_id = calloc(s->bound + 1u, sizeof(*s->file_of_id));
	s->function_of_id = calloc(s->bound + 1u, sizeof(*s->function_of_id));
	s->structs = calloc(s->bound + 1u, sizeof(*s->structs));
	s->used = calloc(s->bound + 1u, sizeof(*s->used));
	s->constants = calloc(n_constants + 1, sizeof(*constants));
	struct bw_error *err = s->words && s->defined && s->file_of_id && s->function_of_id &&
					       s->structs && s->used && s->constants
				       ? NULL
				       : bw_error_nomem();
	if (!err) {
		memcpy(s->words, words, n * sizeof(*words));
		s->words[n] = 0;
		if (n_constants)
			memcpy(s->constants, constants, n_constants * sizeof(*constants));
		err = read_module(s, entry);
	}
	if (err)
		bw_spirv_close(s);
	else
		*out = s;
	return err;
}

void bw_spirv_close(struct bw_spirv *s)
{
	if (!s)
		return;
	bw_vec_each(&s->nodes, n) {
		free((*n)->members);
		free(*n);
	}
	bw_vec_each(&s->files, f)
		free(f->text);
	bw_vec_free(&s->nodes);
	bw_vec_free(&s->files);
	bw_vec_free(&s->notes);
	bw_vec_free(&s->functions);
	bw_vec_free(&s->calls);
	bw_vec_free(&s->variables);
	bw_vec_free(&s->debug_sets);
	bw_vec_free(&s->recorded);
	bw_vec_free(&s->marked);
	free(s->constants);
	free(s->defined);
	free(s->file_of_id);
	free(s->function_of_id);
	free(s->used);
	free(s->structs);
	free(s->words);
	free(s);
}

const char *bw_spirv_file(const struct bw_spirv *s)
{
	return s->files.len ? s->files.data[0].name : NULL;
}

const char *bw_spirv_file_at(const struct bw_spirv *s, size_t i)
{
	return i < s->files.len ? s->files.data[i].name : NULL;
}

size_t bw_spirv_n_marks(const struct bw_spirv *s)
{
	return s->marked.len;
}

uint32_t bw_spirv_first_mark(const struct bw_spirv *s)
{
	const bool is_second = s->model == MODEL_CONTROL || s->model == MODEL_GEOMETRY;
	return is_second ? BW_SPIRV_RECORD_SECOND : BW_SPIRV_RECORD_MARK;
}

bool bw_spirv_marked_line(const struct bw_spirv *s, uint32_t mark, struct bw_spirv_line *out)
{
	uint32_t i = mark - bw_spirv_first_mark(s);
	if (i >= s->marked.len || !s->marked.data[i].file || !s->marked.data[i].line)
		return false;
	const struct spv_marked_line *l = &s->marked.data[i];
	*out = (struct bw_spirv_line){l->file, l->line, l->function, l->goes_on};
	return true;
}

const char *bw_spirv_source_text(const struct bw_spirv *s, const char *file)
{
	bw_vec_each(&s->files, f)
		if (!strcmp(f->name, file))
			return f->text;
	return NULL;
}
