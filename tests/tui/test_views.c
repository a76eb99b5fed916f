// SPDX-License-Identifier: MIT
/* src/tui/view_*.c: what the windows show of a session on the fake target, and of made-up state. */
#include "../debug/fake_session.h"
#include "debug/breaks.h"
#include "debug/stop.h"
#include "tui/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* gfx11: s_mov_b32 s4, 5; s_add_u32 s4, s4, 1; s_nop 0; s_add_u32 s4, s4, 2; s_endpgm */
static const uint32_t straight[] = {0xbe840085, 0x80048104, 0xbf800000, 0x80048204, 0xbfb00000};

static const char *text_of(const struct bw_tui_page *p, size_t i)
{
	assert_true(i < p->lines.len);
	return bw_str_text(&p->lines.data[i].text);
}

static unsigned style_of(const struct bw_tui_page *p, size_t line, const char *of)
{
	const char *text = text_of(p, line), *at = strstr(text, of);
	assert_non_null(at);
	return (unsigned char)p->lines.data[line].styles.data[at - text];
}

/* The line that has this text. */
static size_t line_with(const struct bw_tui_page *p, const char *part)
{
	for (size_t i = 0; i < p->lines.len; i++)
		if (strstr(text_of(p, i), part))
			return i;
	print_error("no line has \"%s\"\n", part);
	fail();
	return 0;
}

