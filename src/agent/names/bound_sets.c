/* SPDX-License-Identifier: MIT */
#include "agent/names/bound_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* A row of the recording; n_pushed descriptors follow. */
struct row {
	uint64_t set;
	uint32_t number, n_pushed, n_offsets, offsets[BW_DYNAMIC_MAX];
};

void bw_bound_sets_clear(struct bw_bound_sets *b)
{
	for (size_t i = 0; i < BW_BOUND_SETS_MAX; i++)
		bw_vec_free(&b->at[i].pushed);
	*b = (struct bw_bound_sets){0};
}

void bw_bound_sets_bind(struct bw_bound_sets *b, uint32_t number, uint64_t set,
			const uint32_t *offsets, uint32_t n_offsets)
{
	if (number >= BW_BOUND_SETS_MAX)
		return;
	b->at[number].pushed.len = 0;
	b->at[number].layout = 0;
	b->at[number].set = set;
	b->at[number].n_offsets = BW_MIN(n_offsets, (uint32_t)BW_DYNAMIC_MAX);
	for (uint32_t i = 0; i < b->at[number].n_offsets; i++)
		b->at[number].offsets[i] = offsets[i];
}

void bw_bound_sets_push(struct bw_bound_sets *b, uint32_t number, uint64_t layout,
			const struct bw_descriptors *descriptors)
{
	if (number >= BW_BOUND_SETS_MAX)
		return;
	if (b->at[number].set || b->at[number].layout != layout)
		bw_bound_sets_bind(b, number, 0, NULL, 0);
	b->at[number].layout = layout;
	bw_vec_each(descriptors, d)
		bw_descriptors_put(&b->at[number].pushed, d);
}

uint32_t bw_bound_sets_write(const struct bw_bound_sets *b, struct bw_names_blob *to,
			     uint32_t *out_b)
{
	uint32_t first = 0;
	*out_b = 0;
	for (uint32_t i = 0; i < BW_BOUND_SETS_MAX; i++) {
		const struct bw_descriptors *pushed = &b->at[i].pushed;
		if (!b->at[i].set && !pushed->len)
			continue;
		struct row row = {.set = b->at[i].set,
				  .number = i,
				  .n_pushed = (uint32_t)pushed->len,
				  .n_offsets = b->at[i].n_offsets};
		memcpy(row.offsets, b->at[i].offsets, sizeof(row.offsets));
		uint32_t pushed_b = (uint32_t)(pushed->len * sizeof(*pushed->data));
		uint32_t at = bw_names_append(to, &row, sizeof(row));
		if (!at || (pushed_b && !bw_names_append(to, pushed->data, pushed_b))) {
			*out_b = 0;
			return 0;
		}
		first = first ? first : at;
		*out_b += (uint32_t)sizeof(row) + pushed_b;
	}
	return first;
}

uint32_t bw_bound_sets_read(const uint8_t *bytes, uint32_t *out_number, struct bw_descriptors *out,
			    bool *out_cut)
{
	struct row row;
	memcpy(&row, bytes, sizeof(row));
	*out_number = row.number;
	if (row.set && !bw_descriptors_list(row.set, row.offsets, row.n_offsets, out))
		*out_cut = true;
	for (uint32_t i = 0; i < row.n_pushed; i++) {
		struct bw_descriptor d;
		memcpy(&d, bytes + sizeof(row) + i * sizeof(d), sizeof(d));
		struct bw_error *err = bw_vec_push(out, d);
		*out_cut |= err != NULL;
		bw_error_free(err);
	}
	return (uint32_t)(sizeof(row) + row.n_pushed * sizeof(struct bw_descriptor));
}
