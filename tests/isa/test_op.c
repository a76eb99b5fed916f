/* SPDX-License-Identifier: MIT */
/* What data/isa says of opcodes against LLVM's instruction descriptions
 * (tests/golden/isa/facts.vec): what they do to memory, which are transcendental, where control
 * goes, how wide operands are. Where the two differ, a row says why. */
#include "isa/inst.h"
#include "isa/ops.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/str.h"
#include "base/util.h"
#include "facts.h"
#include "vec.h"

struct fact {
	char name[64], flags[64], defs[64], uses[64];
	struct bw_inst in;
	const struct bw_op_info *info;
	bool is_y;
};

/* The next row; false at the end. */
static bool next_fact(FILE *f, struct fact *out)
{
	char line[256], second[64], more[64];
	uint32_t w[3] = {0};
	do
		if (!fgets(line, sizeof(line), f))
			return false;
	while (line[0] == '#');
	/* The second dword is not always there. */
	int n = sscanf(line, "%63s %8x %63s %63s %63s %63s", out->name, &w[0], second, out->flags,
		       out->defs, more);
	if (n == 6) {
		w[1] = (uint32_t)strtoul(second, NULL, 16);
		memcpy(out->uses, more, sizeof(more));
	} else {
		assert_int_equal(n, 5);
		memcpy(out->uses, out->defs, sizeof(out->uses));
		memcpy(out->defs, out->flags, sizeof(out->defs));
		memcpy(out->flags, second, sizeof(out->flags));
	}
	if (!bw_isa_decode(BW_ISA_GFX11, w, 3, &out->in))
		fail_msg("%s", line);
	out->is_y = out->in.fmt == BW_FMT_VOPD &&
		    !strcmp(bw_isa_op_info(out->in.op_y)->name, out->name);
	out->info = bw_isa_op_info(out->is_y ? out->in.op_y : out->in.op);
	assert_string_equal(out->info->name, out->name);
	return true;
}

static FILE *open_facts(void)
{
	FILE *f = vec_open("tests/golden/isa/facts.vec");
	assert_non_null(f);
	return f;
}

/* ---- flags ---- */

enum {
	LOAD = BW_OPF_LOAD,
	STORE = BW_OPF_STORE,
	ATOMIC = BW_OPF_ATOMIC,
	COMPARED = LOAD | STORE | ATOMIC | BW_OPF_TRANS
};

static struct {
	const char *prefix;
	unsigned ours, llvm;
	const char *why;
	bool seen;
} differences[] = {
	{"ds_store_", STORE, STORE | ATOMIC,
	 "LLVM builds plain stores like atomics without a result.", false},
	{"ds_storexchg_2addr", ATOMIC, LOAD | STORE,
	 "Exchanges at two addresses; LLVM has the bit for one address only.", false},
	{"ds_append", ATOMIC, LOAD | STORE, "Reads and adds.", false},
	{"ds_consume", ATOMIC, LOAD | STORE, "Reads and subtracts.", false},
	{"ds_ordered_count", ATOMIC, LOAD | STORE, "Reads and adds.", false},
	{"ds_add_gs_reg", ATOMIC, LOAD | STORE, "Reads and adds.", false},
	{"ds_sub_gs_reg", ATOMIC, LOAD | STORE, "Reads and subtracts.", false},
	{"ds_gws", 0, LOAD | STORE, "Semaphores and barriers are no memory.", false},
	{"ds_gws_init", 0, STORE, "Semaphores and barriers are no memory.", false},
	{"exp", 0, STORE, "Exports are no memory.", false},
	{"lds_", 0, LOAD, "Parameters of pixel shaders, which no address leads to.", false},
	{"s_waitcnt_", 0, LOAD | STORE, "So that nothing moves across it.", false},
	{"s_wakeup", 0, LOAD | STORE, "So that nothing moves across it.", false},
};

