/* SPDX-License-Identifier: MIT */
/* Draws, the inputs of a vertex or a pixel, and the history of a pixel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "debug/draws.h"
#include "target/call.h"
#include "ui/show.h"
#include "ui/show_program.h"

/* ---- info draws ---- */

struct draw_row {
	struct bw_dispatch_info vertex, pixel; /* number 0: not known */
	const char *vertex_name, *pixel_name;  /* NULL: the driver's own */
	const char *kind, *state;
	struct bw_str targets;
	bool has_begun;
};

static void number_or_memory(struct bw_table *t, uint32_t n)
{
	if (n == UINT32_MAX)
		bw_table_both(t, NULL, "from memory");
	else
		bw_table_int(t, n);
}

static void n_vertices(struct bw_table *t, const void *of)
{
	number_or_memory(t, ((const struct draw_row *)of)->vertex.desc.draw.n);
}

static void n_instances(struct bw_table *t, const void *of)
{
	number_or_memory(t, ((const struct draw_row *)of)->vertex.desc.draw.n_instances);
}

static void shader(struct bw_table *t, const char *name)
{
	bw_table_text(t, "%s", name ? name : "the driver's own");
}

static void vertex_shader(struct bw_table *t, const void *of)
{
	shader(t, ((const struct draw_row *)of)->vertex_name);
}

static void other_shaders(struct bw_table *t, const void *of)
{
	const struct draw_row *r = of;
	if (r->vertex.other_shaders[0])
		bw_table_text(t, "%s", r->vertex.other_shaders);
}

static void pixel_shader(struct bw_table *t, const void *of)
{
	shader(t, ((const struct draw_row *)of)->pixel_name);
}

static const struct bw_fact draw_rows[] = {
	{"Draw", "draw", "number", BW_OF(struct draw_row, vertex.draw)},
	{"Kind", "kind", "plain|indexed|indirect|indexed indirect", BW_OF(struct draw_row, kind)},
	{"Vertices", "vertices", "count?", BW_GET(n_vertices), .says = "Or indices."},
	{"Instances", "instances", "count?", BW_GET(n_instances)},
	{"State", "state", "dispatch-state", BW_OF(struct draw_row, state)},
	{"Vertex Shader", "vertex_shader", "text", BW_GET(vertex_shader)},
	{"Others", "other_shaders", "text?", BW_GET(other_shaders),
	 .says = "Tessellation control and evaluation, and geometry."},
	{"Pixel Shader", "pixel_shader", "text", BW_GET(pixel_shader)},
	{"Label", "label", "text?", BW_OF(struct draw_row, vertex.label)},
	{"Draws To", "attachments", "text?", BW_OF(struct draw_row, targets)},
};
BW_FACTS(draw_facts, "info draws", "draws", draw_rows);

/* The images of the program, borrowed as bw_debug_objects() says; none where they are not known. */
struct images {
	const struct bw_target_object *all;
	size_t n;
};
static struct images images_of(struct bw_debug *d)
{
	struct images i = {0};
	const struct bw_target *target = bw_debug_target(d);
	if (target && bw_target_can(target, BW_CAP_OBJECTS))
		bw_error_free(bw_debug_objects(d, &i.all, &i.n));
	return i;
}

/* The name of the image that lies there; NULL: none has one. */
static const char *image_name(const struct images *in, uint64_t va)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->all[i].kind == BW_OBJECT_IMAGE && in->all[i].name[0] &&
		    va >= in->all[i].va && va - in->all[i].va < in->all[i].size_b)
			return in->all[i].name;
	return NULL;
}

static void add_target(const struct images *images, const struct bw_draws_target *t,
		       struct bw_str *out)
{
	static const char *const kinds[] = {[BW_DRAWS_COLOR] = "color",
					    [BW_DRAWS_DEPTH] = "depth",
					    [BW_DRAWS_STENCIL] = "stencil"};
	const char *name = image_name(images, bw_draws_target_va(t));
	const char *kind = t->kind && t->kind < BW_ARRAY_SIZE(kinds) ? kinds[t->kind] : "?";
	bw_str_add(out, kind);
	if (t->kind == BW_DRAWS_COLOR)
		bw_str_addf(out, " %u", t->index);
	bw_str_addf(out, " %ux%u %s", t->width, t->height, bw_draws_target_format(t));
	if (t->samples_log2)
		bw_str_addf(out, " x%u", 1u << BW_MIN(t->samples_log2, 3u));
	if (name)
		bw_str_addf(out, " \"%s\"", name);
}

void bw_show_draw_target(struct bw_debug *d, const struct bw_draws_target *t, struct bw_str *out)
{
	const struct images images = images_of(d);
	add_target(&images, t, out);
}

