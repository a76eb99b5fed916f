/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum {
	FEW = 5,		/* waves of a location without a bit for each wave */
	USED_MAX_B = 256 << 20, /* bw_order.used_b */
	LOCATIONS_MAX = 1 << 20,
	FIRST_LOCATIONS = 256,
};

/* A location to which waves have released. */
struct bw_order_location {
	uint64_t at;
	uint32_t n; /* of few; 0: the slot is free. FEW + 1: bits has them */
	uint32_t few[FEW];
	uint64_t *bits;
	uint32_t n_words;
};

void bw_order_end(struct bw_order *o)
{
	for (struct bw_order_group *g = o->groups; g; g = g->next)
		for (unsigned i = 0; i < g->n_waves; i++) {
			free(g->wave[i].known.e);
			g->wave[i].known = (struct bw_order_known){0};
		}
	for (size_t i = 0; i < o->max_locations; i++)
		free(o->location[i].bits);
	free(o->location);
	o->location = NULL;
	o->max_locations = o->n_locations = 0;
}

void bw_order_fini(struct bw_order *o)
{
	bw_order_end(o);
	while (o->groups) {
		struct bw_order_group *g = o->groups;
		o->groups = g->next;
		free(g);
	}
	free(o->wave);
	*o = (struct bw_order){0};
}

static bool has_room_for_waves(struct bw_order *o, unsigned n)
{
	if (n > BW_ORDER_WAVES - o->n_waves)
		return false;
	if (o->n_waves + n <= o->max_waves)
		return true;
	uint32_t max = BW_MAX(2 * o->max_waves, o->n_waves + n);
	struct bw_order_wave **wave = realloc(o->wave, max * sizeof(struct bw_order_wave *));
	if (!wave)
		return false;
	o->wave = wave;
	o->max_waves = max;
	return true;
}

struct bw_order_group *bw_order_begin(struct bw_order *o, const uint32_t id[3], unsigned n_waves)
{
	struct bw_order_group *g;
	if (n_waves > BW_ORDER_GROUP_WAVES || !has_room_for_waves(o, n_waves))
		return NULL;
	size_t row_b = n_waves * sizeof(uint32_t), waves_b = n_waves * sizeof(g->wave[0]);
	g = calloc(1, sizeof(*g) + waves_b + 2 * n_waves * row_b);
	if (!g)
		return NULL;
	memcpy(g->id, id, sizeof(g->id));
	g->n_waves = n_waves;
	g->serial = o->n_groups++;
	g->next = o->groups;
	o->groups = g;
	uint32_t *row = (uint32_t *)(void *)&g->wave[n_waves];
	for (unsigned i = 0; i < n_waves; i++, row += 2 * n_waves) {
		g->wave[i] = (struct bw_order_wave){.group = g,
						    .index = (uint8_t)i,
						    .serial = o->n_waves,
						    .mate = row,
						    .mate_given = row + n_waves};
		o->wave[o->n_waves++] = &g->wave[i];
	}
	return g;
}

/* A wave whose clock has reached the end is not followed any further. */
static void tick(struct bw_order *o, struct bw_order_wave *w)
{
	if (++w->clock == BW_ORDER_CLOCKS - 1)
		o->is_blind = true;
	w->clock = BW_MIN(w->clock, (uint32_t)BW_ORDER_CLOCKS - 1);
}

/* ---- what a wave knows ---- */

static uint32_t known_clock(const struct bw_order_known *k, uint32_t wave)
{
	uint32_t from = 0, to = k->n;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (k->e[mid].wave < wave)
			from = mid + 1;
		else
			to = mid;
	}
	return from < k->n && k->e[from].wave == wave ? k->e[from].clock : 0;
}

static bool is_news(const struct bw_order_known *k, const struct bw_order_clock *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (e[i].clock > known_clock(k, e[i].wave))
			return true;
	return false;
}

/* Adds clocks, sorted by wave, to what w knows of other groups. */
static void learn(struct bw_order *o, struct bw_order_wave *w, const struct bw_order_clock *e,
		  uint32_t n)
{
	struct bw_order_known *k = &w->known;
	if (w->is_blind || !is_news(k, e, n))
		return;
	size_t size_b = ((size_t)k->n + n) * sizeof(*e);
	struct bw_order_clock *out =
		o->used_b + n * sizeof(*e) > USED_MAX_B ? NULL : malloc(size_b);
	if (!out) {
		w->is_blind = true;
		return;
	}
	uint32_t i = 0, j = 0, n_out = 0;
	while (i < k->n || j < n) {
		if (j == n || (i < k->n && k->e[i].wave < e[j].wave)) {
			out[n_out++] = k->e[i++];
		} else if (i == k->n || e[j].wave < k->e[i].wave) {
			out[n_out++] = e[j++];
		} else {
			out[n_out] = k->e[i++];
			out[n_out].clock = BW_MAX(out[n_out].clock, e[j].clock);
			n_out++, j++;
		}
	}
	o->used_b += (n_out - k->n) * sizeof(*e);
	free(k->e);
	*k = (struct bw_order_known){out, n_out};
}

