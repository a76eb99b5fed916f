/* SPDX-License-Identifier: MIT */
#ifndef BW_TUI_SCREEN_H
#define BW_TUI_SCREEN_H

/* The terminal screen without the terminal: which windows there are, what is in them and how far
 * each is scrolled, as lines from the top of the screen to the line of status. The command window
 * below belongs to the prompt. */

#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/views.h"

struct bw_tui_pane {
	size_t top;
	unsigned left;
	bool follows; /* the current line is brought into sight when it is drawn next */
};

struct bw_tui_screen {
	unsigned rows, columns; /* of the terminal */
	enum bw_tui_layout layout;
	enum bw_tui_window code; /* SRC or ASM: which one goes with another window */
	enum bw_tui_window focus;
	struct bw_tui_shares shares[BW_TUI_LAYOUTS];
	struct bw_tui_boxes boxes;
	struct bw_tui_pane panes[BW_TUI_WINDOWS];
	bool is_running; /* the program runs: the line of status says so */
	bool has_utf8;	 /* the terminal has more than ASCII */

	struct bw_tui_source source;
	struct bw_tui_code assembly;
	struct bw_tui_registers registers, registers_before;
	struct bw_tui_lanes lanes;
	struct bw_tui_map map;
	struct bw_tui_draws draws;
	struct bw_tui_memory memory, memory_before;
	char *memory_expr; /* owned; what the window of memory follows; NULL: nothing yet */
	struct bw_print_format memory_format;
	bool has_stopped; /* since the last load */
};

void bw_tui_screen_init(struct bw_tui_screen *s);
void bw_tui_screen_fini(struct bw_tui_screen *s);
void bw_tui_screen_set_size(struct bw_tui_screen *s, unsigned rows, unsigned columns);
void bw_tui_screen_set_layout(struct bw_tui_screen *s, enum bw_tui_layout l);
/* rows of a window, title included, as far as the others leave room. False: it is not on the
 * screen. */
bool bw_tui_screen_set_height(struct bw_tui_screen *s, enum bw_tui_window w, unsigned rows);
/* False: it is not on the screen. */
bool bw_tui_screen_set_focus(struct bw_tui_screen *s, enum bw_tui_window w);
/* Each window has the selected frame or wave in sight again when it is drawn next. */
void bw_tui_screen_follow_all(struct bw_tui_screen *s);
/* The next window (step 1) or the one before (-1) of that with the focus. */
enum bw_tui_window bw_tui_screen_next(const struct bw_tui_screen *s, int step);
/* Rows of the command window, and the first of them. */
unsigned bw_tui_screen_command_y(const struct bw_tui_screen *s);

/* Sets the address that the memory window shows from the next load on (views.h). expr is copied. */
struct bw_error *bw_tui_screen_follow(struct bw_tui_screen *s, const char *expr,
				      const struct bw_print_format *format) BW_MUST_CHECK;
/* The program has stopped: what has changed in registers and memory is so from here on. */
void bw_tui_screen_stopped(struct bw_tui_screen *s);
/* The program runs from here on. */
void bw_tui_screen_resumed(struct bw_tui_screen *s, struct bw_debug *d);
/* Takes what the windows show from the session. d stays borrowed until the next load. */
void bw_tui_screen_load(struct bw_tui_screen *s, struct bw_debug *d);
/* A key or the mouse for a window: scrolls it, or gives it the focus. False: it is for the
 * prompt. */
bool bw_tui_screen_key(struct bw_tui_screen *s, const struct bw_tui_event *e);
/* Rows from the top to the line of status, each as wide as the screen; none where it is too
 * small. Owned (bw_tui_lines_free). */
void bw_tui_screen_compose(struct bw_tui_screen *s, struct bw_debug *d, struct bw_tui_line **out,
			   unsigned *out_n);
void bw_tui_lines_free(struct bw_tui_line *lines, unsigned n);

#endif
