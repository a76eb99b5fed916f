/* SPDX-License-Identifier: MIT */
/* The rows of decode.vec: name and length, and the operands that LLVM printed against those that
 * were decoded; then the fields that a row of text does not show. */
#include "isa/inst.h"
#include "isa/ops.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "vec.h"

static struct bw_inst decode(uint32_t w0, uint32_t w1, uint32_t w2)
{
	uint32_t w[3] = {w0, w1, w2};
	struct bw_inst in;
	if (!bw_isa_decode(BW_ISA_GFX11, w, 3, &in))
		fail_msg("%08x %08x %08x is an instruction", w0, w1, w2);
	return in;
}

/* An operand as LLVM prints it -> its code; -1: no register and no constant. */
static int code_of(const char *text, const struct bw_inst *in)
{
	static const struct {
		const char *text;
		int code;
	} words[] = {
		{"vcc_lo", 106}, {"vcc_hi", 107},  {"vcc", 106},     {"null", 124}, {"off", 124},
		{"m0", 125},	 {"exec_lo", 126}, {"exec_hi", 127}, {"exec", 126}, {"0.5", 240},
		{"-0.5", 241},	 {"1.0", 242},	   {"-1.0", 243},    {"2.0", 244},  {"-2.0", 245},
		{"4.0", 246},	 {"-4.0", 247},	   {"src_scc", 253},
	};
	if (in->has_literal && (strtoul(text, NULL, 0) == in->literal ||
				(in->literal == 0x3e22f983 && strcmp(text, "0.15915494") == 0)))
		return 255;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (strcmp(text, words[i].text) == 0)
			return words[i].code;
	int n, last;
	char half;
	if (sscanf(text, "v%d.%c", &n, &half) >= 1 || sscanf(text, "v[%d:%d]", &n, &last) == 2)
		return 256 + n;
	if (sscanf(text, "s%d", &n) == 1 || sscanf(text, "s[%d:%d]", &n, &last) == 2)
		return n;
	if (sscanf(text, "ttmp%d", &n) == 1 || sscanf(text, "ttmp[%d:%d]", &n, &last) == 2)
		return 108 + n;
	char *end;
	long value = strtol(text, &end, 10);
	if (end == text || *end)
		return -1;
	return value >= 0 ? 128 + (int)value : 192 - (int)value;
}

/* What should be printed, in order. */
struct want {
	int code[8];
	unsigned n;
};

static void add(struct want *w, int code)
{
	w->code[w->n++] = code;
}

static bool has(const char *list, const char *word)
{
	return strstr(list, word) != NULL;
}

static void want_alu(const struct bw_inst *in, struct want *w)
{
	const struct bw_op_info *info = bw_isa_op_info(in->op);
	bool scalar = in->fmt == BW_FMT_SOP1 || in->fmt == BW_FMT_SOP2 || in->fmt == BW_FMT_SOPC ||
		      in->fmt == BW_FMT_SOPK;
	bool sgpr_dst = scalar || info->dst[0].use == BW_USE_SGPR || info->class == BW_CLASS_CMP;
	bool shown = in->fmt == BW_FMT_SOPK
			     ? in->op != BW_OP_S_VERSION && in->op != BW_OP_S_SETREG_IMM32_B32 &&
				       in->op != BW_OP_S_SETREG_B32
			     : info->n_dst && info->dst[0].use != BW_USE_EXEC;
	if (shown)
		add(w, sgpr_dst ? in->dst : 256 + in->dst);
	if (in->fmt == BW_FMT_VOP3SD || info->dst[1].type == BW_OPERAND_MASK)
		add(w, in->sdst);
	for (unsigned i = 0; i < in->n_src; i++)
		add(w, in->src[i]);
	/* Message ids are printed as sendmsg(...). */
	if (info->src[0].use == BW_USE_MSG)
		w->n = 1;
}

static void want_vopd(const struct bw_inst *in, struct want *x, struct want *y)
{
	add(x, 256 + in->dst);
	for (unsigned i = 0; i < in->n_src; i++)
		if (in->op != BW_OP_V_DUAL_CNDMASK_B32 || i < 2)
			add(x, in->src[i]);
	add(y, 256 + in->dst_y);
	for (unsigned i = 0; i < in->n_src_y; i++)
		if (in->op_y != BW_OP_V_DUAL_CNDMASK_B32 || i < 2)
			add(y, in->src_y[i]);
}

