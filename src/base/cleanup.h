/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_CLEANUP_H
#define BW_BASE_CLEANUP_H

/* Scope guards. Use them for everything a function must give back on every path, and bw_take() to
 * hand ownership out. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

static inline void bw_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void bw_cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void bw_cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void bw_cleanup_error(struct bw_error **err)
{
	bw_error_free(*err);
}

#define _cleanup_(fn) __attribute__((cleanup(fn)))
#define _cleanup_free_ _cleanup_(bw_cleanup_free)
#define _cleanup_close_ _cleanup_(bw_cleanup_close)
#define _cleanup_fclose_ _cleanup_(bw_cleanup_fclose)
#define _cleanup_error_ _cleanup_(bw_cleanup_error)

#define bw_take(p)                                                                                 \
	({                                                                                         \
		__typeof__(p) bw_taken_ = (p);                                                     \
		(p) = NULL;                                                                        \
		bw_taken_;                                                                         \
	})
#define bw_take_fd(fd)                                                                             \
	({                                                                                         \
		int bw_taken_ = (fd);                                                              \
		(fd) = -1;                                                                         \
		bw_taken_;                                                                         \
	})

#endif
