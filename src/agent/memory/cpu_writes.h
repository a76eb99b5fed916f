/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_CPU_WRITES_H
#define BW_AGENT_MEMORY_CPU_WRITES_H

/* The pages of a buffer that the program's CPU has written, by the page tables of the program: its
 * mappings of the virtual GPU's memory are write-protected, and the kernel notes a write and allows
 * it (userfaultfd with UFFD_FEATURE_WP_ASYNC, and PAGEMAP_SCAN: Linux 6.7 and later). So a capture
 * need not read pages that nobody has written.
 *
 * Some buffers cannot be watched, so that a capture has to read all of them: any buffer on an older
 * kernel; one that was mapped before the capture began, is imported or exported, or is the
 * program's own memory; after a fork, whose child may write; or is in a real GPU's memory, whose
 * page tables are the driver's. Any thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Pages of a buffer, from its start. */
struct bw_cpu_writes_range {
	uint64_t first, n;
};
struct bw_cpu_writes_ranges BW_VEC(struct bw_cpu_writes_range);

/* A buffer is named by its bw_track_buffer.serial. */

/* The program has mapped it: watches that. offset_b: where in the buffer. */
void bw_cpu_writes_mapped(uint64_t serial, void *at, size_t size_b, uint64_t offset_b);
/* The program writes it, or may, where that is not watched. */
void bw_cpu_writes_unknown(uint64_t serial);
/* These addresses are about to be unmapped, or to become another mapping. */
void bw_cpu_writes_unmapped(const void *at, size_t size_b);
/* ... and to be mapped elsewhere. */
void bw_cpu_writes_moved(const void *at, size_t size_b);
/* The agent has written it, by a mapping of its own. */
void bw_cpu_writes_by_agent(uint64_t serial, uint64_t offset_b, size_t size_b);
/* The buffer is gone. */
void bw_cpu_writes_forget(uint64_t serial);
/* Nobody asks any more, or the answers would be wrong from now on: nothing is known. */
void bw_cpu_writes_end(void);
void bw_cpu_writes_fork_child(void);

/* The pages of a buffer that were written since the last request; at the first request, all that
 * may have been written. */
struct bw_cpu_writes {
	uint64_t serial; /* the caller sets it */
	bool is_known;
	struct bw_cpu_writes_ranges ranges; /* emptied first; the caller frees it */
};
/* Asks for n buffers at once, none of them twice. */
void bw_cpu_writes_take(struct bw_cpu_writes *const *asked, size_t n);

#endif
