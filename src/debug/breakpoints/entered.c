// SPDX-License-Identifier: MIT
/* Inlined functions that begin where a breakpoint has stopped a wave. */
#include "base/cleanup.h"
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "sym/demangle.h"
#include "sym/frames.h"

#include <stdlib.h>

/* Whether the place is in the i-th function around pc: by its name, or by a line that is the
 * function's at pc. */
static bool is_in_function(struct bw_debug *d, const struct bw_where_spec *s, uint64_t pc,
			   unsigned i)
{
	struct bw_frame_info f, inside;
	struct bw_where where;
	if (s->kind == BW_WHERE_ADDRESS)
		return true;
	if (!bw_code_function(d, pc, i, &f))
		return false;
	if (s->kind == BW_WHERE_SYMBOL) {
		_cleanup_free_ char *full = f.linkage_name ? bw_demangle(f.linkage_name) : NULL;
		return (f.name && bw_name_is(f.name, s->name)) ||
		       (full && bw_name_is(full, s->name));
	}
	if (i)
		return bw_code_function(d, pc, i - 1, &inside) && inside.call_line == s->line;
	bw_debug_where(d, pc, &where);
	return where.has_line && where.line.line == s->line;
}

unsigned bw_where_not_entered(struct bw_debug *d, const struct bw_where_spec *s, uint64_t pc)
{
	unsigned n = bw_code_beginning(d, pc);
	for (unsigned i = 0; s && i < n; i++)
		if (is_in_function(d, s, pc, i))
			return i;
	return n;
}