static unsigned llvm_flags(const char *list)
{
	unsigned f = 0;
	f |= has(list, "LOAD") ? LOAD : 0;
	f |= has(list, "STORE") ? STORE : 0;
	f |= has(list, "ATOMIC") ? ATOMIC : 0;
	f |= has(list, "TRANS") ? (unsigned)BW_OPF_TRANS : 0;
	/* ours are one of the three */
	return (f & (LOAD | STORE | ATOMIC)) == (LOAD | STORE | ATOMIC)
		       ? f & ~(unsigned)(LOAD | STORE)
		       : f;
}

static void flags(void **state)
{
	FILE *f = open_facts();
	struct fact r;
	unsigned n = 0;
	for (; next_fact(f, &r); n++) {
		unsigned ours = r.info->flags & COMPARED, llvm = llvm_flags(r.flags);
		bool explained = ours == llvm;
		for (size_t i = 0; i < BW_ARRAY_SIZE(differences) && !explained; i++) {
			if (!bw_starts_with(r.name, differences[i].prefix) ||
			    ours != differences[i].ours || llvm != differences[i].llvm)
				continue;
			explained = differences[i].seen = true;
		}
		if (!explained)
			fail_msg("%s: flags %#x, LLVM %#x", r.name, ours, llvm);
		/* four results, however many components DMASK names */
		bool four = r.info->fmt == BW_FMT_MIMG && r.info->src[0].type == BW_OPERAND_VADDR &&
			    r.info->n_dst && r.info->dst[0].bits == 128 &&
			    r.info->src[1].type == BW_OPERAND_IMAGE;
		assert_int_equal(four, has(r.flags, "GATHER4"));
		assert_int_equal(r.info->n_dst && r.info->dst[0].is_matrix, has(r.flags, "WMMA"));
	}
	fclose(f);
	assert_true(n > 1400);
	for (size_t i = 0; i < BW_ARRAY_SIZE(differences); i++)
		if (!differences[i].seen)
			fail_msg("%s (%s): there is no such difference", differences[i].prefix,
				 differences[i].why);
}

/* LLVM calls s_setpc a branch, s_rfe nothing. s_subvector_loop and s_cbranch_cdbg* are no branches
 * to it or not there; test_flow.c has them. */
static void flow(void **state)
{
	FILE *f = open_facts();
	struct fact r;
	unsigned n_branches = 0;
	while (next_fact(f, &r)) {
		enum bw_flow flow = r.info->flow;
		bool cond = has(r.flags, "COND"), branch = has(r.flags, "BRANCH"),
		     call = has(r.flags, "CALL");
		if (cond)
			assert_int_equal(flow, BW_FLOW_COND_BRANCH);
		else if (branch)
			assert_true(flow == BW_FLOW_BRANCH ||
				    r.info - bw_isa_op_info(BW_OP_S_SETPC_B64) == 0);
		else if (call)
			assert_true(flow == BW_FLOW_CALL ||
				    r.info == bw_isa_op_info(BW_OP_S_SWAPPC_B64));
		else if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_CALL)
			fail_msg("%s: LLVM says %s", r.name, r.flags);
		n_branches += cond || branch || call;
	}
	fclose(f);
	assert_true(n_branches >= 12);
}

/* ---- operands ---- */

static void add_operand(struct widths *w, const struct bw_operand *o, bool is_c)
{
	if (o->type == BW_OPERAND_MASK)
		add_width(w, 0);
	else
		add_width(w, bw_operand_n_regs(o, 32, is_c));
}

/* Whether an operand is a register of this encoding: GLC, SVE, OFFEN, IDXEN are 0 in all rows, and
 * there is no SADDR. */
