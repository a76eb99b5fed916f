/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "debug/expressions.h"
#include "debug/source.h"
#include "debug/variables.h"
#include "ui/show_program.h"

/* Values of expressions as editors show them: a text, and parts that are read when they are asked
 * for. */

json_t *bw_dap_text(const struct bw_str *text)
{
	return bw_json_text(bw_str_text(text));
}

json_t *bw_dap_variable(const char *name, const char *value, const char *type)
{
	json_t *v = json_object();
	json_object_set_new(v, "name", bw_json_text(name));
	json_object_set_new(v, "value", bw_json_text(value));
	if (type)
		json_object_set_new(v, "type", bw_json_text(type));
	json_object_set_new(v, "variablesReference", json_integer(0));
	return v;
}

void bw_dap_name_as(json_t *variable, const char *expr)
{
	json_object_set_new(variable, "evaluateName", bw_json_text(expr));
}

json_t *bw_dap_source(struct bw_dap *s, const char *file)
{
	json_t *x = json_object();
	struct bw_source_info info;
	const char *slash = strrchr(file, '/');
	json_object_set_new(x, "name", bw_json_text(slash && slash[1] ? slash + 1 : file));
	bool known = bw_debug_source_info(s->debug, file, &info) && info.file.path;
	if (known && info.file.path[0] == '/' && !access(info.file.path, R_OK))
		json_object_set_new(x, "path", bw_json_text(info.file.path));
	else if (bw_debug_source_line(s->debug, file, 1))
		json_object_set_new(x, "sourceReference",
				    json_integer(bw_dap_source_reference(s, file)));
	else
		json_object_set_new(x, "path", bw_json_text(file));
	return x;
}

/* ---- Parts ---- */

static bool is_list(const struct bw_ctype *c)
{
	return c && (c->kind == BW_CTYPE_ARRAY || c->kind == BW_CTYPE_VECTOR);
}

/* Counts members by name, including those of anonymous members and of base classes. */
static size_t count_members(const struct bw_ctype *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n_members; i++) {
		const struct bw_cmember *m = &c->members[i];
		n += m->name && !m->is_base ? 1 : count_members(bw_ctype_strip(m->type));
	}
	return n;
}

static bool points_to_data(const struct bw_value *v)
{
	if (v->type.kind != BW_TYPE_POINTER || v->elem || v->is_missing || !v->bits)
		return false;
	if (!v->type.ctype)
		return v->type.elem_size_b != 0;
	const struct bw_ctype *p = bw_ctype_strip(v->type.ctype);
	const struct bw_ctype *to = p->elem ? bw_ctype_strip(p->elem) : NULL;
	return to && to->kind != BW_CTYPE_VOID && to->kind != BW_CTYPE_FUNCTION &&
	       to->kind != BW_CTYPE_UNKNOWN;
}

/* Counts the parts of a value that are found by number, and by name. */
static void count_parts(const struct bw_value *v, uint64_t *out_indexed, uint64_t *out_named)
{
	const struct bw_ctype *c = bw_type_aggregate(&v->type);
	*out_indexed = 0;
	*out_named = 0;
	if (v->elem)
		*out_indexed = v->n_elem;
	else if (is_list(c))
		*out_indexed = c->count;
	else if (c)
		*out_named = count_members(c);
	else if (points_to_data(v))
		*out_named = 1;
}

static void add_memory_reference(const struct bw_value *v, json_t *out)
{
	char text[48];
	bool pointer = v->type.kind == BW_TYPE_POINTER && !v->elem && !v->is_missing;
	enum bw_space space = pointer ? v->type.space : v->space;
	uint64_t addr = pointer ? v->bits : v->va;
	if (!pointer && v->place != BW_PLACE_MEMORY)
		return;
	if (pointer)
		bw_debug_flat_space(&space, &addr);
	bw_dap_place_text(space, addr, text);
	json_object_set_new(out, "memoryReference", json_string(text));
}

/* Adds "x @lanes", which "print" shows as a table, in one line. */
static struct bw_error *add_lanes(struct bw_dap *s, const char *expr, const char *key, bool hex,
				  json_t *out)
{
	struct bw_str text = {0};
	struct bw_error *err = bw_show_lanes_text(s->debug, expr, hex ? 'x' : 0, &text);
	if (!err) {
		json_object_set_new(out, key, bw_dap_text(&text));
		json_object_set_new(out, "variablesReference", json_integer(0));
	}
	bw_str_free(&text);
	return err;
}

