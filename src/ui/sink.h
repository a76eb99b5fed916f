/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_SINK_H
#define BW_UI_SINK_H

/* Where text for people goes: the terminal, page by page and in colours where that is wanted, and
 * a log file, always plain. */

#include <stdbool.h>
#include <stdio.h>

#include "ui/paint.h"

struct bw_sink {
	FILE *f;   /* borrowed */
	FILE *log; /* borrowed; NULL: none */
	bool log_only;
	bool in_colour;
	/* Page by page: after rows - 1 lines `more` is asked. False: the rest is dropped until the
	 * next bw_sink_begin_page. It may set rows to 0: no further pages. */
	unsigned rows, columns; /* rows 0: never */
	bool (*more)(void *cookie, unsigned *rows);
	void *cookie;
	unsigned line, column; /* where the page is */
	bool is_dropped;
};

/* The next page begins: a new command does. */
void bw_sink_begin_page(struct bw_sink *s);
/* text is printable: what must not reach a terminal has been replaced. */
void bw_sink_put(struct bw_sink *s, enum bw_paint kind, const char *text);
/* Bytes of the user's own: unchanged. */
void bw_sink_put_raw(struct bw_sink *s, const char *text);

#endif
