/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void bw_extents_fini(struct bw_extents *x)
{
	free(x->e);
	*x = (struct bw_extents){0};
}

static uint64_t end_of(const struct bw_extent *e)
{
	return e->va + e->size_b;
}

/* How many are before the address, or begin there. */
static size_t up_to(const struct bw_extents *x, uint64_t space, uint64_t va)
{
	size_t from = 0, to = x->n;
	while (from < to) {
		size_t k = (from + to) / 2;
		const struct bw_extent *e = &x->e[k];
		if (e->space < space || (e->space == space && e->va <= va))
			from = k + 1;
		else
			to = k;
	}
	return from;
}

static void drop(struct bw_extents *x, size_t first, size_t n)
{
	if (!n)
		return;
	memmove(&x->e[first], &x->e[first + n], (x->n - first - n) * sizeof(*x->e));
	x->n -= n;
}

static bool make_room(struct bw_extents *x)
{
	if (x->n < x->max)
		return true;
	size_t max = x->max ? 2 * x->max : 64;
	struct bw_extent *e = realloc(x->e, max * sizeof(*e));
	if (!e)
		return false;
	x->e = e;
	x->max = max;
	return true;
}

bool bw_extents_add(struct bw_extents *x, const struct bw_extent *e)
{
	if (!e->size_b || e->size_b > UINT64_MAX - e->va)
		return false;
	size_t first = up_to(x, e->space, e->va), n = 0;
	if (first && x->e[first - 1].space == e->space && end_of(&x->e[first - 1]) > e->va)
		first--;
	while (first + n < x->n && x->e[first + n].space == e->space &&
	       x->e[first + n].va < end_of(e))
		n++;
	drop(x, first, n);
	if (x->n == BW_EXTENTS_MAX || !make_room(x))
		return false;
	memmove(&x->e[first + 1], &x->e[first], (x->n - first) * sizeof(*x->e));
	x->e[first] = *e;
	x->n++;
	return true;
}

void bw_extents_remove(struct bw_extents *x, uint64_t space, uint64_t va)
{
	size_t i = up_to(x, space, va);
	if (i && x->e[i - 1].space == space && x->e[i - 1].va == va)
		drop(x, i - 1, 1);
}

void bw_extents_forget(struct bw_extents *x, uint64_t space)
{
	size_t first = 0, n = 0;
	while (first < x->n && x->e[first].space != space)
		first++;
	while (first + n < x->n && x->e[first + n].space == space)
		n++;
	drop(x, first, n);
}

/* An access that begins in the gap between two extents, either of which may be NULL. */
static struct bw_extents_answer look_in_gap(const struct bw_extent *below,
					    const struct bw_extent *above, uint64_t va,
					    unsigned size_b)
{
	uint64_t past_b = below ? va - end_of(below) : 0, to_b = above ? above->va - va : 0;
	bool is_after = below && past_b < below->after_b;
	bool is_before = above && (to_b <= above->before_b || to_b < size_b);
	struct bw_extents_answer a = {.to = UINT64_MAX};
	if (is_after && is_before)
		a.outside_of = past_b < to_b ? below : above;
	else if (is_after || is_before)
		a.outside_of = is_after ? below : above;
	if (below)
		a.from = end_of(below) + BW_MIN(below->after_b, UINT64_MAX - end_of(below));
	if (above)
		a.to = above->va - BW_MIN(above->before_b, above->va);
	return a;
}

struct bw_extents_answer bw_extents_look(const struct bw_extents *x, uint64_t space, uint64_t va,
					 unsigned size_b)
{
	size_t i = up_to(x, space, va);
	const struct bw_extent *below = i && x->e[i - 1].space == space ? &x->e[i - 1] : NULL;
	const struct bw_extent *above = i < x->n && x->e[i].space == space ? &x->e[i] : NULL;
	if (!below || va >= end_of(below))
		return look_in_gap(below, above, va, size_b);
	return (struct bw_extents_answer){
		.outside_of = below->is_freed || size_b > end_of(below) - va ? below : NULL,
		.from = below->va,
		.to = end_of(below),
	};
}
