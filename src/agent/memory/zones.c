/* SPDX-License-Identifier: MIT */
#include "agent/memory/zones.h"

#include <stdlib.h>
#include <string.h>

void bw_zones_fini(struct bw_zones *x)
{
	free(x->z);
	*x = (struct bw_zones){0};
}

/* How many begin at the address or before it. */
static size_t up_to(const struct bw_zones *x, uint64_t va)
{
	size_t from = 0, to = x->n;
	while (from < to) {
		size_t k = (from + to) / 2;
		if (x->z[k].real <= va)
			from = k + 1;
		else
			to = k;
	}
	return from;
}

static bool is_whole(const struct bw_zone *z)
{
	return z->size_b && z->real_b && z->real_b - 1 <= UINT64_MAX - z->real &&
	       z->va >= z->real && z->va - z->real < z->real_b &&
	       z->size_b <= z->real_b - (z->va - z->real);
}

static bool make_room(struct bw_zones *x)
{
	if (x->n < x->max)
		return true;
	size_t max = x->max ? 2 * x->max : 64;
	struct bw_zone *z = realloc(x->z, max * sizeof(*z));
	if (!z)
		return false;
	x->z = z;
	x->max = max;
	return true;
}

bool bw_zones_add(struct bw_zones *x, const struct bw_zone *z)
{
	if (!is_whole(z))
		return false;
	size_t i = up_to(x, z->real);
	const struct bw_zone *below = i ? &x->z[i - 1] : NULL, *above = i < x->n ? &x->z[i] : NULL;
	if ((below && z->real - below->real < below->real_b) ||
	    (above && above->real - z->real < z->real_b) || !make_room(x))
		return false;
	memmove(&x->z[i + 1], &x->z[i], (x->n - i) * sizeof(*x->z));
	x->z[i] = *z;
	x->n++;
	return true;
}

static struct bw_zone *find(const struct bw_zones *x, uint64_t va)
{
	size_t i = up_to(x, va);
	struct bw_zone *z = i ? &x->z[i - 1] : NULL;
	return z && va - z->real < z->real_b ? z : NULL;
}

struct bw_zone *bw_zones_around(struct bw_zones *x, uint64_t va)
{
	struct bw_zone *z = find(x, va);
	return z && !z->gone ? z : NULL;
}

bool bw_zones_is_kept(const struct bw_zones *x, uint64_t va)
{
	const struct bw_zone *z = find(x, va);
	return z && z->gone;
}

struct bw_zone *bw_zones_at(struct bw_zones *x, uint64_t va)
{
	struct bw_zone *z = bw_zones_around(x, va);
	return z && z->va == va ? z : NULL;
}

void bw_zones_keep(struct bw_zones *x, struct bw_zone *z)
{
	z->gone = ++x->last_gone;
	x->n_gone++;
	x->gone_b += z->real_b;
}

void bw_zones_remove(struct bw_zones *x, struct bw_zone *z)
{
	size_t i = (size_t)(z - x->z);
	if (z->gone) {
		x->n_gone--;
		x->gone_b -= z->real_b;
	}
	memmove(&x->z[i], &x->z[i + 1], (x->n - i - 1) * sizeof(*x->z));
	x->n--;
}

struct bw_zone *bw_zones_oldest(struct bw_zones *x, size_t max, uint64_t max_b)
{
	struct bw_zone *oldest = NULL;
	if (x->n_gone <= max && x->gone_b <= max_b)
		return NULL;
	for (size_t i = 0; i < x->n; i++) {
		struct bw_zone *z = &x->z[i];
		if (z->gone && (!oldest || z->gone < oldest->gone))
			oldest = z;
	}
	return oldest;
}
