/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/expressions.h"

/* ---- Reading ---- */

/* Finds the current address of the expression. */
static struct bw_error *find_place(struct bw_debug *d, struct bw_tui_memory *s)
{
	struct bw_value v = {0};
	struct bw_expr_error where = {0};
	BW_TRY(bw_debug_eval(d, s->expr, &v, &where));
	struct bw_error *err = bw_debug_address_of(&v, s->expr, &s->space, &s->addr);
	bw_value_fini(&v);
	return err;
}

/* Up to the first byte that cannot be read, found by halving. */
static struct bw_error *read_bytes(struct bw_debug *d, struct bw_tui_memory *s, size_t want)
{
	struct bw_error *first = NULL;
	for (size_t part = want; part && s->n < want;) {
		part = BW_MIN(part, want - s->n);
		struct bw_error *err =
			bw_debug_read(d, s->space, s->addr + s->n, s->bytes + s->n, part);
		if (!err) {
			s->n += part;
			continue;
		}
		part /= 2;
		if (first)
			bw_error_free(err);
		else
			first = err;
	}
	if (!s->n)
		return first;
	bw_error_free(first);
	return NULL;
}

static bool is_in(const struct bw_tui_memory *s, uint64_t addr)
{
	return addr >= s->addr && addr - s->addr < s->n;
}

/* LDS is a workgroup's and scratch a lane's: of another one it is other memory, and has not
 * changed. */
static bool is_same_memory(const struct bw_tui_memory *a, const struct bw_tui_memory *b)
{
	return a->space == b->space &&
	       (a->space == BW_SPACE_GLOBAL || (a->wave == b->wave && a->lane == b->lane));
}

static void mark_changes(struct bw_tui_memory *s, const struct bw_tui_memory *before)
{
	for (size_t i = 0; is_same_memory(s, before) && i < s->n; i++) {
		uint64_t addr = s->addr + i;
		s->is_changed[i] =
			is_in(before, addr) && before->bytes[addr - before->addr] != s->bytes[i];
	}
}

static size_t wanted(const struct bw_print_format *f)
{
	size_t most = BW_TUI_MEMORY_B;
	return f->has_count ? BW_MIN((size_t)f->count, most / bw_print_format_size(f)) *
				      bw_print_format_size(f)
			    : most;
}

void bw_tui_memory_load(struct bw_debug *d, const char *expr, const struct bw_print_format *format,
			const struct bw_tui_memory *before, struct bw_tui_memory *out)
{
	const struct bw_wave_info *w = bw_debug_focus(d);
	*out = (struct bw_tui_memory){.format = *format};
	if (!expr)
		return;
	out->wave = w ? w->number : 0;
	out->lane = w ? bw_debug_focus_lane(d) : 0;
	out->expr = strdup(expr);
	struct bw_error *err = out->expr ? find_place(d, out) : bw_error_nomem();
	if (!err)
		err = read_bytes(d, out, wanted(format));
	if (err)
		snprintf(out->why, sizeof(out->why), "%s", err->message);
	bw_error_free(err);
	mark_changes(out, before);
}

void bw_tui_memory_fini(struct bw_tui_memory *s)
{
	free(s->expr);
	*s = (struct bw_tui_memory){.n = 0};
}

/* ---- Showing ---- */

static void add_text(const struct bw_tui_memory *s, size_t at, struct bw_str *out)
{
	uint64_t bits = 0;
	unsigned size_b = bw_print_format_size(&s->format);
	memcpy(&bits, s->bytes + at, BW_MIN((size_t)size_b, s->n - at));
	bw_print_value(out, bits, size_b, BW_KIND_UNSIGNED, s->format.letter);
}

/* Columns that the widest unit takes. */
static unsigned cell_columns(const struct bw_tui_memory *s)
{
	size_t widest = 0;
	struct bw_str text = {0};
	for (size_t at = 0; at < s->n; at += bw_print_format_size(&s->format)) {
		bw_str_clear(&text);
		add_text(s, at, &text);
		widest = BW_MAX(widest, text.len);
	}
	bw_str_free(&text);
	return (unsigned)widest;
}

