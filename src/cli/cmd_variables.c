/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/code.h"
#include "debug/dispatches.h"
#include "debug/expressions.h"
#include "ui/show_program.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Variables and types: whatis, ptype, info locals, info args, info scope, print EXPR @lanes. */

/* ---- Types ---- */

/* The type of an expression, or the type that is named; evaluates only what needs it. */
static struct bw_error *type_of(struct bw_cli *c, const char *args, struct bw_value *out,
				bool *out_is_type)
{
	struct bw_expr_error where = {0};
	struct bw_value v = {0};
	struct bw_error *err = bw_debug_eval_type(c->debug, args, &v, out_is_type, &where);
	if (!err && bw_debug_function_type(c->debug, &v))
		v.type.ctype = bw_debug_function_type(c->debug, &v);
	if (!err && (v.type.ctype || *out_is_type)) {
		*out = v;
		return NULL;
	}
	if (err && *out_is_type)
		return bw_cli_show_where(c, err, args, &where);
	bw_value_fini(&v);
	bw_error_free(err);
	return bw_cli_eval(c, args, out); /* it has a value for each lane, or the error is shown */
}

/* The address space of what an expression names, where OpenCL's type has one: variables are private
 * where nothing else is said, and pointers do not tell global memory from the rest. */
static const char *space_of(const struct bw_value *v, bool is_type)
{
	return !is_type && v->place == BW_PLACE_MEMORY && v->space == BW_SPACE_LDS ? "__local" : "";
}

/* "int *__local [2]": a pointer's own space is after its star. *out is made of `store`. */
enum { MAX_DIMS = 8 };
static const struct bw_ctype *in_space(const struct bw_ctype *t, const char *space,
				       struct bw_ctype store[MAX_DIMS + 1])
{
	const struct bw_ctype *core = t;
	unsigned n = 0;
	while (n < MAX_DIMS && core->kind == BW_CTYPE_ARRAY && core->elem) {
		store[n] = *core;
		core = core->elem;
		n++;
	}
	store[n] = (struct bw_ctype){.kind = BW_CTYPE_QUALIFIED, .name = space, .elem = core};
	for (unsigned i = 0; i < n; i++)
		store[i].elem = &store[i + 1];
	return &store[0];
}

static void plain_name(const struct bw_value *v, struct bw_str *out)
{
	char name[BW_TYPE_NAME_MAX];
	bw_str_add(out, v->type.kind == BW_TYPE_TEXT ? "text" : bw_type_name(&v->type, name));
	if (v->n_elem)
		bw_str_addf(out, " [%zu]%s", v->n_elem,
			    v->across_lanes ? " (a value for each lane)" : "");
}

struct bw_error *bw_cmd_whatis(struct bw_cli *c, const char *args)
{
	struct bw_value v = {0};
	bool is_type = false;
	struct bw_str s = {0};
	BW_TRY(type_of(c, args[0] ? args : "$", &v, &is_type));
	/* of a type's name, what it stands for, as gdb does */
	if (is_type && v.type.ctype && v.type.ctype->kind == BW_CTYPE_TYPEDEF)
		v.type.ctype = v.type.ctype->elem;
	struct bw_ctype store[MAX_DIMS + 1];
	const char *space = space_of(&v, is_type);
	if (*space && v.type.ctype)
		v.type.ctype = in_space(v.type.ctype, space, store);
	plain_name(&v, &s);
	bw_out_line(c->out, "type = %s", bw_str_text(&s));
	bw_out_str(c->out, "value_type", bw_str_text(&s));
	bw_str_free(&s);
	bw_value_fini(&v);
	return NULL;
}

