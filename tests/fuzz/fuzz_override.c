/* SPDX-License-Identifier: MIT */
/* A file of anyone's as an override of a submission: decoded, and every byte of its parts read. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "capture/override.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_override o = {0};
	static volatile uint64_t sum;
	struct bw_error *err = bw_override_decode(bytes, n, &o);
	if (err) {
		assert(*err->message && !o.ibs.len && !o.parts.len);
		bw_error_free(err);
		return 0;
	}
	assert(bw_override_is(bytes, n) && o.ibs.len);
	bw_vec_each(&o.ibs, ib)
		assert(!(ib->va % 4) && !(ib->size_b % 4));
	bw_vec_each(&o.parts, p) {
		assert(p->size_b && p->va + p->size_b > p->va);
		for (uint64_t i = 0; i < p->size_b; i++)
			sum += p->bytes[i];
	}
	bw_override_fini(&o);
	return 0;
}
