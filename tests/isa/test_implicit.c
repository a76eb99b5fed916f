/* SPDX-License-Identifier: MIT */
/* Registers that instructions read and write without naming them, against what LLVM 19.1 says of
 * them (tests/golden/isa/implicit.vec). Where the tables differ, a row of `differences` says
 * why. */
#include "isa/inst.h"
#include "isa/ops.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/str.h"
#include "base/util.h"
#include "facts.h"
#include "vec.h"

/* What LLVM has no register for. */
enum {
	OURS_ALONE = BW_IMPLICIT_STATUS | BW_IMPLICIT_PC | BW_IMPLICIT_TTMP0 | BW_IMPLICIT_TTMP1 |
		     BW_IMPLICIT_HWREG,
	EXEC = BW_IMPLICIT_EXEC,
	M0 = BW_IMPLICIT_M0,
	MODE = BW_IMPLICIT_MODE,
	SCC = BW_IMPLICIT_SCC,
};

/* clang-format off */
static struct difference {
	const char *prefix; /* of names */
	enum bw_fmt fmt;
	unsigned our_reads, llvm_reads, our_writes, llvm_writes; /* what only one of them has */
	const char *why;
	bool seen;
} differences[] = {
	{"s_quadmask", BW_FMT_SOP1, 0, 0, SCC, 0, "The ISA manual's definition of the opcode writes SCC.", false},
	{"s_sendmsg_rtn", BW_FMT_SOP1, M0, 0, 0, 0, "M0 is the payload of messages that need one (rule 305).", false},
	{"s_sendmsg", BW_FMT_SOPP, 0, EXEC, 0, 0, "A message is sent once for a wave, whatever its lanes are.", false},
	{"s_getreg", BW_FMT_SOPK, 0, MODE, 0, 0, "HWREG: the immediate says which register it is.", false},
	{"s_setreg", BW_FMT_SOPK, 0, MODE, 0, MODE, "HWREG: the immediate says which register it is.", false},
	{"v_nop", BW_FMT_VOP1, 0, EXEC, 0, 0, "Does nothing in any lane.", false},
	{"v_nop", BW_FMT_VOP3, 0, EXEC, 0, 0, "Does nothing in any lane.", false},
	{"v_pipeflush", BW_FMT_VOP1, 0, EXEC, 0, 0, "Does nothing in any lane.", false},
	{"v_pipeflush", BW_FMT_VOP3, 0, EXEC, 0, 0, "Does nothing in any lane.", false},
	{"v_movrelsd_2", BW_FMT_VOP1, EXEC, 0, 0, 0, "Writes the lanes of EXEC like its kin, where LLVM has it (rule 1).", false},
	{"v_movrelsd_2", BW_FMT_VOP3, EXEC, 0, 0, 0, "Writes the lanes of EXEC like its kin, where LLVM has it (rule 1).", false},
	{"v_swaprel", BW_FMT_VOP1, EXEC, 0, 0, 0, "Writes the lanes of EXEC like v_swap, where LLVM has it (rule 1).", false},
	{"v_wmma", BW_FMT_VOP3P, 0, EXEC, 0, 0, "Runs with all lanes (rule 15).", false},
	{"v_interp_p10_rtz", BW_FMT_VINTERP, MODE, M0, 0, 0,
	 "M0 is read by lds_param_load on gfx11; what is a fixed rounding still has MODE's denormals.", false},
	{"v_interp_p2_rtz", BW_FMT_VINTERP, MODE, M0, 0, 0,
	 "M0 is read by lds_param_load on gfx11; what is a fixed rounding still has MODE's denormals.", false},
	{"v_interp", BW_FMT_VINTERP, 0, M0, 0, 0, "M0 is read by lds_param_load on gfx11.", false},
	{"ds_nop", BW_FMT_DS, 0, EXEC | M0, 0, 0, "Does nothing in any lane.", false},
	{"ds_", BW_FMT_DS, 0, M0, 0, 0,
	 "M0 limited LDS before gfx9; on RDNA3 it is for addtid, append, consume, GDS and GWS (rule 402).", false},
	{"buffer_gl0_inv", BW_FMT_MUBUF, 0, EXEC, 0, 0, "Invalidates a cache once for a wave (rule 19).", false},
	{"buffer_gl1_inv", BW_FMT_MUBUF, 0, EXEC, 0, 0, "Invalidates a cache once for a wave (rule 19).", false},
	{"exp", BW_FMT_EXP, M0, 0, 0, 0, "M0 is read with ROW_EN, which is another instruction to LLVM.", false},
};
/* clang-format on */

/* Encodings that LLVM 19 does not know: rows marked `unverified`. */
enum { UNKNOWN_TO_LLVM = 16 };

static struct difference *difference_of(const char *name, enum bw_fmt fmt)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(differences); i++)
		if (differences[i].fmt == fmt && bw_starts_with(name, differences[i].prefix))
			return &differences[i];
	return NULL;
}

