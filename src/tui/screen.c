/* SPDX-License-Identifier: MIT */
#include "tui/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void bw_tui_screen_init(struct bw_tui_screen *s)
{
	*s = (struct bw_tui_screen){.code = BW_TUI_SRC, .focus = BW_TUI_SRC};
	bw_tui_screen_follow_all(s);
}

void bw_tui_screen_fini(struct bw_tui_screen *s)
{
	bw_tui_source_fini(&s->source);
	bw_tui_code_fini(&s->assembly);
	bw_tui_registers_fini(&s->registers);
	bw_tui_registers_fini(&s->registers_before);
	bw_tui_lanes_fini(&s->lanes);
	bw_tui_map_fini(&s->map);
	bw_tui_draws_fini(&s->draws);
	bw_tui_memory_fini(&s->memory);
	bw_tui_memory_fini(&s->memory_before);
	free(s->memory_expr);
}

/* ---- Windows ---- */

static bool is_seen(const struct bw_tui_screen *s, enum bw_tui_window w)
{
	return bw_tui_box_of(&s->boxes, w) != NULL;
}

static void arrange(struct bw_tui_screen *s)
{
	bool was_seen[BW_TUI_WINDOWS];
	for (unsigned i = 0; i < BW_TUI_WINDOWS; i++)
		was_seen[i] = is_seen(s, (enum bw_tui_window)i);
	unsigned rows =
		s->columns < BW_TUI_MIN_COLUMNS ? BW_MIN(s->rows, BW_TUI_MIN_ROWS - 1u) : s->rows;
	bw_tui_arrange(s->layout, s->code, &s->shares[s->layout], rows, &s->boxes);
	for (unsigned i = 0; i < BW_TUI_WINDOWS; i++)
		if (!was_seen[i] || i == BW_TUI_SRC || i == BW_TUI_ASM)
			s->panes[i].follows = true;
	/* the focus is on a window that is there */
	if (s->boxes.n > 1 && !is_seen(s, s->focus))
		s->focus = s->boxes.box[0].window;
}

void bw_tui_screen_set_size(struct bw_tui_screen *s, unsigned rows, unsigned columns)
{
	s->rows = rows;
	s->columns = columns;
	arrange(s);
}

void bw_tui_screen_set_layout(struct bw_tui_screen *s, enum bw_tui_layout l)
{
	s->layout = l;
	if (l == BW_TUI_LAYOUT_SRC || l == BW_TUI_LAYOUT_ASM)
		s->code = l == BW_TUI_LAYOUT_SRC ? BW_TUI_SRC : BW_TUI_ASM;
	arrange(s);
}

bool bw_tui_screen_set_height(struct bw_tui_screen *s, enum bw_tui_window w, unsigned rows)
{
	const struct bw_tui_box *box = bw_tui_box_of(&s->boxes, w);
	if (!box)
		return false;
	if (s->boxes.n > 1)
		bw_tui_set_rows(&s->boxes, (unsigned)(box - s->boxes.box), rows,
				&s->shares[s->layout]);
	arrange(s);
	return true;
}

bool bw_tui_screen_set_focus(struct bw_tui_screen *s, enum bw_tui_window w)
{
	if (!is_seen(s, w))
		return false;
	s->focus = w;
	return true;
}

void bw_tui_screen_follow_all(struct bw_tui_screen *s)
{
	for (unsigned i = 0; i < BW_TUI_WINDOWS; i++)
		s->panes[i].follows = true;
}

enum bw_tui_window bw_tui_screen_next(const struct bw_tui_screen *s, int step)
{
	unsigned at = 0, n = s->boxes.n;
	for (unsigned i = 0; i < n; i++)
		if (s->boxes.box[i].window == s->focus)
			at = i;
	return s->boxes.box[(at + n + (unsigned)step) % n].window;
}

unsigned bw_tui_screen_command_y(const struct bw_tui_screen *s)
{
	return s->boxes.box[s->boxes.n - 1].y;
}

/* ---- What is in them ---- */

