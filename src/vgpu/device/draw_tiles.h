/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_TILES_H
#define BW_VGPU_DEVICE_DRAW_TILES_H

/* Threads for the pixels of draws, beside the command processor's own. A piece of work is divided
 * into parts, one for each thread. The parts are tiles of the screen: what happens at one pixel is
 * done by one thread, in the order of the triangles, so the picture is that of a single thread. */

#include <stdint.h>

struct bw_tiles;
/* number: from 0 to bw_tiles_parts() - 1 */
typedef void bw_tiles_fn(void *cookie, unsigned number);

/* For at most n parts; fewer where no thread can be had. NULL: no memory. */
struct bw_tiles *bw_tiles_create(unsigned n);
void bw_tiles_destroy(struct bw_tiles *t);
unsigned bw_tiles_parts(const struct bw_tiles *t);
/* Runs fn for each part, and returns when all have returned. Part 0 runs on the caller's thread. */
void bw_tiles_run(struct bw_tiles *t, bw_tiles_fn *fn, void *cookie);

enum { BW_TILE_MOST = 16, BW_TILE_LOG2 = 5 };
/* The part, of n, that a pixel belongs to. */
static inline unsigned bw_tile_part(uint32_t x, uint32_t y, unsigned n)
{
	return ((x >> BW_TILE_LOG2) + 3 * (y >> BW_TILE_LOG2)) % n;
}

#endif
