/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_ROCM_BLOCKS_H
#define BW_AGENT_ROCM_BLOCKS_H

/* Memory that the program gets from ROCm's runtime, for --check=bounds of the virtual GPU. Each
 * block has free bytes before and after it. It is declared to the virtual GPU with the size that
 * the program asked for, and where it did so. A freed block stays for a while, declared as freed.
 * Only memory that the program itself has asked for is declared: what HIP allocates for its own use
 * is not, nor is anything else. Any thread may call. */

#include "agent/agent.h"

/* How many bytes are free before a block, and after it. */
enum { BW_ROCM_FREE_B = 64 << 10 };

/* The process uses this DRM file's address space for KFD. */
void bw_rocm_vm(struct bw_agent_file *f);
void bw_rocm_fork_child(void);
/* Whether the virtual GPU checks bounds there. */
bool bw_rocm_is_checked(void);

/* Gives memory back to the runtime, as the runtime has it: its status. */
typedef int bw_rocm_free_fn(void *real);

/* Memory from the runtime with free bytes at both ends. False: it cannot be noted. */
bool bw_rocm_add(uint64_t real, uint64_t size_b, bw_rocm_free_fn *free_fn);
/* The program itself has asked for size_b bytes there. Ignores memory that was not noted. */
void bw_rocm_declare(uint64_t va, uint64_t size_b);
/* The program frees the memory in the order of a stream. */
void bw_rocm_frees(uint64_t va);
/* The program, or HIP, frees it: false if it was not noted. */
bool bw_rocm_free(uint64_t va, int *out_status);
/* Gives all freed memory back: there is none left. */
void bw_rocm_flush(void);
/* Whether the address is in a block that the program has freed. */
bool bw_rocm_is_freed(uint64_t va);
/* The block that an address is in or next to, as the program has it and as it is allocated. */
bool bw_rocm_around(uint64_t va, uint64_t *out_va, uint64_t *out_size_b, uint64_t *out_real);

#endif
