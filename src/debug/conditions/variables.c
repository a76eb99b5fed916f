// SPDX-License-Identifier: MIT
/* Variables of the program in conditions. Variables that are in registers in the form that the code
 * compares stay there; others are loaded into the VGPRs that the trap handler lends (trap.h,
 * BW_TRAP_C_FILTERS), for all active lanes, before anything is compared. So the two compilers only
 * have to know registers. */
#include "debug/conditions/filter_priv.h"
#include "debug/registers.h"
#include "isa/ops.h"

#include <stdio.h>

#include "trap/trap.h"

static bool is_op(const struct bw_filter_tokens *t, size_t i, int op)
{
	return i < t->n && t->tok[i].kind == BW_TOK_OP && t->tok[i].op == op;
}

const struct bw_filter_var *bw_filter_var_at(const struct bw_filter_tokens *t, size_t i)
{
	for (unsigned k = 0; k < t->n_vars; k++)
		if (t->var[k].first == i)
			return &t->var[k];
	return NULL;
}

/* ---- Finding them ---- */

static bool is_arrow(const struct bw_filter_tokens *t, size_t i)
{
	return is_op(t, i, '-') && is_op(t, i + 1, '>') && t->tok[i + 1].column == t->tok[i].end;
}

/* The token after the bracket that closes the one at i. */
static size_t behind_brackets(const struct bw_filter_tokens *t, size_t i)
{
	int depth = 0;
	for (; i < t->n; i++) {
		depth += is_op(t, i, '[') || is_op(t, i, '(');
		depth -= is_op(t, i, ']') || is_op(t, i, ')');
		if (!depth)
			return i + 1;
	}
	return t->n;
}

/* The end of an expression like item.at[2].x that begins with the name at i. out_fixed: by its
 * form, its place is known without reading the program's memory. */
static size_t chain(const struct bw_filter_tokens *t, size_t i, bool *out_fixed)
{
	*out_fixed = true;
	for (i++;;) {
		if (is_op(t, i, '.') && i + 1 < t->n && t->tok[i + 1].kind == BW_TOK_IDENT) {
			i += 2;
		} else if (is_op(t, i, '[')) {
			*out_fixed &= i + 2 < t->n && t->tok[i + 1].kind == BW_TOK_INT &&
				      is_op(t, i + 2, ']');
			i = behind_brackets(t, i);
		} else if (is_arrow(t, i)) {
			*out_fixed = false;
			i += 3;
		} else {
			return BW_MIN(i, t->n);
		}
	}
}

static void not_tested(struct bw_filter_result *r, const char *text, size_t len, const char *why)
{
	if (r->why)
		return;
	r->why = why;
	snprintf(r->part, sizeof(r->part), "%.*s", (int)BW_MIN(len, sizeof(r->part) - 1), text);
}

/* Says why the variable's value cannot be compared by code; NULL: it can. */
static const char *unfit(const struct bw_filter_variable *v, const struct bw_filter_facts *f)
{
	enum bw_type_kind kind = v->type.kind;
	unsigned size_b = v->type.size_b;
	bool fits = kind == BW_TYPE_FLOAT     ? size_b == 4
		    : kind == BW_TYPE_POINTER ? size_b == 8
		    : kind == BW_TYPE_INT || kind == BW_TYPE_UINT
			    ? size_b == 1 || size_b == 2 || size_b == 4 || size_b == 8
			    : false;
	if (!fits)
		return "has a type that is not compared on the GPU";
	unsigned n_regs = (size_b + 3) / 4;
	switch (v->kind) {
	case BW_FILTER_VGPR:
		return v->reg + n_regs > f->n_vgprs ? "is in a register that not all waves have"
						    : NULL;
	case BW_FILTER_SGPR:
		return v->reg + n_regs > BW_SRC_TTMP0 ? "is in no register that is compared" : NULL;
	case BW_FILTER_PRIVATE:
		/* loads of scratch need an address that is a multiple of their size */
		if (v->offset_b % BW_MIN(size_b, 4u))
			return "lies across two words";
		return v->offset_b > INT32_MAX || v->offset_b + size_b > f->scratch_b
			       ? "lies outside of the lane's scratch memory"
			       : NULL;
	case BW_FILTER_LDS:
		return v->offset_b % size_b || v->offset_b > UINT16_MAX ? "lies across two words"
									: NULL;
	case BW_FILTER_CONSTANT:
		break;
	}
	return NULL;
}

