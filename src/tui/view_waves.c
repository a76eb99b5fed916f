/* SPDX-License-Identifier: MIT */
#include "tui/views.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"

/* A map of the GPU: shader engines and arrays from top to bottom, their WGPs from left to right. Of
 * each WGP its SIMDs, a letter for each, or where there is room for it their wave slots, each SIMD
 * in a row of its own. */

/* ---- Reading ---- */

static enum bw_tui_wave_state state_of(const struct bw_wave_info *w)
{
	const uint32_t faults = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
				BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_ASSERT_TRAP |
				BW_REASON_FP_EXCEPTION;
	if (w->reasons & faults)
		return BW_TUI_WAVE_FAULTED;
	if (w->reasons & (BW_REASON_BREAKPOINT | BW_REASON_WATCHPOINT))
		return BW_TUI_WAVE_AT_BREAK;
	return w->in_barrier ? BW_TUI_WAVE_AT_BARRIER : BW_TUI_WAVE_STOPPED;
}

void bw_tui_map_load(struct bw_debug *d, struct bw_tui_map *out)
{
	struct bw_target *t = bw_debug_target(d);
	const struct bw_wave_info *focus = bw_debug_focus(d);
	size_t n;
	*out = (struct bw_tui_map){.focus = UINT32_MAX};
	if (!t || !t->facts.n_slots)
		return;
	out->facts = t->facts;
	out->state = calloc(t->facts.n_slots, 1);
	if (!out->state)
		return;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	for (size_t i = 0; i < n; i++)
		if (waves[i].slot < t->facts.n_slots)
			out->state[waves[i].slot] = (uint8_t)state_of(&waves[i]);
	if (focus)
		out->focus = focus->slot;
}

void bw_tui_map_resumed(struct bw_debug *d, struct bw_tui_map *s)
{
	size_t n;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	struct bw_tui_map now;
	if (!s->state)
		return;
	for (uint32_t slot = 0; slot < s->facts.n_slots; slot++)
		if (s->state[slot])
			s->state[slot] = BW_TUI_WAVE_RUNNING;
	bw_tui_map_load(d, &now);
	for (size_t i = 0; i < n && now.state && now.facts.n_slots == s->facts.n_slots; i++)
		if (waves[i].slot < s->facts.n_slots)
			s->state[waves[i].slot] = now.state[waves[i].slot];
	bw_tui_map_fini(&now);
}

void bw_tui_map_fini(struct bw_tui_map *s)
{
	free(s->state);
	*s = (struct bw_tui_map){0};
}

/* ---- Showing ---- */

/* Letters say the same as colours. The later ones win where several waves share a letter. */
static const struct {
	char letter;
	uint8_t style;
	const char *words;
} states[] = {
	[BW_TUI_WAVE_NONE] = {'.', BW_TUI_DIM, "none"},
	[BW_TUI_WAVE_RUNNING] = {'r', BW_TUI_GREEN, "running"},
	[BW_TUI_WAVE_STOPPED] = {'s', BW_TUI_CYAN, "stopped"},
	[BW_TUI_WAVE_AT_BARRIER] = {'b', BW_TUI_BLUE | BW_TUI_BOLD, "at a barrier"},
	[BW_TUI_WAVE_AT_BREAK] = {'B', BW_TUI_YELLOW | BW_TUI_BOLD, "at a breakpoint"},
	[BW_TUI_WAVE_FAULTED] = {'F', BW_TUI_RED | BW_TUI_BOLD, "faulted"},
};

/* The letter of n slots. */
static void add_slots(const struct bw_tui_map *s, uint32_t first, uint32_t n, struct bw_tui_line *l)
{
	uint8_t worst = BW_TUI_WAVE_NONE;
	for (uint32_t i = 0; i < n; i++)
		worst = BW_MAX(worst, s->state[first + i]);
	bool has_focus = s->focus >= first && s->focus - first < n;
	const char text[2] = {states[worst].letter, 0};
	bw_tui_add(l, states[worst].style | (has_focus ? BW_TUI_REVERSE : 0), text);
}

static void add_legend(const struct bw_tui_map *s, struct bw_tui_page *p)
{
	struct bw_tui_line *l = bw_tui_page_add(p);
	uint32_t count[BW_ARRAY_SIZE(states)] = {0};
	for (uint32_t slot = 0; slot < s->facts.n_slots; slot++)
		count[s->state[slot]]++;
	for (size_t i = 1; l && i < BW_ARRAY_SIZE(states); i++)
		bw_tui_addf(l, states[i].style, "%s%c %s %u", i > 1 ? "  " : "", states[i].letter,
			    states[i].words, count[i]);
}

