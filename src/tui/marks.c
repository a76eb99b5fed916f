/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdlib.h>
#include <string.h>

#include "debug/breaks.h"

/* The places of stopped waves and breakpoints. */

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct bw_tui_mark *)a)->at, y = ((const struct bw_tui_mark *)b)->at;
	return x < y ? -1 : x > y;
}

/* Sorts, and makes one of those at the same place. */
static void join(struct bw_tui_marks *m)
{
	size_t n = 0;
	if (m->len)
		qsort(m->data, m->len, sizeof(*m->data), compare);
	for (size_t i = 0; i < m->len; i++) {
		const struct bw_tui_mark *x = &m->data[i];
		if (!n || m->data[n - 1].at != x->at) {
			m->data[n++] = *x;
			continue;
		}
		struct bw_tui_mark *to = &m->data[n - 1];
		to->n_waves += x->n_waves;
		to->has_break |= x->has_break;
		to->is_enabled |= x->is_enabled;
		to->was_hit |= x->was_hit;
	}
	m->len = n;
}

struct bw_tui_mark bw_tui_mark_at(const struct bw_tui_marks *m, uint64_t at)
{
	const struct bw_tui_mark key = {.at = at};
	const struct bw_tui_mark *found =
		m->len ? bsearch(&key, m->data, m->len, sizeof(key), compare) : NULL;
	return found ? *found : key;
}

static struct bw_tui_mark mark_of_break(const struct bw_break_info *b, uint64_t at)
{
	return (struct bw_tui_mark){
		.at = at, .has_break = true, .is_enabled = b->enabled, .was_hit = b->hits > 0};
}

/* ---- By address ---- */

/* Waves by their PC, in one address space. */
static struct bw_error *waves_by_pc(struct bw_debug *d, uint32_t space, struct bw_tui_marks *out)
{
	size_t n;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	for (size_t i = 0; i < n; i++) {
		struct bw_tui_mark m = {.at = waves[i].pc, .n_waves = 1};
		if (waves[i].space == space)
			BW_TRY(bw_vec_push(out, m));
	}
	join(out);
	return NULL;
}

struct bw_error *bw_tui_marks_of_code(struct bw_debug *d, struct bw_tui_marks *out)
{
	size_t n;
	const struct bw_break_info *breaks = bw_debug_breakpoints(d, &n);
	const struct bw_wave_info *focus = bw_debug_focus(d);
	if (focus)
		BW_TRY(waves_by_pc(d, focus->space, out));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; breaks[i].kind == BW_BREAK_CODE && k < breaks[i].n_addr; k++)
			BW_TRY(bw_vec_push(out, mark_of_break(&breaks[i], breaks[i].addr[k])));
	join(out);
	return NULL;
}

/* ---- By line ---- */

static bool is_line_of(const struct bw_where *where, const char *file)
{
	return where->has_line && where->line.line && !strcmp(where->line.file, file);
}

/* Each address is looked up once, however many waves are there. */
static struct bw_error *waves_by_line(struct bw_debug *d, const char *file, uint32_t space,
				      uint32_t dispatch, struct bw_tui_marks *out)
{
	struct bw_tui_marks by_pc = {0};
	struct bw_error *err = waves_by_pc(d, space, &by_pc);
	for (size_t i = 0; !err && i < by_pc.len; i++) {
		struct bw_where where;
		bw_debug_where_in(d, dispatch, by_pc.data[i].at, &where);
		struct bw_tui_mark m = {.at = where.line.line, .n_waves = by_pc.data[i].n_waves};
		if (is_line_of(&where, file))
			err = bw_vec_push(out, m);
	}
	bw_vec_free(&by_pc);
	return err;
}

static struct bw_error *all_waves_by_line(struct bw_debug *d, const char *file,
					  struct bw_tui_marks *out)
{
	struct BW_VEC(uint32_t) seen = {0};
	struct bw_error *err = NULL;
	size_t n;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	for (size_t i = 0; !err && i < n; i++) {
		bool is_new = true;
		bw_vec_each(&seen, space)
			is_new &= *space != waves[i].space;
		if (!is_new)
			continue;
		err = bw_vec_push(&seen, waves[i].space);
		if (!err)
			err = waves_by_line(d, file, waves[i].space, waves[i].dispatch, out);
	}
	bw_vec_free(&seen);
	return err;
}

/* Adds a breakpoint's mark; if it is not in memory yet, at the place where it was set. */
static struct bw_error *break_by_line(struct bw_debug *d, const char *file,
				      const struct bw_break_info *b, struct bw_tui_marks *out)
{
	for (size_t k = 0; k < b->n_addr; k++) {
		struct bw_where where;
		bw_debug_where(d, b->addr[k], &where);
		if (is_line_of(&where, file))
			BW_TRY(bw_vec_push(out, mark_of_break(b, where.line.line)));
	}
	if (b->n_addr || b->spec[0] == '*' || bw_starts_with(b->spec, "on dispatch"))
		return NULL;
	char *of = NULL;
	unsigned line;
	struct bw_error *err = bw_debug_source_of(d, b->spec, &of, &line);
	if (err) {
		bw_error_free(err);
		return NULL;
	}
	if (!strcmp(of, file))
		err = bw_vec_push(out, mark_of_break(b, line));
	free(of);
	return err;
}

struct bw_error *bw_tui_marks_of_lines(struct bw_debug *d, const char *file,
				       struct bw_tui_marks *out)
{
	size_t n;
	const struct bw_break_info *breaks = bw_debug_breakpoints(d, &n);
	BW_TRY(all_waves_by_line(d, file, out));
	for (size_t i = 0; i < n; i++)
		if (breaks[i].kind == BW_BREAK_CODE)
			BW_TRY(break_by_line(d, file, &breaks[i], out));
	join(out);
	return NULL;
}

/* ---- The margin ---- */

void bw_tui_add_margin(struct bw_tui_line *l, const struct bw_tui_mark *m, bool is_current)
{
	bw_tui_add(l, BW_TUI_RED | BW_TUI_BOLD, !m->has_break ? " " : m->was_hit ? "B" : "b");
	bw_tui_add(l, BW_TUI_RED | BW_TUI_BOLD, !m->has_break ? " " : m->is_enabled ? "+" : "-");
	bw_tui_add(l, BW_TUI_BOLD, is_current ? ">" : " ");
	if (m->n_waves)
		bw_tui_addf(l, BW_TUI_GREEN, "%5uw", m->n_waves);
	bw_tui_pad(l, BW_TUI_PLAIN, BW_TUI_MARGIN);
}
