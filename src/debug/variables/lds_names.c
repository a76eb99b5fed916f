// SPDX-License-Identifier: MIT
/* The variable of the source that lies at a place of a workgroup's LDS. */
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/variables/variables_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"

enum { LEVELS_MAX = 16 };

/* "[3][1]" of nested arrays, and what is left: " + 0x4". */
static void add_element(struct bw_str *s, const struct bw_ctype *type, uint64_t offset_b)
{
	for (const struct bw_ctype *t = bw_ctype_strip(type); t->kind == BW_CTYPE_ARRAY;
	     t = bw_ctype_strip(t->elem)) {
		uint64_t stride = bw_ctype_stride(t);
		if (!stride)
			break;
		bw_str_addf(s, "[%" PRIu64 "]", offset_b / stride);
		offset_b %= stride;
	}
	if (offset_b)
		bw_str_addf(s, " + 0x%" PRIx64, offset_b);
}

/* A variable of a level that covers the place. */
static bool find_in_level(const struct bw_code_executed *c, unsigned level, uint64_t offset_b,
			  struct bw_str *out)
{
	_cleanup_free_ struct bw_variable *all = NULL;
	size_t n = 0;
	struct bw_error *err = bw_lines_variables(c->module->lines, c->addr, level, &all, &n);
	bw_error_free(err);
	for (size_t i = 0; !err && i < n; i++) {
		struct bw_location at;
		const struct bw_ctype *type = bw_ctype_strip(all[i].type);
		bw_variable_location(c->module->lines, &all[i], c->addr, c->kernel, &at);
		if (at.n_pieces || at.kind != BW_LOC_LDS || at.offset < 0 ||
		    offset_b < (uint64_t)at.offset ||
		    offset_b - (uint64_t)at.offset >= type->size_b)
			continue;
		bw_str_add(out, all[i].name);
		add_element(out, type, offset_b - (uint64_t)at.offset);
		return true;
	}
	return false;
}

bool bw_debug_lds_executed(struct bw_debug *d, const struct bw_executed *x, uint64_t offset_b,
			   struct bw_str *out)
{
	struct bw_code_executed c;
	if (!bw_code_executed(d, x, &c) || !c.module->lines)
		return false;
	for (unsigned level = 0; level < LEVELS_MAX; level++)
		if (find_in_level(&c, level, offset_b, out))
			return true;
	return false;
}
