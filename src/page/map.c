/* SPDX-License-Identifier: MIT */
/* The map of the GPU: shader engines and arrays from top to bottom, their WGPs from left to right,
 * in each a row for a SIMD and a cell for a wave slot. Colours and letters say the same. */
#include "page/page.h"

#include <stdio.h>

#include "base/util.h"

static const struct {
	char letter;
	const char *name;
} states[] = {
	[BW_PAGE_NO_WAVE] = {0, "free"},
	[BW_PAGE_RUNNING] = {'r', "running"},
	[BW_PAGE_STOPPED] = {'s', "stopped"},
	[BW_PAGE_AT_BARRIER] = {'b', "at a barrier"},
	[BW_PAGE_AT_BREAK] = {'B', "at a breakpoint"},
	[BW_PAGE_FAULTED] = {'F', "faulted"},
};

const char *bw_page_wave_name(enum bw_page_wave state)
{
	return states[state].name;
}

static void add_legend(struct bw_page *p, const struct bw_page_map *m, size_t n)
{
	size_t count[BW_PAGE_WAVE_STATES] = {0};
	for (size_t i = 0; i < n; i++)
		count[m->slots[i].state]++;
	bw_str_add(&p->out, "<p class=\"legend\">");
	for (unsigned s = BW_PAGE_WAVE_STATES; s-- > 0;) {
		bw_str_addf(&p->out, "<span><i class=\"s%u\"></i> ", s);
		if (states[s].letter)
			bw_str_addf(&p->out, "%c, ", states[s].letter);
		bw_str_addf(&p->out, "%s: %zu</span> ", states[s].name, count[s]);
	}
	bw_str_add(&p->out, "</p>\n");
}

/* The place of a slot is in the attributes around it; the script puts it in front. */
static void add_slot(struct bw_page *p, const struct bw_page_slot *s)
{
	if (!s->state) {
		bw_str_add(&p->out, "<i></i>");
		return;
	}
	bw_str_addf(&p->out, "<i class=\"s%u%s\"", s->state, s->is_focus ? " focus" : "");
	if (s->wave)
		bw_str_addf(&p->out, " data-w=\"%u\"", s->wave);
	if (s->place) {
		bw_str_add(&p->out, " title=\"");
		bw_html_text(&p->out, s->place);
		bw_str_add(&p->out, "\"");
	}
	bw_str_add(&p->out, "></i>");
}

/* A WGP without waves is an outline: files may say that a GPU is very large. */
static void add_wgp(struct bw_page *p, const struct bw_page_map *m, size_t first, unsigned wgp)
{
	bool any = false;
	for (size_t i = 0; i < (size_t)m->simd_per_wgp * m->waves_per_simd; i++)
		any |= m->slots[first + i].state != BW_PAGE_NO_WAVE;
	bw_str_addf(&p->out, "<div class=\"wgp%s\" data-at=\"wgp%u\">", any ? "" : " idle", wgp);
	for (unsigned simd = 0; simd < m->simd_per_wgp; simd++) {
		bw_str_add(&p->out, "<b>");
		for (unsigned k = 0; k < m->waves_per_simd && (any || !simd); k++)
			add_slot(p, &m->slots[first + (size_t)simd * m->waves_per_simd + k]);
		bw_str_add(&p->out, "</b>");
	}
	bw_str_add(&p->out, "</div>");
}

void bw_page_map(struct bw_page *p, const struct bw_page_map *m)
{
	size_t per_wgp = (size_t)m->simd_per_wgp * m->waves_per_simd, at = 0;
	size_t n = (size_t)m->n_se * m->sa_per_se * m->wgp_per_sa * per_wgp;
	if (!n)
		return;
	add_legend(p, m, n);
	bw_str_add(&p->out, "<div class=\"map\">\n");
	for (unsigned array = 0; array < m->n_se * m->sa_per_se; array++) {
		char name[32];
		snprintf(name, sizeof(name), "se%u.sa%u", array / m->sa_per_se,
			 array % m->sa_per_se);
		bw_str_addf(&p->out, "<div class=\"sa\" data-at=\"%s\"><span class=\"n\">%s</span>",
			    name, name);
		for (unsigned wgp = 0; wgp < m->wgp_per_sa; wgp++, at += per_wgp)
			add_wgp(p, m, at, wgp);
		bw_str_add(&p->out, "</div>\n");
	}
	bw_str_add(&p->out, "</div>\n");
	bw_page_note(p,
		     "From left to right: WGPs. In each, a row for a SIMD, and in it a cell for "
		     "each of its %u wave slots.",
		     m->waves_per_simd);
}
