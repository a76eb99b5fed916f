/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "inject/code_text.h"

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

/* Words by llvm-mc-19 -mcpu=gfx1100. */
static const uint32_t code[] = {
	0xbe804700,		/* 00 s_getpc_b64 s[0:1] */
	0x8000ff00, 0x0000001c, /* 04 s_add_u32 s0, s0, 0x1c: 0x20 */
	0x82018001,		/* 0c s_addc_u32 s1, s1, 0 */
	0xbfa50001,		/* 10 s_cbranch_execz 1: 0x18 */
	0x7e000280,		/* 14 v_mov_b32_e32 v0, 0 */
	0xbfb00000,		/* 18 s_endpgm */
	0xbf9f0000,		/* 1c s_code_end */
	0x00000007, 0x00000009, /* 20 constants */
	0xbf9f0000,
};

static void labels_and_constants(void **state)
{
	(void)state;
	struct bw_code_text *c;
	struct bw_str s = {0};
	ok(bw_code_text_create(code, sizeof(code), 64, &c));
	assert_int_equal(bw_code_text_size(c), 0x28);
	ok(bw_code_text_write(c, &s));
	assert_string_equal(bw_str_text(&s), "\ts_getpc_b64 s[0:1]\n"
					     "P0004:\n"
					     "\ts_add_u32 s0, s0, C0020-P0004\n"
					     "\ts_addc_u32 s1, s1, 0\n"
					     "\ts_cbranch_execz L0018\n"
					     "\tv_mov_b32_e32 v0, 0\n"
					     "L0018:\n"
					     "\ts_endpgm\n"
					     "\t.long 0xbf9f0000\n"
					     "C0020:\n"
					     "\t.long 0x00000007, 0x00000009\n");
	bw_str_free(&s);
	bw_code_text_free(c);
}

/* RADV's compiler puts others in between; they write no s0. */
static void constants_behind_other_instructions(void **state)
{
	(void)state;
	static const uint32_t spread[] = {
		0xbe804700,		/* 00 s_getpc_b64 s[0:1] */
		0xbf870009,		/* 04 s_delay_alu instid0(SALU_CYCLE_1) */
		0x7e000280,		/* 08 v_mov_b32_e32 v0, 0 */
		0x8000ff00, 0x00000014, /* 0c s_add_u32 s0, s0, 0x14: 0x18 */
		0xbfb00000,		/* 14 s_endpgm */
		0x00000007, 0x00000009, /* 18 constants */
		0xbf9f0000,
	};
	struct bw_code_text *c;
	ok(bw_code_text_create(spread, sizeof(spread), 64, &c));
	assert_int_equal(bw_code_text_instructions(c), 0x18);
	assert_int_equal(bw_code_text_size(c), 0x20);
	bw_code_text_free(c);
}

/* What assembles to something else becomes words; the text stays to be read. */
static void slots_that_differ_become_words(void **state)
{
	(void)state;
	struct bw_code_text *c;
	struct bw_str s = {0};
	ok(bw_code_text_create(code + 5, 2 * 4, 32, &c));
	ok(bw_code_text_slots(c, &s));
	assert_string_equal(bw_str_text(&s), "\t.balign 16, 0\n\tv_mov_b32_e32 v0, 0\n"
					     "\t.balign 16, 0\n\ts_endpgm\n");
	bw_str_clear(&s);
	uint32_t made[5] = {0x7e000280, 0, 0, 0, 0xbfb00000};
	bw_code_text_compare(c, made, sizeof(made));
	ok(bw_code_text_write(c, &s));
	assert_string_equal(bw_str_text(&s), "\tv_mov_b32_e32 v0, 0\n\ts_endpgm\n");
	bw_str_clear(&s);
	made[0] ^= 1;
	bw_code_text_compare(c, made, sizeof(made));
	bw_code_text_refuse(c, 1000);
	ok(bw_code_text_write(c, &s));
	assert_string_equal(bw_str_text(&s),
			    "\t.long 0x7e000280 // v_mov_b32_e32 v0, 0\n\ts_endpgm\n");
	/* a slot that is cut off is no slot that is the same */
	bw_str_clear(&s);
	bw_code_text_compare(c, made + 4, 0);
	ok(bw_code_text_write(c, &s));
	assert_non_null(strstr(bw_str_text(&s), "// s_endpgm"));
	bw_str_free(&s);
	bw_code_text_free(c);
}

static void refused(const uint32_t *dw, size_t n)
{
	struct bw_code_text *c = NULL;
	struct bw_error *err = bw_code_text_create(dw, n * 4, 64, &c);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_INVALID);
	bw_error_free(err);
}

static void what_has_no_end_is_refused(void **state)
{
	(void)state;
	static const uint32_t away[] = {0xbfa00064}; /* s_branch 100 */
	refused(code, 0);
	refused(code, 2);
	refused(code, 6);
	refused(away, 1);
}

TESTS(labels_and_constants, constants_behind_other_instructions, slots_that_differ_become_words,
      what_has_no_end_is_refused);