struct bw_error *bw_cmd_ptype(struct bw_cli *c, const char *args)
{
	struct bw_value v = {0};
	bool is_type = false, offsets = false;
	struct bw_str s = {0};
	if (bw_starts_with(args, "/")) {
		char word[16];
		bw_take_word(&args, word, sizeof(word));
		offsets = !strcmp(word, "/o");
		if (!offsets)
			return bw_errorf(BW_E_INVALID, "\"ptype\" knows /o, not \"%s\"", word);
	}
	BW_TRY(type_of(c, args[0] ? args : "$", &v, &is_type));
	const struct bw_ctype *core = v.type.ctype;
	while (core && core->kind == BW_CTYPE_ARRAY)
		core = core->elem;
	/* in front of what is pointed to it would say something else */
	if (*space_of(&v, is_type) && core && bw_ctype_strip(core)->kind != BW_CTYPE_POINTER)
		bw_str_addf(&s, "%s ", space_of(&v, is_type));
	if (v.type.ctype)
		bw_show_type(v.type.ctype, offsets, &s);
	else
		plain_name(&v, &s);
	/* as gdb: with the title where the type is named itself, not by a typedef */
	bool is_struct = v.type.ctype && (v.type.ctype->kind == BW_CTYPE_STRUCT ||
					  v.type.ctype->kind == BW_CTYPE_UNION);
	bool table = offsets && is_struct;
	bw_out_line(c->out, "%stype = %s", table ? "/* offset      |    size */  " : "",
		    bw_str_text(&s));
	bw_out_str(c->out, "value_type", bw_str_text(&s));
	if (v.type.ctype)
		bw_out_json(c->out, "definition", bw_show_type_json(v.type.ctype));
	bw_str_free(&s);
	bw_value_fini(&v);
	return NULL;
}

struct bw_error *bw_info_functions(struct bw_cli *c, const char *args)
{
	return bw_show_listed(c->out, c->debug, BW_LISTED_FUNCTIONS, args);
}

struct bw_error *bw_info_types(struct bw_cli *c, const char *args)
{
	return bw_show_listed(c->out, c->debug, BW_LISTED_TYPES, args);
}

/* ---- Variables ---- */

struct bw_error *bw_info_variables(struct bw_cli *c, const char *args)
{
	return bw_show_listed(c->out, c->debug, BW_LISTED_VARIABLES, args);
}

/* The arguments of "info args" and "info locals": [-q] [-t TYPE-REGEX] [NAME-REGEX], as in gdb. */
struct wanted {
	bool is_quiet;
	char type[256];
	struct bw_show_filter filter; /* in the text of the command */
};

static struct bw_error *wanted_of(const char *args, const char *none, const char *none_matches,
				  struct wanted *out)
{
	*out = (struct wanted){0};
	while (args[0] == '-') {
		char word[16];
		bw_take_word(&args, word, sizeof(word));
		if (!strcmp(word, "--"))
			break;
		if (!strcmp(word, "-q")) {
			out->is_quiet = true;
		} else if (!strcmp(word, "-t")) {
			bw_take_word(&args, out->type, sizeof(out->type));
			if (!out->type[0])
				return bw_errorf(BW_E_INVALID, "-t takes a regular expression");
			out->filter.type = out->type;
		} else {
			return bw_errorf(BW_E_INVALID,
					 "There is no option %s: -q, -t TYPE-REGEX, then a "
					 "regular expression for the names",
					 word);
		}
	}
	if (args[0])
		out->filter.name = args;
	bool any = out->filter.name || out->filter.type;
	out->filter.none = out->is_quiet ? NULL : any ? none_matches : none;
	return NULL;
}

static void show_launch_value(struct bw_cli *c, const struct bw_arg_info *arg, json_t *rows)
{
	struct bw_str s = {0};
	const char *name = arg->arg->name[0] ? arg->arg->name : "?";
	bw_show_arg(c->debug, arg, 0, &s);
	bw_out_line(c->out, "%s = %s", name, bw_str_text(&s));
	json_t *row = json_object();
	json_object_set_new(row, "name", bw_json_text(name));
	if (arg->has_value)
		json_object_set_new(row, "value", bw_json_text(bw_str_text(&s)));
	json_array_append_new(rows, row);
	bw_str_free(&s);
}

static struct bw_error *show_launch_values(struct bw_cli *c, const struct bw_arg_info *list,
					   size_t n, const struct bw_show_filter *filter)
{
	regex_t name, type;
	size_t shown = 0;
	if (filter->name)
		BW_TRY(bw_show_regex(filter->name, &name));
	struct bw_error *err = filter->type ? bw_show_regex(filter->type, &type) : NULL;
	json_t *rows = json_array();
	for (size_t i = 0; !err && i < n; i++) {
		const struct bw_kernel_arg *arg = list[i].arg;
		if ((filter->name && regexec(&name, arg->name, 0, NULL, 0)) ||
		    (filter->type && regexec(&type, arg->type_name, 0, NULL, 0)))
			continue;
		show_launch_value(c, &list[i], rows);
		shown++;
	}
	if (!err && !shown && filter->none)
		bw_out_line(c->out, "%s", filter->none);
	bw_out_json(c->out, "launch_values", rows);
	if (filter->name)
		regfree(&name);
	if (filter->type && !err)
		regfree(&type);
	return err;
}