static void stop_at(struct fake_session *s, const char *place)
{
	uint32_t n;
	struct bw_stop stop;
	fake_session_create(s, straight, BW_ARRAY_SIZE(straight));
	OK(bw_debug_break(s->debug, place, false, &n));
	fake_session_start(s, 2);
	OK(bw_debug_wait(s->debug, 100, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
}

static void stepi(struct fake_session *s)
{
	struct bw_stop stop;
	OK(bw_debug_stepi(s->debug, 1, false, &stop));
}

/* ---- Assembly ---- */

static void test_assembly(void **state)
{
	struct fake_session s;
	struct bw_tui_code code = {0};
	struct bw_tui_page p = {.rows = 3, .columns = 80};
	stop_at(&s, "demo+4");
	bw_tui_code_load(s.debug, &code);
	assert_int_equal(code.current, 1);
	bw_tui_code_page(&code, &p);
	assert_string_equal(bw_str_text(&p.title), "demo");
	assert_int_equal(p.lines.len, 3);
	/* four waves of two groups stand at the breakpoint, which has been hit */
	assert_string_equal(text_of(&p, 0), "          0x700000000000 <+0>:     s_mov_b32 s4, 5");
	assert_string_equal(text_of(&p, 1),
			    "B+>    4w 0x700000000004 <+4>:     s_add_u32 s4, s4, 1");
	assert_true(style_of(&p, 1, "s_add") & BW_TUI_REVERSE);
	assert_false(style_of(&p, 0, "s_mov") & BW_TUI_REVERSE);

	/* one goes on */
	OK(bw_debug_break_enable(s.debug, 1, false));
	stepi(&s);
	struct bw_dis_line *before = code.lines;
	bw_tui_code_load(s.debug, &code);
	assert_ptr_equal(code.lines, before); /* the same code is not disassembled again */
	bw_tui_code_page(&code, &p);
	assert_string_equal(text_of(&p, 1),
			    "B-     3w 0x700000000004 <+4>:     s_add_u32 s4, s4, 1");
	assert_string_equal(text_of(&p, 2), "  >    1w 0x700000000008 <+8>:     s_nop 0");

	/* other code at the same address is */
	const uint32_t nop = 0xbf800000;
	OK(bw_debug_write(s.debug, BW_SPACE_GLOBAL, FAKE_BASE, &nop, 4));
	bw_tui_code_load(s.debug, &code);
	bw_tui_code_page(&code, &p);
	assert_string_equal(text_of(&p, 0), "          0x700000000000 <+0>:     s_nop 0");
	bw_tui_code_fini(&code);
	bw_tui_page_fini(&p);
	fake_session_end(&s);
}

static void test_nothing(void **state)
{
	struct bw_tui_code code = {0};
	struct bw_tui_source source;
	struct bw_tui_registers regs, none = {0};
	struct bw_tui_page p = {.rows = 5, .columns = 30};
	struct bw_debug *d;
	OK(bw_debug_create(&d));
	bw_tui_code_load(d, &code);
	bw_tui_code_page(&code, &p);
	assert_string_equal(text_of(&p, 2), "  [ No Assembly Available ]");
	bw_tui_source_load(d, &source);
	bw_tui_source_page(&source, &p);
	assert_string_equal(text_of(&p, 2), "   [ No Source Available ]");
	bw_tui_registers_load(d, &none, &regs);
	bw_tui_registers_page(&regs, &p);
	assert_string_equal(text_of(&p, 2), "[ Register Values Unavailable ]");
	struct bw_tui_line status = {0};
	bw_tui_status_line(d, false, &status);
	assert_string_equal(bw_str_text(&status.text), " No program  In:  L??  PC: ??");
	bw_tui_line_fini(&status);
	bw_tui_source_fini(&source);
	bw_tui_registers_fini(&regs);
	bw_tui_page_fini(&p);
	bw_debug_destroy(d);
}

/* ---- Source ---- */

static const char *line_text(void *cookie, const char *file, unsigned line)
{
	static const char *const lines[] = {"first", "\tint a = 1;", "third", "fourth", "fifth"};
	assert_string_equal(file, "/home/me/a\033b.cl");
	return line && line <= BW_ARRAY_SIZE(lines) ? lines[line - 1] : NULL;
}

static void test_source(void **state)
{
	struct bw_tui_mark marks[] = {
		{.at = 2, .n_waves = 3072},
		{.at = 3, .n_waves = 1, .has_break = true, .is_enabled = true, .was_hit = true},
		{.at = 4, .has_break = true},
	};
	struct bw_tui_source s = {.file = strdup("/home/me/a\033b.cl"),
				  .line = 3,
				  .near = 3,
				  .n_lines = 5,
				  .marks = {marks, 3, 3},
				  .text = line_text};
	struct bw_tui_page p = {.rows = 3, .columns = 80, .top = 1};
	bw_tui_source_page(&s, &p);
	assert_string_equal(bw_str_text(&p.title), "a\\033b.cl");
	assert_int_equal(p.n_lines, 5);
	assert_string_equal(text_of(&p, 0), "    3072w 2          int a = 1;");
	assert_string_equal(text_of(&p, 1), "B+>    1w 3  third");
	assert_string_equal(text_of(&p, 2), "b-        4  fourth");
	assert_int_equal(style_of(&p, 0, "int"), BW_TUI_YELLOW);
	assert_int_equal(style_of(&p, 1, "third"), BW_TUI_REVERSE);
	assert_int_equal(p.margin, 13);
	free(s.file);
	bw_tui_page_fini(&p);
}

/* ---- Registers ---- */

static void test_registers(void **state)
{
	struct fake_session s;
	struct bw_tui_registers before = {0}, now = {0};
	struct bw_tui_page p = {.rows = 100, .columns = 80};
	stop_at(&s, "demo+4");
	bw_tui_registers_load(s.debug, &before, &now);
	bw_vec_each(&now.list, x)
		assert_false(x->is_changed); /* there is nothing to compare with */
	before = now;
	stepi(&s);
	bw_tui_registers_load(s.debug, &before, &now);
	bw_tui_registers_page(&now, &p);
	/* s4 was 5, and 1 has been added */
	size_t row = line_with(&p, "s4   00000006");
	assert_true(style_of(&p, row, "00000006") & BW_TUI_REVERSE);
	assert_false(style_of(&p, row, "00000000") & BW_TUI_REVERSE);
	row = line_with(&p, "<demo+8>");
	assert_true(style_of(&p, row, "0000700000000008") & BW_TUI_REVERSE);
	assert_non_null(strstr(bw_str_text(&p.title), "lane 0"));
	/* names stand where they are looked for: eight a line are too wide for 80 columns */
	assert_true(strncmp(text_of(&p, line_with(&p, "s12 ")), "s12  ", 5) == 0);
	line_with(&p, "v0   ");

	/* another wave has other values: nothing has changed */
	bw_tui_registers_fini(&before);
	before = now;
	const struct bw_wave_info *focus = bw_debug_focus(s.debug);
	OK(bw_debug_set_focus(s.debug, focus->number == 1 ? 2 : 1));
	bw_tui_registers_load(s.debug, &before, &now);
	bw_vec_each(&now.list, x)
		assert_false(x->is_changed);
	bw_tui_registers_fini(&before);
	bw_tui_registers_fini(&now);
	bw_tui_page_fini(&p);
	fake_session_end(&s);
}

static void test_status(void **state)
{
	struct fake_session s;
	struct bw_tui_line l = {0};
	stop_at(&s, "demo+4");
	OK(bw_debug_set_focus(s.debug, 1));
	OK(bw_debug_set_lane(s.debug, 7));
	bw_tui_status_line(s.debug, false, &l);
	const struct bw_wave_info *w = bw_debug_focus(s.debug);
	char expected[128];
	snprintf(expected, sizeof(expected),
		 " wave 1 (%u,0,0)/%u lane 7  In: demo  L??  PC: 0x700000000004", w->workgroup[0],
		 w->wave_in_group);
	assert_string_equal(bw_str_text(&l.text), expected);
	bw_tui_line_fini(&l);
	bw_tui_status_line(s.debug, true, &l);
	assert_string_equal(bw_str_text(&l.text), " (running)");
	bw_tui_line_fini(&l);
	fake_session_end(&s);
}

/* ---- Lanes ---- */

static void test_lanes(void **state)
{
	struct bw_tui_lane_column a = {.name = "n"}, b = {.name = "v0"}, *columns[] = {&a, &b};
	struct bw_tui_lanes s = {.wave = 3,
				 .n = 8,
				 .focus = 5,
				 .exec = 0x3c,
				 .has_item = 0x7f,
				 .columns = {columns, 2, 2}};
	struct bw_tui_page p = {.rows = 10, .columns = 60};
	for (unsigned lane = 0; lane < 8; lane++) {
		strcpy(a.text[lane], "18");
		snprintf(b.text[lane], sizeof(b.text[lane]), "%08x", lane / 4);
	}
	/* active lanes first; those that are alike share a row */
	static const char *const rows[] = {
		" Lanes           State     n   v0",
		" 2-3             active    18  00000000",
		"*4-5             active    18  00000001",
		" 0-1             inactive  18  00000000",
		" 6               inactive  18  00000001",
		" 7               no item   18  00000001",
	};
	bw_tui_lanes_page(&s, &p);
	assert_int_equal(p.n_lines, 5);
	assert_int_equal(p.lines.len, BW_ARRAY_SIZE(rows));
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		assert_string_equal(text_of(&p, i), rows[i]);
	assert_false(style_of(&p, 1, "18") & BW_TUI_DIM);
	assert_true(style_of(&p, 3, "18") & BW_TUI_DIM);
	/* where no column tells them apart there are three rows */
	strcpy(b.text[2], "ffffffff");
	p.rows = 10;
	p.columns = 30;
	bw_tui_lanes_page(&s, &p);
	assert_int_equal(p.n_lines, 3);
	assert_string_equal(text_of(&p, 1), "*2-5             active    18");
	/* and the next column is there when the first is scrolled away, but the last one stays */
	p.rows = 10;
	p.left = 7;
	bw_tui_lanes_page(&s, &p);
	assert_int_equal(p.left, 1);
	assert_string_equal(text_of(&p, 1), " 2               active    ffffffff");
	bw_tui_page_fini(&p);
}

static void test_lanes_of_a_wave(void **state)
{
	struct fake_session s;
	struct bw_tui_lanes lanes;
	struct bw_tui_page p = {.rows = 40, .columns = 80};
	stop_at(&s, "demo+4");
	uint32_t wave = bw_debug_focus(s.debug)->number;
	unsigned slot = bw_debug_focus(s.debug)->slot;
	for (unsigned lane = 0; lane < 32; lane++)
		s.fake->wave[slot].v[0][lane] = lane < 16 ? 7 : 9;
	bw_tui_lanes_load(s.debug, &lanes);
	assert_int_equal(lanes.wave, wave);
	assert_int_equal(lanes.n, 32);
	assert_string_equal(lanes.columns.data[0]->name, "v0");
	assert_string_equal(lanes.columns.data[0]->text[15], "00000007");
	assert_string_equal(lanes.columns.data[0]->text[16], "00000009");
	bw_tui_lanes_page(&lanes, &p);
	assert_int_equal(strncmp(text_of(&p, 1), "*0-15 ", 6), 0);
	assert_int_equal(strncmp(text_of(&p, 2), " 16-31 ", 7), 0);
	bw_tui_lanes_fini(&lanes);
	bw_tui_page_fini(&p);
	fake_session_end(&s);
}

/* ---- The map ---- */

static void test_map(void **state)
{
	enum { SLOTS = 2 * 1 * 2 * 2 * 4 };
	uint8_t slots[SLOTS] = {[0] = BW_TUI_WAVE_STOPPED,
				[1] = BW_TUI_WAVE_AT_BREAK,
				[5] = BW_TUI_WAVE_AT_BARRIER,
				[15] = BW_TUI_WAVE_RUNNING,
				[16] = BW_TUI_WAVE_FAULTED};
	struct bw_tui_map m = {.facts = {.name = "toy",
					 .n_se = 2,
					 .sa_per_se = 1,
					 .wgp_per_sa = 2,
					 .simd_per_wgp = 2,
					 .waves_per_simd = 4,
					 .n_slots = SLOTS},
			       .state = slots,
			       .focus = 5};
	struct bw_tui_page p = {.rows = 10, .columns = 80};
	/* slots are numbered SE, SA, WGP, SIMD, wave, the last one fastest (target.h) */
	static const char *const fine[] = {
		"r running 1  s stopped 1  b at a barrier 1  B at a breakpoint 1  F faulted 1",
		"               wgp0 wgp1",
		"se0.sa0.simd0  sB.. ....",
		"se0.sa0.simd1  .b.. ...r",
		"se1.sa0.simd0  F... ....",
		"se1.sa0.simd1  .... ....",
	};
	bw_tui_map_page(&m, &p);
	assert_int_equal(p.lines.len, BW_ARRAY_SIZE(fine));
	for (size_t i = 0; i < BW_ARRAY_SIZE(fine); i++)
		assert_string_equal(text_of(&p, i), fine[i]);
	assert_int_equal(bw_tui_map_line(&m, 80), 1);
	assert_true(style_of(&p, 3, "b..") & BW_TUI_REVERSE); /* the focus */
	assert_int_equal(style_of(&p, 4, "F") & BW_TUI_COLOUR, BW_TUI_RED);
	/* without room a letter a SIMD: the worst of its waves */
	p.rows = 10;
	p.columns = 24;
	bw_tui_map_page(&m, &p);
	assert_string_equal(text_of(&p, 1), "               0  1");
	assert_string_equal(text_of(&p, 2), "se0.sa0        Bb .r");
	assert_string_equal(text_of(&p, 3), "se1.sa0        F. ..");
	assert_int_equal(bw_tui_map_line(&m, 24), 0);
	bw_tui_page_fini(&p);
}

static void test_map_of_a_session(void **state)
{
	struct fake_session s;
	struct bw_tui_map m;
	unsigned n[6] = {0};
	stop_at(&s, "demo+4");
	bw_tui_map_load(s.debug, &m);
	for (uint32_t i = 0; i < m.facts.n_slots; i++)
		n[m.state[i]]++;
	assert_int_equal(n[BW_TUI_WAVE_AT_BREAK], 4);
	assert_int_equal(m.focus, bw_debug_focus(s.debug)->slot);
	/* all are resumed */
	OK(bw_debug_break_delete(s.debug, 0));
	OK(bw_debug_continue(s.debug));
	bw_tui_map_resumed(s.debug, &m);
	memset(n, 0, sizeof(n));
	for (uint32_t i = 0; i < m.facts.n_slots; i++)
		n[m.state[i]]++;
	assert_int_equal(n[BW_TUI_WAVE_RUNNING], 4);
	assert_int_equal(n[BW_TUI_WAVE_AT_BREAK], 0);
	bw_tui_map_fini(&m);
	fake_session_end(&s);
}

/* ---- Draws ---- */

static void test_draws(void **state)
{
	struct bw_tui_draws s = {.n = 3, .current = 2};
	struct bw_tui_page p = {.rows = 3, .columns = 40};
	bw_str_add(&s.text, "Draw  Kind   Pixel Shader\n"
			    "   1  plain  the driver's own\n"
			    "   2  plain  lit.frag\n"
			    "   3  plain  lit.frag");
	p.top = 1;
	bw_tui_draws_page(&s, &p);
	assert_string_equal(bw_str_text(&p.title), "3 so far");
	assert_int_equal(p.n_lines, 3);
	assert_int_equal(p.lines.len, 3);
	/* titles stay, and the last draw is that of the focus wave */
	assert_string_equal(bw_str_text(&p.lines.data[0].text), "Draw  Kind   Pixel Shader");
	assert_string_equal(bw_str_text(&p.lines.data[1].text), "   2  plain  lit.frag");
	assert_string_equal(bw_str_text(&p.lines.data[2].text), "   3  plain  lit.frag");
	assert_int_equal(bw_str_text(&p.lines.data[1].styles)[0], BW_TUI_PLAIN);
	assert_true(bw_str_text(&p.lines.data[2].styles)[0] & BW_TUI_BOLD);
	bw_tui_page_fini(&p);
	bw_tui_draws_fini(&s);
}

/* A session that has dispatches only has no draws. */
static void test_no_draws(void **state)
{
	struct fake_session f;
	struct bw_tui_draws s;
	struct bw_tui_page p = {.rows = 3, .columns = 40};
	stop_at(&f, "demo+4");
	bw_tui_draws_load(f.debug, &s);
	assert_int_equal(s.n, 0);
	bw_tui_draws_page(&s, &p);
	assert_non_null(strstr(bw_str_text(&p.lines.data[1].text), "[ Nothing Has Been Drawn ]"));
	bw_tui_page_fini(&p);
	bw_tui_draws_fini(&s);
	fake_session_end(&f);
}

/* ---- Memory ---- */

static const struct bw_print_format words = {.count = 1, .letter = 'z', .unit = 'w'};

static void test_memory(void **state)
{
	struct fake_session s;
	struct bw_tui_memory none = {.n = 0}, before, now;
	struct bw_tui_page p = {.rows = 3, .columns = 80};
	const uint32_t at[] = {0x64636261, 1, 0xffffffff, 0x7f20001f, 5};
	const uint8_t byte = 0xfe;
	stop_at(&s, "demo+4");
	OK(bw_debug_write(s.debug, BW_SPACE_GLOBAL, FAKE_BASE + 64, at, sizeof(at)));
	bw_tui_memory_load(s.debug, "0x700000000040", &words, &none, &before);
	assert_int_equal(before.n, BW_TUI_MEMORY_B);
	bw_tui_memory_page(&before, &p);
	assert_string_equal(bw_str_text(&p.title), "0x700000000040");
	assert_int_equal(p.n_lines, BW_TUI_MEMORY_B / 16);
	assert_string_equal(text_of(&p, 0), "0x700000000040 0x64636261 0x00000001 0xffffffff "
					    "0x7f20001f  abcd.......... .");
	assert_true(!strncmp(text_of(&p, 1), "0x700000000050 0x00000005 ", 26));
	assert_false(style_of(&p, 0, "0x64636261") & BW_TUI_REVERSE);

	/* one byte of a word, and only it, is another one; a place behind the end is new */
	OK(bw_debug_write(s.debug, BW_SPACE_GLOBAL, FAKE_BASE + 73, &byte, 1));
	bw_tui_memory_load(s.debug, "0x700000000044", &words, &before, &now);
	bw_tui_memory_page(&now, &p);
	assert_true(!strncmp(text_of(&p, 0), "0x700000000044 0x00000001 0xfffffeff ", 37));
	assert_true(style_of(&p, 0, "0xfffffeff") & BW_TUI_REVERSE);
	for (size_t i = 0; i < now.n; i++)
		assert_int_equal(now.is_changed[i], i == 5);
	bw_tui_memory_fini(&now);

	/* formats, units, a count, and as many bytes as there is room for */
	const struct bw_print_format shorts = {
		.count = 3, .has_count = true, .letter = 'd', .unit = 'h'};
	bw_tui_memory_load(s.debug, "0x700000000044", &shorts, &before, &now);
	bw_tui_memory_page(&now, &p);
	assert_int_equal(now.n, 6);
	assert_string_equal(text_of(&p, 0), "0x700000000044    1    0 -257"
					    "                           ......");
	p.columns = 40;
	bw_tui_memory_page(&now, &p);
	assert_string_equal(text_of(&p, 0), "0x700000000044    1    0  ....");
	assert_string_equal(text_of(&p, 1), "0x700000000048 -257       ..");
	bw_tui_memory_fini(&now);
	bw_tui_memory_fini(&before);
	bw_tui_page_fini(&p);
	fake_session_end(&s);
}

static void test_memory_that_ends(void **state)
{
	struct fake_session s;
	struct bw_tui_memory none = {.n = 0}, now;
	struct bw_tui_page p = {.rows = 3, .columns = 80};
	char last[32];
	stop_at(&s, "demo+4");
	snprintf(last, sizeof(last), "0x%llx", FAKE_BASE + FAKE_MEMORY_B - 37);
	bw_tui_memory_load(s.debug, last, &words, &none, &now);
	assert_int_equal(now.n, 37);
	bw_tui_memory_page(&now, &p);
	assert_int_equal(p.n_lines, 3);
	bw_tui_memory_fini(&now);
	/* what cannot be read, is no address or was not chosen says so */
	bw_tui_memory_load(s.debug, "0x10", &words, &none, &now);
	assert_int_equal(now.n, 0);
	assert_true(now.why[0]);
	bw_tui_memory_page(&now, &p);
	assert_int_equal(p.lines.len, 2);
	bw_tui_memory_fini(&now);
	bw_tui_memory_load(s.debug, "1.5", &words, &none, &now);
	assert_string_equal(now.why, "\"1.5\" is not an address");
	bw_tui_memory_fini(&now);
	bw_tui_memory_load(s.debug, NULL, &words, &none, &now);
	bw_tui_memory_page(&now, &p);
	assert_non_null(strstr(text_of(&p, 1), "No Memory Chosen"));
	bw_tui_memory_fini(&now);
	bw_tui_page_fini(&p);
	fake_session_end(&s);
}

TESTS(test_assembly, test_nothing, test_source, test_registers, test_status, test_lanes,
      test_lanes_of_a_wave, test_map, test_map_of_a_session, test_draws, test_no_draws, test_memory,
      test_memory_that_ends);