/* False when the row prints its operands in a way of its own. */
static bool want_memory(const struct bw_inst *in, struct want *w)
{
	const struct bw_op_info *info = bw_isa_op_info(in->op);
	unsigned n_src = 0;
	for (unsigned i = 0; i < info->n_src; i++)
		n_src += info->src[i].type != BW_OPERAND_IMM && !info->src[i].is_dst;
	bool returns = info->n_dst && (!info->dst[0].is_optional || in->glc);
	if (in->fmt == BW_FMT_SMEM) {
		if (has(info->name, "inv") || has(info->name, "probe"))
			return false;
		add(w, in->dst);
		add(w, in->saddr);
		if (in->soffset != BW_SRC_NULL || !in->imm)
			add(w, in->soffset);
	} else if (in->fmt == BW_FMT_DS) {
		static const char *const own[] = {"addtid", "append", "consume", "gws",
						  "gs_reg", "bvh",    "nop",	 "ordered"};
		for (unsigned i = 0; i < BW_ARRAY_SIZE(own); i++)
			if (has(info->name, own[i]))
				return false;
		if (returns)
			add(w, 256 + in->dst);
		add(w, 256 + in->vaddr);
		if (n_src > 1)
			add(w, 256 + in->vdata);
		if (n_src > 2)
			add(w, 256 + in->vdata2);
	} else if (in->fmt == BW_FMT_FLAT || in->fmt == BW_FMT_GLOBAL ||
		   in->fmt == BW_FMT_SCRATCH) {
		if (has(info->name, "addtid"))
			return false;
		if (returns)
			add(w, 256 + in->dst);
		add(w, in->fmt == BW_FMT_SCRATCH && !in->sve ? 124 : 256 + in->vaddr);
		if (n_src > (in->fmt == BW_FMT_FLAT ? 1 : 2))
			add(w, 256 + in->vdata);
		if (in->fmt != BW_FMT_FLAT)
			add(w, in->saddr);
	} else if (in->fmt == BW_FMT_MUBUF || in->fmt == BW_FMT_MTBUF) {
		if (has(info->name, "_inv") || has(info->name, "_lds_"))
			return false;
		add(w, 256 + in->vdata);
		add(w, in->offen || in->idxen ? 256 + in->vaddr : 124);
		add(w, in->srsrc);
		add(w, in->saddr);
	} else {
		return false;
	}
	return true;
}

static unsigned n_operands_checked;

static void check_operands(const struct vec *v, const char *text, const struct want *want,
			   const struct bw_inst *in, unsigned neg, unsigned abs)
{
	const char *p = text + strcspn(text, " ");
	for (unsigned i = 0; i < want->n; i++) {
		p += strspn(p, " ,");
		char word[64];
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, ", \""), p);
		p += strcspn(p, ", \"");
		char *bare = word;
		bool minus = bare[0] == '-' && (bare[1] == 'v' || bare[1] == 's' || bare[1] == '|');
		bare += minus;
		bool bars = *bare == '|';
		if (bars) {
			bare++;
			bare[strlen(bare) - 1] = '\0';
		}
		int got = code_of(bare, in);
		if (got != want->code[i])
			fail_msg("%s: operand %u of \"%s\" is %d, decoded as %d", v->name, i,
				 v->text, got, want->code[i]);
		if ((minus || bars) &&
		    (i == 0 || minus != (neg >> (i - 1) & 1) || bars != (abs >> (i - 1) & 1)))
			fail_msg("%s: modifiers of operand %u of \"%s\"", v->name, i, v->text);
		n_operands_checked++;
	}
}

