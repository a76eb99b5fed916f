/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_ROCM_ROCM_H
#define BW_AGENT_ROCM_ROCM_H

/* Functions of ROCm's libraries that take the place of theirs, with their names and their binary
 * interface, which the libraries keep from version to version. Without ROCm nobody calls them. */

#include "agent/rocm/libraries.h"

#define EXPORT __attribute__((visibility("default")))

/* The library's function of that name; NULL: there is none. It is looked up once for each place
 * that uses it; two threads may look it up at the same time. */
#define BW_ROCM_REAL(library, function)                                                            \
	({                                                                                         \
		static _Atomic(void *) bw_real_;                                                   \
		void *bw_p_ = atomic_load_explicit(&bw_real_, memory_order_relaxed);               \
		if (!bw_p_) {                                                                      \
			bw_p_ = bw_rocm_real(library, #function);                                  \
			atomic_store_explicit(&bw_real_, bw_p_, memory_order_relaxed);             \
		}                                                                                  \
		(__typeof__(&function))bw_p_;                                                      \
	})

/* hip_calls.c: whether this thread is in a call by which a program asks HIP for memory. */
bool bw_rocm_is_in_hip(void);

#endif