void bw_tui_screen_stopped(struct bw_tui_screen *s)
{
	s->has_stopped = true;
}

static void load_source(struct bw_tui_screen *s, struct bw_debug *d)
{
	struct bw_tui_source before = s->source;
	bw_tui_source_load(d, &s->source);
	bool is_same = before.file && s->source.file && !strcmp(before.file, s->source.file) &&
		       before.near == s->source.near;
	s->panes[BW_TUI_SRC].follows |= !is_same;
	if (!is_same)
		s->panes[BW_TUI_SRC].left = 0;
	bw_tui_source_fini(&before);
}

static void load_assembly(struct bw_tui_screen *s, struct bw_debug *d)
{
	uint64_t start = s->assembly.start;
	size_t current = s->assembly.current;
	bw_tui_code_load(d, &s->assembly);
	s->panes[BW_TUI_ASM].follows |=
		start != s->assembly.start || current != s->assembly.current;
}

static void load_registers(struct bw_tui_screen *s, struct bw_debug *d)
{
	if (s->has_stopped) {
		bw_tui_registers_fini(&s->registers_before);
		s->registers_before = s->registers;
		s->registers = (struct bw_tui_registers){0};
	}
	bw_tui_registers_fini(&s->registers);
	if (is_seen(s, BW_TUI_REGS))
		bw_tui_registers_load(d, &s->registers_before, &s->registers);
}

static void load_memory(struct bw_tui_screen *s, struct bw_debug *d)
{
	if (s->has_stopped) {
		bw_tui_memory_fini(&s->memory_before);
		s->memory_before = s->memory;
		s->memory.expr = NULL;
	}
	bw_tui_memory_fini(&s->memory);
	if (is_seen(s, BW_TUI_MEM))
		bw_tui_memory_load(d, s->memory_expr, &s->memory_format, &s->memory_before,
				   &s->memory);
}

struct bw_error *bw_tui_screen_follow(struct bw_tui_screen *s, const char *expr,
				      const struct bw_print_format *format)
{
	char *copy = strdup(expr);
	if (!copy)
		return bw_error_nomem();
	free(s->memory_expr);
	s->memory_expr = copy;
	s->memory_format = *format;
	s->panes[BW_TUI_MEM].top = 0;
	return NULL;
}

static void load_map(struct bw_tui_screen *s, struct bw_debug *d)
{
	uint32_t focus = s->map.focus;
	bw_tui_map_fini(&s->map);
	if (!is_seen(s, BW_TUI_WAVES))
		return;
	bw_tui_map_load(d, &s->map);
	s->panes[BW_TUI_WAVES].follows |= focus != s->map.focus;
}

static void load_draws(struct bw_tui_screen *s, struct bw_debug *d)
{
	size_t current = s->draws.current;
	bw_tui_draws_fini(&s->draws);
	if (!is_seen(s, BW_TUI_DRAWS))
		return;
	bw_tui_draws_load(d, &s->draws);
	s->panes[BW_TUI_DRAWS].follows |= current != s->draws.current;
}

void bw_tui_screen_resumed(struct bw_tui_screen *s, struct bw_debug *d)
{
	s->is_running = true;
	bw_tui_map_resumed(d, &s->map);
}

void bw_tui_screen_load(struct bw_tui_screen *s, struct bw_debug *d)
{
	if (is_seen(s, BW_TUI_SRC))
		load_source(s, d);
	if (is_seen(s, BW_TUI_ASM))
		load_assembly(s, d);
	load_registers(s, d);
	bw_tui_lanes_fini(&s->lanes);
	if (is_seen(s, BW_TUI_LANES))
		bw_tui_lanes_load(d, &s->lanes);
	load_map(s, d);
	load_draws(s, d);
	load_memory(s, d);
	s->is_running = s->has_stopped = false;
}

/* ---- Keys ---- */

static void scroll(struct bw_tui_pane *p, int lines)
{
	if (lines < 0 && p->top < (size_t)-lines)
		p->top = 0;
	else
		p->top += (size_t)lines; /* corrected when it is drawn */
	p->follows = false;
}

