/* SPDX-License-Identifier: MIT */
/* The page of a session: what has happened, in words, and the lanes of the focus wave. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/bound.h"
#include "debug/faults.h"
#include "debug/frames.h"
#include "debug/waves.h"
#include "report/report_priv.h"
#include "report/session_waves.h"
#include "target/target.h"
#include "tui/views.h"
#include "ui/show_program.h"

char *bw_report_said(struct bw_debug *d, bw_report_say_fn *say, void *cookie)
{
	char *text = NULL;
	size_t n = 0;
	struct bw_out *o = NULL;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	struct bw_error *err = bw_out_create(f, false, &o);
	if (!err) {
		bw_out_begin(o, "command", "report");
		err = say(o, d, cookie);
		if (err)
			bw_out_line(o, "%s", err->message);
		bw_out_end(o);
		bw_out_destroy(o);
	}
	bw_error_free(err);
	fclose(f);
	return text;
}

/* ---- What has happened ---- */

static struct bw_error *say_stop(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	bw_show_stop(o, d, cookie, false);
	return NULL;
}

static void add_paragraph(struct bw_report_session *s, struct bw_str *text)
{
	bw_page_lines(s->page, "p", bw_str_text(text));
	bw_str_free(text);
}

/* "16 waves of saxpy (process 4711) are stopped on virtual navi31: 1 faulted, 15 stopped." */
static void add_counts(struct bw_report_session *s, const struct bw_wave_info *waves, size_t n)
{
	const struct bw_target *t = bw_debug_target(s->debug);
	size_t count[BW_PAGE_WAVE_STATES] = {0};
	const char *sep = ": ";
	struct bw_str text = {0};
	for (size_t i = 0; i < n; i++)
		count[bw_report_wave_state(&waves[i])]++;
	if (t->is_past)
		bw_str_addf(&text, n == 1 ? "The files have %zu wave" : "The files have %zu waves",
			    n);
	else
		bw_str_addf(&text,
			    n == 1 ? "%zu wave of %s (process %d) is stopped on %s, %s"
				   : "%zu waves of %s (process %d) are stopped on %s, %s",
			    n, bw_debug_program_name(s->debug), (int)bw_debug_program_pid(s->debug),
			    t->facts.name, t->facts.gfx);
	for (unsigned k = BW_PAGE_WAVE_STATES; k-- > BW_PAGE_RUNNING;) {
		if (!count[k])
			continue;
		bw_str_addf(&text, "%s%zu %s", sep, count[k], bw_page_wave_name(k));
		sep = ", ";
	}
	bw_str_add(&text, ".");
	add_paragraph(s, &text);
}

static void add_dispatch(struct bw_report_session *s)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(s->debug, s->dispatch);
	struct bw_wave_count c = {0};
	struct bw_str text = {0};
	char groups[48], group[48];
	if (!x)
		return;
	bw_show_dims(groups, x->desc.groups);
	bw_show_dims(group, x->desc.group_size);
	if (x->draw)
		bw_str_addf(&text, "Draw %u runs its %s shader, %s", x->draw,
			    x->desc.stage == BW_STAGE_PIXEL ? "pixel" : "vertex", x->kernel_title);
	else
		bw_str_addf(&text, "Dispatch %u of %s has %s workgroups of %s work-items",
			    x->number, x->kernel_title, groups, group);
	if (x->label[0])
		bw_str_addf(&text, ", in %s", x->label);
	bw_error_free(bw_debug_count_waves(s->debug, x->number, &c));
	if (c.known)
		bw_str_addf(&text,
			    ". Its waves: %" PRIu64 " in all, %" PRIu64 " stopped, %" PRIu64
			    " running, %" PRIu64 " not begun, %" PRIu64 " finished",
			    c.total, c.stopped, c.running, c.waiting, c.finished);
	bw_str_add(&text, ".");
	add_paragraph(s, &text);
}

static void add_focus(struct bw_report_session *s)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	struct bw_str text = {0};
	char name[96], place[32], reasons[160];
	if (!w)
		return;
	bw_wave_name(w, name, sizeof(name));
	bw_place_text(w->place, place);
	bw_reason_text(w->reasons, reasons, sizeof(reasons));
	bw_str_addf(&text, "Wave %u (%s, at %s) has the focus, lane %u. It is in ", w->number, name,
		    place, bw_debug_focus_lane(s->debug));
	bw_show_frame(s->debug, w, false, &text);
	bw_str_addf(&text, ", and stopped for %s.",
		    !strcmp(reasons, "INTERRUPT") ? "no reason of its own" : reasons);
	add_paragraph(s, &text);
}

static uint32_t dispatch_of(struct bw_report_session *s)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	const struct bw_dispatch_info *held = bw_debug_held(s->debug);
	if (w)
		return w->dispatch;
	if (held)
		return held->number;
	return s->report->stop ? s->report->stop->dispatch : 0;
}

static struct bw_error *say_queues(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	bw_show_standing_queues(o, d);
	return NULL;
}

static void add_said(struct bw_report_session *s, const char *title, bw_report_say_fn *say)
{
	_cleanup_free_ char *said = bw_report_said(s->debug, say, NULL);
	if (!said || !*said)
		return;
	bw_page_heading(s->page, title);
	bw_page_rows(s->page, said);
}

