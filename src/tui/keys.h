/* SPDX-License-Identifier: MIT */
#ifndef BW_TUI_KEYS_H
#define BW_TUI_KEYS_H

/* Keys and the mouse, from the bytes that a terminal sends (ECMA-48 as xterm and its like use it;
 * the mouse in the form of DECSET 1006). Pure. */

#include <stdbool.h>

enum bw_tui_key {
	BW_TUI_KEY_NONE,
	BW_TUI_KEY_UP,
	BW_TUI_KEY_DOWN,
	BW_TUI_KEY_LEFT,
	BW_TUI_KEY_RIGHT,
	BW_TUI_KEY_PAGE_UP,
	BW_TUI_KEY_PAGE_DOWN,
	BW_TUI_KEY_TOGGLE,	/* Ctrl-x a */
	BW_TUI_KEY_OTHER,	/* Ctrl-x o */
	BW_TUI_KEY_ONE_WINDOW,	/* Ctrl-x 1 */
	BW_TUI_KEY_TWO_WINDOWS, /* Ctrl-x 2 */
	BW_TUI_KEY_REDRAW,	/* Ctrl-l */
	BW_TUI_KEY_CLICK,
	BW_TUI_KEY_WHEEL_UP,
	BW_TUI_KEY_WHEEL_DOWN,
	BW_TUI_KEY_MOUSE, /* anything else that a mouse does */
};
struct bw_tui_event {
	enum bw_tui_key key;
	unsigned x, y; /* of the mouse, from 0 */
};

/* Bytes that may become a key. */
struct bw_tui_keys {
	char bytes[32];
	unsigned n;
};
enum bw_tui_feed {
	BW_TUI_MORE, /* a key has begun; what follows decides. A byte ESC may also be all */
	BW_TUI_IS_KEY,
	BW_TUI_IS_TEXT, /* keys->bytes are for the line editor */
};
/* The caller empties keys (n = 0) after what is not MORE. */
enum bw_tui_feed bw_tui_keys_feed(struct bw_tui_keys *k, char byte, struct bw_tui_event *out);

#endif
