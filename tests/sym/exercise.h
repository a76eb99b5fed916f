/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_SYM_EXERCISE_H
#define BW_TESTS_SYM_EXERCISE_H

/* Opens bytes as a code object and asks it everything there is to ask: for tests with damaged input
 * and for the fuzz target. It checks what callers rely on for any input. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sym/code_object.h"
#include "sym/frames.h"
#include "sym/listed.h"
#include "sym/variables.h"

/* What lies in a type by value, down to its numbers; *left limits how much of it is looked at. */
static inline void exercise_type(const struct bw_ctype *t, unsigned depth, unsigned *left)
{
	char name[48];
	assert(t && depth <= 64 && t->kind <= BW_CTYPE_UNKNOWN);
	if (!*left)
		return;
	--*left;
	memset(name, 'x', sizeof(name));
	bw_ctype_name(t, name, sizeof(name));
	assert(memchr(name, 0, sizeof(name)));
	const struct bw_ctype *stripped = bw_ctype_strip(t);
	assert(stripped->kind != BW_CTYPE_TYPEDEF && stripped->kind != BW_CTYPE_QUALIFIED);
	if (t->kind == BW_CTYPE_UNKNOWN || t->kind == BW_CTYPE_QUALIFIED)
		assert(t->name && strlen(t->name));
	if (t->kind == BW_CTYPE_POINTER || t->kind == BW_CTYPE_FUNCTION)
		assert(t->elem);
	if (t->kind == BW_CTYPE_TYPEDEF || t->kind == BW_CTYPE_QUALIFIED ||
	    t->kind == BW_CTYPE_ARRAY || t->kind == BW_CTYPE_VECTOR || t->kind == BW_CTYPE_ENUM)
		exercise_type(t->elem, depth + 1, left);
	assert(!t->n_members || t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION);
	for (size_t i = 0; i < t->n_enumerators; i++)
		assert(t->enumerators[i].name);
	for (size_t i = 0; i < t->n_members; i++) {
		const struct bw_cmember *m = &t->members[i];
		uint64_t bytes =
			m->bit_size ? (m->bit_offset + m->bit_size + 7) / 8 : m->type->size_b;
		assert(m->bit_offset < 8 && m->bit_size <= 64);
		assert(m->offset_b <= t->size_b && bytes <= t->size_b - m->offset_b);
		exercise_type(m->type, depth + 1, left);
	}
}

static inline void exercise_location(struct bw_lines *lines, const struct bw_variable *v,
				     uint64_t addr)
{
	struct bw_location at;
	bw_variable_location(lines, v, addr, NULL, &at);
	assert(at.kind <= BW_LOC_COMPUTED && at.n_pieces <= 16);
	assert(at.start <= addr && (addr < at.end || addr == UINT64_MAX));
	assert(at.kind != BW_LOC_UNKNOWN || *at.why);
	static const uint32_t regs[BW_LOC_STEPS_MAX] = {1, 0x80000000, 0xffffffff};
	uint64_t value;
	assert(at.kind == BW_LOC_COMPUTED || !bw_location_compute(&at, regs, &value));
	for (unsigned i = 0; i < at.n_pieces; i++)
		assert(at.piece[i].kind <= BW_LOC_CONSTANT && at.piece[i].kind != BW_LOC_UNKNOWN);
}

static inline void exercise_variables(struct bw_lines *lines, uint64_t addr)
{
	for (unsigned level = 0; level < 3; level++) {
		struct bw_variable *all = NULL;
		size_t n = 0;
		struct bw_error *err = bw_lines_variables(lines, addr, level, &all, &n);
		if (err) {
			assert(err->message && !all);
			bw_error_free(err);
			return;
		}
		for (size_t i = 0; i < n && i < 64; i++) {
			unsigned left = 64;
			assert(all[i].name && *all[i].name);
			exercise_type(all[i].type, 0, &left);
			exercise_location(lines, &all[i], addr);
		}
		free(all);
	}
}

static inline void exercise_types(struct bw_lines *lines)
{
	static const char *const names[] = {"int",	  "item_t", "struct node",
					    "all_t",	  "circle", "shapes::circle::box",
					    "enum color", "x"};
	for (int kind = 0; kind <= BW_LISTED_TYPES; kind++) {
		struct bw_listed *list = NULL;
		size_t n = 0;
		struct bw_error *err = bw_lines_listed(lines, kind, &list, &n);
		for (size_t i = 0; !err && i < n && i < 64; i++) {
			unsigned left = 64;
			assert(list[i].name && *list[i].name);
			assert(!list[i].params == (kind != BW_LISTED_FUNCTIONS));
			exercise_type(list[i].type, 0, &left);
		}
		bw_listed_free(list, n);
		bw_error_free(err);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		unsigned left = 256;
		const struct bw_ctype *t = bw_lines_type_named(lines, names[i]);
		if (t)
			exercise_type(t, 0, &left);
	}
}

