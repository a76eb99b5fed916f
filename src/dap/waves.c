/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "debug/dispatches.h"
#include "debug/expressions.h"
#include "ui/show.h"
#include "ui/show_program.h"

/* Waves as threads, their frames and their lanes. */

/* "dispatch 1 saxpy, workgroup (2,0,0), wave 1 [AMDGPU Wave 1:2:1:5]": the words first, since
 * editors cut names at their end. */
static json_t *wave_title(struct bw_dap *s, const struct bw_wave_info *w)
{
	struct bw_str text = {0};
	char place[56], name[96];
	const struct bw_dispatch_info *x = bw_debug_dispatch(s->debug, w->dispatch);
	bw_wave_place_text(w, place);
	snprintf(name, sizeof(name), "AMDGPU Wave %u:%u:%u:%u", w->agent, w->queue, w->dispatch,
		 w->number); /* without the place, which comes first */
	/* Editors cut long names, so the part that differs between waves comes first. */
	bw_str_addf(&text, "%s", place);
	if (x && strcmp(x->kernel_title, "?") != 0)
		bw_str_addf(&text, " %s", x->kernel_title);
	if (!w->draw) /* else the place says it */
		bw_str_addf(&text, ", dispatch %u", w->dispatch);
	bw_str_addf(&text, " [%s]", name);
	json_t *title = bw_dap_text(&text);
	bw_str_free(&text);
	return title;
}

static void add_thread(json_t *list, int64_t id, json_t *name)
{
	json_t *t = json_object();
	json_object_set_new(t, "id", json_integer(id));
	json_object_set_new(t, "name", name);
	json_array_append_new(list, t);
}

/* Whether a wave has stopped for a reason of its own. */
static bool is_event(const struct bw_wave_info *w)
{
	return w->reasons & ~(uint32_t)BW_REASON_INTERRUPT;
}

/* Lists the focus wave, then waves that have stopped for a reason of their own, then the others;
 * not more than an editor can show. breakwater/waves lists all. */
static void add_waves(struct bw_dap *s, json_t *list)
{
	size_t n, shown = 1;
	const struct bw_wave_info *all = bw_debug_waves(s->debug, &n);
	const struct bw_wave_info *focus = bw_debug_focus(s->debug);
	if (focus)
		add_thread(list, focus->number, wave_title(s, focus));
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n && shown < s->max_waves; i++) {
			if (&all[i] == focus || (focus && all[i].number == focus->number) ||
			    is_event(&all[i]) != (pass == 0))
				continue;
			add_thread(list, all[i].number, wave_title(s, &all[i]));
			shown++;
		}
	}
	if (shown >= n)
		return;
	struct bw_str more = {0};
	bw_str_addf(&more,
		    "%zu more waves (\"wave N\" in the debug console adds one; maxWaves: %u)",
		    n - shown, s->max_waves);
	add_thread(list, BW_DAP_MORE_THREAD, bw_dap_text(&more));
	bw_str_free(&more);
}

struct bw_error *bw_dap_threads(struct bw_dap *s, json_t *args, json_t *body)
{
	json_t *list = json_array();
	size_t n = 0;
	json_object_set_new(body, "threads", list);
	if (bw_debug_state(s->debug) == BW_DEBUG_STOPPED)
		bw_debug_waves(s->debug, &n);
	if (n) {
		add_waves(s, list);
		return NULL;
	}
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM)
		return NULL;
	struct bw_str name = {0};
	pid_t pid = bw_debug_program_pid(s->debug);
	if (pid)
		bw_str_addf(&name, "%s (process %d): no wave is stopped",
			    bw_debug_program_name(s->debug), (int)pid);
	else
		bw_str_add(&name, "the program has not opened the GPU yet");
	add_thread(list, BW_DAP_PROGRAM_THREAD, bw_dap_text(&name));
	bw_str_free(&name);
	return NULL;
}

/* ---- Frames ---- */

static void add_frame(struct bw_dap *s, const struct bw_stack_frame *f, json_t *list)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	json_t *x = json_object();
	char pc[24];
	struct bw_str name = {0};
	snprintf(pc, sizeof(pc), "0x%llx", (unsigned long long)f->pc);
	bw_str_add(&name, f->function ? f->function : pc);
	if (f->is_inlined)
		bw_str_add(&name, " [inlined]");
	const struct bw_dap_ref ref = {
		.kind = BW_DAP_REF_FRAME, .wave = w->number, .level = f->level};
	json_object_set_new(x, "id", json_integer(bw_dap_add_ref(s, &ref)));
	json_object_set_new(x, "name", bw_dap_text(&name));
	json_object_set_new(x, "instructionPointerReference", json_string(pc));
	json_t *source = f->has_line && f->file ? bw_dap_source(s, f->file) : NULL;
	unsigned line = source ? f->line : 0, column = source ? f->column : 0;
	json_object_set_new(x, "line", json_integer(line ? (json_int_t)line - s->zero_lines : 0));
	json_object_set_new(
		x, "column",
		json_integer(column ? (json_int_t)column - s->zero_columns : !s->zero_columns));
	if (source)
		json_object_set_new(x, "source", source);
	else
		json_object_set_new(x, "presentationHint", json_string("subtle"));
	json_array_append_new(list, x);
	bw_str_free(&name);
}