/* False: the draw has not begun, or it is not known. */
static bool add_targets(const struct images *images, const struct bw_draw_list *begun,
			const struct bw_dispatch_info *x, struct bw_str *out)
{
	const struct bw_draws_draw *draw =
		x->state == BW_DISPATCH_HELD ? NULL : bw_draws_of(begun, x);
	if (!draw)
		return false;
	const int len = (int)strnlen(draw->left_out, sizeof(draw->left_out));
	if (len)
		bw_str_addf(out, "left out: %.*s", len, draw->left_out);
	for (uint32_t i = 0; i < BW_MIN(draw->n_targets, (uint32_t)BW_DRAWS_TARGETS); i++) {
		if (i)
			bw_str_add(out, "; ");
		add_target(images, &draw->target[i], out);
	}
	return true;
}

/* Empty where the target does not know, or has forgotten them. */
static struct bw_draw_list draws_of_target(struct bw_debug *d)
{
	struct bw_draw_list begun = {0};
	const struct bw_target *target = bw_debug_target(d);
	if (target && bw_target_can(target, BW_CAP_DRAWS))
		bw_error_free(bw_debug_draw_list(d, &begun));
	return begun;
}

static const char *kind_of(const struct bw_dispatch_info *x)
{
	bool indirect = x->desc.draw.n == UINT32_MAX;
	return x->desc.draw.is_indexed ? indirect ? "indexed indirect" : "indexed"
	       : indirect	       ? "indirect"
				       : "plain";
}

/* The submission runs as a whole; its draws run one after the other, as far as it is known which
 * have begun. */
static void set_state(struct draw_row *rows, size_t n, size_t i)
{
	bool any = false, later = false;
	for (size_t k = 0; k < n; k++) {
		bool same = rows[k].vertex.queue == rows[i].vertex.queue;
		any |= same && rows[k].has_begun;
		later |= same && k > i && rows[k].has_begun;
	}
	if (rows[i].vertex.state == BW_DISPATCH_RUNNING && any)
		rows[i].state = !rows[i].has_begun ? "waiting" : later ? "done" : "running";
}

struct bw_error *bw_table_draws(struct bw_table *t, struct bw_debug *d)
{
	size_t n = 0;
	bool has_labels = false, has_others = false;
	const struct bw_dispatch_info *list = bw_debug_draw_shaders(d, &n);
	for (size_t i = 0; i < n; i++) {
		has_labels |= list[i].label[0] != '\0';
		has_others |= list[i].other_shaders[0] != '\0';
	}
	struct draw_row *rows = calloc(n + 1, sizeof(*rows));
	if (!rows)
		return bw_error_nomem();
	size_t n_rows = 0;
	for (size_t i = 0; i + 1 < n; i++) {
		struct draw_row *r = &rows[n_rows];
		if (list[i].desc.stage != BW_STAGE_VERTEX || list[i + 1].draw != list[i].draw)
			continue;
		*r = (struct draw_row){.vertex = list[i],
				       .pixel = list[i + 1],
				       .vertex_name = bw_debug_draw_shader_name(d, &list[i]),
				       .pixel_name = bw_debug_draw_shader_name(d, &list[i + 1]),
				       .kind = kind_of(&list[i]),
				       .state = bw_show_dispatch_state(d, &list[i])};
		n_rows++;
	}
	struct bw_draw_list begun = draws_of_target(d);
	const struct images images = images_of(d);
	for (size_t i = 0; i < n_rows; i++)
		rows[i].has_begun = add_targets(&images, &begun, &rows[i].vertex, &rows[i].targets);
	bw_vec_free(&begun);
	bw_table_begin(t, &draw_facts);
	if (!has_labels)
		bw_table_hide(t, "label");
	if (!has_others)
		bw_table_hide(t, "other_shaders");
	for (size_t i = 0; i < n_rows; i++) {
		set_state(rows, n_rows, i);
		bw_table_row(t, &rows[i]);
		bw_str_free(&rows[i].targets);
	}
	free(rows);
	return NULL;
}

struct bw_error *bw_show_draws(struct bw_out *o, struct bw_debug *d)
{
	struct bw_table t;
	BW_TRY(bw_table_draws(&t, d));
	bw_out_table(o, &t, "Nothing has been drawn.");
	bw_table_fini(&t);
	return NULL;
}

/* ---- info inputs ---- */

struct attribute_row {
	unsigned number;
	bool is_flat;
	float at[4], corner[3][4];
};