static bool is_register(const struct fact *r, const struct bw_operand *o)
{
	if (o->type == BW_OPERAND_IMM || o->type == BW_OPERAND_LITERAL ||
	    o->type == BW_OPERAND_ATTR || o->use == BW_USE_IMM || o->use == BW_USE_EXEC ||
	    o->is_optional)
		return false;
	if (o->use ==
	    BW_USE_VCC) /* a field of the 64-bit forms; test_implicit.c has the compact ones */
		return r->in.fmt == BW_FMT_VOP3 || r->in.fmt == BW_FMT_VOP3SD;
	if (o->type == BW_OPERAND_MASK && r->in.fmt == BW_FMT_VOPC)
		return false;
	return o->type != BW_OPERAND_VADDR || r->in.fmt == BW_FMT_MIMG;
}

/* Where LLVM has the operands otherwise. */
static struct {
	const char *prefix;
	const char *why;
	bool seen;
} odd[] = {
	{"v_dual_", "LLVM describes both halves.", false},
	{"image_", "As many registers as DMASK and the image say.", false},
	{"s_cmov", "What SCC leaves alone is no operand to LLVM.", false},
	{"s_movrel", "LLVM reads the destination, because M0 says where it is.", false},
	{"v_movrel", "LLVM reads the destination, because M0 says where it is.", false},
	{"s_subvector_loop", "LLVM has them as branches alone.", false},
	{"v_pk_fmac", "LLVM forgets that the compact form reads the destination.", false},
};

static bool is_odd(const char *name)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(odd); i++)
		if (bw_starts_with(name, odd[i].prefix))
			return odd[i].seen = true;
	return false;
}

static void operand_widths(void **state)
{
	FILE *f = open_facts();
	struct fact r;
	unsigned n_compared = 0, n_failed = 0;
	while (next_fact(f, &r)) {
		struct widths dst = {0}, src = {0};
		for (unsigned i = 0; i < r.info->n_dst; i++)
			if (is_register(&r, &r.info->dst[i]))
				add_operand(&dst, &r.info->dst[i], true);
		for (unsigned i = 0; i < r.info->n_src; i++)
			if (is_register(&r, &r.info->src[i]))
				add_operand(&src, &r.info->src[i], i == 2);
		const struct widths defs = llvm_widths(r.defs), uses = llvm_widths(r.uses);
		n_compared++;
		if ((same_widths(&dst, &defs) && same_widths(&src, &uses)) || is_odd(r.name))
			continue;
		print_error("%s %s: %u results, LLVM %s; %u sources, LLVM %s\n",
			    bw_isa_fmt_name(r.in.fmt), r.name, dst.n, r.defs, src.n, r.uses);
		n_failed++;
	}
	fclose(f);
	assert_int_equal(n_failed, 0);
	assert_true(n_compared > 1400);
	for (size_t i = 0; i < BW_ARRAY_SIZE(odd); i++)
		if (!odd[i].seen)
			fail_msg("%s (%s): there is no such difference", odd[i].prefix, odd[i].why);
}

/* Flags that LLVM has no word for are those of the names. */
static void names(void **state)
{
	static const struct {
		unsigned flag;
		const char *part;
	} rows[] = {
		{BW_OPF_TO_LDS, "_load_lds_"},	   {BW_OPF_ADDTID, "_addtid_"},
		{BW_OPF_TWO_ADDRESSES, "_2addr_"}, {BW_OPF_INVALIDATE, "_inv"},
		{BW_OPF_PERMLANE, "v_permlane"},
	};
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const struct bw_op_info *info = bw_isa_op_info(op);
		for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
			const char *part = strstr(info->name, rows[i].part);
			bool is = part && (rows[i].flag != BW_OPF_INVALIDATE ||
					   !strcmp(part, "_inv") || !strcmp(part, "_inv_vol"));
			/* gfx942: writes back, too */
			is |= rows[i].flag == BW_OPF_INVALIDATE && strstr(info->name, "_wbinvl1");
			if (info->class == BW_CLASS_CTRL)
				continue;
			if (is != !!(info->flags & rows[i].flag))
				fail_msg("%s: flags %#x", info->name, info->flags);
		}
	}
}

TESTS(flags, flow, operand_widths, names);
