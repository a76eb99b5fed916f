/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/bounds.h"

#include <string.h>

#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "wire/checks.h"

const char *bw_outside_name(enum bw_outside_of of)
{
	static const char *const names[BW_OUTSIDE_COUNT] = {
		[BW_OUTSIDE_BUFFER] = "buffer",	  [BW_OUTSIDE_ELEMENTS] = "elements",
		[BW_OUTSIDE_ELEMENT] = "element", [BW_OUTSIDE_LDS] = "LDS",
		[BW_OUTSIDE_SCRATCH] = "scratch", [BW_OUTSIDE_IMAGE] = "image",
		[BW_OUTSIDE_MEMORY] = "memory"};
	return names[of];
}

static struct bw_bounds_finding *find_known(struct bw_bounds *b, const struct bw_bounds_finding *f)
{
	for (size_t i = 0; i < b->n_findings; i++) {
		struct bw_bounds_finding *o = &b->finding[i];
		if (o->at.pc == f->at.pc && o->vmid == f->vmid && o->what.of == f->what.of &&
		    o->is_freed == f->is_freed && o->at.code_va == f->at.code_va)
			return o;
	}
	return NULL;
}

static bool is_same_wave(const struct bw_check_side *a, const struct bw_check_side *b)
{
	return a->wave == b->wave && !memcmp(a->group, b->group, sizeof(a->group));
}

/* One more access of a known finding. As long as none has come in between, it is another lane of
 * the first instruction. */
static void count_again(struct bw_bounds_finding *f, const struct bw_bounds_finding *again)
{
	uint64_t lane = 1ull << again->at.lane;
	unsigned lanes = 1 + (unsigned)__builtin_popcountll(f->more_lanes);
	if (f->count == lanes && is_same_wave(&f->at, &again->at) && f->at.lane != again->at.lane &&
	    !(f->more_lanes & lane))
		f->more_lanes |= lane;
	f->count++;
}

void bw_bounds_report(struct bw_check_group *g, struct bw_wave *w, const struct bw_outside *o,
		      const struct bw_extent *e)
{
	const struct bw_check_dispatch *d = g->dispatch;
	struct bw_bounds *b = &d->check->bounds;
	struct bw_bounds_finding f = {
		.what = *o,
		.count = 1,
		.vmid = d->vmid,
		.lanes = d->lanes,
		.is_freed = e && e->is_freed,
		.at = bw_check_side_of(d, w, g->wave[w->index_in_group].at, o->lane),
	};
	struct bw_bounds_finding *known = find_known(b, &f);
	if (known) {
		count_again(known, &f);
		return;
	}
	if (b->n_findings == BW_CHECK_FINDINGS)
		return;
	if (e) {
		memcpy(f.name, e->name, sizeof(f.name));
		memcpy(f.made, e->made, sizeof(f.made));
		memcpy(f.freed, e->freed, sizeof(f.freed));
		f.program = e->program;
	}
	if (o->base && o->limit) {
		/* the pointer that is nearest below the object's last byte, if it points to it */
		struct bw_check_finding p = {.va = o->base + o->limit - 1};
		bw_check_find_pointer(d, w, &p);
		f.has_pointer = p.has_pointer && p.pointer == o->base;
		f.pointer_sgpr = p.pointer_sgpr;
		f.pointer_offset = p.pointer_offset;
	}
	b->finding[b->n_findings++] = f;
	if (b->listener)
		b->listener(b->listener_cookie, b->n_findings, &f);
}

struct bw_check_group *bw_bounds_group(const struct bw_wave *w)
{
	struct bw_check_group *g = bw_check_followed(w);
	return g && g->dispatch->check->what & BW_CHECK_BOUNDS && g->wave[w->index_in_group].at
		       ? g
		       : NULL;
}

void bw_check_outside(struct bw_wave *w, const struct bw_outside *o)
{
	struct bw_check_group *g = bw_bounds_group(w);
	if (!g)
		return;
	struct bw_bounds *b = &g->dispatch->check->bounds;
	pthread_mutex_lock(&b->lock);
	bw_bounds_report(g, w, o, NULL);
	pthread_mutex_unlock(&b->lock);
}

/* ---- by address ---- */

static void changed(struct bw_bounds *b)
{
	atomic_fetch_add_explicit(&b->generation, 1, memory_order_release);
}

const char *bw_bounds_program(struct bw_check *c, const char *path)
{
	struct bw_bounds *b = &c->bounds;
	const char *known = NULL;
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; !known && i < BW_ARRAY_SIZE(b->program); i++) {
		if (!b->program[i])
			b->program[i] = strdup(path);
		if (b->program[i] && !strcmp(b->program[i], path))
			known = b->program[i];
	}
	pthread_mutex_unlock(&b->lock);
	return known;
}

