/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_NAMESPACES_H
#define BW_SYM_NAMESPACES_H

/* Entries of a unit that are in no function: those of the file, and of namespaces. */

#include <elfutils/libdw.h>
#include <stddef.h>

#include "base/error.h"

struct bw_namespaces {
	Dwarf_Die *unit;
	size_t *dies_left; /* how many entries may be looked at: damaged ones may have no end */
	/* the prefix of names in a namespace without a name, "(anonymous namespace)::"; NULL:
	 * nothing */
	const char *anonymous;
	/* prefix: "outer::inner::", "" in the file */
	struct bw_error *(*entry)(void *ctx, Dwarf_Die *die, const char *prefix);
	void *ctx;
};

/* Calls entry for each, in the order of the information; namespaces are entries, too. Fewer where
 * the information is damaged. */
struct bw_error *bw_namespaces_walk(const struct bw_namespaces *w) BW_MUST_CHECK;

#endif
