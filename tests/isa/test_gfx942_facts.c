/* SPDX-License-Identifier: MIT */
/* The rows of gfx942 in data/isa against LLVM's instruction descriptions
 * (tests/golden/isa/facts-gfx942.vec): each encoding's registers that no field names, and how wide
 * its operands are. Where the two differ, a row says why. */
#include "isa/inst.h"
#include "isa/ops.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "facts.h"
#include "vec.h"

enum {
	OURS_ALONE = BW_IMPLICIT_STATUS | BW_IMPLICIT_PC | BW_IMPLICIT_TTMP0 | BW_IMPLICIT_TTMP1 |
		     BW_IMPLICIT_HWREG,
	EXEC = BW_IMPLICIT_EXEC,
	FLAT_SCR = BW_IMPLICIT_FLAT_SCR,
	M0 = BW_IMPLICIT_M0,
	MODE = BW_IMPLICIT_MODE,
	SCC = BW_IMPLICIT_SCC,
};

/* The name is PREFIX, then anything. */
/* clang-format off */
static struct difference {
	const char *prefix;
	unsigned our_reads, llvm_reads, our_writes, llvm_writes; /* that only one of the two has */
	const char *why;
	bool seen;
} differences[] = {
	{"s_quadmask", 0, 0, SCC, 0, "The ISA manual's definition of the opcode writes SCC.", false},
	{"s_sendmsg", 0, EXEC, 0, 0, "A message is sent once for a wave, whatever its lanes are.", false},
	{"s_getreg", 0, MODE, 0, 0, "HWREG: the immediate says which register it is.", false},
	{"s_setreg", 0, MODE, 0, MODE, "HWREG: the immediate says which register it is.", false},
	{"s_setvskip", 0, 0, MODE, SCC, "It writes VSKIP of MODE; LLVM has it as a compare, like all of SOPC.", false},
	{"s_cbranch_", EXEC | MODE, 0, EXEC | MODE, 0, "They change EXEC and count CSP of MODE (ISA manual); LLVM has words for them only.", false},
	{"v_nop", 0, EXEC, 0, 0, "Does nothing in any lane.", false},
	{"v_clrexcp", 0, EXEC, 0, 0, "Clears exceptions of the wave.", false},
	{"v_mfma", 0, EXEC | MODE, 0, 0, "Runs with all lanes, and rounds as the instruction says.", false},
	{"v_smfmac", 0, EXEC | MODE, 0, 0, "Runs with all lanes, and rounds as the instruction says.", false},
	{"ds_nop", 0, EXEC | M0, 0, 0, "Does nothing in any lane.", false},
	{"ds_", 0, M0, 0, 0, "M0 limited LDS before gfx9.", false},
	{"scratch_load_lds", FLAT_SCR, 0, 0, 0, "The address is in scratch, as for its kin.", false},
};

static struct {
	const char *prefix;
	const char *why;
	bool seen;
} odd_widths[] = {
	{"v_pk_fmac_f16", "LLVM forgets that the compact form reads the destination.", false},
	{"v_cvt_pkaccum_u8_f32", "LLVM forgets that the other bytes of the destination remain.", false},
};
/* clang-format on */

struct fact {
	char name[64], flags[64], defs[64], uses[64], reads[64], writes[64];
	struct bw_inst in;
	const struct bw_op_info *info;
};

static bool next_fact(FILE *f, struct fact *out)
{
	char line[256], second[64];
	uint32_t w[3] = {0};
	do
		if (!fgets(line, sizeof(line), f))
			return false;
	while (line[0] == '#');
	/* The second dword is not always there. */
	char *at = line + strcspn(line, " ");
	int skip = 0;
	assert_int_equal(sscanf(at, "%8x%n", &w[0], &skip), 1);
	at += skip;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)strcspn(line, " "), line);
	assert_int_equal(sscanf(at, "%63s", second), 1);
	if (strlen(second) == 8 && strspn(second, "0123456789abcdef") == 8) {
		w[1] = (uint32_t)strtoul(second, NULL, 16);
		at = strstr(at, second) + 8;
	}
	assert_int_equal(sscanf(at, "%63s %63s %63s %63s %63s", out->flags, out->defs, out->uses,
				out->reads, out->writes),
			 5);
	if (!bw_isa_decode(BW_ISA_GFX942, w, 3, &out->in))
		fail_msg("%s", line);
	out->info = bw_isa_op_info(out->in.op);
	assert_string_equal(out->info->name, out->name);
	return true;
}