static void four(struct bw_table *t, const float v[4])
{
	bw_table_text(t, "%.6g %.6g %.6g %.6g", (double)v[0], (double)v[1], (double)v[2],
		      (double)v[3]);
}

/* number: enum bw_draws_number */
static void components(struct bw_table *t, const uint32_t v[4], uint32_t number)
{
	float f[4];
	memcpy(f, v, sizeof(f));
	if (number == BW_DRAWS_UINTS)
		bw_table_text(t, "%u %u %u %u", v[0], v[1], v[2], v[3]);
	else if (number == BW_DRAWS_SINTS)
		bw_table_text(t, "%d %d %d %d", (int32_t)v[0], (int32_t)v[1], (int32_t)v[2],
			      (int32_t)v[3]);
	else
		four(t, f);
}

static void at_pixel(struct bw_table *t, const void *of)
{
	four(t, ((const struct attribute_row *)of)->at);
}

#define CORNER(n)                                                                                  \
	static void corner_##n(struct bw_table *t, const void *of)                                 \
	{                                                                                          \
		const struct attribute_row *r = of;                                                \
		if (!r->is_flat)                                                                   \
			four(t, r->corner[n]);                                                     \
	}
CORNER(0)
CORNER(1)
CORNER(2)

static const struct bw_fact attribute_rows[] = {
	{"Attribute", "attribute", "count", BW_OF(struct attribute_row, number)},
	{"At This Pixel", "value", "text", BW_GET(at_pixel)},
	{"First Corner", "corner_0", "text?", BW_GET(corner_0)},
	{"Second", "corner_1", "text?", BW_GET(corner_1)},
	{"Third", "corner_2", "text?", BW_GET(corner_2)},
	{NULL, "flat", "bool", BW_OF(struct attribute_row, is_flat)},
};
BW_FACTS(attribute_facts, "info inputs", "attributes", attribute_rows);

/* Only pixels have them, and only a GPU that tells of draws knows them. */
static bool has_attributes(struct bw_debug *d, const struct bw_wave_info *w)
{
	return w->stage == BW_STAGE_PIXEL && bw_target_can(bw_debug_target(d), BW_CAP_DRAWS);
}

struct bw_error *bw_table_attributes(struct bw_table *t, struct bw_debug *d,
				     const struct bw_wave_info *w)
{
	struct bw_draws_inputs in = {.n = 0};
	if (has_attributes(d, w))
		BW_TRY(bw_debug_draw_inputs(d, w, bw_debug_focus_lane(d), &in));
	bw_table_begin(t, &attribute_facts);
	for (unsigned i = 0; i < BW_MIN(in.n, (unsigned)BW_DRAWS_INPUTS); i++) {
		struct attribute_row r = {.number = i, .is_flat = in.flat >> i & 1};
		memcpy(r.at, in.at[i], sizeof(r.at));
		for (unsigned k = 0; k < 3; k++)
			memcpy(r.corner[k], in.corner[k][i], sizeof(r.corner[k]));
		bw_table_row(t, &r);
	}
	return NULL;
}

static struct bw_error *show_attributes(struct bw_out *o, struct bw_debug *d,
					const struct bw_wave_info *w)
{
	struct bw_table t;
	BW_TRY(bw_table_attributes(&t, d, w));
	if (bw_table_rows(&t))
		bw_out_line(o, "Attributes of the triangle, as the hardware has them:");
	bw_out_table(o, &t, "The pixel shader has no attributes.");
	bw_table_fini(&t);
	return NULL;
}

/* Of the shader that runs: a program of a draw may have two. */
static enum bw_target_stage stage_of(struct bw_debug *d, const struct bw_wave_info *w)
{
	const char *unused;
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->dispatch);
	return x ? bw_debug_draw_stage_at(d, x, w->pc, &unused) : w->stage;
}

/* The lane, and its inputs or outputs by name. */
static struct bw_error *show_noted(struct bw_out *o, struct bw_debug *d,
				   const struct bw_wave_info *w, enum bw_show_which which)
{
	char words[64];
	const char *what = which == BW_SHOW_INPUTS ? "inputs" : "outputs";
	const enum bw_target_stage stage = stage_of(d, w);
	if (!w->draw)
		return bw_errorf(BW_E_STATE,
				 "Wave %u is not of a draw; \"info args\" shows its arguments",
				 w->number);
	if (bw_debug_draw_lane_text(d, w, bw_debug_focus_lane(d), words)) {
		bw_out_line(o, "Lane %u: %s", bw_debug_focus_lane(d), words);
		bw_out_str(o, "lane_is", words);
	}
	if (bw_show_has_variables(d, which))
		return bw_show_variables(o, d, which, &(struct bw_show_filter){0});
	if (which == BW_SHOW_OUTPUTS && stage == BW_STAGE_MESH)
		bw_out_line(o,
			    "Its outputs are those of its group's vertices and primitives, which "
			    "all threads of the group may write: they have no values by name.");
	else if (which == BW_SHOW_OUTPUTS && stage == BW_STAGE_CONTROL)
		bw_out_line(o, "Its outputs are those of its patch, which all invocations of the "
			       "patch may write: they have no values by name.");
	else
		bw_out_line(o,
			    "The names and values of %s are known where the shader notes them "
			    "itself (-O0).",
			    what);
	return NULL;
}

