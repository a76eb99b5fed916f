/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_SUBMIT_H
#define BW_AGENT_GPU_SUBMIT_H

/* Command submissions of a program with a debugger: dispatches are found in the command buffers and
 * shown, and the call waits until the debugger releases it. */

#include "agent/agent.h"

int bw_submit(struct bw_agent_file *f, uint32_t cmd, void *arg);
/* The file is closed: frees what was remembered of its submissions. */
void bw_submit_forget(struct bw_agent_file *f);
/* Shows those submissions of a file that was asleep which are not over yet. */
void bw_submit_show_running(struct bw_agent_file *f);

#endif
