/* SPDX-License-Identifier: MIT */
/* Finds the lines in which the variables of a shader's functions are in scope. SPIR-V has no blocks
 * of the source; the source text has them, if the module contains it. A variable is the declaration
 * of its name whose block has all lines that name the variable. If that is not exactly one,
 * variables of one name are told apart only by the lines in which they are used. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/spirv_priv.h"

enum { LOOKS_MAX = 1 << 24 };

/* ---- Where variables are used ---- */

/* Whether a word of an instruction can name a variable: others are numbers. */
static bool can_name(uint32_t op, unsigned i)
{
	switch (op) {
	case OP_LOAD:
	case OP_ACCESS_CHAIN:
	case OP_IN_BOUNDS_ACCESS_CHAIN:
		return i == 3;
	case OP_STORE:
		return i == 1;
	case OP_COPY_MEMORY:
		return i == 1 || i == 2;
	case OP_FUNCTION_CALL:
		return i >= 4;
	case OP_EXT_INST:
		return i >= 5;
	default:
		return false;
	}
}

/* The lines in which functions name their variables. */
static struct bw_error *find_lines(struct bw_spirv *s)
{
	unsigned op, n;
	uint32_t file = 0, line = 0;
	_cleanup_free_ uint32_t *index = calloc(s->bound + 1u, sizeof(*index));
	if (!index)
		return bw_error_nomem();
	for (uint32_t i = 0; i < s->variables.len; i++)
		if (s->variables.data[i].id < s->bound)
			index[s->variables.data[i].id] = i + 1;
	for (size_t at = SPV_HEADER; bw_spv_inst(s, at, &op, &n); at += n) {
		const uint32_t *w = &s->words[at];
		if (op == OP_LINE && n > 3) {
			file = w[1];
			line = w[2];
		} else if (op == OP_FUNCTION || op == OP_NO_LINE) {
			line = 0;
		} else {
			bw_spv_debug_line(s, w, &file, &line);
		}
		if (!line || op == OP_LINE || bw_spv_is_debug(s, w))
			continue;
		for (unsigned i = 1; i < n; i++) {
			if (!can_name(op, i) || w[i] >= s->bound || !index[w[i]])
				continue;
			struct spv_variable *v = &s->variables.data[index[w[i]] - 1];
			if (!v->first_line)
				v->file = file;
			else if (v->file != file)
				v->file = 0;
			v->first_line = v->first_line ? BW_MIN(v->first_line, line) : line;
			v->last_line = BW_MAX(v->last_line, line);
		}
	}
	return NULL;
}

/* ---- Where they are declared ---- */

static bool is_of(const struct bw_declared *d, const char *name)
{
	return !strncmp(d->name, name, d->len) && !name[d->len];
}

/* The innermost declaration whose block has all uses of the variable. */
static void find_declaration(struct spv_variable *v, const struct bw_declarations *all)
{
	bw_vec_each(all, d)
		if (d->line <= v->first_line && d->end >= v->last_line && is_of(d, v->v.name))
			v->scope = *d;
}

/* Two variables are not one declaration: something is not as it seems. */
static void forget_doubtful(struct bw_spirv *s)
{
	bw_vec_each(&s->variables, v) {
		bool is_doubtful = false;
		if (!v->scope.name)
			continue;
		bw_vec_each(&s->variables, o) {
			if (o == v || o->scope.name != v->scope.name)
				continue;
			is_doubtful = true;
			o->scope.name = NULL;
		}
		if (is_doubtful)
			v->scope.name = NULL;
	}
}

static struct bw_error *find_in_file(struct bw_spirv *s, uint32_t file, const char *text)
{
	struct bw_declarations all = {0};
	BW_TRY(bw_shader_declarations(text, &all));
	bw_vec_each(&s->variables, v)
		if (v->file == file && !v->v.is_param && s->variables.len * all.len <= LOOKS_MAX)
			find_declaration(v, &all);
	bw_vec_free(&all);
	return NULL;
}

struct bw_error *bw_spv_find_scopes(struct bw_spirv *s)
{
	BW_TRY(find_lines(s));
	for (uint32_t i = 0, last = 0; i < s->variables.len; i++) {
		const uint32_t id = s->variables.data[i].file;
		bool is_known = id == last;
		for (uint32_t k = 0; k < i && !is_known; k++)
			is_known = s->variables.data[k].file == id;
		last = id;
		const struct spv_file *f = is_known || !id ? NULL : bw_spv_file(s, id);
		if (f && f->text)
			BW_TRY(find_in_file(s, id, f->text));
	}
	forget_doubtful(s);
	return NULL;
}

/* ---- Whether they are in scope ---- */

static bool is_used_around(const struct spv_variable *v, unsigned line)
{
	return line >= v->first_line && line <= v->last_line;
}

/* Whether at that line the name is another variable's, or may be: of `o`, of the same name, `v`
 * being in scope. Up to where the line begins that declares one, it is the one around. */
static bool is_hidden_by(const struct spv_variable *v, const struct spv_variable *o, unsigned line)
{
	const struct bw_declared *a = &v->scope, *b = &o->scope;
	if (!b->name && o->function && !o->v.is_param)
		return o->first_line && is_used_around(o, line) && o->first_line > v->first_line;
	if (!a->name) /* a parameter */
		return b->name && (line > b->line || !b->is_last || b->is_loop) && line <= b->end;
	if (!b->name) /* a parameter, or of the module */
		return line <= a->line;
	if (line < b->line || line > b->end)
		return false;
	if (b->name < a->name) /* the outer one */
		return line <= a->line || (line == a->end && a->end_is_shared);
	return line > b->line || b->is_loop || !b->is_last;
}

/* The ends of a block may share their lines with what is outside: "if (y) {", "} while (x);". */
static bool is_in_block(const struct spv_variable *v, unsigned line)
{
	const struct bw_declared *d = &v->scope;
	const uint32_t first = d->begin + (d->line > d->begin),
		       last = d->end - (d->end_is_shared && v->last_line < d->end);
	return !d->begin || (line >= first && line <= last);
}

bool bw_spirv_is_hidden(const struct bw_spirv *s, size_t i, const char *file, unsigned line)
{
	const struct spv_variable *v = &s->variables.data[i];
	const struct bw_declared *scope = v->scope.name ? &v->scope : NULL;
	const struct spv_file *own = v->file && v->file < s->bound && s->file_of_id[v->file]
					     ? &s->files.data[s->file_of_id[v->file] - 1]
					     : NULL;
	if (!line || !v->function || (!v->first_line && !v->v.is_param) ||
	    (file && own && strcmp(file, own->name) != 0))
		return false;
	if (scope && !is_in_block(v, line))
		return true;
	bw_vec_each(&s->variables, o) {
		if (o == v || (o->function && o->function != v->function) ||
		    strcmp(o->v.name, v->v.name) != 0 || (o->function && !o->first_line))
			continue;
		if (scope || v->v.is_param ? is_hidden_by(v, o, line)
					   : o->function && (!is_used_around(v, line) ||
							     (is_used_around(o, line) &&
							      o->first_line > v->first_line)))
			return true;
	}
	return false;
}