static void add_label(const struct bw_tui_memory *s, size_t at, struct bw_tui_line *l)
{
	if (s->space == BW_SPACE_GLOBAL)
		bw_tui_addf(l, BW_TUI_CYAN, "0x%012llx", (unsigned long long)(s->addr + at));
	else
		bw_tui_addf(l, BW_TUI_CYAN, "%s#0x%04llx", bw_space_name(s->space),
			    (unsigned long long)(s->addr + at));
}

/* A unit is marked if one of its bytes is. */
static unsigned style_at(const struct bw_tui_memory *s, size_t at, size_t n)
{
	for (size_t i = at; i < at + n && i < s->n; i++)
		if (s->is_changed[i])
			return BW_TUI_YELLOW | BW_TUI_REVERSE;
	return BW_TUI_PLAIN;
}

struct shape {
	unsigned label, cell; /* columns */
	unsigned size_b;
	size_t per_line; /* bytes */
};

/* As many bytes in a line as fit, a power of two. */
static struct shape shape_of(const struct bw_tui_memory *s, unsigned columns)
{
	enum { MOST_B = 32, GAP = 2 };
	struct shape f = {.label = s->space == BW_SPACE_GLOBAL ? 14 : 20,
			  .cell = cell_columns(s),
			  .size_b = bw_print_format_size(&s->format)};
	f.per_line = f.size_b;
	while (f.per_line * 2 <= MOST_B) {
		size_t next = f.per_line * 2;
		if (f.label + next / f.size_b * (f.cell + 1) + GAP + next > columns)
			break;
		f.per_line = next;
	}
	return f;
}

static void add_row(const struct bw_tui_memory *s, const struct shape *f, size_t from,
		    struct bw_tui_line *l)
{
	size_t end = BW_MIN(from + f->per_line, s->n);
	struct bw_str text = {0};
	add_label(s, from, l);
	for (size_t at = from; at < end; at += f->size_b) {
		unsigned column =
			f->label + (unsigned)((at - from) / f->size_b) * (f->cell + 1) + 1;
		bw_str_clear(&text);
		add_text(s, at, &text);
		bw_tui_pad(l, BW_TUI_PLAIN, column + f->cell - (unsigned)text.len);
		bw_tui_add(l, style_at(s, at, f->size_b), bw_str_text(&text));
	}
	bw_str_free(&text);
	bw_tui_pad(l, BW_TUI_PLAIN,
		   f->label + (unsigned)(f->per_line / f->size_b) * (f->cell + 1) + 2);
	for (size_t at = from; at < end; at++) {
		uint8_t c = s->bytes[at];
		bw_tui_addf(l, style_at(s, at, 1), "%c", c >= ' ' && c < 0x7f ? c : '.');
	}
}

void bw_tui_memory_page(const struct bw_tui_memory *s, struct bw_tui_page *p)
{
	bw_tui_page_clear(p);
	if (!s->expr) {
		bw_tui_page_say(p, "[ No Memory Chosen: tui mem [/FMT] ADDRESS ]");
		return;
	}
	bw_str_addf(&p->title, "%s", s->expr);
	if (!s->n) {
		struct bw_str text = {0};
		bw_str_addf(&text, "[ %s ]", s->why[0] ? s->why : "Nothing to Show");
		bw_tui_page_say(p, bw_str_text(&text));
		bw_str_free(&text);
		return;
	}
	const struct shape f = shape_of(s, p->columns);
	size_t rows = (s->n + f.per_line - 1) / f.per_line;
	bw_tui_page_begin(p, rows);
	for (size_t i = p->top; i < rows && i < p->top + p->rows; i++) {
		struct bw_tui_line *l = bw_tui_page_add(p);
		if (l)
			add_row(s, &f, i * f.per_line, l);
	}
}
