/* SPDX-License-Identifier: MIT */
/* What the parts of a page are made into. Text from outside never becomes markup. */
#include "page/page.h"

#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"

static const char evil[] = "</script><b onclick=\"x\">'&\x1b[31m\t";
static const char shown[] = "&lt;/script&gt;&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;\\033[31m\t";

static const char *text(const struct bw_page *p)
{
	return bw_str_text(&p->out);
}

static size_t count(const char *in, const char *what)
{
	size_t n = 0;
	for (const char *at = in; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

static void nothing_is_markup(void **state)
{
	struct bw_page p = {0};
	struct bw_page_tree tree;
	const char *const titles[] = {evil};
	const struct bw_page_line line = {
		.number = evil, .text = evil, .place = evil, .n_waves = 1, .most = 1};
	const struct bw_page_packet packet = {
		.header = evil, .name = evil, .text = evil, .most = 1, .why = evil, .note = evil};
	const struct bw_page_slot slot = {.state = BW_PAGE_STOPPED, .place = evil};
	const struct bw_page_map map = {1, 1, 1, 1, 1, &slot};
	const uint32_t word = 7;
	const struct bw_page_numbers numbers = {.words = &word, .n = 1, .type = evil};
	const struct bw_page_picture picture = {
		.png = (const uint8_t *)"x", .size_b = 1, .width = 1, .height = 1, .caption = evil};
	bw_page_heading(&p, evil);
	bw_page_fold(&p, false, "%s", evil);
	bw_page_fold_end(&p);
	bw_page_lines(&p, "p", evil);
	bw_page_rows(&p, evil);
	bw_page_note(&p, "%s", evil);
	bw_page_fact(&p, evil, evil);
	bw_page_table(&p, titles, 1);
	bw_page_cell(&p, "%s", evil);
	bw_page_table_end(&p);
	assert_int_equal(count(text(&p), shown), 9);
	bw_page_line(&p, &line);
	assert_int_equal(bw_page_packet(&p, &packet), 1);
	assert_int_equal(count(text(&p), shown), 9 + 3 + 5);
	bw_page_tree_begin(&p, &tree, evil);
	bw_page_tree_entry(&p, &tree, BW_PAGE_BAD, evil);
	bw_page_tree_end(&p, &tree);
	bw_page_map(&p, &map);
	bw_page_numbers(&p, &numbers);
	bw_page_picture(&p, &picture);
	assert_int_equal(count(text(&p), shown), 9 + 3 + 5 + 2 + 1 + 1 + 2);
	assert_null(strstr(text(&p), "onclick=\"x\""));
	assert_null(strstr(text(&p), "</script"));
	bw_str_free(&p.out);
}

static void title_is_escaped(void **state)
{
	struct bw_page p = {0};
	bw_page_begin(&p, evil);
	bw_page_end(&p);
	assert_int_equal(count(text(&p), shown), 2);
	/* those of the page itself */
	assert_int_equal(count(text(&p), "</script>"), 1);
	assert_non_null(strstr(text(&p), "default-src 'none'"));
	bw_str_free(&p.out);
}

static void map_has_each_slot(void **state)
{
	struct bw_page p = {0};
	/* 2 arrays of 2 WGPs of 2 SIMDs of 3 slots */
	struct bw_page_slot slots[24] = {{0}};
	slots[1] = (struct bw_page_slot){.state = BW_PAGE_FAULTED, .wave = 5, .is_focus = true};
	slots[23] = (struct bw_page_slot){.state = BW_PAGE_AT_BREAK, .wave = 6, .place = "a.s:3"};
	const struct bw_page_map map = {2, 1, 2, 2, 3, slots};
	bw_page_map(&p, &map);
	assert_non_null(strstr(text(&p), "faulted: 1<"));
	assert_non_null(strstr(text(&p), "at a breakpoint: 1<"));
	assert_non_null(strstr(text(&p), "free: 22<"));
	assert_non_null(strstr(text(&p), "data-at=\"se0.sa0\""));
	assert_non_null(strstr(text(&p), "data-at=\"se1.sa0\""));
	assert_non_null(
		strstr(text(&p), "<b><i></i><i class=\"s5 focus\" data-w=\"5\"></i><i></i></b>"));
	assert_non_null(strstr(
		text(&p),
		"<b><i></i><i></i><i class=\"s4\" data-w=\"6\" title=\"a.s:3\"></i></b></div>"));
	assert_int_equal(count(text(&p), "class=\"wgp idle\""), 2);
	bw_str_free(&p.out);
}

static void lines_are_as_hot_as_their_share(void **state)
{
	static const struct {
		size_t n, most;
		const char *class;
	} cases[] = {{1, 100, " h1\""},	 {25, 100, " h1\""}, {26, 100, " h2\""},
		     {75, 100, " h3\""}, {76, 100, " h4\""}, {100, 100, " h4\""}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_page p = {0};
		const struct bw_page_line l = {
			.number = "1", .text = "x", .n_waves = cases[i].n, .most = cases[i].most};
		bw_page_line(&p, &l);
		assert_non_null(strstr(text(&p), cases[i].class));
		bw_str_free(&p.out);
	}
}

static void vgprs_by_lane(void **state)
{
	struct bw_page p = {0};
	uint32_t v[32] = {1, 2, 3};
	assert_int_equal(bw_page_vgpr(&p, "v1", v, 32, 0xfffffff9), 32);
	/* lanes 1 and 2 are not active */
	assert_non_null(strstr(text(&p), "00000001 <s>00000002 00000003 </s>00000000 "));
	bw_str_clear(&p.out);
	assert_int_equal(bw_page_vgpr(&p, "v1", v, 32, 1), 32);
	assert_non_null(strstr(text(&p), " 00000000</s></div>"));
	bw_str_clear(&p.out);
	memset(v, 0, sizeof(v));
	assert_int_equal(bw_page_vgpr(&p, "v1", v, 32, 0), 1);
	assert_non_null(strstr(text(&p), "00000000 in all lanes</div>"));
	bw_str_free(&p.out);
}

static void numbers_and_packets_have_limits(void **state)
{
	struct bw_page p = {0};
	uint32_t words[9] = {0xdeadbeef, [8] = 8};
	const struct bw_page_numbers x = {.va = 0x1000, .words = words, .n = 9, .type = "f32"};
	bw_page_numbers(&p, &x);
	assert_int_equal(count(text(&p), "<div class=\"p\">"), 2);
	assert_non_null(strstr(text(&p), "data-type=\"f32\""));
	assert_non_null(strstr(text(&p), "0x1000 </span><u>deadbeef 00000000"));
	assert_non_null(strstr(text(&p), "0x1020 </span><u>00000008</u>"));
	bw_str_clear(&p.out);
	/* of many, all but the first rows are folded */
	uint32_t many[300] = {0};
	const struct bw_page_numbers y = {.words = many, .n = 300, .type = ""};
	bw_page_numbers(&p, &y);
	assert_int_equal(count(text(&p), "<div class=\"p\">"), 38);
	assert_non_null(strstr(text(&p), "<details><summary>172 words more</summary>"));
	assert_int_equal(count(strstr(text(&p), "<details>"), "<div class=\"p\">"), 22);
	assert_non_null(strstr(text(&p), "</details>\n</div>\n"));
	bw_str_clear(&p.out);
	const struct bw_page_packet k = {
		.at = 3, .header = "h", .name = "NOP", .times = 4, .text = "a\nb\nc\n", .most = 2};
	assert_int_equal(bw_page_packet(&p, &k), 2);
	assert_non_null(strstr(text(&p), "NOP, 4 times"));
	assert_null(strstr(text(&p), "stop"));
	assert_null(strstr(text(&p), ">c<"));
	bw_str_free(&p.out);
}

static void trees_are_closed(void **state)
{
	struct bw_page p = {0};
	struct bw_page_tree t;
	bw_page_tree_begin(&p, &t, "root");
	bw_page_tree_entry(&p, &t, BW_PAGE_GOOD, "a");
	bw_page_tree_entry(&p, &t, BW_PAGE_BAD, "b");
	bw_page_tree_restart(&p, &t);
	bw_page_tree_entry(&p, &t, BW_PAGE_NEVER, "c");
	bw_page_tree_end(&p, &t);
	assert_string_equal(text(&p),
			    "<ul class=\"tree\"><li>root<ul><li><span class=\"good\">a</span>"
			    "<ul><li><span class=\"bad\">b</span></li></ul></li></ul>"
			    "<ul><li><span class=\"never\">c</span></li></ul></li></ul>\n");
	bw_str_free(&p.out);
}

static void pictures_are_enlarged(void **state)
{
	struct bw_page p = {0};
	struct bw_page_picture x = {.png = (const uint8_t *)"abc",
				    .size_b = 3,
				    .width = 64,
				    .height = 32,
				    .caption = ""};
	bw_page_picture(&p, &x);
	assert_non_null(strstr(text(&p), "width=\"512\" height=\"256\""));
	assert_non_null(strstr(text(&p), "src=\"data:image/png;base64,YWJj\""));
	bw_str_clear(&p.out);
	x.width = 4000;
	bw_page_picture(&p, &x);
	assert_non_null(strstr(text(&p), "width=\"4000\" height=\"32\""));
	bw_str_free(&p.out);
}

TESTS(nothing_is_markup, title_is_escaped, map_has_each_slot, lines_are_as_hot_as_their_share,
      vgprs_by_lane, numbers_and_packets_have_limits, trees_are_closed, pictures_are_enlarged);
