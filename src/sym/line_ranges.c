/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "sym/lines_priv.h"

/* The code of source lines as ranges of addresses, and what no row of code stands for. */

/* Rows that follow each other and have the line in common are one range. */
static bool continues(const struct row *r, const struct row *next)
{
	return next->sequence == r->sequence && next->line == r->line && next->file == r->file;
}

static struct bw_line_range range_of(const struct bw_lines *l, size_t first, size_t last)
{
	const struct row *r = &l->rows.data[first];
	return (struct bw_line_range){
		.file = l->files.data[r->file],
		.line = r->line,
		.start = r->start,
		.end = l->rows.data[last].end,
	};
}

struct ranges BW_VEC(struct bw_line_range);

/* Every range of a line; one without bytes where no row of it has any. */
static struct bw_error *add_ranges(const struct bw_lines *l, const bool *meant, unsigned line,
				   struct ranges *out)
{
	struct bw_line_range empty = {0};
	for (size_t i = 0, last; i < l->rows.len; i = last + 1) {
		last = i;
		if (l->rows.data[i].line != line || !meant[l->rows.data[i].file])
			continue;
		while (last + 1 < l->rows.len &&
		       continues(&l->rows.data[i], &l->rows.data[last + 1]))
			last++;
		struct bw_line_range r = range_of(l, i, last);
		if (r.start < r.end)
			BW_TRY(bw_vec_push(out, r));
		else if (!empty.file)
			empty = r;
	}
	return out->len || !empty.file ? NULL : bw_vec_push(out, empty);
}

struct bw_error *bw_lines_ranges(const struct bw_lines *l, const char *file, unsigned line,
				 struct bw_line_range **out, size_t *out_n)
{
	struct ranges found = {0};
	unsigned nearest;
	bool *meant = bw_lines_meant_files(l, file);
	if (!meant)
		return bw_error_nomem();
	nearest = bw_lines_nearest(l, meant, line);
	struct bw_error *err = nearest ? add_ranges(l, meant, nearest, &found) : NULL;
	free(meant);
	if (err) {
		bw_vec_free(&found);
		return err;
	}
	if (found.len && nearest != line) {
		found.len = 1;
		found.data[0].line = line;
		found.data[0].end = found.data[0].start;
	}
	*out = found.data;
	*out_n = found.len;
	return NULL;
}

bool bw_lines_range_at(const struct bw_lines *l, uint64_t addr, struct bw_line_range *out)
{
	size_t i = bw_lines_row_before(l, addr);
	if (i == l->rows.len || addr >= l->rows.data[i].end || !l->rows.data[i].line)
		return false;
	size_t first = i, last = i;
	while (first && continues(&l->rows.data[first - 1], &l->rows.data[first]))
		first--;
	while (last + 1 < l->rows.len && continues(&l->rows.data[last], &l->rows.data[last + 1]))
		last++;
	*out = range_of(l, first, last);
	return true;
}

unsigned bw_lines_first_at(const struct bw_lines *l, uint64_t addr, const char *file)
{
	size_t i = bw_lines_row_before(l, addr);
	if (i == l->rows.len || l->rows.data[i].start != addr)
		return 0;
	while (i && l->rows.data[i - 1].start == addr &&
	       l->rows.data[i - 1].sequence == l->rows.data[i].sequence)
		i--;
	for (; i < l->rows.len && l->rows.data[i].start == addr; i++)
		if (l->rows.data[i].line && !strcmp(l->files.data[l->rows.data[i].file], file))
			return l->rows.data[i].line;
	return 0;
}
