/* SPDX-License-Identifier: MIT */
#ifndef BW_COMPILE_TOOL_PRIV_H
#define BW_COMPILE_TOOL_PRIV_H

#include <sys/types.h>

#include "compile/tool.h"

/* The temporary folder; NULL: there is none yet. */
const char *bw_temporary_folder(void);
/* Says which tool runs (0: none), so that a signal that ends this process ends it as well. */
void bw_temporary_tool_runs(pid_t pid);
/* Ends the process if such a signal has come while a tool was running. */
void bw_temporary_end_if_told(void);

#endif