/* Without parameters in the debug information: what the kernel was launched with. */
static struct bw_error *launch_values(struct bw_cli *c, const struct bw_wave_info *w,
				      const struct bw_frame *frame, const struct wanted *wanted)
{
	struct bw_error *err = NULL;
	struct bw_arg_info *list = NULL;
	size_t n = 0;
	BW_TRY(bw_debug_args(c->debug, w->dispatch, &list, &n));
	const struct bw_dispatch_info *x = bw_debug_dispatch(c->debug, w->dispatch);
	const char *kernel = x ? x->kernel_title : "?",
		   *function = frame->function ? frame->function : "this code";
	if (!x || !x->kernel) {
		bw_out_line(
			c->out,
			"The arguments of this kernel are not known: no code object describes them.");
	} else if (frame->is_kernel && n) {
		bw_out_line(
			c->out,
			"Launch values of %s: what dispatch %u gave it, whatever its code has done since.",
			kernel, w->dispatch);
		err = show_launch_values(c, list, n, &wanted->filter);
	} else if (frame->is_kernel) {
		if (!wanted->is_quiet)
			bw_out_line(c->out, "No arguments.");
	} else {
		bw_out_line(
			c->out,
			"Nothing is known of arguments of %s; \"info kernel\" shows what the kernel %s was launched with.",
			function, kernel);
	}
	bw_debug_free_args(list, n);
	return err;
}

struct bw_error *bw_info_args(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	struct bw_frame frame;
	struct wanted wanted;
	BW_TRY(wanted_of(args, "No arguments.", "No matching arguments.", &wanted));
	BW_TRY(bw_session_need_wave(c->session, &w));
	bw_debug_frame(c->debug, w->dispatch, w->pc, &frame);
	if (frame.language == BW_LANGUAGE_COMPILED &&
	    (!frame.is_kernel || bw_show_has_variables(c->debug, BW_SHOW_PARAMS)))
		return bw_show_variables(c->out, c->debug, BW_SHOW_PARAMS, &wanted.filter);
	return launch_values(c, w, &frame, &wanted);
}

struct bw_error *bw_info_locals(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	struct bw_frame frame;
	struct wanted wanted;
	BW_TRY(wanted_of(args, "No locals.", "No matching locals.", &wanted));
	BW_TRY(bw_session_need_wave(c->session, &w));
	bw_debug_frame(c->debug, w->dispatch, w->pc, &frame);
	if (frame.language == BW_LANGUAGE_COMPILED)
		return bw_show_variables(c->out, c->debug, BW_SHOW_LOCALS, &wanted.filter);
	if (wanted.is_quiet)
		return NULL;
	bw_out_line(
		c->out, "%s",
		frame.language == BW_LANGUAGE_ASSEMBLY
			? "No locals: assembly has no variables (\"info registers\" shows what it works with)."
			: "No locals: the code has no debug information (\"info registers\" are known).");
	return NULL;
}

struct bw_error *bw_info_scope(struct bw_cli *c, const char *args)
{
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"info scope\" takes a place, as \"break\" does");
	return bw_show_scope(c->out, c->debug, args);
}

/* ---- All lanes ---- */

struct bw_error *bw_cli_print_lanes(struct bw_cli *c, const char *args, char letter, bool *out_done)
{
	const struct bw_wave_info *w;
	char *expr = bw_show_take_lanes(args);
	*out_done = expr;
	if (!expr)
		return NULL;
	struct bw_error *err = bw_session_need_wave(c->session, &w);
	if (!err)
		err = bw_show_in_lanes(c->out, c->debug, expr, letter, ~0ull);
	if (!err)
		bw_out_str(c->out, "expression", expr);
	free(expr);
	return err;
}
