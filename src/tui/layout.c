/* SPDX-License-Identifier: MIT */
#include "tui/layout.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"

static const char *const window_names[BW_TUI_WINDOWS] = {
	[BW_TUI_SRC] = "src",	  [BW_TUI_ASM] = "asm",	    [BW_TUI_REGS] = "regs",
	[BW_TUI_LANES] = "lanes", [BW_TUI_WAVES] = "waves", [BW_TUI_MEM] = "mem",
	[BW_TUI_DRAWS] = "draws", [BW_TUI_CMD] = "cmd",
};

/* The window of code that goes with another one is source or assembly. */
enum { CODE = BW_TUI_WINDOWS, NONE };
static const struct {
	const char *name;
	unsigned windows[BW_TUI_MOST_BOXES - 1];
	unsigned shares[BW_TUI_MOST_BOXES]; /* of the height */
} layouts[BW_TUI_LAYOUTS] = {
	[BW_TUI_LAYOUT_SRC] = {"src", {BW_TUI_SRC, NONE}, {2, 1}},
	[BW_TUI_LAYOUT_ASM] = {"asm", {BW_TUI_ASM, NONE}, {2, 1}},
	[BW_TUI_LAYOUT_SPLIT] = {"split", {BW_TUI_SRC, BW_TUI_ASM}, {4, 4, 3}},
	[BW_TUI_LAYOUT_REGS] = {"regs", {BW_TUI_REGS, CODE}, {4, 4, 3}},
	[BW_TUI_LAYOUT_LANES] = {"lanes", {BW_TUI_LANES, CODE}, {4, 4, 3}},
	[BW_TUI_LAYOUT_WAVES] = {"waves", {BW_TUI_WAVES, CODE}, {5, 3, 3}},
	[BW_TUI_LAYOUT_MEM] = {"mem", {BW_TUI_MEM, CODE}, {4, 4, 3}},
	[BW_TUI_LAYOUT_DRAWS] = {"draws", {BW_TUI_DRAWS, CODE}, {4, 4, 3}},
};

/* A title and two lines. */
enum { LEAST_ROWS = 3 };

const char *bw_tui_window_name(enum bw_tui_window w)
{
	return window_names[w];
}

enum bw_tui_window bw_tui_window_by_name(const char *name)
{
	for (unsigned i = 0; name[0] && i < BW_TUI_WINDOWS; i++)
		if (bw_starts_with(window_names[i], name))
			return (enum bw_tui_window)i;
	return BW_TUI_WINDOWS;
}

const char *bw_tui_layout_name(enum bw_tui_layout l)
{
	return layouts[l].name;
}

enum bw_tui_layout bw_tui_layout_by_name(const char *name)
{
	/* "s" is src, as in gdb */
	for (unsigned i = 0; name[0] && i < BW_TUI_LAYOUTS; i++)
		if (bw_starts_with(layouts[i].name, name))
			return (enum bw_tui_layout)i;
	return BW_TUI_LAYOUTS;
}

/* Shares `rows` out. */
static void share_out(const unsigned *share, unsigned n, unsigned rows, unsigned *out)
{
	unsigned sum = 0, given = 0;
	for (unsigned i = 0; i < n; i++)
		sum += share[i];
	for (unsigned i = 0; i < n; i++) {
		out[i] = BW_MAX(rows * share[i] / sum, (unsigned)LEAST_ROWS);
		given += out[i];
	}
	for (; given < rows; given++)
		out[0]++;
	while (given > rows) {
		unsigned highest = 0;
		for (unsigned i = 1; i < n; i++)
			if (out[i] > out[highest])
				highest = i;
		out[highest]--;
		given--;
	}
}

void bw_tui_arrange(enum bw_tui_layout l, enum bw_tui_window code,
		    const struct bw_tui_shares *shares, unsigned rows, struct bw_tui_boxes *out)
{
	unsigned height[BW_TUI_MOST_BOXES], n = 0, y = 0;
	*out = (struct bw_tui_boxes){0};
	if (rows < BW_TUI_MIN_ROWS) {
		out->box[0] = (struct bw_tui_box){BW_TUI_CMD, 0, rows};
		out->n = 1;
		return;
	}
	for (unsigned i = 0; i < BW_TUI_MOST_BOXES - 1; i++) {
		unsigned w = layouts[l].windows[i];
		if (w != NONE)
			out->box[n++].window = w == CODE ? code : (enum bw_tui_window)w;
	}
	/* one line of status, and room for all of them */
	while (n > 1 && rows - 1 < (n + 1) * LEAST_ROWS)
		n--;
	out->box[n++].window = BW_TUI_CMD;
	share_out(shares->share[0] && n == 1u + (layouts[l].windows[1] != NONE) + 1u
			  ? shares->share
			  : layouts[l].shares,
		  n, rows - 1, height);
	out->n = n;
	for (unsigned i = 0; i < n; i++) {
		if (i + 1 == n)
			out->status_y = y++;
		out->box[i].y = y;
		out->box[i].rows = height[i];
		y += height[i];
	}
}

void bw_tui_set_rows(const struct bw_tui_boxes *b, unsigned i, unsigned rows,
		     struct bw_tui_shares *shares)
{
	unsigned height[BW_TUI_MOST_BOXES] = {0}, room = 0;
	for (unsigned k = 0; k < b->n; k++) {
		height[k] = b->box[k].rows;
		room += k == i ? height[k] : height[k] - LEAST_ROWS;
	}
	rows = BW_MAX(BW_MIN(rows, room), (unsigned)LEAST_ROWS);
	/* the windows below give or take first, then those above */
	while (height[i] != rows) {
		bool grows = height[i] < rows;
		unsigned other = i;
		for (unsigned k = 1; k < b->n && other == i; k++) {
			unsigned next = (i + k) % b->n;
			if (!grows || height[next] > LEAST_ROWS)
				other = next;
		}
		if (other == i)
			break;
		height[i] += grows ? 1u : -1u;
		height[other] += grows ? -1u : 1u;
	}
	memcpy(shares->share, height, sizeof(height));
}

const struct bw_tui_box *bw_tui_box_of(const struct bw_tui_boxes *b, enum bw_tui_window w)
{
	for (unsigned i = 0; i < b->n; i++)
		if (b->box[i].window == w)
			return &b->box[i];
	return NULL;
}

enum bw_tui_window bw_tui_window_at(const struct bw_tui_boxes *b, unsigned y)
{
	for (unsigned i = 0; i < b->n; i++)
		if (y >= b->box[i].y && y < b->box[i].y + b->box[i].rows)
			return b->box[i].window;
	return BW_TUI_WINDOWS;
}
