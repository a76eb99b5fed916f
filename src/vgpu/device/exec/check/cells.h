/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_CELLS_H
#define BW_VGPU_EXEC_CHECK_CELLS_H

/* The cells of the dispatch whose instruction is being executed. */

#include "vgpu/device/exec/check/check_priv.h"

/* check.c. Makes the page of that byte the step's; it has none: out of memory. */
void bw_check_turn_to_page(struct bw_check *c, const uint8_t *host);

/* The cell of the dword that has a byte of the host's; NULL: out of memory. */
static inline struct bw_shadow_cell *bw_check_cell(struct bw_check *c, const uint8_t *host)
{
	const struct bw_check_step *s = &c->step;
	if (!s->page || s->page_number != (uintptr_t)host / BW_SHADOW_PAGE_B)
		bw_check_turn_to_page(c, host);
	return s->page ? &s->page->cell[(uintptr_t)host % BW_SHADOW_PAGE_B / 4] : NULL;
}

/* A plain load, whose first lane's place a compare-and-swap may follow. */
static inline void bw_check_note_load(const struct bw_check_step *s, const uint8_t *host)
{
	struct bw_check_wave *w = s->loads;
	w->load[w->next_load++ % BW_CHECK_LOADS] =
		(struct bw_check_load){(uint64_t)(uintptr_t)host / 4, s->place};
}

#endif
