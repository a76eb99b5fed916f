/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_LARGEST_MAP_H
#define BW_AGENT_MEMORY_LARGEST_MAP_H

/* Finds the GPU address of a graphics API's memory: the driver maps the memory for the GPU while
 * the program allocates it, on the thread that allocates. */

#include <stdint.h>

/* Begins to note the ranges that ioctls of this thread map. */
void bw_largest_map_begin(void);
/* The address of the largest range since begin, and the DRM file, without a reference; 0 and NULL:
 * none. */
struct bw_agent_file;
uint64_t bw_largest_map_end(struct bw_agent_file **out_file);
/* An ioctl of this thread has mapped it. */
void bw_largest_map_note(struct bw_agent_file *f, uint64_t va, uint64_t size_b);

#endif
