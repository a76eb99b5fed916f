/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_SYM_EXERCISE_H
#define BW_TESTS_SYM_EXERCISE_H

/* Opens bytes as a code object and asks it everything there is to ask: for tests with damaged input
 * and for the fuzz target. What it checks is what callers rely on whatever the input. */

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "sym/code_object.h"
#include "sym/lines.h"

static inline void exercise_lines(struct bw_code_object *co, uint64_t image_b)
{
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
	}
	for (size_t i = 0; i < n && i < 16; i++) {
		uint64_t found[4];
		unsigned line;
		for (unsigned want = 1; want < 40; want += 7)
			assert(bw_lines_find(lines, files[i], want, found, 4, &line) <= 4);
	}
	bw_lines_after_prologue(lines, 0, image_b);
	for (uint64_t addr = 0; addr < image_b && addr < 0x4000; addr += 64) {
		struct bw_function f;
		struct bw_param p;
		bw_lines_language(lines, addr);
		if (bw_lines_function_at(lines, addr, &f))
			assert(bw_lines_function_covers(lines, f.index, addr));
		for (size_t i = 0; i < 3 && bw_lines_param(lines, addr, i, &p); i++)
			assert(strlen(p.name) < sizeof(p.name) &&
			       strlen(p.type_name) < sizeof(p.type_name));
	}
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
