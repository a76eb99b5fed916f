/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"
#include "dap/draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "debug/bound.h"
#include "debug/dispatches.h"
#include "debug/expressions.h"
#include "debug/registers.h"
#include "debug/variables.h"
#include "ui/show_program.h"

/* The scopes of a frame: variables of the source, registers, LDS, buffers. */

static unsigned lds_size(struct bw_dap *s, const struct bw_wave_info *w)
{
	const struct bw_arch *arch = bw_debug_arch(s->debug);
	const struct bw_wave_reg alloc = {BW_REG_STATE, BW_WREG_LDS_ALLOC, 1};
	uint64_t raw;
	struct bw_error *err = bw_debug_reg_read(s->debug, w->number, alloc, &raw);
	if (err) {
		bw_error_free(err);
		return 0;
	}
	return bw_arch_get(arch, BW_WF_LDS_SIZE, (uint32_t)raw) * arch->lds_granule_b;
}

/* ---- scopes ---- */

struct scope {
	const char *name;
	enum bw_dap_ref_kind kind;
	const char *hint;
	uint64_t indexed, named;
	bool expensive;
};

static void add_scope(struct bw_dap *s, const struct bw_dap_ref *frame, const struct scope *x,
		      json_t *list)
{
	struct bw_dap_ref ref = *frame;
	ref.kind = x->kind;
	json_t *o = json_object();
	json_object_set_new(o, "name", json_string(x->name));
	if (x->hint)
		json_object_set_new(o, "presentationHint", json_string(x->hint));
	json_object_set_new(o, "variablesReference", json_integer(bw_dap_add_ref(s, &ref)));
	if (x->indexed)
		json_object_set_new(o, "indexedVariables", json_integer((json_int_t)x->indexed));
	if (x->named)
		json_object_set_new(o, "namedVariables", json_integer((json_int_t)x->named));
	json_object_set_new(o, "expensive", json_boolean(x->expensive));
	json_array_append_new(list, o);
}

struct bw_error *bw_dap_scopes(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_dap_ref frame;
	int64_t id = 0;
	json_t *list = json_array();
	json_object_set_new(body, "scopes", list);
	BW_TRY(bw_dap_need_int(args, "frameId", &id));
	BW_TRY(bw_dap_focus_frame(s, args, &frame));
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (!w)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	unsigned lds_b = lds_size(s, w);
	const struct scope all[] = {
		{"Locals", BW_DAP_REF_LOCALS, "locals", 0, 0, false},
		{"Inputs", BW_DAP_REF_INPUTS, NULL, 0, 0, false},
		{"Outputs", BW_DAP_REF_OUTPUTS, NULL, 0, 0, false},
		{"Arguments", BW_DAP_REF_ARGS, "arguments", 0, 0, false},
		{"State", BW_DAP_REF_STATE, "registers", 0, 0, false},
		{"SGPRs", BW_DAP_REF_SGPRS, "registers", 0, bw_debug_n_sgprs(s->debug), false},
		{"VGPRs", BW_DAP_REF_VGPRS, "registers", 0, w->n_vgprs, false},
		{"LDS", BW_DAP_REF_LDS, NULL, lds_b / 4, 0, true},
		{"Buffers", BW_DAP_REF_BUFFERS, NULL, 0, 0, true},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(all); i++) {
		if ((all[i].kind == BW_DAP_REF_LDS && !lds_b) ||
		    (all[i].kind == BW_DAP_REF_LOCALS &&
		     !bw_show_has_variables(s->debug, BW_SHOW_LOCALS)) ||
		    ((all[i].kind == BW_DAP_REF_INPUTS || all[i].kind == BW_DAP_REF_OUTPUTS) &&
		     !bw_dap_has_draw_scope(s, w, all[i].kind)) ||
		    (all[i].kind == BW_DAP_REF_VGPRS && !w->n_vgprs))
			continue;
		add_scope(s, &frame, &all[i], list);
	}
	return NULL;
}