void bw_report_session_summary(struct bw_report_session *s)
{
	size_t n = 0;
	const struct bw_wave_info *waves = bw_debug_waves(s->debug, &n);
	s->dispatch = dispatch_of(s);
	bw_page_section(s->page, s->report->crash ? "stop" : "verdict",
			s->report->crash ? "The session" : "What happened");
	if (s->report->notes)
		bw_page_lines(s->page, "p", s->report->notes);
	add_counts(s, waves, n);
	add_focus(s);
	add_dispatch(s);
	if (s->report->stop) {
		_cleanup_free_ char *said =
			bw_report_said(s->debug, say_stop, (void *)s->report->stop);
		bw_page_heading(s->page, "What the debugger said");
		bw_page_rows(s->page, said ? said : "");
	}
	add_said(s, "AQL queues that do not go on", say_queues);
	bw_page_section_end(s->page);
}

/* ---- Lanes ---- */

static struct bw_error *say_frames(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	enum { MOST = 64 };
	for (unsigned i = 0; i < MOST; i++) {
		struct bw_stack_frame f;
		struct bw_str text = {0};
		struct bw_error *err = bw_debug_stack_frame(d, i, &f);
		if (bw_error_catch(&err, BW_E_NOT_FOUND))
			return NULL;
		BW_TRY(err);
		bw_show_stack_frame(d, &f, &text);
		bw_out_line(o, "#%-2u %s", i, bw_str_text(&text));
		bw_str_free(&text);
	}
	return NULL;
}

static struct bw_error *say_params(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_variables(o, d, BW_SHOW_PARAMS, &(struct bw_show_filter){.none = "none"});
}

static struct bw_error *say_locals(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	return bw_show_variables(o, d, BW_SHOW_LOCALS, &(struct bw_show_filter){.none = "none"});
}

/* Why lanes do not take part. */
struct branches {
	struct bw_lane_branch list[BW_LANE_BRANCHES];
	size_t n;
	uint64_t fault_lanes;
};

static void add_lane_state(struct bw_report_session *s, const struct branches *b, unsigned lane,
			   bool is_active)
{
	char symbol[160] = "";
	const struct bw_lane_branch *found = NULL;
	for (size_t i = 0; i < b->n && !found; i++)
		if (b->list[i].lanes >> lane & 1)
			found = &b->list[i];
	if (b->fault_lanes >> lane & 1) {
		bw_page_cell(s->page, "its access fails");
	} else if (is_active) {
		bw_page_cell(s->page, "active");
	} else if (found) {
		bw_debug_symbolize(s->debug, found->branch, symbol, sizeof(symbol));
		bw_page_cell(s->page, "inactive: %s 0x%" PRIx64 " %s",
			     found->is_loop ? "has left the loop at" : "since the branch at",
			     found->branch, symbol);
	} else {
		bw_page_cell(s->page, "inactive");
	}
}

static void add_lane(struct bw_report_session *s, const struct bw_tui_lanes *lanes,
		     const struct branches *b, unsigned lane)
{
	const struct bw_wave_info *w = bw_debug_wave(s->debug, lanes->wave);
	bool is_active = lanes->exec >> lane & 1;
	uint32_t item[3];
	bw_str_addf(&s->page->out, "<tr%s>",
		    b->fault_lanes >> lane & 1 ? " class=\"bad\""
		    : is_active		       ? ""
					       : " class=\"off\"");
	bw_page_cell(s->page, "%u%s", lane, lane == lanes->focus ? " =>" : "");
	add_lane_state(s, b, lane, is_active);
	if (w && bw_lane_item(s->debug, w, lane, item))
		bw_page_cell(s->page, "%u,%u,%u", item[0], item[1], item[2]);
	else
		bw_page_cell(s->page, "none");
	bw_vec_each(&lanes->columns, c)
		if ((*c)->is_variable)
			bw_page_cell(s->page, "%s", (*c)->text[lane]);
	bw_str_add(&s->page->out, "</tr>\n");
}

static void add_lanes(struct bw_report_session *s, const struct bw_tui_lanes *lanes)
{
	const char *titles[3 + 64] = {"Lane", "State", "Work-item"};
	size_t n = 3;
	struct branches b = {.n = 0};
	struct bw_fault_info fault;
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	bw_error_free(bw_debug_lane_branches(s->debug, b.list, &b.n));
	if (w && w->reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR)) {
		struct bw_error *err = bw_debug_fault(s->debug, w->number, &fault);
		if (!err)
			b.fault_lanes = fault.fault_lanes;
		bw_error_free(err);
	}
	bw_vec_each(&lanes->columns, c)
		if ((*c)->is_variable && n < BW_ARRAY_SIZE(titles))
			titles[n++] = (*c)->name;
	bw_page_fold(s->page, true, "Lanes: %d of %u are active", __builtin_popcountll(lanes->exec),
		     lanes->n);
	bw_page_table(s->page, titles, n);
	for (unsigned lane = 0; lane < lanes->n; lane++)
		add_lane(s, lanes, &b, lane);
	bw_page_table_end(s->page);
	bw_page_fold_end(s->page);
}

void bw_report_session_lanes(struct bw_report_session *s)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	struct bw_frame frame;
	struct bw_tui_lanes lanes;
	char title[64];
	if (!w)
		return;
	snprintf(title, sizeof(title), "Wave %u and its lanes", w->number);
	bw_page_section(s->page, "focus", title);
	bw_debug_frame(s->debug, w->dispatch, w->pc, &frame);
	add_said(s, "Frames", say_frames);
	if (frame.language == BW_LANGUAGE_COMPILED) {
		if (bw_show_has_variables(s->debug, BW_SHOW_PARAMS))
			add_said(s, "Arguments", say_params);
		if (bw_show_has_variables(s->debug, BW_SHOW_LOCALS))
			add_said(s, "Variables", say_locals);
	}
	bw_tui_lanes_load(s->debug, &lanes);
	if (lanes.n)
		add_lanes(s, &lanes);
	bw_tui_lanes_fini(&lanes);
	bw_page_section_end(s->page);
}
