/* SPDX-License-Identifier: MIT */
#include "base/table.h"

#include <string.h>

static uint64_t id_at(const void *data, size_t elem_b, size_t at)
{
	uint64_t id;
	memcpy(&id, (const uint8_t *)data + at * elem_b, sizeof(id));
	return id;
}

/* Where the search for it begins: numbers that follow each other are spread (Fibonacci hashing,
 * Knuth, The Art of Computer Programming, 6.4). */
static size_t home_of(const struct bw_table_index *x, uint64_t id)
{
	return (size_t)((id * 0x9e3779b97f4a7c15u) >> 32) & (x->n_slots - 1);
}

static size_t next(const struct bw_table_index *x, size_t slot)
{
	return (slot + 1) & (x->n_slots - 1);
}

/* The slot of the number, or the free one at which the search ends. */
static size_t slot_of(const struct bw_table_index *x, const void *data, size_t elem_b, uint64_t id)
{
	size_t slot = home_of(x, id);
	while (x->slots[slot] && id_at(data, elem_b, x->slots[slot] - 1) != id)
		slot = next(x, slot);
	return slot;
}

void *bw_table_find_(const struct bw_table_index *x, const void *data, size_t elem_b, uint64_t id)
{
	size_t at = x->n_slots ? x->slots[slot_of(x, data, elem_b, id)] : 0;
	return at ? (uint8_t *)data + (at - 1) * elem_b : NULL;
}

void bw_table_note_(struct bw_table_index *x, const void *data, size_t elem_b, size_t at)
{
	x->slots[slot_of(x, data, elem_b, id_at(data, elem_b, at))] = at + 1;
}

struct bw_error *bw_table_reserve_(struct bw_table_index *x, const void *data, size_t len,
				   size_t elem_b)
{
	if (2 * (len + 1) < x->n_slots)
		return NULL;
	struct bw_table_index grown = {.n_slots = x->n_slots ? 2 * x->n_slots : 16};
	grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
	if (!grown.slots)
		return bw_error_nomem();
	for (size_t i = 0; i < len; i++)
		bw_table_note_(&grown, data, elem_b, i);
	free(x->slots);
	*x = grown;
	return NULL;
}

/* Frees a slot. Later elements move up where the search for them would now end at this slot. */
static void free_slot(struct bw_table_index *x, const void *data, size_t elem_b, size_t hole)
{
	for (size_t slot = next(x, hole); x->slots[slot]; slot = next(x, slot)) {
		size_t home = home_of(x, id_at(data, elem_b, x->slots[slot] - 1));
		/* how far past its home it is, and how far the hole is in front of it */
		if (((slot - home) & (x->n_slots - 1)) < ((slot - hole) & (x->n_slots - 1)))
			continue;
		x->slots[hole] = x->slots[slot];
		hole = slot;
	}
	x->slots[hole] = 0;
}

size_t bw_table_remove_(struct bw_table_index *x, void *data, size_t len, size_t elem_b,
			uint64_t id)
{
	const uint8_t *gone = bw_table_find_(x, data, elem_b, id);
	if (!gone)
		return len;
	size_t at = (size_t)(gone - (uint8_t *)data) / elem_b, last = len - 1;
	free_slot(x, data, elem_b, slot_of(x, data, elem_b, id));
	if (at != last) {
		size_t slot = slot_of(x, data, elem_b, id_at(data, elem_b, last));
		memcpy((uint8_t *)data + at * elem_b, (uint8_t *)data + last * elem_b, elem_b);
		x->slots[slot] = at + 1;
	}
	return last;
}
