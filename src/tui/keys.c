/* SPDX-License-Identifier: MIT */
#include "tui/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

#define CTRL(c) ((c) & 0x1f)
#define ESC '\033'

/* Arrow keys have two forms, for cursor mode and for application mode. */
static const struct {
	const char *bytes;
	enum bw_tui_key key;
} sequences[] = {
	{"\033[A", BW_TUI_KEY_UP},
	{"\033OA", BW_TUI_KEY_UP},
	{"\033[B", BW_TUI_KEY_DOWN},
	{"\033OB", BW_TUI_KEY_DOWN},
	{"\033[C", BW_TUI_KEY_RIGHT},
	{"\033OC", BW_TUI_KEY_RIGHT},
	{"\033[D", BW_TUI_KEY_LEFT},
	{"\033OD", BW_TUI_KEY_LEFT},
	{"\033[5~", BW_TUI_KEY_PAGE_UP},
	{"\033[6~", BW_TUI_KEY_PAGE_DOWN},
	{"\030a", BW_TUI_KEY_TOGGLE},
	{"\030A", BW_TUI_KEY_TOGGLE},
	{"\030\001", BW_TUI_KEY_TOGGLE},
	{"\030o", BW_TUI_KEY_OTHER},
	{"\030"
	 "1",
	 BW_TUI_KEY_ONE_WINDOW},
	{"\030"
	 "2",
	 BW_TUI_KEY_TWO_WINDOWS},
	{"\014", BW_TUI_KEY_REDRAW},
};

/* "ESC [ < BUTTON ; X ; Y M" (m: released), X and Y from 1. */
static enum bw_tui_feed mouse(const struct bw_tui_keys *k, struct bw_tui_event *out)
{
	enum { WHEEL = 64, BUTTON = 3, MOVES = 32 };
	unsigned value[3] = {0}, n = 0;
	char last = k->bytes[k->n - 1];
	if (k->n == 3)
		return BW_TUI_MORE;
	if (last != 'M' && last != 'm') {
		bool is_part = (last >= '0' && last <= '9') || last == ';';
		return is_part && k->n < sizeof(k->bytes) - 1 ? BW_TUI_MORE : BW_TUI_IS_TEXT;
	}
	for (unsigned i = 3; i < k->n - 1; i++) {
		if (k->bytes[i] == ';')
			n++;
		else if (n < 3 && value[n] < 100000)
			value[n] = value[n] * 10 + (unsigned)(k->bytes[i] - '0');
	}
	*out = (struct bw_tui_event){BW_TUI_KEY_MOUSE, value[1] ? value[1] - 1 : 0,
				     value[2] ? value[2] - 1 : 0};
	if (n != 2 || last == 'm' || value[0] & MOVES)
		return BW_TUI_IS_KEY;
	if (value[0] & WHEEL)
		out->key = value[0] & 1 ? BW_TUI_KEY_WHEEL_DOWN : BW_TUI_KEY_WHEEL_UP;
	else if ((value[0] & BUTTON) == 0)
		out->key = BW_TUI_KEY_CLICK;
	return BW_TUI_IS_KEY;
}

enum bw_tui_feed bw_tui_keys_feed(struct bw_tui_keys *k, char byte, struct bw_tui_event *out)
{
	k->bytes[k->n++] = byte;
	if (k->n >= 3 && !memcmp(k->bytes, "\033[<", 3))
		return mouse(k, out);
	for (size_t i = 0; i < BW_ARRAY_SIZE(sequences); i++) {
		size_t len = strlen(sequences[i].bytes);
		if (k->n > len || memcmp(sequences[i].bytes, k->bytes, k->n) != 0)
			continue;
		if (k->n < len)
			return BW_TUI_MORE;
		*out = (struct bw_tui_event){.key = sequences[i].key};
		return BW_TUI_IS_KEY;
	}
	return BW_TUI_IS_TEXT;
}
