/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/bounds.h"

#include <string.h>

#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "wire/checks.h"

void bw_bounds_report(struct bw_check_group *g, struct bw_wave *w, const struct bw_outside *o,
		      const struct bw_extent *e)
{
	const struct bw_check_dispatch *d = g->dispatch;
	if (g->wave[w->index_in_group].hidden >> o->lane & 1)
		return;
	struct bw_check_finding f = {
		.kind = BW_FOUND_BOUNDS,
		.count = 1,
		.vmid = d->vmid,
		.lanes = d->lanes,
		.first = bw_check_side_of(d, w, g->wave[w->index_in_group].at, o->lane),
		.bounds = {.what = *o, .is_freed = e && e->is_freed},
	};
	if (bw_check_is_known(d->check, &f))
		return;
	if (e) {
		memcpy(f.bounds.name, e->name, sizeof(f.bounds.name));
		memcpy(f.bounds.made, e->made, sizeof(f.bounds.made));
		memcpy(f.bounds.freed, e->freed, sizeof(f.bounds.freed));
		f.bounds.program = e->program;
	}
	if (o->base && o->limit) {
		/* the pointer that is nearest below the object's last byte, if it points to it */
		bw_check_find_pointer(d, w, o->base + o->limit - 1, &f.pointer);
		f.pointer.is_known = f.pointer.is_known && f.pointer.value == o->base;
	}
	bw_check_found(d->check, w, &f);
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

/* ---- LDS, by the byte ---- */

void bw_bounds_kernel(struct bw_check *c, uint64_t space, uint64_t va, uint32_t lds_b)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	b->kernel[b->next_kernel++ % BW_CHECK_KERNELS] =
		(struct bw_bounds_kernel){space, bw_canonical(va), lds_b};
	pthread_mutex_unlock(&b->lock);
}

uint32_t bw_bounds_lds(struct bw_bounds *b, uint64_t space, uint64_t va)
{
	uint32_t lds_b = 0;
	pthread_mutex_lock(&b->lock);
	for (unsigned i = 1; !lds_b && i <= BW_CHECK_KERNELS; i++) {
		const struct bw_bounds_kernel *k =
			&b->kernel[(b->next_kernel - i) % BW_CHECK_KERNELS];
		if (k->space == space && k->va == va)
			lds_b = k->lds_b;
	}
	pthread_mutex_unlock(&b->lock);
	return lds_b;
}

/* What is between the kernel's own LDS and the end of what the GPU has given. Compilers load three
 * dwords as four. */
void bw_bounds_touch_lds(const struct bw_check_group *g, struct bw_wave *w, enum bw_touch_kind kind,
			 const struct bw_touch *touches, unsigned n)
{
	uint32_t lds_b = g->dispatch->lds_b;
	for (unsigned i = 0; i < n; i++) {
		const struct bw_touch *t = &touches[i];
		uint64_t at = (uint64_t)(t->host - w->wg->lds), end = at + t->size_b;
		bool is_wide = kind == BW_TOUCH_LOAD && t->size_b == 16 && at % 16 == 0;
		if (end > lds_b + (is_wide ? 4 : 0))
			bw_check_outside(w, &(struct bw_outside){.of = BW_OUTSIDE_LDS,
								 .lane = t->lane,
								 .size_b = t->size_b,
								 .limit = lds_b,
								 .at = (int64_t)at});
	}
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
	if (!(c->what & (BW_CHECK_BOUNDS | BW_CHECK_LEAKS)))
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

/* ---- leaks ---- */

/* Adds a block to the row of its place; returns how many rows there are. What does not fit in is
 * left out. */
static size_t add_leak(struct bw_leak *rows, size_t n, size_t max, const struct bw_extent *e)
{
	size_t i = 0;
	if (e->is_freed)
		return n;
	while (i < n && (rows[i].program != e->program ||
			 memcmp(rows[i].made, e->made, sizeof(e->made)) != 0))
		i++;
	if (i == max)
		return n;
	if (i == n) {
		rows[i] = (struct bw_leak){.program = e->program};
		memcpy(rows[i].name, e->name, sizeof(rows[i].name));
		memcpy(rows[i].made, e->made, sizeof(rows[i].made));
	}
	rows[i].n++;
	rows[i].size_b += e->size_b;
	return BW_MAX(n, i + 1);
}

void bw_bounds_left(struct bw_check *c, const struct bw_extent *e)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	b->n_leaks = add_leak(b->leak, b->n_leaks, BW_CHECK_LEAKS_MAX, e);
	pthread_mutex_unlock(&b->lock);
}

size_t bw_bounds_leaks(struct bw_check *c, struct bw_leak *out, size_t max)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	size_t n = BW_MIN(b->n_leaks, max);
	memcpy(out, b->leak, n * sizeof(*out));
	for (size_t i = 0; i < b->extents.n; i++)
		n = add_leak(out, n, max, &b->extents.e[i]);
	pthread_mutex_unlock(&b->lock);
	return n;
}

void bw_bounds_forget(struct bw_check *c, uint64_t space)
{
	struct bw_bounds *b = &c->bounds;
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->extents.n; i++)
		if (b->extents.e[i].space == space)
			b->n_leaks =
				add_leak(b->leak, b->n_leaks, BW_CHECK_LEAKS_MAX, &b->extents.e[i]);
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

static bool is_known(const struct bw_check_known *k, uint64_t least, uint64_t greatest,
		     unsigned size_b)
{
	for (unsigned i = 0; i < BW_CHECK_RANGES; i++) {
		const struct bw_check_range *r = &k->range[i];
		if (least >= r->from && greatest < r->to && r->to - greatest >= size_b)
			return true;
	}
	return false;
}

static void know(struct bw_check_known *k, const struct bw_extents_answer *a)
{
	for (unsigned i = 0; i < BW_CHECK_RANGES; i++)
		if (k->range[i].from == a->from && k->range[i].to == a->to)
			return;
	k->range[k->next++ % BW_CHECK_RANGES] = (struct bw_check_range){a->from, a->to};
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
		know(&mine->known, &a);
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
	struct bw_check_known *known = &g->wave[w->index_in_group].known;
	if (!generation)
		return;
	for (uint32_t exec = a->exec; exec; exec &= exec - 1) {
		uint64_t va = address_of(a, (unsigned)__builtin_ctz(exec));
		least = BW_MIN(least, va);
		greatest = BW_MAX(greatest, va);
	}
	if (known->generation == generation && is_known(known, least, greatest, a->size_b))
		return;
	pthread_mutex_lock(&b->lock);
	if (known->generation != b->generation)
		*known = (struct bw_check_known){.generation = b->generation};
	for (uint32_t exec = a->exec; exec; exec &= exec - 1)
		look_at_lane(g, w, a, (unsigned)__builtin_ctz(exec));
	pthread_mutex_unlock(&b->lock);
}
