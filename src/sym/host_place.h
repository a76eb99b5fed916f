/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_HOST_PLACE_H
#define BW_SYM_HOST_PLACE_H

/* Places in programs of the CPU: which function and line an address in an executable file is. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_host_place {
	char function[160]; /* without parameters; "" for none */
	char file[160];	    /* its last part; "" where the file has no debug information */
	unsigned line;
};

/* addr: as the file itself has addresses. Debug information is looked for in the file alone. False:
 * the file cannot be read, or has neither a function nor a line there. */
bool bw_host_place(const char *path, uint64_t addr, struct bw_host_place *out);
/* The same with the calls that were inlined there: the innermost first, at most max; returns how
 * many. */
size_t bw_host_places(const char *path, uint64_t addr, struct bw_host_place *out, size_t max);

#endif
