// SPDX-License-Identifier: MIT
/* src/tui/page.c: text from anywhere becomes rows of a fixed width. */
#include "tui/page.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "../suite.h"

static void test_printable(void **state)
{
	struct bw_tui_line l = {0};
	bw_tui_add(&l, BW_TUI_PLAIN, "a\033[31mb\tc\r\n");
	bw_tui_add(&l, BW_TUI_RED, "\302\205\377");
	assert_string_equal(bw_str_text(&l.text), "a\\033[31mb      c\\015\\302\\205\\377");
	assert_int_equal(l.text.len, l.styles.len);
	assert_int_equal(l.styles.data[0], BW_TUI_PLAIN);
	assert_int_equal(l.styles.data[l.styles.len - 1], BW_TUI_RED);
	bw_tui_line_fini(&l);
}

static void test_tabs(void **state)
{
	/* from the column where the text begins, as if it stood alone */
	struct bw_tui_line l = {0};
	bw_tui_add(&l, BW_TUI_PLAIN, "123");
	bw_tui_add_from(&l, BW_TUI_PLAIN, 3, "\tx\ty");
	assert_string_equal(bw_str_text(&l.text), "123        x       y");
	bw_tui_line_fini(&l);
}

static void test_painted(void **state)
{
	struct bw_tui_line l = {0};
	bw_tui_add_painted(&l, BW_PAINT_SOURCE, "\tint x; // y\033[0m");
	assert_string_equal(bw_str_text(&l.text), "        int x; // y\\033[0m");
	assert_int_equal(l.styles.data[8], BW_TUI_YELLOW);
	assert_int_equal(l.styles.data[12], BW_TUI_PLAIN);
	assert_int_equal(l.styles.data[15], BW_TUI_DIM);
	assert_int_equal(l.styles.data[l.styles.len - 1], BW_TUI_DIM);
	bw_tui_line_fini(&l);
}

static void cut(const char *text, unsigned margin, unsigned left, unsigned columns,
		const char *expected)
{
	struct bw_tui_line l = {0}, out = {0};
	bw_tui_add(&l, BW_TUI_PLAIN, text);
	bw_tui_cut(&l, margin, left, columns, &out);
	assert_string_equal(bw_str_text(&out.text), expected);
	assert_int_equal(out.text.len, out.styles.len);
	assert_int_equal(bw_tui_width(&out), columns);
	bw_tui_line_fini(&l);
	bw_tui_line_fini(&out);
}

static void test_cut(void **state)
{
	cut("", 0, 0, 3, "   ");
	cut("abcdef", 0, 0, 4, "abcd");
	cut("abcdef", 0, 2, 4, "cdef");
	cut("abcdef", 2, 2, 4, "abef");
	cut("abcdef", 2, 9, 4, "ab  ");
	cut("gr\303\266\303\237e", 0, 0, 4, "gr\303\266\303\237");
	cut("gr\303\266\303\237e", 0, 3, 3, "\303\237e ");
	/* a character of two columns that does not fit is left out */
	cut("a\346\274\242b", 0, 0, 2, "a ");
	cut("a\346\274\242b", 0, 0, 3, "a\346\274\242");
}

static void test_page(void **state)
{
	struct bw_tui_page p = {.rows = 10, .columns = 40, .top = 95};
	bw_tui_page_begin(&p, 100);
	assert_int_equal(p.top, 90); /* the last page is full */
	bw_tui_page_begin(&p, 4);
	assert_int_equal(p.top, 0);
	p.top = 20;
	assert_int_equal(bw_tui_page_follow(&p, 20), 20);
	assert_int_equal(bw_tui_page_follow(&p, 29), 20);
	assert_int_equal(bw_tui_page_follow(&p, 30), 25); /* in the middle */
	assert_int_equal(bw_tui_page_follow(&p, 2), 0);
	bw_tui_page_say(&p, "[ nothing ]");
	assert_string_equal(bw_str_text(&p.lines.data[p.lines.len - 1].text),
			    "              [ nothing ]");
	bw_tui_page_fini(&p);
}

static int use_utf8(void **state)
{
	return !setlocale(LC_CTYPE, "C.UTF-8");
}

TESTS_AROUND(use_utf8, NULL, test_printable, test_tabs, test_painted, test_cut, test_page);
