/* SPDX-License-Identifier: MIT */
/* A crash report of a wave: its identity, the reason of its stop, all its registers, the LDS of its
 * workgroup and the code around its PC. The order is the one that users of AMD's rocr_debug_agent
 * know (doc/conventions.md 3). */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "ui/show.h"

enum {
	PER_ROW = 8,
	LDS_MAX_B = 64 << 10,
	AROUND_B = 48, /* of code, on either side of the PC */
};

static void rule(struct bw_out *o)
{
	bw_out_line(o, "%s", "--------------------------------------------------------");
}

static void show_identity(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	char name[96], place[32], reasons[160], suffix[192] = "";
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->dispatch);
	bw_wave_name(w, name, sizeof(name));
	bw_place_text(w->place, place);
	if (w->reasons & ~(uint32_t)BW_REASON_INTERRUPT) {
		bw_reason_text(w->reasons, reasons, sizeof(reasons));
		snprintf(suffix, sizeof(suffix), ", reason: %s", reasons);
	}
	bw_out_line(o, "%s %s (stopped%s)", name, place, suffix);
	const char *shader = x ? x->kernel_title : "?";
	enum bw_target_stage stage = BW_STAGE_COMPUTE;
	if (w->draw && x)
		stage = bw_debug_draw_stage_at(d, x, w->pc, &shader);
	bw_out_line(o, "pc: 0x%012llx (%s%s %s, entry 0x%012llx)", (unsigned long long)w->pc,
		    w->draw ? bw_stage_words(stage) : "kernel", w->draw ? " shader" : "", shader,
		    (unsigned long long)(x ? x->desc.code_va : 0));
}

static struct bw_error *show_special(struct bw_out *o, struct bw_debug *d,
				     const struct bw_wave_info *w)
{
	/* in this order, as far as the generation has them */
	static const struct bw_wave_reg regs[] = {
		{BW_REG_SPECIAL, BW_REG_EXEC, 1},
		{BW_REG_SPECIAL, BW_REG_VCC, 1},
		{BW_REG_SPECIAL, BW_REG_M0, 1},
		{BW_REG_STATE, BW_WREG_STATUS, 1},
		{BW_REG_STATE, BW_WREG_MODE, 1},
		{BW_REG_STATE, BW_WREG_TRAPSTS, 1},
		{BW_REG_STATE, BW_WREG_STATE_PRIV, 1},
		{BW_REG_STATE, BW_WREG_EXCP_FLAG_PRIV, 1},
		{BW_REG_STATE, BW_WREG_EXCP_FLAG_USER, 1},
		{BW_REG_STATE, BW_WREG_TRAP_CTRL, 1},
		{BW_REG_SPECIAL, BW_REG_FLAT_SCRATCH, 1},
		{BW_REG_STATE, BW_WREG_HW_ID1, 1},
		{BW_REG_STATE, BW_WREG_HW_ID2, 1},
		{BW_REG_STATE, BW_WREG_GPR_ALLOC, 1},
		{BW_REG_STATE, BW_WREG_LDS_ALLOC, 1},
	};
	const struct bw_arch *arch = bw_debug_arch(d);
	bw_out_line(o, "%s", "\nsystem registers:");
	for (size_t i = 0; i < BW_ARRAY_SIZE(regs); i++) {
		const struct bw_wave_reg r = regs[i];
		char name[24];
		uint64_t v;
		if (r.cls == BW_REG_STATE && !arch->reg[r.index].name)
			continue;
		bw_wave_reg_name(arch, r, name);
		BW_TRY(bw_debug_reg_read(d, w->number, r, &v));
		bw_out_line(o, "%15s: %0*llx", name, (int)bw_wave_reg_size_dw(r, w) * 8,
			    (unsigned long long)v);
	}
	return NULL;
}

static struct bw_error *show_scalars(struct bw_out *o, struct bw_debug *d,
				     const struct bw_wave_info *w)
{
	uint32_t s[BW_SGPR_SHOWN];
	const unsigned n = bw_debug_n_sgprs(d);
	struct bw_str line = {0};
	BW_TRY(bw_debug_sgprs_read(d, w->number, 0, n, s));
	bw_out_line(o, "%s", "\nscalar registers:");
	for (unsigned i = 0; i < n; i++) {
		char name[8];
		snprintf(name, sizeof(name), "s%u:", i);
		bw_str_addf(&line, "%6s %08x", name, s[i]);
		if (i % PER_ROW == PER_ROW - 1 || i + 1 == n) {
			bw_out_line(o, "%s", bw_str_text(&line));
			bw_str_free(&line);
			line = (struct bw_str){0};
		}
	}
	return NULL;
}

