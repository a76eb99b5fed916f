/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_REAL_H
#define BW_AGENT_REAL_H

/* The function that the program would call without the agent: REAL(open)(path, flags). It is looked
 * up once for each place that uses it; two threads may look it up at the same time. */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#define REAL(fn)                                                                                   \
	({                                                                                         \
		static _Atomic(void *) bw_real_;                                                   \
		void *bw_p_ = atomic_load_explicit(&bw_real_, memory_order_relaxed);               \
		if (!bw_p_) {                                                                      \
			bw_p_ = dlsym(RTLD_NEXT, #fn);                                             \
			if (!bw_p_)                                                                \
				abort(); /* a libc older than the one this was built for */        \
			atomic_store_explicit(&bw_real_, bw_p_, memory_order_relaxed);             \
		}                                                                                  \
		(__typeof__(&fn))bw_p_;                                                            \
	})

#endif