static void check_row(const struct vec *v)
{
	struct bw_inst in;
	if (!bw_isa_decode(BW_ISA_GFX11, v->w, v->n_dw, &in))
		fail_msg("%s \"%s\" is an instruction", v->name, v->text);
	assert_int_equal(in.size_b, 4 * v->n_dw);
	char name[80];
	snprintf(name, sizeof(name), "%s%s%s", bw_isa_op_info(in.op)->name, in.op_y ? " :: " : "",
		 in.op_y ? bw_isa_op_info(in.op_y)->name : "");
	assert_string_equal(name, v->name);
	struct want w = {0}, y = {0};
	switch ((unsigned)in.fmt) {
	case BW_FMT_SOP1:
	case BW_FMT_SOP2:
	case BW_FMT_SOPC:
	case BW_FMT_SOPK:
	case BW_FMT_VOP1:
	case BW_FMT_VOP2:
	case BW_FMT_VOPC:
	case BW_FMT_VOP3:
	case BW_FMT_VOP3SD:
	case BW_FMT_VOP3P:
	case BW_FMT_VINTERP:
		want_alu(&in, &w);
		check_operands(v, v->text, &w, &in, in.neg, in.abs);
		break;
	case BW_FMT_VOPD: {
		want_vopd(&in, &w, &y);
		check_operands(v, v->text, &w, &in, 0, 0);
		const char *second = strstr(v->text, " :: ");
		assert_non_null(second);
		check_operands(v, second + 4, &y, &in, 0, 0);
		break;
	}
	default:
		if (want_memory(&in, &w))
			check_operands(v, v->text, &w, &in, 0, 0);
	}
	/* Nothing shorter is enough. */
	for (unsigned n = 0; n < v->n_dw; n++)
		assert_false(bw_isa_decode(BW_ISA_GFX11, v->w, n, &in));
}

static void golden_rows(void **state)
{
	FILE *f = vec_open("tests/golden/isa/decode.vec");
	assert_non_null(f);
	struct vec v;
	unsigned n = 0;
	int got;
	while ((got = vec_next(f, &v)) == 1) {
		check_row(&v);
		n++;
	}
	fclose(f);
	assert_int_equal(got, 0);
	print_message("%u rows, %u operands\n", n, n_operands_checked);
	assert_true(n > 1479 && n_operands_checked > 3000);
}

static void sixteen_bit_halves(void **state)
{
	/* v_add_f16 v1.h, v2.h, v3.l: compact, so 128 + n names the high half */
	struct bw_inst in = decode(0x64000000 | 129 << 17 | 3 << 9 | (256 + 128 + 2), 0, 0);
	assert_int_equal(in.op, BW_OP_V_ADD_F16);
	assert_int_equal(in.dst, 1);
	assert_int_equal(in.src[0], 258);
	assert_int_equal(in.src[1], 259);
	assert_int_equal(in.op_sel, 1 | 8);
	/* v_cvt_f32_f16 v200, v0.h: only the source is 16 bits wide */
	in = decode(0x7e000000 | 200u << 17 | 11 << 9 | (256 + 128), 0, 0);
	assert_int_equal(in.op, BW_OP_V_CVT_F32_F16);
	assert_int_equal(in.dst, 200);
	assert_int_equal(in.src[0], 256);
	assert_int_equal(in.op_sel, 1);
	/* v_add_f32 v200, v200, v200 has no halves */
	in = decode(0x06000000 | 200 << 17 | 200 << 9 | (256 + 200), 0, 0);
	assert_int_equal(in.dst, 200);
	assert_int_equal(in.src[0], 456);
	assert_int_equal(in.op_sel, 0);
}

static void dpp_fields(void **state)
{
	/* v_add_f32_dpp v3, -|v1|, -v2 row_ror:5 row_mask:0xa bank_mask:0x5 bound_ctrl:1 fi:1 */
	struct bw_inst in = decode(0x060604fa, 0xa57d2501, 0);
	assert_int_equal(in.size_b, 8);
	assert_int_equal(in.dpp, BW_DPP_16);
	assert_int_equal(in.src[0], 257);
	assert_int_equal(in.dpp_ctrl, 0x125);
	assert_int_equal(in.row_mask, 0xa);
	assert_int_equal(in.bank_mask, 5);
	assert_true(in.bound_ctrl && in.fi);
	assert_int_equal(in.neg, 3);
	assert_int_equal(in.abs, 1);
	in = decode(0x060604e9, 0xfac68801, 0);
	assert_int_equal(in.dpp, BW_DPP_8);
	assert_int_equal(in.dpp8_sel, 0xfac688); /* lane n reads lane n */
	assert_false(in.fi);
	assert_true(decode(0x060604ea, 0xfac68801, 0).fi);
	/* the 64-bit form has its own neg and abs */
	in = decode(0xd5030105, 0x400204fa, 0xff00e402);
	assert_int_equal(in.size_b, 12);
	assert_int_equal(in.src[0], 258);
	assert_int_equal(in.src[1], 258);
	assert_int_equal(in.abs, 1);
	assert_int_equal(in.neg, 2);
	uint32_t reserved[2] = {0x060604fa, 0xff014201}; /* row_bcast15 of older generations */
	struct bw_inst bad;
	assert_false(bw_isa_decode(BW_ISA_GFX11, reserved, 2, &bad));
}