/* ---- info outputs ---- */

struct export_row {
	const struct bw_draws_export *x;
};

static void export_name(struct bw_table *t, const void *of)
{
	const struct bw_draws_export *x = ((const struct export_row *)of)->x;
	if (x->kind == BW_DRAWS_EXPORT_COLOR)
		bw_table_text(t, "color %u", x->index);
	else
		bw_table_text(t, "%s", x->kind == BW_DRAWS_EXPORT_DEPTH ? "depth" : "position");
}

static void export_value(struct bw_table *t, const void *of)
{
	const struct bw_draws_export *x = ((const struct export_row *)of)->x;
	float depth;
	memcpy(&depth, x->value, sizeof(depth));
	if (x->kind == BW_DRAWS_EXPORT_DEPTH)
		bw_table_text(t, "%.6g", (double)depth);
	else
		components(t, x->value, x->number);
}

static const struct bw_fact export_rows[] = {
	{"Export", "export", "text", BW_GET(export_name)},
	{"Value", "value", "text", BW_GET(export_value)},
};
BW_FACTS(export_facts, "info outputs", "exports", export_rows);

struct bw_error *bw_table_exports(struct bw_table *t, struct bw_debug *d,
				  const struct bw_wave_info *w)
{
	struct bw_draws_outputs out = {.n = 0};
	if (bw_target_can(bw_debug_target(d), BW_CAP_DRAWS))
		BW_TRY(bw_debug_draw_outputs(d, w, bw_debug_focus_lane(d), &out));
	bw_table_begin(t, &export_facts);
	for (unsigned i = 0; i < BW_MIN(out.n, (unsigned)BW_DRAWS_EXPORTS); i++) {
		const struct export_row r = {&out.at[i]};
		bw_table_row(t, &r);
	}
	return NULL;
}

struct bw_error *bw_show_outputs(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	struct bw_table t;
	BW_TRY(show_noted(o, d, w, BW_SHOW_OUTPUTS));
	if (!bw_target_can(bw_debug_target(d), BW_CAP_DRAWS))
		return NULL;
	BW_TRY(bw_table_exports(&t, d, w));
	bw_out_table(o, &t,
		     w->stage == BW_STAGE_PIXEL ? "It has exported no color yet."
		     : stage_of(d, w) == BW_STAGE_MESH
			     ? "The group's vertex of this thread's number is not exported yet: "
			       "threads export vertices at the end of the shader."
			     : "It has exported no position yet.");
	bw_table_fini(&t);
	return NULL;
}

struct bw_error *bw_show_inputs(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	BW_TRY(show_noted(o, d, w, BW_SHOW_INPUTS));
	return has_attributes(d, w) ? show_attributes(o, d, w) : NULL;
}

/* ---- pixel history ---- */

struct history_row {
	uint32_t draw;
	const char *shader, *label;
	char result[96];
	const struct bw_draws_event *e;
	const struct bw_draws_color *c; /* NULL: no attachment is concerned */
};

static void attachment(struct bw_table *t, const void *of)
{
	const struct history_row *r = of;
	if (r->c)
		bw_table_int(t, r->c->index);
}

static void wrote(struct bw_table *t, const void *of)
{
	const struct history_row *r = of;
	if (r->c && r->c->has_value)
		components(t, r->c->value, r->c->number);
}

static void before(struct bw_table *t, const void *of)
{
	const struct history_row *r = of;
	if (r->c)
		components(t, r->c->before, r->c->number);
}

static void after(struct bw_table *t, const void *of)
{
	const struct history_row *r = of;
	if (r->c)
		components(t, r->c->after, r->c->number);
}

static void triangle(struct bw_table *t, const void *of)
{
	bw_table_int(t, ((const struct history_row *)of)->e->primitive);
}

static void sample(struct bw_table *t, const void *of)
{
	bw_table_int(t, ((const struct history_row *)of)->e->sample);
}

