// SPDX-License-Identifier: MIT
/* The source level of shaders: lines from the driver's table, names from the SPIR-V. */
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "debug/dispatches/marks.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "sym/spirv.h"

static struct bw_error *open_spirv(const struct bw_target_shader *s, const char *entry,
				   struct bw_spirv **out)
{
	_cleanup_free_ struct bw_spirv_constant *constants =
		calloc(s->n_constants + 1, sizeof(*constants));
	if (!constants)
		return bw_error_nomem();
	for (size_t i = 0; i < s->n_constants; i++)
		constants[i] =
			(struct bw_spirv_constant){s->constants[i].id, s->constants[i].value};
	struct bw_error *err = bw_spirv_open(s->spirv, s->n_words, entry[0] ? entry : NULL,
					     constants, s->n_constants, out);
	/* without the SPIR-V, the driver's lines are still useful */
	bw_error_catch(&err, BW_E_INVALID);
	return err;
}

/* Warns that a SPIR-V module is damaged: only the part before the damage was read. */
static void warn_of_damage(struct bw_debug *d, const struct bw_module *m,
			   const struct bw_target_shader *s)
{
	struct bw_error *err = s->n_words ? bw_spirv_check(s->spirv, s->n_words) : NULL;
	if (err)
		bw_debug_note(d, BW_NOTICE_WARNING,
			      "%s: %s. Its lines, names and variables are shown as far as they "
			      "were read, and it notes none itself (-O0)",
			      m->name, err->message);
	bw_error_free(err);
}

/* Warns of debugPrintf. No driver implements it so that a debugger could read the output; silence
 * would look like "not reached". */
static void warn_of_prints(struct bw_debug *d, const struct bw_module *m, const struct bw_spirv *s)
{
	if (s && bw_spirv_prints(s))
		bw_debug_note(
			d, BW_NOTICE_WARNING,
			"%s prints by debugPrintfEXT: that is not shown; \"dprintf "
			"LINE,\"FORMAT\",VALUE...\" prints a line for each wave instead (with "
			"-O0 for variables)",
			m->name);
}

/* For each dword of the code whether an instruction begins there; owned. */
static bool *find_starts(struct bw_debug *d, const struct bw_module *m)
{
	size_t n = m->raw_b / 4;
	bool *starts = calloc(n + 1, sizeof(*starts));
	for (size_t i = 0; starts && i < n;) {
		struct bw_inst inst;
		starts[i] = true;
		bw_isa_decode_at(bw_debug_isa(d), m->raw, 4 * n, 4 * i, &inst);
		i += inst.size_b / 4;
	}
	return starts;
}

/* Finds the marks of a shader. The caller owns *out; NULL if the shader has none. */
static struct bw_error *find_marks(struct bw_debug *d, const struct bw_module *m,
				   struct bw_shader_code *code, struct bw_shader_mark **out)
{
	const struct bw_marked_code x = {
		.gen = bw_debug_isa(d),
		.bytes = m->raw,
		.size_b = m->raw_b,
		.first_mark = code->spirv ? bw_spirv_first_mark(code->spirv) : 0,
		.n_marks = code->spirv ? (uint32_t)bw_spirv_n_marks(code->spirv) : 0};
	BW_TRY(bw_marks_find(&x, out, &code->n_marks, &code->begun_b));
	code->marks = *out;
	if (x.n_marks && !code->n_marks)
		bw_debug_note(d, BW_NOTICE_WARNING,
			      "The driver has changed how the shader notes its lines: local "
			      "variables are shown as they were noted last, at a line before or "
			      "after the one that is shown");
	return NULL;
}

static struct bw_error *make_lines(struct bw_debug *d, struct bw_module *m,
				   const struct bw_target_shader *s, const char *entry)
{
	_cleanup_free_ char *nir_name = NULL;
	_cleanup_free_ bool *starts = find_starts(d, m);
	_cleanup_free_ struct bw_shader_line *lines = calloc(s->n_lines + 1, sizeof(*lines));
	if (!lines || !starts || asprintf(&nir_name, "%s.nir", m->name) < 0)
		return bw_error_nomem();
	_cleanup_free_ struct bw_shader_mark *marks = NULL;
	size_t n_lines = 0;
	for (size_t i = 0; i < s->n_lines; i++) {
		uint32_t at = s->lines[i].offset_b;
		if (at != BW_SHADER_LINE_BEFORE && at < m->at_b) /* of the program's first shader */
			continue;
		if (at != BW_SHADER_LINE_BEFORE)
			at -= (uint32_t)m->at_b;
		lines[n_lines++] = (struct bw_shader_line){at, s->lines[i].line, s->lines[i].column,
							   s->lines[i].file};
	}
	struct bw_shader_code code = {.name = m->name,
				      .code_b = m->raw_b,
				      .starts = starts,
				      .lines = lines,
				      .n_lines = n_lines,
				      .nir = s->nir,
				      .nir_name = nir_name};
	warn_of_damage(d, m, s);
	BW_TRY(open_spirv(s, entry, &code.spirv));
	warn_of_prints(d, m, code.spirv);
	struct bw_error *err = find_marks(d, m, &code, &marks);
	if (err) {
		bw_spirv_close(code.spirv);
		return err;
	}
	BW_TRY(bw_lines_of_shader(&code, &m->lines));
	bw_lines_search_in(m->lines, &d->code->source_paths);
	return NULL;
}

