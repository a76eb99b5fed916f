// SPDX-License-Identifier: MIT
/* Variables of the selected frame, and expressions in all lanes. */
#include "ui/show_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/expressions.h"

bool bw_show_is_among(const struct bw_variable *v, enum bw_show_which which)
{
	if (which == BW_SHOW_INPUTS)
		return v->is_input;
	if (which == BW_SHOW_OUTPUTS)
		return v->is_output;
	return !v->is_static && v->is_param == (which == BW_SHOW_PARAMS);
}

bool bw_show_has_variables(struct bw_debug *d, enum bw_show_which which)
{
	const struct bw_variable *list;
	size_t n;
	bool any = false;
	struct bw_error *err = bw_debug_variables(d, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		any |= bw_show_is_among(&list[i], which);
	bw_error_free(err);
	return any;
}

/* A copy: values are read between the rows, and reading may look at another place. */
static struct bw_error *take_list(struct bw_debug *d, struct bw_variable **out, size_t *out_n)
{
	const struct bw_variable *list;
	size_t n;
	BW_TRY(bw_debug_variables(d, &list, &n));
	struct bw_variable *copy = calloc(n ? n : 1, sizeof(*copy));
	if (!copy)
		return bw_error_nomem();
	if (n)
		memcpy(copy, list, n * sizeof(*copy));
	*out = copy;
	*out_n = n;
	return NULL;
}

/* Why it has no value: images and samplers are what their types say, and nothing more. */
static void add_reason(struct bw_str *out, const struct bw_variable *v, const struct bw_error *err)
{
	const struct bw_ctype *t = v->type ? bw_ctype_strip(v->type) : NULL;
	char name[BW_TYPE_NAME_MAX];
	if (err->code == BW_E_UNSUPPORTED && t && t->kind == BW_CTYPE_UNKNOWN) {
		bw_ctype_name(v->type, name, sizeof(name));
		bw_str_addf(out, "<%s>", name);
	} else {
		bw_str_addf(out, "<error: %s>", err->message);
	}
}

static bool has_nothing(const struct bw_value *v)
{
	const struct bw_bytes *b = v->bytes;
	return v->is_missing ||
	       (v->type.kind == BW_TYPE_AGGREGATE && b && !memchr(b->known, 1, b->size_b));
}

/* What a parameter without a value was called with, as gdb's "print entry-values default". */
static bool entry_value(struct bw_debug *d, const struct bw_variable *v, const struct bw_value *now,
			struct bw_value *out)
{
	if (!v->is_param || !has_nothing(now))
		return false;
	struct bw_error *err = bw_debug_variable_entry_value(d, v, out);
	bool is_known = !err && !has_nothing(out);
	if (!err && !is_known)
		bw_value_fini(out);
	bw_error_free(err);
	return is_known;
}

struct row {
	const struct bw_variable *variable;
	const char *suffix; /* of its name */
	struct bw_value value;
	struct bw_error *err; /* why there is none */
};

/* The row as text and as JSON. Takes what it has over. */
static void show_row(struct bw_out *o, struct bw_debug *d, struct row *r, json_t *rows)
{
	struct bw_str s = {0}, name = {0};
	char type[BW_TYPE_NAME_MAX];
	json_t *row = json_object(), *json = NULL;
	if (!r->err)
		r->err = bw_debug_fetch(d, &r->value);
	if (r->err) {
		add_reason(&s, r->variable, r->err);
		bw_error_free(r->err);
	} else {
		bw_show_row_value(d, &r->value, 0, &s);
		json = bw_show_typed_json(d, &r->value);
	}
	bw_ctype_name(r->variable->type, type, sizeof(type));
	bw_str_addf(&name, "%s%s", r->variable->name, r->suffix);
	bw_out_line(o, "%s = %s", bw_str_text(&name), bw_str_text(&s));
	json_object_set_new(row, "name", bw_json_text(bw_str_text(&name)));
	json_object_set_new(row, "value_type", bw_json_text(type));
	json_object_set_new(row, "text", bw_json_text(bw_str_text(&s)));
	json_object_set_new(row, "value", json ? json : json_null());
	json_array_append_new(rows, row);
	bw_value_fini(&r->value);
	bw_str_free(&name);
	bw_str_free(&s);
}

struct patterns {
	regex_t name, type;
	bool has_name, has_type;
};

static void patterns_fini(struct patterns *p)
{
	if (p->has_name)
		regfree(&p->name);
	if (p->has_type)
		regfree(&p->type);
}

static struct bw_error *compile(const struct bw_show_filter *f, struct patterns *out)
{
	if (f->name)
		BW_TRY(bw_show_regex(f->name, &out->name));
	out->has_name = f->name;
	if (f->type)
		BW_TRY(bw_show_regex(f->type, &out->type));
	out->has_type = f->type;
	return NULL;
}

static bool is_found(const struct bw_variable *v, const struct patterns *p)
{
	char type[BW_TYPE_NAME_MAX];
	bw_ctype_name(v->type, type, sizeof(type));
	return (!p->has_name || !regexec(&p->name, v->name, 0, NULL, 0)) &&
	       (!p->has_type || !regexec(&p->type, type, 0, NULL, 0));
}

struct bw_error *bw_show_variables(struct bw_out *o, struct bw_debug *d, enum bw_show_which which,
				   const struct bw_show_filter *filter)
{
	_cleanup_free_ struct bw_variable *list = NULL;
	_cleanup_(patterns_fini) struct patterns patterns = {0};
	size_t n, shown = 0;
	BW_TRY(compile(filter, &patterns));
	BW_TRY(take_list(d, &list, &n));
	json_t *rows = json_array();
	for (size_t i = 0; i < n; i++) {
		struct row now = {.variable = &list[i], .suffix = ""}, entry = now;
		if (!bw_show_is_among(&list[i], which) || !is_found(&list[i], &patterns))
			continue;
		now.err = bw_debug_variable_value(d, &list[i], &now.value);
		bool has_entry = !now.err && entry_value(d, &list[i], &now.value, &entry.value);
		show_row(o, d, &now, rows);
		entry.suffix = "@entry";
		if (has_entry)
			show_row(o, d, &entry, rows);
		shown++;
	}
	if (!shown && filter->none)
		bw_out_line(o, "%s", filter->none);
	bw_out_json(o, "variables", rows);
	return NULL;
}

bool bw_show_frame_args(struct bw_debug *d, struct bw_str *out)
{
	struct bw_variable *list;
	size_t n, shown = 0;
	struct bw_error *err = take_list(d, &list, &n);
	if (err) {
		bw_error_free(err);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!bw_show_is_among(&list[i], BW_SHOW_PARAMS))
			continue;
		struct bw_value v = {0}, entry;
		bool at_entry = false;
		/* as gdb's "set print frame-arguments scalars" */
		err = bw_debug_variable_value(d, &list[i], &v);
		if (!err && entry_value(d, &list[i], &v, &entry)) {
			bw_value_fini(&v);
			v = entry;
			at_entry = true;
		}
		bw_str_addf(out, "%s%s%s=", shown++ ? ", " : "", list[i].name,
			    at_entry ? "@entry" : "");
		if (err)
			add_reason(out, &list[i], err);
		else if (v.type.kind == BW_TYPE_AGGREGATE)
			bw_str_add(out, "...");
		else
			bw_show_typed(d, &v, 0, true, out);
		bw_error_free(err);
		bw_value_fini(&v);
	}
	free(list);
	return shown > 0;
}

