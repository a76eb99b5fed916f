/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_TABLE_H
#define BW_BASE_TABLE_H

/* Vectors (vec.h) whose elements are found by a number that each has for itself, in the same time
 * however many they are. The number is the first member of an element, a uint64_t, and stays as
 * it is while the element is in the table.
 *
 *     struct thing { uint64_t id; ... };
 *     struct BW_TABLE(struct thing) t = {0};
 *     BW_TRY(bw_table_add(&t, ((struct thing){.id = 7})));     at the end; 7 must not be in it
 *     struct thing *x = bw_table_find(&t, 7);                  NULL: it is not in it
 *     bw_table_remove(&t, 7);                                  the last one takes its place
 *     bw_table_free(&t);
 *
 * bw_vec_each goes through it. Adding and removing move elements. */

#include <stdint.h>

#include "base/vec.h"

#define BW_TABLE(T)                                                                                \
	{                                                                                          \
		T *data;                                                                           \
		size_t len, cap;                                                                   \
		struct bw_table_index index;                                                       \
	}

/* Where the elements are: position + 1 by a hash of the number, or after that; 0 is free. */
struct bw_table_index {
	size_t *slots;
	size_t n_slots; /* a power of two, more than twice the elements; or 0 */
};

/* What the macros call. data, elem_b: the elements. */
void *bw_table_find_(const struct bw_table_index *x, const void *data, size_t elem_b, uint64_t id);
struct bw_error *bw_table_reserve_(struct bw_table_index *x, const void *data, size_t len,
				   size_t elem_b) BW_MUST_CHECK;
void bw_table_note_(struct bw_table_index *x, const void *data, size_t elem_b, size_t at);
/* Returns the number of elements that are left. */
size_t bw_table_remove_(struct bw_table_index *x, void *data, size_t len, size_t elem_b,
			uint64_t id);

#define bw_table_find(t, id)                                                                       \
	((__typeof__((t)->data))bw_table_find_(&(t)->index, (t)->data, sizeof(*(t)->data), (id)))

#define bw_table_add(t, elem)                                                                      \
	({                                                                                         \
		struct bw_error *bw_add_err_ =                                                     \
			bw_table_reserve_(&(t)->index, (t)->data, (t)->len, sizeof(*(t)->data));   \
		if (!bw_add_err_)                                                                  \
			bw_add_err_ = bw_vec_push((t), (elem));                                    \
		if (!bw_add_err_)                                                                  \
			bw_table_note_(&(t)->index, (t)->data, sizeof(*(t)->data), (t)->len - 1);  \
		bw_add_err_;                                                                       \
	})

#define bw_table_remove(t, id)                                                                     \
	((t)->len = bw_table_remove_(&(t)->index, (t)->data, (t)->len, sizeof(*(t)->data), (id)))

#define bw_table_free(t)                                                                           \
	({                                                                                         \
		bw_vec_free(t);                                                                    \
		free((t)->index.slots);                                                            \
		(t)->index = (struct bw_table_index){0};                                           \
	})

#endif