static void add_variable(struct bw_filter_tokens *t, const struct bw_filter_facts *f, size_t first,
			 size_t end, struct bw_filter_result *r)
{
	const char *text = t->text + t->tok[first].column;
	size_t len = t->tok[end - 1].end - t->tok[first].column;
	struct bw_filter_var new = {.first = first, .end = end};
	if (!f->place || !f->place(f->cookie, text, len, &new.v)) {
		not_tested(r, text, len, new.v.why ? new.v.why : "has no place that is known here");
		return;
	}
	const char *why = t->n_vars == BW_FILTER_MAX_VARS
				  ? "is one more variable than can be compared on the GPU"
				  : unfit(&new.v, f);
	if (why)
		not_tested(r, text, len, why);
	else
		t->var[t->n_vars++] = new;
}

void bw_filter_find_variables(struct bw_filter_tokens *t, const struct bw_filter_facts *f,
			      struct bw_filter_result *r)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_op(t, i, '*') && (!i || (t->tok[i - 1].kind == BW_TOK_OP &&
						!is_op(t, i - 1, ')') && !is_op(t, i - 1, ']'))))
			not_tested(r, t->text + t->tok[i].column,
				   t->tok[BW_MIN(i + 1, t->n - 1)].end - t->tok[i].column,
				   "is read from memory");
	for (size_t i = 0, end; i < t->n; i = end) {
		const struct bw_tok *k = &t->tok[i];
		bool fixed;
		end = i + 1;
		if (k->kind != BW_TOK_IDENT || is_op(t, i + 1, '(') || is_op(t, i + 1, '#') ||
		    (bw_expr_is_dim3(k->name) && is_op(t, i + 1, '.')))
			continue;
		bool member = i && (is_op(t, i - 1, '.') || (i > 1 && is_arrow(t, i - 2)));
		bool type = is_op(t, i - 1, '(') && bw_expr_type_word(k->name);
		if (member || (i && type))
			continue;
		end = chain(t, i, &fixed);
		if (fixed)
			add_variable(t, f, i, end, r);
		else
			not_tested(r, t->text + k->column, t->tok[end - 1].end - k->column,
				   "is read from memory");
	}
}

/* ---- Loading them ---- */

static bool needs_vgpr(const struct bw_filter_variable *v)
{
	switch (v->kind) {
	case BW_FILTER_VGPR:
		return v->type.size_b < 4;
	case BW_FILTER_SGPR: /* a pair begins with an even register */
		return v->type.size_b < 4 || (v->type.size_b == 8 && v->reg % 2);
	case BW_FILTER_PRIVATE:
	case BW_FILTER_LDS:
		return true;
	case BW_FILTER_CONSTANT:
		break;
	}
	return false;
}

bool bw_filter_var_is_scalar(const struct bw_filter_var *var)
{
	return var->v.kind == BW_FILTER_SGPR && !needs_vgpr(&var->v);
}

bool bw_filter_var_is_signed(const struct bw_filter_var *var)
{
	return var->v.type.kind == BW_TYPE_INT ||
	       (var->v.type.kind == BW_TYPE_UINT && var->v.type.size_b < 4);
}