static struct bw_error *show_vectors(struct bw_out *o, struct bw_debug *d,
				     const struct bw_wave_info *w)
{
	uint32_t v[64];
	bw_out_line(o, "\nvector registers (%u lanes):", w->lanes);
	for (unsigned n = 0; n < w->n_vgprs; n++) {
		struct bw_str line = {0};
		BW_TRY(bw_debug_vgpr_read(d, w->number, n, v));
		for (unsigned lane = 0; lane < w->lanes; lane++)
			bw_str_addf(&line, " [%u] %08x", lane, v[lane]);
		char name[8];
		bw_wave_vgpr_name(w, n, name);
		bw_out_line(o, "%s:%s", name, bw_str_text(&line));
		bw_str_free(&line);
	}
	if (!w->n_vgprs)
		bw_out_line(o, "%s", "none: the wave has given them back");
	return NULL;
}

/* The LDS of the focus wave's workgroup. */
static struct bw_error *show_lds(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	const struct bw_arch *arch = bw_debug_arch(d);
	const struct bw_wave_reg alloc = {BW_REG_STATE, BW_WREG_LDS_ALLOC, 1};
	uint64_t raw;
	BW_TRY(bw_debug_reg_read(d, w->number, alloc, &raw));
	size_t granules = bw_arch_get(arch, BW_WF_LDS_SIZE, (uint32_t)raw);
	size_t size_b = BW_MIN(granules * arch->lds_granule_b, (size_t)LDS_MAX_B);
	if (!size_b)
		return NULL;
	_cleanup_free_ uint32_t *lds = malloc(size_b);
	if (!lds)
		return bw_error_nomem();
	BW_TRY(bw_debug_read(d, BW_SPACE_LDS, 0, lds, size_b));
	bw_out_line(o, "\nlocal memory of the workgroup (%zu bytes):", size_b);
	for (size_t i = 0; i < size_b / 4; i += PER_ROW) {
		struct bw_str line = {0};
		for (size_t k = i; k < i + PER_ROW && k < size_b / 4; k++)
			bw_str_addf(&line, " %08x", lds[k]);
		bw_out_line(o, "0x%04zx:%s", i * 4, bw_str_text(&line));
		bw_str_free(&line);
	}
	return NULL;
}

static void show_disassembly(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	_cleanup_free_ struct bw_dis_line *lines = NULL;
	size_t n = 0, first = 0, at = 0;
	uint64_t start = w->pc, end = w->pc + AROUND_B;
	struct bw_where where;
	bw_debug_wave_where(d, w, &where);
	bw_out_line(o, "\nDisassembly for function %s:", where.function ? where.function : "??");
	if (where.code_object)
		bw_out_line(o, "    code object: %s", where.code_object);
	/* from the function's start, or instructions would be met in their middle */
	struct bw_error *err = bw_debug_function_range(d, w->pc, &start, &end);
	if (err) {
		bw_error_free(err);
		start = w->pc;
	}
	err = bw_debug_disassemble(d, start, BW_MIN(end, w->pc + AROUND_B), 0, &lines, &n);
	if (err) {
		bw_out_line(o, "    the code cannot be read: %s", err->message);
		bw_error_free(err);
		return;
	}
	while (at < n && lines[at].addr < w->pc)
		at++;
	while (first < at && w->pc - lines[first].addr > AROUND_B)
		first++;
	const struct bw_code_listing listing = {.lines = lines + first,
						.n = n - first,
						.flags = BW_DIS_SOURCE,
						.start = start,
						.end = end};
	bw_show_code(o, d, &listing);
}

static struct bw_error *report_one(struct bw_out *o, struct bw_debug *d, uint32_t number)
{
	const struct bw_wave_info *w = bw_debug_wave(d, number);
	if (!w)
		return NULL;
	rule(o);
	show_identity(o, d, w);
	if (w->reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR)) {
		bw_show_fault(o, d, number);
		if (w->pc_imprecise)
			bw_out_text(
				o,
				"Warning: precise memory violation signal reporting is not enabled, reported\n"
				"location may not be accurate.\n");
	}
	BW_TRY(show_special(o, d, w));
	BW_TRY(show_scalars(o, d, w));
	BW_TRY(show_vectors(o, d, w));
	BW_TRY(show_lds(o, d, w));
	show_disassembly(o, d, w);
	return NULL;
}

struct bw_error *bw_show_report(struct bw_out *o, struct bw_debug *d, bool all)
{
	const struct bw_wave_info *focus = bw_debug_focus(d);
	size_t n = 0;
	if (!focus)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	uint32_t number = focus->number;
	unsigned lane = bw_debug_focus_lane(d);
	const struct bw_wave_info *list = bw_debug_waves(d, &n);
	_cleanup_free_ uint32_t *numbers = calloc(n ? n : 1, sizeof(*numbers));
	if (!numbers)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		numbers[i] = list[i].number;
	struct bw_error *err = NULL;
	bw_out_lines_only(o, true);
	for (size_t i = 0; !err && i < n; i++) {
		if (!all && numbers[i] != number)
			continue;
		err = bw_debug_set_focus(d, numbers[i]); /* LDS is that of the focus */
		if (!err)
			err = report_one(o, d, numbers[i]);
	}
	rule(o);
	bw_out_lines_only(o, false);
	bw_error_free(bw_debug_set_focus(d, number));
	bw_error_free(bw_debug_set_lane(d, lane));
	return err;
}
