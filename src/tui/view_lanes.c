/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "debug/expressions.h"
#include "debug/variables.h"
#include "ui/print_format.h"
#include "ui/show.h"

/* ---- Reading ---- */

static struct bw_error *add_column(struct bw_tui_lanes *s, struct bw_tui_lane_column **out)
{
	struct bw_tui_lane_column *c = calloc(1, sizeof(*c));
	if (!c)
		return bw_error_nomem();
	struct bw_error *err = bw_vec_push(&s->columns, c);
	if (err)
		free(c);
	else
		*out = c;
	return err;
}

enum cell { CELL_NOT_SCALAR, CELL_UNKNOWN, CELL_VALUE };

/* Without the type, which is the same in all lanes, and no part of what pointers lead to: both
 * would leave no room for an address. */
static void show_cell(struct bw_debug *d, const struct bw_value *v, struct bw_str *out)
{
	if (v->type.kind != BW_TYPE_POINTER) {
		bw_show_value(d, v, 0, out);
		return;
	}
	if (v->type.space != BW_SPACE_GLOBAL)
		bw_str_addf(out, "%s#", bw_space_name(v->type.space));
	bw_str_addf(out, "0x%llx", (unsigned long long)v->bits);
}

/* A value in one lane, cut where it is longer than a column. */
static enum cell read_cell(struct bw_debug *d, const char *name, unsigned lane,
			   char out[BW_TUI_CELL_B])
{
	struct bw_value v = {0};
	struct bw_expr_error where = {0};
	struct bw_str text = {0};
	struct bw_error *err = bw_debug_eval_lane(d, name, lane, &v, &where);
	bool is_scalar = v.type.kind != BW_TYPE_AGGREGATE && !v.n_elem;
	enum cell cell = err || v.is_missing ? CELL_UNKNOWN
			 : is_scalar	     ? CELL_VALUE
					     : CELL_NOT_SCALAR;
	if (cell == CELL_VALUE)
		show_cell(d, &v, &text);
	else
		bw_str_add(&text, "<optimized out>");
	snprintf(out, BW_TUI_CELL_B, "%.*s", BW_TUI_CELL_B - 1, bw_str_text(&text));
	bw_error_free(err);
	bw_str_free(&text);
	bw_value_fini(&v);
	return cell;
}

/* A column of it, if it is a number, and known in some lane. */
static struct bw_error *read_variable(struct bw_debug *d, const char *name, struct bw_tui_lanes *s)
{
	struct bw_tui_lane_column *c;
	bool is_known = false;
	BW_TRY(add_column(s, &c));
	snprintf(c->name, sizeof(c->name), "%.*s", (int)sizeof(c->name) - 1, name);
	c->is_variable = true;
	for (unsigned lane = 0; lane < s->n; lane++) {
		enum cell cell = read_cell(d, name, lane, c->text[lane]);
		is_known |= cell == CELL_VALUE;
		if (cell == CELL_NOT_SCALAR)
			break;
	}
	if (!is_known)
		free(s->columns.data[--s->columns.len]);
	return NULL;
}

/* Variables of the selected frame, the innermost block's first. */
static struct bw_error *read_variables(struct bw_debug *d, struct bw_tui_lanes *s)
{
	enum { MOST = 8, NAME_B = sizeof(((struct bw_tui_lane_column *)0)->name) };
	char names[MOST][NAME_B];
	const struct bw_variable *list;
	size_t n, n_names = 0;
	BW_TRY(bw_debug_variables(d, &list, &n));
	/* copied: reading a value makes the list invalid */
	for (size_t i = 0; i < n && n_names < MOST; i++) {
		bool is_new = list[i].name && strlen(list[i].name) < NAME_B;
		for (size_t k = 0; is_new && k < n_names; k++)
			is_new = strcmp(names[k], list[i].name) != 0;
		if (is_new)
			snprintf(names[n_names++], NAME_B, "%s", list[i].name);
	}
	for (size_t i = 0; i < n_names; i++)
		BW_TRY(read_variable(d, names[i], s));
	return NULL;
}

static struct bw_error *read_vgprs(struct bw_debug *d, const struct bw_wave_info *w,
				   struct bw_tui_lanes *s)
{
	uint32_t v[64];
	for (unsigned i = 0; i < w->n_vgprs; i++) {
		struct bw_tui_lane_column *c;
		BW_TRY(bw_debug_vgpr_read(d, w->number, i, v));
		BW_TRY(add_column(s, &c));
		bw_wave_vgpr_name(w, i, c->name);
		for (unsigned lane = 0; lane < s->n; lane++)
			snprintf(c->text[lane], BW_TUI_CELL_B, "%08x", v[lane]);
	}
	return NULL;
}

void bw_tui_lanes_load(struct bw_debug *d, struct bw_tui_lanes *out)
{
	const struct bw_wave_info *w = bw_debug_focus(d);
	*out = (struct bw_tui_lanes){0};
	if (!w)
		return;
	out->wave = w->number;
	out->n = w->lanes;
	out->exec = w->exec;
	out->focus = bw_debug_focus_lane(d);
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		if (bw_lane_is_used(d, w, lane))
			out->has_item |= 1ull << lane;
	}
	bw_error_free(read_variables(d, out));
	w = bw_debug_focus(d);
	if (w)
		bw_error_free(read_vgprs(d, w, out));
}