static FILE *open_facts(void)
{
	FILE *f = vec_open("tests/golden/isa/facts-gfx942.vec");
	assert_non_null(f);
	return f;
}

static bool is_explained(const struct fact *r, unsigned reads, unsigned uses, unsigned writes,
			 unsigned defs)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(differences); i++) {
		struct difference *d = &differences[i];
		if (bw_starts_with(r->name, d->prefix) && (reads & ~uses) == d->our_reads &&
		    (uses & ~reads) == d->llvm_reads && (writes & ~defs) == d->our_writes &&
		    (defs & ~writes) == d->llvm_writes)
			return d->seen = true;
	}
	return false;
}

static void implicit_registers(void **state)
{
	static bool seen[BW_OP_COUNT][BW_FMT_COUNT];
	_cleanup_fclose_ FILE *f = open_facts();
	struct fact r;
	unsigned n_failed = 0;
	while (next_fact(f, &r)) {
		unsigned reads = r.in.reads & ~(unsigned)OURS_ALONE,
			 writes = r.in.writes & ~(unsigned)OURS_ALONE, uses = implicit_set(r.reads),
			 defs = implicit_set(r.writes);
		seen[r.in.op][r.in.fmt] = true;
		if ((reads == uses && writes == defs) ||
		    is_explained(&r, reads, uses, writes, defs))
			continue;
		print_error("%s %s: reads %#x, LLVM %#x; writes %#x, LLVM %#x\n",
			    bw_isa_fmt_name(r.in.fmt), r.name, reads, uses, writes, defs);
		n_failed++;
	}
	assert_int_equal(n_failed, 0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(differences); i++)
		if (!differences[i].seen)
			fail_msg("%s (%s): there is no such difference", differences[i].prefix,
				 differences[i].why);
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		struct bw_op_encoding e[8];
		size_t n = bw_isa_op_encodings(BW_ISA_GFX942, op, e, BW_ARRAY_SIZE(e));
		for (size_t i = 0; i < n; i++)
			if (!seen[op][e[i].fmt])
				fail_msg("%s %s is not in the file", bw_isa_fmt_name(e[i].fmt),
					 bw_isa_op_info(op)->name);
	}
}

/* Of the vector ALU. A compact form's VCC is an implicit register. */
static bool is_register(const struct fact *r, const struct bw_operand *o)
{
	bool compact = r->in.fmt < BW_FMT_VOP3;
	/* v_cmpx writes a mask, too */
	return o->type != BW_OPERAND_LITERAL && !(o->type == BW_OPERAND_MASK && compact);
}

static void add_operands(struct widths *w, const struct fact *r, const struct bw_operand *o,
			 unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (is_register(r, &o[i]))
			add_width(w, o[i].type == BW_OPERAND_MASK
					     ? 0
					     : bw_operand_n_regs(&o[i], 64, false));
}

static bool is_odd(const char *name)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(odd_widths); i++)
		if (bw_starts_with(name, odd_widths[i].prefix))
			return odd_widths[i].seen = true;
	return false;
}

static void operand_widths(void **state)
{
	_cleanup_fclose_ FILE *f = open_facts();
	struct fact r;
	unsigned n_compared = 0, n_failed = 0;
	while (next_fact(f, &r)) {
		struct widths dst = {0}, src = {0};
		if (r.in.fmt < BW_FMT_VOP1 || r.in.fmt > BW_FMT_MAI)
			continue;
		add_operands(&dst, &r, r.info->dst, r.info->n_dst);
		add_operands(&src, &r, r.info->src, r.info->n_src);
		const struct widths defs = llvm_widths(r.defs), uses = llvm_widths(r.uses);
		n_compared++;
		if ((same_widths(&dst, &defs) && same_widths(&src, &uses)) || is_odd(r.name))
			continue;
		print_error("%s %s: %u results, LLVM %s; %u sources, LLVM %s\n",
			    bw_isa_fmt_name(r.in.fmt), r.name, dst.n, r.defs, src.n, r.uses);
		n_failed++;
	}
	assert_int_equal(n_failed, 0);
	assert_true(n_compared > 700);
	for (size_t i = 0; i < BW_ARRAY_SIZE(odd_widths); i++)
		if (!odd_widths[i].seen)
			fail_msg("%s (%s): there is no such difference", odd_widths[i].prefix,
				 odd_widths[i].why);
}

TESTS(implicit_registers, operand_widths);
