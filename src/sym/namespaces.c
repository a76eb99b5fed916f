/* SPDX-License-Identifier: MIT */
#include "sym/namespaces.h"

#include <dwarf.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/names.h"

enum { MAX_DEPTH = 64, MAX_PREFIX_B = 1024 };

struct bw_error *bw_namespaces_walk(const struct bw_namespaces *w)
{
	Dwarf_Die path[MAX_DEPTH];
	size_t prefix_b[MAX_DEPTH] = {0};
	unsigned depth = 0;
	_cleanup_(bw_str_free) struct bw_str prefix = {0};
	if (dwarf_child(w->unit, &path[0]))
		return NULL;
	while (*w->dies_left) {
		Dwarf_Die *die = &path[depth];
		--*w->dies_left;
		BW_TRY(w->entry(w->ctx, die, prefix.len ? prefix.data : ""));
		if (dwarf_tag(die) == DW_TAG_namespace && depth + 1 < MAX_DEPTH &&
		    !dwarf_child(die, &path[depth + 1])) {
			const char *name = bw_die_name(die);
			prefix_b[++depth] = prefix.len;
			if (prefix.len >= MAX_PREFIX_B)
				continue;
			if (name)
				bw_str_addf(&prefix, "%s::", name);
			else if (w->anonymous)
				bw_str_add(&prefix, w->anonymous);
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth])) {
			if (!depth)
				return NULL;
			prefix.len = prefix_b[depth--];
			if (prefix.data)
				prefix.data[prefix.len] = 0;
		}
	}
	return NULL;
}
