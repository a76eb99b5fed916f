/* SPDX-License-Identifier: MIT */
#ifndef BW_TUI_DRAW_H
#define BW_TUI_DRAW_H

/* The terminal that the screen is drawn on, by its entry in terminfo. The windows are drawn above a
 * scrolling region, which is the command window: libedit and whatever prints go on there as they
 * would on a screen of that height, and the cursor stays where they have it. */

#include <stdbool.h>

#include "base/error.h"
#include "tui/page.h"

struct bw_tui_term;

/* Standard output's terminal. Fails where it cannot do what is needed, with gdb's sentences. */
struct bw_error *bw_tui_term_open(struct bw_tui_term **out) BW_MUST_CHECK;
/* Accepts NULL. The terminal is left as by bw_tui_term_leave. */
void bw_tui_term_close(struct bw_tui_term *t);
/* Rows and columns as they are now; 24 and 80 where they are not known. */
void bw_tui_term_size(unsigned *out_rows, unsigned *out_columns);

/* Clears the screen, the alternate one where there is one. command_y: where the scrolling region
 * begins; the cursor is put into its last row. Also after the size has changed. */
void bw_tui_term_enter(struct bw_tui_term *t, unsigned rows, unsigned command_y);
/* Gives the terminal back as it was. */
void bw_tui_term_leave(struct bw_tui_term *t);
bool bw_tui_term_is_entered(const struct bw_tui_term *t);
/* bw_tui_term_leave for a signal handler; nothing is drawn from then on. NULL: no terminal is
 * entered. */
void bw_tui_term_leave_now(void);
/* Another height of the command window, whose text stays. */
void bw_tui_term_set_region(struct bw_tui_term *t, unsigned command_y);
/* The rows from the top on; only those that have changed are sent. */
void bw_tui_term_draw(struct bw_tui_term *t, const struct bw_tui_line *lines, unsigned n,
		      bool in_colour);
/* The next draw sends all rows, and the scrolling region. */
void bw_tui_term_forget(struct bw_tui_term *t);
/* Whether the terminal tells what the mouse does. Off while commands run: it would be echoed. */
void bw_tui_term_use_mouse(struct bw_tui_term *t, bool on);

#endif
