/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_READS_H
#define BW_VGPU_EXEC_CHECK_READS_H

/* Who has only read memory: so that a dispatch or packet is found that changes what one that
 * nothing orders before it may still read. The cells of races (shadow.h) have the loads of the
 * dispatches that run and of the last one that has ended; they are kept here when another dispatch
 * takes their page. Under the checker's lock. */

#include "vgpu/device/exec/check/check_priv.h"

/* A dispatch has ended. True: it is kept, so that its loads can be told of. */
bool bw_reads_retire(struct bw_check *c, struct bw_check_dispatch *d);
/* All that is kept goes. */
void bw_reads_clear(struct bw_check *c);
void bw_reads_fini(struct bw_check *c);
/* A page of races for the current instruction's dispatch, which has none there: that of one that
 * has ended, if there is one. A later store can be in conflict with what that one has loaded. */
struct bw_shadow_page *bw_reads_new_page(struct bw_check *c, uintptr_t host, bool is_lds);
/* Whether that is looked for of a dispatch or packet. */
static inline bool bw_reads_are_noted(const struct bw_check_now *now)
{
	return bw_jobs_is_of_program(&now->act.job) ||
	       (now->is_explicit && (now->act.stretch || now->act.job.seq));
}
/* A packet has read bytes of a dword: its number as a writer. */
void bw_reads_note(struct bw_check *c, const uint8_t *host, uint8_t mask, uint32_t number);
/* A reader of these bytes that nothing orders before `now`. */
struct bw_reader {
	struct bw_check_side at;
	enum bw_check_relation relation;
};
bool bw_reads_find(struct bw_check *c, const uint8_t *host, uint8_t mask,
		   const struct bw_check_now *now, struct bw_reader *out);
/* Of the waves of the dispatch of a side. */
unsigned bw_reads_lanes(struct bw_check *c, const struct bw_check_side *s);

/* Scalar loads are of whole dwords, also where the code needs a byte: then others may store the
 * rest. mask: bytes that the other side has stored. */
static inline bool bw_check_may_not_need(const struct bw_check *c, uint16_t load, uint8_t mask)
{
	return c->place[load].is_scalar && mask != 15;
}

#endif