void bw_tui_lanes_fini(struct bw_tui_lanes *s)
{
	bw_vec_each(&s->columns, c)
		free(*c);
	bw_vec_free(&s->columns);
	*s = (struct bw_tui_lanes){0};
}

/* ---- Showing ---- */

enum { LANES_COLUMNS = 16, STATE_COLUMNS = 10, GAP = 2 };

/* The columns of values that a page has room for. */
struct seen {
	size_t first, n;
	unsigned width[64];
};

static struct seen seen_columns(const struct bw_tui_lanes *s, const struct bw_tui_page *p)
{
	struct seen x = {.first = p->left};
	unsigned at = 1 + LANES_COLUMNS + STATE_COLUMNS;
	for (size_t i = x.first; i < s->columns.len && x.n < BW_ARRAY_SIZE(x.width); i++) {
		const struct bw_tui_lane_column *c = s->columns.data[i];
		size_t width = strlen(c->name);
		for (unsigned lane = 0; lane < s->n; lane++)
			width = BW_MAX(width, strlen(c->text[lane]));
		if (x.n && at + width > p->columns)
			break;
		x.width[x.n++] = (unsigned)width;
		at += (unsigned)width + GAP;
	}
	return x;
}

/* Whether two lanes are shown alike. */
static bool are_alike(const struct bw_tui_lanes *s, const struct seen *x, unsigned a, unsigned b)
{
	if (bw_bit_is_set(s->exec, a) != bw_bit_is_set(s->exec, b) ||
	    bw_bit_is_set(s->has_item, a) != bw_bit_is_set(s->has_item, b))
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct bw_tui_lane_column *c = s->columns.data[x->first + i];
		if (strcmp(c->text[a], c->text[b]) != 0)
			return false;
	}
	return true;
}

static void add_header(const struct bw_tui_lanes *s, const struct seen *x, struct bw_tui_page *p)
{
	struct bw_tui_line *l = bw_tui_page_add(p);
	if (!l)
		return;
	bw_tui_add(l, BW_TUI_BOLD, " Lanes");
	bw_tui_pad(l, BW_TUI_BOLD, 1 + LANES_COLUMNS);
	bw_tui_add(l, BW_TUI_BOLD, "State");
	unsigned at = 1 + LANES_COLUMNS + STATE_COLUMNS;
	for (size_t i = 0; i < x->n; i++) {
		bw_tui_pad(l, BW_TUI_BOLD, at);
		bw_tui_add(l, BW_TUI_BOLD, s->columns.data[x->first + i]->name);
		at += x->width[i] + GAP;
	}
}

static void add_lanes(const struct bw_tui_lanes *s, const struct seen *x, uint64_t lanes,
		      struct bw_tui_page *p)
{
	struct bw_tui_line *l = bw_tui_page_add(p);
	struct bw_str text = {0};
	if (!l)
		return;
	unsigned lane = (unsigned)__builtin_ctzll(lanes);
	bool is_active = bw_bit_is_set(s->exec, lane), has_item = bw_bit_is_set(s->has_item, lane);
	unsigned style = is_active ? BW_TUI_PLAIN : BW_TUI_DIM;
	bw_print_lanes(&text, lanes);
	bw_tui_add(l, BW_TUI_BOLD, bw_bit_is_set(lanes, s->focus) ? "*" : " ");
	bw_tui_add(l, style, bw_str_text(&text));
	if (text.len + 1 > LANES_COLUMNS)
		bw_tui_add(l, style, " ");
	bw_tui_pad(l, style, 1 + LANES_COLUMNS);
	bw_tui_add(l, style, is_active ? "active" : has_item ? "inactive" : "no item");
	unsigned at = BW_MAX(bw_tui_width(l) + GAP, 1u + LANES_COLUMNS + STATE_COLUMNS);
	for (size_t i = 0; i < x->n; i++) {
		bw_tui_pad(l, style, at);
		bw_tui_add(l, style, s->columns.data[x->first + i]->text[lane]);
		at += x->width[i] + GAP;
	}
	bw_str_free(&text);
}

void bw_tui_lanes_page(const struct bw_tui_lanes *s, struct bw_tui_page *p)
{
	uint64_t rows[64], left = s->n == 64 ? ~0ull : (1ull << s->n) - 1;
	size_t n = 0;
	bw_tui_page_clear(p);
	if (!s->n) {
		bw_tui_page_say(p, "[ Lanes Unavailable ]");
		return;
	}
	if (s->columns.len)
		p->left = BW_MIN(p->left, (unsigned)s->columns.len - 1);
	struct seen x = seen_columns(s, p);
	while (left) { /* active ones first */
		unsigned first = (unsigned)__builtin_ctzll(left & s->exec ? left & s->exec : left);
		rows[n] = 0;
		for (unsigned lane = 0; lane < s->n; lane++)
			if (bw_bit_is_set(left, lane) && are_alike(s, &x, first, lane))
				rows[n] |= 1ull << lane;
		left &= ~rows[n++];
	}
	bw_str_addf(&p->title, "%u of wave %u", s->n, s->wave);
	p->rows -= p->rows > 1; /* below the names of the columns */
	p->margin = p->columns; /* scrolling is by columns */
	bw_tui_page_begin(p, n);
	add_header(s, &x, p);
	for (size_t i = p->top; i < n && i < p->top + p->rows; i++)
		add_lanes(s, &x, rows[i], p);
}