/* ---- variables ---- */

struct listing {
	struct bw_dap *s;
	const struct bw_wave_info *w;
	const struct bw_dap_ref *ref;
	struct bw_dap_page page;
	uint64_t at; /* number of the next one */
	json_t *list;
};

/* Whether the next variable is among those that the request asks for. */
static bool next_is_wanted(struct listing *x)
{
	uint64_t i = x->at++;
	return i >= x->page.start && (!x->page.count || i - x->page.start < x->page.count);
}

static void add_register(struct listing *x, const char *name, const char *value, const char *type)
{
	struct bw_str expr = {0};
	json_t *v = bw_dap_variable(name, value, type);
	bw_str_addf(&expr, "$%s", name);
	bw_dap_name_as(v, bw_str_text(&expr));
	json_array_append_new(x->list, v);
	bw_str_free(&expr);
}

/* An inner variable of the same name hides an outer one from expressions. */
static bool is_hidden(const struct bw_variable *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(list[k].name, list[i].name))
			return true;
	return false;
}

static void add_variable(struct listing *x, const struct bw_variable *list, size_t i)
{
	const struct bw_variable *v = &list[i];
	char type[BW_TYPE_NAME_MAX];
	struct bw_str text = {0};
	struct bw_value value = {0};
	bw_ctype_name(v->type, type, sizeof(type));
	json_t *var = bw_dap_variable(v->name, "", type);
	struct bw_error *err = NULL;
	if (!is_hidden(list, i)) {
		err = bw_dap_add_value(x->s, v->name, "value", x->page.hex, var);
		bw_dap_name_as(var, v->name);
		json_object_set_new(var, "type", bw_json_text(type));
	} else {
		err = bw_debug_variable_value(x->s->debug, v, &value);
		if (!err)
			err = bw_debug_fetch(x->s->debug, &value);
		if (!err) {
			bw_show_value(x->s->debug, &value, x->page.hex ? 'x' : 0, &text);
			json_object_set_new(var, "value", bw_dap_text(&text));
		}
		bw_value_fini(&value);
	}
	if (err) {
		bw_str_clear(&text);
		bw_str_addf(&text, "<error: %s>", err->message);
		json_object_set_new(var, "value", bw_dap_text(&text));
		bw_error_free(err);
	}
	bw_str_free(&text);
	json_array_append_new(x->list, var);
}

static struct bw_error *add_variables(struct listing *x, enum bw_show_which which, size_t *out_n)
{
	const struct bw_variable *borrowed;
	size_t n;
	*out_n = 0;
	BW_TRY(bw_debug_variables(x->s->debug, &borrowed, &n));
	if (!n)
		return NULL;
	/* a copy: reading a value may look at another place */
	_cleanup_free_ struct bw_variable *list = malloc(n * sizeof(*list));
	if (!list)
		return bw_error_nomem();
	memcpy(list, borrowed, n * sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		if (!bw_show_is_among(&list[i], which))
			continue;
		++*out_n;
		if (next_is_wanted(x))
			add_variable(x, list, i);
	}
	return NULL;
}

/* Without debug information: adds the kernel's launch values. */
static struct bw_error *add_launch_values(struct listing *x)
{
	struct bw_arg_info *args;
	size_t n;
	struct bw_error *err = bw_debug_args(x->s->debug, x->w->dispatch, &args, &n);
	if (bw_error_catch(&err, BW_E_NOT_FOUND) || bw_error_catch(&err, BW_E_STATE) ||
	    bw_error_catch(&err, BW_E_UNSUPPORTED))
		return NULL;
	BW_TRY(err);
	for (size_t i = 0; i < n; i++) {
		struct bw_str expr = {0};
		if (!args[i].arg->name || !next_is_wanted(x))
			continue;
		bw_str_addf(&expr, "$_launch.%s", args[i].arg->name);
		json_t *v = bw_dap_variable(args[i].arg->name, "", NULL);
		err = bw_dap_add_value(x->s, bw_str_text(&expr), "value", x->page.hex, v);
		if (err)
			json_object_set_new(v, "value", bw_json_text(err->message));
		bw_error_free(err);
		bw_dap_name_as(v, bw_str_text(&expr));
		json_array_append_new(x->list, v);
		bw_str_free(&expr);
	}
	bw_debug_free_args(args, n);
	return NULL;
}