enum { LABEL_COLUMNS = 15 };

static void add_wgps(const struct bw_tui_map *s, bool is_fine, struct bw_tui_page *p)
{
	const struct bw_target_facts *f = &s->facts;
	struct bw_tui_line *l = bw_tui_page_add(p);
	unsigned width = is_fine ? f->waves_per_simd : f->simd_per_wgp;
	for (unsigned wgp = 0; l && wgp < f->wgp_per_sa; wgp++) {
		bw_tui_pad(l, BW_TUI_BOLD, LABEL_COLUMNS + wgp * (width + 1));
		bw_tui_addf(l, BW_TUI_BOLD, is_fine ? "wgp%u" : "%u", wgp);
	}
}

/* Row `i` of the map; simd: that one alone, each of its slots. */
static void add_row(const struct bw_tui_map *s, uint32_t i, bool is_fine, struct bw_tui_page *p)
{
	const struct bw_target_facts *f = &s->facts;
	uint32_t array = is_fine ? i / f->simd_per_wgp : i,
		 simd = is_fine ? i % f->simd_per_wgp : 0;
	struct bw_tui_line *l = bw_tui_page_add(p);
	if (!l)
		return;
	bw_tui_addf(l, BW_TUI_PLAIN, "se%u.sa%u", array / f->sa_per_se, array % f->sa_per_se);
	if (is_fine)
		bw_tui_addf(l, BW_TUI_PLAIN, ".simd%u", simd);
	for (uint32_t wgp = 0; wgp < f->wgp_per_sa; wgp++) {
		uint32_t at = (array * f->wgp_per_sa + wgp) * f->simd_per_wgp + simd;
		bw_tui_pad(l, BW_TUI_PLAIN, bw_tui_width(l) + 1);
		if (!wgp)
			bw_tui_pad(l, BW_TUI_PLAIN, LABEL_COLUMNS);
		uint32_t n = is_fine ? f->waves_per_simd : f->simd_per_wgp;
		for (uint32_t k = 0; k < n; k++)
			add_slots(s,
				  (at + (is_fine ? 0 : k)) * f->waves_per_simd + (is_fine ? k : 0),
				  is_fine ? 1 : f->waves_per_simd, l);
	}
}

static bool has_room(const struct bw_tui_map *s, unsigned columns)
{
	const struct bw_target_facts *f = &s->facts;
	return LABEL_COLUMNS + f->wgp_per_sa * (f->waves_per_simd + 1) <= columns;
}

size_t bw_tui_map_line(const struct bw_tui_map *s, unsigned columns)
{
	const struct bw_target_facts *f = &s->facts;
	if (!s->state || s->focus >= f->n_slots)
		return SIZE_MAX;
	uint32_t simd = s->focus / f->waves_per_simd,
		 array = simd / f->simd_per_wgp / f->wgp_per_sa;
	return has_room(s, columns) ? array * f->simd_per_wgp + simd % f->simd_per_wgp : array;
}

void bw_tui_map_page(const struct bw_tui_map *s, struct bw_tui_page *p)
{
	const struct bw_target_facts *f = &s->facts;
	bw_tui_page_clear(p);
	if (!s->state) {
		bw_tui_page_say(p, "[ No GPU In Use ]");
		return;
	}
	bool is_fine = has_room(s, p->columns);
	uint32_t n = f->n_se * f->sa_per_se * (is_fine ? f->simd_per_wgp : 1);
	bw_str_add_printable(&p->title, f->name, "");
	const char *coarse = f->arch && !f->arch->has_wgps ? ", SIMDs of CUs" : ", SIMDs of WGPs";
	bw_str_add(&p->title, is_fine ? ", wave slots of SIMDs" : coarse);
	add_legend(s, p);
	add_wgps(s, is_fine, p);
	p->rows -= BW_MIN(p->rows - 1, (unsigned)BW_TUI_MAP_HEAD);
	p->margin = LABEL_COLUMNS;
	bw_tui_page_begin(p, n);
	for (size_t i = p->top; i < n && i < p->top + p->rows; i++)
		add_row(s, (uint32_t)i, is_fine, p);
}
