// SPDX-License-Identifier: MIT
/* Inlined functions that begin where a breakpoint has stopped a wave. */
#include "debug/breakpoints/entered.h"

#include "base/cleanup.h"
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "sym/demangle.h"
#include "sym/frames.h"

#include <stdlib.h>

/* Whether the place is in the i-th function around addr: by its name, or by a line that is the
 * function's there. */
static bool is_in_function(const struct bw_lines *lines, const struct bw_where_spec *s,
			   uint64_t addr, unsigned i)
{
	struct bw_frame_info f, inside;
	struct bw_line line;
	if (s->kind == BW_WHERE_ADDRESS)
		return true;
	if (!bw_lines_frame(lines, addr, i, &f))
		return false;
	if (s->kind == BW_WHERE_SYMBOL) {
		_cleanup_free_ char *full = f.linkage_name ? bw_demangle(f.linkage_name) : NULL;
		return (f.name && bw_name_is(f.name, s->name)) ||
		       (full && bw_name_is(full, s->name));
	}
	if (i)
		return bw_lines_frame(lines, addr, i - 1, &inside) && inside.call_line == s->line;
	return bw_lines_at(lines, addr, &line) && line.line == s->line;
}

unsigned bw_where_not_entered(const struct bw_lines *lines, const struct bw_where_spec *s,
			      uint64_t addr)
{
	unsigned n = lines ? bw_code_beginning_in(lines, addr) : 0;
	for (unsigned i = 0; s && i < n; i++)
		if (is_in_function(lines, s, addr, i))
			return i;
	return n;
}

void bw_debug_break_where(struct bw_debug *d, uint32_t number, uint64_t addr, struct bw_where *out,
			  const char **out_function)
{
	struct bw_frame_info f, inside;
	const struct bw_break *b = bw_debug_break_priv(d, number);
	const unsigned n = b ? bw_break_not_entered(d, b, addr) : 0;
	bw_debug_where(d, addr, out);
	*out_function = bw_code_function(d, addr, n, &f) ? f.name : NULL;
	if (!n || !bw_code_function(d, addr, n - 1, &inside) || !inside.call_file)
		return;
	out->has_line = true;
	out->line.file = inside.call_file;
	out->line.line = inside.call_line;
	out->line.column = inside.call_column;
}

unsigned bw_break_not_entered(struct bw_debug *d, const struct bw_break *b, uint64_t pc)
{
	const struct bw_load *l = bw_debug_load_at(d, pc);
	return l ? bw_where_not_entered(l->module->lines, b->filter ? NULL : &b->where,
					pc - l->base)
		 : 0;
}