struct bw_error *bw_dap_stack_trace(struct bw_dap *s, json_t *args, json_t *body)
{
	enum { FRAMES_MAX = 1 << 16 };
	uint64_t start = 0, levels = 0;
	int64_t id = 0;
	json_t *list = json_array();
	json_object_set_new(body, "stackFrames", list);
	BW_TRY(bw_dap_need_int(args, "threadId", &id));
	BW_TRY(bw_dap_take_count(args, "startFrame", FRAMES_MAX, &start));
	BW_TRY(bw_dap_take_count(args, "levels", INT64_MAX, &levels));
	/* These threads have no frames. That is not an error, because editors ask for the frames of
	 * every thread. */
	if (id == BW_DAP_PROGRAM_THREAD || id == BW_DAP_MORE_THREAD) {
		json_object_set_new(body, "totalFrames", json_integer(0));
		return NULL;
	}
	BW_TRY(bw_dap_need_stopped(s));
	BW_TRY(bw_dap_focus_thread(s, args));
	unsigned selected = bw_debug_frame_level(s->debug);
	uint64_t end = levels ? BW_MIN(start + levels, (uint64_t)FRAMES_MAX) : FRAMES_MAX;
	unsigned level = (unsigned)start;
	struct bw_stack_frame f;
	struct bw_error *err = NULL;
	for (; level <= end && !(err = bw_debug_stack_frame(s->debug, level, &f)); level++)
		if (level < end)
			add_frame(s, &f, list);
	bool at_end = bw_error_catch(&err, BW_E_NOT_FOUND);
	if (err)
		return err;
	/* If there are more frames, one more than known, so that the editor asks again. */
	json_object_set_new(body, "totalFrames", json_integer(at_end ? level : end + 1));
	return selected ? bw_debug_select_frame(s->debug, selected) : NULL;
}

/* ---- breakwater/... ---- */

static json_t *hex_json(uint64_t value)
{
	return json_sprintf("0x%llx", (unsigned long long)value);
}

static json_t *wave_json(struct bw_dap *s, const struct bw_wave_info *w)
{
	json_t *x = json_object();
	char reasons[256];
	struct bw_where where;
	bw_reason_text(w->reasons, reasons, sizeof(reasons));
	bw_debug_wave_where(s->debug, w, &where);
	json_object_set_new(x, "threadId", json_integer(w->number));
	json_object_set_new(x, "name", wave_title(s, w));
	json_object_set_new(x, "dispatch", json_integer(w->dispatch));
	if (w->draw)
		json_object_set_new(x, "draw", json_integer(w->draw));
	else
		json_object_set_new(x, "workgroup", bw_dims_json(w->workgroup));
	json_object_set_new(x, "waveInGroup", json_integer(w->wave_in_group));
	json_object_set_new(x, "pc", hex_json(w->pc));
	json_object_set_new(x, "exec", hex_json(w->exec));
	json_object_set_new(x, "lanes", json_integer(w->lanes));
	json_object_set_new(x, "reasons", json_string(reasons));
	json_object_set_new(x, "inBarrier", json_boolean(w->in_barrier));
	if (where.function)
		json_object_set_new(x, "function", bw_json_text(where.function));
	if (where.has_line) {
		json_object_set_new(x, "source", bw_dap_source(s, where.line.file));
		json_object_set_new(x, "line",
				    json_integer((json_int_t)where.line.line - s->zero_lines));
	}
	return x;
}

struct count {
	uint32_t dispatch;
	size_t waves;
};
struct counts BW_VEC(struct count);

static struct bw_error *count_wave(struct counts *counts, uint32_t dispatch)
{
	for (size_t i = counts->len; i-- > 0;) /* usually the dispatch of the wave before */
		if (counts->data[i].dispatch == dispatch) {
			counts->data[i].waves++;
			return NULL;
		}
	return bw_vec_push(counts, ((struct count){dispatch, 1}));
}

/* The dispatches of stopped waves, with the number of waves of each. */
static json_t *counts_json(struct bw_dap *s, const struct counts *counts)
{
	json_t *list = json_array();
	for (size_t i = 0; i < counts->len; i++) {
		const struct count *c = &counts->data[i];
		const struct bw_dispatch_info *x = bw_debug_dispatch(s->debug, c->dispatch);
		json_t *one = json_object();
		json_object_set_new(one, "dispatch", json_integer(c->dispatch));
		json_object_set_new(one, "kernel", bw_json_text(x ? x->kernel_title : "?"));
		json_object_set_new(one, "total", json_integer((json_int_t)c->waves));
		json_array_append_new(list, one);
	}
	return list;
}

