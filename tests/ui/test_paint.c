// SPDX-License-Identifier: MIT
/* src/ui/paint.c: what gets which colour; and the text itself is never changed. */
#include "ui/paint.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

/* As people write it: {b}...{} is what a terminal shows blue. */
static const struct {
	const char *mark, *sgr;
} marks[] = {
	{"{bold}", "\033[1m"}, {"{d}", "\033[2m"},  {"{g}", "\033[32m"}, {"{y}", "\033[33m"},
	{"{b}", "\033[34m"},   {"{m}", "\033[35m"}, {"{c}", "\033[36m"}, {"{}", "\033[0m"},
};

static void expect(enum bw_paint kind, const char *marked)
{
	struct bw_str want = {0}, plain = {0}, got = {0};
	for (const char *p = marked; *p;) {
		size_t i = 0;
		while (i < BW_ARRAY_SIZE(marks) &&
		       strncmp(p, marks[i].mark, strlen(marks[i].mark)) != 0)
			i++;
		if (i < BW_ARRAY_SIZE(marks)) {
			bw_str_add(&want, marks[i].sgr);
			p += strlen(marks[i].mark);
			continue;
		}
		bw_str_addn(&want, p, 1);
		bw_str_addn(&plain, p++, 1);
	}
	bw_paint(kind, bw_str_text(&plain), &got);
	assert_string_equal(bw_str_text(&got), bw_str_text(&want));
	bw_str_free(&want);
	bw_str_free(&plain);
	bw_str_free(&got);
}

static void test_text(void **state)
{
	expect(BW_PAINT_TEXT, "");
	expect(BW_PAINT_TEXT, "#0  saxpy () at {g}saxpy.s{}:14");
	expect(BW_PAINT_TEXT, "#1  {b}0x000100001600{} in f (n=3) at {g}/tmp/k.cl{}:7");
	expect(BW_PAINT_TEXT, "$1 = 0x10, 0xdeadbeef, x0x123456789ab, {b}0x123456789{}\n");
	expect(BW_PAINT_TEXT, "a < b, <, <a b>, {y}<saxpy+4>{}, <unfinished");
	expect(BW_PAINT_TEXT, "12:30, wave 1:2, s.14, .s:");
}

static void test_source(void **state)
{
	expect(BW_PAINT_SOURCE, "14\t\ts_load_b32 s4, s[0:1], {m}0x8{}    {d}// a \"b\" 1{}");
	expect(BW_PAINT_SOURCE, "3\t{c}__kernel{} {y}void{} f({c}__global{} {y}float4{} *out)");
	expect(BW_PAINT_SOURCE, "4\t{c}return{} a[{m}3{}] + {m}1.5e-3f{} - x1; {d}/* why */{} b");
	expect(BW_PAINT_SOURCE, "5\t{d}/* a comment that goes on{}");
	expect(BW_PAINT_SOURCE, "6\tprintf({g}\"%d // \\\" no\"{}, {g}'\\''{}); it's");
	expect(BW_PAINT_SOURCE, "7\t{c}#include{} {g}\"a.h\"{}");
}

static void test_code(void **state)
{
	expect(BW_PAINT_CODE, "=> {b}0x7ffe10180000{} {y}<+24>{}:  {g}s_waitcnt{} lgkmcnt({m}0{})");
	expect(BW_PAINT_CODE,
	       "   {b}0x7ffe10180000{} {y}<f+24>{}:\t{g}v_add_f32{} v1, s[2:3], {m}1.0{}");
	expect(BW_PAINT_CODE, "=> {b}0x7ffe10180000{}:  (code cannot be read)");
}

static void test_title(void **state)
{
	expect(BW_PAINT_TITLE, "{bold}Id  Frame{}\n");
}

TESTS(test_text, test_source, test_code, test_title);
