/* SPDX-License-Identifier: MIT */
#include "ui/show_program.h"

#include <math.h>
#include <string.h>

static enum bw_value_kind kind_of(const struct bw_type *t)
{
	switch (t->kind) {
	case BW_TYPE_INT:
		return BW_KIND_SIGNED;
	case BW_TYPE_FLOAT:
		return BW_KIND_FLOAT;
	case BW_TYPE_POINTER:
		return BW_KIND_POINTER;
	case BW_TYPE_VOID:
	case BW_TYPE_UINT:
	case BW_TYPE_TEXT:
	case BW_TYPE_AGGREGATE:
		break;
	}
	return t->is_code ? BW_KIND_POINTER : BW_KIND_UNSIGNED;
}

struct element {
	const struct bw_value *v;
	char letter;
};

static void element_text(struct bw_str *out, size_t i, void *cookie)
{
	const struct element *e = cookie;
	bw_print_value(out, e->v->elem[i], e->v->type.size_b, kind_of(&e->v->type), e->letter);
}

static bool element_same(size_t i, size_t j, void *cookie)
{
	const struct element *e = cookie;
	return e->v->elem[i] == e->v->elem[j];
}

void bw_show_value(struct bw_debug *d, const struct bw_value *v, char letter, struct bw_str *out)
{
	if (letter == 's') /* what is no text is as its type is */
		letter = 0;
	if (v->type.kind == BW_TYPE_VOID) {
		bw_str_add(out, "void");
		return;
	}
	if (v->type.kind == BW_TYPE_TEXT) {
		bw_str_addf(out, "\"%s\"", v->text);
		return;
	}
	if (v->type.ctype) {
		bw_show_typed(d, v, letter, false, out);
		return;
	}
	if (v->elem) {
		struct element e = {v, letter};
		const struct bw_debug_settings *s = bw_debug_settings(d);
		const struct bw_print_limits limits = {s->print_elements, s->print_repeats};
		bw_print_array(out, v->n_elem, &limits, element_text, element_same, &e);
		return;
	}
	char name[BW_TYPE_NAME_MAX];
	if (v->type.kind == BW_TYPE_POINTER && !letter)
		bw_str_addf(out, "(%s) ", bw_type_name(&v->type, name));
	if (v->type.kind == BW_TYPE_POINTER && v->type.space != BW_SPACE_GLOBAL && !letter)
		bw_str_addf(out, "%s#", bw_space_name(v->type.space));
	const struct bw_ctype *function = letter ? NULL : bw_debug_function_type(d, v);
	if (function) {
		bw_ctype_name(function, name, sizeof(name));
		bw_str_addf(out, "{%s} ", name);
	}
	bw_print_value(out, v->bits, v->type.size_b, kind_of(&v->type), letter);
	bool address =
		letter == 'a' || (!letter && (v->type.is_code || v->type.kind == BW_TYPE_POINTER));
	if (address && (v->type.kind != BW_TYPE_POINTER || v->type.space == BW_SPACE_GLOBAL)) {
		char symbol[160];
		bw_debug_symbolize(d, v->bits, symbol, sizeof(symbol));
		if (symbol[0])
			bw_str_addf(out, " %s", symbol);
	}
}

json_t *bw_show_number_json(const struct bw_value *v, uint64_t bits)
{
	switch (v->type.kind) {
	case BW_TYPE_FLOAT: {
		const struct bw_value one = {.type = v->type, .bits = bits};
		double f = bw_value_f64(&one, 0);
		/* JSON has no infinities and no NaNs: those are strings. */
		if (isfinite(f))
			return json_real(f);
		struct bw_str s = {0};
		bw_print_float(&s, bits, v->type.size_b);
		json_t *text = json_string(bw_str_text(&s));
		bw_str_free(&s);
		return text;
	}
	case BW_TYPE_POINTER:
		return json_sprintf("0x%llx", (unsigned long long)bits);
	case BW_TYPE_UINT:
		if (v->type.is_code || bits > INT64_MAX)
			return json_sprintf("0x%llx", (unsigned long long)bits);
		return json_integer((json_int_t)bits);
	case BW_TYPE_INT: {
		struct bw_value one = {.type = v->type, .bits = bits};
		return json_integer(bw_value_i64(&one, 0));
	}
	case BW_TYPE_VOID:
	case BW_TYPE_TEXT:
	case BW_TYPE_AGGREGATE:
		break;
	}
	return json_null();
}

void bw_show_value_json(struct bw_out *o, struct bw_debug *d, const struct bw_value *v)
{
	if (!bw_out_is_json(o))
		return;
	char name[BW_TYPE_NAME_MAX];
	if (v->type.kind == BW_TYPE_TEXT) {
		bw_out_str(o, "value_type", "text");
		bw_out_str(o, "value", v->text);
		return;
	}
	bw_out_str(o, "value_type", bw_type_name(&v->type, name));
	if (v->type.ctype) {
		bw_out_json(o, "value", bw_show_typed_json(d, v));
		return;
	}
	if (!v->elem) {
		bw_out_json(o, "value", bw_show_number_json(v, v->bits));
		return;
	}
	json_t *array = json_array();
	for (size_t i = 0; i < v->n_elem; i++)
		json_array_append_new(array, bw_show_number_json(v, v->elem[i]));
	bw_out_json(o, "value", array);
	if (v->across_lanes)
		bw_out_hex(o, "exec", v->exec);
}

struct bw_error *bw_show_expr_error(struct bw_error *err, const char *text,
				    const struct bw_expr_error *where)
{
	if (err->code != BW_E_INVALID || where->column > strlen(text))
		return err;
	struct bw_error *shown = bw_errorf(BW_E_INVALID, "%s\n  %s\n  %*s", err->message, text,
					   (int)where->column + 1, "^");
	bw_error_free(err);
	return shown;
}
