/* SPDX-License-Identifier: MIT */
/* Functions of a shader. Its driver inlines all of them. Where the shader marks its lines
 * (spirv_record.h), the marks say which function they are in: one that is of a function that the
 * one before it calls is where that begins, inlined, or the basic block of the mark is; it ends at
 * the next mark of a function around it. The code of a call lies in one piece. */
#include <stdlib.h>
#include <string.h>

#include "sym/lines_priv.h"

enum { DEPTH_MAX = 32, INSTANCES_MAX = 1 << 14 };

struct inside {
	uint32_t index;	   /* of functions */
	uint32_t function; /* of the SPIR-V */
	uint64_t start;
};

struct scan {
	struct bw_lines *l;
	struct inside stack[DEPTH_MAX]; /* the first is the shader's own */
	unsigned depth;			/* of the last */
	uint32_t file, line;		/* of the last mark */
};

static struct bw_error *pop(struct scan *s, uint64_t end)
{
	const struct inside *i = &s->stack[s->depth--];
	return bw_vec_push(&s->l->function_ranges,
			   ((struct function_range){i->start, end, i->index}));
}

/* The entry point of HLSL calls "@main", which is what the source calls main. */
static bool is_entry_itself(const struct scan *s, uint32_t function)
{
	size_t len;
	const char *name = bw_spirv_function_name(s->l->spirv, function, &len);
	return !s->depth && len && name[0] == '@';
}

static struct bw_error *push(struct scan *s, uint32_t function, const struct bw_shader_mark *m)
{
	size_t len;
	struct bw_lines *l = s->l;
	const char *text = bw_spirv_function_name(l->spirv, function, &len);
	struct function f = {.die = l->functions.len + 1,
			     .depth = s->depth + 1,
			     .is_inlined = true,
			     .has_params = bw_spirv_has_params(l->spirv, function),
			     .entry = m->begins_line ? m->offset_b : 0,
			     .body = m->begins_line ? m->offset_b : 0,
			     .call_file = s->file,
			     .call_line = s->line,
			     .shader_function = function};
	char *name = strndup(text, len);
	struct bw_error *err = name ? bw_vec_push(&l->names, name) : bw_error_nomem();
	if (err) {
		free(name);
		return err;
	}
	f.name = len ? name : NULL;
	s->stack[++s->depth] = (struct inside){(uint32_t)l->functions.len, function, m->offset_b};
	return bw_vec_push(&l->functions, f);
}

/* The innermost of the functions on the stack that is this one, or calls it; -1: none. */
static int find_on_stack(const struct scan *s, uint32_t function, bool *out_is_same)
{
	for (unsigned i = s->depth + 1; i-- > 0;)
		if (s->stack[i].function == function) {
			*out_is_same = true;
			return (int)i;
		}
	*out_is_same = false;
	for (unsigned i = s->depth + 1; i-- > 0;)
		if (bw_spirv_calls(s->l->spirv, s->stack[i].function, function))
			return (int)i;
	return -1;
}

static struct bw_error *enter(struct scan *s, const struct bw_spirv_line *line,
			      const struct bw_shader_mark *m)
{
	bool is_same;
	struct function *top = &s->l->functions.data[s->stack[s->depth].index];
	if (s->stack[s->depth].function == line->function) {
		if (m->begins_line && !top->body)
			top->body = m->offset_b;
		return NULL;
	}
	int found = find_on_stack(s, line->function, &is_same);
	if (found < 0 || (!is_same && line->goes_on))
		return NULL;
	while (s->depth > (unsigned)found)
		BW_TRY(pop(s, m->offset_b));
	if (is_same)
		return NULL;
	if (is_entry_itself(s, line->function)) {
		s->stack[0].function = line->function;
		s->l->functions.data[0].shader_function = line->function;
		return NULL;
	}
	if (s->depth + 1 >= DEPTH_MAX || s->l->functions.len >= INSTANCES_MAX)
		return NULL;
	return push(s, line->function, m);
}

static struct bw_error *scan_marks(struct bw_lines *l, const struct bw_shader_code *c)
{
	struct scan s = {.l = l, .file = UINT32_MAX};
	struct bw_spirv_line line;
	s.stack[0].function = l->functions.data[0].shader_function;
	for (size_t i = 0; i < c->n_marks; i++) {
		const struct bw_shader_mark *m = &c->marks[i];
		if (!bw_spirv_marked_line(l->spirv, m->mark, &line) || !line.function)
			continue;
		BW_TRY(enter(&s, &line, m));
		BW_TRY(bw_lines_file_index(l, line.file, "", &s.file));
		s.line = line.line;
	}
	while (s.depth)
		BW_TRY(pop(&s, c->code_b));
	return NULL;
}

struct bw_error *bw_lines_add_shader_functions(struct bw_lines *l, const struct bw_shader_code *c)
{
	struct function whole = {.name = c->name,
				 .die = 1,
				 .has_params = true,
				 .is_kernel = true,
				 .call_file = UINT32_MAX};
	const bool is_marked = c->n_marks && l->spirv;
	if (is_marked)
		whole.shader_function = bw_spirv_entry(l->spirv);
	BW_TRY(bw_vec_push(&l->functions, whole));
	BW_TRY(bw_vec_push(&l->function_ranges, ((struct function_range){0, c->code_b, 0})));
	return is_marked ? scan_marks(l, c) : NULL;
}
