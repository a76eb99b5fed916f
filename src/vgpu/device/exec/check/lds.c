/* SPDX-License-Identifier: MIT */
/* Loads of dwords from LDS without a list of what each lane touches. */
#include <string.h>

#include "vgpu/device/exec/check/cells.h"
#include "wire/checks.h"

enum { EIGHT = 8 };

/* Eight lanes that load what eight others have loaded change nothing: kernels that share a tile
 * have each row of it loaded by some rows of lanes. */
static bool is_repeated(const struct bw_lds_loads *l, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (!memcmp(l->at + EIGHT * k, l->at + EIGHT * i, EIGHT * sizeof(l->at[0])))
			return true;
	return false;
}

/* The lanes from `first` on; of those that are not active, the half's first active one is told. */
struct eight {
	const uint32_t *at;
	unsigned first, filler;
	uint64_t exec;
};

static bool enter_eight(struct bw_check *c, struct bw_shadow_row *row, const uint8_t *lds,
			const struct eight *e)
{
	bool is_one = !memcmp(e->at, e->at + 1, (EIGHT - 1) * sizeof(e->at[0]));
	for (unsigned i = 0; i < (is_one ? 1 : EIGHT); i++) {
		if (i && e->at[i] == e->at[i - 1])
			continue;
		unsigned lane = e->exec >> (e->first + i) & 1 ? e->first + i : e->filler;
		if (!bw_check_load_whole(c, lds + e->at[i], row, lane))
			return false;
	}
	return true;
}

static bool is_aligned(const struct bw_lds_loads *l, unsigned lanes, const uint8_t *lds)
{
	uint32_t bits = (uint32_t)(uintptr_t)lds;
	for (unsigned h = 0; h < lanes; h += 32)
		for (unsigned i = 0; i < 32; i++)
			bits |= l->at[h + i];
	for (unsigned k = 0; k < l->n; k++)
		bits |= l->offset_b[k];
	return !(bits & 3);
}

static unsigned filler_of(const struct bw_wave *w, unsigned half)
{
	return half * 32 + (unsigned)__builtin_ctz(w->s[BW_SRC_EXEC_LO + half]);
}

/* What is entered before something is found is entered once more then, which changes nothing. */
static bool enter(struct bw_check *c, const struct bw_wave *w, const struct bw_lds_loads *l)
{
	const struct bw_check_step *s = &c->step;
	struct bw_shadow_row row = bw_shadow_row(&s->dispatch->order, s->wave, s->place, true);
	unsigned lanes = w->lanes;
	uint32_t skipped = 0;
	if (!is_aligned(l, lanes, s->lds))
		return false;
	for (unsigned i = 1; i < lanes / EIGHT; i++)
		skipped |= (uint32_t)is_repeated(l, i) << i;
	for (unsigned i = 0; i < lanes / EIGHT; i++) {
		const struct eight e = {l->at + EIGHT * i, EIGHT * i, filler_of(w, i * EIGHT / 32),
					bw_wave_exec(w)};
		for (unsigned k = 0; k < l->n && !(skipped >> i & 1); k++)
			if (!enter_eight(c, &row, s->lds + l->offset_b[k], &e))
				return false;
	}
	return true;
}

bool bw_check_lds_loads(struct bw_wave *w, const struct bw_lds_loads *l)
{
	struct bw_check_group *g = bw_check_followed(w);
	if (!g)
		return true;
	const struct bw_check_wave *at = &g->wave[w->index_in_group];
	const struct bw_check_dispatch *d = g->dispatch;
	if ((d->lds_b && l->end_b > d->lds_b) || at->hidden ||
	    (at->sync.absent && d->check->what & BW_CHECK_SYNC))
		return false;
	if (!g->order)
		return true;
	struct bw_check *c = d->check;
	if (c->step.is_coherent || !enter(c, w, l))
		return false;
	unsigned first = (unsigned)__builtin_ctzll(bw_wave_exec(w));
	for (unsigned k = 0; k < l->n; k++)
		bw_check_note_load(&c->step, c->step.lds + l->offset_b[k] + l->at[first]);
	return true;
}
