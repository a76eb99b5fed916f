/* SPDX-License-Identifier: MIT */
#include "agent/names/descriptors.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/names/handles.h"

struct set {
	struct bw_dynamic dynamic;
	const struct bw_bindings *bindings;
	struct bw_descriptors all; /* by binding, then element */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bw_handles sets = BW_HANDLES_INIT(struct set *);

/* ---- Bindings ---- */

struct bw_bindings {
	const struct bw_bindings *next;
	uint32_t n;
	struct bw_binding_count at[];
};
static const struct bw_bindings *all_bindings;

const struct bw_bindings *bw_bindings_keep(const struct bw_binding_count *at, uint32_t n)
{
	pthread_mutex_lock(&lock);
	const struct bw_bindings *b = all_bindings;
	while (b && (b->n != n || (n && memcmp(b->at, at, n * sizeof(*at)))))
		b = b->next;
	struct bw_bindings *new = b ? NULL : calloc(1, sizeof(*new) + n * sizeof(*at));
	if (new) {
		new->next = all_bindings;
		new->n = n;
		if (n)
			memcpy(new->at, at, n * sizeof(*at));
		b = all_bindings = new;
	}
	pthread_mutex_unlock(&lock);
	return b;
}

bool bw_bindings_place(const struct bw_bindings *b, struct bw_descriptor *d)
{
	uint32_t i = 0;
	while (b && i < b->n && b->at[i].binding != d->binding)
		i++;
	if (!b || i == b->n)
		return true; /* the layout is not known: as it is */
	while (i < b->n && d->element >= b->at[i].count)
		d->element -= b->at[i++].count;
	if (i == b->n)
		return false;
	d->binding = b->at[i].binding;
	return true;
}

/* ---- Sets ---- */

static struct set *find_set(uint64_t handle)
{
	struct set *s = NULL;
	bw_handles_get(&sets, handle, &s);
	return s;
}

void bw_descriptors_make(uint64_t handle, const struct bw_dynamic *dynamic,
			 const struct bw_bindings *bindings)
{
	pthread_mutex_lock(&lock);
	struct set *s = find_set(handle);
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (s)
			bw_handles_put(&sets, handle, &s);
	}
	if (s) {
		s->dynamic = *dynamic;
		s->bindings = bindings;
		s->all.len = 0;
	}
	pthread_mutex_unlock(&lock);
}

void bw_descriptors_forget(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	struct set *s = find_set(handle);
	bw_handles_drop(&sets, handle);
	if (s)
		bw_vec_free(&s->all);
	free(s);
	pthread_mutex_unlock(&lock);
}

/* The index of the descriptor, or the one where it is to be inserted. */
static size_t place_of(const struct bw_descriptors *list, uint32_t binding, uint32_t element)
{
	size_t lo = 0, hi = list->len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct bw_descriptor *d = &list->data[mid];
		if (d->binding < binding || (d->binding == binding && d->element < element))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct bw_descriptor *descriptor_of(const struct bw_descriptors *list, uint32_t binding,
					   uint32_t element)
{
	size_t i = place_of(list, binding, element);
	struct bw_descriptor *d = i < list->len ? &list->data[i] : NULL;
	return d && d->binding == binding && d->element == element ? d : NULL;
}

void bw_descriptors_put(struct bw_descriptors *list, const struct bw_descriptor *d)
{
	struct bw_descriptor *old = descriptor_of(list, d->binding, d->element);
	if (old) {
		*old = *d;
		return;
	}
	size_t i = place_of(list, d->binding, d->element);
	bw_error_free(bw_vec_insert(list, i, *d));
}

void bw_descriptors_write(uint64_t handle, const struct bw_descriptor *d)
{
	pthread_mutex_lock(&lock);
	struct set *s = find_set(handle);
	struct bw_descriptor placed = *d;
	if (s && bw_bindings_place(s->bindings, &placed))
		bw_descriptors_put(&s->all, &placed);
	pthread_mutex_unlock(&lock);
}

void bw_descriptors_copy(uint64_t from, uint32_t binding, uint32_t element, uint64_t to,
			 const struct bw_descriptor *first, uint32_t n)
{
	pthread_mutex_lock(&lock);
	struct set *a = find_set(from), *b = find_set(to);
	for (uint32_t i = 0; a && b && i < n; i++) {
		struct bw_descriptor source = {.binding = binding, .element = element + i};
		struct bw_descriptor target = {.binding = first->binding,
					       .element = first->element + i};
		if (!bw_bindings_place(a->bindings, &source) ||
		    !bw_bindings_place(b->bindings, &target))
			break;
		const struct bw_descriptor *d =
			descriptor_of(&a->all, source.binding, source.element);
		if (!d)
			continue;
		struct bw_descriptor copy = *d;
		copy.binding = target.binding;
		copy.element = target.element;
		bw_descriptors_put(&b->all, &copy);
	}
	pthread_mutex_unlock(&lock);
}

uint32_t bw_descriptors_n_dynamic(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	const struct set *s = find_set(handle);
	uint32_t n = s ? s->dynamic.n : 0;
	pthread_mutex_unlock(&lock);
	return n;
}

bool bw_descriptors_list(uint64_t handle, const uint32_t *offsets, uint32_t n,
			 struct bw_descriptors *out)
{
	bool done = true;
	pthread_mutex_lock(&lock);
	const struct set *s = find_set(handle);
	for (size_t i = 0; s && done && i < s->all.len; i++) {
		struct bw_descriptor d = s->all.data[i];
		for (uint32_t k = 0; d.is_dynamic && k < s->dynamic.n && k < n; k++)
			if (s->dynamic.at[k].binding == d.binding &&
			    s->dynamic.at[k].element == d.element)
				d.offset_b += offsets[k];
		struct bw_error *err = bw_vec_push(out, d);
		done = !err;
		bw_error_free(err);
	}
	pthread_mutex_unlock(&lock);
	return done;
}

void bw_descriptors_fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
}
