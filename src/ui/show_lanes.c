/* SPDX-License-Identifier: MIT */
/* The lanes of the focus wave: one by one, or those together that do the same. */
#include "ui/show_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "debug/draws.h"
#include "debug/code.h"
#include "debug/expressions.h"

/* ---- All lanes ---- */

struct lanes_row {
	char *text; /* owned */
	json_t *json;
	uint64_t lanes;
	bool failed, active;
};

void bw_show_value_in_lane(struct bw_debug *d, const struct bw_value *v, unsigned lane, char letter,
			   struct bw_str *out)
{
	struct bw_value own = *v;
	if (v->across_lanes) {
		own.bits = v->elem[lane < v->n_elem ? lane : 0];
		own.elem = NULL;
		own.n_elem = 0;
		own.across_lanes = false;
	}
	bw_show_value(d, &own, letter, out);
}

/* Evaluates in one lane, and adds the lane to the row of its value. */
static struct bw_error *one_lane(struct bw_debug *d, const char *expr, char letter, unsigned lane,
				 struct lanes_row *rows, size_t *n)
{
	struct bw_value v = {0};
	struct bw_expr_error where = {0};
	struct bw_str s = {0};
	struct bw_error *err = bw_debug_eval_lane(d, expr, lane, &v, &where);
	bool failed = err != NULL;
	if (err && err->code == BW_E_INVALID) /* it is wrong in all of them */
		return err;
	if (err && !strcmp(err->message, "value has been optimized out")) {
		bw_str_add(&s, "<optimized out>");
	} else if (err) {
		bw_str_addf(&s, "<error: %s>", err->message);
	} else {
		bw_show_value_in_lane(d, &v, lane, letter, &s);
	}
	bw_error_free(err);
	size_t i = 0;
	while (i < *n && strcmp(rows[i].text, bw_str_text(&s)) != 0)
		i++;
	if (i == *n) {
		json_t *json =
			failed ? NULL
			: v.type.ctype
				? bw_show_typed_json(d, &v)
				: bw_show_number_json(&v, v.across_lanes ? v.elem[lane % v.n_elem]
									 : v.bits);
		rows[(*n)++] = (struct lanes_row){
			.text = strdup(bw_str_text(&s)), .json = json, .failed = failed};
	}
	rows[i].lanes |= 1ull << lane;
	bw_str_free(&s);
	bw_value_fini(&v);
	return rows[i].text ? NULL : bw_error_nomem();
}

/* Rows of the lanes by value; each is the caller's, also after an error. */
static struct bw_error *value_rows(struct bw_debug *d, const char *expr, char letter,
				   uint64_t lanes, struct lanes_row rows[64], size_t *out_n)
{
	struct bw_error *err = NULL;
	unsigned focus = bw_debug_focus_lane(d);
	*out_n = 0;
	for (unsigned lane = 0; !err && lane < 64; lane++) {
		if (!(lanes >> lane & 1))
			continue;
		err = bw_debug_set_lane(d, lane); /* aggregates are read at the focus lane */
		if (!err)
			err = one_lane(d, expr, letter, lane, rows, out_n);
	}
	struct bw_error *back = bw_debug_set_lane(d, focus);
	bw_error_free(back);
	return err;
}

static void add_lanes(struct bw_table *t, uint64_t lanes)
{
	struct bw_str s = {0};
	bw_print_lanes(&s, lanes);
	bw_table_text(t, "%s", bw_str_text(&s));
	bw_str_free(&s);
}

static void free_row(struct lanes_row *r)
{
	json_decref(r->json);
	free(r->text);
}

static void lanes_of(struct bw_table *t, const void *of)
{
	add_lanes(t, ((const struct lanes_row *)of)->lanes);
}

static void value_of(struct bw_table *t, const void *of)
{
	bw_table_json_cell(t, json_incref(((const struct lanes_row *)of)->json));
}

static const struct bw_fact value_facts[] = {
	{"Lanes", "lanes", "text", BW_GET(lanes_of)},
	{"", "active", "bool", BW_OF(struct lanes_row, active), .no = "inactive"},
	{"Value", "text", "text", BW_OF(struct lanes_row, text)},
	{NULL, "value", "value?", BW_GET(value_of)},
};
BW_FACTS(lanes_facts, "print lanes", "lanes", value_facts);

static struct bw_error *lane_rows(struct bw_debug *d, const char *expr, char letter, uint64_t lanes,
				  bool active, struct bw_table *t)
{
	struct lanes_row rows[64];
	size_t n;
	struct bw_error *err = value_rows(d, expr, letter, lanes, rows, &n);
	for (size_t i = 0; i < n; i++) {
		rows[i].active = active;
		if (!err && rows[i].text)
			bw_table_row(t, &rows[i]);
		free_row(&rows[i]);
	}
	return err;
}

