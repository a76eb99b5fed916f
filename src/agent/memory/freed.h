/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_FREED_H
#define BW_AGENT_MEMORY_FREED_H

/* Address ranges of a DRM file that the program has unmapped, as many of the last ones as there is
 * room for: so that an access there can be called a use of freed memory, and who freed it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_freed {
	uint64_t va, size_b;
	/* In the program's executable, from the address that its file calls 0: in the innermost of
	 * its functions that the thread was in. 0: it was in none, or is not known. */
	uint64_t by;
};

enum { BW_FREED_MAX = 1024 };
struct bw_freed_list {
	struct bw_freed all[BW_FREED_MAX];
	size_t n; /* ever noted: the next one lies at n % BW_FREED_MAX */
};

/* Notes a range as gone. by: of bw_freed_by. Ranges without bytes are left out. */
void bw_freed_note(struct bw_freed_list *l, uint64_t va, uint64_t size_b, uint64_t by);
/* The last range that had the address; false: none that is still noted. */
bool bw_freed_find(const struct bw_freed_list *l, uint64_t va, struct bw_freed *out);
/* Where in the program's executable this thread is called from (bw_freed.by). */
uint64_t bw_freed_by(void);
/* The same of all of its functions that the thread is in, the innermost first, at most max; returns
 * how many. */
size_t bw_freed_callers(uint64_t *out, size_t max);

#endif
