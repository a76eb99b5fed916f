/* SPDX-License-Identifier: MIT */
#include "dap/draws.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "debug/draws.h"
#include "image/png_file.h"
#include "target/call.h"
#include "ui/show.h"
#include "ui/show_program.h"

/* Draws: what the focus lane was given and has put out, the list of draws, attachments as pictures,
 * and the history of a pixel. */

/* ---- The scopes "Inputs" and "Outputs" ---- */

bool bw_dap_has_draw_scope(struct bw_dap *s, const struct bw_wave_info *w,
			   enum bw_dap_ref_kind kind)
{
	return w->draw &&
	       (bw_target_can(bw_debug_target(s->debug), BW_CAP_DRAWS) ||
		bw_show_has_variables(s->debug, kind == BW_DAP_REF_INPUTS ? BW_SHOW_INPUTS
									  : BW_SHOW_OUTPUTS));
}

/* The text of a cell; "" if it is empty. */
static const char *cell(const struct bw_table *t, size_t row, size_t column)
{
	const char *text = t->cells.data[row * t->n_columns + column].text;
	return text ? text : "";
}

/* "attribute 0" or "color 0": the first column, after its title where that is a number. */
static json_t *row_json(const struct bw_table *t, size_t row)
{
	struct bw_str name = {0};
	bool is_number = !strcmp(t->columns[0].type, "count");
	bw_str_addf(&name, "%s%s%s", is_number ? t->columns[0].key : "", is_number ? " " : "",
		    cell(t, row, 0));
	json_t *v = bw_dap_variable(bw_str_text(&name), cell(t, row, 1), NULL);
	bw_str_free(&name);
	return v;
}

/* The other columns of a row that have something, such as the values at the corners. */
static void add_columns(const struct bw_table *t, size_t row, json_t *list)
{
	for (size_t c = 2; c < t->n_columns; c++)
		if (t->columns[c].title && *cell(t, row, c))
			json_array_append_new(
				list, bw_dap_variable(t->columns[c].title, cell(t, row, c), NULL));
}

/* A row with more columns has parts, which are asked for by the row's number. */
static void add_row(struct bw_dap *s, const struct bw_dap_ref *scope, const struct bw_table *t,
		    size_t row, json_t *list)
{
	json_t *v = row_json(t, row), *parts = json_array();
	struct bw_dap_ref ref = *scope;
	add_columns(t, row, parts);
	ref.kind = BW_DAP_REF_ATTRIBUTE;
	ref.index = (unsigned)row;
	if (json_array_size(parts))
		json_object_set_new(v, "variablesReference", json_integer(bw_dap_add_ref(s, &ref)));
	json_decref(parts);
	json_array_append_new(list, v);
}

/* "lane 5 = pixel 25,20" */
static void add_lane(struct bw_dap *s, const struct bw_wave_info *w, json_t *list)
{
	char name[24], words[64];
	unsigned lane = bw_debug_focus_lane(s->debug);
	if (!bw_debug_draw_lane_text(s->debug, w, lane, words))
		return;
	snprintf(name, sizeof(name), "lane %u", lane);
	json_array_append_new(list, bw_dap_variable(name, words, NULL));
}

struct bw_error *bw_dap_draw_values(struct bw_dap *s, const struct bw_dap_ref *ref, json_t *list)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	_cleanup_(bw_table_fini) struct bw_table t = {0};
	BW_TRY(ref->kind == BW_DAP_REF_OUTPUTS ? bw_table_exports(&t, s->debug, w)
					       : bw_table_attributes(&t, s->debug, w));
	size_t n = bw_table_rows(&t);
	if (ref->kind == BW_DAP_REF_ATTRIBUTE) {
		if (ref->index < n)
			add_columns(&t, ref->index, list);
		return NULL;
	}
	if (ref->kind == BW_DAP_REF_INPUTS)
		add_lane(s, w, list);
	for (size_t row = 0; row < n; row++)
		add_row(s, ref, &t, row, list);
	return NULL;
}