/* Cuts "@lanes" off; NULL: it is not there. */
char *bw_show_take_lanes(const char *text)
{
	static const char word[] = "@lanes";
	size_t n = strlen(text), k = sizeof(word) - 1;
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	if (n <= k || strncmp(text + n - k, word, k) != 0)
		return NULL;
	n -= k;
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return strndup(text, n);
}

/* A name that no lane has, or what is no value. */
static struct bw_error *check_expression(struct bw_debug *d, const char *expr)
{
	struct bw_value type = {0};
	struct bw_expr_error where = {0};
	bool is_type;
	BW_TRY(bw_debug_eval_type(d, expr, &type, &is_type, &where));
	bw_value_fini(&type);
	return is_type ? bw_errorf(BW_E_INVALID, "Attempt to use a type name as an expression")
		       : NULL;
}

static uint64_t all_lanes(const struct bw_wave_info *w)
{
	return w->lanes == 64 ? ~0ull : (1ull << w->lanes) - 1;
}

struct bw_error *bw_show_lanes_text(struct bw_debug *d, const char *expr, char letter,
				    struct bw_str *out)
{
	struct lanes_row rows[64];
	size_t n;
	const struct bw_wave_info *w = bw_debug_focus(d);
	if (!w)
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	uint64_t exec = w->exec & all_lanes(w);
	BW_TRY(check_expression(d, expr));
	struct bw_error *err = value_rows(d, expr, letter, exec, rows, &n);
	for (size_t i = 0; i < n; i++) {
		if (!err && rows[i].text) {
			bw_str_add(out, i ? "; " : "");
			bw_print_lanes(out, rows[i].lanes);
			bw_str_addf(out, ": %s", rows[i].text);
		}
		free_row(&rows[i]);
	}
	if (!err && !n)
		bw_str_add(out, "no lane is active");
	return err;
}

struct bw_error *bw_show_in_lanes(struct bw_out *o, struct bw_debug *d, const char *expr,
				  char letter, uint64_t lanes)
{
	const struct bw_wave_info *w = bw_debug_focus(d);
	uint64_t all = all_lanes(w);
	BW_TRY(check_expression(d, expr));
	struct bw_table t;
	bw_table_begin(&t, &lanes_facts);
	struct bw_error *err = lane_rows(d, expr, letter, lanes & all & w->exec, true, &t);
	if (!err)
		err = lane_rows(d, expr, letter, lanes & all & ~w->exec, false, &t);
	if (!err)
		bw_out_table(o, &t, "The wave has none of these lanes.");
	bw_table_fini(&t);
	return err;
}

/* ---- Lane by lane ---- */

void bw_show_whole_wave(struct bw_out *o, const struct bw_wave_info *w)
{
	if (w && w->whole_wave)
		bw_out_line(
			o,
			"In whole-wave code of the compiler: EXEC has other lanes than the program's, which are the active ones shown.");
}

struct lane_row {
	uint32_t lane;
	bool is_focus, active;
	char name[96];
	struct bw_str frame;
};

static const struct bw_fact lane_facts[] = {
	{"", NULL, "bool", BW_OF(struct lane_row, is_focus), .yes = "*"},
	{"Id", "lane", "count", BW_OF(struct lane_row, lane)},
	{"State", "active", "bool", BW_OF(struct lane_row, active), .yes = "A", .no = "I"},
	{"Target Id", "name", "text", BW_OF(struct lane_row, name)},
	{"Frame", "frame", "text", BW_OF(struct lane_row, frame)},
};
BW_FACTS(each_lane_facts, "info lanes", "lanes", lane_facts);

void bw_show_lanes(struct bw_out *o, struct bw_debug *d, unsigned first, unsigned last,
		   bool only_active)
{
	const struct bw_wave_info *w = bw_debug_focus(d);
	struct lane_row r = {0};
	struct bw_table t;
	bw_table_begin(&t, &each_lane_facts);
	if (w)
		bw_show_frame(d, w, false, &r.frame);
	for (r.lane = first; w && r.lane <= last && r.lane < w->lanes; r.lane++) {
		r.active = w->exec >> r.lane & 1;
		if (only_active && !r.active)
			continue;
		r.is_focus = r.lane == bw_debug_focus_lane(d);
		bw_lane_name(d, w, r.lane, r.name, sizeof(r.name));
		bw_table_row(&t, &r);
	}
	bw_out_table(o, &t, "No such lanes.");
	bw_str_free(&r.frame);
	bw_table_fini(&t);
}

/* ---- Divergence ---- */

/* Lanes that wait for the same reason, or run. */
struct lane_class {
	uint64_t lanes;
	enum { LANES_ACTIVE, LANES_BRANCH, LANES_LOOP, LANES_INACTIVE, LANES_NONE } kind;
	uint64_t branch;
};

