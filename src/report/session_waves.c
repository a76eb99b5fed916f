/* SPDX-License-Identifier: MIT */
/* The page of a session: the map of the GPU, the places where waves are, and all waves. */
#include "report/session_waves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "report/report_priv.h"
#include "target/target.h"
#include "ui/print_format.h"
#include "ui/show.h"

enum bw_page_wave bw_report_wave_state(const struct bw_wave_info *w)
{
	const uint32_t faults = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
				BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_ASSERT_TRAP |
				BW_REASON_FP_EXCEPTION;
	if (w->reasons & faults)
		return BW_PAGE_FAULTED;
	if (w->reasons & (BW_REASON_BREAKPOINT | BW_REASON_WATCHPOINT))
		return BW_PAGE_AT_BREAK;
	return w->in_barrier ? BW_PAGE_AT_BARRIER : BW_PAGE_STOPPED;
}

/* Waves at one place for one reason. */
struct group {
	const struct bw_wave_info *first;
	size_t n;
	char *frame;  /* owned */
	char *reason; /* owned */
};
struct groups {
	struct group *list; /* the most urgent first */
	size_t n;
	const struct bw_wave_info **waves; /* sorted by group */
	/* the group of each wave in the session's order */
	size_t *of;
};

static int by_group(const void *pa, const void *pb)
{
	const struct bw_wave_info *a = *(const struct bw_wave_info *const *)pa,
				  *b = *(const struct bw_wave_info *const *)pb;
	enum bw_page_wave as = bw_report_wave_state(a), bs = bw_report_wave_state(b);
	if (as != bs)
		return as > bs ? -1 : 1;
	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	if (a->reasons != b->reasons)
		return a->reasons < b->reasons ? -1 : 1;
	if (a->breakpoint != b->breakpoint)
		return a->breakpoint < b->breakpoint ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool is_same(const struct bw_wave_info *a, const struct bw_wave_info *b)
{
	return bw_report_wave_state(a) == bw_report_wave_state(b) && a->space == b->space &&
	       a->pc == b->pc && a->reasons == b->reasons && a->breakpoint == b->breakpoint;
}

static void free_groups(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->list[i].frame);
		free(g->list[i].reason);
	}
	free(g->list);
	free(g->waves);
	free(g->of);
}

static void tell_group(struct bw_debug *d, struct group *g)
{
	const struct bw_wave_info *w = g->first;
	struct bw_str frame = {0}, reason = {0};
	char text[160];
	bw_show_frame(d, w, false, &frame);
	bw_reason_text(w->reasons, text, sizeof(text));
	bw_str_add(&reason, text);
	if (w->breakpoint)
		bw_str_addf(&reason, " %u", w->breakpoint);
	if (w->in_barrier)
		bw_str_add(&reason, " (at a barrier)");
	g->frame = bw_str_take(&frame);
	g->reason = bw_str_take(&reason);
}

static struct bw_error *find_groups(struct bw_debug *d, const struct bw_wave_info *waves, size_t n,
				    struct groups *out)
{
	*out = (struct groups){.list = calloc(n + 1, sizeof(*out->list)),
			       .waves = calloc(n + 1, sizeof(*out->waves)),
			       .of = calloc(n + 1, sizeof(*out->of))};
	if (!out->list || !out->waves || !out->of)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		out->waves[i] = &waves[i];
	qsort(out->waves, n, sizeof(const struct bw_wave_info *), by_group);
	for (size_t i = 0; i < n; i++) {
		const struct bw_wave_info *w = out->waves[i];
		if (!i || !is_same(w, out->waves[i - 1])) {
			out->list[out->n].first = w;
			tell_group(d, &out->list[out->n++]);
		}
		out->list[out->n - 1].n++;
		out->of[w - waves] = out->n - 1;
	}
	return NULL;
}

static uint32_t focus_number(struct bw_debug *d)
{
	const struct bw_wave_info *focus = bw_debug_focus(d);
	return focus ? focus->number : 0;
}

/* ---- The map ---- */

static struct bw_error *add_map(struct bw_report_session *s, const struct groups *g,
				const struct bw_wave_info *waves, size_t n)
{
	const struct bw_target_facts *f = &bw_debug_target(s->debug)->facts;
	uint32_t focus = focus_number(s->debug);
	size_t n_slots = (size_t)f->n_se * f->sa_per_se * f->wgp_per_sa * f->simd_per_wgp *
			 f->waves_per_simd;
	_cleanup_free_ struct bw_page_slot *slots = calloc(n_slots + 1, sizeof(*slots));
	if (!slots)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		if (waves[i].slot >= n_slots)
			continue;
		slots[waves[i].slot] = (struct bw_page_slot){
			.state = (uint8_t)bw_report_wave_state(&waves[i]),
			.is_focus = waves[i].number == focus,
			.wave = waves[i].number,
			.place = g->list[g->of[i]].frame,
		};
	}
	const struct bw_page_map m = {.n_se = f->n_se,
				      .sa_per_se = f->sa_per_se,
				      .wgp_per_sa = f->wgp_per_sa,
				      .simd_per_wgp = f->simd_per_wgp,
				      .waves_per_simd = f->waves_per_simd,
				      .slots = slots};
	bw_page_map(s->page, &m);
	return NULL;
}