static void compare(const char *name, const struct bw_inst *in, unsigned uses, unsigned defs)
{
	unsigned reads = in->reads & ~(unsigned)OURS_ALONE,
		 writes = in->writes & ~(unsigned)OURS_ALONE;
	if (reads == uses && writes == defs)
		return;
	struct difference *d = difference_of(name, in->fmt);
	if (!d || (reads & ~uses) != d->our_reads || (uses & ~reads) != d->llvm_reads ||
	    (writes & ~defs) != d->our_writes || (defs & ~writes) != d->llvm_writes)
		fail_msg("%s %s: reads %#x, LLVM %#x; writes %#x, LLVM %#x",
			 bw_isa_fmt_name(in->fmt), name, reads, uses, writes, defs);
	d->seen = true;
}

static bool seen[BW_OP_COUNT][BW_FMT_COUNT][2];

static void all_rows(void **state)
{
	FILE *f = vec_open("tests/golden/isa/implicit.vec");
	char line[256], name[64], second[64], uses[64], defs[64];
	unsigned n_rows = 0;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		uint32_t w[3] = {0};
		if (line[0] == '#')
			continue;
		/* Dwords have eight digits; the second is not always there. */
		int n = sscanf(line, "%63s %8x %63s %63s %63s", name, &w[0], second, uses, defs);
		if (n == 4) {
			memcpy(defs, uses, sizeof(defs));
			memcpy(uses, second, sizeof(uses));
		} else {
			assert_int_equal(n, 5);
			w[1] = (uint32_t)strtoul(second, NULL, 16);
		}
		struct bw_inst in;
		if (!bw_isa_decode(BW_ISA_GFX11, w, 3, &in))
			fail_msg("%s", line);
		bool is_y = in.fmt == BW_FMT_VOPD && !strcmp(bw_isa_op_info(in.op_y)->name, name);
		enum bw_op op = is_y ? in.op_y : in.op;
		assert_string_equal(bw_isa_op_info(op)->name, name);
		compare(name, &in, implicit_set(uses), implicit_set(defs));
		seen[op][in.fmt][is_y] = true;
		if (is_y && op == in.op)
			seen[op][in.fmt][0] = true;
		n_rows++;
	}
	fclose(f);
	assert_true(n_rows > 1400);
	for (size_t i = 0; i < BW_ARRAY_SIZE(differences); i++)
		if (!differences[i].seen)
			fail_msg("%s (%s): there is no such difference", differences[i].prefix,
				 differences[i].why);
}

static void no_encoding_is_missing(void **state)
{
	unsigned n_unseen = 0;
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		struct bw_op_encoding e[8];
		size_t n = bw_isa_op_encodings(BW_ISA_GFX11, op, e, BW_ARRAY_SIZE(e));
		assert_in_range(n, bw_isa_has_op(BW_ISA_GFX11, op), BW_ARRAY_SIZE(e));
		for (size_t i = 0; i < n; i++) {
			if (seen[op][e[i].fmt][e[i].is_y])
				continue;
			print_message("not known to LLVM: %s %s\n", bw_isa_fmt_name(e[i].fmt),
				      bw_isa_op_info(op)->name);
			n_unseen++;
		}
	}
	assert_int_equal(n_unseen, UNKNOWN_TO_LLVM);
}

/* The sets are those of the form, not of the opcode; a VOPD has those of both halves. */
static void forms(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		uint32_t w[2];
		unsigned reads, writes;
	} rows[] = {
		{"v_cmp_lt_u32_e32 vcc_lo, v0, v0", {0x7c920100}, EXEC, BW_IMPLICIT_VCC},
		{"v_cmp_lt_u32_e64 s4, v0, v0", {0xd4490004, 0x00020100}, EXEC, 0},
		{"v_cmpx_lt_u32_e64 v0, v0", {0xd4c9007e, 0x00020100}, EXEC, EXEC},
		{"v_cndmask_b32_e32 v2, v0, v0, vcc_lo", {0x02040100}, EXEC | BW_IMPLICIT_VCC, 0},
		{"v_cndmask_b32_e64 v2, v0, v0, s4", {0xd5010002, 0x00120100}, EXEC, 0},
		{"v_dual_mov_b32 v0, v0 :: v_dual_mov_b32 v1, v1", {0xca100100, 0x00000101}, EXEC, 0},
		{"v_dual_mov_b32 v0, v0 :: v_dual_cndmask_b32 v1, v1, v1", {0xca120100, 0x00000301}, EXEC | BW_IMPLICIT_VCC, 0},
		{"s_and_saveexec_b64 s[4:5], -1", {0xbe8421c1}, EXEC, EXEC | SCC},
		{"s_cbranch_vccz 0", {0xbfa30000}, BW_IMPLICIT_PC | BW_IMPLICIT_VCC, BW_IMPLICIT_PC},
		{"s_trap 1", {0xbf900001}, BW_IMPLICIT_PC,
		 BW_IMPLICIT_PC | BW_IMPLICIT_STATUS | BW_IMPLICIT_TTMP0 | BW_IMPLICIT_TTMP1},
		{"no instruction", {0xffffffff, 0xffffffff}, 0, 0},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_inst in;
		bw_isa_decode(BW_ISA_GFX11, rows[i].w, 2, &in);
		if (in.reads != rows[i].reads || in.writes != rows[i].writes)
			fail_msg("%s: reads %#x, writes %#x", rows[i].text, in.reads, in.writes);
	}
}

TESTS(all_rows, no_encoding_is_missing, forms);