static struct bw_error *list_args(struct listing *x)
{
	size_t n;
	BW_TRY(add_variables(x, BW_SHOW_PARAMS, &n));
	return n ? NULL : add_launch_values(x);
}

/* What the shader names, then what the GPU says. */
static struct bw_error *list_draw(struct listing *x)
{
	size_t n, i;
	json_t *values = json_array(), *one;
	struct bw_error *err = NULL;
	if (x->ref->kind != BW_DAP_REF_ATTRIBUTE)
		err = add_variables(
			x, x->ref->kind == BW_DAP_REF_INPUTS ? BW_SHOW_INPUTS : BW_SHOW_OUTPUTS,
			&n);
	if (!err)
		err = bw_dap_draw_values(x->s, x->ref, values);
	json_array_foreach(values, i, one) if (next_is_wanted(x)) json_array_append(x->list, one);
	json_decref(values);
	return err;
}

static struct bw_error *list_sgprs(struct listing *x)
{
	uint32_t values[BW_SGPR_SHOWN];
	const unsigned n = bw_debug_n_sgprs(x->s->debug);
	BW_TRY(bw_debug_sgprs_read(x->s->debug, x->w->number, 0, n, values));
	for (unsigned i = 0; i < n; i++) {
		char name[16], value[16];
		if (!next_is_wanted(x))
			continue;
		snprintf(name, sizeof(name), "s%u", i);
		snprintf(value, sizeof(value), "0x%08x", values[i]);
		add_register(x, name, value, "uint32_t");
	}
	return NULL;
}

static json_t *vgpr_lanes(struct listing *x, unsigned n)
{
	const struct bw_dap_ref ref = {.kind = BW_DAP_REF_VGPR,
				       .wave = x->ref->wave,
				       .level = x->ref->level,
				       .index = n,
				       .accum_offset = x->w->accum_offset};
	return json_integer(bw_dap_add_ref(x->s, &ref));
}

static struct bw_error *list_vgprs(struct listing *x)
{
	unsigned lane = bw_debug_focus_lane(x->s->debug);
	for (unsigned i = 0; i < x->w->n_vgprs; i++) {
		char name[16], value[64];
		uint32_t lanes[64];
		if (!next_is_wanted(x))
			continue;
		BW_TRY(bw_debug_vgpr_read(x->s->debug, x->w->number, i, lanes));
		bw_wave_vgpr_name(x->w, i, name);
		snprintf(value, sizeof(value), "0x%08x in lane %u%s", lanes[lane], lane,
			 x->w->exec >> lane & 1 ? "" : " (inactive)");
		add_register(x, name, value, "uint32_t, one a lane");
		json_t *v = json_array_get(x->list, json_array_size(x->list) - 1);
		json_object_set_new(v, "variablesReference", vgpr_lanes(x, i));
		json_object_set_new(v, "indexedVariables", json_integer(x->w->lanes));
	}
	return NULL;
}

static struct bw_error *list_lanes(struct listing *x)
{
	uint32_t lanes[64];
	BW_TRY(bw_debug_vgpr_read(x->s->debug, x->w->number, x->ref->index, lanes));
	for (unsigned i = 0; i < x->w->lanes; i++) {
		char name[32], value[40], expr[32], reg[8];
		if (!next_is_wanted(x))
			continue;
		snprintf(name, sizeof(name), "[%u]", i);
		snprintf(value, sizeof(value), "0x%08x%s", lanes[i],
			 x->w->exec >> i & 1 ? "" : " (inactive)");
		bw_wave_vgpr_name(x->w, x->ref->index, reg);
		snprintf(expr, sizeof(expr), "$%s[%u]", reg, i);
		json_t *v = bw_dap_variable(name, value, "uint32_t");
		bw_dap_name_as(v, expr);
		json_array_append_new(x->list, v);
	}
	return NULL;
}