static const struct bw_fact history_rows[] = {
	{"Draw", "draw", "number?", BW_OF(struct history_row, draw)},
	{"Pixel Shader", "pixel_shader", "text", BW_OF(struct history_row, shader)},
	{"Label", "label", "text?", BW_OF(struct history_row, label)},
	{"Triangle", "triangle", "count", BW_GET(triangle)},
	{"Sample", "sample", "count?", BW_GET(sample)},
	{"Result", "result", "text", BW_OF(struct history_row, result)},
	{"Color", "color", "count?", BW_GET(attachment)},
	{"Shader Wrote", "wrote", "text?", BW_GET(wrote)},
	{"Before", "before", "text?", BW_GET(before)},
	{"After", "after", "text?", BW_GET(after)},
};
BW_FACTS(history_facts, "pixel history", "events", history_rows);

static void result_text(const struct bw_draws_event *e, char out[96])
{
	switch (e->result) {
	case BW_DRAWS_WRITTEN:
		snprintf(out, 96, e->n_colors ? "written" : "depth written");
		break;
	case BW_DRAWS_SCISSORED:
		snprintf(out, 96, "outside of the scissor");
		break;
	case BW_DRAWS_CULLED:
		snprintf(out, 96, "culled, a %s face", e->is_front ? "front" : "back");
		break;
	case BW_DRAWS_DEPTH_FAILED:
		snprintf(out, 96, "depth test failed: %.6g, and %.6g is there", (double)e->z,
			 (double)e->depth_before);
		break;
	case BW_DRAWS_STENCIL_FAILED:
		snprintf(out, 96, "stencil test failed");
		break;
	case BW_DRAWS_DISCARDED:
		snprintf(out, 96, "discarded by the shader");
		break;
	case BW_DRAWS_MASKED:
		snprintf(out, 96, "left out by the shader's sample mask");
		break;
	default:
		snprintf(out, 96, "?");
		break;
	}
}

/* What the rows say together. */
struct history_end {
	size_t n_written;
	uint32_t dropped;
	struct history_row last; /* the last one that was written */
};

static struct bw_error *table_history(struct bw_table *t, struct bw_debug *d,
				      struct history_end *end)
{
	const struct bw_pixel_event *events;
	size_t n;
	bool has_samples = false, has_labels = false;
	*end = (struct history_end){0};
	BW_TRY(bw_debug_pixel_events(d, &events, &n));
	for (size_t i = 0; i < n; i++) {
		has_samples |= events[i].e.sample != 0;
		has_labels |= events[i].label[0] != '\0';
	}
	bw_table_begin(t, &history_facts);
	if (!has_samples)
		bw_table_hide(t, "sample");
	if (!has_labels)
		bw_table_hide(t, "label");
	for (size_t i = 0; i < n; i++) {
		const struct bw_draws_event *e = &events[i].e;
		struct history_row r = {.draw = events[i].draw,
					.e = e,
					.label = events[i].label,
					.shader = events[i].shader[0] ? events[i].shader
								      : "the driver's own"};
		result_text(e, r.result);
		end->dropped = BW_MAX(end->dropped, e->n_dropped);
		for (uint32_t k = 0; k < BW_MIN(e->n_colors, (uint32_t)BW_DRAWS_COLORS); k++) {
			r.c = &e->color[k];
			bw_table_row(t, &r);
		}
		if (!e->n_colors)
			bw_table_row(t, &r);
		if (e->result == BW_DRAWS_WRITTEN && e->n_colors) {
			end->last = r;
			end->n_written++;
		}
	}
	return NULL;
}

struct bw_error *bw_table_pixel_history(struct bw_table *t, struct bw_debug *d)
{
	struct history_end end;
	return table_history(t, d, &end);
}

struct bw_error *bw_show_pixel_history(struct bw_out *o, struct bw_debug *d)
{
	int32_t x, y;
	struct bw_table t;
	struct history_end end;
	const struct history_row *last = &end.last;
	BW_TRY(table_history(&t, d, &end));
	bool any = bw_table_rows(&t);
	bw_debug_watched_pixel(d, &x, &y);
	bw_out_line(o, "Pixel %d,%d", x, y);
	bw_out_int(o, "x", x);
	bw_out_int(o, "y", y);
	bw_out_table(o, &t, "No draw has touched it.");
	bw_table_fini(&t);
	if (end.dropped)
		bw_out_line(o, "%u later events were not kept.", end.dropped);
	if (end.n_written)
		bw_out_line(o, "The last draw that wrote it is %u (%s%s%s).", last->draw,
			    last->label[0] ? last->label : "", last->label[0] ? ", " : "",
			    last->shader);
	else if (any)
		bw_out_line(o, "No draw has written it.");
	return NULL;
}