static void vop3_modifiers(void **state)
{
	/* v_fma_f16: op_sel 1,0,1,1, clamp, mul:4, -|s2| */
	struct bw_inst in = decode(0xd6480000 | 5 | 4 << 8 | 0xd << 11 | 1 << 15,
				   0x040e0501 | 2u << 27 | 4u << 29, 0);
	assert_int_equal(in.op, BW_OP_V_FMA_F16);
	assert_int_equal(in.op_sel, 0xd);
	assert_true(in.clamp);
	assert_int_equal(in.omod, 2);
	assert_int_equal(in.neg, 4);
	assert_int_equal(in.abs, 4);
	/* v_pk_fma_f16 op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,1,0] neg_hi:[0,0,1] */
	in = decode(0xcc0e0005 | 4 << 8 | 1 << 11 | 1 << 14, 0x040e0501 | 2u << 27 | 2u << 29, 0);
	assert_int_equal(in.op, BW_OP_V_PK_FMA_F16);
	assert_int_equal(in.op_sel, 1);
	assert_int_equal(in.op_sel_hi, 6);
	assert_int_equal(in.neg, 2);
	assert_int_equal(in.neg_hi, 4);
}

static void implied_operands(void **state)
{
	struct bw_inst in = decode(0x02060501, 0, 0); /* v_cndmask_b32_e32 v3, v1, v2, vcc */
	assert_int_equal(in.n_src, 3);
	assert_int_equal(in.src[2], BW_SRC_VCC_LO);
	in = decode(0x40060501, 0, 0); /* v_add_co_ci_u32_e32 v3, vcc, v1, v2, vcc */
	assert_int_equal(in.op, BW_OP_V_ADD_CO_CI_U32);
	assert_int_equal(in.sdst, BW_SRC_VCC_LO);
	assert_int_equal(in.src[2], BW_SRC_VCC_LO);
	in = decode(0x7c220501, 0, 0); /* v_cmp_lt_f32_e32 */
	assert_int_equal(in.op, BW_OP_V_CMP_LT_F32);
	assert_int_equal(in.dst, BW_SRC_VCC_LO);
	assert_int_equal(decode(0x7d220501, 0, 0).dst, BW_SRC_EXEC_LO);
	assert_int_equal(decode(0xd4910003, 0x00020501, 0).dst,
			 BW_SRC_EXEC_LO);	/* v_cmpx_e64, VDST 3 */
	in = decode(0x58060501, 0x40490fdb, 0); /* v_fmamk_f32 v3, v1, K, v2 */
	assert_int_equal(in.n_src, 3);
	assert_int_equal(in.src[1], BW_SRC_LITERAL);
	assert_int_equal(in.src[2], 258);
	assert_int_equal(in.literal, 0x40490fdb);
}

static void literals(void **state)
{
	/* Two sources, one literal. */
	struct bw_inst in = decode(0x8000ffff, 0x12345678, 0);
	assert_int_equal(in.size_b, 8);
	assert_int_equal(in.src[0], 255);
	assert_int_equal(in.src[1], 255);
	/* Both halves of a VOPD share it. */
	in = decode(0xc8c600ff, 0x070604ff, 0x12345678);
	assert_int_equal(in.size_b, 12);
	assert_int_equal(in.src[0], 255);
	assert_int_equal(in.src_y[0], 255);
	assert_int_equal(in.literal, 0x12345678);
	in = decode(0xb9800005, 0xdeadbeef, 0); /* s_setreg_imm32_b32 */
	assert_int_equal(in.size_b, 8);
	assert_int_equal(in.literal, 0xdeadbeef);
	/* no literal with DPP: v_add_f32_e64 v5, v1 dpp, 255 */
	uint32_t both[3] = {0xd5030005, 0x0001fefa, 0xff00e401};
	struct bw_inst bad;
	assert_false(bw_isa_decode(BW_ISA_GFX11, both, 3, &bad));
	assert_int_equal(bad.op, BW_OP_ILLEGAL);
	assert_int_equal(bad.size_b, 4);
	assert_int_equal(bad.fmt, BW_FMT_VOP3);
	assert_int_equal(bad.opcode, 259);
}

