/* SPDX-License-Identifier: MIT */
/* Expressions, and their values, which are read as a whole: they outlive the stop. */
#include "api/api_priv.h"

#include <stdlib.h>
#include <string.h>

#include <breakwater/values.h>

#include "base/str.h"
#include "debug/expressions.h"
#include "debug/value.h"
#include "ui/show.h"

struct breakwater_value {
	enum breakwater_value_kind kind;
	char *type, *text; /* owned */
	size_t count;
	int64_t *as_int; /* owned, `count` of each */
	double *as_float;
};

static enum breakwater_value_kind kind_of(const struct bw_value *v)
{
	static const enum breakwater_value_kind kinds[] = {
		[BW_TYPE_VOID] = BREAKWATER_VALUE_VOID,
		[BW_TYPE_INT] = BREAKWATER_VALUE_INT,
		[BW_TYPE_UINT] = BREAKWATER_VALUE_UINT,
		[BW_TYPE_FLOAT] = BREAKWATER_VALUE_FLOAT,
		[BW_TYPE_POINTER] = BREAKWATER_VALUE_POINTER,
		[BW_TYPE_TEXT] = BREAKWATER_VALUE_TEXT,
		[BW_TYPE_AGGREGATE] = BREAKWATER_VALUE_AGGREGATE};
	return v->is_missing ? BREAKWATER_VALUE_MISSING : kinds[v->type.kind];
}

static size_t count_of(const struct bw_value *v)
{
	switch (kind_of(v)) {
	case BREAKWATER_VALUE_INT:
	case BREAKWATER_VALUE_UINT:
	case BREAKWATER_VALUE_FLOAT:
	case BREAKWATER_VALUE_POINTER:
		return v->elem ? v->n_elem : 1;
	case BREAKWATER_VALUE_VOID:
	case BREAKWATER_VALUE_TEXT:
	case BREAKWATER_VALUE_AGGREGATE:
	case BREAKWATER_VALUE_MISSING:
		break;
	}
	return 0;
}

void breakwater_value_free(struct breakwater_value *v)
{
	if (!v)
		return;
	free(v->type);
	free(v->text);
	free(v->as_int);
	free(v->as_float);
	free(v);
}

static struct bw_error *make(struct breakwater_session *s, const struct bw_value *v,
			     struct breakwater_value **out)
{
	char name[BW_TYPE_NAME_MAX];
	struct bw_str text = {0};
	size_t n = count_of(v);
	struct breakwater_value *made = calloc(1, sizeof(*made));
	if (!made)
		return bw_error_nomem();
	bw_show_value(s->session->debug, v, 0, &text);
	*made = (struct breakwater_value){.kind = kind_of(v),
					  .type = strdup(bw_type_name(&v->type, name)),
					  .text = strdup(bw_str_text(&text)),
					  .count = n,
					  .as_int = calloc(n ? n : 1, sizeof(int64_t)),
					  .as_float = calloc(n ? n : 1, sizeof(double))};
	bw_str_free(&text);
	if (!made->type || !made->text || !made->as_int || !made->as_float) {
		breakwater_value_free(made);
		return bw_error_nomem();
	}
	for (size_t i = 0; i < n; i++) {
		made->as_int[i] = bw_value_i64(v, i);
		made->as_float[i] = bw_value_f64(v, i);
	}
	*out = made;
	return NULL;
}

static struct bw_error *evaluate(struct breakwater_session *s, const char *expr,
				 struct breakwater_value **out)
{
	struct bw_value v = {0};
	if (!expr)
		return bw_errorf(BW_E_INVALID, "The expression is NULL");
	struct bw_expr_error where = {0};
	struct bw_error *err = bw_debug_eval(s->session->debug, expr, &v, &where);
	if (err)
		return bw_show_expr_error(err, expr, &where);
	err = make(s, &v, out);
	bw_value_fini(&v);
	return err;
}

struct breakwater_error *breakwater_evaluate(struct breakwater_session *s, uint32_t wave, int lane,
					     const char *expr, struct breakwater_value **out)
{
	struct bw_api_focus focus = {0};
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STILL);
	if (!err)
		err = bw_api_focus_begin(&focus, s, wave, lane);
	if (!err)
		err = evaluate(s, expr, out);
	bw_api_focus_end(&focus);
	return bw_api_leave(&call, err);
}

enum breakwater_value_kind breakwater_value_kind(const struct breakwater_value *v)
{
	return v->kind;
}

const char *breakwater_value_type(const struct breakwater_value *v)
{
	return v->type;
}

const char *breakwater_value_text(const struct breakwater_value *v)
{
	return v->text;
}

size_t breakwater_value_count(const struct breakwater_value *v)
{
	return v->count;
}

int64_t breakwater_value_int(const struct breakwater_value *v, size_t i)
{
	return i < v->count ? v->as_int[i] : 0;
}

double breakwater_value_float(const struct breakwater_value *v, size_t i)
{
	return i < v->count ? v->as_float[i] : 0;
}
