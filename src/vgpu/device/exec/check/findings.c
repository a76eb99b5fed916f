/* SPDX-License-Identifier: MIT */
/* The list of findings, of all kinds. */
#include "vgpu/device/exec/check/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/check_priv.h"

/* ---- kinds ---- */

static bool is_same_race(const struct bw_check_finding *a, const struct bw_check_finding *b)
{
	bool straight = a->first.pc == b->first.pc && a->second.pc == b->second.pc;
	bool crossed = a->first.pc == b->second.pc && a->second.pc == b->first.pc;
	bool are_packets = !a->first.pc && !a->second.pc;
	return a->race.relation == b->race.relation && a->race.is_lds == b->race.is_lds &&
	       (straight || crossed) &&
	       (!are_packets ||
		(a->first.access == b->first.access && a->second.access == b->second.access));
}

static bool is_same_bounds(const struct bw_check_finding *a, const struct bw_check_finding *b)
{
	return a->first.pc == b->first.pc && a->first.code_va == b->first.code_va &&
	       a->bounds.what.of == b->bounds.what.of && a->bounds.is_freed == b->bounds.is_freed &&
	       /* before the buffer and after its end are two mistakes */
	       (a->bounds.what.at < 0) == (b->bounds.what.at < 0);
}

static bool is_same_init(const struct bw_check_finding *a, const struct bw_check_finding *b)
{
	return a->init.use == b->init.use && a->first.pc == b->first.pc &&
	       a->first.word[0] == b->first.word[0];
}

static bool is_same_sync(const struct bw_check_finding *a, const struct bw_check_finding *b)
{
	return a->sync.kind == b->sync.kind && a->first.pc == b->first.pc &&
	       a->first.code_va == b->first.code_va &&
	       (a->sync.kind != BW_SYNC_PLACES || a->second.pc == b->second.pc);
}

static bool is_same_wave(const struct bw_check_side *a, const struct bw_check_side *b)
{
	return a->wave == b->wave && !memcmp(a->group, b->group, sizeof(a->group));
}

/* As long as none has come in between, it is another lane of the first instruction. */
static void note_lane(struct bw_check_finding *f, const struct bw_check_finding *again)
{
	struct bw_bounds_facts *b = &f->bounds;
	uint64_t lane = 1ull << again->first.lane;
	unsigned lanes = 1 + (unsigned)__builtin_popcountll(b->more_lanes);
	if (f->count == lanes && is_same_wave(&f->first, &again->first) &&
	    f->first.lane != again->first.lane && !(b->more_lanes & lane))
		b->more_lanes |= lane;
}

static const struct {
	const char *name;
	bool (*is_same)(const struct bw_check_finding *a, const struct bw_check_finding *b);
	void (*again)(struct bw_check_finding *f, const struct bw_check_finding *again);
} kinds[BW_FOUND_KINDS] = {
	[BW_FOUND_RACE] = {"race", is_same_race, NULL},
	[BW_FOUND_BOUNDS] = {"bounds", is_same_bounds, note_lane},
	[BW_FOUND_INIT] = {"init", is_same_init, NULL},
	[BW_FOUND_SYNC] = {"sync", is_same_sync, NULL},
};

/* ---- the list ---- */

bool bw_findings_init(struct bw_findings *l)
{
	pthread_mutex_init(&l->lock, NULL);
	l->e = calloc(BW_FOUND_KINDS * (size_t)BW_CHECK_FINDINGS, sizeof(*l->e));
	return l->e;
}

void bw_findings_fini(struct bw_findings *l)
{
	pthread_mutex_destroy(&l->lock);
	free(l->e);
}

bool bw_findings_again(struct bw_findings *l, const struct bw_check_finding *f)
{
	for (size_t i = 0; i < l->n; i++) {
		struct bw_check_finding *known = &l->e[i];
		if (known->kind != f->kind || known->vmid != f->vmid ||
		    !kinds[f->kind].is_same(known, f))
			continue;
		if (kinds[f->kind].again)
			kinds[f->kind].again(known, f);
		known->count++;
		return true;
	}
	return false;
}

struct bw_check_finding *bw_findings_add(struct bw_findings *l, const struct bw_check_finding *f)
{
	if (l->n_of[f->kind] == BW_CHECK_FINDINGS)
		return NULL;
	l->n_of[f->kind]++;
	l->e[l->n] = *f;
	return &l->e[l->n++];
}

void bw_findings_drop(struct bw_findings *l, size_t i)
{
	l->n_of[l->e[i].kind]--;
	memmove(&l->e[i], &l->e[i + 1], (--l->n - i) * sizeof(*l->e));
}

