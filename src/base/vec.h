/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_VEC_H
#define BW_BASE_VEC_H

/* Growing arrays: any struct { T *data; size_t len, cap; }.
 *
 *     struct bw_thing_vec BW_VEC(struct bw_thing);       a type
 *     BW_TRY(bw_vec_push(&v, thing));                    out of memory is an error like any other
 *     bw_vec_free(&v);                                   leaves an empty vector
 */

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define BW_VEC(T)                                                                                  \
	{                                                                                          \
		T *data;                                                                           \
		size_t len, cap;                                                                   \
	}

/* Makes room for `want` elements in all. */
struct bw_error *bw_vec_reserve_(void **data, size_t *cap, size_t want,
				 size_t elem_b) BW_MUST_CHECK;

#define bw_vec_reserve(v, want)                                                                    \
	bw_vec_reserve_((void **)&(v)->data, &(v)->cap, (want), sizeof(*(v)->data))

#define bw_vec_push(v, elem)                                                                       \
	({                                                                                         \
		struct bw_error *bw_push_err_ = bw_vec_reserve((v), (v)->len + 1);                 \
		if (!bw_push_err_)                                                                 \
			(v)->data[(v)->len++] = (elem);                                            \
		bw_push_err_;                                                                      \
	})

/* Puts an element at index i, before the one that is there. */
#define bw_vec_insert(v, i, elem)                                                                  \
	({                                                                                         \
		size_t bw_ins_ = (i);                                                              \
		struct bw_error *bw_ins_err_ = bw_vec_reserve((v), (v)->len + 1);                  \
		if (!bw_ins_err_) {                                                                \
			memmove(&(v)->data[bw_ins_ + 1], &(v)->data[bw_ins_],                      \
				((v)->len - bw_ins_) * sizeof(*(v)->data));                        \
			(v)->data[bw_ins_] = (elem);                                               \
			(v)->len++;                                                                \
		}                                                                                  \
		bw_ins_err_;                                                                       \
	})

/* Removes n elements from index i on; the others keep their order. */
#define bw_vec_remove_n(v, i, n)                                                                   \
	({                                                                                         \
		size_t bw_rm_ = (i), bw_rm_n_ = (n);                                               \
		(v)->len -= bw_rm_n_;                                                              \
		if (bw_rm_n_ && bw_rm_ < (v)->len)                                                 \
			memmove(&(v)->data[bw_rm_], &(v)->data[bw_rm_ + bw_rm_n_],                 \
				((v)->len - bw_rm_) * sizeof(*(v)->data));                         \
	})

#define bw_vec_remove(v, i) bw_vec_remove_n((v), (i), 1)

/* Removes an element; the last one takes its place. */
#define bw_vec_remove_fast(v, i)                                                                   \
	({                                                                                         \
		size_t bw_rm_ = (i);                                                               \
		(v)->data[bw_rm_] = (v)->data[--(v)->len];                                         \
	})

/* Removes each element *it for which the condition holds. */
#define bw_vec_drop(v, it, condition)                                                              \
	({                                                                                         \
		size_t bw_kept_ = 0;                                                               \
		bw_vec_each((v), it)                                                               \
			if (!(condition))                                                          \
				(v)->data[bw_kept_++] = *it;                                       \
		(v)->len = bw_kept_;                                                               \
	})

#define bw_vec_free(v)                                                                             \
	({                                                                                         \
		free((v)->data);                                                                   \
		(v)->data = NULL;                                                                  \
		(v)->len = (v)->cap = 0;                                                           \
	})

#define bw_vec_each(v, it)                                                                         \
	for (__typeof__((v)->data[0]) *it = (v)->data; (size_t)(it - (v)->data) < (v)->len; it++)

#endif
