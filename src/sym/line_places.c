// SPDX-License-Identifier: MIT
/* Chooses the places to stop at in a line that has code in several places (linespec.c of gdb,
 * create_sals_line_offset). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/lines_priv.h"

struct place {
	uint64_t block; /* 0: in none */
	bool keeps_copies, is_for;
	uint32_t site;
};

bool bw_lines_is_for(struct bw_lines *l, const char *file, unsigned line)
{
	const char *text = bw_lines_text(l, file, line);
	text = text ? bw_skip_blanks(text) : "";
	return !strncmp(text, "for", 3) && !isalnum((unsigned char)text[3]) && text[3] != '_';
}

static bool is_for(struct bw_lines *l, uint64_t addr)
{
	struct bw_line line;
	return bw_lines_at(l, addr, &line) && bw_lines_is_for(l, line.file, line.line);
}

/* A value that distinguishes the beginning of a "for" from its rounds, and is equal in all
 * copies. */
static uint32_t site_at(const struct bw_lines *l, uint64_t addr)
{
	size_t i = bw_lines_row_before(l, addr);
	if (i == l->rows.len)
		return 0;
	return l->rows.data[i].mark ? l->rows.data[i].mark : l->rows.data[i].column;
}

/* Whether b, of the block of a, is one more round or part of it. The rounds of an optimized "for"
 * have other columns, or marks, than its beginning; copies of the loop have that, too. */
static bool is_dropped(const struct place *a, const struct place *b)
{
	if (!a->block || a->block != b->block)
		return false;
	return !a->keeps_copies || (a->is_for && a->site != b->site);
}

struct bw_error *bw_lines_keep_first(struct bw_lines *l, uint64_t *addr, size_t n, size_t *out_n)
{
	_cleanup_free_ struct place *place = calloc(n ? n : 1, sizeof(*place));
	size_t kept = 0;
	if (!place)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		struct place p = {.site = site_at(l, addr[i]), .is_for = is_for(l, addr[i])};
		BW_TRY(bw_lines_block_at(l, addr[i], &p.block));
		p.keeps_copies = !l->dwarf || bw_lines_is_optimized(l, addr[i]);
		bool dropped = false;
		for (size_t k = 0; !dropped && k < kept; k++)
			dropped = is_dropped(&place[k], &p);
		if (dropped)
			continue;
		place[kept] = p;
		addr[kept++] = addr[i];
	}
	*out_n = kept;
	return NULL;
}
