/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/sync.h"

#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "wire/checks.h"

static void report(struct bw_check_group *g, struct bw_wave *w, enum bw_sync_kind kind,
		   uint64_t missing, const struct bw_check_side *at,
		   const struct bw_check_side *other)
{
	const struct bw_check_finding f = {.kind = BW_FOUND_SYNC,
					   .count = 1,
					   .vmid = g->dispatch->vmid,
					   .lanes = g->dispatch->lanes,
					   .first = *at,
					   .second = *other,
					   .sync = {kind, missing}};
	bw_check_found(g->dispatch->check, w, &f);
}

/* ---- waves ---- */

/* Waves of a group of a draw meet at different barriers in code that Mesa makes for primitives. */
static bool is_followed(const struct bw_check_group *g)
{
	return g->dispatch->check->what & BW_CHECK_SYNC && !g->dispatch->draw.number;
}

/* What is known of a wave; NULL: it is not followed. */
static struct bw_sync_wave *sync_of(const struct bw_wave *w, struct bw_check_group **out_group)
{
	struct bw_check_group *g = bw_check_followed(w);
	if (!g || !is_followed(g))
		return NULL;
	*out_group = g;
	return &g->wave[w->index_in_group].sync;
}

void bw_sync_wave_begin(struct bw_wave *w)
{
	struct bw_check_group *g;
	struct bw_sync_wave *s = sync_of(w, &g);
	if (s)
		s->live = bw_wave_exec(w);
}

void bw_sync_wave_end(struct bw_wave *w)
{
	struct bw_check_group *g;
	struct bw_sync_wave *s = sync_of(w, &g);
	if (s)
		s->has_ended = true;
}

void bw_sync_wave_killed(struct bw_wave *w)
{
	if (w->wg && w->wg->check)
		w->wg->check->is_killed = true;
}

static struct bw_check_side barrier_of(const struct bw_check_group *g, struct bw_wave *w)
{
	enum { S_BARRIER_B = 4 };
	uint32_t word = 0;
	uint64_t exec = bw_wave_exec(w), pc = w->pc - S_BARRIER_B;
	struct bw_vm_fault no_matter = {0};
	const uint8_t *host = bw_tlb_lookup_unwatched(
		w->tlb, pc, (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE), &no_matter);
	if (host)
		memcpy(&word, host, sizeof(word));
	const struct bw_check_at at = {.pc = pc,
				       .word = &word,
				       .n_words = 1,
				       .access = BW_CHECK_BARRIER,
				       .op = BW_OP_S_BARRIER};
	return bw_check_side_of(g->dispatch, w, &at, exec ? (unsigned)__builtin_ctzll(exec) : 0);
}

/* Lanes that were missing at a barrier are active again, at this instruction. */
static void lanes_are_back(struct bw_check_group *g, struct bw_wave *w, struct bw_sync_wave *s,
			   uint64_t back, struct bw_check_side at)
{
	at.lane = (uint8_t)__builtin_ctzll(back);
	report(g, w, BW_SYNC_LANES, s->absent, &s->skipped, &at);
	s->absent = 0;
}

/* Looked up once for each barrier, or more often if there are many. */
static bool has_way_around(struct bw_check_group *g, struct bw_wave *w, uint64_t pc)
{
	struct bw_check_dispatch *d = g->dispatch;
	_Atomic uint64_t *known = &d->barrier[pc / 4 % BW_ARRAY_SIZE(d->barrier)];
	uint64_t is = atomic_load_explicit(known, memory_order_relaxed);
	if ((is & ~1ull) != pc) {
		is = pc | bw_sync_has_way_around(d->check->gen, w, d->code_va, pc);
		atomic_store_explicit(known, is, memory_order_relaxed);
	}
	return is & 1;
}

void bw_sync_arrive(struct bw_wave *w)
{
	struct bw_check_group *g;
	struct bw_sync_wave *s = sync_of(w, &g);
	if (!s)
		return;
	uint64_t exec = bw_wave_exec(w);
	s->barrier = barrier_of(g, w);
	if (exec & s->absent)
		lanes_are_back(g, w, s, exec & s->absent, s->barrier);
	if (s->live & ~exec && (!g->dispatch->is_explicit || has_way_around(g, w, s->barrier.pc))) {
		s->absent = s->live & ~exec;
		s->skipped = s->barrier;
	}
	s->n_barriers++;
	s->has_stored = false;
}

void bw_sync_touch(struct bw_check_group *g, struct bw_wave *w, enum bw_touch_kind kind,
		   const struct bw_touch *touches, unsigned n)
{
	struct bw_sync_wave *s = &g->wave[w->index_in_group].sync;
	const struct bw_check_at *at = g->wave[w->index_in_group].at;
	uint64_t lanes = 0;
	if (!is_followed(g) || !n || !at)
		return;
	for (unsigned i = 0; i < n; i++)
		lanes |= 1ull << touches[i].lane;
	if (lanes & s->absent)
		lanes_are_back(g, w, s, lanes & s->absent, bw_check_side_of(g->dispatch, w, at, 0));
	if (kind != BW_TOUCH_LOAD) {
		s->has_stored = true;
		s->last = bw_check_side_of(g->dispatch, w, at, touches[0].lane);
	}
}

/* ---- where they meet ---- */

/* The trap handler has barriers of its own. */
static bool is_in_handler(const struct bw_workgroup *wg)
{
	for (unsigned i = 0; i < wg->n_waves; i++)
		if (!wg->check->wave[i].sync.has_ended && wg->wave[i]->status & BW_STATUS_PRIV)
			return true;
	return false;
}

void bw_sync_meet(struct bw_workgroup *wg)
{
	struct bw_check_group *g = wg->check;
	struct bw_sync_wave *first = NULL;
	if (!g || !is_followed(g) || g->is_killed || is_in_handler(wg))
		return;
	for (unsigned i = 0; i < g->n_waves; i++) {
		struct bw_sync_wave *s = &g->wave[i].sync;
		if (s->has_ended || !s->n_barriers)
			continue;
		if (!first)
			first = s;
		else if (s->barrier.pc != first->barrier.pc)
			report(g, wg->wave[i], BW_SYNC_PLACES, 0, &first->barrier, &s->barrier);
	}
	for (unsigned i = 0; first && i < g->n_waves; i++) {
		struct bw_sync_wave *s = &g->wave[i].sync;
		if (!s->has_ended || !s->has_stored || s->n_barriers >= first->n_barriers)
			continue;
		report(g, wg->wave[first->barrier.wave], BW_SYNC_ENDED, 0, &first->barrier,
		       &s->last);
		s->has_stored = false;
	}
}
