/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_ZONES_H
#define BW_AGENT_MEMORY_ZONES_H

/* Memory of the program with free bytes before and after it, for --check=bounds: what the program
 * has got, what was allocated for that, and where the program did so. Memory that the program has
 * freed stays for a while, so that nothing else comes to its addresses. Pure; no locks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BW_ZONE_CALLERS = 3 };
struct bw_zone {
	uint64_t va, size_b;   /* as the program has it */
	uint64_t real, real_b; /* as it is allocated */
	/* Where the program has made and freed it (bw_freed_callers). 0: not known. */
	uint64_t made[BW_ZONE_CALLERS], freed[BW_ZONE_CALLERS];
	bool is_told;  /* the virtual GPU knows of it */
	uint64_t gone; /* when it was freed, as a number that grows; 0: it is the program's */
};

struct bw_zones {
	struct bw_zone *z; /* sorted by address; none overlaps another */
	size_t n, max;
	size_t n_gone;
	uint64_t gone_b, last_gone;
};

void bw_zones_fini(struct bw_zones *x);
/* False: it is empty, wraps, its parts do not fit, it overlaps another one, or no memory. */
bool bw_zones_add(struct bw_zones *x, const struct bw_zone *z);
/* The program's memory that begins there, or has the address in it or around it, and is not freed;
 * NULL: none. Valid until the next change. */
struct bw_zone *bw_zones_at(struct bw_zones *x, uint64_t va);
struct bw_zone *bw_zones_around(struct bw_zones *x, uint64_t va);
/* Whether the address is in memory that is freed but stays. */
bool bw_zones_is_kept(const struct bw_zones *x, uint64_t va);
/* It is freed, but stays. */
void bw_zones_keep(struct bw_zones *x, struct bw_zone *z);
/* Takes one away. */
void bw_zones_remove(struct bw_zones *x, struct bw_zone *z);
/* The one that was freed first, if more than max are kept, or more than max_b; else NULL. */
struct bw_zone *bw_zones_oldest(struct bw_zones *x, size_t max, uint64_t max_b);

#endif
