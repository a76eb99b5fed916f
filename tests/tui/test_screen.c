// SPDX-License-Identifier: MIT
/* src/tui/screen.c: the rows of the whole screen, scrolling, focus and sizes. */
#include "../debug/fake_session.h"
#include "debug/breaks.h"
#include "debug/stop.h"
#include "tui/screen.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static uint32_t code[60];

struct rig {
	struct fake_session s;
	struct bw_tui_screen screen;
	struct bw_tui_line *rows;
	unsigned n;
};

/* A long kernel of s_nop, stopped at its 20th instruction. */
static void begin(struct rig *r, unsigned rows, unsigned columns)
{
	uint32_t n;
	struct bw_stop stop;
	for (size_t i = 0; i < BW_ARRAY_SIZE(code); i++)
		code[i] = i + 1 < BW_ARRAY_SIZE(code) ? 0xbf800000 : 0xbfb00000;
	*r = (struct rig){.n = 0};
	fake_session_create(&r->s, code, BW_ARRAY_SIZE(code));
	OK(bw_debug_break(r->s.debug, "demo+80", false, &n));
	fake_session_start(&r->s, 1);
	OK(bw_debug_wait(r->s.debug, 100, &stop));
	bw_tui_screen_init(&r->screen);
	bw_tui_screen_set_layout(&r->screen, BW_TUI_LAYOUT_ASM);
	bw_tui_screen_set_size(&r->screen, rows, columns);
	bw_tui_screen_load(&r->screen, r->s.debug);
}

static void draw(struct rig *r)
{
	bw_tui_lines_free(r->rows, r->n);
	bw_tui_screen_compose(&r->screen, r->s.debug, &r->rows, &r->n);
	for (unsigned i = 0; i < r->n; i++) {
		assert_int_equal(bw_tui_width(&r->rows[i]), r->screen.columns);
		assert_int_equal(r->rows[i].text.len, r->rows[i].styles.len);
	}
}

static void end(struct rig *r)
{
	bw_tui_lines_free(r->rows, r->n);
	bw_tui_screen_fini(&r->screen);
	fake_session_end(&r->s);
}

static const char *row(const struct rig *r, unsigned i)
{
	assert_true(i < r->n);
	return bw_str_text(&r->rows[i].text);
}

static void has(const struct rig *r, unsigned i, const char *part)
{
	if (!strstr(row(r, i), part))
		print_error("row %u is \"%s\", without \"%s\"\n", i, row(r, i), part);
	assert_non_null(strstr(row(r, i), part));
}

static bool press(struct rig *r, enum bw_tui_key key)
{
	bool used = bw_tui_screen_key(&r->screen, &(struct bw_tui_event){.key = key});
	draw(r);
	return used;
}

static void mouse(struct rig *r, enum bw_tui_key key, unsigned y)
{
	assert_true(bw_tui_screen_key(&r->screen, &(struct bw_tui_event){key, 5, y}));
	draw(r);
}

static void test_scroll(void **state)
{
	struct rig r;
	begin(&r, 24, 60);
	draw(&r);
	/* 23 rows but the status: two shares of three are the window's, 16 with its title */
	assert_int_equal(bw_tui_screen_command_y(&r.screen), r.n);
	has(&r, 0, "-- asm: demo ---");
	has(&r, r.n - 1, "In: demo");
	/* the PC is out of the first page: it is in the middle */
	unsigned middle = (r.screen.boxes.box[0].rows - 1) / 2 + 1;
	has(&r, middle, ">    2w 0x700000000050 <+80>:");
	assert_int_equal(r.screen.focus, BW_TUI_ASM);
	assert_true(press(&r, BW_TUI_KEY_DOWN));
	has(&r, middle - 1, "<+80>:");
	for (unsigned i = 0; i < 100; i++)
		press(&r, BW_TUI_KEY_PAGE_DOWN);
	has(&r, r.n - 2, "s_endpgm"); /* no further than the end */
	for (unsigned i = 0; i < 100; i++)
		press(&r, BW_TUI_KEY_PAGE_UP);
	has(&r, 1, "<+0>:");
	has(&r, 0, " 1-");
	has(&r, 0, " of 60 ");
	/* what is scrolled stays so as long as the program stays where it is */
	bw_tui_screen_load(&r.screen, r.s.debug);
	draw(&r);
	has(&r, 1, "<+0>:");
	struct bw_stop stop;
	OK(bw_debug_stepi(r.s.debug, 1, false, &stop));
	bw_tui_screen_stopped(&r.screen);
	bw_tui_screen_load(&r.screen, r.s.debug);
	draw(&r);
	bool seen = false;
	for (unsigned i = 0; i < r.n; i++)
		seen |= strstr(row(&r, i), ">    1w 0x700000000054 <+84>:") != NULL;
	assert_true(seen);
	/* sideways: the margin stays */
	for (unsigned i = 0; i < 6; i++)
		press(&r, BW_TUI_KEY_RIGHT);
	has(&r, 2, "          00000");
	for (unsigned i = 0; i < 20; i++)
		press(&r, BW_TUI_KEY_LEFT);
	has(&r, 2, "0x700000");
	end(&r);
}

