// SPDX-License-Identifier: MIT
/* src/tui/keys.c: what xterm sends for a key or the mouse (ctlseqs), byte by byte. */
#include "tui/keys.h"

#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"

/* Feeds a text of one key; only its last byte decides. */
static enum bw_tui_feed feed(struct bw_tui_keys *k, const char *bytes, struct bw_tui_event *e)
{
	enum bw_tui_feed got = BW_TUI_MORE;
	k->n = 0;
	for (const char *p = bytes; *p; p++) {
		assert_int_equal(got, BW_TUI_MORE);
		got = bw_tui_keys_feed(k, *p, e);
	}
	return got;
}

static void test_keys(void **state)
{
	static const struct {
		const char *bytes;
		enum bw_tui_key key;
		unsigned x, y;
	} keys[] = {
		{"\033[A", BW_TUI_KEY_UP, 0, 0},
		{"\033OB", BW_TUI_KEY_DOWN, 0, 0},
		{"\033[C", BW_TUI_KEY_RIGHT, 0, 0},
		{"\033OD", BW_TUI_KEY_LEFT, 0, 0},
		{"\033[5~", BW_TUI_KEY_PAGE_UP, 0, 0},
		{"\033[6~", BW_TUI_KEY_PAGE_DOWN, 0, 0},
		{"\030a", BW_TUI_KEY_TOGGLE, 0, 0},
		{"\030\001", BW_TUI_KEY_TOGGLE, 0, 0},
		{"\030o", BW_TUI_KEY_OTHER, 0, 0},
		{"\0301", BW_TUI_KEY_ONE_WINDOW, 0, 0},
		{"\0302", BW_TUI_KEY_TWO_WINDOWS, 0, 0},
		{"\014", BW_TUI_KEY_REDRAW, 0, 0},
		/* columns and rows of the mouse count from 1 */
		{"\033[<0;1;1M", BW_TUI_KEY_CLICK, 0, 0},
		{"\033[<0;250;70M", BW_TUI_KEY_CLICK, 249, 69},
		{"\033[<0;10;3m", BW_TUI_KEY_MOUSE, 9, 2},  /* released */
		{"\033[<2;10;3M", BW_TUI_KEY_MOUSE, 9, 2},  /* the right button */
		{"\033[<35;10;3M", BW_TUI_KEY_MOUSE, 9, 2}, /* moved */
		{"\033[<64;10;3M", BW_TUI_KEY_WHEEL_UP, 9, 2},
		{"\033[<65;10;3M", BW_TUI_KEY_WHEEL_DOWN, 9, 2},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(keys); i++) {
		struct bw_tui_keys k;
		struct bw_tui_event e = {0};
		assert_int_equal(feed(&k, keys[i].bytes, &e), BW_TUI_IS_KEY);
		assert_int_equal(e.key, keys[i].key);
		assert_int_equal(e.x, keys[i].x);
		assert_int_equal(e.y, keys[i].y);
	}
}

static void test_text(void **state)
{
	/* the line editor gets each byte of what is no key of the screen */
	static const char *const texts[] = {"a",	"\001",	     "\r",	"\303",
					    "\033b",	"\033[3~",   "\033[H",	"\033[1;5C",
					    "\030\030", "\033[<0;x", "\033[<0 "};
	for (size_t i = 0; i < BW_ARRAY_SIZE(texts); i++) {
		struct bw_tui_keys k = {.n = 0};
		struct bw_tui_event e;
		enum bw_tui_feed got = BW_TUI_MORE;
		const char *p = texts[i];
		for (; *p && got == BW_TUI_MORE; p++)
			got = bw_tui_keys_feed(&k, *p, &e);
		assert_int_equal(got, BW_TUI_IS_TEXT);
		assert_int_equal(k.n, p - texts[i]);
		assert_memory_equal(k.bytes, texts[i], k.n);
	}
}

static void test_endless_number(void **state)
{
	struct bw_tui_keys k = {.n = 0};
	struct bw_tui_event e;
	enum bw_tui_feed got = BW_TUI_MORE;
	unsigned fed = 0;
	for (const char *p = "\033[<"; *p; p++)
		got = bw_tui_keys_feed(&k, *p, &e);
	for (; got == BW_TUI_MORE && fed < 1000; fed++)
		got = bw_tui_keys_feed(&k, '9', &e);
	assert_int_equal(got, BW_TUI_IS_TEXT);
	assert_true(k.n <= sizeof(k.bytes));
	/* numbers too large for any screen are no reason to fail */
	assert_int_equal(feed(&k, "\033[<0;4294967297;99999999M", &e), BW_TUI_IS_KEY);
}

TESTS(test_keys, test_text, test_endless_number);