static void scroll_sideways(struct bw_tui_pane *p, int columns)
{
	enum { MOST = 10000 };
	int left = (int)p->left + columns;
	p->left = left < 0 ? 0 : (unsigned)BW_MIN(left, (int)MOST);
}

static bool use_mouse(struct bw_tui_screen *s, const struct bw_tui_event *e)
{
	enum { WHEEL_LINES = 3 };
	enum bw_tui_window w = bw_tui_window_at(&s->boxes, e->y);
	if (w == BW_TUI_WINDOWS || e->key == BW_TUI_KEY_MOUSE)
		return true;
	if (e->key == BW_TUI_KEY_CLICK)
		s->focus = w;
	else if (w != BW_TUI_CMD)
		scroll(&s->panes[w], e->key == BW_TUI_KEY_WHEEL_UP ? -WHEEL_LINES : WHEEL_LINES);
	return true;
}

bool bw_tui_screen_key(struct bw_tui_screen *s, const struct bw_tui_event *e)
{
	const struct bw_tui_box *box = bw_tui_box_of(&s->boxes, s->focus);
	if (e->key >= BW_TUI_KEY_CLICK)
		return use_mouse(s, e);
	if (s->focus == BW_TUI_CMD || !box)
		return false;
	struct bw_tui_pane *pane = &s->panes[s->focus];
	int page = (int)box->rows - 2;
	switch (e->key) {
	case BW_TUI_KEY_UP:
	case BW_TUI_KEY_DOWN:
		scroll(pane, e->key == BW_TUI_KEY_UP ? -1 : 1);
		return true;
	case BW_TUI_KEY_PAGE_UP:
	case BW_TUI_KEY_PAGE_DOWN:
		scroll(pane, e->key == BW_TUI_KEY_PAGE_UP ? -page : page);
		return true;
	case BW_TUI_KEY_LEFT:
	case BW_TUI_KEY_RIGHT:
		scroll_sideways(pane, e->key == BW_TUI_KEY_LEFT ? -1 : 1);
		return true;
	case BW_TUI_KEY_NONE:
	case BW_TUI_KEY_TOGGLE:
	case BW_TUI_KEY_OTHER:
	case BW_TUI_KEY_ONE_WINDOW:
	case BW_TUI_KEY_TWO_WINDOWS:
	case BW_TUI_KEY_REDRAW:
	case BW_TUI_KEY_CLICK:
	case BW_TUI_KEY_WHEEL_UP:
	case BW_TUI_KEY_WHEEL_DOWN:
	case BW_TUI_KEY_MOUSE:
		break;
	}
	return false;
}

/* ---- Rows ---- */

static void page_of(const struct bw_tui_screen *s, enum bw_tui_window w, struct bw_tui_page *p)
{
	switch (w) {
	case BW_TUI_SRC:
		bw_tui_source_page(&s->source, p);
		return;
	case BW_TUI_ASM:
		bw_tui_code_page(&s->assembly, p);
		return;
	case BW_TUI_REGS:
		bw_tui_registers_page(&s->registers, p);
		return;
	case BW_TUI_LANES:
		bw_tui_lanes_page(&s->lanes, p);
		return;
	case BW_TUI_WAVES:
		bw_tui_map_page(&s->map, p);
		return;
	case BW_TUI_MEM:
		bw_tui_memory_page(&s->memory, p);
		return;
	case BW_TUI_DRAWS:
		bw_tui_draws_page(&s->draws, p);
		return;
	case BW_TUI_CMD:
	case BW_TUI_WINDOWS:
		return;
	}
}

/* The line that the window's selected frame or wave is in; SIZE_MAX: none. */
static size_t line_to_follow(const struct bw_tui_screen *s, enum bw_tui_window w)
{
	if (w == BW_TUI_SRC)
		return s->source.near ? s->source.near - 1 : SIZE_MAX;
	if (w == BW_TUI_WAVES)
		return bw_tui_map_line(&s->map, s->columns);
	if (w == BW_TUI_DRAWS)
		return s->draws.current;
	return w == BW_TUI_ASM ? s->assembly.current : SIZE_MAX;
}