/* ---- Tables ---- */

static void add_groups(struct bw_report_session *s, const struct groups *g)
{
	static const char *const titles[] = {"Waves", "First", "State", "Where", "Stopped by"};
	size_t shown = BW_MIN(g->n, (size_t)BW_REPORT_PLACES);
	bw_page_heading(s->page, "Where they are");
	bw_page_table(s->page, titles, BW_ARRAY_SIZE(titles));
	for (size_t i = 0; i < shown; i++) {
		const struct group *x = &g->list[i];
		enum bw_page_wave state = bw_report_wave_state(x->first);
		bw_str_add(&s->page->out, state == BW_PAGE_FAULTED ? "<tr class=\"bad\">" : "<tr>");
		bw_page_cell(s->page, "%zu", x->n);
		bw_page_cell(s->page, "%u", x->first->number);
		bw_page_cell(s->page, "%s", bw_page_wave_name(state));
		bw_page_cell(s->page, "%s", x->frame ? x->frame : "");
		bw_page_cell(s->page, "%s", x->reason ? x->reason : "");
		bw_str_add(&s->page->out, "</tr>\n");
	}
	bw_page_table_end(s->page);
	if (shown < g->n)
		bw_page_note(s->page, "Waves are at %zu more places, which are left out here.",
			     g->n - shown);
}

static void add_wave(struct bw_report_session *s, const struct bw_wave_info *w,
		     const struct group *g, bool has_focus)
{
	char name[96], place[32];
	struct bw_str lanes = {0};
	bw_wave_name(w, name, sizeof(name));
	bw_place_text(w->place, place);
	bw_print_lanes(&lanes, w->exec);
	bw_str_addf(&s->page->out, "<tr id=\"w%u\">", w->number);
	bw_page_cell(s->page, "%u%s", w->number, has_focus ? " =>" : "");
	bw_page_cell(s->page, "%s", name);
	bw_page_cell(s->page, "%s", place);
	bw_page_cell(s->page, "%s", bw_str_text(&lanes));
	bw_page_cell(s->page, "%s", bw_page_wave_name(bw_report_wave_state(w)));
	bw_page_cell(s->page, "%s", g->frame ? g->frame : "");
	bw_str_add(&s->page->out, "</tr>\n");
	bw_str_free(&lanes);
}

static void add_waves(struct bw_report_session *s, const struct groups *g,
		      const struct bw_wave_info *waves, size_t n)
{
	static const char *const titles[] = {"Wave", "Name", "Place", "Lanes", "State", "Where"};
	enum { FEW = 64 };
	uint32_t focus = focus_number(s->debug);
	size_t shown = BW_MIN(n, (size_t)BW_REPORT_WAVES);
	bw_page_fold(s->page, n <= FEW, "All waves (%zu)", n);
	bw_page_table(s->page, titles, BW_ARRAY_SIZE(titles));
	for (size_t i = 0; i < shown; i++)
		add_wave(s, &waves[i], &g->list[g->of[i]], waves[i].number == focus);
	bw_page_table_end(s->page);
	if (shown < n)
		bw_page_note(s->page, "%zu more waves are left out.", n - shown);
	bw_page_fold_end(s->page);
}

static struct bw_error *say_dispatches(struct bw_out *o, struct bw_debug *d, void *cookie)
{
	bw_show_dispatches(o, d);
	return NULL;
}

/* Long lists end at their most recent rows. */
static void add_dispatches(struct bw_report_session *s)
{
	enum { MOST = 400 };
	_cleanup_free_ char *said = bw_report_said(s->debug, say_dispatches, NULL);
	size_t n = 0;
	bw_debug_dispatches(s->debug, &n);
	const char *rows = said ? said : "";
	bw_page_fold(s->page, n <= 16, "Dispatches (%zu)", n);
	if (n > MOST)
		bw_page_note(s->page, "%zu earlier ones are left out.", n - MOST);
	for (size_t i = MOST; i < n && strchr(rows, '\n'); i++)
		rows = strchr(rows, '\n') + 1;
	bw_page_rows(s->page, rows);
	bw_page_fold_end(s->page);
}

struct bw_error *bw_report_session_waves(struct bw_report_session *s)
{
	size_t n;
	const struct bw_wave_info *waves = bw_debug_waves(s->debug, &n);
	struct groups g;
	struct bw_error *err = find_groups(s->debug, waves, n, &g);
	bw_page_section(s->page, "waves", "Waves");
	if (!err)
		err = add_map(s, &g, waves, n);
	if (!err && n) {
		add_groups(s, &g);
		add_waves(s, &g, waves, n);
	}
	if (!err)
		add_dispatches(s);
	bw_page_section_end(s->page);
	free_groups(&g);
	return err;
}
