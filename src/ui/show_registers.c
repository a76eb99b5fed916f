/* SPDX-License-Identifier: MIT */
#include "ui/show.h"

#include <string.h>

#include "arch/arch.h"
#include "base/util.h"

/* gdb's "info registers" group: the most important registers. */
static const enum bw_reg_special general[] = {BW_REG_PC, BW_REG_EXEC, BW_REG_VCC, BW_REG_SCC,
					      BW_REG_M0};

static struct bw_error *need_focus(struct bw_debug *d, const struct bw_wave_info **out)
{
	*out = bw_debug_focus(d);
	if (*out)
		return NULL;
	return bw_debug_state(d) == BW_DEBUG_NO_PROGRAM
		       ? bw_errorf(
				 BW_E_STATE,
				 "The program has no registers now: it is not being run (\"run\" starts it)")
		       : bw_errorf(BW_E_STATE,
				   "No wave is stopped, so there are no registers to show");
}

static struct bw_error *show_one(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w,
				 struct bw_wave_reg r)
{
	const struct bw_arch *arch = bw_debug_arch(d);
	bool is_special = r.cls == BW_REG_SPECIAL;
	uint64_t value;
	BW_TRY(bw_debug_reg_read(d, w->number, r, &value));
	char name[24], symbol[160] = "", flags[256] = "";
	bw_wave_reg_name(arch, r, name);
	if (is_special && r.index == BW_REG_PC)
		bw_debug_symbolize(d, value, symbol, sizeof(symbol));
	else if (!is_special)
		bw_arch_flags_text(arch, (enum bw_wreg)r.index, (uint32_t)value, flags,
				   sizeof(flags));
	int digits = (int)bw_wave_reg_size_dw(r, w) * 8;
	if (is_special && r.index == BW_REG_SCC)
		bw_out_line(o, "%-13s%u", name, (unsigned)value);
	else
		bw_out_line(o, "%-13s0x%0*llx%s%s%s", name, digits, (unsigned long long)value,
			    symbol[0] || flags[0] ? "  " : "", symbol, flags);
	bw_out_register(o, name, json_sprintf("0x%llx", (unsigned long long)value));
	return NULL;
}

static struct bw_error *show_special(struct bw_out *o, struct bw_debug *d,
				     const struct bw_wave_info *w, enum bw_reg_special which)
{
	return show_one(o, d, w, (struct bw_wave_reg){BW_REG_SPECIAL, (uint16_t)which, 1});
}

/* A list of a row (bw_arch). */
static struct bw_error *show_state(struct bw_out *o, struct bw_debug *d,
				   const struct bw_wave_info *w, const uint8_t *regs)
{
	for (; *regs != BW_WREG_NONE; regs++)
		BW_TRY(show_one(o, d, w, (struct bw_wave_reg){BW_REG_STATE, *regs, 1}));
	return NULL;
}

/* SGPRs from `first`, eight a line. */
static struct bw_error *show_sgprs(struct bw_out *o, struct bw_debug *d,
				   const struct bw_wave_info *w, unsigned first, unsigned n)
{
	uint32_t s[BW_SGPR_SHOWN];
	BW_TRY(bw_debug_sgprs_read(d, w->number, first, n, s));
	for (unsigned i = 0; i < n; i += 8) {
		struct bw_str line = {0};
		char name[24];
		snprintf(name, sizeof(name), "s[%u:%u]", first + i, first + BW_MIN(i + 7, n - 1));
		bw_str_addf(&line, "%-12s", name);
		for (unsigned j = i; j < n && j < i + 8; j++)
			bw_str_addf(&line, " %08x", s[j]);
		bw_out_line(o, "%s", bw_str_text(&line));
		bw_str_free(&line);
	}
	for (unsigned i = 0; i < n; i++) {
		char name[24];
		snprintf(name, sizeof(name), "s%u", first + i);
		bw_out_register(o, name, json_sprintf("0x%x", s[i]));
	}
	return NULL;
}