static void test_focus(void **state)
{
	struct rig r;
	begin(&r, 24, 80);
	bw_tui_screen_set_layout(&r.screen, BW_TUI_LAYOUT_REGS);
	bw_tui_screen_load(&r.screen, r.s.debug);
	draw(&r);
	/* the window of code is assembly: the last one that was chosen */
	assert_non_null(bw_tui_box_of(&r.screen.boxes, BW_TUI_ASM));
	assert_int_equal(r.screen.focus, BW_TUI_ASM);
	assert_int_equal(bw_tui_screen_next(&r.screen, 1), BW_TUI_CMD);
	assert_int_equal(bw_tui_screen_next(&r.screen, -1), BW_TUI_REGS);
	assert_false(bw_tui_screen_set_focus(&r.screen, BW_TUI_SRC));
	assert_true(bw_tui_screen_set_focus(&r.screen, BW_TUI_REGS));
	draw(&r);
	has(&r, 1, "pc ");
	press(&r, BW_TUI_KEY_DOWN);
	has(&r, 1, "exec ");
	/* a click gives the focus, the wheel scrolls what is under it */
	mouse(&r, BW_TUI_KEY_WHEEL_UP, 1);
	has(&r, 1, "pc ");
	mouse(&r, BW_TUI_KEY_CLICK, 23);
	assert_int_equal(r.screen.focus, BW_TUI_CMD);
	assert_false(press(&r, BW_TUI_KEY_UP)); /* the prompt's */
	mouse(&r, BW_TUI_KEY_CLICK, r.screen.boxes.box[1].y);
	assert_int_equal(r.screen.focus, BW_TUI_ASM);
	mouse(&r, BW_TUI_KEY_CLICK, r.screen.boxes.status_y);
	assert_int_equal(r.screen.focus, BW_TUI_ASM);
	/* a window that goes away gives the focus to the first one */
	bw_tui_screen_set_layout(&r.screen, BW_TUI_LAYOUT_SRC);
	assert_int_equal(r.screen.focus, BW_TUI_SRC);
	end(&r);
}

static void test_sizes(void **state)
{
	static const unsigned sizes[][2] = {{24, 80}, {70, 250}, {8, 20}, {9, 1}, {3, 80}, {1, 1}};
	struct rig r;
	begin(&r, 24, 80);
	for (unsigned l = 0; l < BW_TUI_LAYOUTS; l++)
		for (size_t i = 0; i < BW_ARRAY_SIZE(sizes); i++) {
			bw_tui_screen_set_layout(&r.screen, (enum bw_tui_layout)l);
			bw_tui_screen_set_size(&r.screen, sizes[i][0], sizes[i][1]);
			bw_tui_screen_load(&r.screen, r.s.debug);
			draw(&r);
			bool is_small =
				sizes[i][0] < BW_TUI_MIN_ROWS || sizes[i][1] < BW_TUI_MIN_COLUMNS;
			assert_int_equal(r.n == 0, is_small);
			assert_true(r.n < sizes[i][0]);
		}
	end(&r);
}

static void test_height(void **state)
{
	struct rig r;
	begin(&r, 40, 80);
	assert_true(bw_tui_screen_set_height(&r.screen, BW_TUI_CMD, 20));
	draw(&r);
	assert_int_equal(bw_tui_screen_command_y(&r.screen), 20);
	assert_false(bw_tui_screen_set_height(&r.screen, BW_TUI_REGS, 20));
	/* each layout has its own */
	bw_tui_screen_set_layout(&r.screen, BW_TUI_LAYOUT_SRC);
	assert_int_not_equal(bw_tui_screen_command_y(&r.screen), 20);
	bw_tui_screen_set_layout(&r.screen, BW_TUI_LAYOUT_ASM);
	assert_int_equal(bw_tui_screen_command_y(&r.screen), 20);
	end(&r);
}

static int use_utf8(void **state)
{
	return !setlocale(LC_CTYPE, "C.UTF-8");
}

TESTS_AROUND(use_utf8, NULL, test_scroll, test_focus, test_sizes, test_height);