/* The lent VGPRs whose own values the condition reads; a bit for each. */
static uint32_t vgprs_read(const struct bw_filter_tokens *t)
{
	uint32_t used = 0;
	struct bw_wave_reg r;
	for (size_t i = 0; i < t->n; i++)
		if (t->tok[i].kind == BW_TOK_DOLLAR &&
		    bw_wave_reg_parse(NULL, t->tok[i].name, &r) && r.cls == BW_REG_VGPR)
			for (unsigned k = r.index; k < r.index + r.count && k < 32; k++)
				used |= 1u << k;
	for (unsigned i = 0; i < t->n_vars; i++) {
		const struct bw_filter_variable *v = &t->var[i].v;
		for (unsigned k = 0; v->kind == BW_FILTER_VGPR && k < (v->type.size_b + 3u) / 4;
		     k++)
			used |= v->reg + k < 32 ? 1u << (v->reg + k) : 0;
	}
	return used;
}

static bool same_place(const struct bw_filter_variable *a, const struct bw_filter_variable *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset_b == b->offset_b &&
	       a->type.kind == b->type.kind && a->type.size_b == b->type.size_b;
}

/* Gives each variable its registers; variables for which there are none are dropped. */
static void allot(struct bw_filter_tokens *t, const struct bw_filter_facts *f,
		  struct bw_filter_result *r)
{
	uint32_t used = vgprs_read(t);
	unsigned most = BW_MIN(f->n_vgprs, (unsigned)BW_TRAP_FILTER_VGPRS);
	for (unsigned i = 0; i < t->n_vars; i++) {
		struct bw_filter_var *var = &t->var[i];
		unsigned n = (var->v.type.size_b + 3u) / 4, reg = 0;
		var->reg = var->v.reg;
		if (!needs_vgpr(&var->v))
			continue;
		for (unsigned k = 0; k < i && !var->is_shared; k++) {
			var->is_shared = same_place(&t->var[k].v, &var->v);
			var->reg = t->var[k].reg;
		}
		if (var->is_shared)
			continue;
		uint32_t mask = (1u << n) - 1;
		while (reg + n <= most && used >> reg & mask)
			reg++;
		if (reg + n > most) {
			not_tested(r, t->text + t->tok[var->first].column,
				   t->tok[var->end - 1].end - t->tok[var->first].column,
				   "is one more variable than can be compared on the GPU");
			*var = t->var[--t->n_vars];
			i--;
			continue;
		}
		used |= mask << reg;
		var->reg = reg;
		r->n_vgprs = BW_MAX(r->n_vgprs, reg + n);
	}
}

/* Checks that the frame's base is an offset in the lane's scratch. A wave whose s33 has another
 * value (before the function has set it) stops, and the debugger tests its condition. */
static void check_base(const struct bw_filter_tokens *t, const struct bw_filter_facts *f,
		       unsigned base, struct bw_asm *c)
{
	uint32_t end_b = 0;
	for (unsigned i = 0; i < t->n_vars; i++)
		if (t->var[i].v.kind == BW_FILTER_PRIVATE && t->var[i].v.reg == base)
			end_b = BW_MAX(end_b, t->var[i].v.offset_b + t->var[i].v.type.size_b);
	if (!end_b || base == BW_SRC_NULL)
		return;
	bw_filter_compare_sgpr(c, BW_LE, false, base, f->scratch_b - end_b);
	bw_asm_imm(c, BW_OP_S_CBRANCH_SCC1, 0, 2);
	bw_asm_2(c, BW_OP_S_CMP_EQ_U32, 0, bw_asm_code(BW_FR_INLINE_0),
		 bw_asm_code(BW_FR_INLINE_0));
	bw_asm_1(c, BW_OP_S_SETPC_B64, 0, bw_asm_code(BW_FR_LINK));
}

