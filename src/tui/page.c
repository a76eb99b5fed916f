/* SPDX-License-Identifier: MIT */
#include "tui/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/util.h"

/* ---- Lines ---- */

void bw_tui_line_fini(struct bw_tui_line *l)
{
	bw_str_free(&l->text);
	bw_str_free(&l->styles);
}

static void add_bytes(struct bw_tui_line *l, unsigned style, const char *text, size_t n)
{
	char byte = (char)style;
	bw_str_addn(&l->text, text, n);
	while (l->styles.len < l->text.len && !l->styles.failed)
		bw_str_addn(&l->styles, &byte, 1);
}

/* Columns of the character at text; *out_b is its length. */
static unsigned char_width(const char *text, size_t *out_b)
{
	wchar_t ch;
	mbstate_t state = {0};
	size_t n = bw_utf8_length(text);
	*out_b = n ? n : 1;
	size_t got = mbrtowc(&ch, text, *out_b, &state);
	if (got != *out_b) /* the locale does not know it */
		return 1;
	int width = wcwidth(ch);
	return width < 0 ? 1 : (unsigned)width;
}

unsigned bw_tui_text_width(const char *text, size_t len)
{
	unsigned width = 0;
	for (size_t i = 0, n; i < len; i += n)
		width += char_width(text + i, &n);
	return width;
}

unsigned bw_tui_width(const struct bw_tui_line *l)
{
	return bw_tui_text_width(bw_str_text(&l->text), l->text.len);
}

void bw_tui_pad(struct bw_tui_line *l, unsigned style, unsigned column)
{
	for (unsigned at = bw_tui_width(l); at < column; at++)
		add_bytes(l, style, " ", 1);
}

void bw_tui_add_from(struct bw_tui_line *l, unsigned style, unsigned origin, const char *text)
{
	enum { TAB = 8 };
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\t\n");
		_cleanup_free_ char *part = strndup(p, n);
		struct bw_str plain = {0};
		bw_str_add_printable(&plain, part ? part : "", "");
		add_bytes(l, style, bw_str_text(&plain), plain.len);
		bw_str_free(&plain);
		p += n;
		if (*p == '\t') {
			unsigned at = bw_tui_width(l) - origin;
			bw_tui_pad(l, style, origin + (at / TAB + 1) * TAB);
		}
		p += *p != 0;
	}
}

void bw_tui_add(struct bw_tui_line *l, unsigned style, const char *text)
{
	bw_tui_add_from(l, style, bw_tui_width(l), text);
}

void bw_tui_addf(struct bw_tui_line *l, unsigned style, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	bw_tui_add(l, style, text);
	free(text);
}

/* The style of an SGR sequence of bw_paint. */
static unsigned style_of(unsigned sgr)
{
	static const uint8_t colours[] = {BW_TUI_RED,  BW_TUI_GREEN,   BW_TUI_YELLOW,
					  BW_TUI_BLUE, BW_TUI_MAGENTA, BW_TUI_CYAN};
	if (sgr >= 31 && sgr < 31 + BW_ARRAY_SIZE(colours))
		return colours[sgr - 31];
	return sgr == 1 ? BW_TUI_BOLD : sgr == 2 ? BW_TUI_DIM : BW_TUI_PLAIN;
}

void bw_tui_add_painted(struct bw_tui_line *l, enum bw_paint kind, const char *text)
{
	struct bw_str plain = {0}, painted = {0};
	unsigned style = BW_TUI_PLAIN, origin = bw_tui_width(l);
	/* No escape of the text's own is left, so each one that follows is bw_paint's. */
	bw_str_add_printable(&plain, text, "\t");
	bw_paint(kind, bw_str_text(&plain), &painted);
	for (const char *p = bw_str_text(&painted); *p;) {
		size_t n = strcspn(p, "\033");
		_cleanup_free_ char *part = strndup(p, n);
		bw_tui_add_from(l, style, origin, part ? part : "");
		p += n;
		if (*p) {
			char *end;
			style = style_of((unsigned)strtoul(p + 2, &end, 10));
			p = *end ? end + 1 : end;
		}
	}
	bw_str_free(&plain);
	bw_str_free(&painted);
}

void bw_tui_restyle(struct bw_tui_line *l, unsigned style)
{
	for (size_t i = 0; i < l->styles.len; i++)
		l->styles.data[i] = (char)((unsigned char)l->styles.data[i] | style);
}

void bw_tui_cut(const struct bw_tui_line *l, unsigned margin, unsigned left, unsigned columns,
		struct bw_tui_line *out)
{
	const char *text = bw_str_text(&l->text), *styles = bw_str_text(&l->styles);
	unsigned column = 0, filled = 0, style = BW_TUI_PLAIN;
	size_t n;
	for (size_t i = 0; i < l->text.len && i < l->styles.len; i += n) {
		unsigned width = char_width(text + i, &n);
		bool is_seen = column < margin || column >= margin + left;
		column += width;
		if (!is_seen)
			continue;
		if (filled + width > columns)
			break;
		filled += width;
		add_bytes(out, (unsigned char)styles[i], text + i, n);
	}
	/* a highlight extends to the window's edge */
	if (l->styles.len)
		style = (unsigned char)styles[l->styles.len - 1] & BW_TUI_REVERSE;
	for (; filled < columns; filled++)
		add_bytes(out, style, " ", 1);
}

/* ---- Pages ---- */

void bw_tui_page_clear(struct bw_tui_page *p)
{
	bw_vec_each(&p->lines, l)
		bw_tui_line_fini(l);
	p->lines.len = 0;
	bw_str_clear(&p->title);
	p->n_lines = 0;
	p->margin = 0;
}

void bw_tui_page_fini(struct bw_tui_page *p)
{
	bw_tui_page_clear(p);
	bw_vec_free(&p->lines);
	bw_str_free(&p->title);
}

void bw_tui_page_begin(struct bw_tui_page *p, size_t n_lines)
{
	p->n_lines = n_lines;
	size_t last_top = n_lines > p->rows ? n_lines - p->rows : 0;
	p->top = BW_MIN(p->top, last_top);
}

struct bw_tui_line *bw_tui_page_add(struct bw_tui_page *p)
{
	struct bw_tui_line empty = {0};
	struct bw_error *err = bw_vec_push(&p->lines, empty);
	bw_error_free(err);
	return err ? NULL : &p->lines.data[p->lines.len - 1];
}

void bw_tui_page_say(struct bw_tui_page *p, const char *text)
{
	unsigned width = bw_tui_text_width(text, strlen(text));
	struct bw_tui_line *l = NULL;
	bw_tui_page_begin(p, 0);
	p->left = 0;
	for (unsigned i = 0; i <= p->rows / 2 && i < p->rows; i++)
		l = bw_tui_page_add(p);
	if (!l)
		return;
	bw_tui_pad(l, BW_TUI_PLAIN, p->columns > width ? (p->columns - width) / 2 : 0);
	bw_tui_add(l, BW_TUI_PLAIN, text);
}

size_t bw_tui_page_follow(const struct bw_tui_page *p, size_t line)
{
	if (line >= p->top && line < p->top + p->rows)
		return p->top;
	return line > p->rows / 2 ? line - p->rows / 2 : 0;
}
