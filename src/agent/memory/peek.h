/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_PEEK_H
#define BW_AGENT_MEMORY_PEEK_H

/* Memory of the program that may not be there: pointers that are only supposed to be some. */

#include <stddef.h>
#include <stdint.h>

/* Returns how many bytes could be read, a multiple of 8; it stops at the first page that is not
 * mapped, so it cannot crash. */
size_t bw_agent_peek(uint64_t at, void *out, size_t size_b);
/* A string of at most room - 1 bytes; its length, or -1: there is none, or it is longer. */
long bw_agent_peek_text(uint64_t at, char *out, size_t room);

#endif