static unsigned load_op(const struct bw_type *t, bool lds)
{
	bool is_signed = t->kind == BW_TYPE_INT;
	switch (t->size_b) {
	case 1:
		return lds	   ? is_signed ? BW_OP_DS_LOAD_I8 : BW_OP_DS_LOAD_U8
		       : is_signed ? BW_OP_SCRATCH_LOAD_I8
				   : BW_OP_SCRATCH_LOAD_U8;
	case 2:
		return lds	   ? is_signed ? BW_OP_DS_LOAD_I16 : BW_OP_DS_LOAD_U16
		       : is_signed ? BW_OP_SCRATCH_LOAD_I16
				   : BW_OP_SCRATCH_LOAD_U16;
	case 4:
		return lds ? BW_OP_DS_LOAD_B32 : BW_OP_SCRATCH_LOAD_B32;
	default:
		return lds ? BW_OP_DS_LOAD_B64 : BW_OP_SCRATCH_LOAD_B64;
	}
}

static void load_private(const struct bw_filter_var *var, struct bw_asm *c)
{
	enum { MAX_IMM = 4095 };
	uint32_t offset_b = var->v.offset_b;
	unsigned base = var->v.reg;
	if (offset_b > MAX_IMM && base == BW_SRC_NULL) {
		bw_asm_1(c, BW_OP_S_MOV_B32, BW_FR_LEAF, bw_asm_literal(offset_b));
		base = BW_FR_LEAF;
	} else if (offset_b > MAX_IMM) {
		bw_asm_2(c, BW_OP_S_ADD_U32, BW_FR_LEAF, bw_asm_code(base),
			 bw_asm_literal(offset_b));
		base = BW_FR_LEAF;
	}
	bw_asm_put(c, &(struct bw_inst){.op = load_op(&var->v.type, false),
					.dst = (uint16_t)var->reg,
					.saddr = (uint8_t)base,
					.imm = offset_b > MAX_IMM ? 0 : (int32_t)offset_b});
}

/* Extracts a value from a register that holds more: 8 or 16 bits of it, or one of an odd pair. */
static void take_out(const struct bw_filter_var *var, struct bw_asm *c)
{
	const struct bw_filter_variable *v = &var->v;
	unsigned code = v->kind == BW_FILTER_VGPR ? BW_SRC_VGPR0 + v->reg : v->reg;
	for (unsigned i = 0; v->type.size_b == 8 && i < 2; i++)
		bw_asm_1(c, BW_OP_V_MOV_B32, var->reg + i, bw_asm_code(code + i));
	if (v->type.size_b == 8)
		return;
	bw_asm_put(c, &(struct bw_inst){.op = v->type.kind == BW_TYPE_INT ? BW_OP_V_BFE_I32
									  : BW_OP_V_BFE_U32,
					.dst = (uint16_t)var->reg,
					.src = {(uint16_t)code, BW_SRC_INT_0,
						(uint16_t)(BW_SRC_INT_0 + v->type.size_b * 8)}});
}

void bw_filter_load_variables(struct bw_filter_tokens *t, const struct bw_filter_facts *f,
			      struct bw_asm *c, struct bw_filter_result *r)
{
	bool waits = false;
	allot(t, f, r);
	check_base(t, f, 32, c);
	check_base(t, f, 33, c);
	for (unsigned i = 0; i < t->n_vars; i++) {
		const struct bw_filter_var *var = &t->var[i];
		if (!needs_vgpr(&var->v) || var->is_shared)
			continue;
		if (var->v.kind == BW_FILTER_PRIVATE) {
			load_private(var, c);
		} else if (var->v.kind == BW_FILTER_LDS) {
			bw_asm_1(c, BW_OP_V_MOV_B32, var->reg, bw_asm_literal(var->v.offset_b));
			bw_asm_put(c, &(struct bw_inst){.op = load_op(&var->v.type, true),
							.dst = (uint16_t)var->reg,
							.vaddr = (uint8_t)var->reg});
		} else {
			take_out(var, c);
			continue;
		}
		waits = true;
	}
	if (waits)
		bw_asm_imm(c, BW_OP_S_WAITCNT, 0, 0);
}
