/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "debug/draws.h"
#include "ui/show.h"

/* The table of "info draws", the draw of the focus wave highlighted. */

void bw_tui_draws_load(struct bw_debug *d, struct bw_tui_draws *out)
{
	const struct bw_wave_info *focus = bw_debug_target(d) ? bw_debug_focus(d) : NULL;
	struct bw_table t;
	*out = (struct bw_tui_draws){.current = SIZE_MAX};
	struct bw_error *err = bw_table_draws(&t, d);
	if (err) {
		bw_error_free(err);
		return;
	}
	out->n = bw_table_rows(&t);
	for (size_t i = 0; focus && focus->draw && i < out->n; i++)
		if (strtoul(t.cells.data[i * t.n_columns].text, NULL, 10) == focus->draw)
			out->current = i;
	if (out->n)
		bw_table_render(&t, &out->text);
	bw_table_fini(&t);
}

void bw_tui_draws_fini(struct bw_tui_draws *s)
{
	bw_str_free(&s->text);
	*s = (struct bw_tui_draws){.current = SIZE_MAX};
}

static void add_line(const char *text, size_t len, unsigned style, struct bw_tui_page *p)
{
	char *copy = strndup(text, len);
	struct bw_tui_line *l = copy ? bw_tui_page_add(p) : NULL;
	if (l)
		bw_tui_add(l, style, copy);
	free(copy);
}

void bw_tui_draws_page(const struct bw_tui_draws *s, struct bw_tui_page *p)
{
	bw_tui_page_clear(p);
	if (!s->n) {
		bw_tui_page_say(p, "[ Nothing Has Been Drawn ]");
		return;
	}
	const char *line = bw_str_text(&s->text), *end = strchr(line, '\n');
	bw_str_addf(&p->title, "%zu so far", s->n);
	if (end)
		add_line(line, (size_t)(end - line), BW_TUI_BOLD, p);
	p->rows -= BW_MIN(p->rows - 1, (unsigned)BW_TUI_DRAWS_HEAD);
	bw_tui_page_begin(p, s->n);
	for (size_t i = 0; end && i < s->n && i < p->top + p->rows; i++) {
		line = end + 1;
		end = strchr(line, '\n');
		if (i >= p->top)
			add_line(line, end ? (size_t)(end - line) : strlen(line),
				 i == s->current ? BW_TUI_CYAN | BW_TUI_BOLD : BW_TUI_PLAIN, p);
	}
}
