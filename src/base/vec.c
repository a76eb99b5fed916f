/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include <stdint.h>

struct bw_error *bw_vec_reserve_(void **data, size_t *cap, size_t want, size_t elem_b)
{
	if (want <= *cap)
		return NULL;
	size_t grown = *cap < 8 ? 8 : *cap;
	while (grown < want) {
		if (grown > SIZE_MAX / 2)
			return bw_error_nomem();
		grown *= 2;
	}
	void *p = reallocarray(*data, grown, elem_b);
	if (!p)
		return bw_error_nomem();
	*data = p;
	*cap = grown;
	return NULL;
}