/* ---- info scope ---- */

static void piece_text(struct bw_str *out, const struct bw_location_piece *p)
{
	static const char *const bases[] = {
		[BW_BASE_ZERO] = "", [BW_BASE_S32] = "$s32+", [BW_BASE_S33] = "$s33+"};
	switch (p->kind) {
	case BW_LOC_VGPR:
		bw_str_addf(out, "in $v%u", p->reg);
		if (p->size_b > 4)
			bw_str_addf(out, " to $v%u", p->reg + (p->size_b - 1) / 4);
		break;
	case BW_LOC_SGPR:
		bw_str_addf(out, "in $s%u", p->reg);
		if (p->size_b > 4)
			bw_str_addf(out, " to $s%u", p->reg + (p->size_b - 1) / 4);
		break;
	case BW_LOC_PRIVATE:
		bw_str_addf(out, "at private_lane#%s%lld", bases[p->base], (long long)p->offset);
		break;
	case BW_LOC_LDS:
		bw_str_addf(out, "at local#0x%llx", (unsigned long long)p->offset);
		break;
	case BW_LOC_GLOBAL:
		bw_str_addf(out, "at address 0x%llx of the code object",
			    (unsigned long long)p->offset);
		break;
	case BW_LOC_CONSTANT:
		bw_str_addf(out, "constant %lld", (long long)p->value);
		break;
	case BW_LOC_BOUND:
		bw_str_addf(out, "in the buffer of set %u, binding %llu, at offset %lld", p->reg,
			    (unsigned long long)p->value, (long long)p->offset);
		break;
	case BW_LOC_PUSH:
		bw_str_addf(out, "in the push constants, at offset %lld", (long long)p->offset);
		break;
	case BW_LOC_BUILTIN:
		bw_str_add(out, "a built-in variable of the API");
		break;
	case BW_LOC_RECORD:
		bw_str_addf(out, "in the shader's record of its variables, at offset %lld",
			    (long long)p->offset);
		break;
	case BW_LOC_LAUNCH:
		bw_str_addf(out, "in the kernel's arguments, at offset %lld", (long long)p->offset);
		break;
	case BW_LOC_OPTIMIZED_OUT:
		bw_str_add(out, "optimized out");
		break;
	case BW_LOC_COMPUTED: /* registers_text follows */
		bw_str_add(out, "computed from");
		break;
	case BW_LOC_UNKNOWN:
		bw_str_add(out, "at an unknown place");
		break;
	}
}

