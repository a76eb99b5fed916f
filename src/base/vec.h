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

#define bw_vec_remove(v, i)                                                                        \
	({                                                                                         \
		size_t bw_rm_ = (i);                                                               \
		memmove(&(v)->data[bw_rm_], &(v)->data[bw_rm_ + 1],                                \
			((v)->len - bw_rm_ - 1) * sizeof(*(v)->data));                             \
		(v)->len--;                                                                        \
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