struct bw_error *bw_dap_waves(struct bw_dap *s, json_t *args, json_t *body)
{
	struct counts counts = {0};
	struct bw_error *err = NULL;
	uint64_t start = 0, count = 0, dispatch = 0, seen = 0;
	size_t n = 0;
	json_t *list = json_array();
	json_object_set_new(body, "waves", list);
	BW_TRY(bw_dap_take_count(args, "start", INT64_MAX, &start));
	BW_TRY(bw_dap_take_count(args, "count", INT64_MAX, &count));
	BW_TRY(bw_dap_take_count(args, "dispatch", UINT32_MAX, &dispatch));
	const struct bw_wave_info *all = NULL;
	if (bw_debug_state(s->debug) == BW_DEBUG_STOPPED)
		all = bw_debug_waves(s->debug, &n);
	for (size_t i = 0; i < n && !err; i++) {
		err = count_wave(&counts, all[i].dispatch);
		if (dispatch && all[i].dispatch != dispatch)
			continue;
		if (seen >= start && (!count || seen - start < count))
			json_array_append_new(list, wave_json(s, &all[i]));
		seen++;
	}
	json_object_set_new(body, "total", json_integer((json_int_t)seen));
	json_object_set_new(body, "dispatches", counts_json(s, &counts));
	bw_vec_free(&counts);
	BW_TRY(err);
	const struct bw_wave_info *focus = bw_debug_focus(s->debug);
	if (n && focus) {
		json_object_set_new(body, "focusThreadId", json_integer(focus->number));
		json_object_set_new(body, "focusLane", json_integer(bw_debug_focus_lane(s->debug)));
	}
	return NULL;
}

struct bw_error *bw_dap_set_wave(struct bw_dap *s, json_t *args, json_t *body)
{
	BW_TRY(bw_dap_focus_thread(s, args));
	bw_dap_answer(s, body);
	bw_dap_invalidate(s, "threads");
	bw_dap_send_focus(s);
	return NULL;
}

struct bw_error *bw_dap_set_lane(struct bw_dap *s, json_t *args, json_t *body)
{
	uint64_t lane = UINT64_MAX;
	BW_TRY(bw_dap_focus_thread(s, args));
	BW_TRY(bw_dap_take_count(args, "lane", 63, &lane));
	if (lane == UINT64_MAX)
		return bw_errorf(BW_E_INVALID, "the argument \"lane\" is missing");
	BW_TRY(bw_debug_set_lane(s->debug, (unsigned)lane));
	bw_dap_keep_lane(s);
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	json_object_set_new(body, "lane", json_integer((json_int_t)lane));
	json_object_set_new(body, "active", json_boolean(w->exec >> lane & 1));
	bw_dap_answer(s, body);
	bw_dap_invalidate(s, "variables");
	return NULL;
}

static json_t *lane_json(struct bw_dap *s, const struct bw_wave_info *w, unsigned lane,
			 const char *expr)
{
	json_t *x = json_object();
	char name[96];
	uint32_t item[3];
	bw_lane_name(s->debug, w, lane, name, sizeof(name));
	json_object_set_new(x, "lane", json_integer(lane));
	json_object_set_new(x, "active", json_boolean(w->exec >> lane & 1));
	json_object_set_new(x, "name", bw_json_text(name));
	if (bw_lane_item(s->debug, w, lane, item))
		json_object_set_new(x, "workItem", bw_dims_json(item));
	if (!expr)
		return x;
	struct bw_value v = {0};
	struct bw_expr_error where;
	struct bw_str text = {0};
	struct bw_error *err = bw_debug_eval_lane(s->debug, expr, lane, &v, &where);
	if (err)
		bw_str_addf(&text, "<%s>", err->message);
	else if (v.across_lanes && v.type.kind == BW_TYPE_UINT && lane < v.n_elem)
		bw_str_addf(&text, "0x%0*llx", v.type.size_b * 2, (unsigned long long)v.elem[lane]);
	else
		bw_show_value_in_lane(s->debug, &v, lane, 0, &text);
	json_object_set_new(x, "value", bw_dap_text(&text));
	bw_error_free(err);
	bw_value_fini(&v);
	bw_str_free(&text);
	return x;
}

struct bw_error *bw_dap_lanes(struct bw_dap *s, json_t *args, json_t *body)
{
	uint64_t start = 0, count = 64;
	const char *expr = NULL;
	BW_TRY(bw_dap_focus_thread(s, args));
	BW_TRY(bw_dap_take_count(args, "start", 64, &start));
	BW_TRY(bw_dap_take_count(args, "count", 64, &count));
	BW_TRY(bw_dap_take_text(args, "expression", &expr));
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	json_t *list = json_array();
	uint64_t end = BW_MIN(start + count, (uint64_t)w->lanes);
	for (uint64_t lane = start; lane < end; lane++)
		json_array_append_new(list, lane_json(s, w, (unsigned)lane, expr));
	json_object_set_new(body, "lanes", list);
	json_object_set_new(body, "total", json_integer(w->lanes));
	json_object_set_new(body, "exec", hex_json(w->exec));
	json_object_set_new(body, "focusLane", json_integer(bw_debug_focus_lane(s->debug)));
	return NULL;
}
