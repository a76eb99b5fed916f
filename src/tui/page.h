/* SPDX-License-Identifier: MIT */
#ifndef BW_TUI_PAGE_H
#define BW_TUI_PAGE_H

/* The content of a window of the terminal screen: lines of text with a style for each byte. Pure: a
 * terminal sees it only in draw.c. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "ui/paint.h"

/* A style is a colour and any of the attributes. Where colours are not wanted the attributes are
 * left. */
enum bw_tui_style {
	BW_TUI_PLAIN,
	BW_TUI_RED,
	BW_TUI_GREEN,
	BW_TUI_YELLOW,
	BW_TUI_BLUE,
	BW_TUI_MAGENTA,
	BW_TUI_CYAN,
	BW_TUI_COLOUR = 0xf, /* mask */
	BW_TUI_BOLD = 0x10,
	BW_TUI_DIM = 0x20,
	BW_TUI_REVERSE = 0x40,
};

/* Printable UTF-8 without tabs and newlines; styles has a byte for each byte of text. */
struct bw_tui_line {
	struct bw_str text, styles;
};
void bw_tui_line_fini(struct bw_tui_line *l);
/* Text from anywhere: made printable, tabs filled up to the next multiple of 8 columns from
 * `origin`, a column of this line. */
void bw_tui_add_from(struct bw_tui_line *l, unsigned style, unsigned origin, const char *text);
void bw_tui_add(struct bw_tui_line *l, unsigned style, const char *text);
void bw_tui_addf(struct bw_tui_line *l, unsigned style, const char *fmt, ...) BW_PRINTF(3, 4);
/* A line of source or code, in the colours that the prompt's listings have. */
void bw_tui_add_painted(struct bw_tui_line *l, enum bw_paint kind, const char *text);
/* Blanks up to a column. */
void bw_tui_pad(struct bw_tui_line *l, unsigned style, unsigned column);
/* Adds attributes to the whole line. */
void bw_tui_restyle(struct bw_tui_line *l, unsigned style);
/* Columns that a terminal shows it in. */
unsigned bw_tui_width(const struct bw_tui_line *l);
/* Columns that a text takes; wide characters take two. */
unsigned bw_tui_text_width(const char *text, size_t len);
/* The part of a line that a window shows: columns from `left` on, but `margin` columns at its start
 * always; cut at `columns`, and filled up with blanks. out is empty before. */
void bw_tui_cut(const struct bw_tui_line *l, unsigned margin, unsigned left, unsigned columns,
		struct bw_tui_line *out);

/* The lines that a window shows now. */
struct bw_tui_page {
	unsigned rows, columns; /* the window's inside */
	size_t top;		/* the first line that is shown; corrected where it cannot be */
	unsigned left;		/* columns after the margin that are scrolled out of sight */
	unsigned margin;	/* columns at the start that do not scroll */
	size_t n_lines;		/* lines of the whole content */
	struct bw_str title;
	struct bw_tui_lines BW_VEC(struct bw_tui_line) lines; /* at most `rows` */
};
/* Removes the content of a window. */
void bw_tui_page_clear(struct bw_tui_page *p);
void bw_tui_page_fini(struct bw_tui_page *p);
/* Sets n_lines, and top to one at which the page is full, if there are enough lines. */
void bw_tui_page_begin(struct bw_tui_page *p, size_t n_lines);
/* The next line; NULL: out of memory. Borrowed until the next one. */
struct bw_tui_line *bw_tui_page_add(struct bw_tui_page *p);
/* Only this sentence, in the middle, as gdb shows "[ No Source Available ]". */
void bw_tui_page_say(struct bw_tui_page *p, const char *text);
/* A top at which this line is in sight: as it is, else one that has the line in the middle. */
size_t bw_tui_page_follow(const struct bw_tui_page *p, size_t line);

#endif