static void sgpr_runs_are_aligned(void **state)
{
	assert_int_equal(decode(0xbe840105, 0, 0).src[0], 4); /* s_mov_b64 s[4:5], s5 */
	assert_int_equal(decode(0xbe85016d, 0, 0).dst, 4);    /* s_mov_b64 s5, ttmp1 */
	assert_int_equal(decode(0xbe85016d, 0, 0).src[0], 108);
	assert_int_equal(decode(0xf4080181, 0xf8000000, 0).dst, 4); /* s_load_b128 s6 */
	struct bw_inst in;
	uint32_t vcc_hi = 0xbe84016b; /* s_mov_b64 s[4:5], vcc_hi */
	assert_false(bw_isa_decode(BW_ISA_GFX11, &vcc_hi, 1, &in));
	uint32_t beyond[2] = {0xf4100001 | 102 << 6, 0xf8000000}; /* s_load_b512 s102 */
	assert_false(bw_isa_decode(BW_ISA_GFX11, beyond, 2, &in));
	/* VCC ends a run. Both as RADV emits them. */
	in = decode(0xf4200034, 0xce000000, 0); /* s_buffer_load_b32 s0, s[104:107], s103 */
	assert_int_equal(in.saddr, 104);
	in = decode(0xf42c1906, 0xf8000000, 0); /* s_buffer_load_b256 s[100:107], s[12:15] */
	assert_int_equal(in.dst, 100);
	uint32_t over[2] = {0xf40c0001 | 104 << 6, 0xf8000000}; /* s_load_b256 s104 */
	assert_false(bw_isa_decode(BW_ISA_GFX11, over, 2, &in));
}

static void memory_fields(void **state)
{
	struct bw_inst in = decode(0xdc521ff8 | 1 << 13 | 1 << 14 | 1 << 15, 0x05040001, 0);
	assert_int_equal(in.op, BW_OP_GLOBAL_LOAD_B32);
	assert_int_equal(in.imm, -8);
	assert_int_equal(in.saddr, 4);
	assert_int_equal(in.vaddr, 1);
	assert_int_equal(in.dst, 5);
	assert_true(in.glc && in.slc && in.dlc);
	assert_int_equal(decode(0xdc501ff8, 0x057c0001, 0).imm,
			 0xff8);		/* FLAT: 12 bits, unsigned */
	in = decode(0xdc510010, 0x05840001, 0); /* scratch, VGPR and SGPR */
	assert_true(in.sve);
	assert_int_equal(in.saddr, 4);
	in = decode(0xd8380102 | 1 << 17, 0x00070605, 0); /* ds_store_2addr_b32 v5, v6, v7 gds */
	assert_int_equal(in.op, BW_OP_DS_STORE_2ADDR_B32);
	assert_int_equal(in.vaddr, 5);
	assert_int_equal(in.vdata, 6);
	assert_int_equal(in.vdata2, 7);
	assert_int_equal(in.offset0, 2);
	assert_int_equal(in.offset1, 1);
	assert_int_equal(in.imm, 0x102);
	assert_true(in.gds);
	in = decode(0xf4040101, 0x08 << 24 | 0x1ffffc,
		    0); /* s_load_b64 s[4:5], s[2:3], s4 offset:-4 */
	assert_int_equal(in.imm, -4);
	assert_int_equal(in.saddr, 2);
	assert_int_equal(in.soffset, 4);
	in = decode(0xe0502123, 0x80420a01 | 1 << 21, 0);
	assert_int_equal(in.op, BW_OP_BUFFER_LOAD_B32);
	assert_int_equal(in.imm, 0x123);
	assert_int_equal(in.srsrc, 8);
	assert_int_equal(in.saddr, 128);
	assert_true(in.offen && in.tfe && in.dlc && !in.idxen);
	in = decode(0xf0800f19, 0x08020a01, 0x07050302); /* image_sample with NSA */
	assert_int_equal(in.size_b, 12);
	assert_int_equal(in.n_nsa, 4);
	assert_int_equal(in.nsa[0], 2);
	assert_int_equal(in.nsa[3], 7);
	assert_int_equal(in.dmask, 15);
	assert_int_equal(in.dim, 6);
	assert_int_equal(in.ssamp, 8);
	in = decode(0xf8002bfa, 0x04030201, 0); /* exp, target 63, done, row_en */
	assert_int_equal(in.exp_target, 63);
	assert_int_equal(in.exp_en, 10);
	assert_true(in.exp_done && in.exp_row);
	assert_int_equal(in.exp_src[3], 4);
	in = decode(0xce07ab03, 0, 0); /* lds_param_load v3, attr42.w wait_vdst:7 */
	assert_int_equal(in.attr, 42);
	assert_int_equal(in.attr_chan, 3);
	assert_int_equal(in.wait, 7);
}