bool bw_bounds_declare(struct bw_check *c, const struct bw_extent *e)
{
	struct bw_bounds *b = &c->bounds;
	if (!(c->what & BW_CHECK_BOUNDS))
		return false;
	pthread_mutex_lock(&b->lock);
	bool ok = bw_extents_add(&b->extents, e);
	changed(b);
	pthread_mutex_unlock(&b->lock);
	return ok;
}

void bw_bounds_withdraw(struct bw_check *c, uint64_t space, uint64_t va)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	bw_extents_remove(&b->extents, space, va);
	changed(b);
	pthread_mutex_unlock(&b->lock);
}

void bw_bounds_forget(struct bw_check *c, uint64_t space)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	bw_extents_forget(&b->extents, space);
	changed(b);
	pthread_mutex_unlock(&b->lock);
}

/* A load of four aligned dwords whose last one alone is outside: compilers load three dwords so. */
static bool is_wide_load(const struct bw_check_at *at, const struct bw_extent *e, uint64_t va,
			 unsigned size_b)
{
	return at->access == BW_CHECK_LOAD && size_b == 16 && va % 16 == 0 && va >= e->va &&
	       va + 12 == e->va + e->size_b;
}

static uint64_t address_of(const struct bw_addresses *a, unsigned i)
{
	return a->base + (a->hi ? bw_join32(a->hi[i], a->lo[i]) : a->lo[i]);
}

/* One lane's access by address; under the lock. */
static void look_at_lane(struct bw_check_group *g, struct bw_wave *w, const struct bw_addresses *at,
			 unsigned i)
{
	uint64_t va = address_of(at, i);
	unsigned size_b = at->size_b;
	struct bw_check_wave *mine = &g->wave[w->index_in_group];
	const struct bw_bounds *b = &g->dispatch->check->bounds;
	struct bw_extents_answer a = bw_extents_look(&b->extents, g->dispatch->space, va, size_b);
	const struct bw_extent *e = a.outside_of;
	if (!e) {
		mine->from = a.from;
		mine->to = a.to;
		mine->generation = b->generation;
		return;
	}
	if (is_wide_load(mine->at, e, va, size_b))
		return;
	bw_bounds_report(g, w,
			 &(struct bw_outside){.of = BW_OUTSIDE_MEMORY,
					      .lane = (uint8_t)(at->h * 32 + i),
					      .size_b = at->told_b ? at->told_b : size_b,
					      .base = e->va,
					      .limit = e->size_b,
					      .at = (int64_t)(va - e->va)},
			 e);
}

void bw_check_addresses(struct bw_wave *w, const struct bw_addresses *a)
{
	struct bw_check_group *g = bw_bounds_group(w);
	uint64_t least = UINT64_MAX, greatest = 0;
	if (!g || !a->exec)
		return;
	struct bw_bounds *b = &g->dispatch->check->bounds;
	uint64_t generation = atomic_load_explicit(&b->generation, memory_order_acquire);
	const struct bw_check_wave *mine = &g->wave[w->index_in_group];
	if (!generation)
		return;
	for (uint32_t exec = a->exec; exec; exec &= exec - 1) {
		uint64_t va = address_of(a, (unsigned)__builtin_ctz(exec));
		least = BW_MIN(least, va);
		greatest = BW_MAX(greatest, va);
	}
	if (mine->generation == generation && least >= mine->from && greatest < mine->to &&
	    mine->to - greatest >= a->size_b)
		return;
	pthread_mutex_lock(&b->lock);
	for (uint32_t exec = a->exec; exec; exec &= exec - 1)
		look_at_lane(g, w, a, (unsigned)__builtin_ctz(exec));
	pthread_mutex_unlock(&b->lock);
}

/* ---- findings ---- */

void bw_bounds_listen(struct bw_check *c, bw_bounds_listener *fn, void *cookie)
{
	pthread_mutex_lock(&c->bounds.lock);
	c->bounds.listener = fn;
	c->bounds.listener_cookie = cookie;
	pthread_mutex_unlock(&c->bounds.lock);
}

size_t bw_bounds_findings(struct bw_check *c, struct bw_bounds_finding *out, size_t max)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	size_t n = b->n_findings;
	memcpy(out, b->finding, BW_MIN(n, max) * sizeof(*out));
	pthread_mutex_unlock(&b->lock);
	return n;
}