/* w learns what a wave of its own group has released. What that has learned or done since then
 * counts as released, too. */
static void learn_from_mate(struct bw_order *o, struct bw_order_wave *w,
			    const struct bw_order_wave *from)
{
	if (from == w || w->mate[from->index] >= from->released)
		return;
	w->is_blind |= from->is_blind;
	for (unsigned i = 0; i < w->group->n_waves; i++)
		w->mate[i] = BW_MAX(w->mate[i], from->mate_given[i]);
	w->mate[from->index] = from->released;
	learn(o, w, from->known.e, from->known.n);
}

/* The same of a wave of another group: its own accesses, those of its group before their last
 * barrier, and what it knew. */
static void learn_from(struct bw_order *o, struct bw_order_wave *w,
		       const struct bw_order_wave *from)
{
	struct bw_order_clock e[BW_ORDER_GROUP_WAVES];
	const struct bw_order_group *g = from->group;
	if (g == w->group) {
		learn_from_mate(o, w, from);
		return;
	}
	if (known_clock(&w->known, from->serial) >= from->released_far)
		return;
	w->is_blind |= from->is_blind;
	for (unsigned i = 0; i < g->n_waves; i++)
		e[i] = (struct bw_order_clock){g->wave[i].serial, from->mate_given[i]};
	e[from->index].clock = BW_MAX(e[from->index].clock, from->released_far);
	learn(o, w, e, g->n_waves);
	learn(o, w, from->known.e, from->known.n);
}

void bw_order_barrier(struct bw_order *o, struct bw_order_group *g)
{
	for (unsigned i = 0; i < g->n_waves; i++) {
		tick(o, &g->wave[i]);
		g->barrier[i] = g->wave[i].clock;
	}
	/* What one of them has acquired, all of them know now. */
	for (unsigned i = 0; i < g->n_waves; i++)
		if (g->wave[i].is_blind || g->wave[i].known.n)
			for (unsigned k = 0; k < g->n_waves; k++) {
				if (k == i)
					continue;
				g->wave[k].is_blind |= g->wave[i].is_blind;
				learn(o, &g->wave[k], g->wave[i].known.e, g->wave[i].known.n);
			}
}

bool bw_order_is_before(const struct bw_order *o, uint32_t wave, uint32_t clock,
			const struct bw_order_wave *now)
{
	if (wave == now->serial || o->is_blind || now->is_blind || wave >= o->n_waves)
		return true;
	const struct bw_order_wave *w = o->wave[wave];
	if (w->group == now->group)
		return clock < w->group->barrier[w->index] || clock < now->mate[w->index];
	return now->known.n && clock < known_clock(&now->known, wave);
}

/* ---- locations ---- */

static size_t slot_of(const struct bw_order *o, uint64_t at)
{
	size_t i = (size_t)((at * 0x9e3779b97f4a7c15) >> 20) & (o->max_locations - 1);
	while (o->location[i].n && o->location[i].at != at)
		i = (i + 1) & (o->max_locations - 1);
	return i;
}

static bool has_room_for_locations(struct bw_order *o)
{
	if (2 * o->n_locations < o->max_locations)
		return true;
	if (o->n_locations >= LOCATIONS_MAX)
		return false;
	struct bw_order old = *o;
	o->max_locations = BW_MAX(2 * old.max_locations, (size_t)FIRST_LOCATIONS);
	o->location = calloc(o->max_locations, sizeof(*o->location));
	if (!o->location) {
		o->location = old.location;
		o->max_locations = old.max_locations;
		return false;
	}
	for (size_t i = 0; i < old.max_locations; i++)
		if (old.location[i].n)
			o->location[slot_of(o, old.location[i].at)] = old.location[i];
	free(old.location);
	return true;
}

static bool set_bit(struct bw_order *o, struct bw_order_location *l, uint32_t wave)
{
	uint32_t word = wave / 64;
	if (word >= l->n_words) {
		uint32_t n = BW_MAX(word + 1, o->n_waves / 64 + 1);
		size_t more_b = (n - l->n_words) * sizeof(uint64_t);
		uint64_t *bits = o->used_b + more_b > USED_MAX_B
					 ? NULL
					 : realloc(l->bits, n * sizeof(uint64_t));
		if (!bits)
			return false;
		memset(bits + l->n_words, 0, more_b);
		o->used_b += more_b;
		l->bits = bits;
		l->n_words = n;
	}
	l->bits[word] |= 1ull << (wave & 63);
	return true;
}