static inline void exercise_ranges(struct bw_lines *lines, const char *file)
{
	struct bw_source_unit unit;
	size_t n;
	for (unsigned line = 1; line < 40; line += 7) {
		struct bw_line_range *list = NULL;
		struct bw_error *err = bw_lines_ranges(lines, file, line, &list, &n);
		assert(!err);
		for (size_t i = 0; i < n; i++)
			assert(list[i].line == line && list[i].start <= list[i].end);
		free(list);
	}
	if (bw_lines_unit_of(lines, file, &unit))
		assert(unit.language && (!unit.producer || strlen(unit.producer) < 1 << 20));
}

static inline void exercise_lines(struct bw_code_object *co, uint64_t image_b)
{
	const size_t size_limit = 1 << 20;
	struct bw_lines *lines = NULL;
	struct bw_error *err = bw_lines_open(co, &lines);
	if (err) {
		assert(err->message && !lines);
		bw_error_free(err);
		return;
	}
	const char *const *files;
	size_t n = bw_lines_files(lines, &files);
	for (uint64_t addr = 0; addr < image_b && addr < 0x4000; addr += 4) {
		struct bw_line at;
		if (!bw_lines_at(lines, addr, &at))
			continue;
		assert(at.line && at.file && at.start <= addr && addr < at.end &&
		       at.end <= image_b);
		struct bw_line_range r;
		assert(at.approximate || (bw_lines_range_at(lines, addr, &r) && r.start <= addr &&
					  addr < r.end && r.line == at.line));
		bw_lines_first_at(lines, addr, at.file);
	}
	for (size_t i = 0; i < n && i < 16; i++) {
		uint64_t found[4];
		unsigned line;
		for (unsigned want = 1; want < 40; want += 7) {
			size_t places = bw_lines_find(lines, files[i], want, found, 4, &line), kept;
			assert(places <= 4);
			bw_error_free(bw_lines_keep_first(lines, found, places, &kept));
			char name[64];
			const struct bw_ctype *type =
				places ? bw_lines_function_type(lines, found[0]) : NULL;
			if (type)
				bw_ctype_name(type, name, sizeof(name));
		}
		exercise_ranges(lines, files[i]);
	}
	bw_lines_after_prologue(lines, 0, image_b);
	for (uint64_t addr = 0; addr < image_b && addr < 0x4000; addr += 64) {
		struct bw_function f;
		struct bw_param p;
		struct bw_frame_info frame;
		bw_lines_language(lines, addr);
		bw_lines_function_type(lines, addr);
		for (unsigned i = 0; bw_lines_frame(lines, addr, i, &frame); i++)
			assert(i < 128 && (!frame.name || strlen(frame.name) < size_limit) &&
			       (!frame.call_file || strlen(frame.call_file) < size_limit));
		bw_lines_returns_to(lines, addr);
		if (bw_lines_function_at(lines, addr, &f)) {
			assert(bw_lines_function_covers(lines, f.index, addr));
			exercise_variables(lines, addr);
		}
		for (size_t i = 0; i < 3 && bw_lines_param(lines, addr, i, &p); i++)
			assert(strlen(p.name) < sizeof(p.name) &&
			       strlen(p.type_name) < sizeof(p.type_name));
	}
	exercise_types(lines);
	exercise_variables(lines, UINT64_MAX);
	bw_lines_close(lines);
}

/* true when it could be opened */
static inline bool exercise(const void *data, size_t size_b)
{
	struct bw_code_object *co = NULL;
	struct bw_error *err = bw_code_object_open(data, size_b, "damaged", &co);
	if (err) {
		assert(err->message && !co);
		bw_error_free(err);
		return false;
	}
	size_t image_b, n, sum = 0;
	const uint8_t *image = bw_code_object_image(co, &image_b);
	sum += image[0] + image[image_b - 1];
	const struct bw_kernel *k = bw_code_object_kernels(co, &n);
	for (size_t i = 0; i < n; i++) {
		assert(k[i].entry < image_b && k[i].end >= k[i].entry && k[i].end <= image_b);
		assert(k[i].descriptor + 64 <= image_b);
		sum += strlen(k[i].name);
		for (size_t a = 0; a < k[i].n_args; a++) {
			const struct bw_kernel_arg *arg = &k[i].args[a];
			sum += strlen(arg->name) + strlen(arg->type_name) + strlen(arg->value_kind);
			assert((uint64_t)arg->offset_b + arg->size_b <= k[i].kernarg_b);
		}
	}
	const struct bw_reloc *r = bw_code_object_relocs(co, &n);
	for (size_t i = 0; i < n; i++)
		assert(r[i].offset_b + 8 <= image_b);
	const struct bw_symbol *s = bw_code_object_symbols(co, &n);
	for (size_t i = 0; i < n; i++) {
		sum += strlen(s[i].name);
		assert(s[i].addr + s[i].size_b <= image_b);
		const struct bw_symbol *at = bw_code_object_symbol_at(co, s[i].addr);
		assert(!at || at->addr <= s[i].addr);
	}
	exercise_lines(co, image_b);
	bw_code_object_close(co);
	return sum != (size_t)-1;
}

#endif
