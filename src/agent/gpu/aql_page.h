/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_AQL_PAGE_H
#define BW_AGENT_GPU_AQL_PAGE_H

/* A page in system memory, at the same address for the GPU and for this process. */

#include "agent/agent.h"

struct bw_aql_page {
	uint32_t gpu_id;
	uint64_t handle; /* KFD's; 0: there is none */
	void *at;	 /* NULL: not mapped */
};

/* vm: the file with the process's address space. 0 or -errno; *out is to be freed in any case. */
int bw_aql_page_make(struct bw_agent_file *kfd, struct bw_agent_file *vm, uint32_t gpu_id,
		     struct bw_aql_page *out);
void bw_aql_page_free(struct bw_agent_file *kfd, struct bw_aql_page *p);

#endif
