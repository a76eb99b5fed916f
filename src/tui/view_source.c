/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "debug/dispatches.h"
#include "debug/frames.h"
#include "debug/source.h"

static const char *text_of_session(void *cookie, const char *file, unsigned line)
{
	return bw_debug_source_line(cookie, file, line);
}

/* The place of the selected frame, or else the start of the kernel that will run. */
static bool find_place(struct bw_debug *d, struct bw_tui_source *out)
{
	struct bw_stack_frame f;
	struct bw_error *err = bw_debug_focus(d) ? bw_debug_selected_frame(d, &f)
						 : bw_errorf(BW_E_STATE, "there is no frame");
	if (!err && f.has_line && f.file) {
		out->file = strdup(f.file);
		out->line = out->near = f.line;
		return true;
	}
	bool has_frame = !err;
	bw_error_free(err);
	if (has_frame) /* code without source: no other one is shown instead of it */
		return false;
	/* of the kernel that will run: any line finds its file */
	const struct bw_dispatch_info *held = bw_debug_held(d);
	err = bw_debug_source_of(d, held && held->kernel ? held->kernel_name : "1", &out->file,
				 &out->near);
	bool found = !err;
	bw_error_free(err);
	return found;
}

void bw_tui_source_load(struct bw_debug *d, struct bw_tui_source *out)
{
	struct bw_source_info info;
	*out = (struct bw_tui_source){.text = text_of_session, .cookie = d};
	if (!find_place(d, out) || !out->file)
		return;
	if (bw_debug_source_info(d, out->file, &info) && info.file.path)
		out->n_lines = info.file.n_lines;
	bw_error_free(bw_tui_marks_of_lines(d, out->file, &out->marks));
}

void bw_tui_source_fini(struct bw_tui_source *s)
{
	free(s->file);
	bw_vec_free(&s->marks);
	*s = (struct bw_tui_source){0};
}

static void add_line(const struct bw_tui_source *s, unsigned number, unsigned digits,
		     struct bw_tui_page *p)
{
	bool is_current = number == s->line;
	struct bw_tui_mark mark = bw_tui_mark_at(&s->marks, number);
	const char *text = s->text(s->cookie, s->file, number);
	struct bw_tui_line *l = bw_tui_page_add(p);
	if (!l)
		return;
	bw_tui_add_margin(l, &mark, is_current);
	bw_tui_addf(l, is_current ? BW_TUI_BOLD : BW_TUI_DIM, "%*u  ", (int)digits, number);
	bw_tui_add_painted(l, BW_PAINT_SOURCE, text ? text : "");
	if (is_current)
		bw_tui_restyle(l, BW_TUI_REVERSE);
}

void bw_tui_source_page(const struct bw_tui_source *s, struct bw_tui_page *p)
{
	bw_tui_page_clear(p);
	if (!s->file || !s->n_lines) {
		if (s->file)
			bw_str_add_printable(&p->title, s->file, "");
		bw_tui_page_say(p, "[ No Source Available ]");
		return;
	}
	struct bw_str digits = {0};
	bw_str_add_printable(&p->title, bw_base_name(s->file), "");
	bw_str_addf(&digits, "%zu", s->n_lines);
	bw_tui_page_begin(p, s->n_lines);
	p->margin = BW_TUI_MARGIN + (unsigned)digits.len + 2;
	for (size_t i = p->top; i < s->n_lines && i < p->top + p->rows; i++)
		add_line(s, (unsigned)i + 1, (unsigned)digits.len, p);
	bw_str_free(&digits);
}
