/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_SINK_H
#define BW_UI_SINK_H

/* Where text for people goes: the terminal, page by page and in colours if wanted, and a log file,
 * which never has colours. */

#include <stdbool.h>
#include <stdio.h>

#include "ui/paint.h"

struct bw_sink {
	FILE *f;   /* borrowed */
	FILE *log; /* borrowed; NULL: none */
	bool log_only;
	bool in_colour;
	/* Pages: after rows - 1 lines `more` is called. False: the output is dropped until the next
	 * bw_sink_begin_page. `more` may set rows to 0, so that there are no further pages. */
	unsigned rows, columns; /* rows 0: no pages */
	bool (*more)(void *cookie, unsigned *rows);
	void *cookie;
	unsigned line, column; /* the position on the page */
	bool is_dropped;
};

/* Begins a new page, as each command does. */
void bw_sink_begin_page(struct bw_sink *s);
/* Writes text that is printable: characters that must not reach a terminal have been replaced. */
void bw_sink_put(struct bw_sink *s, enum bw_paint kind, const char *text);
/* Writes the user's own bytes, unchanged. */
void bw_sink_put_raw(struct bw_sink *s, const char *text);

#endif