void bw_findings_tell(struct bw_findings *l, struct bw_check_finding *f, struct bw_wave *w)
{
	f->number = ++l->last;
	if (l->listener)
		l->listener(l->listener_cookie, ++l->n_told[f->kind], f);
	if (w && l->stops_waves)
		atomic_fetch_or_explicit(&w->request, BW_REQ_FINDING, memory_order_relaxed);
}

bool bw_check_found(struct bw_check *c, struct bw_wave *w, const struct bw_check_finding *f)
{
	struct bw_findings *l = &c->found;
	struct bw_check_finding *new = NULL;
	pthread_mutex_lock(&l->lock);
	if (!bw_findings_again(l, f))
		new = bw_findings_add(l, f);
	if (new)
		bw_findings_tell(l, new, w);
	pthread_mutex_unlock(&l->lock);
	return new;
}

bool bw_check_is_known(struct bw_check *c, const struct bw_check_finding *f)
{
	pthread_mutex_lock(&c->found.lock);
	bool is_known = bw_findings_again(&c->found, f);
	pthread_mutex_unlock(&c->found.lock);
	return is_known;
}

/* ---- for others ---- */

void bw_check_listen(struct bw_check *c, bw_check_listener *fn, void *cookie)
{
	pthread_mutex_lock(&c->found.lock);
	c->found.listener = fn;
	c->found.listener_cookie = cookie;
	pthread_mutex_unlock(&c->found.lock);
}

void bw_check_stop_waves(struct bw_check *c)
{
	pthread_mutex_lock(&c->found.lock);
	c->found.stops_waves = true;
	pthread_mutex_unlock(&c->found.lock);
}

size_t bw_check_findings(struct bw_check *c, struct bw_check_finding *out, size_t max)
{
	size_t n = 0;
	pthread_mutex_lock(&c->found.lock);
	for (size_t i = 0; i < c->found.n; i++) {
		const struct bw_check_finding *f = &c->found.e[i];
		if (f->number && n < max)
			out[n] = *f;
		n += f->number != 0;
	}
	pthread_mutex_unlock(&c->found.lock);
	return n;
}

const char *bw_check_kind_name(enum bw_check_kind kind)
{
	return kinds[kind].name;
}

const char *bw_check_relation_name(enum bw_check_relation relation)
{
	static const char *const names[] = {
		[BW_CHECK_LANES] = "lanes",	  [BW_CHECK_WAVES] = "waves",
		[BW_CHECK_GROUPS] = "groups",	  [BW_CHECK_DISPATCHES] = "dispatches",
		[BW_CHECK_TRANSFER] = "transfer", [BW_CHECK_QUEUES] = "queues"};
	return names[relation];
}

const char *bw_check_access_name(enum bw_check_access access)
{
	static const char *const names[] = {
		[BW_CHECK_LOAD] = "load",	[BW_CHECK_STORE] = "store",
		[BW_CHECK_ATOMIC] = "atomic",	[BW_CHECK_BARRIER] = "barrier",
		[BW_CHECK_SHUFFLE] = "shuffle", [BW_CHECK_COPY] = "copy",
		[BW_CHECK_FILL] = "fill",	[BW_CHECK_WRITE] = "write"};
	return names[access];
}

const char *bw_outside_name(enum bw_outside_of of)
{
	static const char *const names[BW_OUTSIDE_COUNT] = {
		[BW_OUTSIDE_BUFFER] = "buffer",	  [BW_OUTSIDE_ELEMENTS] = "elements",
		[BW_OUTSIDE_ELEMENT] = "element", [BW_OUTSIDE_LDS] = "LDS",
		[BW_OUTSIDE_SCRATCH] = "scratch", [BW_OUTSIDE_IMAGE] = "image",
		[BW_OUTSIDE_MEMORY] = "memory"};
	return names[of];
}

const char *bw_init_use_name(enum bw_init_use use)
{
	static const char *const names[] = {[BW_INIT_BRANCH] = "branch",
					    [BW_INIT_ADDRESS] = "address",
					    [BW_INIT_STORE] = "store"};
	return names[use];
}

const char *bw_init_memory_name(enum bw_init_memory memory)
{
	static const char *const names[] = {[BW_INIT_REGISTER] = "register",
					    [BW_INIT_IN_LDS] = "LDS",
					    [BW_INIT_IN_SCRATCH] = "scratch",
					    [BW_INIT_IN_LANE] = "lane"};
	return names[memory];
}

const char *bw_sync_kind_name(enum bw_sync_kind kind)
{
	static const char *const names[] = {
		[BW_SYNC_LANES] = "lanes", [BW_SYNC_ENDED] = "ended", [BW_SYNC_PLACES] = "places"};
	return names[kind];
}
