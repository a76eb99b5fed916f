/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"

/* ---- Reading ---- */

struct reader {
	struct bw_debug *d;
	const struct bw_wave_info *w;
	struct bw_tui_registers *out;
};

static struct bw_error *push(struct reader *r, struct bw_tui_register x)
{
	return bw_vec_push(&r->out->list, x);
}

static struct bw_error *read_special(struct reader *r, enum bw_reg_special which)
{
	struct bw_wave_reg reg = {BW_REG_SPECIAL, (uint16_t)which, 1};
	struct bw_tui_register x = {.group = BW_TUI_REGS_MAIN};
	char name[24];
	BW_TRY(bw_debug_reg_read(r->d, r->w->number, reg, &x.value));
	bw_wave_reg_name(bw_debug_arch(r->d), reg, name);
	snprintf(x.name, sizeof(x.name), "%.15s", name);
	x.digits = which == BW_REG_SCC ? 0 : (uint8_t)(bw_wave_reg_size_dw(reg, r->w) * 8);
	if (which == BW_REG_PC)
		bw_debug_symbolize(r->d, x.value, x.text, sizeof(x.text));
	return push(r, x);
}

static struct bw_error *read_state(struct reader *r, uint8_t which)
{
	struct bw_wave_reg reg = {BW_REG_STATE, which, 1};
	struct bw_tui_register x = {.group = BW_TUI_REGS_MAIN, .digits = 8};
	char name[24];
	BW_TRY(bw_debug_reg_read(r->d, r->w->number, reg, &x.value));
	bw_wave_reg_name(bw_debug_arch(r->d), reg, name);
	snprintf(x.name, sizeof(x.name), "%.15s", name);
	bw_arch_flags_text(bw_debug_arch(r->d), (enum bw_wreg)which, (uint32_t)x.value, x.text,
			   sizeof(x.text));
	return push(r, x);
}

static struct bw_error *read_sgprs(struct reader *r)
{
	uint32_t s[BW_SGPR_SHOWN];
	const unsigned n = bw_debug_n_sgprs(r->d);
	BW_TRY(bw_debug_sgprs_read(r->d, r->w->number, 0, n, s));
	for (unsigned i = 0; i < n; i++) {
		struct bw_tui_register x = {.value = s[i], .digits = 8, .group = BW_TUI_REGS_SGPRS};
		snprintf(x.name, sizeof(x.name), "s%u", i);
		BW_TRY(push(r, x));
	}
	return NULL;
}

static struct bw_error *read_vgprs(struct reader *r)
{
	uint32_t v[64];
	for (unsigned i = 0; i < r->w->n_vgprs; i++) {
		struct bw_tui_register x = {.digits = 8, .group = BW_TUI_REGS_VGPRS};
		BW_TRY(bw_debug_vgpr_read(r->d, r->w->number, i, v));
		x.value = v[r->out->lane];
		bw_wave_vgpr_name(r->w, i, x.name);
		BW_TRY(push(r, x));
	}
	return NULL;
}

static struct bw_error *read_all(struct reader *r)
{
	static const enum bw_reg_special general[] = {BW_REG_PC, BW_REG_EXEC, BW_REG_VCC,
						      BW_REG_SCC, BW_REG_M0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(general); i++)
		BW_TRY(read_special(r, general[i]));
	for (const uint8_t *reg = bw_debug_arch(r->d)->main_regs; *reg != BW_WREG_NONE; reg++)
		BW_TRY(read_state(r, *reg));
	/* a wave always has all SGPRs, and uses a few: they come last */
	BW_TRY(read_vgprs(r));
	return read_sgprs(r);
}

void bw_tui_registers_load(struct bw_debug *d, const struct bw_tui_registers *before,
			   struct bw_tui_registers *out)
{
	struct reader r = {d, bw_debug_focus(d), out};
	*out = (struct bw_tui_registers){0};
	if (!r.w)
		return;
	out->wave = r.w->number;
	out->lane = bw_debug_focus_lane(d) % r.w->lanes;
	bw_error_free(read_all(&r));
	/* another wave, or another lane's VGPRs, have not changed: they are others */
	for (size_t i = 0; before->wave == out->wave && i < out->list.len; i++) {
		struct bw_tui_register *x = &out->list.data[i];
		bool is_same = x->group != BW_TUI_REGS_VGPRS || before->lane == out->lane;
		x->is_changed =
			is_same && i < before->list.len && before->list.data[i].value != x->value;
	}
}