static struct bw_error *list_state_reg(struct listing *x, struct bw_wave_reg r)
{
	const struct bw_arch *arch = bw_debug_arch(x->s->debug);
	uint64_t value;
	char name[24], more[256] = "";
	struct bw_str text = {0};
	if (!next_is_wanted(x))
		return NULL;
	BW_TRY(bw_debug_reg_read(x->s->debug, x->w->number, r, &value));
	bw_wave_reg_name(arch, r, name);
	int digits = (int)bw_wave_reg_size_dw(r, x->w) * 8;
	if (r.cls == BW_REG_STATE)
		bw_arch_flags_text(arch, (enum bw_wreg)r.index, (uint32_t)value, more,
				   sizeof(more));
	else if (r.index == BW_REG_PC)
		bw_debug_symbolize(x->s->debug, value, more, sizeof(more));
	else if (r.index == BW_REG_EXEC || r.index == BW_REG_VCC)
		bw_print_lanes(&text, value);
	if (text.len)
		snprintf(more, sizeof(more), "lanes %s", bw_str_text(&text));
	bw_str_clear(&text);
	bw_str_addf(&text, "0x%0*llx%s%s", digits, (unsigned long long)value, more[0] ? "  " : "",
		    more);
	add_register(x, name, bw_str_text(&text), digits == 16 ? "uint64_t" : "uint32_t");
	bw_str_free(&text);
	return NULL;
}

static struct bw_error *list_state(struct listing *x)
{
	static const enum bw_reg_special special[] = {BW_REG_PC,  BW_REG_EXEC, BW_REG_VCC,
						      BW_REG_SCC, BW_REG_M0,   BW_REG_FLAT_SCRATCH};
	const struct bw_arch *arch = bw_debug_arch(x->s->debug);
	const uint8_t *const lists[] = {arch->main_regs, arch->more_regs};
	for (size_t i = 0; i < BW_ARRAY_SIZE(special); i++)
		BW_TRY(list_state_reg(
			x, (struct bw_wave_reg){BW_REG_SPECIAL, (uint16_t)special[i], 1}));
	for (size_t i = 0; i < BW_ARRAY_SIZE(lists); i++)
		for (const uint8_t *r = lists[i]; *r != BW_WREG_NONE; r++)
			BW_TRY(list_state_reg(x, (struct bw_wave_reg){BW_REG_STATE, *r, 1}));
	return NULL;
}

static struct bw_error *list_lds(struct listing *x)
{
	enum { PAGE_DW = 4096 };
	uint32_t words[PAGE_DW];
	uint64_t total = lds_size(x->s, x->w) / 4, first = BW_MIN(x->page.start, total);
	uint64_t n = BW_MIN(total - first, (uint64_t)PAGE_DW);
	if (x->page.count)
		n = BW_MIN(n, x->page.count);
	if (!n)
		return NULL;
	BW_TRY(bw_debug_read(x->s->debug, BW_SPACE_LDS, first * 4, words, n * 4));
	for (uint64_t i = 0; i < n; i++) {
		char name[32], value[16], expr[80], place[48];
		bw_dap_place_text(BW_SPACE_LDS, (first + i) * 4, place);
		snprintf(name, sizeof(name), "[%llu]", (unsigned long long)(first + i));
		snprintf(value, sizeof(value), "0x%08x", words[i]);
		snprintf(expr, sizeof(expr), "*(unsigned int *)%s", place);
		json_t *v = bw_dap_variable(name, value, "uint32_t");
		bw_dap_name_as(v, expr);
		json_object_set_new(v, "memoryReference", json_string(place));
		json_array_append_new(x->list, v);
	}
	return NULL;
}

