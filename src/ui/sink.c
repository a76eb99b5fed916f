/* SPDX-License-Identifier: MIT */
#include "ui/sink.h"

#include <string.h>

void bw_sink_begin_page(struct bw_sink *s)
{
	s->line = s->column = 0;
	s->is_dropped = false;
}

/* The next one; those beyond the last column are there. */
static unsigned tab_stop(const struct bw_sink *s)
{
	unsigned next = (s->column / 8 + 1) * 8;
	return s->columns && next >= s->columns ? s->columns - 1 : next;
}

/* Rows that n characters take from this column on; the terminal folds long lines. */
static void count(struct bw_sink *s, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n') {
			s->line++;
			s->column = 0;
			continue;
		}
		if (s->columns && s->column == s->columns) {
			s->line++;
			s->column = 0;
		}
		/* bytes that continue a character of UTF-8 take no room */
		if (text[i] == '\t')
			s->column = tab_stop(s);
		else if (((unsigned char)text[i] & 0xc0) != 0x80)
			s->column++;
	}
}

static bool page_is_full(const struct bw_sink *s)
{
	return s->rows > 1 && s->column == 0 && s->line >= s->rows - 1;
}

static void put_part(struct bw_sink *s, enum bw_paint kind, const char *text, size_t n, bool raw)
{
	struct bw_str plain = {0}, painted = {0};
	bw_str_addn(&plain, text, n);
	if (s->in_colour && !raw)
		bw_paint(kind, bw_str_text(&plain), &painted);
	fputs(bw_str_text(s->in_colour && !raw ? &painted : &plain), s->f);
	bw_str_free(&plain);
	bw_str_free(&painted);
}

static void put(struct bw_sink *s, enum bw_paint kind, const char *text, bool raw)
{
	if (s->log)
		fputs(text, s->log);
	if (s->log && s->log_only)
		return;
	if (!s->rows) {
		put_part(s, kind, text, strlen(text), raw);
		return;
	}
	for (size_t n; *text && !s->is_dropped; text += n) {
		if (page_is_full(s)) {
			fflush(s->f);
			s->is_dropped = !s->more(s->cookie, &s->rows);
			s->line = 0;
			if (s->is_dropped)
				return;
		}
		n = strcspn(text, "\n");
		n += text[n] == '\n';
		count(s, text, n);
		put_part(s, kind, text, n, raw);
	}
}

void bw_sink_put(struct bw_sink *s, enum bw_paint kind, const char *text)
{
	put(s, kind, text, false);
}

void bw_sink_put_raw(struct bw_sink *s, const char *text)
{
	put(s, BW_PAINT_TEXT, text, true);
}
