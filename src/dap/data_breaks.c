/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <string.h>

#include "arch/wave.h"
#include "base/util.h"
#include "debug/breaks.h"
#include "debug/expressions.h"
#include "ui/show.h"

/* Watchpoints as data breakpoints, and catchpoints as exception filters. */

/* ---- dataBreakpointInfo ---- */

/* The expression to which a request refers: a variable of a reference, or a text of its own. */
static struct bw_error *named_expression(struct bw_dap *s, json_t *args, struct bw_str *out)
{
	const char *name = NULL;
	int64_t number = 0;
	bool is_address = false;
	struct bw_dap_ref ref;
	BW_TRY(bw_dap_need_text(args, "name", &name));
	BW_TRY(bw_dap_take_int(args, "variablesReference", &number));
	BW_TRY(bw_dap_take_bool(args, "asAddress", &is_address));
	if (is_address) {
		enum bw_space space;
		uint64_t addr, bytes = 4;
		BW_TRY(bw_dap_take_count(args, "bytes", 8, &bytes));
		BW_TRY(bw_dap_parse_place(name, &space, &addr));
		bw_str_addf(out, "*(%s *)%s",
			    bytes == 8	 ? "unsigned long"
			    : bytes == 2 ? "unsigned short"
			    : bytes == 1 ? "unsigned char"
					 : "unsigned int",
			    name);
		return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
			       ? NULL
			       : bw_errorf(BW_E_INVALID, "1, 2, 4 or 8 bytes can be watched");
	}
	if (!number) {
		bw_str_add(out, name);
		return bw_dap_focus_frame(s, args, &ref);
	}
	BW_TRY(bw_dap_find_ref(s, number, false, &ref));
	BW_TRY(bw_dap_focus(s, ref.wave, ref.level));
	return bw_dap_expression_of(&ref, name, out);
}

/* The address of a value, by which any wave can watch it. "" if it is not in global memory. */
static void address_of(const struct bw_value *v, struct bw_str *out)
{
	char type[BW_TYPE_NAME_MAX];
	uint64_t size_b = bw_type_size(&v->type);
	if (v->place != BW_PLACE_MEMORY || v->space != BW_SPACE_GLOBAL || v->elem || v->bit_size ||
	    v->type.kind == BW_TYPE_AGGREGATE || !size_b)
		return;
	bool is_float = v->type.kind == BW_TYPE_FLOAT && size_b >= 4;
	const char *name = is_float	 ? bw_type_name(&v->type, type)
			   : size_b == 8 ? "unsigned long"
			   : size_b == 2 ? "unsigned short"
			   : size_b == 1 ? "unsigned char"
					 : "unsigned int";
	bw_str_addf(out, "*(%s *)0x%llx", name, (unsigned long long)v->va);
}

struct bw_error *bw_dap_data_breakpoint_info(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_str expr = {0}, id = {0};
	struct bw_value v = {0};
	struct bw_expr_error where;
	struct bw_error *err = named_expression(s, args, &expr);
	if (!err)
		err = bw_debug_eval(s->debug, bw_str_text(&expr), &v, &where);
	if (err) {
		json_object_set_new(body, "dataId", json_null());
		json_object_set_new(body, "description", bw_json_text(err->message));
		bw_error_free(err);
		bw_str_free(&expr);
		return NULL;
	}
	address_of(&v, &id);
	bool global = id.len > 0;
	if (!global)
		bw_str_add(&id, bw_str_text(&expr));
	json_object_set_new(body, "dataId", bw_dap_text(&id));
	json_object_set_new(body, "description", bw_dap_text(&expr));
	json_object_set_new(body, "canPersist", json_false());
	/* Registers, LDS and scratch are watched by stepping the focus wave. */
	json_object_set_new(body, "accessTypes",
			    global ? json_pack("[s,s,s]", "write", "read", "readWrite")
				   : json_pack("[s]", "write"));
	bw_value_fini(&v);
	bw_str_free(&expr);
	bw_str_free(&id);
	return NULL;
}

/* ---- setDataBreakpoints ---- */

static struct bw_error *set_data(struct bw_dap *s, json_t *args, json_t *list)
{
	const char *id = NULL, *access = "write";
	struct bw_dap_break b = {.kind = BW_DAP_DATA, .is_verified = true};
	BW_TRY(bw_dap_need_text(args, "dataId", &id));
	BW_TRY(bw_dap_take_text(args, "accessType", &access));
	enum bw_break_kind kind = !strcmp(access, "write")	 ? BW_BREAK_WATCH
				  : !strcmp(access, "read")	 ? BW_BREAK_RWATCH
				  : !strcmp(access, "readWrite") ? BW_BREAK_AWATCH
								 : BW_BREAK_CODE;
	if (kind == BW_BREAK_CODE)
		return bw_errorf(BW_E_INVALID, "There is no access type \"%s\"", access);
	BW_TRY(bw_debug_watch(s->debug, id, kind, &b.number));
	BW_TRY(bw_dap_keep_break(s, &b, args));
	json_array_append_new(list, bw_dap_break_json(s, &b, NULL));
	return NULL;
}