static size_t classes_of(const struct bw_wave_info *w, struct bw_debug *d,
			 const struct bw_lane_branch *branches, size_t n_branches,
			 struct lane_class out[BW_LANE_BRANCHES + 3])
{
	uint64_t none = 0, left = all_lanes(w) & ~w->exec;
	size_t n = 0;
	if (w->exec)
		out[n++] = (struct lane_class){w->exec, LANES_ACTIVE, 0};
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		if (!bw_lane_is_used(d, w, lane))
			none |= left & 1ull << lane;
	}
	left &= ~none;
	for (size_t i = 0; i < n_branches; i++) {
		out[n++] = (struct lane_class){branches[i].lanes,
					       branches[i].is_loop ? LANES_LOOP : LANES_BRANCH,
					       branches[i].branch};
		left &= ~branches[i].lanes;
	}
	if (left)
		out[n++] = (struct lane_class){left, LANES_INACTIVE, 0};
	if (none)
		out[n++] = (struct lane_class){none, LANES_NONE, 0};
	return n;
}

/* "pixels 48,32 to 63,35", all within that rectangle; "vertices 0 to 5", "primitives 0 to 3". */
static void show_draw_items(struct bw_debug *d, const struct bw_wave_info *w, uint64_t lanes,
			    struct bw_str *out)
{
	const struct bw_draws_wave *wave;
	int32_t x[2] = {INT32_MAX, INT32_MIN}, y[2] = {INT32_MAX, INT32_MIN};
	unsigned n = 0;
	const char *unused;
	const struct bw_dispatch_info *of = bw_debug_dispatch(d, w->dispatch);
	enum bw_target_stage stage = of ? bw_debug_draw_stage_at(d, of, w->pc, &unused) : w->stage;
	const bool has_primitives = stage > BW_STAGE_PIXEL;
	if (stage == BW_STAGE_MESH) /* each lane says which thread of which group it is */
		return;
	struct bw_error *err = bw_debug_draw_lanes(d, w, &wave);
	for (unsigned lane = 0; !err && lane < w->lanes; lane++) {
		const struct bw_draws_lane *l = &wave->lane[lane];
		const uint32_t has = has_primitives ? BW_DRAWS_HAS_PRIMITIVE : BW_DRAWS_IS_USED;
		if (!(lanes >> lane & 1) || !(l->flags & has))
			continue;
		const int32_t of_lane = has_primitives ? (int32_t)l->primitive : l->x;
		x[0] = BW_MIN(x[0], of_lane);
		x[1] = BW_MAX(x[1], of_lane);
		y[0] = BW_MIN(y[0], l->y);
		y[1] = BW_MAX(y[1], l->y);
		n++;
	}
	if (n && wave->stage == BW_DRAWS_VERTICES)
		bw_str_addf(out, "%s %u to %u",
			    stage == BW_STAGE_GEOMETRY ? "primitives"
			    : has_primitives	       ? "patches"
						       : "vertices",
			    (uint32_t)x[0], (uint32_t)x[1]);
	else if (n)
		bw_str_addf(out, "pixels %d,%d to %d,%d", x[0], y[0], x[1], y[1]);
	bw_error_free(err);
}

void bw_show_items(struct bw_debug *d, const struct bw_wave_info *w, uint64_t lanes,
		   struct bw_str *out)
{
	if (w->draw) {
		show_draw_items(d, w, lanes, out);
		return;
	}
	enum { MOST = 4 };
	unsigned runs = 0;
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		uint32_t first[3], last[3], next[3];
		if (!(lanes >> lane & 1) || !bw_lane_item(d, w, lane, first))
			continue;
		if (runs++ == MOST) {
			bw_str_add(out, " ...");
			return;
		}
		memcpy(last, first, sizeof(last));
		while (lane + 1u < w->lanes && lanes >> (lane + 1) & 1 &&
		       bw_lane_item(d, w, lane + 1, next)) {
			memcpy(last, next, sizeof(last));
			lane++;
		}
		bw_str_addf(out, "%s[%u,%u,%u]", runs > 1 ? " " : "", first[0], first[1], first[2]);
		if (memcmp(first, last, sizeof(first)) != 0)
			bw_str_addf(out, "-[%u,%u,%u]", last[0], last[1], last[2]);
	}
}

static void place_text(struct bw_debug *d, const struct bw_wave_info *w, const struct lane_class *c,
		       struct bw_str *out)
{
	struct bw_where where;
	switch (c->kind) {
	case LANES_ACTIVE:
		bw_show_frame(d, w, false, out);
		return;
	case LANES_INACTIVE:
		return;
	case LANES_NONE:
		bw_str_add(out, w->draw ? "(not used)" : "(no work-items)");
		return;
	case LANES_BRANCH:
	case LANES_LOOP:
		break;
	}
	bw_debug_where_in(d, w->dispatch, c->branch, &where);
	bw_str_add(out, c->kind == LANES_LOOP ? "has left the loop at " : "since the branch at ");
	if (where.has_line)
		bw_str_addf(out, "%s:%u", bw_base_name(where.line.file), where.line.line);
	else
		bw_str_addf(out, "0x%012llx", (unsigned long long)c->branch);
}

