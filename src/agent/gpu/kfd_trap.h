/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_KFD_TRAP_H
#define BW_AGENT_GPU_KFD_TRAP_H

/* Traps in the queues of Linux's own KFD. Its trap handler, which saves waves when their queue
 * leaves the GPU, is entered first, and jumps to one that the process names: to the debugger's,
 * while there is one. The process debugs itself by KFD's calls, too: without a debugger of KFD's,
 * traps are off in gfx11.0 (kfd_dbg_has_cwsr_workaround of Linux 6.12), and a page fault takes all
 * queues off the GPU with the waves that a debugger has stopped. The virtual GPU's own driver has
 * no handler, so there the debugger's is entered by itself, and nothing here does anything. */

#include "agent/agent.h"

/* The program's calls: it has acquired the address space of vm; SET_TRAP_HANDLER, whose handler
 * waits while the debugger's is set. */
void bw_kfd_trap_begin(struct bw_agent_file *kfd, const struct bw_agent_file *vm, uint32_t gpu_id);
int bw_kfd_trap_program_sets(struct bw_agent_file *kfd, uint32_t cmd, void *arg);
/* Sets the debugger's handler for the waves of vm. -ENOTSUP: they are not of Linux's KFD. */
int bw_kfd_trap_set(const struct bw_agent_file *vm, uint64_t tba, uint64_t tma);
/* The program's again. May be called when nothing was set. */
void bw_kfd_trap_reset(const struct bw_agent_file *vm);
void bw_kfd_trap_fork_child(void);

#endif