static struct bw_error *list_buffers(struct listing *x)
{
	const struct bw_buffer_info *all;
	struct bw_buffer_info ignored;
	size_t n;
	/* this gives numbers to the buffers that are bound to the dispatch */
	bw_error_free(bw_debug_find_buffer(x->s->debug, x->w->dispatch, UINT32_MAX, &ignored));
	BW_TRY(bw_debug_buffers(x->s->debug, &all, &n));
	for (size_t i = 0; i < n; i++) {
		struct bw_str name = {0}, value = {0};
		char place[48];
		if (!next_is_wanted(x))
			continue;
		bw_str_addf(&name, "%u", all[i].number);
		if (all[i].name[0])
			bw_str_addf(&name, " %s", all[i].name);
		bw_str_addf(&value, "0x%llx, %llu bytes%s", (unsigned long long)all[i].va,
			    (unsigned long long)all[i].size_b, all[i].is_image ? " (image)" : "");
		json_t *v = bw_dap_variable(bw_str_text(&name), bw_str_text(&value),
					    all[i].is_image ? "image" : "buffer");
		bw_dap_place_text(BW_SPACE_GLOBAL, all[i].va, place);
		json_object_set_new(v, "memoryReference", json_string(place));
		json_array_append_new(x->list, v);
		bw_str_free(&name);
		bw_str_free(&value);
	}
	return NULL;
}

static struct bw_error *list(struct listing *x)
{
	size_t n;
	switch (x->ref->kind) {
	case BW_DAP_REF_FRAME:
		return NULL;
	case BW_DAP_REF_LOCALS:
		return add_variables(x, BW_SHOW_LOCALS, &n);
	case BW_DAP_REF_INPUTS:
	case BW_DAP_REF_OUTPUTS:
	case BW_DAP_REF_ATTRIBUTE:
		return list_draw(x);
	case BW_DAP_REF_ARGS:
		return list_args(x);
	case BW_DAP_REF_SGPRS:
		return list_sgprs(x);
	case BW_DAP_REF_VGPRS:
		return list_vgprs(x);
	case BW_DAP_REF_VGPR:
		return list_lanes(x);
	case BW_DAP_REF_STATE:
		return list_state(x);
	case BW_DAP_REF_LDS:
		return list_lds(x);
	case BW_DAP_REF_BUFFERS:
		return list_buffers(x);
	case BW_DAP_REF_VALUE:
		return bw_dap_add_parts(x->s, x->ref, &x->page, x->list);
	}
	return NULL;
}

static bool is_indexed(enum bw_dap_ref_kind kind)
{
	return kind == BW_DAP_REF_VGPR || kind == BW_DAP_REF_LDS;
}

struct bw_error *bw_dap_variables(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_dap_ref ref;
	int64_t number = 0;
	const char *filter = "";
	struct listing x = {.s = s, .ref = &ref, .list = json_array()};
	json_object_set_new(body, "variables", x.list);
	BW_TRY(bw_dap_need_int(args, "variablesReference", &number));
	BW_TRY(bw_dap_take_text(args, "filter", &filter));
	BW_TRY(bw_dap_take_count(args, "start", INT64_MAX, &x.page.start));
	BW_TRY(bw_dap_take_count(args, "count", INT64_MAX, &x.page.count));
	BW_TRY(bw_dap_find_ref(s, number, false, &ref));
	x.page.named = strcmp(filter, "indexed") != 0;
	x.page.indexed = strcmp(filter, "named") != 0;
	x.page.hex = bw_dap_wants_hex(args);
	BW_TRY(bw_dap_focus(s, ref.wave, ref.level));
	x.w = bw_debug_focus(s->debug);
	if (ref.kind != BW_DAP_REF_VALUE && !(is_indexed(ref.kind) ? x.page.indexed : x.page.named))
		return NULL;
	return list(&x);
}