struct group_row {
	struct lane_class c;
	struct lanes_row values;
	uint64_t lanes;
	struct bw_str items, place;
	bool is_focus, is_active, is_apart, left_loop;
};

static void group_lanes(struct bw_table *t, const void *of)
{
	add_lanes(t, ((const struct group_row *)of)->lanes);
}

static void group_value(struct bw_table *t, const void *of)
{
	bw_table_json_cell(t, json_incref(((const struct group_row *)of)->values.json));
}

enum { VALUE_TITLE = 4 };
#define APART BW_IF(struct group_row, is_apart)
static const struct bw_fact group_rows[] = {
	{"", NULL, "bool", BW_OF(struct group_row, is_focus), .yes = "*"},
	{"Lanes", "lanes", "text", BW_GET(group_lanes)},
	{"State", "active", "bool", BW_OF(struct group_row, is_active), .yes = "active",
	 .no = "inactive"},
	{"Work-items", "items", "text", BW_OF(struct group_row, items),
	 .says = "Of a draw the pixels or vertices."},
	[VALUE_TITLE] = {"Value", "text", "text?", BW_OF(struct group_row, values.text),
			 BW_IF(struct group_row, values.text)},
	{NULL, "value", "value?", BW_GET(group_value)},
	{"Frame", "place", "text", BW_OF(struct group_row, place)},
	{NULL, "branch", "hex?", BW_OF(struct group_row, c.branch), APART},
	{NULL, "left_loop", "bool?", BW_OF(struct group_row, left_loop), APART},
};
BW_FACTS(group_facts, "info lanes groups", "groups", group_rows);

/* values: NULL: there is no expression. */
static void add_group(struct bw_table *t, struct bw_debug *d, const struct lane_class *c,
		      uint64_t lanes, const struct lanes_row *values)
{
	const struct bw_wave_info *w = bw_debug_focus(d);
	struct group_row r = {.c = *c,
			      .lanes = lanes,
			      .is_focus = lanes >> bw_debug_focus_lane(d) & 1,
			      .is_active = c->kind == LANES_ACTIVE,
			      .is_apart = c->kind == LANES_BRANCH || c->kind == LANES_LOOP,
			      .left_loop = c->kind == LANES_LOOP};
	if (values)
		r.values = *values;
	bw_show_items(d, w, lanes, &r.items);
	place_text(d, w, c, &r.place);
	bw_table_row(t, &r);
	bw_str_free(&r.items);
	bw_str_free(&r.place);
}

static struct bw_error *add_class(struct bw_table *t, struct bw_debug *d,
				  const struct lane_class *c, const char *expr, char letter)
{
	struct lanes_row rows[64];
	size_t n;
	struct lanes_row none = {.text = (char *)""};
	if (!expr || c->kind == LANES_NONE) {
		add_group(t, d, c, c->lanes, expr ? &none : NULL);
		return NULL;
	}
	struct bw_error *err = value_rows(d, expr, letter, c->lanes, rows, &n);
	for (size_t i = 0; i < n; i++) {
		if (!err && rows[i].text)
			add_group(t, d, c, rows[i].lanes, &rows[i]);
		free_row(&rows[i]);
	}
	return err;
}

struct bw_error *bw_show_divergence(struct bw_out *o, struct bw_debug *d, const char *expr,
				    char letter)
{
	struct bw_fact rows[BW_ARRAY_SIZE(group_rows)];
	const struct bw_fact_table titled = {.key = "groups", .rows = rows, .n = group_facts.n};
	const struct bw_wave_info *w = bw_debug_focus(d);
	struct bw_lane_branch branches[BW_LANE_BRANCHES];
	struct lane_class classes[BW_LANE_BRANCHES + 3];
	size_t n_branches = 0;
	struct bw_table t;
	if (expr)
		BW_TRY(check_expression(d, expr));
	BW_TRY(bw_debug_lane_branches(d, branches, &n_branches));
	size_t n = classes_of(w, d, branches, n_branches, classes);
	memcpy(rows, group_rows, sizeof(rows));
	rows[VALUE_TITLE].title = expr;
	bw_table_begin(&t, &titled);
	struct bw_error *err = NULL;
	for (size_t i = 0; i < n && !err; i++)
		err = add_class(&t, d, &classes[i], expr, letter);
	if (!err)
		bw_out_table(o, &t, "The wave has no lanes.");
	bw_table_fini(&t);
	return err;
}