static struct bw_error *show_vgpr(struct bw_out *o, struct bw_debug *d,
				  const struct bw_wave_info *w, unsigned n)
{
	uint32_t v[64];
	char reg[24];
	BW_TRY(bw_debug_vgpr_read(d, w->number, n, v));
	for (unsigned lane = 0; lane < w->lanes; lane += 8) {
		struct bw_str line = {0};
		char name[24] = "";
		if (lane == 0)
			bw_wave_vgpr_name(w, n, name);
		bw_str_addf(&line, "%-6s [%2u]  ", name, lane);
		/* Inactive lanes are in brackets: their values are old ones. */
		for (unsigned j = lane; j < lane + 8; j++)
			bw_str_addf(&line, w->exec >> j & 1 ? " %08x " : "(%08x)", v[j]);
		while (line.len && line.data[line.len - 1] == ' ')
			line.data[--line.len] = '\0';
		bw_out_line(o, "%s", bw_str_text(&line));
		bw_str_free(&line);
	}
	json_t *lanes = json_array();
	for (unsigned lane = 0; lane < w->lanes; lane++)
		json_array_append_new(lanes, json_sprintf("0x%x", v[lane]));
	bw_wave_vgpr_name(w, n, reg);
	bw_out_register(o, reg, lanes);
	return NULL;
}

static struct bw_error *show_vgpr_range(struct bw_out *o, struct bw_debug *d,
					const struct bw_wave_info *w, unsigned first, unsigned n)
{
	struct bw_error *err = NULL;
	for (unsigned i = first; i < first + n && !err; i++)
		err = show_vgpr(o, d, w, i);
	return err;
}

struct bw_error *bw_show_vgprs(struct bw_out *o, struct bw_debug *d)
{
	const struct bw_wave_info *w;
	BW_TRY(need_focus(d, &w));
	if (!w->n_vgprs)
		return bw_errorf(BW_E_STATE,
				 "The wave has given its VGPRs back (s_sendmsg DEALLOC_VGPRS)");
	return show_vgpr_range(o, d, w, 0, w->n_vgprs);
}

struct bw_error *bw_show_registers(struct bw_out *o, struct bw_debug *d, bool vgprs_too)
{
	const struct bw_wave_info *w;
	BW_TRY(need_focus(d, &w));
	for (size_t i = 0; i < BW_ARRAY_SIZE(general); i++)
		BW_TRY(show_special(o, d, w, general[i]));
	BW_TRY(show_state(o, d, w, bw_debug_arch(d)->main_regs));
	if (vgprs_too) {
		BW_TRY(show_special(o, d, w, BW_REG_FLAT_SCRATCH));
		BW_TRY(show_state(o, d, w, bw_debug_arch(d)->more_regs));
	}
	BW_TRY(show_sgprs(o, d, w, 0, bw_debug_n_sgprs(d)));
	return vgprs_too && w->n_vgprs ? bw_show_vgprs(o, d) : NULL;
}

struct bw_error *bw_show_register(struct bw_out *o, struct bw_debug *d, struct bw_wave_reg r)
{
	const struct bw_wave_info *w;
	unsigned n;
	BW_TRY(need_focus(d, &w));
	switch (r.cls) {
	case BW_REG_SPECIAL:
	case BW_REG_STATE:
		return show_one(o, d, w, r);
	case BW_REG_VGPR:
	case BW_REG_ACC:
		BW_TRY(bw_wave_vgpr_number(w, r, &n));
		return show_vgpr_range(o, d, w, n, r.count);
	case BW_REG_SGPR:
		if (r.count > 2)
			return show_sgprs(o, d, w, r.index, r.count);
		break;
	case BW_REG_TTMP:
		break;
	}
	uint64_t value;
	BW_TRY(bw_debug_reg_read(d, w->number, r, &value));
	char name[24];
	bw_wave_reg_name(bw_debug_arch(d), r, name);
	struct bw_str s = {0};
	bw_print_value(&s, value, r.count == 2 ? 8 : 4, BW_KIND_SIGNED, 'd');
	bw_out_line(o, "%-13s0x%0*llx  %s", name, r.count == 2 ? 16 : 8, (unsigned long long)value,
		    bw_str_text(&s));
	bw_str_free(&s);
	bw_out_register(o, name, json_sprintf("0x%llx", (unsigned long long)value));
	return NULL;
}
