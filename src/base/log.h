/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_LOG_H
#define BW_BASE_LOG_H

/* Diagnostics for people who debug the debugger. Errors are always shown; the rest when
 * BREAKWATER_LOG asks for it:
 *
 *     BREAKWATER_LOG=info                    every module at info
 *     BREAKWATER_LOG=uapi=debug,agent=info   by module
 *
 * What the user must see of a command is not a log message: it is an error or the command's
 * output. */

#include <stdbool.h>

#include "base/error.h"

enum bw_log_level {
	BW_LOG_NONE,
	BW_LOG_ERROR,
	BW_LOG_WARN,
	BW_LOG_INFO,
	BW_LOG_DEBUG,
	BW_LOG_TRACE
};

bool bw_log_on(enum bw_log_level level, const char *module);
void bw_log_write(enum bw_log_level level, const char *module, const char *fmt, ...)
	BW_PRINTF(3, 4);

/* BW_LOG(DEBUG, "uapi", "GEM_CREATE %llu bytes", n) */
#define BW_LOG(level, module, ...)                                                                 \
	do {                                                                                       \
		if (bw_log_on(BW_LOG_##level, module))                                             \
			bw_log_write(BW_LOG_##level, module, __VA_ARGS__);                         \
	} while (0)

#endif