void bw_tui_registers_fini(struct bw_tui_registers *s)
{
	bw_vec_free(&s->list);
	*s = (struct bw_tui_registers){0};
}

/* ---- Showing ---- */

/* One that has changed is known without colours, too. */
static void add_value(struct bw_tui_line *l, const struct bw_tui_register *x, unsigned name_columns)
{
	unsigned style = x->is_changed ? BW_TUI_YELLOW | BW_TUI_REVERSE : BW_TUI_PLAIN;
	bw_tui_add(l, BW_TUI_CYAN, x->name);
	bw_tui_pad(l, BW_TUI_PLAIN, bw_tui_width(l) - (unsigned)strlen(x->name) + name_columns);
	bw_tui_addf(l, style, x->digits ? "%0*llx" : "%*llu", (int)x->digits,
		    (unsigned long long)x->value);
}

/* The registers of one line, each so many columns wide. Those with a text of their own stand alone,
 * the others side by side. */
struct row {
	size_t first, n;
	unsigned name_columns, cell_columns;
};
struct rows BW_VEC(struct row);

/* The row that begins with register i. */
static struct row row_at(const struct bw_tui_registers *s, size_t i, unsigned columns)
{
	enum { MAIN_NAME = 10, SHORT_NAME = 6, GPR_NAME = 5, GAP = 2 };
	const struct bw_tui_register *x = &s->list.data[i];
	bool is_main = x->group == BW_TUI_REGS_MAIN;
	unsigned digits = 0;
	size_t n = 1;
	if (x->text[0])
		return (struct row){i, 1, MAIN_NAME, columns};
	while (i + n < s->list.len && x[n].group == x->group && !x[n].text[0])
		n++;
	struct row row = {i, n, !is_main ? GPR_NAME : n == 1 ? MAIN_NAME : SHORT_NAME, 0};
	for (size_t k = 0; k < n; k++) {
		digits = BW_MAX(digits, (unsigned)x[k].digits);
		row.name_columns = BW_MAX(row.name_columns, (unsigned)strlen(x[k].name) + 1);
	}
	row.cell_columns = row.name_columns + digits + GAP;
	/* a power of two, so that s8, s16... are where one looks for them */
	size_t most = 1;
	while (most * 2 * row.cell_columns <= columns + GAP && most < 16)
		most *= 2;
	row.n = BW_MIN(n, most);
	return row;
}

static void add_row(const struct bw_tui_registers *s, const struct row *row, struct bw_tui_line *l)
{
	const struct bw_tui_register *x = &s->list.data[row->first];
	for (size_t i = 0; i < row->n; i++) {
		bw_tui_pad(l, BW_TUI_PLAIN, (unsigned)i * row->cell_columns);
		add_value(l, &x[i], row->name_columns);
	}
	if (x->text[0])
		bw_tui_addf(l, BW_TUI_PLAIN, "  %s", x->text);
}

void bw_tui_registers_page(const struct bw_tui_registers *s, struct bw_tui_page *p)
{
	struct rows rows = {0};
	bw_tui_page_clear(p);
	if (!s->list.len) {
		bw_tui_page_say(p, "[ Register Values Unavailable ]");
		return;
	}
	bw_str_addf(&p->title, "registers of wave %u, VGPRs of lane %u", s->wave, s->lane);
	for (size_t i = 0; i < s->list.len;) {
		struct row row = row_at(s, i, p->columns);
		bw_error_free(bw_vec_push(&rows, row));
		i += row.n;
	}
	bw_tui_page_begin(p, rows.len);
	for (size_t i = p->top; i < rows.len && i < p->top + p->rows; i++) {
		struct bw_tui_line *l = bw_tui_page_add(p);
		if (l)
			add_row(s, &rows.data[i], l);
	}
	bw_vec_free(&rows);
}
