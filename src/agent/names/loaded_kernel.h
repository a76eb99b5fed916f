/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_LOADED_KERNEL_H
#define BW_AGENT_NAMES_LOADED_KERNEL_H

/* Kernels of the code objects that ROCm's runtime has loaded (loaded_code.h), by the addresses of
 * their descriptors, which AQL packets have. Any thread. */

#include "capture/capture.h"

struct bw_loaded_kernel {
	char name[64]; /* kernel_symbol.h */
	char uri[256]; /* of the code object; cut off where it is longer */
	uint64_t base; /* where the code object's address 0 lies */
	uint32_t code; /* a number of this load, never that of an object of names.h */
};
/* False: no code object is known that has it. */
bool bw_loaded_kernel_find(uint64_t kernel_object, struct bw_loaded_kernel *out);
/* The record of its code object for a capture (capture/pipeline.h), out: empty. False: the code
 * object is too large for one, is gone, or there is no memory. */
bool bw_loaded_kernel_record(const struct bw_loaded_kernel *k, struct bw_capture_bytes *out);
/* Memory was freed or mapped anew: what was known may not be true any more. */
void bw_loaded_kernel_forget(void);
void bw_loaded_kernel_fork_child(void);

#endif
