/* SPDX-License-Identifier: MIT */
#ifndef BW_TUI_LAYOUT_H
#define BW_TUI_LAYOUT_H

/* The windows of the terminal screen, and their heights. Pure. The windows are one above the other;
 * below them are the line of status and the command window, at the bottom. */

#include <stdbool.h>
#include <stddef.h>

enum bw_tui_window {
	BW_TUI_SRC,
	BW_TUI_ASM,
	BW_TUI_REGS,
	BW_TUI_LANES,
	BW_TUI_WAVES,
	BW_TUI_MEM,
	BW_TUI_DRAWS,
	BW_TUI_CMD,
	BW_TUI_WINDOWS /* their number */
};
/* The window's name in the command `focus`. */
const char *bw_tui_window_name(enum bw_tui_window w);
/* Finds a window by its name or a beginning of it; BW_TUI_WINDOWS: there is none. */
enum bw_tui_window bw_tui_window_by_name(const char *name);

/* The layouts of the command `layout`, in the order of "layout next". */
enum bw_tui_layout {
	BW_TUI_LAYOUT_SRC,
	BW_TUI_LAYOUT_ASM,
	BW_TUI_LAYOUT_SPLIT,
	BW_TUI_LAYOUT_REGS,
	BW_TUI_LAYOUT_LANES,
	BW_TUI_LAYOUT_WAVES,
	BW_TUI_LAYOUT_MEM,
	BW_TUI_LAYOUT_DRAWS,
	BW_TUI_LAYOUTS /* their number */
};
const char *bw_tui_layout_name(enum bw_tui_layout l);
/* Finds a layout by its name or a beginning of it; BW_TUI_LAYOUTS: there is none. */
enum bw_tui_layout bw_tui_layout_by_name(const char *name);

/* A screen smaller than this has no room for windows. */
enum { BW_TUI_MIN_ROWS = 8, BW_TUI_MIN_COLUMNS = 20 };

/* The place of a window: its title is in row `y`, from 0, its lines are below. The command window
 * has no title of its own: the line of status is above it. */
struct bw_tui_box {
	enum bw_tui_window window;
	unsigned y, rows; /* title included */
};
enum { BW_TUI_MOST_BOXES = 3 };
struct bw_tui_boxes {
	struct bw_tui_box box[BW_TUI_MOST_BOXES]; /* the last one is the command window */
	unsigned n;
	unsigned status_y;
};
/* The user's changes to a layout: the relative heights of its windows. 0: unchanged. */
struct bw_tui_shares {
	unsigned share[BW_TUI_MOST_BOXES];
};
/* code: the window of code (source or assembly) that layouts with one of both have. Of a screen
 * that is too small only the command window is left. */
void bw_tui_arrange(enum bw_tui_layout l, enum bw_tui_window code,
		    const struct bw_tui_shares *shares, unsigned rows, struct bw_tui_boxes *out);
/* Makes the i-th window `rows` high, as far as the others leave room. */
void bw_tui_set_rows(const struct bw_tui_boxes *b, unsigned i, unsigned rows,
		     struct bw_tui_shares *shares);
/* The box of a window; NULL: it is not on the screen. */
const struct bw_tui_box *bw_tui_box_of(const struct bw_tui_boxes *b, enum bw_tui_window w);
/* The window in row y; BW_TUI_WINDOWS: the line of status. */
enum bw_tui_window bw_tui_window_at(const struct bw_tui_boxes *b, unsigned y);

#endif
