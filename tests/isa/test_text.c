/* SPDX-License-Identifier: MIT */
#include "isa/text.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "isa/inst.h"
#include "vec.h"

static struct bw_isa_text *text;

static void expect(const uint32_t *w, size_t size_b, uint64_t pc, const char *line, size_t len)
{
	char got[200];
	assert_int_equal(bw_isa_text_line(text, w, size_b, pc, got, sizeof(got)), len);
	assert_string_equal(got, line);
}

static void golden_rows(void **state)
{
	FILE *f = vec_open("tests/golden/isa/decode.vec");
	assert_non_null(f);
	struct vec v;
	unsigned n = 0;
	while (vec_next(f, &v) == 1) {
		struct bw_inst in;
		uint64_t target;
		assert_true(bw_isa_decode(BW_ISA_GFX11, v.w, v.n_dw, &in));
		enum bw_flow flow = bw_isa_flow(&in, 0, &target);
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL)
			continue;
		char *two = strstr(v.text, "  "); /* LLVM writes two blanks after some names */
		if (two)
			memmove(two, two + 1, strlen(two));
		expect(v.w, 4 * v.n_dw, 0x1000, v.text, 4 * v.n_dw);
		n++;
	}
	fclose(f);
	assert_true(n > 1400);
}

static void targets_are_absolute(void **state)
{
	expect((uint32_t[]){0xbfa20002}, 4, 0x7f0010001228, "s_cbranch_scc1 0x7f0010001234", 4);
	expect((uint32_t[]){0xbfa0ffff}, 4, 0x1000, "s_branch 0x1000", 4);
	expect((uint32_t[]){0xba040010}, 4, 0x1000, "s_call_b64 s[4:5], 0x1044", 4);
	expect((uint32_t[]){0xbb040004}, 4, 0x1000, "s_subvector_loop_begin s4, 0x1014", 4);
}

static void wave_size(void **state)
{
	const uint32_t cmp[1] = {0x7c220501};
	expect(cmp, 4, 0, "v_cmp_lt_f32_e32 vcc_lo, v1, v2", 4);
	bw_isa_text_set_lanes(text, 64);
	expect(cmp, 4, 0, "v_cmp_lt_f32_e32 vcc, v1, v2", 4);
	bw_isa_text_set_lanes(text, 32);
}

static void what_is_no_instruction(void **state)
{
	expect((uint32_t[]){0xffffffff, 0}, 8, 0, ".long 0xffffffff", 4);
	/* cut off: the second dword of a VOP3 is missing */
	expect((uint32_t[]){0xd6130005}, 4, 0, ".long 0xd6130005", 4);
	expect((uint32_t[]){0x00000201}, 3, 0, ".byte 0x01, 0x02, 0x00", 3);
	expect((uint32_t[]){0}, 0, 0, "", 0);
	/* LLVM 19 crashes printing this one: a ray instruction with address registers past v255 */
	expect((uint32_t[]){0xf0648f81, 0x00020a01, 0xff000102}, 12, 0, ".long 0xf0648f81", 4);
	/* not known to LLVM 19 */
	expect((uint32_t[]){0x7e00cd01}, 4, 0, ".long 0x7e00cd01 // v_swap_b16", 4);
	expect((uint32_t[]){0xdcb60000, 0x007c0001}, 8, 0,
	       ".long 0xdcb60000, 0x007c0001 // global_load_lds_u8", 8);
}

/* The third source of a VOP3 instruction that has two, as ACO of Mesa 26 writes it. */
static void fields_that_are_not_used(void **state)
{
	expect((uint32_t[]){0xd72d0002, 0x02001f00}, 8, 0, "v_mul_hi_u32 v2, v0, s15", 8);
	expect((uint32_t[]){0xd72c0003, 0x02001502}, 8, 0, "v_mul_lo_u32 v3, v2, s10", 8);
}

static void short_buffers(void **state)
{
	const uint32_t w[2] = {0xd6130005, 0x040e0501};
	char got[8];
	memset(got, 'x', sizeof(got));
	assert_int_equal(bw_isa_text_line(text, w, 8, 0, got, 6), 8);
	assert_string_equal(got, "v_fma");
	assert_int_equal(got[6], 'x');
	assert_int_equal(bw_isa_text_line(text, w, 8, 0, NULL, 0), 8);
}

static void gfx942(void **state)
{
	/* clang-format off */
	static const struct {
		uint32_t w[2];
		unsigned n_dw;
		const char *line;
	} rows[] = {
		{{0xbe84007c}, 1, "s_mov_b32 s4, m0"},
		{{0xbf820002}, 1, "s_branch 0x100c"},
		{{0xdc538000, 0x05ff0002}, 2, "global_load_dword a5, v[2:3], off sc0 nt"},
		{{0x7d920300}, 1, "v_cmp_lt_u32_e32 vcc, v0, v1"},
		{{0x7db202f9, 0x01058400}, 2, "v_cmpx_lt_u32_sdwa s[4:5], v0, v1 src0_sel:WORD_1 src1_sel:BYTE_1"},
		{{0xd3c09100, 0x74020501}, 2, "v_mfma_f32_32x32x1_2b_f32 a[0:31], v1, a2, a[0:31] cbsz:1 abid:2 blgp:3"},
		/* LLVM 19 crashes printing a select that does not exist */
		{{0x7db202f9, 0x01078400}, 1, ".long 0x7db202f9"},
	};
	/* clang-format on */
	struct bw_isa_text *old = text;
	assert_null(bw_isa_text_create("gfx942", &text));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect(rows[i].w, 8, 0x1000, rows[i].line, 4 * rows[i].n_dw);
		bw_isa_text_set_lanes(text, 64); /* nothing else, on gfx9 */
	}
	bw_isa_text_destroy(text);
	text = old;
}

static void other_gpus(void **state)
{
	struct bw_isa_text *t = NULL;
	struct bw_error *err = bw_isa_text_create("gfx900", &t);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_UNSUPPORTED);
	assert_non_null(strstr(err->message, "gfx900"));
	assert_null(t);
	bw_error_free(err);
	bw_isa_text_destroy(NULL);
}

static int setup(void **state)
{
	struct bw_error *err = bw_isa_text_create("gfx1100", &text);
	bw_error_free(err);
	return err ? -1 : 0;
}

static int teardown(void **state)
{
	bw_isa_text_destroy(text);
	return 0;
}

TESTS_AROUND(setup, teardown, golden_rows, targets_are_absolute, wave_size, what_is_no_instruction,
	     short_buffers, gfx942, other_gpus, fields_that_are_not_used);