struct bw_error *bw_dap_set_data_breakpoints(struct bw_dap *s, json_t *args, json_t *body)
{
	json_t *wanted = NULL, *one, *list = json_array();
	size_t i;
	json_object_set_new(body, "breakpoints", list);
	BW_TRY(bw_dap_take_array(args, "breakpoints", &wanted));
	bw_dap_clear_breaks(s, BW_DAP_DATA, NULL);
	json_array_foreach(wanted, i, one)
	{
		struct bw_error *err = set_data(s, one, list);
		if (err)
			json_array_append_new(list, bw_dap_break_error(err));
	}
	return NULL;
}

/* ---- Exception filters ---- */

/* Exceptions that always stop have filters as well, so that an editor's list of exceptions is
 * complete. They are on and cannot be switched off, because a wave cannot continue from a fault
 * unnoticed. */
#define ALWAYS "Always stops: a wave cannot go on from it unnoticed."
static const struct {
	const char *filter, *label;
	enum { FLOAT_OR_INT, DISPATCH, FAULT } kind;
	uint32_t excp;
	const char *description;
} filters[] = {
	{"fp_invalid", "Float: invalid operation", FLOAT_OR_INT, BW_EXCP_INVALID, NULL},
	{"fp_denormal", "Float: denormal input", FLOAT_OR_INT, BW_EXCP_INPUT_DENORM, NULL},
	{"fp_div0", "Float: division by zero", FLOAT_OR_INT, BW_EXCP_DIV0, NULL},
	{"fp_overflow", "Float: overflow", FLOAT_OR_INT, BW_EXCP_OVERFLOW, NULL},
	{"fp_underflow", "Float: underflow", FLOAT_OR_INT, BW_EXCP_UNDERFLOW, NULL},
	{"fp_inexact", "Float: inexact result", FLOAT_OR_INT, BW_EXCP_INEXACT, NULL},
	{"int_div0", "Integer division by zero", FLOAT_OR_INT, BW_EXCP_INT_DIV0, NULL},
	{"dispatch", "Dispatch: before its first wave", DISPATCH, 0, NULL},
	{"memory_violation", "Memory violation", FAULT, 0, ALWAYS},
	{"address_error", "Address error", FAULT, 0, ALWAYS},
	{"illegal_instruction", "Illegal instruction", FAULT, 0, ALWAYS},
	{"trap", "Trap of the program (assert, debug trap)", FAULT, 0, ALWAYS},
};
_Static_assert(BW_ARRAY_SIZE(filters) <= 32, "bits of bw_dap.filters");

json_t *bw_dap_exception_filters(void)
{
	json_t *list = json_array();
	for (size_t i = 0; i < BW_ARRAY_SIZE(filters); i++) {
		json_t *f = json_object();
		json_object_set_new(f, "filter", json_string(filters[i].filter));
		json_object_set_new(f, "label", json_string(filters[i].label));
		json_object_set_new(f, "default", json_boolean(filters[i].kind == FAULT));
		if (filters[i].description)
			json_object_set_new(f, "description", json_string(filters[i].description));
		json_array_append_new(list, f);
	}
	return list;
}

/* *out: bits of filters. */
static struct bw_error *add_filter(const char *name, uint32_t *out)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(filters); i++) {
		if (strcmp(filters[i].filter, name) != 0)
			continue;
		*out |= 1u << i;
		return NULL;
	}
	return bw_errorf(BW_E_INVALID, "There is no exception filter \"%s\"", name);
}

/* Tells a client that a fault's filter stays on, if the client has switched it off; a client that
 * does not know the filter is not told. */
static void say_what_stays(struct bw_dap *s, uint32_t before, uint32_t now)
{
	struct bw_str text = {0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(filters); i++)
		if (filters[i].kind == FAULT && before & ~now & 1u << i)
			bw_str_addf(&text, "\"%s\" cannot be switched off. %s\n", filters[i].label,
				    ALWAYS);
	bw_dap_say(s, "console", bw_str_text(&text));
	bw_str_free(&text);
}

struct bw_error *bw_dap_set_exception_breakpoints(struct bw_dap *s, json_t *args, json_t *body)
{
	json_t *wanted = NULL, *options = NULL, *one;
	size_t i;
	uint32_t now = 0, mask = 0;
	bool dispatch = false;
	struct bw_dap_break b = {.kind = BW_DAP_EXCEPTION, .is_verified = true};
	BW_TRY(bw_dap_take_array(args, "filters", &wanted));
	BW_TRY(bw_dap_take_array(args, "filterOptions", &options));
	if (json_array_size(options))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"\"filterOptions\" is not supported: exceptions have no conditions");
	json_array_foreach(wanted, i, one)
	{
		if (!json_is_string(one))
			return bw_errorf(BW_E_INVALID, "\"filters\" is not an array of strings");
		BW_TRY(add_filter(json_string_value(one), &now));
	}
	for (size_t k = 0; k < BW_ARRAY_SIZE(filters); k++) {
		if (now & 1u << k)
			mask |= filters[k].excp;
		dispatch |= now & 1u << k && filters[k].kind == DISPATCH;
	}
	say_what_stays(s, s->filters, now);
	s->filters = now;
	bw_dap_clear_breaks(s, BW_DAP_EXCEPTION, NULL);
	bw_debug_settings(s->debug)->stop_on_dispatch = dispatch;
	if (!mask)
		return NULL;
	BW_TRY(bw_debug_catch_exceptions(s->debug, mask, false, &b.number));
	return bw_vec_push(&s->breaks, b);
}
