// SPDX-License-Identifier: MIT
/* src/tui/layout.c: windows fill the screen without gaps, whatever its size. */
#include "tui/layout.h"

#include <stdint.h>

#include "../suite.h"
#include "base/util.h"

static const struct bw_tui_shares none;

/* Windows from the top, the line of status above the last one, and every row used once. */
static void check_whole(const struct bw_tui_boxes *b, unsigned rows)
{
	unsigned y = 0;
	for (unsigned i = 0; i < b->n; i++) {
		if (i + 1 == b->n && b->n > 1)
			assert_int_equal(b->status_y, y++);
		assert_int_equal(b->box[i].y, y);
		assert_true(b->n == 1 || b->box[i].rows >= 3);
		y += b->box[i].rows;
	}
	assert_int_equal(y, rows);
	assert_int_equal(b->box[b->n - 1].window, BW_TUI_CMD);
}

static void test_sizes(void **state)
{
	for (unsigned l = 0; l < BW_TUI_LAYOUTS; l++)
		for (unsigned rows = 1; rows < 300; rows++) {
			struct bw_tui_boxes b;
			bw_tui_arrange((enum bw_tui_layout)l, BW_TUI_SRC, &none, rows, &b);
			check_whole(&b, rows);
			assert_int_equal(b.n == 1, rows < BW_TUI_MIN_ROWS);
		}
}

static void test_layouts(void **state)
{
	static const struct {
		enum bw_tui_layout layout;
		enum bw_tui_window code, windows[3];
	} layouts[] = {
		{BW_TUI_LAYOUT_SRC, BW_TUI_SRC, {BW_TUI_SRC, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_ASM, BW_TUI_ASM, {BW_TUI_ASM, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_SPLIT, BW_TUI_SRC, {BW_TUI_SRC, BW_TUI_ASM, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_REGS, BW_TUI_SRC, {BW_TUI_REGS, BW_TUI_SRC, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_REGS, BW_TUI_ASM, {BW_TUI_REGS, BW_TUI_ASM, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_LANES, BW_TUI_ASM, {BW_TUI_LANES, BW_TUI_ASM, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_WAVES, BW_TUI_SRC, {BW_TUI_WAVES, BW_TUI_SRC, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_MEM, BW_TUI_ASM, {BW_TUI_MEM, BW_TUI_ASM, BW_TUI_CMD}},
		{BW_TUI_LAYOUT_DRAWS, BW_TUI_SRC, {BW_TUI_DRAWS, BW_TUI_SRC, BW_TUI_CMD}},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(layouts); i++) {
		struct bw_tui_boxes b;
		bw_tui_arrange(layouts[i].layout, layouts[i].code, &none, 24, &b);
		for (unsigned k = 0; k < b.n; k++)
			assert_int_equal(b.box[k].window, layouts[i].windows[k]);
	}
}

static void test_heights(void **state)
{
	struct bw_tui_boxes b;
	struct bw_tui_shares shares = {0};
	bw_tui_arrange(BW_TUI_LAYOUT_SPLIT, BW_TUI_SRC, &shares, 40, &b);
	for (unsigned want = 0; want < 60; want++)
		for (unsigned i = 0; i < 3; i++) {
			bw_tui_set_rows(&b, i, want, &shares);
			bw_tui_arrange(BW_TUI_LAYOUT_SPLIT, BW_TUI_SRC, &shares, 40, &b);
			check_whole(&b, 40);
			/* 39 rows; the others keep three each */
			assert_int_equal(b.box[i].rows, BW_MAX(3u, BW_MIN(want, 33u)));
		}
	/* and on a screen of another size they keep their shares */
	bw_tui_set_rows(&b, 0, 13, &shares);
	bw_tui_set_rows(&b, 1, 13, &shares);
	bw_tui_arrange(BW_TUI_LAYOUT_SPLIT, BW_TUI_SRC, &shares, 79, &b);
	check_whole(&b, 79);
}

static void test_names(void **state)
{
	struct bw_tui_boxes b;
	assert_int_equal(bw_tui_layout_by_name("src"), BW_TUI_LAYOUT_SRC);
	assert_int_equal(bw_tui_layout_by_name("r"), BW_TUI_LAYOUT_REGS);
	assert_int_equal(bw_tui_layout_by_name("wavey"), BW_TUI_LAYOUTS);
	assert_int_equal(bw_tui_layout_by_name(""), BW_TUI_LAYOUTS);
	assert_int_equal(bw_tui_window_by_name("c"), BW_TUI_CMD);
	assert_int_equal(bw_tui_window_by_name("status"), BW_TUI_WINDOWS);
	bw_tui_arrange(BW_TUI_LAYOUT_SRC, BW_TUI_SRC, &none, 24, &b);
	assert_int_equal(bw_tui_window_at(&b, 0), BW_TUI_SRC);
	assert_int_equal(bw_tui_window_at(&b, b.status_y), BW_TUI_WINDOWS);
	assert_int_equal(bw_tui_window_at(&b, 23), BW_TUI_CMD);
	assert_null(bw_tui_box_of(&b, BW_TUI_ASM));
}

TESTS(test_sizes, test_layouts, test_heights, test_names);