/* ---- breakwater/draws ---- */

static void add_table(json_t *body, struct bw_table *t)
{
	json_object_set_new(body, t->key, bw_table_json(t));
	bw_table_fini(t);
}

struct bw_error *bw_dap_draws(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_table t;
	BW_TRY(bw_table_draws(&t, s->debug));
	add_table(body, &t);
	return NULL;
}

/* ---- breakwater/attachment ---- */

static json_t *target_json(struct bw_dap *s, const struct bw_draws_target *t)
{
	char word[16];
	struct bw_str text = {0};
	json_t *x = json_object();
	bw_draws_target_word(t, word);
	bw_show_draw_target(s->debug, t, &text);
	json_object_set_new(x, "attachment", json_string(word));
	json_object_set_new(x, "description", bw_dap_text(&text));
	json_object_set_new(x, "width", json_integer(t->width));
	json_object_set_new(x, "height", json_integer(t->height));
	bw_str_free(&text);
	return x;
}

struct bw_error *bw_dap_attachment(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { SIDE_MAX = 4096 }; /* of a picture that is one message */
	const char *wanted = "";
	struct bw_draws_draw draw;
	const struct bw_draws_target *t;
	struct bw_picture p;
	struct bw_str png = {0}, text = {0};
	BW_TRY(bw_dap_take_text(args, "attachment", &wanted));
	BW_TRY(bw_debug_draw_now(s->debug, &draw));
	BW_TRY(bw_draws_find_target(&draw, wanted, &t));
	if (t->width > SIDE_MAX || t->height > SIDE_MAX)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"the attachment has %ux%u pixels, and an editor is sent %d a side; "
			"\"framebuffer FILE.png\" in the debug console writes all of it",
			t->width, t->height, SIDE_MAX);
	json_t *all = json_array(), *shown = target_json(s, t);
	json_object_update(body, shown);
	json_decref(shown);
	for (uint32_t i = 0; i < BW_MIN(draw.n_targets, (uint32_t)BW_DRAWS_TARGETS); i++)
		json_array_append_new(all, target_json(s, &draw.target[i]));
	json_object_set_new(body, "attachments", all);
	BW_TRY(bw_debug_draw_picture(s->debug, t, &p));
	struct bw_error *err = bw_png_encode(&p, &png);
	if (!err) {
		bw_base64_add(&text, (const uint8_t *)bw_str_text(&png), png.len);
		json_object_set_new(body, "png", bw_dap_text(&text));
		json_object_set_new(body, "clamped", json_integer((json_int_t)p.n_clamped));
	}
	bw_str_free(&text);
	bw_str_free(&png);
	bw_picture_fini(&p);
	return err;
}

/* ---- breakwater/pixelHistory ---- */

static struct bw_error *need_coordinate(json_t *args, const char *key, int32_t *out)
{
	int64_t n = 0;
	BW_TRY(bw_dap_need_int(args, key, &n));
	if (n < 0 || n > INT32_MAX)
		return bw_errorf(BW_E_INVALID, "the argument \"%s\" is out of range", key);
	*out = (int32_t)n;
	return NULL;
}

/* A pixel that is not watched yet is watched from here on. */
struct bw_error *bw_dap_pixel_history(struct bw_dap *s, json_t *args, json_t *body)
{
	int32_t x = 0, y = 0, old_x, old_y;
	struct bw_table t;
	BW_TRY(need_coordinate(args, "x", &x));
	BW_TRY(need_coordinate(args, "y", &y));
	bool was_watched =
		bw_debug_watched_pixel(s->debug, &old_x, &old_y) && x == old_x && y == old_y;
	if (!was_watched)
		BW_TRY(bw_debug_watch_pixel(s->debug, x, y));
	BW_TRY(bw_table_pixel_history(&t, s->debug));
	add_table(body, &t);
	json_object_set_new(body, "x", json_integer(x));
	json_object_set_new(body, "y", json_integer(y));
	json_object_set_new(body, "wasWatched", json_boolean(was_watched));
	return NULL;
}