/* The first block that stores one of these marks. */
static struct bw_error *find_block(const struct bw_marked_code *code, size_t *out_at)
{
	struct bw_shader_mark *marks = NULL;
	size_t n = 0;
	uint32_t begun;
	BW_TRY(bw_marks_find(code, &marks, &n, &begun));
	/* the beginning of a block has its first mark */
	for (size_t i = 0; i < n && !*out_at; i++)
		if (marks[i].mark)
			*out_at = marks[i].offset_b;
	free(marks);
	return NULL;
}

/* A geometry shader waits for all vertices: the first s_barrier of its program is the one between
 * the two shaders, as those before a geometry shader have none (select_program_merged of Mesa's
 * aco_instruction_selection.cpp). A control shader may have more of its own, and none there. A
 * group of one wave needs none. */
static size_t find_barrier(struct bw_debug *d, const uint8_t *code, size_t size_b)
{
	struct bw_inst inst;
	for (size_t at = 0; at + 4 <= size_b; at += inst.size_b) {
		bw_isa_decode_at(bw_debug_isa(d), code, size_b & ~3ul, at, &inst);
		if (inst.op == BW_OP_S_BARRIER)
			return at + inst.size_b;
	}
	return 0;
}

struct bw_error *bw_debug_find_second(struct bw_debug *d, const void *code, size_t size_b,
				      const struct bw_target_object *pipeline, size_t *out_at)
{
	struct bw_target_shader *s = NULL;
	struct bw_spirv *spirv = NULL;
	struct bw_marked_code x = {.gen = bw_debug_isa(d), .bytes = code, .size_b = size_b};
	*out_at = 0;
	if (!bw_target_can(d->target, BW_CAP_OBJECTS))
		return NULL;
	struct bw_error *err = bw_target_shader(d->target, pipeline->id, &s);
	if (bw_error_catch(&err, BW_E_NOT_FOUND))
		return NULL;
	BW_TRY(err);
	err = open_spirv(s, pipeline->entry, &spirv);
	if (!err && spirv) {
		x.first_mark = bw_spirv_first_mark(spirv);
		x.n_marks = (uint32_t)bw_spirv_n_marks(spirv);
		err = find_block(&x, out_at);
	}
	if (!err && !*out_at && pipeline->stage == BW_STAGE_GEOMETRY)
		*out_at = find_barrier(d, code, size_b);
	bw_spirv_close(spirv);
	free(s);
	return err;
}

struct bw_error *bw_debug_learn_source(struct bw_debug *d, struct bw_module *m,
				       const struct bw_target_object *pipeline)
{
	struct bw_target_shader *s = NULL;
	if (!bw_target_can(d->target, BW_CAP_OBJECTS))
		return NULL;
	struct bw_error *err = bw_target_shader(d->target, pipeline->id, &s);
	if (bw_error_catch(&err, BW_E_NOT_FOUND))
		return NULL;
	BW_TRY(err);
	if (!s->source) /* otherwise it is an OpenCL kernel, of whose code nothing is known */
		err = make_lines(d, m, s, pipeline->entry);
	free(s);
	return err;
}

struct bw_error *bw_debug_set_shader(struct bw_debug *d, const uint32_t *words, size_t n)
{
	struct bw_shader_code code = {0};
	struct bw_lines *lines = NULL;
	struct bw_error *err = bw_spirv_open(words, n, NULL, NULL, 0, &code.spirv);
	if (bw_error_catch(&err, BW_E_INVALID))
		return NULL;
	BW_TRY(err);
	BW_TRY(bw_lines_of_shader(&code, &lines));
	bw_lines_search_in(lines, &d->code->source_paths);
	bw_lines_close(d->code->shader);
	d->code->shader = lines;
	return NULL;
}

void bw_debug_tell_lines(struct bw_debug *d)
{
	const struct bw_wave_record *w = bw_debug_focus_priv(d);
	if (!w)
		return;
	BW_IN_SPACE(d, w->info.space);
	const struct bw_load *l = bw_debug_load_at(d, w->info.pc);
	enum bw_lines_origin origin =
		l && l->module->lines ? bw_lines_origin(l->module->lines) : BW_LINES_NONE;
	if (origin == BW_LINES_NONE || origin == BW_LINES_DWARF ||
	    d->dispatches->told_origin[origin])
		return;
	d->dispatches->told_origin[origin] = true;
	if (origin == BW_LINES_MARKED)
		bw_debug_note(
			d, BW_NOTICE_SAID,
			"[The shader notes its lines and local variables itself (-O0): where a "
			"line begins, they, buffers and shared variables are what the source "
			"says. Images may be ahead]");
	else if (origin == BW_LINES_SOURCE)
		bw_debug_note(
			d, BW_NOTICE_SAID,
			"[Lines of shaders are those of their source, kept by the driver for "
			"debugging (RADV_DEBUG=nirdebuginfo), which may change the code. It does "
			"not say where local variables are: buffers, push constants, constants and "
			"built-in variables are shown by their names, registers by \"info lanes "
			"$v0\". With -O0 the shader notes its lines and local variables itself]");
	else
		bw_debug_note(
			d, BW_NOTICE_SAID,
			"[This driver does not know the lines of shaders' source (RADV does from "
			"Mesa 26.1 on): lines are those of NIR, its intermediate language, kept for "
			"debugging (RADV_DEBUG=nirdebuginfo), which may change the code. With -O0 "
			"the shader notes its lines and local variables itself]");
}