/* "── saxpy.s ───────────── 12-20 of 40 ──", bold where the focus is. */
static void add_title(const struct bw_tui_screen *s, enum bw_tui_window w,
		      const struct bw_tui_page *p, struct bw_tui_line *out)
{
	const char *rule = s->has_utf8 ? "\u2500" : "-";
	unsigned style = w == s->focus ? BW_TUI_CYAN | BW_TUI_BOLD : BW_TUI_DIM;
	struct bw_tui_line whole = {0}, right = {0};
	if (p->n_lines > p->rows)
		bw_tui_addf(&right, style, " %zu-%zu of %zu ", p->top + 1,
			    BW_MIN(p->top + p->rows, p->n_lines), p->n_lines);
	for (unsigned i = 0; i < 2; i++)
		bw_tui_add(&whole, style, rule);
	bw_tui_addf(&whole, style, " %s%s%s ", bw_tui_window_name(w), p->title.len ? ": " : "",
		    bw_str_text(&p->title));
	unsigned want = s->columns - BW_MIN(s->columns, bw_tui_width(&right) + 2);
	while (bw_tui_width(&whole) < want)
		bw_tui_add(&whole, style, rule);
	bw_tui_add(&whole, style, bw_str_text(&right.text));
	while (bw_tui_width(&whole) < s->columns)
		bw_tui_add(&whole, style, rule);
	bw_tui_cut(&whole, 0, 0, s->columns, out);
	bw_tui_line_fini(&whole);
	bw_tui_line_fini(&right);
}

static void compose_window(struct bw_tui_screen *s, const struct bw_tui_box *box,
			   struct bw_tui_line *rows)
{
	struct bw_tui_pane *pane = &s->panes[box->window];
	struct bw_tui_page page = {
		.rows = box->rows - 1, .columns = s->columns, .top = pane->top, .left = pane->left};
	size_t line = line_to_follow(s, box->window);
	if (pane->follows && line != SIZE_MAX) {
		const unsigned head = box->window == BW_TUI_WAVES   ? BW_TUI_MAP_HEAD
				      : box->window == BW_TUI_DRAWS ? BW_TUI_DRAWS_HEAD
								    : 0;
		page.rows -= BW_MIN(page.rows - 1, head);
		page.top = bw_tui_page_follow(&page, line);
		page.rows = box->rows - 1;
	}
	page_of(s, box->window, &page);
	pane->top = page.top;
	pane->left = page.left;
	pane->follows = false;
	add_title(s, box->window, &page, &rows[box->y]);
	for (unsigned i = 0; i + 1 < box->rows; i++) {
		const struct bw_tui_line empty = {0},
					 *l = i < page.lines.len ? &page.lines.data[i] : &empty;
		bw_tui_cut(l, page.margin, page.left, s->columns, &rows[box->y + 1 + i]);
	}
	bw_tui_page_fini(&page);
}

void bw_tui_screen_compose(struct bw_tui_screen *s, struct bw_debug *d, struct bw_tui_line **out,
			   unsigned *out_n)
{
	unsigned n = bw_tui_screen_command_y(s);
	*out = n ? calloc(n, sizeof(**out)) : NULL;
	*out_n = *out ? n : 0;
	if (!*out)
		return;
	for (unsigned i = 0; i + 1 < s->boxes.n; i++)
		compose_window(s, &s->boxes.box[i], *out);
	struct bw_tui_line status = {0};
	bw_tui_status_line(d, s->is_running, &status);
	bw_tui_cut(&status, 0, 0, s->columns, &(*out)[s->boxes.status_y]);
	bw_tui_line_fini(&status);
}

void bw_tui_lines_free(struct bw_tui_line *lines, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		bw_tui_line_fini(&lines[i]);
	free(lines);
}