struct bw_error *bw_dap_add_value(struct bw_dap *s, const char *expr, const char *key, bool hex,
				  json_t *out)
{
	struct bw_value v = {0};
	struct bw_expr_error where;
	struct bw_str text = {0};
	char type[BW_TYPE_NAME_MAX];
	uint64_t indexed, named;
	_cleanup_free_ char *in_lanes = bw_show_take_lanes(expr);
	if (in_lanes)
		return add_lanes(s, in_lanes, key, hex, out);
	BW_TRY(bw_debug_eval(s->debug, expr, &v, &where));
	struct bw_error *err = bw_debug_fetch(s->debug, &v);
	if (err) {
		bw_value_fini(&v);
		return err;
	}
	bw_show_row_value(s->debug, &v, hex ? 'x' : 0, &text);
	json_object_set_new(out, key, bw_dap_text(&text));
	json_object_set_new(out, "type", bw_json_text(bw_type_name(&v.type, type)));
	count_parts(&v, &indexed, &named);
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	const struct bw_dap_ref ref = {.kind = BW_DAP_REF_VALUE,
				       .wave = w ? w->number : 0,
				       .level = w ? bw_debug_frame_level(s->debug) : 0,
				       .expr = (char *)expr};
	json_object_set_new(out, "variablesReference",
			    json_integer(w && indexed + named ? bw_dap_add_ref(s, &ref) : 0));
	if (w && indexed)
		json_object_set_new(out, "indexedVariables", json_integer((json_int_t)indexed));
	if (w && named)
		json_object_set_new(out, "namedVariables", json_integer((json_int_t)named));
	add_memory_reference(&v, out);
	bw_str_free(&text);
	bw_value_fini(&v);
	return NULL;
}

/* Adds one part; an error becomes the text of its value. */
static void add_part(struct bw_dap *s, const char *name, const char *expr, bool hex, json_t *list)
{
	json_t *v = bw_dap_variable(name, "", NULL);
	struct bw_error *err = bw_dap_add_value(s, expr, "value", hex, v);
	if (err) {
		struct bw_str text = {0};
		bw_str_addf(&text, "<error: %s>", err->message);
		json_object_set_new(v, "value", bw_dap_text(&text));
		bw_str_free(&text);
		bw_error_free(err);
	}
	bw_dap_name_as(v, expr);
	json_array_append_new(list, v);
}

struct members {
	struct bw_dap *s;
	const char *expr;
	const struct bw_dap_page *page;
	uint64_t at;
	json_t *list;
};

static bool on_page(const struct bw_dap_page *p, uint64_t i)
{
	return i >= p->start && (!p->count || i - p->start < p->count);
}

static void add_members(struct members *x, const struct bw_ctype *c)
{
	for (size_t i = 0; i < c->n_members; i++) {
		const struct bw_cmember *m = &c->members[i];
		if (!m->name || m->is_base) {
			add_members(x, bw_ctype_strip(m->type));
			continue;
		}
		if (on_page(x->page, x->at++)) {
			struct bw_str expr = {0};
			bw_str_addf(&expr, "(%s).%s", x->expr, m->name);
			add_part(x->s, m->name, bw_str_text(&expr), x->page->hex, x->list);
			bw_str_free(&expr);
		}
	}
}

static void add_elements(struct bw_dap *s, const char *expr, uint64_t n,
			 const struct bw_dap_page *page, json_t *list)
{
	/* The number of parts for an editor that does not ask for a count: the first ones, and how
	 * many there are. */
	enum { UNPAGED = 4096 };
	uint64_t end = page->count ? page->start + page->count : page->start + UNPAGED;
	if (end < page->start || end > n)
		end = n;
	for (uint64_t i = page->start; i < end; i++) {
		struct bw_str part = {0};
		char name[32];
		snprintf(name, sizeof(name), "[%llu]", (unsigned long long)i);
		bw_str_addf(&part, "(%s)%s", expr, name);
		add_part(s, name, bw_str_text(&part), page->hex, list);
		bw_str_free(&part);
	}
	if (!page->count && end < n) {
		struct bw_str more = {0};
		bw_str_addf(&more,
			    "%llu more elements: this editor does not ask for them part by part",
			    (unsigned long long)(n - end));
		json_array_append_new(list, bw_dap_variable("...", bw_str_text(&more), NULL));
		bw_str_free(&more);
	}
}

struct bw_error *bw_dap_add_parts(struct bw_dap *s, const struct bw_dap_ref *ref,
				  const struct bw_dap_page *page, json_t *out)
{
	struct bw_value v = {0};
	struct bw_expr_error where;
	uint64_t indexed, named;
	BW_TRY(bw_debug_eval(s->debug, ref->expr, &v, &where));
	count_parts(&v, &indexed, &named);
	const struct bw_ctype *c = bw_type_aggregate(&v.type);
	if (indexed && page->indexed) {
		add_elements(s, ref->expr, indexed, page, out);
	} else if (named && page->named && c) {
		struct members x = {s, ref->expr, page, 0, out};
		add_members(&x, c);
	} else if (named && page->named && on_page(page, 0)) {
		struct bw_str name = {0}, expr = {0};
		bw_str_addf(&name, "*%s", ref->expr);
		bw_str_addf(&expr, "*(%s)", ref->expr);
		add_part(s, bw_str_text(&name), bw_str_text(&expr), page->hex, out);
		bw_str_free(&name);
		bw_str_free(&expr);
	}
	bw_value_fini(&v);
	return NULL;
}
