/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_KFD_H
#define BW_AGENT_GPU_KFD_H

/* What a program of ROCm does with /dev/kfd. Linux keeps one KFD process for each process, however
 * often it opens the file; so does this. The GPU memory of that process lies in the address space
 * of one DRM file, the one that ACQUIRE_VM names, and is noted there (memory/track_kfd.h). */

#include "agent/agent.h"
#include "base/vec.h"
#include "wire/agent_proto.h"

/* A call of the program: 0 or more, or -errno. */
int bw_kfd_program_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg);
/* A forked child has no KFD process. */
void bw_kfd_fork_child(void);

/* aql_queue.c: CREATE_QUEUE of an AQL queue in the address space of vm; UPDATE_QUEUE and
 * DESTROY_QUEUE of any. */
int bw_aql_create(struct bw_agent_file *f, struct bw_agent_file *vm, uint32_t cmd, void *arg);
int bw_aql_update(struct bw_agent_file *f, uint32_t cmd, void *arg);
int bw_aql_destroy(struct bw_agent_file *f, uint32_t cmd, void *arg);
struct bw_aql_list BW_VEC(struct bw_agent_aql_queue);
/* All AQL queues; the caller frees the vector. */
struct bw_error *bw_aql_list(struct bw_aql_list *out) BW_MUST_CHECK;
/* Waits until all dispatches that the GPU has are over, or there is no debugger. */
void bw_aql_await_ends(void);
void bw_aql_fork_child(void);

#endif
