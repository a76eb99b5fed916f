/* SPDX-License-Identifier: MIT */
/* The page of a crash: the map of the GPU's wave slots. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "report/report_priv.h"

/* Places that a GPU can have: the map must stay small, whatever a file says. */
enum { MOST_SE = 16, MOST_SA = 4, MOST_WGP = 32, MOST_SIMD = 4, MOST_WAVES = 20 };
enum { PLACE_B = 24 };

static bool is_place(const struct bw_crash_wave *w)
{
	return w->has_place && w->se < MOST_SE && w->sa < MOST_SA && w->wgp < MOST_WGP &&
	       w->simd < MOST_SIMD && w->wave < MOST_WAVES;
}

/* Makes the map as large as the waves need it: the files do not have the size of the GPU. */
static void find_size(const struct bw_crash_waves *waves, const struct bw_arch *arch,
		      struct bw_page_map *m)
{
	m->simd_per_wgp = arch ? arch->simds_per_wgp : 1;
	m->waves_per_simd = arch ? arch->waves_per_simd : 1;
	bw_vec_each(&waves->list, w) {
		if (!is_place(w))
			continue;
		m->n_se = BW_MAX(m->n_se, w->se + 1);
		m->sa_per_se = BW_MAX(m->sa_per_se, w->sa + 1);
		m->wgp_per_sa = BW_MAX(m->wgp_per_sa, w->wgp + 1);
		m->simd_per_wgp = BW_MAX(m->simd_per_wgp, w->simd + 1);
		m->waves_per_simd = BW_MAX(m->waves_per_simd, w->wave + 1);
	}
}

static enum bw_page_wave state_of(const struct bw_crash_wave *w, const struct bw_arch *arch)
{
	struct bw_wave_state s = {.arch = arch};
	if (!arch)
		return BW_PAGE_STOPPED;
	for (unsigned i = 0; i < BW_WREG_COUNT; i++)
		if (arch->reg[i].name)
			bw_crash_wave_register(w, arch->reg[i].name, &s.reg[i]);
	if (bw_wave_get(&s, BW_WF_MEMORY_VIOLATION) || bw_wave_get(&s, BW_WF_ILLEGAL_INST) ||
	    bw_wave_get(&s, BW_WF_FATAL_HALT))
		return BW_PAGE_FAULTED;
	if (bw_wave_get(&s, BW_WF_IN_BARRIER))
		return BW_PAGE_AT_BARRIER;
	return bw_wave_get(&s, BW_WF_HALTED) ? BW_PAGE_STOPPED : BW_PAGE_RUNNING;
}

struct bw_error *bw_report_crash_map(struct bw_crash_page *p, const struct bw_arch *arch)
{
	const struct bw_crash_waves *waves = &p->crash->report.waves;
	struct bw_page_map m = {0};
	find_size(waves, arch, &m);
	size_t n = (size_t)m.n_se * m.sa_per_se * m.wgp_per_sa * m.simd_per_wgp * m.waves_per_simd;
	if (!n)
		return NULL;
	_cleanup_free_ struct bw_page_slot *slots = calloc(n, sizeof(*slots));
	_cleanup_free_ char *places = calloc(waves->list.len, PLACE_B);
	if (!slots || !places)
		return bw_error_nomem();
	for (size_t i = 0; i < waves->list.len; i++) {
		const struct bw_crash_wave *w = &waves->list.data[i];
		uint64_t pc;
		if (!is_place(w))
			continue;
		size_t simd =
			((w->se * m.sa_per_se + w->sa) * m.wgp_per_sa + w->wgp) * m.simd_per_wgp +
			w->simd;
		struct bw_page_slot *s = &slots[simd * m.waves_per_simd + w->wave];
		if (s->state) /* of two in one place (two reports), the first */
			continue;
		char *place = places + i * PLACE_B;
		if (bw_crash_wave_pc(w, &pc))
			snprintf(place, PLACE_B, "0x%" PRIx64, pc);
		*s = (struct bw_page_slot){.state = (uint8_t)state_of(w, arch),
					   .wave = (uint32_t)i + 1,
					   .place = *place ? place : NULL};
	}
	m.slots = slots;
	bw_page_map(&p->page, &m);
	return NULL;
}
