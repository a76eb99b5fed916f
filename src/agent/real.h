/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_REAL_H
#define BW_AGENT_REAL_H

/* What a function would have been without us: REAL(open)(path, flags). Looked up once for each
 * place that uses it; looking twice at the same time does no harm. */

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