static bool add_wave(struct bw_order *o, struct bw_order_location *l, uint32_t wave)
{
	if (l->n <= FEW) {
		for (uint32_t i = 0; i < l->n; i++)
			if (l->few[i] == wave)
				return true;
		if (l->n < FEW) {
			l->few[l->n++] = wave;
			return true;
		}
		for (uint32_t i = 0; i < FEW; i++)
			if (!set_bit(o, l, l->few[i]))
				return false;
		l->n = FEW + 1;
	}
	return set_bit(o, l, wave);
}

static void add_release(struct bw_order *o, uint32_t wave, uint64_t location)
{
	if (o->is_blind || !has_room_for_locations(o)) {
		o->is_blind = true;
		return;
	}
	struct bw_order_location *l = &o->location[slot_of(o, location)];
	if (!l->n) {
		*l = (struct bw_order_location){.at = location};
		o->n_locations++;
	}
	o->is_blind |= !add_wave(o, l, wave);
}

/* What the wave knows of its group now is released with its own accesses. */
static void give_mates(struct bw_order_wave *w)
{
	const struct bw_order_group *g = w->group;
	for (unsigned i = 0; i < g->n_waves; i++)
		w->mate_given[i] = BW_MAX(g->barrier[i], w->mate[i]);
}

/* Other groups may see the released location before a store that the wave has not waited for. */
static void release_far(struct bw_order_wave *w, uint32_t clock, bool is_waited)
{
	w->released_far = BW_MAX(w->released_far, is_waited ? clock + 1 : w->unwaited_clock);
}

void bw_order_release(struct bw_order *o, struct bw_order_wave *w, uint64_t location)
{
	w->released = w->clock + 1;
	release_far(w, w->clock, !w->unwaited);
	if (!w->has_released)
		give_mates(w);
	w->has_released = true;
	add_release(o, w->serial, location);
}

void bw_order_step(struct bw_order *o, struct bw_order_wave *w)
{
	if (w->has_released)
		tick(o, w);
	w->has_released = false;
}

void bw_order_was_release(struct bw_order *o, const struct bw_order_store *s, uint64_t location)
{
	if (s->wave >= o->n_waves)
		return;
	struct bw_order_wave *w = o->wave[s->wave];
	/* If it has waited since then, nobody knows whether it had before that store. */
	bool is_waited = !w->unwaited || s->clock < w->unwaited_clock || s->place == w->unwaited;
	if (w->clock == s->clock)
		tick(o, w);
	w->released = BW_MAX(w->released, s->clock + 1);
	release_far(w, s->clock, is_waited);
	give_mates(w);
	add_release(o, s->wave, location);
}

/* Waits need clocks; a wave with many of them is taken to wait at once from then on. */
void bw_order_stored(struct bw_order_wave *w, uint16_t place)
{
	if (w->unwaited || w->clock >= BW_ORDER_CLOCKS / 2)
		return;
	w->unwaited = place;
	w->unwaited_clock = w->clock;
}

void bw_order_waited(struct bw_order *o, struct bw_order_wave *w)
{
	if (!w->unwaited)
		return;
	w->unwaited = 0;
	tick(o, w);
}

static void learn_at(struct bw_order *o, struct bw_order_wave *w, uint64_t location, bool own_group)
{
	if (!o->max_locations)
		return;
	const struct bw_order_location *l = &o->location[slot_of(o, location)];
	for (uint32_t i = 0; l->n <= FEW && i < l->n; i++)
		if (!own_group || o->wave[l->few[i]]->group == w->group)
			learn_from(o, w, o->wave[l->few[i]]);
	if (l->n <= FEW)
		return;
	uint32_t first = own_group ? w->group->wave[0].serial : 0;
	uint32_t end = own_group ? first + w->group->n_waves : o->n_waves;
	for (uint32_t i = first; i < end && i / 64 < l->n_words && !w->is_blind; i++)
		if (l->bits[i / 64] >> (i & 63) & 1)
			learn_from(o, w, o->wave[i]);
}

void bw_order_acquire(struct bw_order *o, struct bw_order_wave *w, uint64_t location)
{
	if (o->is_blind || w->is_blind)
		return;
	if (w->group->n_waves > 1)
		learn_at(o, w, location, true);
	for (unsigned i = 0; i < w->n_pending; i++)
		if (w->pending[i] == location)
			return;
	if (w->n_pending < BW_ORDER_PENDING)
		w->pending[w->n_pending++] = location;
	else
		w->many_pending = true;
}

void bw_order_fence(struct bw_order *o, struct bw_order_wave *w)
{
	/* It has acquired from more locations than are remembered: whatever they are, they order
	 * all. */
	w->is_blind |= w->many_pending;
	for (unsigned i = 0; i < w->n_pending && !w->is_blind; i++)
		learn_at(o, w, w->pending[i], false);
	w->n_pending = 0;
	w->many_pending = false;
}
