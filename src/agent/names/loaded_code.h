/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_LOADED_CODE_H
#define BW_AGENT_NAMES_LOADED_CODE_H

/* The code objects that ROCm's runtime has loaded into the GPU's memory. */

#include "agent/agent.h"
#include "base/vec.h"
#include "wire/agent_proto.h"

/* The runtime has told the address of its list; 0: it is gone. */
void bw_loaded_code_set(uint64_t r_debug);

struct bw_agent_codes BW_VEC(struct bw_agent_loaded);
/* All of them, none where no runtime has told its list; the caller frees the vector. 0 or
 * -errno. */
int bw_loaded_code_list(struct bw_agent_codes *out);
/* The bytes of the one that is loaded at base, as a sealed memfd: a descriptor for the caller, or
 * -errno. ENOENT: none is. */
int bw_loaded_code_open(uint64_t base, uint64_t *out_size_b);

/* A code object that no runtime of this process has loaded: a replay has put it there. Takes a
 * copy; another one at this base is replaced. */
void bw_loaded_code_tell(uint64_t base, const char *uri, const void *bytes, size_t size_b);

#endif