static void registers_text(struct bw_str *out, const struct bw_location *l)
{
	const char *before = " ";
	for (unsigned i = 0; i < l->n_steps; i++) {
		if (!bw_location_step_is_register(&l->step[i]))
			continue;
		bw_str_addf(out, "%s$%c%u", before, l->step[i].is_vgpr ? 'v' : 's', l->step[i].reg);
		before = " and ";
	}
}

void bw_show_location(const struct bw_location *l, uint64_t size_b, struct bw_str *out)
{
	struct bw_location_piece one = {.kind = l->kind,
					.reg = l->reg,
					.base = l->base,
					.offset = l->offset,
					.value = l->value,
					.size_b = (unsigned)size_b};
	if (l->n_pieces)
		bw_str_addf(out, "in %u pieces: ", l->n_pieces);
	else
		piece_text(out, &one);
	for (unsigned k = 0; k < l->n_pieces; k++) {
		bw_str_add(out, k ? ", " : "");
		piece_text(out, &l->piece[k]);
	}
	if (!l->n_pieces && l->kind == BW_LOC_UNKNOWN)
		bw_str_addf(out, " (%s)", l->why);
	registers_text(out, l);
}

struct bw_error *bw_show_scope(struct bw_out *o, struct bw_debug *d, const char *where)
{
	_cleanup_free_ struct bw_scoped *list = NULL;
	size_t n;
	BW_TRY(bw_debug_scope(d, where, &list, &n));
	json_t *rows = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct bw_variable *v = &list[i].variable;
		struct bw_str s = {0};
		uint64_t size_b = bw_ctype_strip(v->type)->size_b;
		bw_show_location(&list[i].place, size_b, &s);
		if (!i)
			bw_out_line(o, "Scope for %s:", where);
		bw_out_line(o, "Symbol %s is a variable %s, length %llu.", v->name, bw_str_text(&s),
			    (unsigned long long)size_b);
		json_t *row = json_object();
		json_object_set_new(row, "name", bw_json_text(v->name));
		json_object_set_new(row, "place", bw_json_text(bw_str_text(&s)));
		json_object_set_new(row, "size", json_integer((json_int_t)size_b));
		json_array_append_new(rows, row);
		bw_str_free(&s);
	}
	if (!n)
		bw_out_line(o, "Scope for %s:\nContains no locals or arguments.", where);
	bw_out_json(o, "symbols", rows);
	return NULL;
}