static void names_and_infos(void **state)
{
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		const struct bw_op_info *info = bw_isa_op_info(op);
		assert_int_equal(bw_isa_op_by_name(info->name), op);
		assert_true(info->fmt > BW_FMT_ILLEGAL && info->fmt < BW_FMT_COUNT);
		assert_string_not_equal(bw_isa_fmt_name(info->fmt), "illegal");
		assert_true(info->same != BW_OP_ILLEGAL);
	}
	assert_int_equal(bw_isa_op_by_name("v_add_f32"), BW_OP_V_ADD_F32);
	assert_int_equal(bw_isa_op_by_name("v_add"), BW_OP_ILLEGAL);
	assert_int_equal(bw_isa_op_by_name(""), BW_OP_ILLEGAL);
	assert_int_equal(bw_isa_op_by_name("zzz"), BW_OP_ILLEGAL);
	const struct bw_op_info *info = bw_isa_op_info(BW_OP_V_ADD_F32);
	assert_int_equal(info->fmt, BW_FMT_VOP2);
	assert_int_equal(info->class, BW_CLASS_MAP);
	assert_int_equal(info->n_src, 2);
	assert_int_equal(info->src[1].type, BW_OPERAND_FLOAT);
	assert_int_equal(info->src[1].bits, 32);
	assert_int_equal(bw_isa_op_info(BW_OP_V_DUAL_FMAC_F32)->same, BW_OP_V_FMAC_F32);
	assert_string_equal(bw_isa_op_info((enum bw_op)99999)->name, "illegal");
	assert_string_equal(bw_isa_fmt_name((enum bw_fmt)99), "illegal");
}

/* In bytes of code: not further than these. */
static void at_an_offset(void **state)
{
	(void)state;
	/* s_nop 0, v_mov_b32 v1, 0x12345678 (llvm-mc-19) */
	const uint32_t code[] = {0xbf800000, 0x7e0202ff, 0x12345678};
	struct bw_inst in;
	assert_true(bw_isa_decode_at(BW_ISA_GFX11, code, 12, 0, &in));
	assert_true(in.op == BW_OP_S_NOP && in.size_b == 4);
	assert_true(bw_isa_decode_at(BW_ISA_GFX11, code, 12, 4, &in));
	assert_true(in.op == BW_OP_V_MOV_B32 && in.size_b == 8 && in.literal == 0x12345678);
	/* its literal is not there, or not all of it; not where a dword begins; behind the end */
	const uint64_t refused[][2] = {{8, 4},	 {11, 4}, {12, 2},
				       {12, 12}, {3, 0},  {12, 1ull << 63}};
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_false(
			bw_isa_decode_at(BW_ISA_GFX11, code, refused[i][0], refused[i][1], &in));
		assert_true(in.op == BW_OP_ILLEGAL && in.size_b == 4);
	}
}

TESTS(golden_rows, sixteen_bit_halves, dpp_fields, vop3_modifiers, implied_operands, literals,
      sgpr_runs_are_aligned, memory_fields, at_an_offset, names_and_infos);
