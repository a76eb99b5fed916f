/* SPDX-License-Identifier: MIT */
#include "isa/inst.h"

#include <string.h>

#include "isa/opcode_tables.h"
#include "isa/ops.h"

const struct bw_op_info *bw_isa_op_info(unsigned op)
{
	return &bw_isa_infos[op < BW_OP_COUNT ? op : BW_OP_ILLEGAL];
}

/* clang-format off */
static const char *const fmt_names[BW_FMT_COUNT] = {
	[BW_FMT_ILLEGAL] = "illegal",
	[BW_FMT_SOP1] = "SOP1",
	[BW_FMT_SOP2] = "SOP2",
	[BW_FMT_SOPC] = "SOPC",
	[BW_FMT_SOPK] = "SOPK",
	[BW_FMT_SOPP] = "SOPP",
	[BW_FMT_SMEM] = "SMEM",
	[BW_FMT_VOP1] = "VOP1",
	[BW_FMT_VOP2] = "VOP2",
	[BW_FMT_VOPC] = "VOPC",
	[BW_FMT_VOP3] = "VOP3",
	[BW_FMT_VOP3SD] = "VOP3SD",
	[BW_FMT_VOP3P] = "VOP3P",
	[BW_FMT_MAI] = "MAI",
	[BW_FMT_VOPD] = "VOPD",
	[BW_FMT_VINTERP] = "VINTERP",
	[BW_FMT_LDSDIR] = "LDSDIR",
	[BW_FMT_DS] = "DS",
	[BW_FMT_FLAT] = "FLAT",
	[BW_FMT_GLOBAL] = "GLOBAL",
	[BW_FMT_SCRATCH] = "SCRATCH",
	[BW_FMT_MUBUF] = "MUBUF",
	[BW_FMT_MTBUF] = "MTBUF",
	[BW_FMT_MIMG] = "MIMG",
	[BW_FMT_EXP] = "EXP",
};
/* clang-format on */

const char *bw_isa_fmt_name(enum bw_fmt fmt)
{
	return fmt_names[fmt < BW_FMT_COUNT ? fmt : BW_FMT_ILLEGAL];
}

unsigned bw_isa_op_by_name(const char *name)
{
	/* The ops are sorted by name, BW_OP_ILLEGAL aside. */
	unsigned lo = BW_OP_ILLEGAL + 1, hi = BW_OP_COUNT;
	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;
		int order = strcmp(name, bw_isa_infos[mid].name);
		if (order == 0)
			return mid;
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return BW_OP_ILLEGAL;
}

bool bw_isa_has_op(enum bw_isa_gen gen, unsigned op)
{
	const uint16_t *first = bw_isa_tables[gen].first_form;
	return first[op] != first[op + 1];
}

const char *bw_isa_op_name(enum bw_isa_gen gen, unsigned op)
{
	const struct bw_isa_tables *t = &bw_isa_tables[gen];
	unsigned lo = 0, hi = t->n_called;
	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;
		if (t->called[mid].op < op)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n_called && t->called[lo].op == op ? t->called[lo].name
							  : bw_isa_op_info(op)->name;
}

const char *bw_isa_gen_name(enum bw_isa_gen gen)
{
	return bw_isa_tables[gen].name;
}

bool bw_isa_gen_by_name(const char *name, enum bw_isa_gen *out)
{
	for (unsigned gen = 0; gen < BW_ISA_GEN_COUNT; gen++) {
		if (strcmp(bw_isa_tables[gen].name, name) != 0)
			continue;
		*out = (enum bw_isa_gen)gen;
		return true;
	}
	return false;
}

unsigned bw_operand_n_regs(const struct bw_operand *operand, unsigned lanes, bool is_c)
{
	if (operand->type == BW_OPERAND_MASK)
		return lanes / 32;
	if (operand->is_matrix)
		return is_c && lanes == 64 ? operand->n / 2 : operand->n;
	return operand->bits <= 32 ? 1 : (operand->bits + 31u) / 32;
}

size_t bw_isa_op_encodings(enum bw_isa_gen gen, unsigned op, struct bw_op_encoding *out, size_t max)
{
	const struct bw_isa_tables *t = &bw_isa_tables[gen];
	size_t n = 0;
	for (unsigned i = t->first_form[op]; i < t->first_form[op + 1]; i++, n++) {
		const struct bw_isa_form *form = &t->forms[i];
		const struct bw_isa_row *row = &bw_isa_rows[form->row];
		if (n < max)
			out[n] = (struct bw_op_encoding){(enum bw_fmt)row->fmt, form->opcode,
							 form->is_y, row->reads, row->writes};
	}
	return n;
}
