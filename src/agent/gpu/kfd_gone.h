/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_KFD_GONE_H
#define BW_AGENT_GPU_KFD_GONE_H

#include <stdint.h>

/* After a call of the program on /dev/kfd, with its result: what the call is to give. ROCm's
 * runtime does not look at the error of a wait, and would wait again for ever when the virtual GPU
 * has gone away. KFD tells it of the loss of a GPU by an event (KFD_IOC_EVENT_HW_EXCEPTION), upon
 * which it ends the program: so does this. */
int bw_kfd_gone_after(uint32_t cmd, void *arg, int result);
/* The child of a fork has no GPU. */
void bw_kfd_gone_fork_child(void);

#endif
