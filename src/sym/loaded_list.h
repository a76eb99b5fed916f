/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LOADED_LIST_H
#define BW_SYM_LOADED_LIST_H

/* The list of code objects that ROCm's runtime keeps for debuggers, like that of a dynamic linker:
 * struct r_debug and struct link_map of <link.h>; _amdgpu_r_debug of ROCR-Runtime, which ROCdbgapi
 * looks up in the same way. It is memory of the program, so nothing in it is taken for granted.
 * Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads size_b bytes of the program's memory. False: they are not all there. */
typedef bool bw_loaded_read_fn(void *cookie, uint64_t va, void *out, size_t size_b);
/* A code object: where its address 0 lies in GPU memory, and the URI of its bytes (code_uri.h),
 * which is cut off if it is longer than 1015 bytes. False ends the walk. */
typedef bool bw_loaded_fn(void *cookie, uint64_t base, const char *uri);

struct bw_loaded_walk {
	bw_loaded_read_fn *read;
	bw_loaded_fn *each;
	void *cookie; /* of both */
};
/* Calls `each` for the code objects of the list at `list`, at most 65536 of them: a damaged list
 * may lead in a circle. False: its memory could not be read. */
bool bw_loaded_list(uint64_t list, const struct bw_loaded_walk *walk);

#endif
