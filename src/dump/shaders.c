/* SPDX-License-Identifier: MIT */
/* The compute shaders of a hang report as pipelines: their names, and the SPIR-V that the folder
 * has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/spirv_word.h"
#include "base/util.h"
#include "dump/dump_priv.h"

static bool is_compute(const struct bw_crash_shader *s)
{
	return s->code_b && strstr(s->stage, "Compute");
}

uint32_t bw_dump_pipeline_of(const struct bw_dump *d, uint64_t code_va)
{
	const struct bw_crash_report *r = &d->crash->report;
	for (size_t i = 0; i < r->shaders.len; i++)
		if (is_compute(&r->shaders.data[i]) && r->shaders.data[i].va == code_va)
			return (uint32_t)i + 1;
	return 0;
}

/* The text of an instruction from its word `at` on, which may lack its zero. */
static void copy_text(char *out, size_t out_b, const uint32_t *w, uint32_t n_words, uint32_t at)
{
	size_t n = at < n_words ? (n_words - at) * 4ul : 0;
	n = n ? strnlen((const char *)(w + at), n) : 0;
	snprintf(out, out_b, "%.*s", (int)BW_MIN(n, out_b - 1), n ? (const char *)(w + at) : "");
	bw_make_line(out, 0);
}

/* The entry point, and the source file without its folders. */
static void find_names(const struct bw_crash_module *m, struct bw_target_object *o)
{
	enum { HEADER = 5, OP_SOURCE = 3, OP_STRING = 7, OP_ENTRY_POINT = 15, GL_COMPUTE = 5 };
	const struct bw_crash_words *code = &m->words;
	uint32_t file = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t at = HEADER; at < code->len;) {
			const uint32_t *w = &code->data[at];
			uint32_t n = bw_spv_n_words(w[0]), op = bw_spv_op(w[0]);
			char text[256];
			if (!n || n > code->len - at)
				break;
			if (op == OP_SOURCE && n > 3 && !file)
				file = w[3];
			if (op == OP_ENTRY_POINT && n > 3 && w[1] == GL_COMPUTE && !o->entry[0])
				copy_text(o->entry, sizeof(o->entry), w, n, 3);
			if (pass && op == OP_STRING && n > 2 && file && w[1] == file) {
				copy_text(text, sizeof(text), w, n, 2);
				const char *slash = strrchr(text, '/');
				snprintf(o->file, sizeof(o->file), "%.63s",
					 slash ? slash + 1 : text);
				return;
			}
			at += n;
		}
}

struct bw_error *bw_dump_objects(struct bw_target *t, struct bw_target_object **out, size_t *out_n)
{
	const struct bw_crash_report *r = &bw_dump_of(t)->crash->report;
	struct bw_target_object *list = calloc(r->shaders.len + 1, sizeof(*list));
	size_t n = 0;
	if (!list)
		return bw_error_nomem();
	for (size_t i = 0; i < r->shaders.len; i++) {
		const struct bw_crash_shader *s = &r->shaders.data[i];
		const struct bw_crash_module *m = bw_crash_module_of(r, s);
		struct bw_target_object o = {.kind = BW_OBJECT_PIPELINE,
					     .id = (uint32_t)i + 1,
					     .va = s->va,
					     .size_b = s->code_b,
					     .hash = strtoull(s->pipeline, NULL, 16)};
		if (!is_compute(s))
			continue;
		if (m)
			find_names(m, &o);
		list[n++] = o;
	}
	*out = list;
	*out_n = n;
	return NULL;
}

/* The report does not have the values that the program gave to specialization constants, and the
 * module has but their defaults: they get no names, so that no wrong value is shown. */
static size_t copy_module(const struct bw_crash_words *code, uint32_t *to)
{
	enum { HEADER = 5, OP_NAME = 5, OP_SPEC_FIRST = 48, OP_SPEC_LAST = 52, BOUND = 3 };
	uint32_t bound = code->data[BOUND];
	bool *is_special = bound <= code->len ? calloc(bound + 1, sizeof(*is_special)) : NULL;
	size_t n = HEADER;
	for (int pass = 0; pass < 2 && is_special; pass++)
		for (size_t at = HEADER; at < code->len;) {
			const uint32_t *w = &code->data[at];
			uint32_t size = bw_spv_n_words(w[0]), op = bw_spv_op(w[0]);
			if (!size || size > code->len - at)
				size = (uint32_t)(code->len - at); /* damaged: as it is */
			if (!pass && op >= OP_SPEC_FIRST && op <= OP_SPEC_LAST && size > 2 &&
			    w[2] < bound)
				is_special[w[2]] = true;
			bool drop = op == OP_NAME && size > 2 && w[1] < bound && is_special[w[1]];
			if (pass && !drop) {
				memcpy(to + n, w, size * 4ul);
				n += size;
			}
			at += size;
		}
	memcpy(to, code->data, HEADER * 4);
	if (!is_special)
		memcpy(to, code->data, (n = code->len) * 4);
	free(is_special);
	return n;
}

struct bw_error *bw_dump_shader(struct bw_target *t, uint32_t pipeline,
				struct bw_target_shader **out)
{
	const struct bw_crash_report *r = &bw_dump_of(t)->crash->report;
	const struct bw_crash_shader *s =
		pipeline && pipeline <= r->shaders.len ? &r->shaders.data[pipeline - 1] : NULL;
	const struct bw_crash_module *m = s && is_compute(s) ? bw_crash_module_of(r, s) : NULL;
	if (!m)
		return bw_errorf(BW_E_NOT_FOUND, "the report has no SPIR-V of that pipeline");
	struct bw_target_shader *x = calloc(1, sizeof(*x) + m->words.len * 4);
	if (!x)
		return bw_error_nomem();
	x->n_words = copy_module(&m->words, (uint32_t *)(x + 1));
	x->spirv = (const uint32_t *)(x + 1);
	*out = x;
	return NULL;
}
