/* SPDX-License-Identifier: MIT */
#ifndef BW_SCAN_LOADED_H
#define BW_SCAN_LOADED_H

/* The code objects that ROCm's runtime has loaded in another process, found as a debugger of ROCm
 * finds them: the runtime's library has the symbol _amdgpu_r_debug, which leads to a list of them
 * in the process's memory (/proc/PID/mem). All that is read is untrusted. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sym/code_object.h"

/* Finds the runtime's symbol in a file that is mapped: its distance from the start of the file's
 * first mapping. False: the file has none, or is not a library of this machine. */
bool bw_scan_find_list(int fd, uint64_t *out);

/* base: where the code object's address 0 lies in GPU memory. The callback owns co. */
typedef struct bw_error *bw_scan_loaded_fn(void *cookie, uint64_t base, struct bw_code_object *co);
/* Calls fn for each. Without ROCm's runtime, or without the right to read the process, there are
 * none; damaged code objects are left out. An error of fn ends it. */
struct bw_error *bw_scan_loaded_of(pid_t pid, bw_scan_loaded_fn *fn, void *cookie) BW_MUST_CHECK;

#endif
