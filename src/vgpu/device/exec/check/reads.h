/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_READS_H
#define BW_VGPU_EXEC_CHECK_READS_H

/* Who has only read memory, within a stretch of a queue (bw_check_launch): so that a dispatch or
 * packet is found that changes what an earlier one may still read. The cells of races (shadow.h)
 * have the loads of the last dispatch of a page; they are kept here when a dispatch of the same
 * stretch takes the page. Under the checker's lock. */

#include "vgpu/device/exec/check/check_priv.h"

/* A dispatch has ended. True: it is kept, so that its loads can be told of. */
bool bw_reads_retire(struct bw_check *c, struct bw_check_dispatch *d);
/* All that is kept goes. */
void bw_reads_clear(struct bw_check *c);
void bw_reads_fini(struct bw_check *c);
/* A dispatch takes the page, whose cells are those of another one. */
void bw_reads_keep(struct bw_check *c, const struct bw_shadow_page *page, uintptr_t host,
		   const struct bw_check_dispatch *by);
/* A packet has read bytes of a dword. */
void bw_reads_note(struct bw_check *c, const uint8_t *host, uint8_t mask, uint64_t stretch,
		   enum bw_transfer transfer);
/* A reader of these bytes in the stretch, other than that dispatch. */
bool bw_reads_find(struct bw_check *c, const uint8_t *host, uint8_t mask, uint64_t stretch,
		   uint64_t but_dispatch, struct bw_check_side *out);
/* Of the waves of the dispatch of a side. */
unsigned bw_reads_lanes(struct bw_check *c, const struct bw_check_side *s);

#endif
